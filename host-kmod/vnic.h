/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vNIC: what an open file of /dev/hyv stands for.
 *
 * Lock order, outermost first:
 *   hyv_vnic.setup_lock > hyv_vnic.gate > hyv_window.lock > mmap lock
 *   hyv_vnic.gate > the lock of a CQ, SRQ or MR > mmap lock
 *   hyv_vnic.gate > hyv_mcast_lock
 *   hyv_vnic.gate > hyv_gids.lock > hyv_tenant.lock
 *   hyv_vnic.gate > hca registry lock
 *   hyv_vnic.gate > hyv_event_queue.lock > hyv_evq.lock
 *   hca registry lock > hyv_hca.lock
 * The worker never takes setup_lock or gate, so that a holder of either may
 * wait for it.
 */
#ifndef HYV_VNIC_H
#define HYV_VNIC_H

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

#include "dbmap.h"
#include "events.h"
#include "gids.h"
#include "info.h"
#include "memmap.h"
#include "obj.h"
#include "quota.h"
#include "window.h"
#include "worker.h"

struct cred;
struct hyv_hca;
struct mm_struct;
struct task_struct;

#define HYV_QP_SLOTS		16384
#define HYV_CQ_SLOTS		16384
#define HYV_MAX_MEM_REGIONS	512
#define HYV_MIN_WINDOW		1048576UL

/**
 * struct hyv_guest_mem - guest memory table that readers may hold on to
 * @ref: one for the vNIC, one for each reader
 * @map: the table; never changes
 */
struct hyv_guest_mem {
	struct kref ref;
	struct hyv_memmap *map;
};

/**
 * struct hyv_doorbell_area - the guest's doorbell area, pinned
 * @hdr: its start, in a contiguous kernel mapping
 * @sq: send doorbells
 * @arm: CQs to arm for the next completion
 * @solicited: CQs to arm for the next solicited completion
 * @pages: the pinned pages
 * @nr_pages: how many
 */
struct hyv_doorbell_area {
	struct hyv_db_hdr *hdr;
	struct hyv_dbmap sq;
	struct hyv_dbmap arm;
	struct hyv_dbmap solicited;
	struct page **pages;
	unsigned int nr_pages;
};

/**
 * struct hyv_vnic - one vNIC
 */
struct hyv_vnic {
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
	struct hyv_worker worker;

	/* Serialises the ioctls that set up the vNIC. */
	struct mutex setup_lock;
	/* The next fields are protected by setup_lock. */
	bool attached;

	/*
	 * Held for reading while a request is executed; for writing by those
	 * who end all requests: reset, departure of the HCA, close.
	 */
	struct rw_semaphore gate;
	/* The next fields change under gate held for writing. */
	struct hyv_hca *hca;		/* NULL once it has left */
	u64 features;

	/* Listed with the HCA; protected by hyv_hca.lock. */
	struct list_head hca_link;

	/* mem_lock protects mem only; holders of a reference read it freely. */
	spinlock_t mem_lock;
	struct hyv_guest_mem *mem;

	/* They have locks of their own. */
	struct hyv_objs objs;
	struct hyv_quota pinned;	/* guest memory in MRs */
	struct hyv_quota queues;	/* kernel memory of the HCA's driver */
	struct hyv_window window;
	u32 nr_mcast;		/* see verbs_mcast.c */
	struct hyv_gids gids;
	struct xarray qp_slots;	/* of struct hyv_obj, as the next one */
	struct xarray cq_slots;
	struct hyv_events events;

	/*
	 * Set under gate held for reading and doorbells_lock, cleared by the
	 * worker, which reads it freely.
	 */
	struct hyv_doorbell_area *doorbells;
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

struct hyv_vnic *hyv_vnic_create(void);
void hyv_vnic_close(struct hyv_vnic *vnic);
void hyv_vnic_put(struct hyv_vnic *vnic);

int hyv_vnic_attach(struct hyv_vnic *vnic, const struct hyv_attach *arg);
int hyv_vnic_set_limits(struct hyv_vnic *vnic,
			const struct hyv_set_limits *arg);
int hyv_vnic_set_mem(struct hyv_vnic *vnic, const struct hyv_set_mem *arg);
int hyv_vnic_set_features(struct hyv_vnic *vnic,
			  const struct hyv_set_features *arg);
int hyv_vnic_get_config(struct hyv_vnic *vnic, struct hyv_get_config *arg);
int hyv_vnic_reset(struct hyv_vnic *vnic);
void hyv_vnic_hca_gone(struct hyv_vnic *vnic);

struct hyv_guest_mem *hyv_vnic_get_mem(struct hyv_vnic *vnic);
void hyv_guest_mem_put(struct hyv_guest_mem *mem);
int hyv_guest_read(void *mem, u64 gpa, void *dst, u64 len);

#endif /* HYV_VNIC_H */
