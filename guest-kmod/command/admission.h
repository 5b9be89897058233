/* SPDX-License-Identifier: GPL-2.0-only */
/* Admission of commands: how many each user and client may have with the device. */
#ifndef VHYV_ADMISSION_H
#define VHYV_ADMISSION_H

#include <linux/list.h>
#include <linux/types.h>

/* Classes of commands. Each has a pool of credits. */
enum vhyv_cmd_class {
	VHYV_CMD_RESERVED,	/* quick commands that must not wait for slow ones */
	VHYV_CMD_LOCKED,	/* the same, with a lock held that others wait for */
	VHYV_CMD_ORDINARY,
	VHYV_CMD_CLASSES,	/* number of classes */
	VHYV_CMD_NO_CREDIT = VHYV_CMD_CLASSES	/* takes none: the watchdog's query */
};

/**
 * struct vhyv_pool - credits for commands that the device executes at once
 * @credits: number of credits
 * @used: credits in use
 * @turns: parties with waiting tickets, in the order of their next turns
 */
struct vhyv_pool {
	unsigned int credits;
	unsigned int used;
	struct list_head turns;
};

/**
 * struct vhyv_party - a user's part of a pool
 * @used: credits in use
 * @turns: shares with waiting tickets, in the order of their next turns
 * @turn: in vhyv_pool.turns, unless @turns is empty
 */
struct vhyv_party {
	unsigned int used;
	struct list_head turns;
	struct list_head turn;
};

/**
 * struct vhyv_share - a client's part of the part of its user
 * @party: that of the user
 * @used: credits in use
 * @waiting: struct vhyv_ticket, oldest first
 * @turn: in vhyv_party.turns, unless @waiting is empty
 */
struct vhyv_share {
	struct vhyv_party *party;
	unsigned int used;
	struct list_head waiting;
	struct list_head turn;
};

/* A command's claim to a credit. */
struct vhyv_ticket {
	struct vhyv_share *share;
	struct list_head link;	/* in vhyv_share.waiting */
};

enum vhyv_cmd_class vhyv_cmd_class(u16 opcode);
void vhyv_pools_init(struct vhyv_pool *pools, unsigned int credits);
void vhyv_pool_init(struct vhyv_pool *pool, unsigned int credits);
void vhyv_party_init(struct vhyv_party *party);
void vhyv_share_init(struct vhyv_share *share, struct vhyv_party *party);
bool vhyv_pool_enter(struct vhyv_pool *pool, struct vhyv_ticket *ticket);
void vhyv_pool_leave(struct vhyv_pool *pool, struct vhyv_ticket *ticket);
void vhyv_pool_cancel(struct vhyv_ticket *ticket);
struct vhyv_ticket *vhyv_pool_next(struct vhyv_pool *pool);
struct vhyv_ticket *vhyv_pool_first(struct vhyv_pool *pool);

#endif /* VHYV_ADMISSION_H */
