/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's side of an event virtqueue: a split ring in the memory of
 * current->mm whose buffers the device writes.
 *
 * The functions take no lock: the caller serialises them. Except
 * hyvh_vring_init(), they work with page faults disabled, and then never sleep.
 * They fail with -EFAULT if memory is not present, and set @fault_addr and
 * @fault_len to it. The caller makes it present and calls again: until the
 * index of the used ring is written, a call changes nothing that the driver
 * looks at.
 *
 * The content of the ring is untrusted. Each value is used as it was read once,
 * and an invalid one breaks the ring, nothing else.
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
	u64 fault_addr;	/* memory that a call has not found present */
	u64 fault_len;
};

/*
 * Translates guest-physical addresses to user addresses of current->mm. Sets
 * @run to how many of @len bytes are contiguous from @hva on, at least 1.
 * Returns 0, or a negative errno if @gpa is not guest memory.
 */
typedef int (*hyvh_vring_to_hva_fn)(void *arg, u64 gpa, u64 len, u64 *hva,
				    u64 *run);

static inline u64 hyvh_vring_desc_bytes(u32 num)
{
	return num * sizeof(struct vring_desc);
}

/* Each of the two rings ends with an event index. */
static inline u64 hyvh_vring_avail_bytes(u32 num)
{
	return sizeof(struct vring_avail) + (num + 1) * sizeof(__virtio16);
}

static inline u64 hyvh_vring_used_bytes(u32 num)
{
	return sizeof(struct vring_used) +
	       num * sizeof(struct vring_used_elem) + sizeof(__virtio16);
}

int hyvh_vring_init(struct hyvh_vring *vr, u32 num, u64 desc, u64 avail,
		    u64 used, u16 last_avail, bool event_idx);
int hyvh_vring_push(struct hyvh_vring *vr, hyvh_vring_to_hva_fn to_hva,
		    void *arg, const void *data, u32 len);
bool hyvh_vring_need_interrupt(struct hyvh_vring *vr);

#endif /* HYVH_VRING_H */
