/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's side of an event virtqueue: a split ring in the memory of
 * current->mm whose buffers the device writes.
 *
 * The functions run in process context, may fault and sleep, and take no lock:
 * the caller serialises them. The content of the ring is untrusted. Each value
 * is read once, and an invalid one breaks the ring, nothing else.
 */
#ifndef HYVH_VRING_H
#define HYVH_VRING_H

#include <linux/types.h>
#include <linux/virtio_ring.h>

/* A split virtqueue has at most this many entries. */
#define HYVH_VRING_MAX_NUM	32768

struct hyvh_vring {
	struct vring_desc __user *desc;
	struct vring_avail __user *avail;
	struct vring_used __user *used;
	u32 num;	/* entries */
	u16 last_avail;	/* next index to take from the available ring */
	u16 used_idx;	/* next index to fill in the used ring */
	u16 signalled;	/* used_idx when hyvh_vring_need_interrupt() last ran */
	bool signalled_valid;
	bool event_idx;	/* VIRTIO_RING_F_EVENT_IDX was negotiated */
	/* The driver broke the rules; unusable until hyvh_vring_init(). */
	bool broken;
};

/*
 * Translates @len bytes at @gpa to contiguous user memory of current->mm at
 * @hva. Returns 0, or -EFAULT if they are not guest memory.
 */
typedef int (*hyvh_vring_to_hva_fn)(void *arg, u64 gpa, u64 len, u64 *hva);

int hyvh_vring_init(struct hyvh_vring *vr, u32 num, u64 desc, u64 avail,
		    u64 used, u16 last_avail, bool event_idx);
int hyvh_vring_ready(struct hyvh_vring *vr);
int hyvh_vring_push(struct hyvh_vring *vr, hyvh_vring_to_hva_fn to_hva,
		    void *arg, const void *data, u32 len);
int hyvh_vring_need_interrupt(struct hyvh_vring *vr);

#endif /* HYVH_VRING_H */
