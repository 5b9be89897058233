/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_GROUP_H
#define ENG_GROUP_H

#include "engine.h"

struct eng_group {
	struct list_head link;		/* in eng->groups */
	u8 gid[16];
	u32 members;
	struct eng_qp *member[ENG_MAX_MEMBERS];
};

/* Call @deliver for all members of a group. Caller holds no qp->recv. */
void eng_group_send(struct eng *eng, const u8 gid[16],
		    void (*deliver)(struct eng_qp *member, void *context),
		    void *context);

#endif /* ENG_GROUP_H */
