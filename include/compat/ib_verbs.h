/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.11 the last argument of ib_device_ops.create_cq is the attribute
 * bundle, before it was the provider data in the bundle.
 *
 * Since 6.18 ib_device_ops.reg_user_mr takes a DMA handle.
 *
 * Since 7.1 ib_device_ops.resize_cq is resize_user_cq, and the number of entries is
 * unsigned. compat.h has the name.
 *
 * Since 7.1 a driver may have create_user_cq for the CQs of processes.
 *
 * Since 6.14 ib_core reports changes of a port's state, too, and has a function for
 * drivers that reports each change once.
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

/* Call the operation of @cq's device that makes CQs of processes. */
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
	const struct ib_device_ops *ops = &cq->device->ops;

#ifdef COMPAT_HAS_CREATE_USER_CQ
	if (ops->create_user_cq)
		return ops->create_user_cq(cq, attr, attrs);
#endif
	return ops->create_cq(cq, attr, attrs);
}

#endif

/*
 * Define a driver's operation @op by a function @fn with the arguments of the newest
 * kernel.
 */
#ifdef COMPAT_HAS_RESIZE_USER_CQ

#define COMPAT_DEFINE_RESIZE_USER_CQ(op, fn)				\
static int op(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata) \
{									\
	return fn(cq, cqe, udata);					\
}

#else

/* ib_uverbs passes what a process has sent, a u32. */
#define COMPAT_DEFINE_RESIZE_USER_CQ(op, fn)				\
static int op(struct ib_cq *cq, int cqe, struct ib_udata *udata)	\
{									\
	return fn(cq, cqe, udata);					\
}

#endif

#ifdef COMPAT_HAS_DMAH

#define COMPAT_DEFINE_REG_USER_MR(op, fn)				\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length,	\
			u64 virt_addr, int access, struct ib_dmah *dmah, \
			struct ib_udata *udata)				\
{									\
	return fn(pd, start, length, virt_addr, access, dmah, udata);	\
}

/* Call the reg_user_mr operation of @pd's device. */
static inline struct ib_mr *
compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
		   int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	return pd->device->ops.reg_user_mr(pd, start, length, virt_addr, access,
					   dmah, udata);
}

/* For an MR that did not come through ib_uverbs. */
static inline void compat_mr_set_dmah(struct ib_mr *mr, struct ib_dmah *dmah)
{
	mr->dmah = dmah;
}

#else

#define COMPAT_DEFINE_REG_USER_MR(op, fn)				\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length,	\
			u64 virt_addr, int access, struct ib_udata *udata) \
{									\
	return fn(pd, start, length, virt_addr, access, NULL, udata);	\
}

static inline struct ib_mr *
compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
		   int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	return pd->device->ops.reg_user_mr(pd, start, length, virt_addr, access,
					   udata);
}

static inline void compat_mr_set_dmah(struct ib_mr *mr, struct ib_dmah *dmah)
{
}

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)

#define COMPAT_ACCESS_FLUSH		0
#define COMPAT_DEVICE_FLUSH		0ULL
#define COMPAT_DEVICE_ATOMIC_WRITE	0ULL

#else

#define COMPAT_ACCESS_FLUSH \
	(IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)
#define COMPAT_DEVICE_FLUSH \
	(IB_UVERBS_DEVICE_FLUSH_GLOBAL | IB_UVERBS_DEVICE_FLUSH_PERSISTENT)
#define COMPAT_DEVICE_ATOMIC_WRITE	IB_UVERBS_DEVICE_ATOMIC_WRITE

#endif

#ifndef COMPAT_HAS_PORT_STATE_EVENT

static inline void ib_dispatch_port_state_event(struct ib_device *ibdev,
						struct net_device *ndev)
{
	struct ib_event event = {
		.device = ibdev,
		.element.port_num = 1,
		.event = netif_running(ndev) && netif_carrier_ok(ndev) ?
			 IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	ib_dispatch_event(&event);
}

#endif

#endif /* HYV_COMPAT_IB_VERBS_H */
