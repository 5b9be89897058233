/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vNIC: what an open file of /dev/hyv stands for.
 *
 * Lock order, outermost first:
 *   hyvh_vnic.setup_lock > hyvh_vnic.teardown_rwsem > hyvh_window.lock > mmap lock
 *   hyvh_vnic.teardown_rwsem > the lock of a CQ, SRQ or MR > mmap lock
 *   hyvh_vnic.teardown_rwsem > hyvh_mcast_lock
 *   hyvh_vnic.teardown_rwsem > hyvh_gids.lock > hyvh_tenant.lock
 *   hyvh_vnic.teardown_rwsem > hca registry lock
 *   hyvh_vnic.teardown_rwsem > hyvh_event_queue.lock > hyvh_event_backlog.lock
 *   hca registry lock > hyvh_hca.lock
 * The worker never takes setup_lock or gate, so that a holder of either may
 * wait for it.
 */
#ifndef HYVH_VNIC_H
#define HYVH_VNIC_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

#include "notify/doorbell_map.h"
#include "notify/events.h"
#include "address/vgid.h"
#include "admin/info.h"
#include "memory/memmap.h"
#include "verbs/obj.h"
#include "memory/quota.h"
#include "memory/window.h"
#include "notify/worker.h"

struct cred;
struct hyvh_hca;
struct mm_struct;
struct task_struct;

#define HYVH_QP_SLOTS		16384
#define HYVH_CQ_SLOTS		16384
#define HYVH_MAX_MEM_REGIONS	512
#define HYVH_MIN_WINDOW		1048576UL

/**
 * struct hyvh_guest_mem - guest memory table that readers may hold on to
 * @ref: one for the vNIC, one for each reader
 * @map: the table; never changes
 */
struct hyvh_guest_mem {
	struct kref ref;
	struct hyvh_memmap *map;
};

/**
 * struct hyvh_doorbell_area - the guest's doorbell area, pinned
 * @hdr: its start, in a contiguous kernel mapping
 * @sq: send doorbells
 * @arm: CQs to arm for the next completion
 * @solicited: CQs to arm for the next solicited completion
 * @pages: the pinned pages
 * @nr_pages: how many
 */
struct hyvh_doorbell_area {
	struct hyv_db_hdr *hdr;
	struct hyvh_doorbell_map sq;
	struct hyvh_doorbell_map arm;
	struct hyvh_doorbell_map solicited;
	struct page **pages;
	unsigned int nr_pages;
};

/**
 * struct hyvh_vnic - one vNIC
 */
struct hyvh_vnic {
	/* Set at attach and constant from then on. */
	struct kref ref;
	u32 id;
	char name[HYV_NAME_LEN];
	char comm[TASK_COMM_LEN];
	char hca_name[IB_DEVICE_NAME_MAX];
	/*
	 * Where the HCA's uverbs device is and who was allowed to open it. An
	 * open file would keep the HCA from leaving.
	 */
	struct path hca_path;
	const struct cred *hca_cred;
	/* The VMM's memory; mm_users is held until the file is closed. */
	struct mm_struct *mm;
	/* The VMM's thread group leader, shown as owner of the HCA's objects. */
	struct task_struct *owner;
	struct hyvh_worker worker;

	/* Serialises the ioctls that set up the vNIC. */
	struct mutex setup_lock;
	/* The next fields are protected by setup_lock. */
	bool attached;

	/*
	 * Held for reading while a request is executed; for writing by those
	 * who end all requests: reset, departure of the HCA, close.
	 */
	struct rw_semaphore teardown_rwsem;
	/* The next fields change under gate held for writing. */
	struct hyvh_hca *hca;		/* NULL once it has left */
	u64 features;

	/* Listed with the HCA; protected by hyvh_hca.lock. */
	struct list_head hca_link;

	/* mem_lock protects mem only; holders of a reference read it freely. */
	spinlock_t mem_lock;
	struct hyvh_guest_mem *mem;

	/* They have locks of their own. */
	struct hyvh_objs objs;
	struct hyvh_quota pinned;	/* guest memory in MRs */
	struct hyvh_quota queues;	/* kernel memory of the HCA's driver */
	struct hyvh_window window;
	u32 nr_mcast;		/* see verbs_mcast.c */
	struct hyvh_vgids gids;
	struct xarray qp_slots;	/* of struct hyvh_obj, as the next one */
	struct xarray cq_slots;
	struct hyvh_events events;

	/*
	 * Set under gate held for reading and doorbells_lock, cleared by the
	 * worker, which reads it freely.
	 */
	struct hyvh_doorbell_area *doorbells;
	struct mutex doorbells_lock;	/* who sets doorbells */

	struct {
		atomic64_t commands;
		atomic64_t errors;
		atomic64_t doorbells;
		atomic64_t arms;
		atomic64_t kicks;
		atomic64_t events;
		atomic64_t event_stalls;
		atomic64_t interrupts;
	} counters ____cacheline_aligned_in_smp;
};

struct hyvh_vnic *hyvh_vnic_create(void);
void hyvh_vnic_close(struct hyvh_vnic *vnic);
void hyvh_vnic_put(struct hyvh_vnic *vnic);

int hyvh_vnic_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg);
int hyvh_vnic_set_limits(struct hyvh_vnic *vnic,
			 const struct hyv_set_limits *arg);
int hyvh_vnic_set_mem(struct hyvh_vnic *vnic, const struct hyv_set_mem *arg);
int hyvh_vnic_set_features(struct hyvh_vnic *vnic,
			   const struct hyv_set_features *arg);
int hyvh_vnic_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg);
int hyvh_vnic_reset(struct hyvh_vnic *vnic);
void hyvh_vnic_hca_gone(struct hyvh_vnic *vnic);

struct hyvh_guest_mem *hyvh_vnic_get_mem(struct hyvh_vnic *vnic);
void hyvh_guest_mem_put(struct hyvh_guest_mem *mem);
int hyvh_guest_read(void *mem, u64 gpa, void *dst, u64 len);

#endif /* HYVH_VNIC_H */
