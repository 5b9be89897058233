/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vNIC: an open file of /dev/hyv.
 *
 * Lock order, outermost first:
 *   hyvh_vnic.setup_lock > a request in hyvh_gate > hyvh_vnic.teardown_rwsem
 *   setup_lock > hyvh_users_lock
 *   teardown_rwsem > hyvh_window.lock > hyvh_window_pages.lock
 *   teardown_rwsem > lock of a CQ, SRQ or MR > mmap lock
 *   teardown_rwsem > lock of a CQ, SRQ or MR > inode of guest RAM (only tried)
 *     > mmap lock
 *   teardown_rwsem > lock of a CQ or SRQ > hyvh_mmap_table.lock
 *   mmap lock > hyvh_window_pages.lock
 *   teardown_rwsem > hyvh_doorbells.lock > mmap lock
 *   teardown_rwsem > hyvh_event_queue.lock > mmap lock (only tried)
 *   teardown_rwsem > hyvh_qp.mcast_lock > hyvh_mcast_locks
 *   teardown_rwsem > hyvh_vgids.lock > hyvh_tenant.lock
 *   hyvh_tenant.lock > hyvh_event_backlog.lock
 *   teardown_rwsem > hyvh_hcas_lock > hyvh_hca.lock > hyvh_event_backlog.lock
 *   hyvh_event_queue.lock > hyvh_event_backlog.lock
 *   hyvh_event_queue.lock > hyvh_guest_mem.lock
 *   hyvh_event_queue.lock, teardown_rwsem > hyvh_signal.lock
 *   setup_lock, teardown_rwsem > hyvh_worker.control_lock > hyvh_worker.lock
 *   hyvh_hca.lock, lock of an eventfd > hyvh_worker.lock
 *
 * The worker takes neither setup_lock nor teardown_rwsem, and waits for nothing
 * that a VMM or a guest controls, so that a holder of either can pause it.
 * Teardown runs in a work item that takes teardown_rwsem, but not setup_lock,
 * so that a holder of setup_lock can wait for it. Work items of all vNICs share
 * a queue. So the item begins when no request is in the gate, and whoever takes
 * teardown_rwsem outside of a request does so for a moment only. Nobody waits for
 * the RTNL with any of these locks held, for longer than a second: see
 * address/ip_group.c.
 */
#ifndef HYVH_VNIC_H
#define HYVH_VNIC_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kref.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <hyv/wire.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv.h>
#include <uapi/linux/hyv_netlink.h>

#include "address/vgid.h"
#include "gate.h"
#include "hca/hca.h"
#include "memory/guest_mem.h"
#include "memory/quota.h"
#include "memory/record.h"
#include "memory/window.h"
#include "notify/counters.h"
#include "notify/doorbell.h"
#include "notify/events.h"
#include "notify/signal.h"
#include "notify/worker.h"
#include "verbs/obj.h"

struct cred;
struct hyvh_user_charge;
struct hyvh_vmm;
struct mm_struct;
struct task_struct;

struct hyvh_vnic {
	struct kref ref;
	struct rcu_head rcu;

	/* Constant once the vNIC is attached. */
	u32 id;				/* reused after all others only */
	char name[HYV_NAME_LEN];	/* given by the VMM */
	char comm[TASK_COMM_LEN];	/* of the VMM */
	char hca_name[IB_DEVICE_NAME_MAX];
	struct hyv_config config;	/* except status */
	/*
	 * The HCA's uverbs device, and who opened it. An open file would delay
	 * the removal of the HCA.
	 */
	struct path hca_path;
	const struct cred *hca_cred;
	/*
	 * The VMM's memory. A user count would keep files that it maps, and if
	 * one of them kept this file, the vNIC would never end.
	 */
	struct mm_struct *mm;
	struct mmu_notifier mm_notifier;	/* ends the vNIC with mm */
	/* The VMM's thread group leader, shown as owner of the HCA's objects. */
	struct task_struct *owner;
	kuid_t uid;			/* of the user who has attached it */
	struct hyvh_vmm *vmm;		/* shared with its other vNICs */
	struct hyvh_quota *vmm_mrs;	/* of vmm: the number of MRs */
	struct hyvh_worker worker;

	/*
	 * Serialises the ioctls with HYV_IOCTL_SETUP, which begin when no reset
	 * is left to do. As only these change features, until the vNIC ends, they
	 * may read them with it alone.
	 */
	struct mutex setup_lock;	/* protects attached */
	bool attached;

	/* Teardown, see hyvh_vnic_teardown(). */
	struct hyvh_gate gate;		/* between it and requests */
	struct work_struct teardown_work;

	/* Held for reading while a request is executed; for writing by teardown. */
	struct rw_semaphore teardown_rwsem; /* protects the next four */
	struct hyvh_hca *hca;		/* NULL once it was removed */
	u64 features;			/* 0 if none are set; see setup_lock */
	u64 offered;			/* device features on offer */
	struct hyvh_user_charge *charge; /* NULL once the vNIC has ended */

	/* These have locks of their own. */
	struct hyvh_hca_link hca_link;
	struct hyvh_guest_mem mem;
	struct hyvh_objs objs;
	/* By enum hyv_nl_quota, except what hyvh_vnic_fill_quota() has. */
	struct hyvh_quota quota[HYV_NL_NR_QUOTAS];
	struct hyvh_window window;
	struct hyvh_records records;
	/* Addresses of groups that stay on the network device; see verbs/mcast.c. */
	struct xarray mcast_addrs;
	struct hyvh_vgids vgids;
	struct xarray qp_slots;		/* struct hyvh_obj by doorbell slot */
	struct xarray cq_slots;		/* struct hyvh_obj by arming slot */
	struct hyvh_events events;
	struct hyvh_doorbells doorbells;
	struct hyvh_signal config_changed;
	atomic_t nr_leaked;		/* objects; see verbs/leak.c */

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
	u64 quota_used[HYV_NL_NR_QUOTAS]; /* by enum hyv_nl_quota */
	u64 quota_max[HYV_NL_NR_QUOTAS];
	u64 window_used;		/* in bytes */
	u64 window_size;		/* 0 if the VMM has set no window */
	u32 nr_leaked;			/* objects since attach */

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

int hyvh_vnic_register(void);
void hyvh_vnic_unregister(void);

struct hyvh_vnic *hyvh_vnic_create(void);
bool hyvh_vnic_is_owner(const struct hyvh_vnic *vnic);
void hyvh_vnic_close(struct hyvh_vnic *vnic);
int hyvh_vnic_request_begin(struct hyvh_vnic *vnic);
void hyvh_vnic_request_end(struct hyvh_vnic *vnic);
int hyvh_vnic_check_ready(const struct hyvh_vnic *vnic);
int hyvh_vnic_info_next(u32 *id, struct hyvh_vnic_info *info);

/* In limits.c: defaults for a new vNIC. */
void hyvh_limits_init(struct hyvh_vnic *vnic);

/*
 * Handlers of ioctls. They run in process context of the VMM and may sleep. The
 * caller holds setup_lock, except for HYV_GET_CONFIG and HYV_SET_MEM.
 */
int hyvh_ioctl_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg);
int hyvh_ioctl_set_limits(struct hyvh_vnic *vnic,
			  const struct hyv_set_limits *arg);
int hyvh_ioctl_set_mem(struct hyvh_vnic *vnic, const struct hyv_set_mem *arg);
int hyvh_ioctl_set_addressing(struct hyvh_vnic *vnic,
			      const struct hyv_set_addressing *arg);
int hyvh_ioctl_set_doorbell(struct hyvh_vnic *vnic,
			    const struct hyv_set_doorbell *arg);
int hyvh_ioctl_set_event_queue(struct hyvh_vnic *vnic,
			       struct hyv_set_event_queue *arg);
int hyvh_ioctl_set_features(struct hyvh_vnic *vnic,
			    const struct hyv_set_features *arg);
int hyvh_ioctl_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg);
int hyvh_ioctl_set_notify(struct hyvh_vnic *vnic,
			  const struct hyv_set_notify *arg);
int hyvh_ioctl_reset(struct hyvh_vnic *vnic, const struct hyv_reset *arg);
int hyvh_vnic_wait_reset(struct hyvh_vnic *vnic);

#endif /* HYVH_VNIC_H */
