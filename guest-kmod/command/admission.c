// SPDX-License-Identifier: GPL-2.0-only
/*
 * Admission of commands.
 *
 * A command needs a credit while the device has it. A client may hold as many
 * credits of a pool as are free. So one client gets half of the pool, two get a
 * third each, and a credit is left for a client that has none, unless there are
 * as many clients as credits. Then clients get the next credits in turn, whatever
 * the number of their commands. The commands of one client are admitted in the
 * order of their arrival.
 *
 * The caller serialises all calls for a pool, and after vhyv_pool_leave() calls
 * vhyv_pool_next() until that returns NULL. So in between no ticket waits for a
 * credit that it may have.
 */
#include <linux/list.h>

#include "command/admission.h"

void vhyv_pool_init(struct vhyv_pool *pool, unsigned int credits)
{
	pool->credits = credits;
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
	if (share->used >= pool->credits - pool->used)
		return false;
	share->used++;
	pool->used++;
	return true;
}

/* Returns true if the ticket has a credit, false if it waits for one. */
bool vhyv_pool_enter(struct vhyv_pool *pool, struct vhyv_ticket *ticket)
{
	struct vhyv_share *share = ticket->share;

	/* A share with waiting tickets may not have another credit now. */
	if (vhyv_pool_try(pool, share))
		return true;
	if (list_empty(&share->waiting))
		list_add_tail(&share->turn, &pool->turns);
	list_add_tail(&ticket->link, &share->waiting);
	return false;
}

/* Give the credit of a ticket back. */
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

/* Give a credit to the next ticket that may have one, and return it; or NULL. */
struct vhyv_ticket *vhyv_pool_next(struct vhyv_pool *pool)
{
	struct vhyv_ticket *ticket;
	struct vhyv_share *share;

	/* At most as many shares as there are credits have one, and are skipped. */
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
