/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.15 the virtio core calls drivers before and after a reset of the PCI function.
 * Source files include this header on all kernels.
 */
#ifndef HYV_COMPAT_VIRTIO_DRIVER_H
#define HYV_COMPAT_VIRTIO_DRIVER_H

#include <linux/virtio.h>

/* Before the driver is registered. */
static inline void compat_virtio_set_reset(struct virtio_driver *driver,
					   int (*prepare)(struct virtio_device *vdev),
					   int (*done)(struct virtio_device *vdev))
{
#ifdef COMPAT_HAS_VIRTIO_RESET
	driver->reset_prepare = prepare;
	driver->reset_done = done;
#endif
}

#endif /* HYV_COMPAT_VIRTIO_DRIVER_H */
