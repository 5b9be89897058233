// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs.
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

#include "command/dispatch.h"
#include "address/gid_map.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Memberships of one vNIC: HCAs have a few thousand groups in all. */
#define HYVH_MAX_MCAST	1024

/**
 * struct hyvh_mcast - a group that a QP is in
 * @link: in &hyvh_qp.mcast
 * @gid: of the group, which names it
 * @mlid: as it was when the QP joined; ignored by Ethernet
 * @net: network namespace of a network device that has joined it, too; NULL if
 *	none has
 * @ifindex: that network device
 */
struct hyvh_mcast {
	struct list_head link;
	union ib_gid gid;
	u16 mlid;
	struct net *net;
	int ifindex;
};

/*
 * Protects &hyvh_qp.mcast and &hyvh_vnic.nr_mcast. One for all: rdma_rxe forgets a
 * QP that joins a group while another one is the last to leave it, and neither
 * lets that QP leave then nor be destroyed.
 */
static DEFINE_MUTEX(hyvh_mcast_lock);

/* A reference to the network device of a port, or NULL. */
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
 * Join, or leave, with the host's IP stack; false if that is not there. Takes the
 * RTNL inside of hyvh_mcast_lock.
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
 * What the connection manager does for processes of the host, that of a guest
 * does in the guest's network. Switches of the HCA's network have to know of
 * the group as well, and rdma_rxe gets none of what this host sends to a group
 * that it is not in.
 */
static void hyvh_mcast_ip_join(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	struct ib_device *ibdev = qp->ib->device;
	u32 port = qp->ib->port;
	struct net_device *ndev;

	if (!qp->vnic->gids.tenant ||
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
 * The GID alone names a group: Ethernet HCAs ignore the LID, and ib_core would
 * count a group that comes with two LIDs twice, which they leave only once. The
 * QP could never be destroyed.
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

static void hyvh_mcast_drop(struct hyvh_qp *qp, struct hyvh_mcast *mcast)
{
	lockdep_assert_held(&hyvh_mcast_lock);
	hyvh_mcast_ip_leave(mcast);
	list_del(&mcast->link);
	kfree(mcast);
	qp->vnic->nr_mcast--;
}

static int hyvh_mcast_attach(struct hyvh_qp *qp, const struct hyv_mcast_req *req)
{
	struct hyvh_mcast *mcast;
	int ret = 0;

	mutex_lock(&hyvh_mcast_lock);
	/* As uverbs: joining once more changes nothing. */
	if (hyvh_mcast_find(qp, req))
		goto out_unlock;
	if (qp->vnic->nr_mcast >= HYVH_MAX_MCAST) {
		ret = -EDQUOT;
		goto out_unlock;
	}
	mcast = kzalloc(sizeof(*mcast), GFP_KERNEL_ACCOUNT);
	if (!mcast) {
		ret = -ENOMEM;
		goto out_unlock;
	}
	mcast->mlid = le16_to_cpu(req->mlid);
	memcpy(mcast->gid.raw, req->gid, sizeof(mcast->gid.raw));
	ret = ib_attach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	if (ret) {
		kfree(mcast);
	} else {
		hyvh_mcast_ip_join(qp, mcast);
		list_add_tail(&mcast->link, &qp->mcast);
		qp->vnic->nr_mcast++;
	}
out_unlock:
	mutex_unlock(&hyvh_mcast_lock);
	return ret;
}

static int hyvh_mcast_detach(struct hyvh_qp *qp, const struct hyv_mcast_req *req)
{
	struct hyvh_mcast *mcast;
	int ret = -EINVAL;

	mutex_lock(&hyvh_mcast_lock);
	mcast = hyvh_mcast_find(qp, req);
	if (mcast)
		ret = ib_detach_mcast(qp->ib, &mcast->gid, mcast->mlid);
	if (!ret)
		hyvh_mcast_drop(qp, mcast);
	mutex_unlock(&hyvh_mcast_lock);
	return ret;
}

static int hyvh_mcast_call(struct hyvh_request *r,
			   const struct hyv_mcast_req *req,
			   int (*fn)(struct hyvh_qp *qp,
				     const struct hyv_mcast_req *req))
{
	struct hyvh_objs *objs = &r->vnic->objs;
	struct hyvh_obj *obj;
	int ret;

	obj = hyvh_obj_get(objs, le32_to_cpu(req->qp), HYV_OBJ_QP);
	if (!obj)
		return -ENOENT;
	ret = fn(container_of(obj, struct hyvh_qp, obj), req);
	hyvh_obj_put(objs, obj);
	return ret;
}

/**
 * hyvh_cmd_attach_mcast() - handle HYV_CMD_ATTACH_MCAST
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_attach_mcast(void *arg, struct hyvh_call *call)
{
	return hyvh_mcast_call(arg, call->req, hyvh_mcast_attach);
}

/**
 * hyvh_cmd_detach_mcast() - handle HYV_CMD_DETACH_MCAST
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0; -EINVAL if the QP is not in the group; or another negative errno.
 */
int hyvh_cmd_detach_mcast(void *arg, struct hyvh_call *call)
{
	return hyvh_mcast_call(arg, call->req, hyvh_mcast_detach);
}

/**
 * hyvh_mcast_leave_all() - take a QP out of its groups
 * @qp: a QP that was removed from the table
 *
 * Context: Process context. May sleep.
 * Return: 0, or the driver's negative errno; the QP may be in some groups still.
 */
int hyvh_mcast_leave_all(struct hyvh_qp *qp)
{
	struct hyvh_mcast *mcast, *next;
	int ret = 0;

	mutex_lock(&hyvh_mcast_lock);
	list_for_each_entry_safe(mcast, next, &qp->mcast, link) {
		ret = ib_detach_mcast(qp->ib, &mcast->gid, mcast->mlid);
		if (ret)
			break;
		hyvh_mcast_drop(qp, mcast);
	}
	mutex_unlock(&hyvh_mcast_lock);
	return ret;
}
