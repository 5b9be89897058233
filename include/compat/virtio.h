/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.11 drivers described virtqueues in parallel arrays. */
#ifndef HYV_COMPAT_VIRTIO_H
#define HYV_COMPAT_VIRTIO_H

#include <linux/slab.h>
#include <linux/virtio_config.h>

struct virtqueue_info {
	const char *name;
	vq_callback_t *callback;
	bool ctx;
};

static inline int compat_virtio_find_vqs(struct virtio_device *vdev,
					 unsigned int nvqs,
					 struct virtqueue *vqs[],
					 struct virtqueue_info info[],
					 struct irq_affinity *desc)
{
	vq_callback_t **callbacks;
	const char **names;
	bool *ctx;
	unsigned int i;
	int ret = -ENOMEM;

	callbacks = kcalloc(nvqs, sizeof(*callbacks), GFP_KERNEL);
	names = kcalloc(nvqs, sizeof(*names), GFP_KERNEL);
	ctx = kcalloc(nvqs, sizeof(*ctx), GFP_KERNEL);
	if (!callbacks || !names || !ctx)
		goto out;

	for (i = 0; i < nvqs; i++) {
		callbacks[i] = info[i].callback;
		names[i] = info[i].name;
		ctx[i] = info[i].ctx;
	}
	ret = virtio_find_vqs_ctx(vdev, nvqs, vqs, callbacks, names, ctx, desc);
out:
	kfree(ctx);
	kfree(names);
	kfree(callbacks);
	return ret;
}

#define virtio_find_vqs		compat_virtio_find_vqs

#endif /* HYV_COMPAT_VIRTIO_H */
