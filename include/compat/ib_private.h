/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that ib_core exports for ib_uverbs but declares only in private
 * headers (drivers/infiniband/core/core_priv.h and restrack.h). hyv.ko creates
 * objects of a real user context like ib_uverbs, so it needs them as well.
 *
 * Headers of a kernel do not show a change of these prototypes, so compat.h limits
 * the range of kernels.
 */
#ifndef HYV_COMPAT_IB_PRIVATE_H
#define HYV_COMPAT_IB_PRIVATE_H

#include <linux/cgroup_rdma.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/version.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include <rdma/uverbs_ioctl.h>

struct ib_uqp_object;

/* The part of an attribute bundle that ib_create_qp_user() takes. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define COMPAT_QP_ATTRS		ib_udata
#define COMPAT_QP_ATTRS_OF(attrs)	(&(attrs)->driver_udata)
#else
#define COMPAT_QP_ATTRS		uverbs_attr_bundle
#define COMPAT_QP_ATTRS_OF(attrs)	(attrs)
#endif

struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr,
				struct COMPAT_QP_ATTRS *attrs,
				struct ib_uqp_object *uobj,
				const char *caller);

/* Takes no reference to what the QP uses: ib_qp_usecnt_inc() must follow. */
static inline struct ib_qp *
compat_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
		      struct ib_qp_init_attr *attr,
		      struct uverbs_attr_bundle *attrs,
		      struct ib_uqp_object *uobj, const char *caller)
{
	return ib_create_qp_user(dev, pd, attr, COMPAT_QP_ATTRS_OF(attrs), uobj,
				 caller);
}

void ib_qp_usecnt_inc(struct ib_qp *qp);

void rdma_restrack_new(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type);
void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent);
void rdma_restrack_add(struct rdma_restrack_entry *res);

/* Charge the caller's rdma cgroup. Fails with -EAGAIN at its limit. */
#ifdef CONFIG_CGROUP_RDMA
int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj,
			 struct ib_device *device,
			 enum rdmacg_resource_type resource_index);
void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj,
			struct ib_device *device,
			enum rdmacg_resource_type resource_index);
#else
static inline int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj,
				       struct ib_device *device,
				       enum rdmacg_resource_type resource_index)
{
	return 0;
}

static inline void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj,
				      struct ib_device *device,
				      enum rdmacg_resource_type resource_index)
{
}
#endif

/*
 * Weak, because stable kernels up to 6.1.176 and 6.12.107 do not export it, and
 * hyv.ko could not be loaded there. It is NULL on these kernels.
 */
void __weak rdma_restrack_sync(struct rdma_restrack_entry *res);

/*
 * Wait for readers of @res and of what it refers to. Older kernels have no such
 * fence; their ib_uverbs replaces an MR's PD without one.
 */
static inline void compat_restrack_sync(struct rdma_restrack_entry *res)
{
	if (rdma_restrack_sync)
		rdma_restrack_sync(res);
}

/*
 * vm_private_data of a VMA that a driver has filled with rdma_user_mmap_io();
 * declared in core_priv.h. hyv.ko cannot support a driver that maps I/O memory
 * in another way.
 */
struct rdma_umap_priv {
	struct vm_area_struct *vma;
	struct list_head list;
	struct rdma_user_mmap_entry *entry;
};

/* Owner of the I/O memory in a driver's VMA, or NULL. */
static inline struct rdma_user_mmap_entry *
compat_umap_entry(const struct vm_area_struct *vma)
{
	const struct rdma_umap_priv *priv = vma->vm_private_data;

	return vma->vm_ops && priv ? priv->entry : NULL;
}

#endif /* HYV_COMPAT_IB_PRIVATE_H */
