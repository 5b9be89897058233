/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's side of an event virtqueue: a split ring in the memory of
 * current->mm whose buffers the device writes.
 *
 * The functions take no lock; the caller lets one thread at a time use a ring.
 * They may fault and sleep. The ring's content is the guest's and hostile: it
 * is read once, and nothing worse than a broken ring can come of it.
 */
#ifndef HYVH_VRING_H
#define HYVH_VRING_H

#include <linux/types.h>
#include <linux/virtio_ring.h>

/* A split virtqueue has at most this many entries. */
#define HYVH_VRING_MAX_NUM	32768

/**
 * struct hyvh_vring - state of the device's side
 * @desc: descriptor table
 * @avail: available ring
 * @used: used ring
 * @num: entries
 * @last_avail: index of the available ring to take next
 * @used_idx: index of the used ring to fill next
 * @signalled: @used_idx when hyvh_vring_need_interrupt() was last asked
 * @signalled_valid: @signalled means something
 * @event_idx: VIRTIO_RING_F_EVENT_IDX was negotiated
 * @broken: the driver broke the rules; the ring is unusable until it is set
 *	up anew
 */
struct hyvh_vring {
	struct vring_desc __user *desc;
	struct vring_avail __user *avail;
	struct vring_used __user *used;
	u32 num;
	u16 last_avail;
	u16 used_idx;
	u16 signalled;
	bool signalled_valid;
	bool event_idx;
	bool broken;
};

/**
 * typedef hyvh_vring_to_hva_fn - find guest memory in current->mm
 * @arg: the caller's
 * @gpa: guest-physical address
 * @len: bytes, which must be contiguous
 * @hva: where to put the address
 *
 * Return: 0, or -EFAULT when it is not guest memory.
 */
typedef int (*hyvh_vring_to_hva_fn)(void *arg, u64 gpa, u64 len, u64 *hva);

int hyvh_vring_init(struct hyvh_vring *vr, u32 num, u64 desc, u64 avail,
		    u64 used, u16 last_avail, bool event_idx);
int hyvh_vring_ready(struct hyvh_vring *vr);
int hyvh_vring_push(struct hyvh_vring *vr, hyvh_vring_to_hva_fn to_hva, void *arg,
		    const void *data, u32 len);
int hyvh_vring_need_interrupt(struct hyvh_vring *vr);

#endif /* HYVH_VRING_H */
