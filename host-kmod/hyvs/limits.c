// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs of objects, and limits on the objects of a device, of a user and of a process:
 * they cost memory of the kernel, and contexts a thread, that no other limit covers.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "hyvs/hyvs.h"

static unsigned int max_contexts_per_user = 1024;
module_param(max_contexts_per_user, uint, 0644);
MODULE_PARM_DESC(max_contexts_per_user,
		 "Maximum number of contexts and XRC domains that a user may have of a device; a process may have as many as it leaves to the user's others (default: 1024)");

const u32 hyvs_max_objects[HYVS_KINDS] = {
	[HYVS_PD] = 65536,
	[HYVS_KEY] = 1 << 21,
	[HYVS_CQ] = 65536,
	[HYVS_SRQ] = 65536,
	[HYVS_QP] = 65536,
	[HYVS_MEMBER] = 4096,
	/* Each counts as a context, too; that limit must not be the lower one. */
	[HYVS_XRCD] = 1024,
};

/* A user with contexts. Counts are protected by dev->limits_lock. */
struct hyvs_user {
	struct list_head link;		/* in dev->users */
	struct list_head processes;
	kuid_t uid;
	unsigned int contexts;
	u32 used[HYVS_KINDS];
};

/*
 * A process of a user with contexts, or whose XRC targets outlive them. VMMs of one user
 * are parties of their own: a guest must not take what the user's other guests need.
 */
struct hyvs_process {
	struct list_head link;		/* in user->processes */
	struct hyvs_user *user;
	struct pid *tgid;
	unsigned int contexts;
	unsigned int targets;
	u32 used[HYVS_KINDS];
	bool starved;			/* one of its workers has */
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

/*
 * A process may have as much of what its user may have as it leaves to the user's
 * others: one alone half, the next one a quarter.
 */
bool hyvs_may_have(u32 process_used, u32 user_used, u32 user_max)
{
	return user_used < user_max && process_used < user_max - user_used;
}

static struct hyvs_user *hyvs_user_find(struct hyvs_device *dev, kuid_t uid)
{
	struct hyvs_user *user;

	lockdep_assert_held(&dev->limits_lock);
	list_for_each_entry(user, &dev->users, link)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

bool *hyvs_process_starved(struct hyvs_process *process)
{
	return &process->starved;
}

bool hyvs_same_user(const struct hyvs_process *a, const struct hyvs_process *b)
{
	return a->user == b->user;
}

static struct hyvs_process *hyvs_process_find(struct hyvs_device *dev,
					      const struct hyvs_process *same)
{
	struct hyvs_process *process;
	struct hyvs_user *user = hyvs_user_find(dev, same->user->uid);

	if (!user)
		return NULL;
	list_for_each_entry(process, &user->processes, link)
		if (process->tgid == same->tgid)
			return process;
	return NULL;
}

/* Returns the user of @process for the caller to free, if there is one already. */
static struct hyvs_user *hyvs_process_add(struct hyvs_device *dev,
					  struct hyvs_process *process)
{
	struct hyvs_user *user = process->user, *known;

	known = hyvs_user_find(dev, user->uid);
	if (known)
		process->user = known;
	else
		list_add(&user->link, &dev->users);
	list_add(&process->link, &process->user->processes);
	return known ? user : NULL;
}

/* Structures without use, which are freed without the lock. */
struct hyvs_unused {
	struct hyvs_process *process;
	struct hyvs_user *user;
};

static void hyvs_process_clean(struct hyvs_device *dev,
			       struct hyvs_process *process,
			       struct hyvs_unused *unused)
{
	struct hyvs_user *user = process->user;

	lockdep_assert_held(&dev->limits_lock);
	if (process->contexts || process->targets)
		return;
	list_del(&process->link);
	unused->process = process;
	if (!list_empty(&user->processes))
		return;
	list_del(&user->link);
	unused->user = user;
}

static void hyvs_free_unused(const struct hyvs_unused *unused)
{
	if (unused->process)
		put_pid(unused->process->tgid);
	kfree(unused->process);
	kfree(unused->user);
}

/* Returns a new process that is the caller, with a user of its own. */
static struct hyvs_process *hyvs_process_new(void)
{
	struct hyvs_process *process;

	process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
	if (!process)
		return NULL;
	process->user = kzalloc(sizeof(*process->user), GFP_KERNEL_ACCOUNT);
	if (!process->user) {
		kfree(process);
		return NULL;
	}
	INIT_LIST_HEAD(&process->user->processes);
	process->user->uid = hyvs_current_uid();
	process->tgid = get_pid(task_tgid(current));
	return process;
}

/* The caller, which is @new unless it has been here before. */
static struct hyvs_process *hyvs_process_known(struct hyvs_device *dev,
					       struct hyvs_process *new,
					       struct hyvs_unused *unused)
{
	struct hyvs_process *process = hyvs_process_find(dev, new);

	if (!process) {
		unused->user = hyvs_process_add(dev, new);
		return new;
	}
	unused->process = new;
	unused->user = new->user;
	return process;
}

struct hyvs_process *hyvs_process_get(struct hyvs_device *dev)
{
	struct hyvs_process *process, *new = hyvs_process_new();
	u32 max = READ_ONCE(max_contexts_per_user);
	struct hyvs_unused unused = {};

	if (!new)
		return ERR_PTR(-ENOMEM);
	spin_lock(&dev->limits_lock);
	process = hyvs_process_known(dev, new, &unused);
	if (hyvs_may_have(process->contexts, process->user->contexts, max)) {
		process->contexts++;
		process->user->contexts++;
	} else {
		hyvs_process_clean(dev, process, &unused);
		process = ERR_PTR(-EDQUOT);
	}
	spin_unlock(&dev->limits_lock);
	hyvs_free_unused(&unused);
	return process;
}

int hyvs_process_hold(struct hyvs_device *dev, struct hyvs_process *process)
{
	u32 max = READ_ONCE(max_contexts_per_user);
	int ret = -EDQUOT;

	spin_lock(&dev->limits_lock);
	if (hyvs_may_have(process->contexts, process->user->contexts, max)) {
		process->contexts++;
		process->user->contexts++;
		ret = 0;
	}
	spin_unlock(&dev->limits_lock);
	return ret;
}

void hyvs_process_put(struct hyvs_device *dev, struct hyvs_process *process)
{
	struct hyvs_unused unused = {};

	spin_lock(&dev->limits_lock);
	process->contexts--;
	process->user->contexts--;
	hyvs_process_clean(dev, process, &unused);
	spin_unlock(&dev->limits_lock);
	hyvs_free_unused(&unused);
}

/* No user can take all of a device, and no process all that a user may have. */
int hyvs_charge(struct hyvs_device *dev, struct hyvs_process *process,
		enum hyvs_kind kind)
{
	struct hyvs_user *user = process->user;
	u32 max = hyvs_max_objects[kind];
	int ret = 0;

	spin_lock(&dev->limits_lock);
	if (!hyvs_may_have(process->used[kind], user->used[kind], max / 2)) {
		ret = -EDQUOT;
	} else if (dev->ids[kind].used == max) {
		ret = -ENOMEM;
	} else {
		process->used[kind]++;
		user->used[kind]++;
		dev->ids[kind].used++;
	}
	spin_unlock(&dev->limits_lock);
	return ret;
}

void hyvs_uncharge(struct hyvs_device *dev, struct hyvs_process *process,
		   enum hyvs_kind kind)
{
	spin_lock(&dev->limits_lock);
	dev->ids[kind].used--;
	process->user->used[kind]--;
	process->used[kind]--;
	spin_unlock(&dev->limits_lock);
}

int hyvs_id_alloc_for(struct hyvs_device *dev, struct hyvs_process *process,
		      enum hyvs_kind kind, void *object, struct hyvs_id *id)
{
	struct hyvs_ids *ids = &dev->ids[kind];
	int ret;

	ret = hyvs_charge(dev, process, kind);
	if (ret)
		return ret;
	/* The last one means "any" or "many" as the number of a QP. */
	ret = xa_alloc_cyclic(&ids->xa, &id->id, object,
			      XA_LIMIT(16, ENG_MAX_IDS - 2), &ids->next,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		hyvs_uncharge(dev, process, kind);
		return ret;
	}
	id->process = process;
	return 0;
}

int hyvs_id_alloc(struct hyvs_ucontext *uctx, enum hyvs_kind kind, void *object,
		  struct hyvs_id *id)
{
	return hyvs_id_alloc_for(to_hyvs_device(uctx->ib.device), uctx->process,
				 kind, object, id);
}

void hyvs_id_free(struct hyvs_device *dev, enum hyvs_kind kind,
		  const struct hyvs_id *id)
{
	xa_erase(&dev->ids[kind].xa, id->id);
	hyvs_uncharge(dev, id->process, kind);
}

static void hyvs_target_put(struct hyvs_device *dev,
			    struct hyvs_process *process)
{
	struct hyvs_unused unused = {};

	spin_lock(&dev->limits_lock);
	process->targets--;
	hyvs_process_clean(dev, process, &unused);
	spin_unlock(&dev->limits_lock);
	hyvs_free_unused(&unused);
}

int hyvs_target_id_alloc(struct hyvs_device *dev, void *object,
			 struct hyvs_id *id)
{
	struct hyvs_process *process, *new = hyvs_process_new();
	struct hyvs_unused unused = {};
	int ret;

	if (!new)
		return -ENOMEM;
	spin_lock(&dev->limits_lock);
	process = hyvs_process_known(dev, new, &unused);
	process->targets++;
	spin_unlock(&dev->limits_lock);
	hyvs_free_unused(&unused);
	ret = hyvs_id_alloc_for(dev, process, HYVS_QP, object, id);
	if (ret)
		hyvs_target_put(dev, process);
	return ret;
}

void hyvs_target_id_free(struct hyvs_device *dev, const struct hyvs_id *id)
{
	struct hyvs_process *process = id->process;

	hyvs_id_free(dev, HYVS_QP, id);
	hyvs_target_put(dev, process);
}

void hyvs_limits_init(struct hyvs_device *dev)
{
	unsigned int i;

	for (i = 0; i < HYVS_KINDS; i++)
		xa_init_flags(&dev->ids[i].xa, XA_FLAGS_ALLOC);
	spin_lock_init(&dev->limits_lock);
	INIT_LIST_HEAD(&dev->users);
}

void hyvs_limits_destroy(struct hyvs_device *dev)
{
	unsigned int i;

	for (i = 0; i < HYVS_KINDS; i++)
		xa_destroy(&dev->ids[i].xa);
}
