// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memberships of the host's IP stack in IPv4 groups.
 *
 * For a process of the host the connection manager joins a group at the IP
 * stack. For a guest it does so in the guest's network only. But the switches of
 * the HCA's network must know the group, and rdma_rxe receives what this host
 * sends to a group only if the host is a member.
 *
 * The IP stack needs the RTNL, which others on the host may hold for long. So
 * work items join and leave: who joins waits for a limited time, and nobody
 * waits for the host to leave.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <rdma/ib_cache.h>

#include "address/ip_group.h"

/* Longest time that a join takes. */
#define HYVH_IP_GROUP_WAIT	HZ

/**
 * struct hyvh_ip_group - a membership
 * @join: joins, and drops the reference to @ndev
 * @leave: leaves, and drops the membership's reference; runs after @join
 * @ref: of the membership, and of the request that waits for @joined
 * @leaving: set before @leave is queued: @join need not join
 * @joined: @join has run
 * @addr: the group
 * @ndev: network device to join at; used by @join only
 * @tracker: of the reference to @ndev
 * @in_dev: IP configuration of the network device while it is a member;
 *	referenced; protected by the RTNL
 * @link: in hyvh_ip_groups if @in_dev is set; protected by the RTNL
 */
struct hyvh_ip_group {
	struct work_struct join;
	struct work_struct leave;
	struct kref ref;
	bool leaving;
	struct completion joined;
	__be32 addr;
	struct net_device *ndev;
	netdevice_tracker tracker;
	struct in_device *in_dev;
	struct list_head link;
};

/* Runs items one after the other, in the order in which they were queued. */
static struct workqueue_struct *hyvh_ip_group_wq;

/* Protected by the RTNL. */
static LIST_HEAD(hyvh_ip_groups);

static void hyvh_ip_group_free(struct kref *ref)
{
	kfree(container_of(ref, struct hyvh_ip_group, ref));
}

static void hyvh_ip_group_put(struct hyvh_ip_group *group)
{
	kref_put(&group->ref, hyvh_ip_group_free);
}

static void hyvh_ip_group_join_locked(struct hyvh_ip_group *group)
{
	struct in_device *in_dev;

	ASSERT_RTNL();
	/* NULL without IPv4, and when the device is being unregistered. */
	in_dev = __in_dev_get_rtnl(group->ndev);
	if (!in_dev)
		return;
	ip_mc_inc_group(in_dev, group->addr);
	/* The IP configuration holds the device, with a tracker. */
	in_dev_hold(in_dev);
	group->in_dev = in_dev;
	list_add(&group->link, &hyvh_ip_groups);
}

static void hyvh_ip_group_leave_locked(struct hyvh_ip_group *group)
{
	ASSERT_RTNL();
	/* Dead if IPv4 was disabled in between, which ends memberships. */
	if (!group->in_dev->dead)
		ip_mc_dec_group(group->in_dev, group->addr);
	list_del(&group->link);
	in_dev_put(group->in_dev);
	/* The last access: pairs with smp_load_acquire() in the leave work. */
	smp_store_release(&group->in_dev, NULL);
}

static void hyvh_ip_group_join_work(struct work_struct *work)
{
	struct hyvh_ip_group *group = container_of(work, struct hyvh_ip_group,
						   join);

	if (!READ_ONCE(group->leaving)) {
		rtnl_lock();
		hyvh_ip_group_join_locked(group);
		rtnl_unlock();
	}
	netdev_put(group->ndev, &group->tracker);
	complete(&group->joined);
}

static void hyvh_ip_group_leave_work(struct work_struct *work)
{
	struct hyvh_ip_group *group = container_of(work, struct hyvh_ip_group,
						   leave);

	/*
	 * Once NULL, it remains so: do not take the RTNL for nothing. Pairs with
	 * smp_store_release() in hyvh_ip_group_leave_locked().
	 */
	if (smp_load_acquire(&group->in_dev)) {
		rtnl_lock();
		if (group->in_dev)
			hyvh_ip_group_leave_locked(group);
		rtnl_unlock();
	}
	hyvh_ip_group_put(group);
}

/* Get a reference to the network device of a port. Returns false if none. */
static bool hyvh_ip_group_find_ndev(struct hyvh_ip_group *group,
				    struct ib_device *ibdev, u32 port)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;

	attr = rdma_get_gid_attr(ibdev, port, 0);
	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev)) {
		netdev_hold(ndev, &group->tracker, GFP_ATOMIC);
		group->ndev = ndev;
	}
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
	return group->ndev;
}

/**
 * hyvh_ip_group_join() - make the host a member of a group
 * @ibdev: HCA
 * @port: port number; another port is used if it is invalid
 * @gid: the group, of kind HYVH_GID_MULTICAST4
 *
 * The network device of the port joins soon.
 *
 * Context: Process context. May sleep.
 * Return: the membership, for hyvh_ip_group_wait() and hyvh_ip_group_leave(); or NULL
 * if the port has no network device, or if out of memory.
 */
struct hyvh_ip_group *hyvh_ip_group_join(struct ib_device *ibdev, u32 port,
					 const union ib_gid *gid)
{
	struct hyvh_ip_group *group;

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;
	INIT_WORK(&group->join, hyvh_ip_group_join_work);
	INIT_WORK(&group->leave, hyvh_ip_group_leave_work);
	init_completion(&group->joined);
	/* For the membership, and for hyvh_ip_group_wait() */
	kref_init(&group->ref);
	kref_get(&group->ref);
	memcpy(&group->addr, gid->raw + 12, sizeof(group->addr));
	if (!rdma_is_port_valid(ibdev, port))
		port = rdma_start_port(ibdev);
	if (!hyvh_ip_group_find_ndev(group, ibdev, port)) {
		kfree(group);
		return NULL;
	}
	queue_work(hyvh_ip_group_wq, &group->join);
	return group;
}

/*
 * Wait until the network device has joined, up to HYVH_IP_GROUP_WAIT. Called once for
 * each @group, which may have been left by then, or be NULL.
 */
void hyvh_ip_group_wait(struct hyvh_ip_group *group)
{
	if (!group)
		return;
	wait_for_completion_killable_timeout(&group->joined,
					     HYVH_IP_GROUP_WAIT);
	hyvh_ip_group_put(group);
}

/* End a membership; @group may be NULL. Does not wait. */
void hyvh_ip_group_leave(struct hyvh_ip_group *group)
{
	if (!group)
		return;
	WRITE_ONCE(group->leaving, true);
	queue_work(hyvh_ip_group_wq, &group->leave);
}

/* Let go of a network device that is unregistered, or moves elsewhere. */
static int hyvh_ip_group_netdev_event(struct notifier_block *nb,
				      unsigned long event, void *ptr)
{
	const struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct hyvh_ip_group *group, *next;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	list_for_each_entry_safe(group, next, &hyvh_ip_groups, link)
		if (group->in_dev->dev == ndev)
			hyvh_ip_group_leave_locked(group);
	return NOTIFY_DONE;
}

static struct notifier_block hyvh_ip_group_netdev_nb = {
	.notifier_call = hyvh_ip_group_netdev_event,
};

int hyvh_ip_group_register(void)
{
	int ret;

	hyvh_ip_group_wq = alloc_ordered_workqueue("hyv-ip-group", 0);
	if (!hyvh_ip_group_wq)
		return -ENOMEM;
	ret = register_netdevice_notifier(&hyvh_ip_group_netdev_nb);
	if (ret)
		destroy_workqueue(hyvh_ip_group_wq);
	return ret;
}

/* No QP exists. Waits until all groups are left. */
void hyvh_ip_group_unregister(void)
{
	destroy_workqueue(hyvh_ip_group_wq);
	unregister_netdevice_notifier(&hyvh_ip_group_netdev_nb);
}
