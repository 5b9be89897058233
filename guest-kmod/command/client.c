// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: the processes that send commands, and the kernel; and their users.
 *
 * Credits are shared by process and not by context, because a process can open
 * any number of contexts; and first by user, because a user can have any number of
 * processes.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "command/client.h"
#include "command/cmdq.h"

/*
 * A user namespace may give its owner any number of further user IDs. All of them
 * count for the owner of the outermost one.
 */
static kuid_t vhyv_current_user(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	if (current->flags & PF_KTHREAD)
		return INVALID_UID;
	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static struct pid *vhyv_current_process(void)
{
	return current->flags & PF_KTHREAD ? NULL : task_tgid(current);
}

static struct vhyv_user *vhyv_user_find(struct vhyv_cmdq *q, kuid_t uid)
{
	struct vhyv_user *user;

	lockdep_assert_held(&q->lock);
	hash_for_each_possible(q->users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct vhyv_user *vhyv_user_new(kuid_t uid, gfp_t gfp)
{
	struct vhyv_user *user;
	size_t i;

	user = kzalloc(sizeof(*user), gfp);
	if (!user)
		return NULL;
	user->uid = uid;
	for (i = 0; i < ARRAY_SIZE(user->party); i++)
		vhyv_party_init(&user->party[i]);
	return user;
}

/* Returns another reference to the client that is the caller, or NULL. */
static struct vhyv_client *vhyv_client_find(struct vhyv_cmdq *q)
{
	const struct pid *tgid = vhyv_current_process();
	kuid_t uid = vhyv_current_user();
	struct vhyv_client *client;

	lockdep_assert_held(&q->lock);
	hash_for_each_possible(q->clients, client, node, (unsigned long)tgid) {
		if (client->tgid == tgid && uid_eq(client->user->uid, uid)) {
			client->refs++;
			return client;
		}
	}
	return NULL;
}

/* Returns a client that is the caller, with a user of its own. */
static struct vhyv_client *vhyv_client_new(gfp_t gfp)
{
	struct vhyv_client *client;

	client = kzalloc(sizeof(*client), gfp);
	if (!client)
		return NULL;
	client->user = vhyv_user_new(vhyv_current_user(), gfp);
	if (!client->user) {
		kfree(client);
		return NULL;
	}
	client->tgid = get_pid(vhyv_current_process());
	client->refs = 1;
	return client;
}

/* Enter a new client. Returns its user for the caller to free, if that is known. */
static struct vhyv_user *vhyv_client_add(struct vhyv_cmdq *q,
					 struct vhyv_client *client)
{
	struct vhyv_user *user = client->user, *known;
	size_t i;

	known = vhyv_user_find(q, user->uid);
	if (known)
		client->user = known;
	else
		hash_add(q->users, &user->node, __kuid_val(user->uid));
	client->user->refs++;
	for (i = 0; i < ARRAY_SIZE(client->share); i++)
		vhyv_share_init(&client->share[i], &client->user->party[i]);
	hash_add(q->clients, &client->node, (unsigned long)client->tgid);
	return known ? user : NULL;
}

/* Returns the user for the caller to free, if this was its last client. */
static struct vhyv_user *vhyv_client_del(struct vhyv_client *client)
{
	struct vhyv_user *user = client->user;

	hash_del(&client->node);
	if (--user->refs)
		return NULL;
	hash_del(&user->node);
	return user;
}

static void vhyv_client_free(struct vhyv_client *client, struct vhyv_user *user)
{
	kfree(user);
	if (!client)
		return;
	put_pid(client->tgid);
	kfree(client);
}

/* Return a reference to the client that is the caller, or NULL. May sleep. */
struct vhyv_client *vhyv_client_get(struct vhyv_cmdq *q, gfp_t gfp)
{
	struct vhyv_client *client, *new;
	struct vhyv_user *user;

	spin_lock_irq(&q->lock);
	client = vhyv_client_find(q);
	spin_unlock_irq(&q->lock);
	if (client)
		return client;

	new = vhyv_client_new(gfp);
	if (!new)
		return NULL;
	user = new->user;
	/* Another thread of the process may have been faster. */
	spin_lock_irq(&q->lock);
	client = vhyv_client_find(q);
	if (!client) {
		client = new;
		new = NULL;
		user = vhyv_client_add(q, client);
	}
	spin_unlock_irq(&q->lock);
	vhyv_client_free(new, user);
	return client;
}

/* Take another reference. */
void vhyv_client_hold(struct vhyv_cmdq *q, struct vhyv_client *client)
{
	spin_lock_irq(&q->lock);
	client->refs++;
	spin_unlock_irq(&q->lock);
}

void vhyv_client_put(struct vhyv_cmdq *q, struct vhyv_client *client)
{
	struct vhyv_user *user = NULL;
	bool last;

	spin_lock_irq(&q->lock);
	last = !--client->refs;
	if (last)
		user = vhyv_client_del(client);
	spin_unlock_irq(&q->lock);
	if (last)
		vhyv_client_free(client, user);
}
