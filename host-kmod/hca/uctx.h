/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user context of the HCA, opened on behalf of a guest process.
 */
#ifndef HYVH_UCTX_H
#define HYVH_UCTX_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include <rdma/uverbs_ioctl.h>

struct cred;
struct file;
struct hyvh_cmd;
struct hyvh_hca_driver;
struct hyvh_placeholder;
struct path;

/* Parts of the VMM's scratch memory. */
#define HYVH_SCRATCH_CMD	0
#define HYVH_SCRATCH_UDATA_IN	2048
#define HYVH_SCRATCH_UDATA_OUT	4096
#define HYVH_SCRATCH_SIZE	8192

/* Room for the largest structure that begins with a struct ib_uobject. */
#define HYVH_PLACEHOLDER_SIZE	1024

/* An open uverbs file and its ucontext. */
struct hyvh_uctx {
	struct file *file;		/* keeps the ucontext alive */
	struct ib_ucontext *ib;
	/* The uobject of all objects that are created in the ucontext. */
	struct hyvh_placeholder *placeholder;
	struct task_struct *opener;	/* see hyvh_restrack_adopt() */
};

int hyvh_uctx_register(void);
void hyvh_uctx_unregister(void);

bool hyvh_uctx_is_uverbs(struct file *file);
int hyvh_uctx_hca_name(struct file *file, char *name);
int hyvh_uctx_open(struct hyvh_uctx *uctx, const struct path *path,
		   const struct cred *cred,
		   const struct hyvh_hca_driver *driver,
		   struct task_struct *owner, void __user *scratch,
		   struct hyvh_cmd *cmd);
void hyvh_uctx_close(struct hyvh_uctx *uctx);

struct ib_uobject *hyvh_uctx_uobject(struct hyvh_uctx *uctx);
struct task_struct *hyvh_restrack_adopt(struct rdma_restrack_entry *res,
					struct task_struct *owner);
void hyvh_restrack_own(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type, struct task_struct *owner);

int hyvh_udata_in(struct ib_udata *udata, const struct hyvh_cmd *cmd);
int hyvh_udata_out(struct hyvh_cmd *cmd);
int hyvh_udata_begin(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx,
		     const struct hyvh_cmd *cmd);
void hyvh_udata_none(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx);

#endif /* HYVH_UCTX_H */
