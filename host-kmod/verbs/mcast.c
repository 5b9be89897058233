// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs, next to the AHs that send to them.
 */
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "address/ip_group.h"
#include "address/vgid.h"
#include "hca/gid_kind.h"
#include "hca/hca.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* A membership of a QP in a group. */
struct hyvh_mcast {
	struct list_head link;		/* in hyvh_qp.mcast */
	union ib_gid gid;		/* the group */
	u16 mlid;			/* ignored by Ethernet HCAs */
	struct hyvh_ip_group *ip;	/* of the host, or NULL */
};

#define HYVH_MCAST_LOCKS	64

/*
 * By group: held while the HCA's driver adds a QP to the group or removes it, if it
 * loses a QP that joins a group while the last member leaves it, as rdma_rxe. Such a QP
 * could neither leave the group nor be destroyed. Shared by all vNICs of such HCAs.
 * &hyvh_qp.mcast_lock, which is outer to it, orders what one QP does, and
 * protects &hyvh_qp.mcast.
 */
static struct mutex hyvh_mcast_locks[HYVH_MCAST_LOCKS];

/* Nobody can choose groups that share another one's lock. */
static u32 hyvh_mcast_seed __ro_after_init;

void hyvh_mcast_init(void)
{
	int i;

	hyvh_mcast_seed = get_random_u32();
	for (i = 0; i < HYVH_MCAST_LOCKS; i++)
		mutex_init(&hyvh_mcast_locks[i]);
}

/*
 * Lock the group, if the driver needs that: no other VMM should have to wait. Returns
 * the lock for hyvh_mcast_unlock(), or NULL.
 */
static struct mutex *hyvh_mcast_lock(const struct hyvh_qp *qp,
				     const struct hyvh_mcast *mcast)
{
	u32 hash = jhash(mcast->gid.raw, sizeof(mcast->gid.raw),
			 hyvh_mcast_seed);
	struct mutex *lock = &hyvh_mcast_locks[hash % HYVH_MCAST_LOCKS];

	if (!hyvh_hca_driver(qp->vnic->hca)->mcast_races)
		return NULL;
	mutex_lock(lock);
	return lock;
}

static void hyvh_mcast_unlock(struct mutex *lock)
{
	if (lock)
		mutex_unlock(lock);
}

/*
 * Compare only the GID. Ethernet HCAs ignore the LID, so they leave a group
 * with two LIDs only once. But ib_core would count it twice, and the QP could
 * never be destroyed.
 */
static struct hyvh_mcast *hyvh_mcast_find(struct hyvh_qp *qp,
					  const struct hyv_mcast_req *req)
{
	struct hyvh_mcast *mcast;

	lockdep_assert_held(&qp->mcast_lock);
	list_for_each_entry(mcast, &qp->mcast, link)
		if (!memcmp(mcast->gid.raw, req->gid, sizeof(req->gid)))
			return mcast;
	return NULL;
}

static int hyvh_mcast_join(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	struct mutex *lock = hyvh_mcast_lock(qp, mcast);
	int ret;

	ret = ib_attach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	hyvh_mcast_unlock(lock);
	if (ret)
		return ret;
	/* An HCA with leases has nothing in the network. */
	if (hyvh_vgids_enabled(&qp->vnic->vgids) && !qp->vnic->vgids.lease &&
	    hyvh_gid_kind(&mcast->gid) == HYVH_GID_MULTICAST4)
		mcast->ip = hyvh_ip_group_join(qp->ib->device, qp->ib->port,
					       &mcast->gid);
	list_add_tail(&mcast->link, &qp->mcast);
	return 0;
}

/*
 * Count the address of a group, if the HCA's driver will not remove it from the
 * network device. Then it stays after all members have left, so the vNIC cannot
 * get rid of its count. The MAC address is made of the low 32 bits.
 */
static int hyvh_mcast_count_addr(struct hyvh_cmd *cmd, const u8 *gid)
{
	struct hyvh_vnic *vnic = cmd->vnic;
	struct hyvh_quota *quota = &vnic->quota[HYV_NL_QUOTA_MCAST_ADDRS];
	u32 addr;
	int ret;

	memcpy(&addr, gid + sizeof(union ib_gid) - sizeof(addr), sizeof(addr));
	if (!hyvh_hca_driver(vnic->hca)->keeps_mcast_addrs ||
	    xa_load(&vnic->mcast_addrs, addr))
		return 0;
	ret = hyvh_quota_charge(quota, 1);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret,
				       "too many addresses of groups were used");
	ret = xa_insert(&vnic->mcast_addrs, addr, xa_mk_value(1), GFP_KERNEL);
	if (ret)
		hyvh_quota_uncharge(quota, 1);
	/* Another QP has joined the group at the same time. */
	return ret == -EBUSY ? 0 : ret;
}

/* Sets @ip to what the caller waits for without the QP's lock. */
static int hyvh_mcast_attach(struct hyvh_cmd *cmd, struct hyvh_qp *qp,
			     struct hyvh_ip_group **ip)
{
	const struct hyv_mcast_req *req = cmd->req;
	struct hyvh_quota *quota = &cmd->vnic->quota[HYV_NL_QUOTA_MCAST];
	struct hyvh_mcast *mcast;
	int ret;

	/* Like uverbs: joining again has no effect. */
	if (hyvh_mcast_find(qp, req))
		return 0;
	ret = hyvh_quota_charge(quota, 1);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "too many memberships");
	ret = hyvh_mcast_count_addr(cmd, req->gid);
	if (ret)
		goto err_count;
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast) {
		ret = -ENOMEM;
		goto err_count;
	}
	mcast->mlid = le16_to_cpu(req->mlid);
	memcpy(mcast->gid.raw, req->gid, sizeof(mcast->gid.raw));
	ret = hyvh_mcast_join(qp, mcast);
	if (ret)
		goto err_free;
	*ip = mcast->ip;
	return 0;

err_free:
	kfree(mcast);
err_count:
	hyvh_quota_uncharge(quota, 1);
	return ret;
}

static int hyvh_mcast_leave(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	struct mutex *lock = hyvh_mcast_lock(qp, mcast);
	int ret;

	lockdep_assert_held(&qp->mcast_lock);
	ret = ib_detach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	hyvh_mcast_unlock(lock);
	if (ret)
		return ret;
	hyvh_ip_group_leave(mcast->ip);
	list_del(&mcast->link);
	kfree(mcast);
	hyvh_quota_uncharge(&qp->vnic->quota[HYV_NL_QUOTA_MCAST], 1);
	return 0;
}

static int hyvh_mcast_detach(struct hyvh_cmd *cmd, struct hyvh_qp *qp)
{
	struct hyvh_mcast *mcast = hyvh_mcast_find(qp, cmd->req);

	if (!mcast)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "QP is not in the group");
	return hyvh_mcast_leave(qp, mcast);
}

int hyvh_cmd_attach_mcast(struct hyvh_cmd *cmd)
{
	const struct hyv_mcast_req *req = cmd->req;
	struct hyvh_ip_group *ip = NULL;
	struct hyvh_qp *qp;
	int ret;

	qp = hyvh_qp_get(cmd, req->qp);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&qp->mcast_lock);
	ret = hyvh_mcast_attach(cmd, qp, &ip);
	mutex_unlock(&qp->mcast_lock);
	hyvh_ip_group_wait(ip);
	hyvh_qp_put(cmd, qp);
	return ret;
}

int hyvh_cmd_detach_mcast(struct hyvh_cmd *cmd)
{
	const struct hyv_mcast_req *req = cmd->req;
	struct hyvh_qp *qp;
	int ret;

	qp = hyvh_qp_get(cmd, req->qp);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&qp->mcast_lock);
	ret = hyvh_mcast_detach(cmd, qp);
	mutex_unlock(&qp->mcast_lock);
	hyvh_qp_put(cmd, qp);
	return ret;
}

/*
 * Take a QP, which was removed from the table, out of its groups. If the HCA's
 * driver fails, the QP remains in some of them. Takes no shared lock for a QP
 * that is in none.
 */
int hyvh_mcast_leave_all(struct hyvh_qp *qp)
{
	struct hyvh_mcast *mcast, *next;
	int ret = 0;

	mutex_lock(&qp->mcast_lock);
	list_for_each_entry_safe(mcast, next, &qp->mcast, link) {
		ret = hyvh_mcast_leave(qp, mcast);
		if (ret)
			break;
	}
	mutex_unlock(&qp->mcast_lock);
	return ret;
}
