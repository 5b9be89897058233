/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that ib_core exports to ib_uverbs, and thereby to every module, but
 * declares only in headers of its own (drivers/infiniband/core/core_priv.h and
 * restrack.h), which header packages of distributions do not ship.
 *
 * hyv.ko creates objects of a real user context the way ib_uverbs does, and so
 * needs the same functions. The prototypes are those of 6.1 and of 6.12, which
 * are equal. Symbol versions (CONFIG_MODVERSIONS) are computed by the kernel's
 * own build and do not check these lines against a later change, hence the
 * fixed range of kernels in compat.h.
 */
#ifndef HYV_COMPAT_IB_PRIVATE_H
#define HYV_COMPAT_IB_PRIVATE_H

#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

struct ib_uqp_object;

/* Takes no reference to what the QP uses: ib_qp_usecnt_inc() must follow. */
struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr,
				struct ib_udata *udata,
				struct ib_uqp_object *uobj,
				const char *caller);
void ib_qp_usecnt_inc(struct ib_qp *qp);

void rdma_restrack_new(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type);
/* A NULL @caller marks the resource as one of user space. */
void rdma_restrack_set_name(struct rdma_restrack_entry *res,
			    const char *caller);
void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent);
void rdma_restrack_add(struct rdma_restrack_entry *res);
void rdma_restrack_del(struct rdma_restrack_entry *res);
/* Waits for those who look at @res and at what it refers to. */
void rdma_restrack_sync(struct rdma_restrack_entry *res);

#endif /* HYV_COMPAT_IB_PRIVATE_H */
