// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: the processes that send commands, and the kernel.
 *
 * Slots are shared by process and not by context, because a process can open
 * any number of contexts.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "command/client.h"
#include "command/cmdq.h"

static struct vhyv_client *vhyv_client_find(struct vhyv_cmdq *q,
					    const struct pid *tgid)
{
	struct vhyv_client *client;

	lockdep_assert_held(&q->lock);
	hash_for_each_possible(q->clients, client, node, (unsigned long)tgid) {
		if (client->tgid == tgid) {
			client->refs++;
			return client;
		}
	}
	return NULL;
}

static struct vhyv_client *vhyv_client_new(struct pid *tgid, gfp_t gfp)
{
	struct vhyv_client *client;
	size_t i;

	client = kzalloc(sizeof(*client), gfp);
	if (!client)
		return NULL;
	client->tgid = get_pid(tgid);
	client->refs = 1;
	for (i = 0; i < ARRAY_SIZE(client->share); i++)
		vhyv_share_init(&client->share[i]);
	return client;
}

static void vhyv_client_free(struct vhyv_client *client)
{
	put_pid(client->tgid);
	kfree(client);
}

/* Return a reference to the client that is the caller, or NULL. May sleep. */
struct vhyv_client *vhyv_client_get(struct vhyv_cmdq *q, gfp_t gfp)
{
	struct pid *tgid = current->flags & PF_KTHREAD ? NULL :
							 task_tgid(current);
	struct vhyv_client *client, *new;

	spin_lock_irq(&q->lock);
	client = vhyv_client_find(q, tgid);
	spin_unlock_irq(&q->lock);
	if (client)
		return client;

	new = vhyv_client_new(tgid, gfp);
	if (!new)
		return NULL;
	/* Another thread of the process may have been faster. */
	spin_lock_irq(&q->lock);
	client = vhyv_client_find(q, tgid);
	if (!client)
		hash_add(q->clients, &new->node, (unsigned long)tgid);
	spin_unlock_irq(&q->lock);
	if (!client)
		return new;
	vhyv_client_free(new);
	return client;
}

void vhyv_client_put(struct vhyv_cmdq *q, struct vhyv_client *client)
{
	bool last;

	spin_lock_irq(&q->lock);
	last = !--client->refs;
	if (last)
		hash_del(&client->node);
	spin_unlock_irq(&q->lock);
	if (last)
		vhyv_client_free(client);
}
