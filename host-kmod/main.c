// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/hyv
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <uapi/linux/hyv.h>

#include "command/exec.h"
#include "hca/hca.h"
#include "admin/netlink.h"
#include "address/tenant.h"
#include "hca/uctx.h"
#include "vnic.h"

union hyvh_ioctl_arg {
	struct {
		u32 size;
		u32 flags;
	} hdr;
	struct hyv_get_info get_info;
	struct hyv_attach attach;
	struct hyv_set_limits set_limits;
	struct hyv_set_window set_window;
	struct hyv_set_mem set_mem;
	struct hyv_set_doorbell set_doorbell;
	struct hyv_set_event_queue set_event_queue;
	struct hyv_set_features set_features;
	struct hyv_get_config get_config;
	struct hyv_exec exec;
	struct hyv_reset reset;
	struct hyv_set_addressing set_addressing;
};

static int hyvh_get_info(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	struct hyv_get_info *info = &arg->get_info;

	info->out_abi_version = HYV_ABI_VERSION;
	info->out_max_mem_regions = HYVH_MAX_MEM_REGIONS;
	info->out_max_request = HYV_MAX_REQ_SIZE;
	info->out_max_reply = HYV_MAX_RSP_SIZE;
	info->out_min_scratch = HYVH_SCRATCH_SIZE;
	info->out_max_event_queues = HYV_MAX_EVENT_QUEUES;
	info->out_min_window = HYVH_MIN_WINDOW;
	return 0;
}

static int hyvh_attach(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_vnic_attach(vnic, &arg->attach);
}

static int hyvh_set_limits(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	if (arg->set_limits.reserved || arg->set_limits.reserved2)
		return -EINVAL;
	return hyvh_vnic_set_limits(vnic, &arg->set_limits);
}

static int hyvh_set_addressing(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_vgids_set(vnic, &arg->set_addressing);
}

static int hyvh_set_window(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_window_set(&vnic->window, &arg->set_window);
}

static int hyvh_set_mem(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	if (arg->set_mem.reserved)
		return -EINVAL;
	return hyvh_vnic_set_mem(vnic, &arg->set_mem);
}

static int hyvh_set_doorbell(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	if (arg->set_doorbell.poll_us > HYVH_MAX_POLL_US)
		return -EINVAL;
	WRITE_ONCE(vnic->worker.poll_us, arg->set_doorbell.poll_us);
	return hyvh_kick_set(&vnic->worker.kick, vnic,
			     arg->set_doorbell.kick_fd);
}

static int hyvh_set_event_queue(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	int ret;

	if (arg->set_event_queue.reserved)
		return -EINVAL;
	down_read(&vnic->teardown_rwsem);
	ret = hyvh_events_set_queue(vnic, &arg->set_event_queue);
	up_read(&vnic->teardown_rwsem);
	return ret;
}

static int hyvh_set_features(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_vnic_set_features(vnic, &arg->set_features);
}

static int hyvh_get_config(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_vnic_get_config(vnic, &arg->get_config);
}

static int hyvh_do_exec(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_exec(vnic, &arg->exec);
}

static int hyvh_reset(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg)
{
	return hyvh_vnic_reset(vnic);
}

/**
 * struct hyvh_ioctl_op - one ioctl
 * @size: bytes of its structure as known now
 * @min_size: bytes of its structure in the first version
 * @attached: needs an attached vNIC, and its owner
 * @setup: serialised by setup_lock
 * @handler: does it
 */
struct hyvh_ioctl_op {
	u32 size;
	u32 min_size;
	bool attached;
	bool setup;
	int (*handler)(struct hyvh_vnic *vnic, union hyvh_ioctl_arg *arg);
};

#define HYVH_IOCTL(cmd, type, last, is_attached, is_setup, fn)		\
	[_IOC_NR(cmd)] = {						\
		.size = sizeof(struct type),				\
		.min_size = offsetofend(struct type, last),		\
		.attached = is_attached,				\
		.setup = is_setup,					\
		.handler = fn,						\
	}

static const struct hyvh_ioctl_op hyvh_ioctls[] = {
	HYVH_IOCTL(HYV_GET_INFO, hyv_get_info, out_min_window, false, false,
		   hyvh_get_info),
	HYVH_IOCTL(HYV_ATTACH, hyv_attach, name, false, true, hyvh_attach),
	HYVH_IOCTL(HYV_SET_LIMITS, hyv_set_limits, max_pinned, true, true,
		   hyvh_set_limits),
	HYVH_IOCTL(HYV_SET_WINDOW, hyv_set_window, length, true, true,
		   hyvh_set_window),
	HYVH_IOCTL(HYV_SET_MEM, hyv_set_mem, regions, true, true, hyvh_set_mem),
	HYVH_IOCTL(HYV_SET_DOORBELL, hyv_set_doorbell, poll_us, true, true,
		   hyvh_set_doorbell),
	HYVH_IOCTL(HYV_SET_EVENT_QUEUE, hyv_set_event_queue, reserved, true,
		   true, hyvh_set_event_queue),
	HYVH_IOCTL(HYV_SET_FEATURES, hyv_set_features, features, true, true,
		   hyvh_set_features),
	HYVH_IOCTL(HYV_GET_CONFIG, hyv_get_config, out_features, true, true,
		   hyvh_get_config),
	HYVH_IOCTL(HYV_EXEC, hyv_exec, out_reply_len, true, false, hyvh_do_exec),
	HYVH_IOCTL(HYV_RESET, hyv_reset, flags, true, true, hyvh_reset),
	HYVH_IOCTL(HYV_SET_ADDRESSING, hyv_set_addressing, prefixes, true, true,
		   hyvh_set_addressing),
};

static int hyvh_ioctl_check(struct hyvh_vnic *vnic, const struct hyvh_ioctl_op *op)
{
	if (!op->attached)
		return 0;
	/* Pairs with smp_store_release() in hyvh_vnic_attach(). */
	if (!smp_load_acquire(&vnic->attached))
		return -ENOTCONN;
	return current->mm == vnic->mm ? 0 : -EPERM;
}

static long hyvh_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	struct hyvh_vnic *vnic = file->private_data;
	unsigned int nr = _IOC_NR(cmd);
	void __user *ubuf = (void __user *)uarg;
	const struct hyvh_ioctl_op *op;
	union hyvh_ioctl_arg arg;
	u32 size;
	int ret;

	if (nr >= ARRAY_SIZE(hyvh_ioctls) || cmd != _IO(HYV_IOCTL_TYPE, nr))
		return -ENOTTY;
	op = &hyvh_ioctls[nr];

	if (get_user(size, (u32 __user *)ubuf))
		return -EFAULT;
	if (size < op->min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	memset(&arg, 0, sizeof(arg));
	ret = copy_struct_from_user(&arg, op->size, ubuf, size);
	if (ret)
		return ret;
	if (arg.hdr.flags)
		return -EINVAL;
	ret = hyvh_ioctl_check(vnic, op);
	if (ret)
		return ret;

	if (op->setup) {
		ret = mutex_lock_killable(&vnic->setup_lock);
		if (ret)
			return ret;
	}
	ret = op->handler(vnic, &arg);
	if (op->setup)
		mutex_unlock(&vnic->setup_lock);
	if (ret)
		return ret;

	arg.hdr.size = size;
	if (copy_to_user(ubuf, &arg, min(size, op->size)))
		return -EFAULT;
	return 0;
}

static int hyvh_open(struct inode *inode, struct file *file)
{
	file->private_data = hyvh_vnic_create();
	return file->private_data ? 0 : -ENOMEM;
}

static int hyvh_release(struct inode *inode, struct file *file)
{
	hyvh_vnic_close(file->private_data);
	return 0;
}

static const struct file_operations hyvh_fops = {
	.owner = THIS_MODULE,
	.open = hyvh_open,
	.release = hyvh_release,
	.unlocked_ioctl = hyvh_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice hyvh_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "hyv",
	.fops = &hyvh_fops,
};

static int __init hyvh_init(void)
{
	int ret;

	ret = hyvh_hca_register();
	if (ret)
		return ret;
	ret = hyvh_netlink_init();
	if (ret)
		goto err_hca;
	ret = misc_register(&hyvh_misc);
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	hyvh_netlink_exit();
	hyvh_tenant_clear(&hyvh_default_tenant);
err_hca:
	hyvh_hca_unregister();
	return ret;
}
module_init(hyvh_init);

static void __exit hyvh_exit(void)
{
	misc_deregister(&hyvh_misc);
	hyvh_netlink_exit();
	hyvh_tenant_clear(&hyvh_default_tenant);
	hyvh_hca_unregister();
}
module_exit(hyvh_exit);

MODULE_DESCRIPTION("RDMA for virtual machines: host");
MODULE_LICENSE("GPL");
