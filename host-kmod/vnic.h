/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vNIC: an open file of /dev/hyv.
 *
 * Lock order, outermost first:
 *   hyvh_vnic.setup_lock > hyvh_vnic.teardown_rwsem
 *   teardown_rwsem > hyvh_window.lock > mmap lock
 *   teardown_rwsem > lock of a CQ, SRQ or MR > mmap lock
 *   teardown_rwsem > hyvh_doorbells.lock > mmap lock
 *   teardown_rwsem > hyvh_event_queue.lock > mmap lock
 *   teardown_rwsem > hyvh_mcast_lock
 *   teardown_rwsem > hyvh_vgids.lock > hyvh_tenant.lock
 *   teardown_rwsem > hyvh_hcas_lock > hyvh_hca.lock > hyvh_event_backlog.lock
 *   hyvh_event_queue.lock > hyvh_event_backlog.lock
 *   hyvh_event_queue.lock > hyvh_guest_mem.lock
 * The worker takes neither setup_lock nor teardown_rwsem, so that a holder of
 * either can wait for it.
 */
#ifndef HYVH_VNIC_H
#define HYVH_VNIC_H

#include <linux/cache.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/xarray.h>
#include <hyv/wire.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv.h>

#include "address/vgid.h"
#include "hca/hca.h"
#include "memory/guest_mem.h"
#include "memory/quota.h"
#include "memory/window.h"
#include "notify/counters.h"
#include "notify/doorbell.h"
#include "notify/events.h"
#include "notify/worker.h"
#include "verbs/obj.h"

struct cred;
struct mm_struct;
struct task_struct;

struct hyvh_vnic {
	struct kref ref;

	/* Constant once the vNIC is attached. */
	u32 id;				/* unique, never reused */
	char name[HYV_NAME_LEN];	/* given by the VMM */
	char comm[TASK_COMM_LEN];	/* of the VMM */
	char hca_name[IB_DEVICE_NAME_MAX];
	/*
	 * The HCA's uverbs device, and who opened it. An open file would delay
	 * the removal of the HCA.
	 */
	struct path hca_path;
	const struct cred *hca_cred;
	/* The VMM's memory; mm_users is held until the file is closed. */
	struct mm_struct *mm;
	/* The VMM's thread group leader, shown as owner of the HCA's objects. */
	struct task_struct *owner;
	struct hyvh_worker worker;

	/* Serialises the ioctls with HYV_IOCTL_SETUP. */
	struct mutex setup_lock;	/* protects attached */
	bool attached;

	/*
	 * Held for reading while a request is executed; for writing to end all
	 * requests: reset, HCA removal, close.
	 */
	struct rw_semaphore teardown_rwsem; /* protects the next two */
	struct hyvh_hca *hca;		/* NULL once it was removed */
	u64 features;			/* negotiated */

	/* These have locks of their own. */
	struct hyvh_hca_link hca_link;
	struct hyvh_guest_mem mem;
	struct hyvh_objs objs;
	struct hyvh_quota pinned;	/* guest memory in MRs */
	struct hyvh_quota queues;	/* kernel memory of the HCA's driver */
	struct hyvh_window window;
	u32 nr_mcast;			/* see verbs/mcast.c */
	struct hyvh_vgids vgids;
	struct xarray qp_slots;		/* struct hyvh_obj by doorbell slot */
	struct xarray cq_slots;		/* struct hyvh_obj by arming slot */
	struct hyvh_events events;
	struct hyvh_doorbells doorbells;

	struct hyvh_counters counters ____cacheline_aligned_in_smp;
};

/* A snapshot of a vNIC. The values may be of different moments. */
struct hyvh_vnic_info {
	u32 id;
	pid_t pid;			/* in the caller's namespace, or 0 */
	u32 state;			/* enum hyv_nl_vnic_state */
	char name[HYV_NAME_LEN];
	char comm[TASK_COMM_LEN];
	char hca[IB_DEVICE_NAME_MAX];	/* also after its removal */
	u32 obj_count[HYV_OBJ_TYPES];	/* by enum hyv_obj_type */
	u32 obj_max[HYV_OBJ_TYPES];
	u64 pinned;			/* this and the next ones in bytes */
	u64 pinned_max;
	u64 queue_bytes;
	u64 queue_bytes_max;
	u64 window_used;
	u64 window_size;		/* 0 if the VMM has set no window */

	/* See struct hyvh_counters. */
	u64 commands;
	u64 errors;
	u64 doorbells;
	u64 arms;
	u64 kicks;
	u64 events;
	u64 event_stalls;
	u64 interrupts;
};

struct hyvh_vnic *hyvh_vnic_create(void);
void hyvh_vnic_close(struct hyvh_vnic *vnic);
int hyvh_vnic_info_next(u32 *id, struct hyvh_vnic_info *info);

/*
 * Handlers of ioctls. They run in process context of the VMM and may sleep. The
 * caller holds setup_lock.
 */
int hyvh_ioctl_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg);
int hyvh_ioctl_set_limits(struct hyvh_vnic *vnic,
			  const struct hyv_set_limits *arg);
int hyvh_ioctl_set_addressing(struct hyvh_vnic *vnic,
			      const struct hyv_set_addressing *arg);
int hyvh_ioctl_set_doorbell(struct hyvh_vnic *vnic,
			    const struct hyv_set_doorbell *arg);
int hyvh_ioctl_set_event_queue(struct hyvh_vnic *vnic,
			       struct hyv_set_event_queue *arg);
int hyvh_ioctl_set_features(struct hyvh_vnic *vnic,
			    const struct hyv_set_features *arg);
int hyvh_ioctl_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg);
int hyvh_ioctl_reset(struct hyvh_vnic *vnic, const struct hyv_reset *arg);

#endif /* HYVH_VNIC_H */
