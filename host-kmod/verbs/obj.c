// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed handle table of a vNIC; obj.h describes the life of an object.
 */
#include <linux/bug.h>
#include <linux/gfp.h>

#include "verbs/obj.h"

/* User space treats handles as positive ints. */
#define HYVH_HANDLES	XA_LIMIT(1, INT_MAX)

/* All limits are 0. */
void hyvh_objs_init(struct hyvh_objs *objs)
{
	unsigned int type;

	xa_init_flags(&objs->xa, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	objs->next_handle = 1;
	for (type = 0; type < HYV_OBJ_TYPES; type++) {
		objs->count[type] = 0;
		objs->max[type] = 0;
		INIT_LIST_HEAD(&objs->published[type]);
	}
	init_waitqueue_head(&objs->wait);
}

/* The table is empty and not in use. */
void hyvh_objs_fini(struct hyvh_objs *objs)
{
	WARN_ON_ONCE(!xa_empty(&objs->xa));
	xa_destroy(&objs->xa);
}

/* Existing objects stay even if they exceed the new limit. */
void hyvh_objs_set_max(struct hyvh_objs *objs, enum hyv_obj_type type, u32 max)
{
	xa_lock(&objs->xa);
	WRITE_ONCE(objs->max[type], max);
	xa_unlock(&objs->xa);
}

static void hyvh_objs_account(struct hyvh_objs *objs, enum hyv_obj_type type,
			      int delta)
{
	lockdep_assert_held(&objs->xa.xa_lock);
	WRITE_ONCE(objs->count[type], objs->count[type] + delta);
}

/*
 * Get a reference to an object, which a lock or another reference keeps from
 * being freed.
 */
static bool hyvh_obj_tryget(struct hyvh_obj *obj)
{
	/* Without the first test a busy worker could delay a removal. */
	return !READ_ONCE(obj->removing) && refcount_inc_not_zero(&obj->refs);
}

/**
 * hyvh_obj_reserve() - get a handle for a new object
 * @objs: the table
 * @obj: zeroed memory; it is initialised
 * @type: type of the object
 * @owner: context that will own the object, or NULL; the caller keeps it alive
 *	with a reference to it or to another object that it owns
 *
 * The object cannot be found yet. Until hyvh_obj_publish() or hyvh_obj_abort()
 * it has a short-term reference to the owner: a removal of the owner waits, and
 * then finds the object if it was published.
 *
 * Context: Process context. May sleep.
 * Return: 0; -EDQUOT if the limit of the type is reached; -ENOENT if the owner
 * is being removed; or -ENOMEM.
 */
int hyvh_obj_reserve(struct hyvh_objs *objs, struct hyvh_obj *obj,
		     enum hyv_obj_type type, struct hyvh_obj *owner)
{
	int ret;

	if (owner && !hyvh_obj_tryget(owner))
		return -ENOENT;
	obj->type = type;
	obj->owner = owner;
	refcount_set(&obj->refs, 0);
	atomic_set(&obj->users, 0);
	obj->removing = false;
	obj->counts_on = false;
	INIT_LIST_HEAD(&obj->type_link);
	INIT_LIST_HEAD(&obj->owner_link);
	obj->owned = NULL;

	xa_lock(&objs->xa);
	if (objs->count[type] >= objs->max[type]) {
		ret = -EDQUOT;
		goto unlock;
	}
	/* Count first, because the allocation may drop the lock. */
	hyvh_objs_account(objs, type, 1);
	ret = __xa_alloc_cyclic(&objs->xa, &obj->handle, XA_ZERO_ENTRY,
				HYVH_HANDLES, &objs->next_handle, GFP_KERNEL);
	if (ret < 0) {
		hyvh_objs_account(objs, type, -1);
		/* All handles are in use; the limit of the type is not reached. */
		if (ret == -EBUSY)
			ret = -ENOMEM;
		goto unlock;
	}
	ret = 0;
unlock:
	xa_unlock(&objs->xa);
	if (ret && owner)
		hyvh_obj_put(objs, owner);
	return ret;
}

/* Let a reserved object own others. @owned lives as long as the object. */
void hyvh_obj_own(struct hyvh_obj *obj, struct list_head owned[HYV_OBJ_TYPES])
{
	unsigned int i;

	for (i = 0; i < HYV_OBJ_TYPES; i++)
		INIT_LIST_HEAD(&owned[i]);
	obj->owned = owned;
}

/*
 * Let the guest use an object. Another command may remove it at once, so the
 * caller must not touch it afterwards without a reference.
 */
void hyvh_obj_publish(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	struct hyvh_obj *owner = obj->owner;

	xa_lock(&objs->xa);
	refcount_set(&obj->refs, 1);
	/* The slot exists, so this needs no memory. */
	WARN_ON_ONCE(xa_err(__xa_store(&objs->xa, obj->handle, obj, 0)));
	list_add_tail(&obj->type_link, &objs->published[obj->type]);
	if (owner)
		list_add_tail(&obj->owner_link, &owner->owned[obj->type]);
	xa_unlock(&objs->xa);
	if (owner)
		hyvh_obj_put(objs, owner);
}

static void hyvh_obj_drop(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	xa_lock(&objs->xa);
	list_del_init(&obj->type_link);
	list_del_init(&obj->owner_link);
	__xa_erase(&objs->xa, obj->handle);
	if (!obj->counts_on)
		hyvh_objs_account(objs, obj->type, -1);
	xa_unlock(&objs->xa);
}

/* Undo hyvh_obj_reserve(). The caller frees the object. */
void hyvh_obj_abort(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	hyvh_obj_drop(objs, obj);
	if (obj->owner)
		hyvh_obj_put(objs, obj->owner);
}

/*
 * Find an object. Returns it with a short-term reference, or NULL if there is
 * none of this type or it is being removed. @handle and @type may be any values.
 */
struct hyvh_obj *hyvh_obj_get(struct hyvh_objs *objs, u32 handle, u32 type)
{
	struct hyvh_obj *obj;

	xa_lock(&objs->xa);
	obj = xa_load(&objs->xa, handle);
	if (obj && (obj->type != type || !hyvh_obj_tryget(obj)))
		obj = NULL;
	xa_unlock(&objs->xa);
	return obj;
}

/*
 * The same by slot. An object must be removed from @slots before it is erased.
 */
struct hyvh_obj *hyvh_obj_get_slot(struct xarray *slots, u32 slot)
{
	struct hyvh_obj *obj;

	xa_lock(slots);
	obj = xa_load(slots, slot);
	if (obj && !hyvh_obj_tryget(obj))
		obj = NULL;
	xa_unlock(slots);
	return obj;
}

/* Drop a short-term reference. @obj may be freed then. Any context. */
void hyvh_obj_put(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	/* The object may be freed as soon as the count is 0. */
	if (refcount_dec_and_test(&obj->refs))
		wake_up_all(&objs->wait);
}

/* Drop the @refs references of the remover, and wait for all others. */
static void hyvh_obj_quiesce(struct hyvh_objs *objs, struct hyvh_obj *obj,
			     int refs)
{
	if (refcount_sub_and_test(refs, &obj->refs))
		return;
	/* Idle, as a command of the VMM may take long, and is no hung task. */
	wait_event_idle(objs->wait, !refcount_read(&obj->refs));
	/* Pairs with the release of refcount_dec_and_test(). */
	smp_acquire__after_ctrl_dep();
}

/* Make an object usable again, with @refs references. */
static void hyvh_obj_revive(struct hyvh_objs *objs, struct hyvh_obj *obj, int refs)
{
	xa_lock(&objs->xa);
	refcount_set(&obj->refs, refs);
	WRITE_ONCE(obj->removing, false);
	xa_unlock(&objs->xa);
	/* hyvh_objs_take() may wait for the outcome. */
	wake_up_all(&objs->wait);
}

/**
 * hyvh_obj_remove() - make an object unreachable for the guest
 * @objs: the table
 * @obj: the object; the caller holds a short-term reference, which is dropped
 *	on success
 *
 * Waits, uninterruptibly, for all other short-term references. After success
 * the caller owns the object, until hyvh_obj_restore() or hyvh_obj_erase().
 *
 * Context: Process context. May sleep.
 * Return: 0; -EBUSY if the object has users; or -ENOENT if it is being removed.
 */
int hyvh_obj_remove(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	int ret = 0;

	xa_lock(&objs->xa);
	if (obj->removing)
		ret = -ENOENT;
	else if (atomic_read(&obj->users))
		ret = -EBUSY;
	else
		WRITE_ONCE(obj->removing, true);
	xa_unlock(&objs->xa);
	if (ret)
		return ret;

	/* The reference of the caller and that for being published. */
	hyvh_obj_quiesce(objs, obj, 2);
	if (!atomic_read(&obj->users))
		return 0;
	/* A command that was waited for has created a child. */
	hyvh_obj_revive(objs, obj, 2);
	return -EBUSY;
}

/*
 * Undo hyvh_obj_remove() or hyvh_objs_take(), if the HCA's driver fails to
 * destroy the object. The guest can use it again.
 */
void hyvh_obj_restore(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	hyvh_obj_revive(objs, obj, 1);
}

/*
 * Free the handle of a removed object, which owns nothing. The caller frees the
 * object. Call this last, and hyvh_obj_unuse() for the parents before it: the
 * teardown of the owner waits for this and then destroys the parents.
 */
void hyvh_obj_erase(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	unsigned int i;

	for (i = 0; obj->owned && i < HYV_OBJ_TYPES; i++)
		WARN_ON_ONCE(!list_empty(&obj->owned[i]));
	hyvh_obj_drop(objs, obj);
	wake_up_all(&objs->wait);
}

/* The HCA's object of one with hyvh_obj.counts_on is gone. Any context. */
void hyvh_objs_uncount(struct hyvh_objs *objs, enum hyv_obj_type type)
{
	xa_lock(&objs->xa);
	hyvh_objs_account(objs, type, -1);
	xa_unlock(&objs->xa);
}

/*
 * Find an object of @type and @owner (any owner if NULL) and start to remove it.
 * Returns false if all of these objects are being removed by others.
 */
static bool hyvh_objs_pick(struct hyvh_objs *objs, enum hyv_obj_type type,
			   struct hyvh_obj *owner, struct hyvh_obj **pick)
{
	struct hyvh_obj *obj;
	bool wait = false;

	*pick = NULL;
	xa_lock(&objs->xa);
	if (owner) {
		list_for_each_entry(obj, &owner->owned[type], owner_link) {
			wait = obj->removing;
			if (!wait)
				goto found;
		}
	} else {
		list_for_each_entry(obj, &objs->published[type], type_link) {
			wait = obj->removing;
			if (!wait)
				goto found;
		}
	}
	xa_unlock(&objs->xa);
	return !wait;

found:
	WRITE_ONCE(obj->removing, true);
	xa_unlock(&objs->xa);
	*pick = obj;
	return true;
}

/**
 * hyvh_objs_take() - remove any object of a type for teardown
 * @objs: the table
 * @type: type of the object
 * @owner: owner of the object, or NULL for any; the caller has removed the
 *	owner, so it gets no new objects
 *
 * Like hyvh_obj_remove(), but needs no reference and ignores users, because the
 * caller takes children before their parents. If others are removing all of the
 * objects, waits for them. So no object is left when this returns NULL.
 *
 * Context: Process context. May sleep.
 * Return: the object, which the caller owns until hyvh_obj_restore() or
 * hyvh_obj_erase(); or NULL.
 */
struct hyvh_obj *hyvh_objs_take(struct hyvh_objs *objs, enum hyv_obj_type type,
				struct hyvh_obj *owner)
{
	struct hyvh_obj *obj;

	wait_event_idle(objs->wait, hyvh_objs_pick(objs, type, owner, &obj));
	if (obj)
		hyvh_obj_quiesce(objs, obj, 1);
	return obj;
}
