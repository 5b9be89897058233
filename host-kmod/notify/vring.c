// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's side of an event virtqueue.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/virtio_byteorder.h>

#include "notify/vring.h"

/* VIRTIO_F_VERSION_1 is always negotiated: all is little endian. */
static u16 hyvh_vring_to_cpu16(__virtio16 val)
{
	return __virtio16_to_cpu(true, val);
}

static __virtio16 hyvh_cpu_to_vring16(u16 val)
{
	return __cpu_to_virtio16(true, val);
}

/* Index at which the driver wants an interrupt; after the ring's entries. */
static __virtio16 __user *hyvh_vring_used_event(const struct hyvh_vring *vr)
{
	return &vr->avail->ring[vr->num];
}

/* Index at which the device wants a kick; after the ring's entries. */
static __virtio16 __user *hyvh_vring_avail_event(const struct hyvh_vring *vr)
{
	return (__virtio16 __user *)&vr->used->ring[vr->num];
}

static int hyvh_vring_break(struct hyvh_vring *vr, int err)
{
	vr->broken = true;
	return err;
}

static bool hyvh_vring_part_ok(u64 addr, u64 len)
{
	return (u64)(uintptr_t)addr == addr &&
	       access_ok(u64_to_user_ptr(addr), len);
}

/**
 * hyvh_vring_init() - start to use a ring
 * @vr: the ring
 * @num: entries; must be a power of two up to HYVH_VRING_MAX_NUM
 * @desc: user address of the descriptor table
 * @avail: user address of the available ring
 * @used: user address of the used ring
 * @last_avail: first index to take from the available ring
 * @event_idx: VIRTIO_RING_F_EVENT_IDX was negotiated
 *
 * Return: 0, %-EINVAL if @num or an alignment is invalid, or %-EFAULT if an
 * address is not mapped user memory.
 */
int hyvh_vring_init(struct hyvh_vring *vr, u32 num, u64 desc, u64 avail,
		    u64 used, u16 last_avail, bool event_idx)
{
	__virtio16 idx;

	if (num > HYVH_VRING_MAX_NUM || !is_power_of_2(num) ||
	    !IS_ALIGNED(desc, VRING_DESC_ALIGN_SIZE) ||
	    !IS_ALIGNED(avail, VRING_AVAIL_ALIGN_SIZE) ||
	    !IS_ALIGNED(used, VRING_USED_ALIGN_SIZE))
		return -EINVAL;

	memset(vr, 0, sizeof(*vr));
	vr->num = num;
	vr->last_avail = last_avail;
	vr->event_idx = event_idx;
	/* Each of the two rings ends with an event index. */
	if (!hyvh_vring_part_ok(desc, num * sizeof(struct vring_desc)) ||
	    !hyvh_vring_part_ok(avail, sizeof(struct vring_avail) +
				(num + 1) * sizeof(__virtio16)) ||
	    !hyvh_vring_part_ok(used, sizeof(struct vring_used) +
				num * sizeof(struct vring_used_elem) +
				sizeof(__virtio16)))
		return -EFAULT;
	vr->desc = u64_to_user_ptr(desc);
	vr->avail = u64_to_user_ptr(avail);
	vr->used = u64_to_user_ptr(used);

	if (get_user(idx, &vr->used->idx) ||
	    put_user(hyvh_cpu_to_vring16(0), &vr->used->flags))
		return -EFAULT;
	vr->used_idx = hyvh_vring_to_cpu16(idx);
	return 0;
}

static int hyvh_vring_avail(struct hyvh_vring *vr)
{
	__virtio16 idx;
	u16 n;

	if (get_user(idx, &vr->avail->idx))
		return hyvh_vring_break(vr, -EFAULT);
	n = hyvh_vring_to_cpu16(idx) - vr->last_avail;
	if (n > vr->num)
		return hyvh_vring_break(vr, -EINVAL);
	return n ? 0 : -ENOBUFS;
}

/**
 * hyvh_vring_ready() - check for a buffer that hyvh_vring_push() can use
 * @vr: the ring
 *
 * If there is none, the driver kicks when it adds one.
 *
 * Return: 0, %-ENOBUFS if there is no buffer, or %-EINVAL or %-EFAULT if the
 * ring is broken.
 */
int hyvh_vring_ready(struct hyvh_vring *vr)
{
	int ret;

	if (vr->broken)
		return -EINVAL;
	ret = hyvh_vring_avail(vr);
	/* Without an event index, the driver always kicks. */
	if (ret != -ENOBUFS || !vr->event_idx)
		return ret;

	if (put_user(hyvh_cpu_to_vring16(vr->last_avail),
		     hyvh_vring_avail_event(vr)))
		return hyvh_vring_break(vr, -EFAULT);
	/*
	 * Either the driver sees the event index after it has added a buffer,
	 * or the buffer is seen here.
	 */
	smp_mb();
	return hyvh_vring_avail(vr);
}

/* Read the next buffer. hyvh_vring_ready() has returned 0. */
static int hyvh_vring_take(struct hyvh_vring *vr, u32 len, u16 *head, u64 *gpa)
{
	struct vring_desc desc;
	__virtio16 id, flags;
	u16 i;

	/* Read the entry after the index that covers it. */
	smp_rmb();
	if (get_user(id, &vr->avail->ring[vr->last_avail & (vr->num - 1)]))
		return -EFAULT;
	i = hyvh_vring_to_cpu16(id);
	if (i >= vr->num)
		return -EINVAL;
	if (copy_from_user(&desc, &vr->desc[i], sizeof(desc)))
		return -EFAULT;
	flags = desc.flags;
	if (!(flags & hyvh_cpu_to_vring16(VRING_DESC_F_WRITE)) ||
	    flags & hyvh_cpu_to_vring16(VRING_DESC_F_INDIRECT) ||
	    __virtio32_to_cpu(true, desc.len) < len)
		return -EINVAL;
	*head = i;
	*gpa = __virtio64_to_cpu(true, desc.addr);
	return 0;
}

/* Return the buffer to the driver with @len bytes in it. */
static int hyvh_vring_use(struct hyvh_vring *vr, u16 head, u32 len)
{
	struct vring_used_elem elem = {
		.id = __cpu_to_virtio32(true, head),
		.len = __cpu_to_virtio32(true, len),
	};

	if (copy_to_user(&vr->used->ring[vr->used_idx & (vr->num - 1)], &elem,
			 sizeof(elem)))
		return -EFAULT;
	/* Write data and entry before the index that covers them. */
	smp_wmb();
	if (put_user(hyvh_cpu_to_vring16(vr->used_idx + 1), &vr->used->idx))
		return -EFAULT;
	vr->used_idx++;
	vr->last_avail++;
	return 0;
}

/**
 * hyvh_vring_push() - write data into the driver's next buffer
 * @vr: the ring
 * @to_hva: translates the buffer's address
 * @arg: passed to @to_hva
 * @data: data to write
 * @len: bytes at @data
 *
 * Uses only the first descriptor of the buffer, which must be writable, long
 * enough, and not indirect.
 *
 * Return: 0, %-ENOBUFS if there is no buffer, or %-EINVAL or %-EFAULT if the
 * ring is broken.
 */
int hyvh_vring_push(struct hyvh_vring *vr, hyvh_vring_to_hva_fn to_hva,
		    void *arg, const void *data, u32 len)
{
	u64 gpa, hva;
	u16 head;
	int ret;

	ret = hyvh_vring_ready(vr);
	if (ret)
		return ret;

	ret = hyvh_vring_take(vr, len, &head, &gpa);
	if (ret)
		return hyvh_vring_break(vr, ret);
	if (to_hva(arg, gpa, len, &hva) ||
	    copy_to_user(u64_to_user_ptr(hva), data, len))
		return hyvh_vring_break(vr, -EFAULT);
	ret = hyvh_vring_use(vr, head, len);
	if (ret)
		return hyvh_vring_break(vr, ret);
	return 0;
}

/*
 * Check, after one or more calls of hyvh_vring_push(), if the driver wants an
 * interrupt. Returns 1, 0, or -EINVAL or -EFAULT if the ring is broken.
 */
int hyvh_vring_need_interrupt(struct hyvh_vring *vr)
{
	__virtio16 val;
	bool valid;
	u16 old;

	if (vr->broken)
		return -EINVAL;
	/*
	 * Either the driver sees the used index after it has asked for an
	 * interrupt, or its request is seen here.
	 */
	smp_mb();
	if (!vr->event_idx) {
		if (get_user(val, &vr->avail->flags))
			return hyvh_vring_break(vr, -EFAULT);
		return !(val & hyvh_cpu_to_vring16(VRING_AVAIL_F_NO_INTERRUPT));
	}

	old = vr->signalled;
	valid = vr->signalled_valid;
	vr->signalled = vr->used_idx;
	vr->signalled_valid = true;
	if (!valid)
		return 1;
	if (get_user(val, hyvh_vring_used_event(vr)))
		return hyvh_vring_break(vr, -EFAULT);
	return vring_need_event(hyvh_vring_to_cpu16(val), vr->used_idx, old);
}
