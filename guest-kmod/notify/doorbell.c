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
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/virtio.h>

#include <hyv/wire.h>

#include "command/cmd.h"
#include "command/cmdq.h"
#include "dev.h"
#include "notify/doorbell.h"
#include "trace.h"

/*
 * set_bit() is atomic only for the CPUs of this kernel: on x86 a kernel that
 * runs on one CPU drops the LOCK prefix. The host has CPUs of its own, so
 * memory that is shared with it needs sync_bitops.h, on architectures that make
 * a difference.
 */
#if defined(CONFIG_X86) || defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#include <asm/sync_bitops.h>
#else
#define sync_set_bit(nr, addr)	set_bit(nr, addr)
#endif

#define VHYV_DB_MIN_SLOTS	64
#define VHYV_DB_MAX_SLOTS	65536
#define VHYV_DB_WORD_BITS	64

/* Arming: how long to spin, then the shortest and longest sleep. */
#define VHYV_ARM_SPIN_NS	(50 * NSEC_PER_USEC)
#define VHYV_ARM_SLEEP_MIN_US	20
#define VHYV_ARM_SLEEP_MAX_US	2000

static bool vhyv_db_slots_valid(u32 slots)
{
	return is_power_of_2(slots) && slots >= VHYV_DB_MIN_SLOTS &&
	       slots <= VHYV_DB_MAX_SLOTS;
}

static void vhyv_doorbell_map_init(struct vhyv_doorbell_map *map,
				   const char *name, void *start, u32 slots)
{
	map->name = name;
	map->summary = start;
	map->bits = start + (HYV_DB_BITMAP_WORDS(slots) -
			     slots / VHYV_DB_WORD_BITS) * sizeof(__le64);
}

/*
 * Allocate the doorbell area of a device that offers HYV_F_DOORBELL_AREA.
 * Return -EINVAL if a number of slots is out of range.
 */
int vhyv_db_init(struct vhyv_dev *hdev, u32 qp_slots, u32 cq_slots)
{
	struct vhyv_db *db;

	if (!vhyv_db_slots_valid(qp_slots) || !vhyv_db_slots_valid(cq_slots)) {
		dev_err(&hdev->vdev->dev,
			"invalid doorbell area: %u QP slots and %u CQ slots, must be powers of 2 from %u to %u\n",
			qp_slots, cq_slots, VHYV_DB_MIN_SLOTS,
			VHYV_DB_MAX_SLOTS);
		return -EINVAL;
	}

	db = kzalloc(sizeof(*db), GFP_KERNEL);
	if (!db)
		return -ENOMEM;
	db->size = PAGE_ALIGN(HYV_DB_AREA_SIZE(qp_slots, cq_slots));
	db->area = alloc_pages_exact(db->size, GFP_KERNEL | __GFP_ZERO);
	if (!db->area) {
		kfree(db);
		return -ENOMEM;
	}
	db->qp_slots = qp_slots;
	db->cq_slots = cq_slots;
	vhyv_doorbell_map_init(&db->send, "send", db->area + HYV_DB_SQ_OFFSET,
			       qp_slots);
	vhyv_doorbell_map_init(&db->arm, "arm",
			       db->area + HYV_DB_ARM_OFFSET(qp_slots),
			       cq_slots);
	vhyv_doorbell_map_init(&db->solicited, "solicited",
			       db->area + HYV_DB_SOLICITED_OFFSET(qp_slots,
								  cq_slots),
			       cq_slots);
	hdev->db = db;
	return 0;
}

/*
 * Pass the doorbell area to the host, by a command. Even after an error the
 * area may only be freed once the device was reset.
 */
int vhyv_db_start(struct vhyv_dev *hdev)
{
	struct vhyv_db *db = hdev->db;
	struct vhyv_cmd *cmd;

	cmd = vhyv_cmd_new_area(hdev, VHYV_CMD_SETUP_DOORBELLS, db->area,
				db->size);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);
	return vhyv_cmd_run(cmd, false, NULL, NULL);
}

/* Free the doorbell area of a device that was reset or has not been started. */
void vhyv_db_uninit(struct vhyv_dev *hdev)
{
	struct vhyv_db *db = hdev->db;

	if (!db)
		return;
	hdev->db = NULL;
	free_pages_exact(db->area, db->size);
	kfree(db);
}

static void vhyv_doorbell_map_set(void *words, u32 bit)
{
	sync_set_bit(bit ^ BITOP_LE_SWIZZLE, words);
}

/* Set the bit of a slot and kick the host if it asks for kicks. */
static void vhyv_db_set(struct vhyv_dev *hdev, struct vhyv_doorbell_map *map,
			u32 slot)
{
	const struct hyv_db_hdr *hdr = hdev->db->area;
	bool kick;

	/* A host that sees the bit must see what the provider has queued. */
	virt_wmb();
	vhyv_doorbell_map_set(map->bits, slot);
	/* A host that sees the summary bit must see the slot's bit. */
	virt_wmb();
	vhyv_doorbell_map_set(map->summary, slot / VHYV_DB_WORD_BITS);
	/*
	 * Pairs with the host's barrier between setting kick_wanted and reading
	 * the summary again: either the host sees the bit or this sees the
	 * flag.
	 */
	virt_mb();
	kick = READ_ONCE(hdr->kick_wanted) && !vhyv_dev_failed(hdev);
	trace_vhyv_doorbell_ring(vhyv_dev_name(hdev), map->name, slot, kick);
	if (kick)
		virtqueue_notify(hdev->db->vq);
}

/* Ring the doorbell of a QP that has work requests to send. In any context. */
void vhyv_db_ring_send(struct vhyv_dev *hdev, u32 slot)
{
	vhyv_db_set(hdev, &hdev->db->send, slot);
}

/* Wait until the host has cleared an arming bit, which it does after arming. */
static int vhyv_db_wait_cleared(struct vhyv_dev *hdev,
				struct vhyv_doorbell_map *map, u32 slot)
{
	unsigned long suspicious = jiffies + VHYV_WATCH_PERIOD;
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
		if (time_after(jiffies, suspicious)) {
			suspicious = jiffies + VHYV_WATCH_PERIOD;
			vhyv_cmdq_suspect(hdev->cmdq);
		}
		usleep_range(us, 2 * us);
		us = min_t(unsigned long, 2 * us, VHYV_ARM_SLEEP_MAX_US);
	}
	/* Read the CQ only after it was armed. */
	virt_mb();
	return 0;
}

/**
 * vhyv_db_arm_cq() - arm a CQ and wait until it is armed
 * @hdev: device with a doorbell area
 * @slot: arming slot of the CQ
 * @solicited: for the next solicited completion only
 *
 * Context: Process context. May sleep. One caller per CQ at a time.
 * Return: 0, -EIO if the device has failed, or -EINTR if the caller was killed.
 */
int vhyv_db_arm_cq(struct vhyv_dev *hdev, u32 slot, bool solicited)
{
	struct vhyv_db *db = hdev->db;
	struct vhyv_doorbell_map *map = solicited ? &db->solicited : &db->arm;
	int ret;

	/*
	 * A caller that was killed leaves its bit set. The host may have armed
	 * the CQ long before it clears that bit, or even another CQ that had
	 * the slot, so wait: only the clearing of a new bit means that the CQ
	 * is armed from now on.
	 */
	ret = vhyv_db_wait_cleared(hdev, map, slot);
	if (ret)
		return ret;
	vhyv_db_set(hdev, map, slot);
	return vhyv_db_wait_cleared(hdev, map, slot);
}
