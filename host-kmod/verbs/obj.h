/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed handle table of one vNIC.
 *
 * An object lives through reserve -> publish -> (get, use)* -> remove -> erase.
 * Two counts keep it alive while it is published:
 *
 *  refs   short-term: commands and worker passes that run right now. Removal
 *         waits for them, so they must never be held across a wait for the
 *         guest.
 *  users  long-term: child objects. A guest that destroys an object which has
 *         some is told -EBUSY.
 *
 * All functions may be called concurrently with each other, except that
 * hyvh_objs_init() comes first and hyvh_objs_fini() last.
 */
#ifndef HYVH_OBJ_H
#define HYVH_OBJ_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <hyv/wire.h>

/**
 * struct hyvh_obj - what all objects of a guest have in common; embedded
 * @type: kind of object, constant from hyvh_obj_reserve() on
 * @handle: its name towards the guest, never 0, constant likewise
 * @owner: context that it belongs to, or NULL; constant likewise
 * @refs: short-term references plus one for being published; 0 when nobody
 *	can reach the object
 * @users: child objects
 * @removing: somebody takes the object down; written under the table's
 *	xa_lock, read without it by slot and through an owner
 * @type_link: in &hyvh_objs.published; under the table's xa_lock
 * @owner_link: in the owner's @owned; under the table's xa_lock
 * @owned: objects that this one owns, by type; under the table's xa_lock
 */
struct hyvh_obj {
	enum hyv_obj_type type;
	u32 handle;
	struct hyvh_obj *owner;
	refcount_t refs;
	atomic_t users;
	bool removing;
	struct list_head type_link;
	struct list_head owner_link;
	struct list_head owned[HYV_OBJ_TYPES];
};

/**
 * struct hyvh_objs - the table
 * @xa: handle to object; its xa_lock protects all below but @wait
 * @next_handle: where the search for the next free handle starts
 * @count: objects by type, from hyvh_obj_reserve() to hyvh_obj_erase()
 * @max: limit of @count by type
 * @published: objects by type, also those which are being removed
 * @wait: for references to go and for removals to end
 */
struct hyvh_objs {
	struct xarray xa;
	u32 next_handle;
	u32 count[HYV_OBJ_TYPES];
	u32 max[HYV_OBJ_TYPES];
	struct list_head published[HYV_OBJ_TYPES];

	wait_queue_head_t wait;
};

void hyvh_objs_init(struct hyvh_objs *objs);
void hyvh_objs_fini(struct hyvh_objs *objs);
void hyvh_objs_set_max(struct hyvh_objs *objs, enum hyv_obj_type type, u32 max);
u32 hyvh_objs_count(const struct hyvh_objs *objs, enum hyv_obj_type type);
u32 hyvh_objs_max(const struct hyvh_objs *objs, enum hyv_obj_type type);

int hyvh_obj_reserve(struct hyvh_objs *objs, struct hyvh_obj *obj,
		     enum hyv_obj_type type, struct hyvh_obj *owner);
void hyvh_obj_publish(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_abort(struct hyvh_objs *objs, struct hyvh_obj *obj);

struct hyvh_obj *hyvh_obj_get(struct hyvh_objs *objs, u32 handle, u32 type);
struct hyvh_obj *hyvh_obj_get_slot(struct xarray *slots, u32 slot);
void hyvh_obj_put(struct hyvh_objs *objs, struct hyvh_obj *obj);

/**
 * hyvh_obj_use() - note that a child object needs this one
 * @obj: the parent; the caller holds a short-term reference
 *
 * Keeps guests from destroying the parent. Context: any.
 */
static inline void hyvh_obj_use(struct hyvh_obj *obj)
{
	atomic_inc(&obj->users);
}

/**
 * hyvh_obj_unuse() - a child object is gone
 * @obj: the parent; hyvh_obj_use() was called for the child
 *
 * The parent may be gone as soon as this returns. Context: any.
 */
static inline void hyvh_obj_unuse(struct hyvh_obj *obj)
{
	atomic_dec(&obj->users);
}

int hyvh_obj_remove(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_restore(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_erase(struct hyvh_objs *objs, struct hyvh_obj *obj);
struct hyvh_obj *hyvh_objs_take(struct hyvh_objs *objs, enum hyv_obj_type type,
				struct hyvh_obj *owner);

#endif /* HYVH_OBJ_H */
