/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences in the operations of a virtio transport. Source files include this
 * header on all kernels.
 *
 * Before 6.11 find_vqs took parallel arrays.
 */
#ifndef HYV_COMPAT_VIRTIO_CONFIG_H
#define HYV_COMPAT_VIRTIO_CONFIG_H

#include <linux/slab.h>
#include <linux/version.h>
#include <linux/virtio_config.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)

/* Define a transport's operation @op by a function @fn with the new arguments. */
#define COMPAT_DEFINE_FIND_VQS(op, fn)					\
static int op(struct virtio_device *vdev, unsigned int nvqs,		\
	      struct virtqueue *vqs[], vq_callback_t *callbacks[],	\
	      const char * const names[], const bool *ctx,		\
	      struct irq_affinity *desc)				\
{									\
	struct virtqueue_info *info;					\
	unsigned int i;							\
	int ret;							\
									\
	info = kcalloc(nvqs, sizeof(*info), GFP_KERNEL);		\
	if (!info)							\
		return -ENOMEM;						\
	for (i = 0; i < nvqs; i++) {					\
		info[i].name = names[i];				\
		info[i].callback = callbacks[i];			\
		info[i].ctx = ctx && ctx[i];				\
	}								\
	ret = fn(vdev, nvqs, vqs, info, desc);				\
	kfree(info);							\
	return ret;							\
}

#else

#define COMPAT_DEFINE_FIND_VQS(op, fn)					\
static int op(struct virtio_device *vdev, unsigned int nvqs,		\
	      struct virtqueue *vqs[], struct virtqueue_info info[],	\
	      struct irq_affinity *desc)				\
{									\
	return fn(vdev, nvqs, vqs, info, desc);				\
}

#endif

#endif /* HYV_COMPAT_VIRTIO_CONFIG_H */
