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
#include <linux/spinlock.h>
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
	struct hyvs_member *member, *found = NULL;

	/* Memberships of the QP stay as long as its lock is held. */
	lockdep_assert_held(&qp->lock);
	spin_lock(&dev->members_lock);
	list_for_each_entry(member, &dev->members, link)
		if (member->qp == qp &&
		    !memcmp(&member->gid, gid, sizeof(*gid))) {
			found = member;
			break;
		}
	spin_unlock(&dev->members_lock);
	return found;
}

/* May the process of @new have another place in the group? */
static bool hyvs_member_allowed(struct hyvs_device *dev,
				const struct hyvs_member *new)
{
	const struct hyvs_process *process = new->qp->id.process, *other;
	struct hyvs_member *member;
	u32 own = 0, all = 0;

	lockdep_assert_held(&dev->members_lock);
	list_for_each_entry(member, &dev->members, link) {
		if (member->qp->eng.init.net != new->qp->eng.init.net ||
		    memcmp(&member->gid, &new->gid, sizeof(new->gid)))
			continue;
		other = member->qp->id.process;
		own += other == process;
		all += hyvs_same_user(other, process);
	}
	return hyvs_may_have(own, all, MAX_USER_MEMBERS);
}

/* Take a place in a group, if the QP's process may have one. */
static int hyvs_member_add(struct hyvs_device *dev, struct hyvs_member *member)
{
	struct hyvs_process *process = member->qp->id.process;
	int ret = -EDQUOT;

	spin_lock(&dev->members_lock);
	if (hyvs_member_allowed(dev, member))
		ret = hyvs_charge(dev, process, HYVS_MEMBER);
	if (!ret)
		list_add_tail(&member->link, &dev->members);
	spin_unlock(&dev->members_lock);
	return ret;
}

static void hyvs_member_del(struct hyvs_device *dev, struct hyvs_member *member)
{
	spin_lock(&dev->members_lock);
	list_del(&member->link);
	spin_unlock(&dev->members_lock);
	hyvs_uncharge(dev, member->qp->id.process, HYVS_MEMBER);
}

/*
 * Allocations, which may wait for memory of the caller's cgroup, are made with locks of
 * the QP only.
 */
static int hyvs_join(struct hyvs_device *dev, struct hyvs_qp *qp,
		     const union ib_gid *gid)
{
	struct hyvs_member *member;
	int ret;

	lockdep_assert_held(&qp->lock);
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	member->gid = *gid;
	member->qp = qp;
	member->joins = 1;
	ret = hyvs_member_add(dev, member);
	if (ret)
		goto err_member;
	ret = eng_group_join(&qp->eng, gid->raw);
	if (ret)
		goto err_del;
	return 0;

err_del:
	hyvs_member_del(dev, member);
err_member:
	kfree(member);
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
	mutex_lock(&qp->lock);
	member = hyvs_member_find(dev, qp, gid);
	if (member)
		member->joins++;
	else
		ret = hyvs_join(dev, qp, gid);
	mutex_unlock(&qp->lock);
	return ret;
}

int hyvs_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	struct hyvs_member *member;
	int ret = 0;

	mutex_lock(&qp->lock);
	member = hyvs_member_find(dev, qp, gid);
	if (!member) {
		ret = -EINVAL;
	} else if (!--member->joins) {
		eng_group_leave(&qp->eng, gid->raw);
		hyvs_member_del(dev, member);
		kfree(member);
	}
	mutex_unlock(&qp->lock);
	return ret;
}
