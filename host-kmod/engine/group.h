/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_GROUP_H
#define ENG_GROUP_H

#include "engine.h"

void eng_group_init(struct eng *eng);

struct eng_group {
	struct list_head link;		/* in a list of eng->groups */
	u32 net;
	u8 gid[16];
	u32 members;
	struct eng_qp *member[ENG_MAX_MEMBERS];
};

/*
 * Copy the list of members of a group of @qp's network. They stay until the caller's
 * epoch ends. Return: their number.
 */
u32 eng_group_members(const struct eng_qp *qp, const u8 gid[16],
		      struct eng_qp *members[ENG_MAX_MEMBERS]);

#endif /* ENG_GROUP_H */
