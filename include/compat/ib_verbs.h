/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.11 the last argument of ib_device_ops.create_cq is the attribute
 * bundle, before it was the provider data in the bundle.
 *
 * Since 6.2 ib_core has flags for flushes and atomic writes.
 */
#ifndef HYV_COMPAT_IB_VERBS_H
#define HYV_COMPAT_IB_VERBS_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)

/*
 * Define a driver's operation @op by a function @fn whose last argument is the
 * bundle, or NULL for a kernel CQ, on all kernels.
 */
#define COMPAT_DEFINE_CREATE_CQ(op, fn)					\
static int op(struct ib_cq *cq, const struct ib_cq_init_attr *attr,	\
	      struct ib_udata *udata)					\
{									\
	return fn(cq, attr, udata ?					\
		  rdma_udata_to_uverbs_attr_bundle(udata) : NULL);	\
}

/* Call the create_cq operation of @cq's device. */
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
