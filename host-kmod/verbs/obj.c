// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed handle table of one vNIC; the life cycle is in obj.h.
 */
#include <linux/bug.h>
#include <linux/gfp.h>

#include "verbs/obj.h"

/* Handles of the guest are positive ints to user space. */
#define HYVH_HANDLES	XA_LIMIT(1, INT_MAX)

/**
 * hyvh_objs_init() - start a table
 * @objs: the table; all maxima are 0
 */
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

/**
 * hyvh_objs_fini() - end a table
 * @objs: the table; empty, and nobody uses it any more
 */
void hyvh_objs_fini(struct hyvh_objs *objs)
{
	WARN_ON_ONCE(!xa_empty(&objs->xa));
	xa_destroy(&objs->xa);
}

/**
 * hyvh_objs_set_max() - limit the number of objects of a type
 * @objs: the table
 * @type: which objects
 * @max: the limit; what exists beyond it stays
 *
 * Context: process; takes the xa_lock.
 */
void hyvh_objs_set_max(struct hyvh_objs *objs, enum hyv_obj_type type, u32 max)
{
	xa_lock(&objs->xa);
	WRITE_ONCE(objs->max[type], max);
	xa_unlock(&objs->xa);
}

/**
 * hyvh_objs_count() - number of objects of a type, reserved ones included
 * @objs: the table
 * @type: which objects
 *
 * Context: any.
 * Return: the number.
 */
u32 hyvh_objs_count(const struct hyvh_objs *objs, enum hyv_obj_type type)
{
	return READ_ONCE(objs->count[type]);
}

/**
 * hyvh_objs_max() - limit of the number of objects of a type
 * @objs: the table
 * @type: which objects
 *
 * Context: any.
 * Return: the limit.
 */
u32 hyvh_objs_max(const struct hyvh_objs *objs, enum hyv_obj_type type)
{
	return READ_ONCE(objs->max[type]);
}

static void hyvh_objs_account(struct hyvh_objs *objs, enum hyv_obj_type type,
			      int delta)
{
	lockdep_assert_held(&objs->xa.xa_lock);
	WRITE_ONCE(objs->count[type], objs->count[type] + delta);
}

/*
 * One more reference to an object that a lock or another reference keeps from
 * being freed; published or not.
 */
static bool hyvh_obj_tryget(struct hyvh_obj *obj)
{
	/* Without the first test a busy worker could hold up a removal. */
	return !READ_ONCE(obj->removing) && refcount_inc_not_zero(&obj->refs);
}

/**
 * hyvh_obj_reserve() - get a handle for an object that is about to be made
 * @objs: the table
 * @obj: the object, zeroed memory; it is initialised
 * @type: its type
 * @owner: context that it will belong to, or NULL. The caller keeps its memory
 *	alive, by a reference to it or to something else that it owns.
 *
 * Nobody can find the object yet. Until hyvh_obj_publish() or hyvh_obj_abort() it
 * has a short-term reference to the owner, so that whoever removes the owner
 * waits for it, and finds it if it gets published.
 *
 * Context: process, may sleep; takes the xa_lock.
 * Return: 0, -EDQUOT at the type's limit, -ENOENT when somebody removes the
 * owner, -ENOMEM.
 */
int hyvh_obj_reserve(struct hyvh_objs *objs, struct hyvh_obj *obj,
		     enum hyv_obj_type type, struct hyvh_obj *owner)
{
	unsigned int i;
	int ret;

	if (owner && !hyvh_obj_tryget(owner))
		return -ENOENT;
	obj->type = type;
	obj->owner = owner;
	refcount_set(&obj->refs, 0);
	atomic_set(&obj->users, 0);
	obj->removing = false;
	INIT_LIST_HEAD(&obj->type_link);
	INIT_LIST_HEAD(&obj->owner_link);
	for (i = 0; i < HYV_OBJ_TYPES; i++)
		INIT_LIST_HEAD(&obj->owned[i]);

	xa_lock(&objs->xa);
	if (objs->count[type] >= objs->max[type]) {
		ret = -EDQUOT;
		goto unlock;
	}
	/* First, because the allocation may drop the lock for a while. */
	hyvh_objs_account(objs, type, 1);
	ret = __xa_alloc_cyclic(&objs->xa, &obj->handle, XA_ZERO_ENTRY,
				HYVH_HANDLES, &objs->next_handle, GFP_KERNEL);
	if (ret < 0) {
		hyvh_objs_account(objs, type, -1);
		/* All handles in use: not a matter of the type's limit. */
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

/**
 * hyvh_obj_publish() - let the guest use an object
 * @objs: the table
 * @obj: the object, reserved and complete. The caller must not touch it
 *	afterwards without a reference: another command may remove it at once.
 *
 * Context: process; takes the xa_lock.
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
	hyvh_objs_account(objs, obj->type, -1);
	xa_unlock(&objs->xa);
}

/**
 * hyvh_obj_abort() - undo hyvh_obj_reserve()
 * @objs: the table
 * @obj: the object, not published; its memory is the caller's
 *
 * Context: process; takes the xa_lock.
 */
void hyvh_obj_abort(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	hyvh_obj_drop(objs, obj);
	if (obj->owner)
		hyvh_obj_put(objs, obj->owner);
}

/**
 * hyvh_obj_get() - find an object by what the guest calls it
 * @objs: the table
 * @handle: any value
 * @type: any value; only an object of this type is found
 *
 * Context: process; takes the xa_lock.
 * Return: the object with a short-term reference for hyvh_obj_put(), or NULL
 * when there is none, it is of another type, or somebody removes it.
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

/**
 * hyvh_obj_get_slot() - find an object by a slot that it has besides its handle
 * @slots: slot to object; who erases an object removes it from here first
 * @slot: any value
 *
 * Context: process; takes the slots' xa_lock.
 * Return: the object with a short-term reference for hyvh_obj_put(), or NULL
 * when there is none or somebody removes it.
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

/**
 * hyvh_obj_put() - give a short-term reference back
 * @objs: the table
 * @obj: the object; may be gone when this returns
 *
 * Context: any.
 */
void hyvh_obj_put(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	/* Whoever removes the object may free it as soon as the count is 0. */
	if (refcount_dec_and_test(&obj->refs))
		wake_up_all(&objs->wait);
}

/*
 * Give up @refs references of the one who has set obj->removing, and wait until
 * the others are gone too.
 */
static void hyvh_obj_quiesce(struct hyvh_objs *objs, struct hyvh_obj *obj,
			     int refs)
{
	if (refcount_sub_and_test(refs, &obj->refs))
		return;
	wait_event(objs->wait, !refcount_read(&obj->refs));
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
 * hyvh_obj_remove() - take an object away from the guest
 * @objs: the table
 * @obj: the object; the caller holds one short-term reference, which is gone
 *	after success and stays after an error
 *
 * Waits, uninterruptibly, until all other short-term references are gone.
 * After success the object belongs to the caller alone, until hyvh_obj_restore()
 * or hyvh_obj_erase().
 *
 * Context: process, may sleep; takes the xa_lock.
 * Return: 0, -EBUSY when a child object uses it, -ENOENT when somebody else
 * removes it.
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

	/* That of the caller and that of being published. */
	hyvh_obj_quiesce(objs, obj, 2);
	if (!atomic_read(&obj->users))
		return 0;
	/* One of those waited for has made a child. */
	hyvh_obj_revive(objs, obj, 2);
	return -EBUSY;
}

/**
 * hyvh_obj_restore() - undo hyvh_obj_remove() or hyvh_objs_take()
 * @objs: the table
 * @obj: the object; it is the guest's again, under the same handle
 *
 * For when the HCA refuses to destroy it.
 *
 * Context: process; takes the xa_lock.
 */
void hyvh_obj_restore(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	hyvh_obj_revive(objs, obj, 1);
}

/**
 * hyvh_obj_erase() - forget an object
 * @objs: the table
 * @obj: the object, removed, and owner of nothing; its memory is the caller's
 *
 * The last step: only now the handle is free and the object not counted, and
 * whoever tears down the owner goes on to destroy what the object used. So
 * hyvh_obj_unuse() of the parents comes before this.
 *
 * Context: process; takes the xa_lock.
 */
void hyvh_obj_erase(struct hyvh_objs *objs, struct hyvh_obj *obj)
{
	unsigned int i;

	for (i = 0; i < HYV_OBJ_TYPES; i++)
		WARN_ON_ONCE(!list_empty(&obj->owned[i]));
	hyvh_obj_drop(objs, obj);
	wake_up_all(&objs->wait);
}

/*
 * Find an object of @type and @owner (or any, if NULL) that nobody removes, and
 * mark it. Returns false when others are removing all that exist.
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
 * hyvh_objs_take() - take any object of a type away, to tear down
 * @objs: the table
 * @type: which objects
 * @owner: only those of this owner, unless NULL. The caller has removed the
 *	owner, so that it gets no new ones.
 *
 * As hyvh_obj_remove(), but needs no reference and does not look at users: the
 * caller takes children before their parents. When all that is left is being
 * removed by others, waits for the outcome; so nothing is left when it returns
 * NULL.
 *
 * Context: process, may sleep; takes the xa_lock.
 * Return: the object, which belongs to the caller alone until
 * hyvh_obj_restore() or hyvh_obj_erase(), or NULL.
 */
struct hyvh_obj *hyvh_objs_take(struct hyvh_objs *objs, enum hyv_obj_type type,
				struct hyvh_obj *owner)
{
	struct hyvh_obj *obj;

	wait_event(objs->wait, hyvh_objs_pick(objs, type, owner, &obj));
	if (obj)
		hyvh_obj_quiesce(objs, obj, 1);
	return obj;
}
