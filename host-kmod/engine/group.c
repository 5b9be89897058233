// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups: UD QPs of a network that get what is sent to an address.
 */
#include "group.h"

void eng_group_init(struct eng *eng)
{
	u32 i;

	eng_lock_init(&eng->group_lock);
	for (i = 0; i < 1 << ENG_GROUP_BITS; i++)
		INIT_LIST_HEAD(&eng->groups[i]);
	eng->nr_groups = 0;
	for (i = 0; i < 6; i++)
		eng->group_hash[i] = eng_random();
}

/* Multiplication of pairs, which is universal. */
static struct list_head *eng_group_list(struct eng *eng, u32 net,
					const u8 gid[16])
{
	const u64 *k = eng->group_hash;
	u64 hash = k[4] + k[5] * net;
	u32 word[4], i;

	memcpy(word, gid, sizeof(word));
	for (i = 0; i < 4; i += 2)
		hash += (k[i] + word[i]) * (k[i + 1] + word[i + 1]);
	return &eng->groups[hash >> (64 - ENG_GROUP_BITS)];
}

/* The group of @qp's network. */
static struct eng_group *eng_group_find(const struct eng_qp *qp,
					const u8 gid[16])
{
	u32 net = qp->init.net;
	struct eng_group *group;

	list_for_each_entry(group, eng_group_list(qp->eng, net, gid), link)
		if (group->net == net &&
		    !memcmp(group->gid, gid, sizeof(group->gid)))
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
	new->net = qp->init.net;
	memcpy(new->gid, gid, sizeof(new->gid));
	eng_lock(&eng->group_lock);
	group = eng_group_find(qp, gid);
	if (!group && eng->nr_groups == ENG_MAX_GROUPS) {
		ret = -ENOSPC;
		goto unlock;
	}
	if (!group) {
		group = new;
		list_add_tail(&group->link,
			      eng_group_list(eng, group->net, gid));
		eng->nr_groups++;
		new = NULL;
	}
	ret = eng_group_add(group, qp);
unlock:
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
	group = eng_group_find(qp, gid);
	if (!group)
		goto unlock;
	i = eng_group_member(group, qp);
	if (i == group->members)
		goto unlock;
	group->member[i] = group->member[--group->members];
	if (!group->members) {
		list_del(&group->link);
		eng->nr_groups--;
		empty = group;
	}
	ret = 0;
unlock:
	eng_unlock(&eng->group_lock);
	eng_free(empty);
	return ret;
}

u32 eng_group_members(const struct eng_qp *qp, const u8 gid[16],
		      struct eng_qp *members[ENG_MAX_MEMBERS])
{
	struct eng *eng = qp->eng;
	struct eng_group *group;
	u32 n = 0;

	eng_lock(&eng->group_lock);
	group = eng_group_find(qp, gid);
	if (group) {
		n = group->members;
		memcpy(members, group->member, n * sizeof(*members));
	}
	eng_unlock(&eng->group_lock);
	return n;
}
