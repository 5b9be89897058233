/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells of a software HCA: the guest's doorbell area and what its bits
 * make the worker do.
 */
#ifndef HYVH_DOORBELL_H
#define HYVH_DOORBELL_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct hyvh_chunks;
struct hyvh_doorbell_area;
struct hyvh_mem_table;
struct hyvh_quota;

#define HYVH_QP_SLOTS		16384
#define HYVH_CQ_SLOTS		16384

/* Largest doorbell area in bytes: leaves room for guests with large pages. */
#define HYVH_MAX_DOORBELL_AREA	1048576

/* Called in the worker. May sleep. There may be no object in @slot. */
struct hyvh_doorbell_ops {
	void (*ring)(void *arg, u32 slot);
	void (*arm)(void *arg, u32 slot, enum ib_cq_notify_flags how);
};

struct hyvh_doorbells {
	const struct hyvh_doorbell_ops *ops;
	void *arg;	/* passed to ops */
	struct hyvh_quota *quota;	/* charged with the bytes of the area */
	u32 vnic_id;	/* for traces */

	struct mutex lock;	/* serialises changes of area */
	/*
	 * The guest's doorbell area, or NULL. Set to NULL only while the
	 * worker, which reads it without the lock, is paused.
	 */
	struct hyvh_doorbell_area *area;
};

void hyvh_doorbells_init(struct hyvh_doorbells *db,
			 const struct hyvh_doorbell_ops *ops, void *arg,
			 struct hyvh_quota *quota);
void hyvh_doorbells_destroy(struct hyvh_doorbells *db);
int hyvh_doorbells_setup(struct hyvh_doorbells *db,
			 const struct hyvh_chunks *chunks,
			 struct hyvh_mem_table *table);
void hyvh_doorbells_free(struct hyvh_doorbells *db);

/* For the worker. */
bool hyvh_doorbells_ready(const struct hyvh_doorbells *db);
bool hyvh_doorbells_drain(struct hyvh_doorbells *db);
bool hyvh_doorbells_pending(const struct hyvh_doorbells *db);
void hyvh_doorbells_want_kicks(struct hyvh_doorbells *db, bool want);

#endif /* HYVH_DOORBELL_H */
