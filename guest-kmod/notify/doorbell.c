// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells and CQ arming of a software HCA, through shared memory.
 *
 * include/hyv/wire.h describes the area and who writes what in which order.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/virtio.h>

#include <hyv/wire.h>

#include "command/cmd.h"
#include "dev.h"
#include "notify/shared_bits.h"

#define VHYV_DB_MIN_SLOTS	64
#define VHYV_DB_MAX_SLOTS	65536
#define VHYV_DB_WORD_BITS	64

/* Arming: how long to spin, then the least and most time to sleep at once. */
#define VHYV_ARM_SPIN_NS		(50 * NSEC_PER_USEC)
#define VHYV_ARM_SLEEP_MIN_US	20
#define VHYV_ARM_SLEEP_MAX_US	2000

static bool vhyv_db_slots_valid(u32 slots)
{
	return is_power_of_2(slots) && slots >= VHYV_DB_MIN_SLOTS &&
	       slots <= VHYV_DB_MAX_SLOTS;
}

static struct vhyv_db_bitmap vhyv_db_bitmap(struct vhyv_db *db, size_t offset,
					    u32 slots)
{
	struct vhyv_db_bitmap map = { .summary = db->area + offset };

	map.bits = map.summary + (HYV_DB_BITMAP_WORDS(slots) -
				  slots / VHYV_DB_WORD_BITS) * sizeof(__le64);
	return map;
}

/**
 * vhyv_db_init() - allocate the doorbell area
 * @hdev: device that offers HYV_F_DOORBELL_AREA
 * @qp_slots: send doorbells
 * @cq_slots: arming slots
 *
 * Return: 0, -EINVAL if the numbers are out of range, -ENOMEM.
 */
int vhyv_db_init(struct vhyv_dev *hdev, u32 qp_slots, u32 cq_slots)
{
	struct vhyv_db *db = &hdev->db;

	if (!vhyv_db_slots_valid(qp_slots) || !vhyv_db_slots_valid(cq_slots)) {
		dev_err(&hdev->vdev->dev,
			"host offers an impossible doorbell area: %u QP slots, %u CQ slots\n",
			qp_slots, cq_slots);
		return -EINVAL;
	}

	db->size = PAGE_ALIGN(HYV_DB_AREA_SIZE(qp_slots, cq_slots));
	db->area = alloc_pages_exact(db->size, GFP_KERNEL | __GFP_ZERO);
	if (!db->area)
		return -ENOMEM;
	db->qp_slots = qp_slots;
	db->cq_slots = cq_slots;
	db->send = vhyv_db_bitmap(db, HYV_DB_SQ_OFFSET, qp_slots);
	db->arm = vhyv_db_bitmap(db, HYV_DB_ARM_OFFSET(qp_slots), cq_slots);
	db->solicited =
		vhyv_db_bitmap(db, HYV_DB_SOLICITED_OFFSET(qp_slots, cq_slots),
			       cq_slots);
	return 0;
}

/**
 * vhyv_db_start() - hand the doorbell area to the host
 * @hdev: device whose control queue works
 *
 * Return: 0 or a negative errno. In both cases the area may be freed only
 * after the device has been reset.
 */
int vhyv_db_start(struct vhyv_dev *hdev)
{
	struct vhyv_db *db = &hdev->db;

	return vhyv_cmd_setup_doorbells(hdev, virt_to_phys(db->area), db->size);
}

/**
 * vhyv_db_uninit() - free the doorbell area
 * @hdev: device which has been reset, or not been started
 */
void vhyv_db_uninit(struct vhyv_dev *hdev)
{
	struct vhyv_db *db = &hdev->db;

	if (db->area)
		free_pages_exact(db->area, db->size);
	db->area = NULL;
}

/* Set a bit and see to it that the host looks. */
static void vhyv_db_set(struct vhyv_dev *hdev, struct vhyv_db_bitmap *map,
			u32 slot)
{
	const struct hyv_db_hdr *hdr = hdev->db.area;

	/* A host that sees the bit must see what the provider has queued. */
	virt_wmb();
	vhyv_shared_set_bit_le(slot, map->bits);
	/* A host that sees the summary bit must see the slot's bit. */
	virt_wmb();
	vhyv_shared_set_bit_le(slot / VHYV_DB_WORD_BITS, map->summary);
	/*
	 * Pairs with the host's barrier between asking for kicks and looking
	 * at the summary once more: it sees the bit or this sees the wish.
	 */
	virt_mb();
	if (READ_ONCE(hdr->kick_wanted) && !vhyv_dev_failed(hdev))
		virtqueue_notify(hdev->db.vq);
}

/**
 * vhyv_db_ring_send() - tell the host that a QP has work requests to send
 * @hdev: device with a doorbell area
 * @slot: of the QP
 *
 * Context: any.
 */
void vhyv_db_ring_send(struct vhyv_dev *hdev, u32 slot)
{
	vhyv_db_set(hdev, &hdev->db.send, slot);
}

/* Wait until the host has taken an arming bit, which means that it has armed. */
static int vhyv_db_wait_taken(struct vhyv_dev *hdev, struct vhyv_db_bitmap *map,
			      u32 slot)
{
	unsigned long deadline = jiffies + VHYV_CMD_TIMEOUT;
	u64 spin_end = ktime_get_ns() + VHYV_ARM_SPIN_NS;
	unsigned long us = VHYV_ARM_SLEEP_MIN_US;

	while (test_bit_le(slot, map->bits)) {
		if (ktime_get_ns() < spin_end) {
			cpu_relax();
			continue;
		}
		if (vhyv_dev_failed(hdev))
			return -EIO;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, deadline))
			return -ETIMEDOUT;
		usleep_range(us, 2 * us);
		us = min_t(unsigned long, 2 * us, VHYV_ARM_SLEEP_MAX_US);
	}
	/* What the caller reads of the CQ from now on is read after arming. */
	virt_mb();
	return 0;
}

/**
 * vhyv_db_arm_cq() - arm a CQ and wait until it is armed
 * @hdev: device with a doorbell area
 * @slot: of the CQ
 * @solicited: for the next solicited completion only
 *
 * Context: may sleep. One caller per CQ at a time.
 * Return: 0; -EIO if the device has failed, -EINTR if the caller was killed,
 * -ETIMEDOUT.
 */
int vhyv_db_arm_cq(struct vhyv_dev *hdev, u32 slot, bool solicited)
{
	struct vhyv_db_bitmap *map = solicited ? &hdev->db.solicited :
						&hdev->db.arm;
	int ret;

	/*
	 * A caller that was killed has left its bit. When the host clears that
	 * one it may have armed long before, or even another CQ which had the
	 * slot, so that would not tell if it has armed this CQ from now on.
	 */
	ret = vhyv_db_wait_taken(hdev, map, slot);
	if (ret)
		return ret;
	vhyv_db_set(hdev, map, slot);
	return vhyv_db_wait_taken(hdev, map, slot);
}
