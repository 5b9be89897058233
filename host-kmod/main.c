// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module, /dev/hyv and its ioctls.
 */
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <hyv/ioctls.h>
#include <uapi/linux/hyv.h>

#include "address/ip_group.h"
#include "address/tenant.h"
#include "admin/netlink.h"
#include "debug.h"
#include "exec.h"
#include "hca/contract.h"
#include "hca/hca.h"
#include "hca/uctx.h"
#include "verbs/verbs.h"
#include "vnic.h"

#define HYVH_IOCTL_MEMBER(NAME, name, min_len, bits)	struct hyv_##name name;

union hyvh_ioctl_arg {
	struct {
		u32 size;
		u32 flags;
	} hdr;
	HYV_FOR_EACH_IOCTL(HYVH_IOCTL_MEMBER)
};

#define HYVH_IOCTL_ASSERT(NAME, name, min_len, bits)			\
static_assert(!offsetof(struct hyv_##name, size) &&			\
	      offsetof(struct hyv_##name, flags) == sizeof(u32) &&	\
	      (min_len) >= 2 * sizeof(u32) &&				\
	      (min_len) <= sizeof(struct hyv_##name), #NAME);
HYV_FOR_EACH_IOCTL(HYVH_IOCTL_ASSERT)

struct hyvh_ioctl_op {
	const char *name;
	u32 size;	/* bytes of the argument in this version */
	u32 min_size;	/* bytes of the argument in the first version */
	u32 flags;	/* HYV_IOCTL_* */
};

#define HYVH_IOCTL_OP(NAME, name_, min_len, bits)			\
	[_IOC_NR(HYV_##NAME)] = {					\
		.name = #NAME,						\
		.size = sizeof(struct hyv_##name_),			\
		.min_size = min_len,					\
		.flags = bits,						\
	},

static const struct hyvh_ioctl_op hyvh_ioctls[] = {
	HYV_FOR_EACH_IOCTL(HYVH_IOCTL_OP)
};

/* The numbers have no gaps. */
#define HYVH_IOCTL_BYTE(NAME, name, min_len, bits)	u8 name;
static_assert(ARRAY_SIZE(hyvh_ioctls) ==
	      sizeof(struct { HYV_FOR_EACH_IOCTL(HYVH_IOCTL_BYTE) }));

#define HYVH_IOCTL_RESERVED(NAME, name, member)				\
	{								\
		.nr = _IOC_NR(HYV_##NAME),				\
		.offset = offsetof(struct hyv_##name, member),		\
		.len = sizeof_field(struct hyv_##name, member),		\
	},

static const struct {
	unsigned int nr;
	size_t offset;
	size_t len;
} hyvh_ioctl_reserved[] = {
	HYV_FOR_EACH_IOCTL_RESERVED(HYVH_IOCTL_RESERVED)
};

static int hyvh_ioctl_get_info(struct hyvh_vnic *vnic,
			       struct hyv_get_info *arg)
{
	arg->out_abi_version = HYV_ABI_VERSION;
	arg->out_max_mem_regions = HYVH_MAX_MEM_REGIONS;
	arg->out_max_request = HYV_MAX_REQ_SIZE;
	arg->out_max_reply = HYV_MAX_RSP_SIZE;
	arg->out_min_scratch = HYVH_SCRATCH_SIZE;
	arg->out_max_event_queues = HYV_MAX_EVENT_QUEUES;
	arg->out_min_window = HYVH_MIN_WINDOW;
	return 0;
}

static int hyvh_ioctl_set_window(struct hyvh_vnic *vnic,
				 const struct hyv_set_window *arg)
{
	return hyvh_window_set(&vnic->window, arg);
}

static int hyvh_ioctl_exec(struct hyvh_vnic *vnic, struct hyv_exec *arg)
{
	return hyvh_exec(vnic, arg);
}

#define HYVH_IOCTL_CASE(NAME, name, min_len, bits)			\
	case _IOC_NR(HYV_##NAME):					\
		ret = hyvh_ioctl_##name(vnic, &arg->name);		\
		break;

static int hyvh_ioctl_run(struct hyvh_vnic *vnic, unsigned int nr,
			  union hyvh_ioctl_arg *arg)
{
	int ret = -ENOTTY;

	switch (nr) {
	HYV_FOR_EACH_IOCTL(HYVH_IOCTL_CASE)
	}
	return ret;
}

static int hyvh_ioctl_check(struct hyvh_vnic *vnic, unsigned int nr,
			    const union hyvh_ioctl_arg *arg)
{
	int i;

	if (arg->hdr.flags)
		return -EINVAL;
	if (hyvh_ioctls[nr].flags & HYV_IOCTL_OWNER) {
		/* Pairs with smp_store_release() in hyvh_ioctl_attach(). */
		if (!smp_load_acquire(&vnic->attached))
			return -ENOTCONN;
		if (!hyvh_vnic_is_owner(vnic))
			return -EPERM;
	}
	for (i = 0; i < ARRAY_SIZE(hyvh_ioctl_reserved); i++)
		if (hyvh_ioctl_reserved[i].nr == nr &&
		    memchr_inv((u8 *)arg + hyvh_ioctl_reserved[i].offset, 0,
			       hyvh_ioctl_reserved[i].len))
			return -EINVAL;
	return 0;
}

static int hyvh_ioctl_call(struct hyvh_vnic *vnic, unsigned int nr,
			   union hyvh_ioctl_arg *arg)
{
	int ret;

	ret = hyvh_ioctl_check(vnic, nr, arg);
	if (ret)
		return ret;
	if (!(hyvh_ioctls[nr].flags & HYV_IOCTL_SETUP))
		return hyvh_ioctl_run(vnic, nr, arg);

	ret = mutex_lock_killable(&vnic->setup_lock);
	if (ret)
		return ret;
	/* A reset goes on if its caller, who held the lock, is killed. */
	ret = hyvh_vnic_wait_reset(vnic);
	if (!ret)
		ret = hyvh_ioctl_run(vnic, nr, arg);
	mutex_unlock(&vnic->setup_lock);
	return ret;
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
	ret = hyvh_ioctl_call(vnic, nr, &arg);
	if (ret)
		return hyvh_refuse(vnic->id, ret, "ioctl %s", op->name);

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

static int hyvh_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hyvh_vnic *vnic = file->private_data;

	/* Pairs with smp_store_release() in hyvh_ioctl_attach(). */
	if (!smp_load_acquire(&vnic->attached))
		return -ENOTCONN;
	if (!hyvh_vnic_is_owner(vnic))
		return -EPERM;
	return hyvh_window_mmap(&vnic->window, vma);
}

static const struct file_operations hyvh_fops = {
	.owner = THIS_MODULE,
	.open = hyvh_open,
	.release = hyvh_release,
	.mmap = hyvh_mmap,
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

	ret = hyvh_contract_check();
	if (ret)
		return ret;
	hyvh_mcast_init();
	ret = hyvh_vnic_register();
	if (ret)
		return ret;
	ret = hyvh_uctx_register();
	if (ret)
		goto err_vnic;
	ret = hyvh_ip_group_register();
	if (ret)
		goto err_uctx;
	ret = hyvh_hca_register();
	if (ret)
		goto err_ip_group;
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
err_ip_group:
	hyvh_ip_group_unregister();
err_uctx:
	hyvh_uctx_unregister();
err_vnic:
	hyvh_vnic_unregister();
	return ret;
}
module_init(hyvh_init);

static void __exit hyvh_exit(void)
{
	misc_deregister(&hyvh_misc);
	hyvh_netlink_exit();
	hyvh_tenant_clear(&hyvh_default_tenant);
	hyvh_hca_unregister();
	hyvh_ip_group_unregister();
	hyvh_uctx_unregister();
	hyvh_vnic_unregister();
}
module_exit(hyvh_exit);

MODULE_DESCRIPTION("RDMA for virtual machines: host");
MODULE_LICENSE("GPL");
