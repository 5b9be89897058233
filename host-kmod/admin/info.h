/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What administrators may know: snapshots of vNICs and HCAs, taken by vnic.c
 * and hca.c, told by netlink.c.
 */
#ifndef HYVH_INFO_H
#define HYVH_INFO_H

#include <linux/sched.h>
#include <linux/types.h>
#include <rdma/ib_user_verbs.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>
#include <uapi/linux/hyv_netlink.h>

/**
 * struct hyvh_vnic_counters - what a vNIC has done since it was attached
 * @commands: requests of the guest that were executed, refused ones included
 * @errors: of these, how many got a status other than HYV_OK
 * @doorbells: send doorbells rung
 * @arms: CQs armed
 * @kicks: notifications by the guest
 * @events: events delivered to the guest
 * @event_stalls: times that an event queue had no buffer for an event
 * @interrupts: guest interrupts raised
 *
 * They never go back while the vNIC exists, not even when the guest resets it.
 */
struct hyvh_vnic_counters {
	u64 commands;
	u64 errors;
	u64 doorbells;
	u64 arms;
	u64 kicks;
	u64 events;
	u64 event_stalls;
	u64 interrupts;
};

/**
 * struct hyvh_vnic_info - snapshot of one vNIC
 * @id: never used twice while the module is loaded
 * @pid: thread group ID of the VMM in the PID namespace of the calling task
 *	(pid_vnr()), 0 if it has none there
 * @state: enum hyv_nl_vnic_state
 * @name: given by the VMM, NUL terminated
 * @comm: of the VMM when it attached, NUL terminated
 * @hca: name of the HCA, NUL terminated; its last one if it has left the host
 * @obj_count: live objects by enum hyv_obj_type
 * @obj_max: how many the guest may have; entry 0 is unused in both
 * @pinned: bytes of guest memory in memory regions
 * @pinned_max: how many there may be
 * @queue_bytes: bytes of kernel memory in queues
 * @queue_bytes_max: how many there may be
 * @window_used: bytes of the window which HCA queues are mapped into
 * @window_size: bytes of the window, 0 if none is set
 * @counters: events since attach
 *
 * The values need not be of the same instant.
 */
struct hyvh_vnic_info {
	u32 id;
	pid_t pid;
	u32 state;
	char name[HYV_NAME_LEN];
	char comm[TASK_COMM_LEN];
	char hca[IB_DEVICE_NAME_MAX];
	u32 obj_count[HYV_OBJ_TYPES];
	u32 obj_max[HYV_OBJ_TYPES];
	u64 pinned;
	u64 pinned_max;
	u64 queue_bytes;
	u64 queue_bytes_max;
	u64 window_used;
	u64 window_size;
	struct hyvh_vnic_counters counters;
};

/**
 * struct hyvh_hca_info - snapshot of one RDMA device of the host
 * @name: NUL terminated
 * @driver_id: enum rdma_driver_id
 * @use: enum hyv_nl_hca_use
 * @nr_vnics: vNICs attached to it
 */
struct hyvh_hca_info {
	char name[IB_DEVICE_NAME_MAX];
	u32 driver_id;
	u32 use;
	u32 nr_vnics;
};

/**
 * hyvh_vnic_info_next() - take a snapshot of the next vNIC
 * @id: in: least ID; out: ID of the vNIC found
 * @info: filled in whole
 *
 * Finds the attached vNIC with the smallest ID that is not below @id. As IDs
 * only grow, a walk shows each vNIC that exists all the time exactly once.
 *
 * Context: process context; may sleep; takes locks of the vNIC.
 * Return: 0, or -ENOENT if there is none (@id and @info are then unchanged).
 */
int hyvh_vnic_info_next(u32 *id, struct hyvh_vnic_info *info);

/**
 * hyvh_hca_info_next() - take a snapshot of the next HCA
 * @index: in: least index; out: index of the HCA found
 * @info: filled in whole
 *
 * Like hyvh_vnic_info_next(): indices are given in the order in which HCAs come
 * and never used twice.
 *
 * Context: process context; may sleep.
 * Return: 0, or -ENOENT if there is none (@index and @info are then unchanged).
 */
int hyvh_hca_info_next(u32 *index, struct hyvh_hca_info *info);

#endif /* HYVH_INFO_H */
