// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limit on the vNICs of a user, each of which costs memory and a kernel thread
 * that no other limit covers.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "vnic_limit.h"

static unsigned int max_vnics_per_user = 1024;
module_param(max_vnics_per_user, uint, 0644);
MODULE_PARM_DESC(max_vnics_per_user,
		 "Maximum number of vNICs that a user may have attached (default: 1024)");

/* A user with vNICs. */
struct hyvh_user {
	struct list_head node;		/* in hyvh_users */
	kuid_t uid;
	unsigned int nr_vnics;
};

/* Protects hyvh_users and the elements. */
static DEFINE_MUTEX(hyvh_users_lock);
static LIST_HEAD(hyvh_users);

static struct hyvh_user *hyvh_user_get(kuid_t uid)
{
	struct hyvh_user *user;

	lockdep_assert_held(&hyvh_users_lock);
	list_for_each_entry(user, &hyvh_users, node)
		if (uid_eq(user->uid, uid))
			return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return NULL;
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

/*
 * Count a vNIC of the calling user. Returns the user, for hyvh_user_uncharge(),
 * ERR_PTR(-EDQUOT), or ERR_PTR(-ENOMEM). Process context, may sleep.
 */
struct hyvh_user *hyvh_user_charge(void)
{
	struct hyvh_user *user;

	mutex_lock(&hyvh_users_lock);
	user = hyvh_user_get(current_uid());
	if (!user) {
		user = ERR_PTR(-ENOMEM);
	} else if (user->nr_vnics < READ_ONCE(max_vnics_per_user)) {
		user->nr_vnics++;
	} else {
		hyvh_user_put(user);
		user = ERR_PTR(-EDQUOT);
	}
	mutex_unlock(&hyvh_users_lock);
	return user;
}

/* Process context. May sleep. */
void hyvh_user_uncharge(struct hyvh_user *user)
{
	mutex_lock(&hyvh_users_lock);
	user->nr_vnics--;
	hyvh_user_put(user);
	mutex_unlock(&hyvh_users_lock);
}
