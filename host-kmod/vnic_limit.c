// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits that several vNICs share: on the vNICs of a user, each of which costs
 * memory and a kernel thread that no other limit covers; on the MRs of a VMM,
 * whose vNICs can all pin the same page; and on the mappings in a VMM, for
 * which the kernel has one limit for each process.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "memory/quota.h"
#include "vnic_limit.h"

static unsigned int max_vnics_per_user = 1024;
module_param(max_vnics_per_user, uint, 0644);
MODULE_PARM_DESC(max_vnics_per_user,
		 "Maximum number of vNICs that a user may have attached (default: 1024)");

static unsigned int max_mrs_per_vmm = HYVH_MAX_VMM_MRS;
module_param(max_mrs_per_vmm, uint, 0644);
MODULE_PARM_DESC(max_mrs_per_vmm,
		 "Maximum number of memory regions, queues in guest memory and pages of doorbell records of all vNICs of a VMM that attaches its first one now (default and maximum: 262144)");

/* An eighth of the mappings that a process may have by default. */
#define HYVH_MAX_VMM_STITCH_VMAS	8192

/* A user with vNICs. */
struct hyvh_user {
	struct list_head node;		/* in hyvh_users */
	kuid_t uid;
	unsigned int nr_vnics;
};

/* The users for whom a vNIC counts, each once. */
struct hyvh_user_charge {
	unsigned int nr;
	struct hyvh_user *user[];	/* the charge keeps them */
};

/* A process with vNICs. */
struct hyvh_vmm {
	struct list_head node;		/* in hyvh_vmms */
	struct mm_struct *mm;		/* the vNICs keep it */
	unsigned int nr_vnics;
	/* These have locks of their own. */
	struct hyvh_quota mrs;
	struct hyvh_quota stitch_vmas;
	atomic64_t stitched_pages;
};

/* Protects both lists and their elements. */
static DEFINE_MUTEX(hyvh_users_lock);
static LIST_HEAD(hyvh_users);
static LIST_HEAD(hyvh_vmms);

/* Find a user, or else add *@new, which is set to NULL then. */
static struct hyvh_user *hyvh_user_find(kuid_t uid, struct hyvh_user **new)
{
	struct hyvh_user *user;

	lockdep_assert_held(&hyvh_users_lock);
	list_for_each_entry(user, &hyvh_users, node)
		if (uid_eq(user->uid, uid))
			return user;
	user = *new;
	*new = NULL;
	user->uid = uid;
	list_add(&user->node, &hyvh_users);
	return user;
}

static void hyvh_user_put(struct hyvh_user *user)
{
	lockdep_assert_held(&hyvh_users_lock);
	if (user->nr_vnics)
		return;
	list_del(&user->node);
	kfree(user);
}

/* Returns the user, ERR_PTR(-EDQUOT), or ERR_PTR(-ENOMEM). */
static struct hyvh_user *hyvh_user_add_vnic(kuid_t uid)
{
	struct hyvh_user *user, *new;

	/* Not under the lock: it may wait for the caller's memory cgroup. */
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&hyvh_users_lock);
	user = hyvh_user_find(uid, &new);
	if (user->nr_vnics < READ_ONCE(max_vnics_per_user)) {
		user->nr_vnics++;
	} else {
		hyvh_user_put(user);
		user = ERR_PTR(-EDQUOT);
	}
	mutex_unlock(&hyvh_users_lock);
	kfree(new);
	return user;
}

/* Once for each user. */
static int hyvh_user_charge_uid(struct hyvh_user_charge *charge, kuid_t uid)
{
	struct hyvh_user *user;
	unsigned int i;

	for (i = 0; i < charge->nr; i++)
		if (uid_eq(charge->user[i]->uid, uid))
			return 0;
	user = hyvh_user_add_vnic(uid);
	if (IS_ERR(user))
		return PTR_ERR(user);
	charge->user[charge->nr++] = user;
	return 0;
}

/*
 * Count a vNIC of the calling user. A user namespace may give its owner any
 * number of further user IDs. So the vNIC counts for the owners of all user
 * namespaces around the caller as well, like what the kernel limits by ucounts.
 *
 * Process context, may sleep. Returns what to pass to hyvh_user_uncharge(),
 * ERR_PTR(-EDQUOT), or ERR_PTR(-ENOMEM).
 */
struct hyvh_user_charge *hyvh_user_charge(void)
{
	struct user_namespace *ns = current_user_ns();
	struct hyvh_user_charge *charge;
	int ret;

	charge = kzalloc(struct_size(charge, user, ns->level + 1),
			 GFP_KERNEL_ACCOUNT);
	if (!charge)
		return ERR_PTR(-ENOMEM);
	ret = hyvh_user_charge_uid(charge, current_uid());
	for (; !ret && ns->parent; ns = ns->parent)
		ret = hyvh_user_charge_uid(charge, ns->owner);
	if (ret) {
		hyvh_user_uncharge(charge);
		return ERR_PTR(ret);
	}
	return charge;
}

/* Process context. May sleep. */
void hyvh_user_uncharge(struct hyvh_user_charge *charge)
{
	unsigned int i;

	mutex_lock(&hyvh_users_lock);
	for (i = 0; i < charge->nr; i++) {
		charge->user[i]->nr_vnics--;
		hyvh_user_put(charge->user[i]);
	}
	mutex_unlock(&hyvh_users_lock);
	kfree(charge);
}

/* Return how many vNICs count for a user. Process context, may sleep. */
void hyvh_user_usage(kuid_t uid, u64 *used, u64 *max)
{
	struct hyvh_user *user;

	*used = 0;
	*max = READ_ONCE(max_vnics_per_user);
	mutex_lock(&hyvh_users_lock);
	list_for_each_entry(user, &hyvh_users, node)
		if (uid_eq(user->uid, uid))
			*used = user->nr_vnics;
	mutex_unlock(&hyvh_users_lock);
}

static struct hyvh_vmm *hyvh_vmm_find(struct mm_struct *mm,
				      struct hyvh_vmm **new)
{
	struct hyvh_vmm *vmm;

	lockdep_assert_held(&hyvh_users_lock);
	list_for_each_entry(vmm, &hyvh_vmms, node)
		if (vmm->mm == mm)
			return vmm;
	vmm = *new;
	*new = NULL;
	vmm->mm = mm;
	hyvh_quota_init(&vmm->mrs, min_t(u64, READ_ONCE(max_mrs_per_vmm),
					 HYVH_MAX_VMM_MRS));
	hyvh_quota_init(&vmm->stitch_vmas, HYVH_MAX_VMM_STITCH_VMAS);
	atomic64_set(&vmm->stitched_pages, 0);
	list_add(&vmm->node, &hyvh_vmms);
	return vmm;
}

/*
 * Find what the vNICs of a VMM share, for another one, which keeps @mm longer.
 * Returns NULL if out of memory. Process context, may sleep.
 */
struct hyvh_vmm *hyvh_vmm_get(struct mm_struct *mm)
{
	struct hyvh_vmm *vmm, *new;

	/* Not under the lock, as for users. */
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	mutex_lock(&hyvh_users_lock);
	vmm = hyvh_vmm_find(mm, &new);
	vmm->nr_vnics++;
	mutex_unlock(&hyvh_users_lock);
	kfree(new);
	return vmm;
}

/* Process context. May sleep. */
void hyvh_vmm_put(struct hyvh_vmm *vmm)
{
	mutex_lock(&hyvh_users_lock);
	if (!--vmm->nr_vnics) {
		list_del(&vmm->node);
		kfree(vmm);
	}
	mutex_unlock(&hyvh_users_lock);
}

/* The number of MRs of all vNICs of a VMM. */
struct hyvh_quota *hyvh_vmm_mrs(struct hyvh_vmm *vmm)
{
	return &vmm->mrs;
}

/* The number of mappings that requests of all vNICs of a VMM make in it. */
struct hyvh_quota *hyvh_vmm_stitch_vmas(struct hyvh_vmm *vmm)
{
	return &vmm->stitch_vmas;
}

/* The number of pages that requests of all vNICs of a VMM pin to stitch them. */
atomic64_t *hyvh_vmm_stitched_pages(struct hyvh_vmm *vmm)
{
	return &vmm->stitched_pages;
}
