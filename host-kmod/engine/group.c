// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups: UD QPs that get what is sent to an address.
 */
#include "group.h"

static struct eng_group *eng_group_find(struct eng *eng, const u8 gid[16])
{
	struct eng_group *group;

	list_for_each_entry(group, &eng->groups, link)
		if (!memcmp(group->gid, gid, sizeof(group->gid)))
			return group;
	return NULL;
}

static u32 eng_group_member(const struct eng_group *group,
			    const struct eng_qp *qp)
{
	u32 i;

	for (i = 0; i < group->members; i++)
		if (group->member[i] == qp)
			break;
	return i;
}

static int eng_group_add(struct eng_group *group, struct eng_qp *qp)
{
	if (eng_group_member(group, qp) < group->members)
		return -EEXIST;
	if (group->members == ENG_MAX_MEMBERS)
		return -ENOSPC;
	group->member[group->members++] = qp;
	return 0;
}

int eng_group_join(struct eng_qp *qp, const u8 gid[16])
{
	struct eng *eng = qp->eng;
	struct eng_group *group, *new;
	int ret;

	new = eng_zalloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	memcpy(new->gid, gid, sizeof(new->gid));
	eng_lock(&eng->group_lock);
	group = eng_group_find(eng, gid);
	if (!group) {
		group = new;
		list_add_tail(&group->link, &eng->groups);
		new = NULL;
	}
	ret = eng_group_add(group, qp);
	eng_unlock(&eng->group_lock);
	eng_free(new);
	return ret;
}

int eng_group_leave(struct eng_qp *qp, const u8 gid[16])
{
	struct eng *eng = qp->eng;
	struct eng_group *group, *empty = NULL;
	int ret = -ENOENT;
	u32 i;

	eng_lock(&eng->group_lock);
	group = eng_group_find(eng, gid);
	if (!group)
		goto unlock;
	i = eng_group_member(group, qp);
	if (i == group->members)
		goto unlock;
	group->member[i] = group->member[--group->members];
	if (!group->members) {
		list_del(&group->link);
		empty = group;
	}
	ret = 0;
unlock:
	eng_unlock(&eng->group_lock);
	eng_free(empty);
	return ret;
}

u32 eng_group_members(struct eng *eng, const u8 gid[16],
		      struct eng_qp *members[ENG_MAX_MEMBERS])
{
	struct eng_group *group;
	u32 n = 0;

	eng_lock(&eng->group_lock);
	group = eng_group_find(eng, gid);
	if (group) {
		n = group->members;
		memcpy(members, group->member, n * sizeof(*members));
	}
	eng_unlock(&eng->group_lock);
	return n;
}
