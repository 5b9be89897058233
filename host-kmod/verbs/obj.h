/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed handle table of a vNIC.
 *
 * An object lives through reserve -> publish -> (get, use)* -> remove -> erase.
 * Two counts keep it alive while it is published:
 *
 *  refs   short-term: running commands and passes of the worker. Removal waits
 *         for them, so never hold one while waiting for the guest.
 *  users  long-term: child objects. Destroying an object that has users fails
 *         with -EBUSY.
 *
 * All functions may be called concurrently, except hyvh_objs_init() and
 * hyvh_objs_fini(). They need process context, except those marked "any
 * context". They take the xa_lock, so the caller must not hold it.
 */
#ifndef HYVH_OBJ_H
#define HYVH_OBJ_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <hyv/wire.h>
#include <rdma/ib_verbs.h>

/**
 * struct hyvh_obj - common part of all objects of a guest; embedded
 * @type: type of the object
 * @handle: handle of the object, never 0
 * @owner: context that owns the object, or NULL
 * @refs: short-term references, and one while the object is published; 0 if
 *	the object cannot be found
 * @users: child objects
 * @cg: the rdma cgroup that the HCA's object is charged to; not for contexts,
 *	which uverbs charges
 * @removing: the object is being removed; written under the xa_lock, read
 *	without it by slot and through an owner
 * @counts_on: the HCA's object outlives this one, and counts until hyvh_objs_uncount();
 *	written by the remover
 * @type_link: in &hyvh_objs.published; protected by the xa_lock
 * @owner_link: in one of the owner's @owned; protected by the xa_lock
 * @owned: HYV_OBJ_TYPES lists of the objects that this one owns, from hyvh_obj_own();
 *	or NULL; the lists are protected by the xa_lock
 * @rcu: frees the object after callbacks of the HCA that were running when it
 *	was destroyed
 *
 * @type, @handle and @owner are constant after hyvh_obj_reserve().
 */
struct hyvh_obj {
	enum hyv_obj_type type;
	u32 handle;
	struct hyvh_obj *owner;
	refcount_t refs;
	atomic_t users;
	struct ib_rdmacg_object cg;
	bool removing;
	bool counts_on;
	struct list_head type_link;
	struct list_head owner_link;
	struct list_head *owned;
	struct rcu_head rcu;
};

/**
 * struct hyvh_objs - the table
 * @xa: object by handle; its xa_lock protects all fields below except @wait
 * @next_handle: start of the search for a free handle
 * @count: objects by type, from hyvh_obj_reserve() to hyvh_obj_erase() or
 *	hyvh_objs_uncount()
 * @max: limit of @count by type
 * @published: objects by type, including those that are being removed
 * @wait: woken when an object's last reference is dropped or a removal ends
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

/* Number of objects including reserved ones. Any context. */
static inline u32 hyvh_objs_count(const struct hyvh_objs *objs,
				  enum hyv_obj_type type)
{
	return READ_ONCE(objs->count[type]);
}

/* Any context. */
static inline u32 hyvh_objs_max(const struct hyvh_objs *objs,
				enum hyv_obj_type type)
{
	return READ_ONCE(objs->max[type]);
}

int hyvh_obj_reserve(struct hyvh_objs *objs, struct hyvh_obj *obj,
		     enum hyv_obj_type type, struct hyvh_obj *owner);
void hyvh_obj_own(struct hyvh_obj *obj, struct list_head owned[HYV_OBJ_TYPES]);
void hyvh_obj_publish(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_abort(struct hyvh_objs *objs, struct hyvh_obj *obj);

struct hyvh_obj *hyvh_obj_get(struct hyvh_objs *objs, u32 handle, u32 type);
struct hyvh_obj *hyvh_obj_get_slot(struct xarray *slots, u32 slot);
void hyvh_obj_put(struct hyvh_objs *objs, struct hyvh_obj *obj);

/*
 * Count a child of @obj, which keeps the guest from destroying @obj. The caller
 * holds a short-term reference. Any context.
 */
static inline void hyvh_obj_use(struct hyvh_obj *obj)
{
	atomic_inc(&obj->users);
}

/* Undo hyvh_obj_use(). @obj may be freed as soon as this returns. Any context. */
static inline void hyvh_obj_unuse(struct hyvh_obj *obj)
{
	atomic_dec(&obj->users);
}

/* Does the object have children? Any context. */
static inline bool hyvh_obj_used(const struct hyvh_obj *obj)
{
	return atomic_read(&obj->users);
}

int hyvh_obj_remove(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_restore(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_obj_erase(struct hyvh_objs *objs, struct hyvh_obj *obj);
void hyvh_objs_uncount(struct hyvh_objs *objs, enum hyv_obj_type type);
struct hyvh_obj *hyvh_objs_take(struct hyvh_objs *objs, enum hyv_obj_type type,
				struct hyvh_obj *owner);

#endif /* HYVH_OBJ_H */
