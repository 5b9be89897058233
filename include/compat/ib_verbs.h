/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ib_device_ops.create_cq: from 6.11 on its last argument is the bundle of the
 * call's attributes, before that it was the provider data inside the bundle.
 *
 * Flushes and atomic writes: from 6.2 on the core has names for them, and lets
 * memory be registered for flushes.
 */
#ifndef HYV_COMPAT_IB_VERBS_H
#define HYV_COMPAT_IB_VERBS_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)

/**
 * COMPAT_DEFINE_CREATE_CQ - define a driver's create_cq operation
 * @op: name for struct ib_device_ops
 * @fn: the driver's function, which takes a struct uverbs_attr_bundle or NULL
 *	(CQ of the kernel) as its last argument on all kernels
 */
#define COMPAT_DEFINE_CREATE_CQ(op, fn)					\
static int op(struct ib_cq *cq, const struct ib_cq_init_attr *attr,	\
	      struct ib_udata *udata)					\
{									\
	return fn(cq, attr, udata ?					\
		  rdma_udata_to_uverbs_attr_bundle(udata) : NULL);	\
}

/**
 * compat_create_cq() - call the create_cq operation of @cq's device
 * @cq: made with rdma_zalloc_drv_obj()
 * @attr: what to create
 * @attrs: bundle with the caller's context and provider data
 *
 * Context: may sleep.
 * Return: 0 or the driver's error.
 */
static inline int compat_create_cq(struct ib_cq *cq,
				   const struct ib_cq_init_attr *attr,
				   struct uverbs_attr_bundle *attrs)
{
	return cq->device->ops.create_cq(cq, attr, &attrs->driver_udata);
}

#else

#define COMPAT_DEFINE_CREATE_CQ(op, fn)					\
static int op(struct ib_cq *cq, const struct ib_cq_init_attr *attr,	\
	      struct uverbs_attr_bundle *attrs)				\
{									\
	return fn(cq, attr, attrs);					\
}

static inline int compat_create_cq(struct ib_cq *cq,
				   const struct ib_cq_init_attr *attr,
				   struct uverbs_attr_bundle *attrs)
{
	return cq->device->ops.create_cq(cq, attr, attrs);
}

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)

#define COMPAT_DEVICE_FLUSH		0ULL
#define COMPAT_DEVICE_ATOMIC_WRITE	0ULL

#else

#define COMPAT_DEVICE_FLUSH \
	(IB_UVERBS_DEVICE_FLUSH_GLOBAL | IB_UVERBS_DEVICE_FLUSH_PERSISTENT)
#define COMPAT_DEVICE_ATOMIC_WRITE	IB_UVERBS_DEVICE_ATOMIC_WRITE

#endif

#endif /* HYV_COMPAT_IB_VERBS_H */
