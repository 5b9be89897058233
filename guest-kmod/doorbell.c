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

#include "cmd.h"
#include "hyv_dev.h"
#include "shared_bits.h"

#define HYV_DB_MIN_SLOTS	64
#define HYV_DB_MAX_SLOTS	65536
#define HYV_DB_WORD_BITS	64

/* Arming: how long to spin, then the least and most time to sleep at once. */
#define HYV_ARM_SPIN_NS		(50 * NSEC_PER_USEC)
#define HYV_ARM_SLEEP_MIN_US	20
#define HYV_ARM_SLEEP_MAX_US	2000

static bool hyv_db_slots_valid(u32 slots)
{
	return is_power_of_2(slots) && slots >= HYV_DB_MIN_SLOTS &&
	       slots <= HYV_DB_MAX_SLOTS;
}

static struct hyv_db_bitmap hyv_db_bitmap(struct hyv_db *db, size_t offset,
					  u32 slots)
{
	struct hyv_db_bitmap map = { .summary = db->area + offset };

	map.bits = map.summary + (HYV_DB_BITMAP_WORDS(slots) -
				  slots / HYV_DB_WORD_BITS) * sizeof(__le64);
	return map;
}

/**
 * hyv_db_init() - allocate the doorbell area
 * @hdev: device that offers HYV_F_DOORBELL_AREA
 * @qp_slots: send doorbells
 * @cq_slots: arming slots
 *
 * Return: 0, -EINVAL if the numbers are out of range, -ENOMEM.
 */
int hyv_db_init(struct hyv_dev *hdev, u32 qp_slots, u32 cq_slots)
{
	struct hyv_db *db = &hdev->db;

	if (!hyv_db_slots_valid(qp_slots) || !hyv_db_slots_valid(cq_slots)) {
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
	db->send = hyv_db_bitmap(db, HYV_DB_SQ_OFFSET, qp_slots);
	db->arm = hyv_db_bitmap(db, HYV_DB_ARM_OFFSET(qp_slots), cq_slots);
	db->solicited =
		hyv_db_bitmap(db, HYV_DB_SOLICITED_OFFSET(qp_slots, cq_slots),
			      cq_slots);
	return 0;
}

/**
 * hyv_db_start() - hand the doorbell area to the host
 * @hdev: device whose control queue works
 *
 * Return: 0 or a negative errno. In both cases the area may be freed only
 * after the device has been reset.
 */
int hyv_db_start(struct hyv_dev *hdev)
{
	struct hyv_db *db = &hdev->db;

	return hyv_cmd_setup_doorbells(hdev, virt_to_phys(db->area), db->size);
}

/**
 * hyv_db_uninit() - free the doorbell area
 * @hdev: device which has been reset, or not been started
 */
void hyv_db_uninit(struct hyv_dev *hdev)
{
	struct hyv_db *db = &hdev->db;

	if (db->area)
		free_pages_exact(db->area, db->size);
	db->area = NULL;
}

/* Set a bit and see to it that the host looks. */
static void hyv_db_set(struct hyv_dev *hdev, struct hyv_db_bitmap *map,
		       u32 slot)
{
	const struct hyv_db_hdr *hdr = hdev->db.area;

	/* A host that sees the bit must see what the provider has queued. */
	virt_wmb();
	hyv_shared_set_bit_le(slot, map->bits);
	/* A host that sees the summary bit must see the slot's bit. */
	virt_wmb();
	hyv_shared_set_bit_le(slot / HYV_DB_WORD_BITS, map->summary);
	/*
	 * Pairs with the host's barrier between asking for kicks and looking
	 * at the summary once more: it sees the bit or this sees the wish.
	 */
	virt_mb();
	if (READ_ONCE(hdr->kick_wanted) && !hyv_dev_failed(hdev))
		virtqueue_notify(hdev->db.vq);
}

/**
 * hyv_db_ring_send() - tell the host that a QP has work requests to send
 * @hdev: device with a doorbell area
 * @slot: of the QP
 *
 * Context: any.
 */
void hyv_db_ring_send(struct hyv_dev *hdev, u32 slot)
{
	hyv_db_set(hdev, &hdev->db.send, slot);
}

/* Wait until the host has taken an arming bit, which means that it has armed. */
static int hyv_db_wait_taken(struct hyv_dev *hdev, struct hyv_db_bitmap *map,
			     u32 slot)
{
	unsigned long deadline = jiffies + HYV_CMD_TIMEOUT;
	u64 spin_end = ktime_get_ns() + HYV_ARM_SPIN_NS;
	unsigned long us = HYV_ARM_SLEEP_MIN_US;

	while (test_bit_le(slot, map->bits)) {
		if (ktime_get_ns() < spin_end) {
			cpu_relax();
			continue;
		}
		if (hyv_dev_failed(hdev))
			return -EIO;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, deadline))
			return -ETIMEDOUT;
		usleep_range(us, 2 * us);
		us = min_t(unsigned long, 2 * us, HYV_ARM_SLEEP_MAX_US);
	}
	/* What the caller reads of the CQ from now on is read after arming. */
	virt_mb();
	return 0;
}

/**
 * hyv_db_arm_cq() - arm a CQ and wait until it is armed
 * @hdev: device with a doorbell area
 * @slot: of the CQ
 * @solicited: for the next solicited completion only
 *
 * Context: may sleep. One caller per CQ at a time.
 * Return: 0; -EIO if the device has failed, -EINTR if the caller was killed,
 * -ETIMEDOUT.
 */
int hyv_db_arm_cq(struct hyv_dev *hdev, u32 slot, bool solicited)
{
	struct hyv_db_bitmap *map = solicited ? &hdev->db.solicited :
						&hdev->db.arm;
	int ret;

	/*
	 * A caller that was killed has left its bit. When the host clears that
	 * one it may have armed long before, or even another CQ which had the
	 * slot, so that would not tell if it has armed this CQ from now on.
	 */
	ret = hyv_db_wait_taken(hdev, map, slot);
	if (ret)
		return ret;
	hyv_db_set(hdev, map, slot);
	return hyv_db_wait_taken(hdev, map, slot);
}
