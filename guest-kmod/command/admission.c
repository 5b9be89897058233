// SPDX-License-Identifier: GPL-2.0-only
/*
 * Admission of commands.
 *
 * A command needs a credit while the device has it. A user may hold as many
 * credits of a pool as are free. So one user gets half of the pool, the next one
 * half of the rest, and as credits are given back, two get a third each. If none
 * is left, a user that has none gets one of the next. The clients of a user share
 * its part in the same way: one client may hold as many credits as it leaves to the
 * user's other clients. So neither many commands nor many clients keep another user
 * waiting.
 *
 * Those who may have no more credits wait. Users get the next credits in turn,
 * and the clients of each user as well, whatever the number of their commands.
 * The commands of one client are admitted in the order of their arrival.
 *
 * The caller serialises all calls for a pool, and after vhyv_pool_leave() calls
 * vhyv_pool_next() until that returns NULL. So in between no ticket waits for a
 * credit that it may have.
 */
#include <linux/list.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include <hyv/wire.h>

#include "command/admission.h"

/* One credit of so many is for a class. */
#define VHYV_RESERVED_PART	4
#define VHYV_LOCKED_PART	8

enum vhyv_cmd_class vhyv_cmd_class(u16 opcode)
{
	switch (opcode) {
	case HYV_CMD_DESTROY:
	case HYV_CMD_MUNMAP:
	case HYV_CMD_DETACH_MCAST:
		return VHYV_CMD_RESERVED;
	/* The caller's mmap lock; the RDMA core's lock of XRC domains; the RTNL. */
	case HYV_CMD_MMAP:
	case HYV_CMD_ALLOC_XRCD:
	case HYV_CMD_ADD_GID:
	case HYV_CMD_DEL_GID:
		return VHYV_CMD_LOCKED;
	default:
		return VHYV_CMD_ORDINARY;
	}
}

/* Divide credits among the pools of all classes; each gets one at least. */
void vhyv_pools_init(struct vhyv_pool *pools, unsigned int credits)
{
	unsigned int reserved = DIV_ROUND_UP(credits, VHYV_RESERVED_PART);
	unsigned int locked = DIV_ROUND_UP(credits, VHYV_LOCKED_PART);
	unsigned int others = min(reserved + locked, credits - 1);

	vhyv_pool_init(&pools[VHYV_CMD_RESERVED], reserved);
	vhyv_pool_init(&pools[VHYV_CMD_LOCKED], locked);
	vhyv_pool_init(&pools[VHYV_CMD_ORDINARY], max(credits - others, 1U));
}

void vhyv_pool_init(struct vhyv_pool *pool, unsigned int credits)
{
	pool->credits = credits;
	pool->used = 0;
	INIT_LIST_HEAD(&pool->turns);
}

void vhyv_party_init(struct vhyv_party *party)
{
	party->used = 0;
	INIT_LIST_HEAD(&party->turns);
	INIT_LIST_HEAD(&party->turn);
}

void vhyv_share_init(struct vhyv_share *share, struct vhyv_party *party)
{
	share->party = party;
	share->used = 0;
	INIT_LIST_HEAD(&share->waiting);
	INIT_LIST_HEAD(&share->turn);
}

/* How many credits a party may have in addition to those that it has. */
static unsigned int vhyv_party_room(const struct vhyv_pool *pool,
				    const struct vhyv_party *party)
{
	unsigned int others = pool->used - party->used;
	unsigned int most = DIV_ROUND_UP(pool->credits - others, 2);

	return most > party->used ? most - party->used : 0;
}

static bool vhyv_pool_try(struct vhyv_pool *pool, struct vhyv_share *share)
{
	struct vhyv_party *party = share->party;

	if (share->used >= vhyv_party_room(pool, party))
		return false;
	share->used++;
	party->used++;
	pool->used++;
	return true;
}

/* Returns true if the ticket has a credit, false if it waits for one. */
bool vhyv_pool_enter(struct vhyv_pool *pool, struct vhyv_ticket *ticket)
{
	struct vhyv_share *share = ticket->share;
	struct vhyv_party *party = share->party;

	/* A share with waiting tickets may not have another credit now. */
	if (vhyv_pool_try(pool, share))
		return true;
	if (list_empty(&party->turns))
		list_add_tail(&party->turn, &pool->turns);
	if (list_empty(&share->waiting))
		list_add_tail(&share->turn, &party->turns);
	list_add_tail(&ticket->link, &share->waiting);
	return false;
}

/* Give the credit of a ticket back. */
void vhyv_pool_leave(struct vhyv_pool *pool, struct vhyv_ticket *ticket)
{
	ticket->share->used--;
	ticket->share->party->used--;
	pool->used--;
}

/* Let a ticket wait no longer. */
void vhyv_pool_cancel(struct vhyv_ticket *ticket)
{
	struct vhyv_share *share = ticket->share;

	list_del(&ticket->link);
	if (list_empty(&share->waiting))
		list_del_init(&share->turn);
	if (list_empty(&share->party->turns))
		list_del_init(&share->party->turn);
}

static struct vhyv_ticket *vhyv_party_next(struct vhyv_pool *pool,
					   struct vhyv_party *party)
{
	struct vhyv_ticket *ticket;
	struct vhyv_share *share;

	/* Those that are skipped have credits, so there are few. */
	list_for_each_entry(share, &party->turns, turn) {
		if (!vhyv_pool_try(pool, share))
			continue;
		ticket = list_first_entry(&share->waiting, struct vhyv_ticket,
					  link);
		list_move_tail(&share->turn, &party->turns);
		list_move_tail(&party->turn, &pool->turns);
		vhyv_pool_cancel(ticket);
		return ticket;
	}
	return NULL;
}

/* Give a credit to the next ticket that may have one, and return it; or NULL. */
struct vhyv_ticket *vhyv_pool_next(struct vhyv_pool *pool)
{
	struct vhyv_ticket *ticket;
	struct vhyv_party *party;

	if (pool->used == pool->credits)
		return NULL;
	/* Here, too, those that are skipped have credits. */
	list_for_each_entry(party, &pool->turns, turn) {
		if (!vhyv_party_room(pool, party))
			continue;
		ticket = vhyv_party_next(pool, party);
		if (ticket)
			return ticket;
	}
	return NULL;
}

/* Return a waiting ticket, or NULL. */
struct vhyv_ticket *vhyv_pool_first(struct vhyv_pool *pool)
{
	struct vhyv_party *party;
	struct vhyv_share *share;

	party = list_first_entry_or_null(&pool->turns, struct vhyv_party, turn);
	if (!party)
		return NULL;
	share = list_first_entry(&party->turns, struct vhyv_share, turn);
	return list_first_entry(&share->waiting, struct vhyv_ticket, link);
}
