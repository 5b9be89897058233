// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HCAs of the host: a client of ib_core that keeps a list of them, and
 * takes an HCA from the vNICs attached to it when it is removed.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5-abi.h>
#include <hyv/provider.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv_netlink.h>

#include "debug.h"
#include "hca/hca.h"
#include "trace.h"

static bool allow_trusted_only_hca;
module_param(allow_trusted_only_hca, bool, 0644);
MODULE_PARM_DESC(allow_trusted_only_hca,
		 "Allow HCAs that are safe for trusted guests only, such as rdma_rxe: guests can crash the host through them (default: N)");

static const struct mlx5_ib_alloc_ucontext_req_v2 hyvh_mlx5_context = {
	.total_num_bfregs = 2,
	.max_cqe_version = 1,
};

#define HYVH_MLX5_ABI						\
	.device_data = true,					\
	.wqe_addresses = true,					\
	.doorbell_pages = HYV_MLX5_MAX_UARS,			\
	.context_request = &hyvh_mlx5_context,			\
	.context_request_len = sizeof(hyvh_mlx5_context)

static const struct hyvh_hca_driver hyvh_hca_drivers[] = {
	{
		.driver_id = RDMA_DRIVER_RXE,
		.trusted_only = true,
		.doorbell_area = true,
		.kernel_queues = true,
		.keeps_mcast_addrs = true,
		.mcast_races = true,
		.max_inline_data = 512,
	},
	{
		.driver_id = RDMA_DRIVER_MLX5,
		.module = "hyvs",
		.lends = true,
		HYVH_MLX5_ABI,
	},
	{
		/* A card, which nobody has tried with malicious guests. */
		.driver_id = RDMA_DRIVER_MLX5,
		.trusted_only = true,
		HYVH_MLX5_ABI,
	},
#ifdef HYV_TEST
	{
		.driver_id = HYV_DRIVER_MOCK,
		.doorbell_area = true,
		.kernel_queues = true,
		.max_inline_data = 512,
	},
#endif
};

/*
 * An RDMA device of the host. Its name is read from ibdev->name: the one that
 * dev_name() returns is freed when an administrator changes it.
 */
struct hyvh_hca {
	struct list_head node;		/* in hyvh_hcas */
	u32 index;			/* reused after all others only */
	struct ib_device *ibdev;	/* registered until removal ends */
	const struct hyvh_hca_driver *driver; /* NULL: guests cannot use it */
	struct ib_event_handler handler;

	spinlock_t lock;		/* protects links, hardirq-safe */
	struct list_head links;		/* of struct hyvh_hca_link */
	u32 nr_links;

	atomic_t nr_leaked;		/* objects; see verbs/leak.c */

	refcount_t users;		/* 1, and 1 for each user vNIC */
	struct completion idle;		/* users has dropped to 0 */
};

/* Protects hyvh_hcas and hyvh_next_index. */
static DEFINE_MUTEX(hyvh_hcas_lock);
static LIST_HEAD(hyvh_hcas);	/* sorted by index */
static u32 hyvh_next_index;

/* Seconds from the start of a removal to hyvh_hca_link_ops.late(). */
static unsigned int removal_warn_s = 10;
static unsigned int removal_kill_s = 60;
#ifdef HYV_TEST
module_param(removal_warn_s, uint, 0644);
module_param(removal_kill_s, uint, 0644);
#endif

static const struct hyvh_hca_driver *
hyvh_hca_driver_find(struct ib_device *ibdev)
{
	const char *module = module_name(ibdev->ops.owner);
	const struct hyvh_hca_driver *driver;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hyvh_hca_drivers); i++) {
		driver = &hyvh_hca_drivers[i];
		if (driver->driver_id == ibdev->ops.driver_id &&
		    (!driver->module || !strcmp(driver->module, module)))
			return driver;
	}
	return NULL;
}

static enum hyv_nl_hca_use hyvh_hca_policy(const struct hyvh_hca *hca)
{
	if (!hca->driver)
		return HYV_NL_HCA_UNSUPPORTED;
	if (hca->driver->trusted_only && !READ_ONCE(allow_trusted_only_hca))
		return HYV_NL_HCA_TRUSTED_ONLY_DENIED;
	return HYV_NL_HCA_USABLE;
}

static struct hyvh_hca *hyvh_hca_find(const char *name)
{
	struct hyvh_hca *hca;

	lockdep_assert_held(&hyvh_hcas_lock);
	list_for_each_entry(hca, &hyvh_hcas, node)
		if (!strcmp(hca->ibdev->name, name))
			return hca;
	return NULL;
}

static void hyvh_hca_put(struct hyvh_hca *hca)
{
	if (refcount_dec_and_test(&hca->users))
		complete(&hca->idle);
}

static int hyvh_hca_check(const struct hyvh_hca *hca, const char *name,
			  u32 vnic_id)
{
	if (!hca)
		return hyvh_refuse(vnic_id, -ENODEV, "HCA %s is being removed",
				   name);
	switch (hyvh_hca_policy(hca)) {
	case HYV_NL_HCA_UNSUPPORTED:
		return hyvh_refuse(vnic_id, -EOPNOTSUPP,
				   "driver of HCA %s is not supported", name);
	case HYV_NL_HCA_TRUSTED_ONLY_DENIED:
		return hyvh_refuse(vnic_id, -EPERM,
				   "HCA %s is for trusted guests only; not allowed by allow_trusted_only_hca",
				   name);
	default:
		return 0;
	}
}

/**
 * hyvh_hca_attach() - attach a vNIC to an HCA
 * @link: link of a vNIC that is ready for events and removal; not busy
 * @name: name of the HCA
 * @vnic_id: ID of the vNIC, for messages
 *
 * Context: Process context. May sleep. Caller holds hyvh_vnic.teardown_rwsem
 * for writing, which makes the removal of the HCA wait.
 * Return: the HCA, ERR_PTR(%-EPERM) if the administrator's policy forbids it,
 * ERR_PTR(%-EOPNOTSUPP) if its driver is not supported, or ERR_PTR(%-ENODEV)
 * if it is being removed.
 */
struct hyvh_hca *hyvh_hca_attach(struct hyvh_hca_link *link, const char *name,
				 u32 vnic_id)
{
	struct hyvh_hca *hca;
	int ret;

	mutex_lock(&hyvh_hcas_lock);
	hca = hyvh_hca_find(name);
	ret = hyvh_hca_check(hca, name, vnic_id);
	if (!ret) {
		refcount_inc(&hca->users);
		spin_lock_irq(&hca->lock);
		list_add_tail(&link->node, &hca->links);
		WRITE_ONCE(hca->nr_links, hca->nr_links + 1);
		spin_unlock_irq(&hca->lock);
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret ? ERR_PTR(ret) : hca;
}

static void hyvh_hca_unlink_locked(struct hyvh_hca *hca,
				   struct hyvh_hca_link *link)
{
	lockdep_assert_held(&hca->lock);
	list_del_init(&link->node);
	WRITE_ONCE(hca->nr_links, hca->nr_links - 1);
}

/*
 * The vNIC of @link no longer uses @hca. Process context. The caller holds
 * hyvh_vnic.teardown_rwsem for writing.
 */
void hyvh_hca_detach(struct hyvh_hca *hca, struct hyvh_hca_link *link)
{
	bool attached;

	/*
	 * If hyvh_hca_remove() was first, it waits for the caller, and drops
	 * the use count.
	 */
	spin_lock_irq(&hca->lock);
	attached = !list_empty(&link->node);
	if (attached)
		hyvh_hca_unlink_locked(hca, link);
	spin_unlock_irq(&hca->lock);
	if (attached)
		hyvh_hca_put(hca);
}

/*
 * Check if the removal of an HCA still waits for a link, which may be detached
 * since. Process context.
 */
bool hyvh_hca_link_busy(struct hyvh_hca_link *link)
{
	bool busy;

	mutex_lock(&hyvh_hcas_lock);
	busy = !list_empty(&link->removal);
	mutex_unlock(&hyvh_hcas_lock);
	return busy;
}

struct ib_device *hyvh_hca_ibdev(const struct hyvh_hca *hca)
{
	return hca->ibdev;
}

const struct hyvh_hca_driver *hyvh_hca_driver(const struct hyvh_hca *hca)
{
	return hca->driver;
}

/* The virtio features of a vNIC that depend on its HCA. */
u64 hyvh_hca_features(const struct hyvh_hca *hca)
{
	u64 features = BIT_ULL(HYV_F_INDIRECT_CHUNKS);

	if (hca->driver->doorbell_area)
		features |= BIT_ULL(HYV_F_DOORBELL_AREA);
	return features;
}

/* The driver failed to destroy an object, which is given up. Any context. */
void hyvh_hca_count_leak(struct hyvh_hca *hca)
{
	atomic_inc(&hca->nr_leaked);
}

/* The number of an HCA, unique and never reused. */
u32 hyvh_hca_index(const struct hyvh_hca *hca)
{
	return hca->index;
}

/* Check that all ports support RoCE v2, as guest addressing requires. */
bool hyvh_hca_has_roce(const struct hyvh_hca *hca)
{
	u32 port;

	rdma_for_each_port(hca->ibdev, port)
		if (!rdma_protocol_roce_udp_encap(hca->ibdev, port))
			return false;
	return true;
}

static bool hyvh_gid_attr_matches(const struct ib_gid_attr *attr,
				  const struct net_device *ndev,
				  enum hyvh_gid_kind kind)
{
	return attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
	       rcu_access_pointer(attr->ndev) == ndev &&
	       hyvh_gid_kind(&attr->gid) == kind;
}

/**
 * hyvh_hca_find_gid() - find the GID that an HCA sends from
 * @hca: the HCA
 * @port: port number
 * @kind: kind of GID
 * @gid: set to the GID, unless NULL
 * @index: set to its index in the port's GID table, unless NULL
 *
 * The first GID of @kind that belongs to the port's own network device; devices
 * stacked on top of it are in other networks. All guests on an HCA get the same
 * GID as long as the table does not change.
 *
 * Context: Process context.
 * Return: 0 or %-ENOENT.
 */
int hyvh_hca_find_gid(const struct hyvh_hca *hca, u32 port,
		      enum hyvh_gid_kind kind, union ib_gid *gid, u8 *index)
{
	const struct ib_gid_attr *attr, *own;
	struct ib_device *ibdev = hca->ibdev;
	int ret = -ENOENT;
	int i, nr;

	/* ib_core fills the first entries for the port's own device. */
	own = rdma_get_gid_attr(ibdev, port, 0);
	if (IS_ERR(own))
		return -ENOENT;
	/* struct hyv_ah_attr has 8 bits for an index, and so has uverbs. */
	nr = min(ibdev->port_data[port].immutable.gid_tbl_len, U8_MAX + 1);
	for (i = 0; i < nr && ret; i++) {
		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		if (hyvh_gid_attr_matches(attr, rcu_access_pointer(own->ndev),
					  kind)) {
			if (gid)
				*gid = attr->gid;
			if (index)
				*index = i;
			ret = 0;
		}
		rdma_put_gid_attr(attr);
	}
	rdma_put_gid_attr(own);
	return ret;
}

/* Like hyvh_hca_find_gid(). Returns -ENODEV if the HCA was removed. */
int hyvh_hca_lookup_gid(u32 hca_index, u32 port, enum hyvh_gid_kind kind,
			union ib_gid *gid)
{
	struct hyvh_hca *hca;
	int ret = -ENODEV;

	mutex_lock(&hyvh_hcas_lock);
	list_for_each_entry(hca, &hyvh_hcas, node) {
		if (hca->index != hca_index)
			continue;
		ret = hyvh_hca_find_gid(hca, port, kind, gid, NULL);
		break;
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret;
}

/* Called in process context; older drivers may call this in any context. */
static void hyvh_hca_event(struct ib_event_handler *handler,
			   struct ib_event *event)
{
	struct hyvh_hca *hca = container_of(handler, struct hyvh_hca, handler);
	struct hyvh_hca_link *link;
	unsigned long flags;

	spin_lock_irqsave(&hca->lock, flags);
	list_for_each_entry(link, &hca->links, node)
		link->ops->event(link, event);
	spin_unlock_irqrestore(&hca->lock, flags);
}

static struct ib_client hyvh_client;

static int hyvh_hca_add(struct ib_device *ibdev)
{
	struct hyvh_hca *hca;

	hca = kzalloc(sizeof(*hca), GFP_KERNEL);
	if (!hca)
		return -ENOMEM;
	hca->ibdev = ibdev;
	hca->driver = hyvh_hca_driver_find(ibdev);
	spin_lock_init(&hca->lock);
	INIT_LIST_HEAD(&hca->links);
	refcount_set(&hca->users, 1);
	init_completion(&hca->idle);

	INIT_IB_EVENT_HANDLER(&hca->handler, ibdev, hyvh_hca_event);
	ib_register_event_handler(&hca->handler);
	ib_set_client_data(ibdev, &hyvh_client, hca);

	mutex_lock(&hyvh_hcas_lock);
	hca->index = hyvh_next_index++;
	list_add_tail(&hca->node, &hyvh_hcas);
	mutex_unlock(&hyvh_hcas_lock);
	trace_hyvh_hca_arrive(hca->index, ibdev->name);
	return 0;
}

/*
 * Move any attached vNIC to @links. The caller owns its use count and a
 * reference to the link.
 */
static struct hyvh_hca_link *hyvh_hca_detach_any(struct hyvh_hca *hca,
						 struct list_head *links)
{
	struct hyvh_hca_link *link;

	mutex_lock(&hyvh_hcas_lock);
	spin_lock_irq(&hca->lock);
	link = list_first_entry_or_null(&hca->links, struct hyvh_hca_link,
					node);
	if (link) {
		hyvh_hca_unlink_locked(hca, link);
		list_add_tail(&link->removal, links);
		link->ops->get(link);
	}
	spin_unlock_irq(&hca->lock);
	mutex_unlock(&hyvh_hcas_lock);
	return link;
}

/* Detach all vNICs and let them start to give up the HCA, all in parallel. */
static void hyvh_hca_detach_all(struct hyvh_hca *hca, struct list_head *links)
{
	struct hyvh_hca_link *link;

	while ((link = hyvh_hca_detach_any(hca, links)))
		link->ops->remove(link);
}

/*
 * Let go of vNICs that have given up the HCA, and wait for the others until
 * @end. Returns true if none is left.
 */
static bool hyvh_hca_wait(struct hyvh_hca *hca, struct list_head *links,
			  unsigned long end)
{
	struct hyvh_hca_link *link, *next;
	unsigned long now;

	list_for_each_entry_safe(link, next, links, removal) {
		now = jiffies;
		if (!link->ops->removed(link,
					time_before(now, end) ? end - now : 0))
			continue;
		mutex_lock(&hyvh_hcas_lock);
		list_del_init(&link->removal);
		mutex_unlock(&hyvh_hcas_lock);
		link->ops->put(link);
		hyvh_hca_put(hca);
	}
	return list_empty(links);
}

/*
 * A running request may wait for the VMM, which may not answer. Without one, the
 * VMM has no part in it.
 */
static void hyvh_hca_complain(const struct hyvh_hca *hca,
			      struct list_head *links, bool kill)
{
	struct hyvh_hca_link *link;
	unsigned int nr = 0;

	list_for_each_entry(link, links, removal)
		nr += !link->ops->late(link, kill);
	if (nr)
		pr_warn("driver of HCA %s takes long to destroy the objects of %u vNICs\n",
			hca->ibdev->name, nr);
}

static void hyvh_hca_wait_all(struct hyvh_hca *hca, struct list_head *links)
{
	unsigned long start = jiffies;

	if (hyvh_hca_wait(hca, links, start + removal_warn_s * HZ))
		return;
	hyvh_hca_complain(hca, links, false);
	if (hyvh_hca_wait(hca, links, start + removal_kill_s * HZ))
		return;
	do
		hyvh_hca_complain(hca, links, true);
	while (!hyvh_hca_wait(hca, links, jiffies + removal_kill_s * HZ));
}

/*
 * ib_core removes its clients in the reverse order of their registration, so
 * this runs before ib_uverbs waits until its files are closed.
 */
static void hyvh_hca_remove(struct ib_device *ibdev, void *data)
{
	struct hyvh_hca *hca = data;
	LIST_HEAD(links);

	trace_hyvh_hca_remove(hca->index, ibdev->name);
	mutex_lock(&hyvh_hcas_lock);
	list_del(&hca->node);
	mutex_unlock(&hyvh_hcas_lock);
	ib_unregister_event_handler(&hca->handler);

	hyvh_hca_detach_all(hca, &links);
	hyvh_hca_wait_all(hca, &links);
	hyvh_hca_put(hca);
	wait_for_completion(&hca->idle);
	kfree(hca);
}

static struct ib_client hyvh_client = {
	.name = "hyv",
	.add = hyvh_hca_add,
	.remove = hyvh_hca_remove,
	.no_kverbs_req = true,
};

/*
 * Take a snapshot of the first HCA with an index of at least @hca_index, which
 * is set to its index. Returns -ENOENT, with nothing changed, if there is none.
 */
int hyvh_hca_info_next(u32 *hca_index, struct hyvh_hca_info *info)
{
	struct hyvh_hca *hca;
	int ret = -ENOENT;

	mutex_lock(&hyvh_hcas_lock);
	list_for_each_entry(hca, &hyvh_hcas, node) {
		if (hca->index < *hca_index)
			continue;
		*hca_index = hca->index;
		memset(info, 0, sizeof(*info));
		strscpy(info->name, hca->ibdev->name, sizeof(info->name));
		info->driver_id = hca->ibdev->ops.driver_id;
		info->use = hyvh_hca_policy(hca);
		info->nr_vnics = READ_ONCE(hca->nr_links);
		info->nr_leaked = atomic_read(&hca->nr_leaked);
		ret = 0;
		break;
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret;
}

int hyvh_hca_register(void)
{
	return ib_register_client(&hyvh_client);
}

/* No vNIC exists. */
void hyvh_hca_unregister(void)
{
	ib_unregister_client(&hyvh_client);
}
