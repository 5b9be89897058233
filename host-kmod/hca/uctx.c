// SPDX-License-Identifier: GPL-2.0-only
/*
 * User contexts of the HCA, and what its driver expects of them.
 *
 * The driver reads and writes provider data in user memory, finds the ucontext
 * through the attribute bundle that contains the provider data, and tells user
 * objects from kernel objects by their uobject and their entry in the resource
 * tracker. For its own callers ib_uverbs provides all this; here it is done for
 * guests.
 */
#include <linux/cdev.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <rdma/ib_marshall.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <compat/ib_private.h>

#include "command/dispatch.h"
#include "hca/hca.h"
#include "hca/provider_rules.h"
#include "hca/uctx.h"

/*
 * Only ib_uverbs can create real uobjects. But the netlink dump of the resource
 * tracker follows ib_pd.uobject and ib_cq.uobject to the ucontext without a
 * check for NULL. It reads only context and ufile at the start of struct
 * ib_uobject, which is at the start of the private struct ib_ucq_object. The
 * zeroed tail is large enough for the rest of that structure (contract.c checks
 * it). All objects of a context share one placeholder.
 */
struct hyvh_placeholder {
	union {
		struct ib_uobject uobject;
		u8 room[HYVH_PLACEHOLDER_SIZE];
	};
};

/*
 * ib_core removes its clients in the reverse order of their registration, and
 * hyv.ko must come before ib_uverbs in that. So it must be loaded after
 * ib_uverbs, which a reference to one of its symbols ensures. It is one that
 * ib_uverbs has on all kernels.
 */
static void * const hyvh_uverbs_anchor __used = ib_copy_ah_attr_to_user;

/*
 * Closes files of the HCA in kernel threads, because only those can close a
 * file at once. Its work items wait for nothing but the HCA's driver.
 */
static struct workqueue_struct *hyvh_uctx_wq;

int hyvh_uctx_register(void)
{
	hyvh_uctx_wq = alloc_workqueue("hyv-uctx", WQ_UNBOUND, 0);
	return hyvh_uctx_wq ? 0 : -ENOMEM;
}

/* No ucontext exists. */
void hyvh_uctx_unregister(void)
{
	destroy_workqueue(hyvh_uctx_wq);
}

/*
 * Check that a file is the uverbs device of an HCA. Its file operations are not
 * exported, but their owner is ib_uverbs, whose only character devices are
 * these.
 */
bool hyvh_uctx_is_uverbs(struct file *file)
{
	struct module *owner = file->f_op->owner;

	return S_ISCHR(file_inode(file)->i_mode) && file->f_op->mmap &&
	       file->f_op->unlocked_ioctl && owner &&
	       !strcmp(module_name(owner), "ib_uverbs");
}

static struct device_attribute *hyvh_device_attr(struct device *dev,
						 const char *name)
{
	const struct attribute_group **group = dev->groups;
	struct attribute **attr;

	for (; group && *group; group++)
		for (attr = (*group)->attrs; attr && *attr; attr++)
			if (!strcmp((*attr)->name, name))
				return container_of(*attr,
						    struct device_attribute,
						    attr);
	return NULL;
}

/**
 * hyvh_uctx_hca_name() - find the HCA of a uverbs device
 * @file: an open file for which hyvh_uctx_is_uverbs() is true
 * @name: set to the name of the HCA, IB_DEVICE_NAME_MAX bytes
 *
 * ib_uverbs exports no function for this, so it reads what is the attribute
 * "ibdev" of the device in sysfs, as user space would. The HCA may be renamed
 * or removed at any time.
 *
 * Context: Process context. May sleep.
 * Return: 0, -ENODEV if the HCA was removed, or -ENOMEM.
 */
int hyvh_uctx_hca_name(struct file *file, char *name)
{
	struct cdev *cdev = file_inode(file)->i_cdev;
	struct device_attribute *attr;
	struct device *dev;
	int ret = -ENODEV;
	char *page;

	if (!cdev || !cdev->kobj.parent)
		return -ENODEV;
	dev = kobj_to_dev(cdev->kobj.parent);
	attr = hyvh_device_attr(dev, "ibdev");
	if (!attr || !attr->show)
		return -ENODEV;

	page = (char *)__get_free_page(GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	if (attr->show(dev, attr, page) > 0) {
		strscpy(name, strim(page), IB_DEVICE_NAME_MAX);
		ret = 0;
	}
	free_page((unsigned long)page);
	return ret;
}

/**
 * hyvh_udata_in() - pass provider data of a request to the HCA's driver
 * @udata: filled in; zeroed by the caller
 * @cmd: the request
 *
 * Copies the data to the scratch memory, as far as a guest may ask for it, and clears
 * room for that of the reply.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0, -EFAULT, or an error of hyvh_provider_filter().
 */
int hyvh_udata_in(struct ib_udata *udata, const struct hyvh_cmd *cmd)
{
	void __user *in = cmd->scratch + HYVH_SCRATCH_UDATA_IN;
	void __user *out = cmd->scratch + HYVH_SCRATCH_UDATA_OUT;
	int ret;

	ret = hyvh_provider_filter(cmd->ibdev->ops.driver_id, cmd->op->opcode,
				   cmd->udata_in, cmd->udata_in_len);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "provider data not allowed");
	if (cmd->udata_in_len) {
		if (copy_to_user(in, cmd->udata_in, cmd->udata_in_len))
			return -EFAULT;
		udata->inbuf = in;
		udata->inlen = cmd->udata_in_len;
	}
	if (cmd->udata_out_room) {
		if (clear_user(out, cmd->udata_out_room))
			return -EFAULT;
		udata->outbuf = out;
		udata->outlen = cmd->udata_out_room;
	}
	return 0;
}

/* Copy the driver's provider data to the reply. Returns 0 or -EFAULT. */
int hyvh_udata_out(struct hyvh_cmd *cmd)
{
	if (!cmd->udata_out_room)
		return 0;
	if (copy_from_user(cmd->udata_out,
			   cmd->scratch + HYVH_SCRATCH_UDATA_OUT,
			   cmd->udata_out_room))
		return -EFAULT;
	cmd->udata_out_len = cmd->udata_out_room;
	return 0;
}

/* Provider data of a context that no guest has asked for. */
static int hyvh_udata_default(struct ib_udata *udata,
			      const struct hyvh_hca_driver *driver,
			      void __user *scratch)
{
	void __user *in = scratch + HYVH_SCRATCH_UDATA_IN;

	if (!driver->context_request)
		return 0;
	if (copy_to_user(in, driver->context_request,
			 driver->context_request_len))
		return -EFAULT;
	udata->inbuf = in;
	udata->inlen = driver->context_request_len;
	return 0;
}

static int hyvh_uctx_get_context(struct hyvh_uctx *uctx,
				 const struct hyvh_hca_driver *driver,
				 void __user *scratch, struct hyvh_cmd *cmd)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[2];
	} arg = {};
	struct ib_uverbs_attr *attr = arg.attr;
	struct ib_udata udata = {};
	long ret;

	ret = cmd ? hyvh_udata_in(&udata, cmd) :
		    hyvh_udata_default(&udata, driver, scratch);
	if (ret)
		return ret;
	if (udata.inlen) {
		attr->attr_id = UVERBS_ATTR_UHW_IN;
		attr->len = udata.inlen;
		/* Up to 8 bytes are passed in place of their address. */
		if (cmd && udata.inlen <= sizeof(attr->data))
			memcpy(&attr->data, cmd->udata_in, udata.inlen);
		else
			attr->data = (uintptr_t)udata.inbuf;
		attr++;
	}
	if (udata.outlen) {
		attr->attr_id = UVERBS_ATTR_UHW_OUT;
		attr->len = udata.outlen;
		attr->data = (uintptr_t)udata.outbuf;
		attr++;
	}
	arg.hdr.num_attrs = attr - arg.attr;
	arg.hdr.length = struct_size(&arg.hdr, attrs, arg.hdr.num_attrs);
	arg.hdr.object_id = UVERBS_OBJECT_DEVICE;
	arg.hdr.method_id = UVERBS_METHOD_GET_CONTEXT;
	arg.hdr.driver_id = driver->driver_id;

	if (copy_to_user(scratch + HYVH_SCRATCH_CMD, &arg, arg.hdr.length))
		return -EFAULT;
	ret = uctx->file->f_op->unlocked_ioctl(uctx->file, RDMA_VERBS_IOCTL,
					       (unsigned long)scratch +
					       HYVH_SCRATCH_CMD);
	if (ret < 0)
		return ret;
	/*
	 * The callee expects ib_uverbs's lock against disassociation, which is
	 * out of reach and not needed here. ib_core removes its clients in
	 * reverse order of registration. ib_uverbs came before this module,
	 * which uses its symbols. So an HCA is removed from this module, which
	 * ends all contexts, before it is removed from ib_uverbs.
	 */
	lockdep_off();
	uctx->ib = ib_uverbs_get_ucontext_file(uctx->file->private_data);
	lockdep_on();
	return PTR_ERR_OR_ZERO(uctx->ib);
}

/*
 * Open the HCA with the rights of @cred. dentry_open() does not look at the
 * permissions of the device, nor at the device cgroup of the caller.
 */
static struct file *hyvh_uctx_open_file(const struct path *path,
					const struct cred *cred)
{
	const struct cred *old;
	int ret;

	old = override_creds(cred);
	ret = path_permission(path, MAY_OPEN | MAY_READ | MAY_WRITE);
	revert_creds(old);
	if (ret)
		return ERR_PTR(ret);
	return dentry_open(path, O_RDWR | O_CLOEXEC, cred);
}

struct hyvh_uctx_closing {
	struct work_struct work;
	struct file *file;
};

static void hyvh_uctx_closing_run(struct work_struct *work)
{
	__fput_sync(container_of(work, struct hyvh_uctx_closing, work)->file);
}

/*
 * Close the HCA at once: the removal of the HCA waits for that. In a process, fput() does
 * not close a file before it returns to user space.
 */
static void hyvh_uctx_close_file(struct file *file)
{
	struct hyvh_uctx_closing closing = { .file = file };

	if (current->flags & PF_KTHREAD) {
		__fput_sync(file);
		return;
	}
	INIT_WORK_ONSTACK(&closing.work, hyvh_uctx_closing_run);
	queue_work(hyvh_uctx_wq, &closing.work);
	flush_work(&closing.work);
	destroy_work_on_stack(&closing.work);
}

/**
 * hyvh_uctx_open() - open the HCA and allocate a ucontext
 * @uctx: filled in
 * @path: uverbs device of the HCA
 * @cred: credentials of a process that was allowed to open it
 * @driver: the HCA's driver
 * @owner: task shown by the resource tracker
 * @scratch: VMM memory, HYVH_SCRATCH_SIZE bytes
 * @cmd: the guest's request with provider data, or NULL
 *
 * The caller calls hyvh_udata_out(). Sends GET_CONTEXT through the file's ioctl,
 * because the older form, write(2), would need a file descriptor for events.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EINVAL if the HCA has another driver; or another negative errno.
 */
int hyvh_uctx_open(struct hyvh_uctx *uctx, const struct path *path,
		   const struct cred *cred,
		   const struct hyvh_hca_driver *driver,
		   struct task_struct *owner, void __user *scratch,
		   struct hyvh_cmd *cmd)
{
	int ret;

	uctx->placeholder = kzalloc(sizeof(*uctx->placeholder),
				    GFP_KERNEL_ACCOUNT);
	if (!uctx->placeholder)
		return -ENOMEM;

	uctx->file = hyvh_uctx_open_file(path, cred);
	if (IS_ERR(uctx->file)) {
		ret = PTR_ERR(uctx->file);
		goto err_placeholder;
	}
	/* The device number may belong to another device by now. */
	if (!hyvh_uctx_is_uverbs(uctx->file)) {
		ret = -ENODEV;
		goto err_file;
	}
	ret = hyvh_uctx_get_context(uctx, driver, scratch, cmd);
	if (ret)
		goto err_file;

	uctx->placeholder->uobject.context = uctx->ib;
	uctx->placeholder->uobject.ufile = uctx->file->private_data;
	uctx->opener = hyvh_restrack_adopt(&uctx->ib->res, owner);
	return 0;

err_file:
	hyvh_uctx_close_file(uctx->file);
err_placeholder:
	kfree(uctx->placeholder);
	return ret;
}

/**
 * hyvh_uctx_close() - free a ucontext
 * @uctx: without objects and mappings
 *
 * After return its file is closed, so that the removal of the HCA does not wait
 * for it.
 *
 * Context: Process context. May sleep.
 */
void hyvh_uctx_close(struct hyvh_uctx *uctx)
{
	hyvh_uctx_close_file(uctx->file);
	/* The ucontext is gone, so nothing reads its old owner any longer. */
	put_task_struct(uctx->opener);
	kfree(uctx->placeholder);
}

/* The uobject for objects of the context; valid until hyvh_uctx_close(). */
struct ib_uobject *hyvh_uctx_uobject(struct hyvh_uctx *uctx)
{
	return &uctx->placeholder->uobject;
}

/**
 * hyvh_restrack_adopt() - show another owner of a tracked resource
 * @res: a resource that was added by the calling task
 * @owner: task to show instead
 *
 * Requests run on any thread of the VMM, but administrators look for its
 * process. A netlink dump may be reading the old task, so the reference to it
 * must be kept until the resource is gone.
 *
 * Return: the old task; the caller releases it after @res.
 */
struct task_struct *hyvh_restrack_adopt(struct rdma_restrack_entry *res,
					struct task_struct *owner)
{
	return xchg(&res->task, get_task_struct(owner));
}

/* Prepare the tracker's entry of a new user resource. */
void hyvh_restrack_own(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type, struct task_struct *owner)
{
	struct rdma_restrack_entry parent = { .user = true, .task = owner };

	rdma_restrack_new(res, type);
	rdma_restrack_parent_name(res, &parent);
}

/* Fill in a bundle without provider data, for verbs in @uctx. */
void hyvh_udata_none(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx)
{
	memset(bundle, 0, sizeof(*bundle));
	bundle->ufile = uctx->file->private_data;
	bundle->context = uctx->ib;
}

/* The same with provider data of a request, see hyvh_udata_in(). */
int hyvh_udata_begin(struct uverbs_attr_bundle *bundle, struct hyvh_uctx *uctx,
		     const struct hyvh_cmd *cmd)
{
	hyvh_udata_none(bundle, uctx);
	return hyvh_udata_in(&bundle->driver_udata, cmd);
}
