// SPDX-License-Identifier: GPL-2.0-only
/*
 * Admission of commands.
 *
 * A client may use as many slots of a pool as are free. So a client alone gets
 * half of the pool, two get a third each, and a slot stays free for a client
 * that has none, unless there are as many clients as slots. Then each of them
 * gets the next slot in turn, whatever the number of its commands. The commands
 * of one client are admitted in the order of their arrival.
 *
 * The caller serialises all calls for a pool, and after vhyv_pool_leave() calls
 * vhyv_pool_next() until that returns NULL. So in between no ticket waits for a
 * slot that it may have.
 */
#include <linux/list.h>

#include "command/admission.h"

void vhyv_pool_init(struct vhyv_pool *pool, unsigned int slots)
{
	pool->slots = slots;
	pool->used = 0;
	INIT_LIST_HEAD(&pool->turns);
}

void vhyv_share_init(struct vhyv_share *share)
{
	share->used = 0;
	INIT_LIST_HEAD(&share->waiting);
	INIT_LIST_HEAD(&share->turn);
}

static bool vhyv_pool_try(struct vhyv_pool *pool, struct vhyv_share *share)
{
	if (share->used >= pool->slots - pool->used)
		return false;
	share->used++;
	pool->used++;
	return true;
}

/* Returns true if the ticket has a slot, false if it waits for one. */
bool vhyv_pool_enter(struct vhyv_pool *pool, struct vhyv_ticket *ticket)
{
	struct vhyv_share *share = ticket->share;

	/* A share with waiting tickets may not have another slot now. */
	if (vhyv_pool_try(pool, share))
		return true;
	if (list_empty(&share->waiting))
		list_add_tail(&share->turn, &pool->turns);
	list_add_tail(&ticket->link, &share->waiting);
	return false;
}

/* Give the slot of a ticket back. */
void vhyv_pool_leave(struct vhyv_pool *pool, struct vhyv_ticket *ticket)
{
	ticket->share->used--;
	pool->used--;
}

/* Let a ticket wait no longer. */
void vhyv_pool_cancel(struct vhyv_ticket *ticket)
{
	list_del(&ticket->link);
	if (list_empty(&ticket->share->waiting))
		list_del_init(&ticket->share->turn);
}

/* Give a slot to the next ticket that may have one, and return it; or NULL. */
struct vhyv_ticket *vhyv_pool_next(struct vhyv_pool *pool)
{
	struct vhyv_ticket *ticket;
	struct vhyv_share *share;

	/* At most as many shares as there are slots have one, and are skipped. */
	list_for_each_entry(share, &pool->turns, turn) {
		if (!vhyv_pool_try(pool, share))
			continue;
		ticket = list_first_entry(&share->waiting, struct vhyv_ticket,
					  link);
		list_move_tail(&share->turn, &pool->turns);
		vhyv_pool_cancel(ticket);
		return ticket;
	}
	return NULL;
}

/* Return a waiting ticket, or NULL. */
struct vhyv_ticket *vhyv_pool_first(struct vhyv_pool *pool)
{
	struct vhyv_share *share;

	share = list_first_entry_or_null(&pool->turns, struct vhyv_share, turn);
	if (!share)
		return NULL;
	return list_first_entry(&share->waiting, struct vhyv_ticket, link);
}
