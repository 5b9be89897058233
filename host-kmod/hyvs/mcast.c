// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs.
 *
 * ib_uverbs tells memberships apart by GID and LID, and ib_core counts each of them.
 * Here the LID has no meaning: a QP is a member until it has left as often as it
 * has joined.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "hyvs/hyvs.h"

/* Places of a group for one user; the rest is for others. */
#define MAX_USER_MEMBERS	(ENG_MAX_MEMBERS / 2)

struct hyvs_member {
	struct list_head link;		/* in dev->members */
	union ib_gid gid;
	struct hyvs_qp *qp;
	unsigned int joins;
};

static struct hyvs_member *hyvs_member_find(struct hyvs_device *dev,
					    const struct hyvs_qp *qp,
					    const union ib_gid *gid)
{
	struct hyvs_member *member;

	lockdep_assert_held(&dev->members_lock);
	list_for_each_entry(member, &dev->members, link)
		if (member->qp == qp &&
		    !memcmp(&member->gid, gid, sizeof(*gid)))
			return member;
	return NULL;
}

/* May a process have another place in a group? */
static bool hyvs_member_allowed(struct hyvs_device *dev,
				const struct hyvs_process *process,
				const union ib_gid *gid)
{
	const struct hyvs_process *other;
	struct hyvs_member *member;
	u32 own = 0, all = 0;

	lockdep_assert_held(&dev->members_lock);
	list_for_each_entry(member, &dev->members, link) {
		if (memcmp(&member->gid, gid, sizeof(*gid)))
			continue;
		other = member->qp->id.process;
		own += other == process;
		all += hyvs_same_user(other, process);
	}
	return hyvs_may_have(own, all, MAX_USER_MEMBERS);
}

static int hyvs_member_add(struct hyvs_device *dev, struct hyvs_qp *qp,
			   const union ib_gid *gid)
{
	struct hyvs_member *member;
	int ret;

	if (!hyvs_member_allowed(dev, qp->id.process, gid))
		return -EDQUOT;
	ret = hyvs_charge(dev, qp->id.process, HYVS_MEMBER);
	if (ret)
		return ret;
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member) {
		ret = -ENOMEM;
		goto err_charge;
	}
	member->gid = *gid;
	member->qp = qp;
	member->joins = 1;
	ret = eng_group_join(&qp->eng, gid->raw);
	if (ret)
		goto err_member;
	list_add_tail(&member->link, &dev->members);
	return 0;

err_member:
	kfree(member);
err_charge:
	hyvs_uncharge(dev, qp->id.process, HYVS_MEMBER);
	return ret;
}

int hyvs_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	struct hyvs_member *member;
	int ret = 0;

	if (ib->qp_type != IB_QPT_UD)
		return -EINVAL;
	mutex_lock(&dev->members_lock);
	member = hyvs_member_find(dev, qp, gid);
	if (member)
		member->joins++;
	else
		ret = hyvs_member_add(dev, qp, gid);
	mutex_unlock(&dev->members_lock);
	return ret;
}

int hyvs_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	struct hyvs_member *member;
	int ret = 0;

	mutex_lock(&dev->members_lock);
	member = hyvs_member_find(dev, qp, gid);
	if (!member) {
		ret = -EINVAL;
	} else if (!--member->joins) {
		eng_group_leave(&qp->eng, gid->raw);
		list_del(&member->link);
		kfree(member);
		hyvs_uncharge(dev, qp->id.process, HYVS_MEMBER);
	}
	mutex_unlock(&dev->members_lock);
	return ret;
}
