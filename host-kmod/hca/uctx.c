// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening user contexts of the HCA, and what its driver must believe.
 *
 * The verbs of an HCA's driver take addresses of user memory for private data,
 * find the user context through the attribute bundle that the private data is
 * embedded in, and tell user objects from kernel objects by their uobject and
 * by their entry in the resource tracker. ib_uverbs provides all that for its
 * own callers; this file provides it for guests.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <compat/ib_private.h>

#include "command/dispatch.h"
#include "hca/uctx.h"

/*
 * uverbs sets ib_pd.uobject and ib_cq.uobject, and the resource tracker's
 * netlink dump follows them to the ucontext without a check for NULL. Real
 * uobjects cannot be made outside of ib_uverbs. All that anyone reads of them
 * is context and ufile at the start of struct ib_uobject, which in turn is at
 * the start of the private struct ib_ucq_object; the tail is room for the rest
 * of the latter, zeroed. One serves all objects of a context.
 */
struct hyvh_placeholder {
	union {
		struct ib_uobject uobject;
		u8 room[1024];
	};
};

/**
 * hyvh_uctx_is_uverbs() - is this an RDMA device's uverbs file?
 * @file: any file
 *
 * Its operations are not exported, but the module that owns them has a name;
 * of its files only the devices themselves are character devices.
 */
bool hyvh_uctx_is_uverbs(struct file *file)
{
	struct module *owner = file->f_op->owner;

	return S_ISCHR(file_inode(file)->i_mode) && file->f_op->mmap &&
	       file->f_op->unlocked_ioctl && owner &&
	       !strcmp(module_name(owner), "ib_uverbs");
}

static int hyvh_uctx_get_context(struct hyvh_uctx *uctx, u32 driver_id,
				 void __user *scratch, struct hyvh_call *call)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[2];
	} cmd = {};
	struct ib_uverbs_attr *attr = cmd.attr;
	void __user *in = scratch + HYVH_SCRATCH_UDATA_IN;
	void __user *out = scratch + HYVH_SCRATCH_UDATA_OUT;
	u32 in_len = call ? call->udata_in_len : 0;
	u32 out_room = call ? call->udata_out_room : 0;
	long ret;

	if (in_len) {
		attr->attr_id = UVERBS_ATTR_UHW_IN;
		attr->len = in_len;
		/* Data of up to 8 bytes is passed in place of its address. */
		if (in_len <= sizeof(attr->data)) {
			memcpy(&attr->data, call->udata_in, in_len);
		} else {
			if (copy_to_user(in, call->udata_in, in_len))
				return -EFAULT;
			attr->data = (uintptr_t)in;
		}
		attr++;
	}
	if (out_room) {
		if (clear_user(out, out_room))
			return -EFAULT;
		attr->attr_id = UVERBS_ATTR_UHW_OUT;
		attr->len = out_room;
		attr->data = (uintptr_t)out;
		attr++;
	}
	cmd.hdr.num_attrs = attr - cmd.attr;
	cmd.hdr.length = struct_size(&cmd.hdr, attrs, cmd.hdr.num_attrs);
	cmd.hdr.object_id = UVERBS_OBJECT_DEVICE;
	cmd.hdr.method_id = UVERBS_METHOD_GET_CONTEXT;
	cmd.hdr.driver_id = driver_id;

	if (copy_to_user(scratch + HYVH_SCRATCH_CMD, &cmd, cmd.hdr.length))
		return -EFAULT;
	ret = uctx->file->f_op->unlocked_ioctl(uctx->file, RDMA_VERBS_IOCTL,
					       (unsigned long)scratch +
					       HYVH_SCRATCH_CMD);
	if (ret < 0)
		return ret;

	if (out_room) {
		if (copy_from_user(call->udata_out, out, out_room))
			return -EFAULT;
		call->udata_out_len = out_room;
	}
	/*
	 * The callee expects ib_uverbs's lock against disassociation, which is
	 * out of reach here and not needed: clients of ib_core are removed
	 * latest first, so an HCA leaves this module, which ends all contexts,
	 * before it leaves ib_uverbs, of which this module uses symbols.
	 */
	lockdep_off();
	uctx->ib = ib_uverbs_get_ucontext_file(uctx->file->private_data);
	lockdep_on();
	return PTR_ERR_OR_ZERO(uctx->ib);
}

/**
 * hyvh_uctx_open() - open the HCA once more and allocate a user context
 * @uctx: filled in
 * @path: the HCA's uverbs device
 * @cred: credentials of a process that was allowed to open it
 * @driver_id: enum rdma_driver_id of the HCA
 * @owner: task that the resource tracker is to show
 * @scratch: memory of the caller, HYVH_SCRATCH_SIZE bytes
 * @call: the guest's request, for its private data; or NULL
 *
 * GET_CONTEXT goes through the file's ioctl, which takes no file descriptor,
 * unlike its old form through write().
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0; -EINVAL if the HCA has another driver; or another negative errno.
 */
int hyvh_uctx_open(struct hyvh_uctx *uctx, const struct path *path,
		   const struct cred *cred, u32 driver_id,
		   struct task_struct *owner, void __user *scratch,
		   struct hyvh_call *call)
{
	int ret;

	uctx->placeholder = kzalloc(sizeof(*uctx->placeholder),
				    GFP_KERNEL_ACCOUNT);
	if (!uctx->placeholder)
		return -ENOMEM;

	uctx->file = dentry_open(path, O_RDWR | O_CLOEXEC, cred);
	if (IS_ERR(uctx->file)) {
		ret = PTR_ERR(uctx->file);
		goto err_placeholder;
	}
	/* The node may have been given to another device since. */
	if (!hyvh_uctx_is_uverbs(uctx->file)) {
		ret = -ENODEV;
		goto err_file;
	}
	ret = hyvh_uctx_get_context(uctx, driver_id, scratch, call);
	if (ret)
		goto err_file;

	uctx->placeholder->uobject.context = uctx->ib;
	uctx->placeholder->uobject.ufile = uctx->file->private_data;
	uctx->opener = hyvh_restrack_adopt(&uctx->ib->res, owner);
	return 0;

err_file:
	fput(uctx->file);
err_placeholder:
	kfree(uctx->placeholder);
	return ret;
}

/**
 * hyvh_uctx_close() - give a user context up
 * @uctx: an open one without objects and mappings
 *
 * The file is closed when the last reference goes, at the latest when the
 * caller returns to user space, or in a kernel thread by flush_delayed_fput().
 *
 * Context: Process context. May sleep.
 */
void hyvh_uctx_close(struct hyvh_uctx *uctx)
{
	fput(uctx->file);
	put_task_struct(uctx->opener);
	kfree(uctx->placeholder);
}

/**
 * hyvh_uctx_uobject() - what objects of the context set as their uobject
 * @uctx: an open one
 *
 * Return: the placeholder; valid until hyvh_uctx_close().
 */
struct ib_uobject *hyvh_uctx_uobject(struct hyvh_uctx *uctx)
{
	return &uctx->placeholder->uobject;
}

/**
 * hyvh_restrack_adopt() - show another owner of a tracked resource
 * @res: a resource that was added under the calling task
 * @owner: task to show instead
 *
 * Requests run on any thread of the VMM, but administrators look for its
 * process. A netlink dump may be reading the old task at this moment, so that
 * its reference has to be kept until the resource is gone.
 *
 * Return: the old task; the caller puts it when @res is gone.
 */
struct task_struct *hyvh_restrack_adopt(struct rdma_restrack_entry *res,
					struct task_struct *owner)
{
	return xchg(&res->task, get_task_struct(owner));
}

/**
 * hyvh_restrack_own() - prepare the entry of a user resource
 * @res: entry of a new object
 * @type: its type
 * @owner: task to show
 */
void hyvh_restrack_own(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type, struct task_struct *owner)
{
	struct rdma_restrack_entry parent = { .user = true, .task = owner };

	rdma_restrack_new(res, type);
	rdma_restrack_parent_name(res, &parent);
}

/**
 * hyvh_udata_none() - make a bundle without private data
 * @bundle: filled in
 * @uctx: context that the verb is called in
 */
void hyvh_udata_none(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx)
{
	memset(bundle, 0, sizeof(*bundle));
	bundle->ufile = uctx->file->private_data;
	bundle->context = uctx->ib;
}

/**
 * hyvh_udata_begin() - make a bundle with a request's private data
 * @bundle: filled in
 * @uctx: context that the verb is called in
 * @scratch: memory of the caller, HYVH_SCRATCH_SIZE bytes
 * @call: the request
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0 or -EFAULT.
 */
int hyvh_udata_begin(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx,
		     void __user *scratch, const struct hyvh_call *call)
{
	struct ib_udata *udata = &bundle->driver_udata;

	hyvh_udata_none(bundle, uctx);
	if (call->udata_in_len) {
		udata->inbuf = scratch + HYVH_SCRATCH_UDATA_IN;
		udata->inlen = call->udata_in_len;
		if (copy_to_user((void __user *)udata->inbuf, call->udata_in,
				 call->udata_in_len))
			return -EFAULT;
	}
	if (call->udata_out_room) {
		udata->outbuf = scratch + HYVH_SCRATCH_UDATA_OUT;
		udata->outlen = call->udata_out_room;
		if (clear_user(udata->outbuf, udata->outlen))
			return -EFAULT;
	}
	return 0;
}

/**
 * hyvh_udata_end() - take the driver's private data into the reply
 * @bundle: as given to the verb
 * @call: the request
 *
 * Context: As hyvh_udata_begin().
 * Return: 0 or -EFAULT.
 */
int hyvh_udata_end(struct uverbs_attr_bundle *bundle, struct hyvh_call *call)
{
	struct ib_udata *udata = &bundle->driver_udata;

	if (!call->udata_out_room)
		return 0;
	if (copy_from_user(call->udata_out, udata->outbuf, udata->outlen))
		return -EFAULT;
	call->udata_out_len = udata->outlen;
	return 0;
}
