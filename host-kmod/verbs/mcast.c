// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs, next to the AHs that send to them.
 */
#include <linux/atomic.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>

#include "address/vgid.h"
#include "hca/gid_kind.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Memberships of a vNIC. HCAs support a few thousand. */
#define HYVH_MAX_MCAST	1024

/**
 * struct hyvh_mcast - membership of a QP in a group
 * @link: in &hyvh_qp.mcast
 * @gid: the group
 * @mlid: from the join; ignored by Ethernet HCAs
 * @in_dev: IP configuration of a network device that has joined, too, or NULL;
 *	referenced; protected by the RTNL
 * @ip_link: in hyvh_mcast_ip_members, if @in_dev is set; protected by the RTNL
 */
struct hyvh_mcast {
	struct list_head link;
	union ib_gid gid;
	u16 mlid;
	struct in_device *in_dev;
	struct list_head ip_link;
};

/*
 * Held while the HCA's driver changes a group. Global, because rdma_rxe loses a
 * QP that joins a group while the last member leaves it: that QP could neither
 * leave the group nor be destroyed. &hyvh_qp.mcast_lock, which is outer to it,
 * orders what one QP does, and protects &hyvh_qp.mcast.
 */
static DEFINE_MUTEX(hyvh_mcast_lock);

/* Memberships of network devices; protected by the RTNL. */
static LIST_HEAD(hyvh_mcast_ip_members);

static __be32 hyvh_mcast_ip(const struct hyvh_mcast *mcast)
{
	__be32 group;

	memcpy(&group, mcast->gid.raw + 12, sizeof(group));
	return group;
}

/* Get a reference to the network device of a port, or NULL. */
static struct net_device *hyvh_mcast_ndev(struct ib_device *ibdev, u32 port,
					  netdevice_tracker *tracker)
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
		netdev_hold(ndev, tracker, GFP_ATOMIC);
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return ndev;
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
	netdevice_tracker tracker;
	struct in_device *in_dev;
	struct net_device *ndev;

	if (!hyvh_vgids_enabled(&qp->vnic->vgids) ||
	    hyvh_gid_kind(&mcast->gid) != HYVH_GID_MULTICAST4)
		return;
	if (!rdma_is_port_valid(ibdev, port))
		port = rdma_start_port(ibdev);
	ndev = hyvh_mcast_ndev(ibdev, port, &tracker);
	if (!ndev)
		return;

	rtnl_lock();
	/* NULL without IPv4, and when the device is being unregistered. */
	in_dev = __in_dev_get_rtnl(ndev);
	if (in_dev) {
		ip_mc_inc_group(in_dev, hyvh_mcast_ip(mcast));
		/* The IP configuration holds the device, with a tracker. */
		in_dev_hold(in_dev);
		mcast->in_dev = in_dev;
		list_add(&mcast->ip_link, &hyvh_mcast_ip_members);
	}
	rtnl_unlock();
	netdev_put(ndev, &tracker);
}

static void hyvh_mcast_ip_leave_locked(struct hyvh_mcast *mcast)
{
	ASSERT_RTNL();
	/* Dead if IPv4 was disabled in between, which ends memberships. */
	if (!mcast->in_dev->dead)
		ip_mc_dec_group(mcast->in_dev, hyvh_mcast_ip(mcast));
	list_del(&mcast->ip_link);
	in_dev_put(mcast->in_dev);
	mcast->in_dev = NULL;
}

static void hyvh_mcast_ip_leave(struct hyvh_mcast *mcast)
{
	/* Once NULL, it remains so: do not take the RTNL for nothing. */
	if (!READ_ONCE(mcast->in_dev))
		return;
	rtnl_lock();
	if (mcast->in_dev)
		hyvh_mcast_ip_leave_locked(mcast);
	rtnl_unlock();
}

/* Let go of a network device that is unregistered, or moves elsewhere. */
static int hyvh_mcast_netdev_event(struct notifier_block *nb,
				   unsigned long event, void *ptr)
{
	const struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct hyvh_mcast *mcast, *next;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	list_for_each_entry_safe(mcast, next, &hyvh_mcast_ip_members, ip_link)
		if (mcast->in_dev->dev == ndev)
			hyvh_mcast_ip_leave_locked(mcast);
	return NOTIFY_DONE;
}

static struct notifier_block hyvh_mcast_netdev_nb = {
	.notifier_call = hyvh_mcast_netdev_event,
};

int hyvh_mcast_register(void)
{
	return register_netdevice_notifier(&hyvh_mcast_netdev_nb);
}

void hyvh_mcast_unregister(void)
{
	unregister_netdevice_notifier(&hyvh_mcast_netdev_nb);
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
	int ret;

	mutex_lock(&hyvh_mcast_lock);
	ret = ib_attach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	mutex_unlock(&hyvh_mcast_lock);
	if (ret)
		return ret;
	hyvh_mcast_ip_join(qp, mcast);
	list_add_tail(&mcast->link, &qp->mcast);
	return 0;
}

static int hyvh_mcast_attach(struct hyvh_cmd *cmd, struct hyvh_qp *qp)
{
	const struct hyv_mcast_req *req = cmd->req;
	atomic_t *nr = &qp->vnic->nr_mcast;
	struct hyvh_mcast *mcast;
	int ret = -ENOMEM;

	/* Like uverbs: joining again has no effect. */
	if (hyvh_mcast_find(qp, req))
		return 0;
	if (!atomic_add_unless(nr, 1, HYVH_MAX_MCAST))
		return hyvh_cmd_refuse(cmd, -EDQUOT, "%u memberships exist",
				       HYVH_MAX_MCAST);
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast)
		goto err_count;
	mcast->mlid = le16_to_cpu(req->mlid);
	memcpy(mcast->gid.raw, req->gid, sizeof(mcast->gid.raw));
	ret = hyvh_mcast_join(qp, mcast);
	if (ret)
		goto err_free;
	return 0;

err_free:
	kfree(mcast);
err_count:
	atomic_dec(nr);
	return ret;
}

static int hyvh_mcast_leave(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	int ret;

	lockdep_assert_held(&qp->mcast_lock);
	mutex_lock(&hyvh_mcast_lock);
	ret = ib_detach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	mutex_unlock(&hyvh_mcast_lock);
	if (ret)
		return ret;
	hyvh_mcast_ip_leave(mcast);
	list_del(&mcast->link);
	kfree(mcast);
	atomic_dec(&qp->vnic->nr_mcast);
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
	mutex_lock(&qp->mcast_lock);
	ret = fn(cmd, qp);
	mutex_unlock(&qp->mcast_lock);
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
