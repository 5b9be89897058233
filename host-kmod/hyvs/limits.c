// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs of objects, and limits on the objects of a device and of a user: they cost
 * memory of the kernel, and contexts a thread, that no other limit covers.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "hyvs/hyvs.h"

static unsigned int max_contexts_per_user = 1024;
module_param(max_contexts_per_user, uint, 0644);
MODULE_PARM_DESC(max_contexts_per_user,
		 "Maximum number of contexts that a user may have of a device (default: 1024)");

const u32 hyvs_max_objects[HYVS_KINDS] = {
	[HYVS_PD] = 65536,
	[HYVS_KEY] = 1 << 21,
	[HYVS_CQ] = 65536,
	[HYVS_SRQ] = 65536,
	[HYVS_QP] = 65536,
	[HYVS_MEMBER] = 4096,
	[HYVS_XRCD] = 65536,
};

/* A user with contexts. */
struct hyvs_user {
	struct list_head link;		/* in dev->users */
	kuid_t uid;
	unsigned int contexts;		/* protected by dev->users_lock */
	atomic_t used[HYVS_KINDS];
};

/*
 * A user namespace may give its owner any number of further user IDs. All of them
 * count for the owner of the outermost one.
 */
static kuid_t hyvs_current_uid(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/* Find a user, or else add *@new, which is set to NULL then. */
static struct hyvs_user *hyvs_user_find(struct hyvs_device *dev, kuid_t uid,
					struct hyvs_user **new)
{
	struct hyvs_user *user;

	lockdep_assert_held(&dev->users_lock);
	list_for_each_entry(user, &dev->users, link)
		if (uid_eq(user->uid, uid))
			return user;
	user = *new;
	*new = NULL;
	user->uid = uid;
	list_add(&user->link, &dev->users);
	return user;
}

static void hyvs_user_clean(struct hyvs_device *dev, struct hyvs_user *user)
{
	lockdep_assert_held(&dev->users_lock);
	if (user->contexts)
		return;
	list_del(&user->link);
	kfree(user);
}

struct hyvs_user *hyvs_user_get(struct hyvs_device *dev)
{
	struct hyvs_user *user, *new;

	/* Not under the lock: it may wait for the caller's memory cgroup. */
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&dev->users_lock);
	user = hyvs_user_find(dev, hyvs_current_uid(), &new);
	if (user->contexts < READ_ONCE(max_contexts_per_user)) {
		user->contexts++;
	} else {
		hyvs_user_clean(dev, user);
		user = ERR_PTR(-EDQUOT);
	}
	mutex_unlock(&dev->users_lock);
	kfree(new);
	return user;
}

int hyvs_user_hold(struct hyvs_device *dev, struct hyvs_user *user)
{
	int ret = -EDQUOT;

	mutex_lock(&dev->users_lock);
	if (user->contexts < READ_ONCE(max_contexts_per_user)) {
		user->contexts++;
		ret = 0;
	}
	mutex_unlock(&dev->users_lock);
	return ret;
}

void hyvs_user_put(struct hyvs_device *dev, struct hyvs_user *user)
{
	mutex_lock(&dev->users_lock);
	user->contexts--;
	hyvs_user_clean(dev, user);
	mutex_unlock(&dev->users_lock);
}

/* No user can take all of a device. */
int hyvs_charge(struct hyvs_device *dev, struct hyvs_user *user,
		enum hyvs_kind kind)
{
	u32 max = hyvs_max_objects[kind];

	if (!atomic_add_unless(&user->used[kind], 1, max / 2))
		return -EDQUOT;
	if (!atomic_add_unless(&dev->ids[kind].used, 1, max)) {
		atomic_dec(&user->used[kind]);
		return -ENOMEM;
	}
	return 0;
}

void hyvs_uncharge(struct hyvs_device *dev, struct hyvs_user *user,
		   enum hyvs_kind kind)
{
	atomic_dec(&dev->ids[kind].used);
	atomic_dec(&user->used[kind]);
}

int hyvs_id_alloc_for(struct hyvs_device *dev, struct hyvs_user *user,
		      enum hyvs_kind kind, void *object, struct hyvs_id *id)
{
	struct hyvs_ids *ids = &dev->ids[kind];
	int ret;

	ret = hyvs_charge(dev, user, kind);
	if (ret)
		return ret;
	/* The last one means "any" or "many" as the number of a QP. */
	ret = xa_alloc_cyclic(&ids->xa, &id->id, object,
			      XA_LIMIT(16, ENG_MAX_IDS - 2), &ids->next,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		hyvs_uncharge(dev, user, kind);
		return ret;
	}
	id->user = user;
	return 0;
}

int hyvs_id_alloc(struct hyvs_ucontext *uctx, enum hyvs_kind kind, void *object,
		  struct hyvs_id *id)
{
	return hyvs_id_alloc_for(to_hyvs_device(uctx->ib.device), uctx->user,
				 kind, object, id);
}

void hyvs_id_free(struct hyvs_device *dev, enum hyvs_kind kind,
		  const struct hyvs_id *id)
{
	xa_erase(&dev->ids[kind].xa, id->id);
	hyvs_uncharge(dev, id->user, kind);
}

void hyvs_limits_init(struct hyvs_device *dev)
{
	unsigned int i;

	for (i = 0; i < HYVS_KINDS; i++)
		xa_init_flags(&dev->ids[i].xa, XA_FLAGS_ALLOC);
	mutex_init(&dev->users_lock);
	INIT_LIST_HEAD(&dev->users);
}

void hyvs_limits_destroy(struct hyvs_device *dev)
{
	unsigned int i;

	for (i = 0; i < HYVS_KINDS; i++)
		xa_destroy(&dev->ids[i].xa);
	mutex_destroy(&dev->users_lock);
}
