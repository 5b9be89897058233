// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's side of an event virtqueue.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
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

static int hyvh_vring_break(struct hyvh_vring *vr)
{
	vr->broken = true;
	return -EINVAL;
}

static int hyvh_vring_fault(struct hyvh_vring *vr, const void __user *addr,
			    u64 len)
{
	vr->fault_addr = (uintptr_t)addr;
	vr->fault_len = len;
	return -EFAULT;
}

static int hyvh_vring_get16(struct hyvh_vring *vr, u16 *val,
			    const __virtio16 __user *addr)
{
	__virtio16 raw;

	if (get_user(raw, addr))
		return hyvh_vring_fault(vr, addr, sizeof(*addr));
	*val = hyvh_vring_to_cpu16(raw);
	return 0;
}

static int hyvh_vring_put16(struct hyvh_vring *vr, u16 val,
			    __virtio16 __user *addr)
{
	if (put_user(hyvh_cpu_to_vring16(val), addr))
		return hyvh_vring_fault(vr, addr, sizeof(*addr));
	return 0;
}

static int hyvh_vring_read(struct hyvh_vring *vr, void *dst,
			   const void __user *src, u64 len)
{
	if (copy_from_user(dst, src, len))
		return hyvh_vring_fault(vr, src, len);
	return 0;
}

static int hyvh_vring_write(struct hyvh_vring *vr, void __user *dst,
			    const void *src, u64 len)
{
	if (copy_to_user(dst, src, len))
		return hyvh_vring_fault(vr, dst, len);
	return 0;
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
 * Context: Process context. May fault and sleep.
 * Return: 0, %-EINVAL if @num or an alignment is invalid, or %-EFAULT if an
 * address is not mapped user memory.
 */
int hyvh_vring_init(struct hyvh_vring *vr, u32 num, u64 desc, u64 avail,
		    u64 used, u16 last_avail, bool event_idx)
{
	if (num > HYVH_VRING_MAX_NUM || !is_power_of_2(num) ||
	    !IS_ALIGNED(desc, VRING_DESC_ALIGN_SIZE) ||
	    !IS_ALIGNED(avail, VRING_AVAIL_ALIGN_SIZE) ||
	    !IS_ALIGNED(used, VRING_USED_ALIGN_SIZE))
		return -EINVAL;

	memset(vr, 0, sizeof(*vr));
	vr->num = num;
	vr->last_avail = last_avail;
	vr->event_idx = event_idx;
	if (!hyvh_vring_part_ok(desc, hyvh_vring_desc_bytes(num)) ||
	    !hyvh_vring_part_ok(avail, hyvh_vring_avail_bytes(num)) ||
	    !hyvh_vring_part_ok(used, hyvh_vring_used_bytes(num)))
		return -EFAULT;
	vr->desc = u64_to_user_ptr(desc);
	vr->avail = u64_to_user_ptr(avail);
	vr->used = u64_to_user_ptr(used);

	return hyvh_vring_get16(vr, &vr->used_idx, &vr->used->idx) ?:
	       hyvh_vring_put16(vr, 0, &vr->used->flags);
}

/* Returns 0 if the driver has added a buffer, or -ENOBUFS. */
static int hyvh_vring_avail(struct hyvh_vring *vr)
{
	u16 idx, n;
	int ret;

	ret = hyvh_vring_get16(vr, &idx, &vr->avail->idx);
	if (ret)
		return ret;
	n = idx - vr->last_avail;
	if (n > vr->num)
		return hyvh_vring_break(vr);
	return n ? 0 : -ENOBUFS;
}

/* The same; if there is no buffer, the driver kicks when it adds one. */
static int hyvh_vring_ready(struct hyvh_vring *vr)
{
	int ret = hyvh_vring_avail(vr);

	/* Without an event index, the driver always kicks. */
	if (ret != -ENOBUFS || !vr->event_idx)
		return ret;

	ret = hyvh_vring_put16(vr, vr->last_avail, hyvh_vring_avail_event(vr));
	if (ret)
		return ret;
	/*
	 * Either the driver sees the event index after it has added a buffer,
	 * or the buffer is seen here.
	 */
	smp_mb();
	return hyvh_vring_avail(vr);
}

/* A place in the chain of descriptors of a buffer. */
struct hyvh_vring_walk {
	hyvh_vring_to_hva_fn to_hva;
	void *arg;
	u32 left;	/* descriptors that the chain may still have */
	u32 next;	/* number of the next descriptor */
	u64 table_gpa;	/* table of indirect descriptors, if table_num */
	u32 table_num;	/* its entries; 0 in the ring's own table */
};

static int hyvh_vring_translate(struct hyvh_vring *vr,
				const struct hyvh_vring_walk *walk, u64 gpa,
				u64 len, void __user **addr, u64 *run)
{
	u64 hva;

	if (walk->to_hva(walk->arg, gpa, len, &hva, run))
		return hyvh_vring_break(vr);
	*run = min(*run, len);
	*addr = u64_to_user_ptr(hva);
	return 0;
}

/* Read a descriptor of an indirect table, which may be in several regions. */
static int hyvh_vring_read_indirect(struct hyvh_vring *vr,
				    const struct hyvh_vring_walk *walk,
				    struct vring_desc *desc)
{
	u64 gpa = walk->table_gpa + walk->next * sizeof(*desc);
	u64 done, run;

	for (done = 0; done < sizeof(*desc); done += run) {
		void __user *addr;
		int ret;

		ret = hyvh_vring_translate(vr, walk, gpa + done,
					   sizeof(*desc) - done, &addr, &run);
		if (ret)
			return ret;
		ret = hyvh_vring_read(vr, (void *)desc + done, addr, run);
		if (ret)
			return ret;
	}
	return 0;
}

static int hyvh_vring_enter_table(struct hyvh_vring *vr,
				  struct hyvh_vring_walk *walk,
				  const struct vring_desc *desc)
{
	u32 len = __virtio32_to_cpu(true, desc->len);

	if (walk->table_num || !len || len % sizeof(*desc) ||
	    desc->flags & hyvh_cpu_to_vring16(VRING_DESC_F_NEXT))
		return hyvh_vring_break(vr);
	walk->table_gpa = __virtio64_to_cpu(true, desc->addr);
	walk->table_num = len / sizeof(*desc);
	walk->next = 0;
	walk->left = vr->num;
	return 0;
}

/* Read the next descriptor that describes memory. */
static int hyvh_vring_next(struct hyvh_vring *vr, struct hyvh_vring_walk *walk,
			   struct vring_desc *desc)
{
	int ret;

	for (;;) {
		/* No chain is longer than the queue, so a loop ends here. */
		if (!walk->left-- || walk->next >= (walk->table_num ?: vr->num))
			return hyvh_vring_break(vr);
		if (walk->table_num)
			ret = hyvh_vring_read_indirect(vr, walk, desc);
		else
			ret = hyvh_vring_read(vr, desc, &vr->desc[walk->next],
					      sizeof(*desc));
		if (ret)
			return ret;
		if (!(desc->flags &
		      hyvh_cpu_to_vring16(VRING_DESC_F_INDIRECT)))
			return 0;
		ret = hyvh_vring_enter_table(vr, walk, desc);
		if (ret)
			return ret;
	}
}

/* Write data to the memory of one descriptor. Returns 0 or a negative errno. */
static int hyvh_vring_fill(struct hyvh_vring *vr,
			   const struct hyvh_vring_walk *walk, u64 gpa,
			   const void *data, u32 len)
{
	u64 done, run;

	for (done = 0; done < len; done += run) {
		void __user *addr;
		int ret;

		ret = hyvh_vring_translate(vr, walk, gpa + done, len - done,
					   &addr, &run);
		if (ret)
			return ret;
		ret = hyvh_vring_write(vr, addr, data + done, run);
		if (ret)
			return ret;
	}
	return 0;
}

/* Write data to the buffer that starts with descriptor @walk->next. */
static int hyvh_vring_scatter(struct hyvh_vring *vr,
			      struct hyvh_vring_walk *walk, const void *data,
			      u32 len)
{
	struct vring_desc desc;
	u32 done = 0, n;
	int ret;

	for (;;) {
		ret = hyvh_vring_next(vr, walk, &desc);
		if (ret)
			return ret;
		if (!(desc.flags & hyvh_cpu_to_vring16(VRING_DESC_F_WRITE)))
			return hyvh_vring_break(vr);
		n = min(len - done, __virtio32_to_cpu(true, desc.len));
		ret = hyvh_vring_fill(vr, walk,
				      __virtio64_to_cpu(true, desc.addr),
				      data + done, n);
		if (ret)
			return ret;
		done += n;
		if (done == len)
			return 0;
		if (!(desc.flags & hyvh_cpu_to_vring16(VRING_DESC_F_NEXT)))
			return hyvh_vring_break(vr);
		walk->next = hyvh_vring_to_cpu16(desc.next);
	}
}

/* Return the buffer to the driver with @len bytes in it. */
static int hyvh_vring_use(struct hyvh_vring *vr, u16 head, u32 len)
{
	struct vring_used_elem elem = {
		.id = __cpu_to_virtio32(true, head),
		.len = __cpu_to_virtio32(true, len),
	};
	int ret;

	ret = hyvh_vring_write(vr, &vr->used->ring[vr->used_idx &
						   (vr->num - 1)],
			       &elem, sizeof(elem));
	if (ret)
		return ret;
	/* Write data and entry before the index that covers them. */
	smp_wmb();
	ret = hyvh_vring_put16(vr, vr->used_idx + 1, &vr->used->idx);
	if (ret)
		return ret;
	vr->used_idx++;
	vr->last_avail++;
	return 0;
}

/**
 * hyvh_vring_push() - write data into the driver's next buffer
 * @vr: the ring
 * @to_hva: translates guest-physical addresses
 * @arg: passed to @to_hva
 * @data: data to write
 * @len: bytes at @data
 *
 * The buffer may be a chain of descriptors, and they may be indirect.
 *
 * Return: 0; %-ENOBUFS if there is no buffer; %-EFAULT if memory is not
 * present, see vring.h; or %-EINVAL if the ring is broken.
 */
int hyvh_vring_push(struct hyvh_vring *vr, hyvh_vring_to_hva_fn to_hva,
		    void *arg, const void *data, u32 len)
{
	struct hyvh_vring_walk walk = {
		.to_hva = to_hva,
		.arg = arg,
		.left = vr->num,
	};
	u16 head;
	int ret;

	if (vr->broken)
		return -EINVAL;
	ret = hyvh_vring_ready(vr);
	if (ret)
		return ret;

	/* Read the entry after the index that covers it. */
	smp_rmb();
	ret = hyvh_vring_get16(vr, &head, &vr->avail->ring[vr->last_avail &
							   (vr->num - 1)]);
	if (ret)
		return ret;
	walk.next = head;
	ret = hyvh_vring_scatter(vr, &walk, data, len);
	if (ret)
		return ret;
	return hyvh_vring_use(vr, head, len);
}

/*
 * Check, after one or more calls of hyvh_vring_push(), if the driver wants an
 * interrupt. True if that cannot be read now: drivers ignore an interrupt too
 * many.
 */
bool hyvh_vring_need_interrupt(struct hyvh_vring *vr)
{
	u16 val, old = vr->signalled;
	bool valid = vr->signalled_valid;

	/*
	 * Either the driver sees the used index after it has asked for an
	 * interrupt, or its request is seen here.
	 */
	smp_mb();
	if (!vr->event_idx) {
		if (hyvh_vring_get16(vr, &val, &vr->avail->flags))
			return true;
		return !(val & VRING_AVAIL_F_NO_INTERRUPT);
	}

	vr->signalled = vr->used_idx;
	vr->signalled_valid = true;
	if (!valid || hyvh_vring_get16(vr, &val, hyvh_vring_used_event(vr)))
		return true;
	return vring_need_event(val, vr->used_idx, old);
}
