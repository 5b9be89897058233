/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user context of the HCA, opened on behalf of a guest process.
 */
#ifndef HYV_UCTX_H
#define HYV_UCTX_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include <rdma/uverbs_ioctl.h>

struct cred;
struct file;
struct hyv_call;
struct hyv_placeholder;
struct path;

/* Scratch memory of the caller: one part for each use. */
#define HYV_SCRATCH_CMD		0
#define HYV_SCRATCH_UDATA_IN	2048
#define HYV_SCRATCH_UDATA_OUT	4096
#define HYV_SCRATCH_SIZE	8192

/**
 * struct hyv_uctx - an open uverbs file and its ib_ucontext
 * @file: the file; while it is open the ucontext lives
 * @ib: the ucontext
 * @placeholder: stands in for the uobjects that uverbs would make
 * @opener: see hyv_restrack_adopt()
 */
struct hyv_uctx {
	struct file *file;
	struct ib_ucontext *ib;
	struct hyv_placeholder *placeholder;
	struct task_struct *opener;
};

bool hyv_uctx_is_uverbs(struct file *file);
int hyv_uctx_open(struct hyv_uctx *uctx, const struct path *path,
		  const struct cred *cred, u32 driver_id,
		  struct task_struct *owner, void __user *scratch,
		  struct hyv_call *call);
void hyv_uctx_close(struct hyv_uctx *uctx);

struct ib_uobject *hyv_uctx_uobject(struct hyv_uctx *uctx);
struct task_struct *hyv_restrack_adopt(struct rdma_restrack_entry *res,
				       struct task_struct *owner);
void hyv_restrack_own(struct rdma_restrack_entry *res,
		      enum rdma_restrack_type type, struct task_struct *owner);

int hyv_udata_begin(struct uverbs_attr_bundle *bundle, struct hyv_uctx *uctx,
		    void __user *scratch, const struct hyv_call *call);
int hyv_udata_end(struct uverbs_attr_bundle *bundle, struct hyv_call *call);
void hyv_udata_none(struct uverbs_attr_bundle *bundle, struct hyv_uctx *uctx);

#endif /* HYV_UCTX_H */
