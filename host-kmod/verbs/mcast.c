// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs, next to the AHs that send to them.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <rdma/ib_cache.h>

#include "address/vgid.h"
#include "hca/gid_kind.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Memberships of a vNIC. HCAs support a few thousand. */
#define HYVH_MAX_MCAST	1024

/* Membership of a QP in a group. */
struct hyvh_mcast {
	struct list_head link;	/* in hyvh_qp.mcast */
	union ib_gid gid;
	u16 mlid;		/* from the join; ignored by Ethernet HCAs */
	/* Namespace and index of a network device that joined too; or NULL. */
	struct net *net;
	int ifindex;
};

/*
 * Protects &hyvh_qp.mcast and &hyvh_vnic.nr_mcast. Global, because rdma_rxe
 * loses a QP that joins a group while the last member leaves it: that QP could
 * neither leave the group nor be destroyed.
 */
static DEFINE_MUTEX(hyvh_mcast_lock);

/* Get a reference to the network device of a port, or NULL. */
static struct net_device *hyvh_mcast_ndev(struct ib_device *ibdev, u32 port)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	attr = rdma_get_gid_attr(ibdev, port, 0);
	if (IS_ERR(attr))
		return NULL;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (IS_ERR(ndev))
		ndev = NULL;
	else
		dev_hold(ndev);
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return ndev;
}

/*
 * Let the host's IP stack join or leave the group; returns false if the device
 * has no IPv4. Takes the RTNL lock inside hyvh_mcast_lock.
 */
static bool hyvh_mcast_ip_change(struct net_device *ndev,
				 const union ib_gid *gid, bool join)
{
	struct in_device *in_dev;
	__be32 group;

	memcpy(&group, gid->raw + 12, sizeof(group));
	rtnl_lock();
	in_dev = __in_dev_get_rtnl(ndev);
	if (in_dev && join)
		ip_mc_inc_group(in_dev, group);
	else if (in_dev)
		ip_mc_dec_group(in_dev, group);
	rtnl_unlock();
	return in_dev;
}

/*
 * For a process of the host the connection manager joins the group at the IP
 * stack. For a guest it does so in the guest's network only. But the switches of
 * the HCA's network must know the group, and rdma_rxe receives what this host
 * sends to a group only if the host is a member.
 */
static void hyvh_mcast_ip_join(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	struct ib_device *ibdev = qp->ib->device;
	u32 port = qp->ib->port;
	struct net_device *ndev;

	if (!hyvh_vgids_enabled(&qp->vnic->vgids) ||
	    hyvh_gid_kind(&mcast->gid) != HYVH_GID_MULTICAST4)
		return;
	if (!rdma_is_port_valid(ibdev, port))
		port = rdma_start_port(ibdev);
	ndev = hyvh_mcast_ndev(ibdev, port);
	if (!ndev)
		return;
	if (hyvh_mcast_ip_change(ndev, &mcast->gid, true)) {
		mcast->net = get_net(dev_net(ndev));
		mcast->ifindex = ndev->ifindex;
	}
	dev_put(ndev);
}

static void hyvh_mcast_ip_leave(struct hyvh_mcast *mcast)
{
	struct net_device *ndev;

	if (!mcast->net)
		return;
	ndev = dev_get_by_index(mcast->net, mcast->ifindex);
	if (ndev) {
		hyvh_mcast_ip_change(ndev, &mcast->gid, false);
		dev_put(ndev);
	}
	put_net(mcast->net);
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

	lockdep_assert_held(&hyvh_mcast_lock);
	list_for_each_entry(mcast, &qp->mcast, link)
		if (!memcmp(mcast->gid.raw, req->gid, sizeof(req->gid)))
			return mcast;
	return NULL;
}

static int hyvh_mcast_attach(struct hyvh_cmd *cmd, struct hyvh_qp *qp)
{
	const struct hyv_mcast_req *req = cmd->req;
	struct hyvh_mcast *mcast;
	int ret;

	lockdep_assert_held(&hyvh_mcast_lock);
	/* Like uverbs: joining again has no effect. */
	if (hyvh_mcast_find(qp, req))
		return 0;
	if (qp->vnic->nr_mcast >= HYVH_MAX_MCAST)
		return hyvh_cmd_refuse(cmd, -EDQUOT, "%u memberships exist",
				       qp->vnic->nr_mcast);
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast)
		return -ENOMEM;
	mcast->mlid = le16_to_cpu(req->mlid);
	memcpy(mcast->gid.raw, req->gid, sizeof(mcast->gid.raw));
	ret = ib_attach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	if (ret) {
		kfree(mcast);
		return ret;
	}
	hyvh_mcast_ip_join(qp, mcast);
	list_add_tail(&mcast->link, &qp->mcast);
	qp->vnic->nr_mcast++;
	return 0;
}

static int hyvh_mcast_leave(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	int ret = ib_detach_mcast(qp->ib, &mcast->gid, mcast->mlid);

	lockdep_assert_held(&hyvh_mcast_lock);
	if (ret)
		return ret;
	hyvh_mcast_ip_leave(mcast);
	list_del(&mcast->link);
	kfree(mcast);
	qp->vnic->nr_mcast--;
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

static int hyvh_mcast_call(struct hyvh_cmd *cmd,
			   int (*fn)(struct hyvh_cmd *cmd, struct hyvh_qp *qp))
{
	const struct hyv_mcast_req *req = cmd->req;
	struct hyvh_qp *qp;
	int ret;

	qp = hyvh_qp_get(cmd, req->qp);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&hyvh_mcast_lock);
	ret = fn(cmd, qp);
	mutex_unlock(&hyvh_mcast_lock);
	hyvh_qp_put(cmd, qp);
	return ret;
}

int hyvh_cmd_attach_mcast(struct hyvh_cmd *cmd)
{
	return hyvh_mcast_call(cmd, hyvh_mcast_attach);
}

int hyvh_cmd_detach_mcast(struct hyvh_cmd *cmd)
{
	return hyvh_mcast_call(cmd, hyvh_mcast_detach);
}

/*
 * Take a QP, which was removed from the table, out of its groups. If the HCA's
 * driver fails, the QP remains in some of them.
 */
int hyvh_mcast_leave_all(struct hyvh_qp *qp)
{
	struct hyvh_mcast *mcast, *next;
	int ret = 0;

	mutex_lock(&hyvh_mcast_lock);
	list_for_each_entry_safe(mcast, next, &qp->mcast, link) {
		ret = hyvh_mcast_leave(qp, mcast);
		if (ret)
			break;
	}
	mutex_unlock(&hyvh_mcast_lock);
	return ret;
}
