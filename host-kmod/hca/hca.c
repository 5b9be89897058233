// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HCAs of the host: a client of ib_core that learns when they come and
 * takes them from the guests when they leave.
 */
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "hca/hca.h"
#include "admin/info.h"
#include "vnic.h"

static bool allow_trusted_only_hca;
module_param(allow_trusted_only_hca, bool, 0644);
MODULE_PARM_DESC(allow_trusted_only_hca,
		 "Lend guests HCAs that trust what user space writes into their queues, as rdma_rxe does: such a guest can crash the host (default: N)");

static const struct hyvh_provider hyvh_providers[] = {
	{
		.driver_id = RDMA_DRIVER_RXE,
		.trusted_only = true,
		.doorbell_area = true,
		.kernel_queues = true,
		.max_inline_data = 512,
	},
};

/**
 * struct hyvh_hca - an RDMA device of the host
 * @link: in hyvh_hcas; protected by hyvh_hcas_lock
 * @index: never used twice
 * @ibdev: the device; stays until hyvh_hca_remove() returns
 * @provider: its driver's entry, or NULL if guests cannot use it
 * @handler: gets the device's async events
 * @lock: protects the fields below; taken with interrupts off
 * @vnics: vNICs attached to it
 * @nr_vnics: how many
 * @users: 1 for itself and 1 for each vNIC that may still call the device
 * @idle: @users has gone
 */
struct hyvh_hca {
	struct list_head link;
	u32 index;
	struct ib_device *ibdev;
	const struct hyvh_provider *provider;
	struct ib_event_handler handler;

	spinlock_t lock;	/* see above */
	struct list_head vnics;
	u32 nr_vnics;

	refcount_t users;
	struct completion idle;
};

/* Protects the list and hyvh_next_index. */
static DEFINE_MUTEX(hyvh_hcas_lock);
static LIST_HEAD(hyvh_hcas);
static u32 hyvh_next_index;

/**
 * hyvh_provider_get() - walk the supported drivers
 * @i: 0, 1, 2, ...
 *
 * Return: the entry, or NULL at the end.
 */
const struct hyvh_provider *hyvh_provider_get(unsigned int i)
{
	return i < ARRAY_SIZE(hyvh_providers) ? &hyvh_providers[i] : NULL;
}

static const struct hyvh_provider *hyvh_provider_of(struct ib_device *ibdev)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hyvh_providers); i++)
		if (hyvh_providers[i].driver_id == ibdev->ops.driver_id)
			return &hyvh_providers[i];
	return NULL;
}

static u32 hyvh_hca_use(const struct hyvh_hca *hca)
{
	if (!hca->provider)
		return HYV_NL_HCA_UNSUPPORTED;
	if (hca->provider->trusted_only && !READ_ONCE(allow_trusted_only_hca))
		return HYV_NL_HCA_TRUSTED_ONLY_DENIED;
	return HYV_NL_HCA_USABLE;
}

static void hyvh_hca_put(struct hyvh_hca *hca)
{
	if (refcount_dec_and_test(&hca->users))
		complete(&hca->idle);
}

/* Take @vnic off its list; false if it is off already. */
static bool hyvh_hca_take_off(struct hyvh_hca *hca, struct hyvh_vnic *vnic)
{
	lockdep_assert_held(&hca->lock);
	if (list_empty(&vnic->hca_link))
		return false;
	list_del_init(&vnic->hca_link);
	hca->nr_vnics--;
	return true;
}

/**
 * hyvh_hca_link() - attach a vNIC to an HCA
 * @vnic: a vNIC with no HCA, set up but for that
 * @ibdev: the HCA's device, which cannot leave during the call
 *
 * Context: Process context. May sleep.
 * Return: 0; -EPERM if the administrator's policy forbids it; -EOPNOTSUPP if
 * its driver is not supported; -ENODEV if it is leaving.
 */
int hyvh_hca_link(struct hyvh_vnic *vnic, struct ib_device *ibdev)
{
	struct hyvh_hca *hca;
	int ret = -ENODEV;

	mutex_lock(&hyvh_hcas_lock);
	list_for_each_entry(hca, &hyvh_hcas, link) {
		if (hca->ibdev != ibdev)
			continue;
		switch (hyvh_hca_use(hca)) {
		case HYV_NL_HCA_UNSUPPORTED:
			ret = -EOPNOTSUPP;
			break;
		case HYV_NL_HCA_TRUSTED_ONLY_DENIED:
			ret = -EPERM;
			break;
		default:
			refcount_inc(&hca->users);
			vnic->hca = hca;
			spin_lock_irq(&hca->lock);
			list_add_tail(&vnic->hca_link, &hca->vnics);
			hca->nr_vnics++;
			spin_unlock_irq(&hca->lock);
			ret = 0;
			break;
		}
		break;
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret;
}

/**
 * hyvh_hca_unlink() - detach a vNIC from its HCA
 * @vnic: has an HCA but nothing of it in use any more
 *
 * Context: Process context; gate held for writing.
 */
void hyvh_hca_unlink(struct hyvh_vnic *vnic)
{
	struct hyvh_hca *hca = vnic->hca;
	bool mine;

	/* If hyvh_hca_remove() took it off, it waits for the gate and @hca stays. */
	spin_lock_irq(&hca->lock);
	mine = hyvh_hca_take_off(hca, vnic);
	spin_unlock_irq(&hca->lock);
	vnic->hca = NULL;
	if (mine)
		hyvh_hca_put(hca);
}

/**
 * hyvh_hca_ibdev() - device of an HCA
 * @hca: of a vNIC, under its gate
 */
struct ib_device *hyvh_hca_ibdev(const struct hyvh_hca *hca)
{
	return hca->ibdev;
}

/**
 * hyvh_hca_provider() - what is special about an HCA's driver
 * @hca: of a vNIC, under its gate
 */
const struct hyvh_provider *hyvh_hca_provider(const struct hyvh_hca *hca)
{
	return hca->provider;
}

/**
 * hyvh_hca_features() - virtio device features that an HCA comes with
 * @hca: of a vNIC, under its gate
 */
u64 hyvh_hca_features(const struct hyvh_hca *hca)
{
	u64 features = BIT_ULL(HYV_F_INDIRECT_CHUNKS);

	if (hca->provider->doorbell_area)
		features |= BIT_ULL(HYV_F_DOORBELL_AREA);
	return features;
}

/**
 * hyvh_hca_index() - number of an HCA, which no other one ever gets
 * @hca: of a vNIC, under its gate
 *
 * Return: the number.
 */
u32 hyvh_hca_index(const struct hyvh_hca *hca)
{
	return hca->index;
}

/**
 * hyvh_hca_has_roce() - can guests have addresses of their own on this HCA?
 * @ibdev: its device
 *
 * Return: true if all of its ports speak RoCE v2.
 */
bool hyvh_hca_has_roce(const struct ib_device *ibdev)
{
	u32 port;

	rdma_for_each_port(ibdev, port)
		if (!rdma_protocol_roce_udp_encap(ibdev, port))
			return false;
	return true;
}

/* What a GID is good for if it is one of the network device @ndev. */
static enum hyvh_gid_kind hyvh_gid_attr_kind(const struct ib_gid_attr *attr,
					     const struct net_device *ndev)
{
	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP ||
	    rcu_access_pointer(attr->ndev) != ndev)
		return HYVH_GID_UNUSABLE;
	return hyvh_gid_kind(&attr->gid);
}

/**
 * hyvh_hca_pick_gid() - the GID which an HCA sends from
 * @ibdev: the HCA's device, which stays during the call
 * @port: its port
 * @least: what kind of GID will do
 * @most: the best that will do
 * @gid: where to write it
 *
 * It is the first one of the best kind that the port's own network device has;
 * those stacked upon it have other networks. Guests on one HCA have the same one,
 * as long as the table does not change.
 *
 * Context: process.
 * Return: its index, or -ENOENT.
 */
int hyvh_hca_pick_gid(struct ib_device *ibdev, u32 port, enum hyvh_gid_kind least,
		      enum hyvh_gid_kind most, union ib_gid *gid)
{
	enum hyvh_gid_kind best = HYVH_GID_UNUSABLE, this;
	const struct ib_gid_attr *attr, *own;
	int index = -ENOENT, i;

	/* The first entries are for what the core itself gives the port. */
	own = rdma_get_gid_attr(ibdev, port, 0);
	if (IS_ERR(own))
		return -ENOENT;
	for (i = 0; i < ibdev->port_data[port].immutable.gid_tbl_len; i++) {
		/* struct hyv_ah_attr has no room for more, nor has uverbs */
		if (i > U8_MAX)
			break;
		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		this = hyvh_gid_attr_kind(attr, rcu_access_pointer(own->ndev));
		if (this > best && this >= least && this <= most) {
			best = this;
			index = i;
			*gid = attr->gid;
		}
		rdma_put_gid_attr(attr);
	}
	rdma_put_gid_attr(own);
	return index;
}

/**
 * hyvh_hca_gid() - the GID by which an HCA of this host is reached
 * @index: of hyvh_hca_index()
 * @port: its port
 * @kind: what kind of GID
 * @gid: where to write it
 *
 * Context: process, may sleep.
 * Return: 0, -ENODEV if it has left, -ENOENT if it has no GID.
 */
int hyvh_hca_gid(u32 index, u32 port, enum hyvh_gid_kind kind, union ib_gid *gid)
{
	struct hyvh_hca *hca;
	int ret = -ENODEV;

	mutex_lock(&hyvh_hcas_lock);
	list_for_each_entry(hca, &hyvh_hcas, link) {
		if (hca->index != index)
			continue;
		ret = hyvh_hca_pick_gid(hca->ibdev, port, kind, kind, gid);
		break;
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret < 0 ? ret : 0;
}

/* Called by ib_core in process context, or in any by drivers of old. */
static void hyvh_hca_event(struct ib_event_handler *handler,
			   struct ib_event *event)
{
	struct hyvh_hca *hca = container_of(handler, struct hyvh_hca, handler);
	struct hyvh_vnic *vnic;
	unsigned long flags;

	spin_lock_irqsave(&hca->lock, flags);
	list_for_each_entry(vnic, &hca->vnics, hca_link) {
		if (event->event == IB_EVENT_DEVICE_FATAL)
			hyvh_events_raise(vnic, 0, &vnic->events.device_fatal);
		else
			hyvh_events_raise_port(vnic, event->element.port_num,
					       event->event);
	}
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
	hca->provider = hyvh_provider_of(ibdev);
	spin_lock_init(&hca->lock);
	INIT_LIST_HEAD(&hca->vnics);
	refcount_set(&hca->users, 1);
	init_completion(&hca->idle);

	INIT_IB_EVENT_HANDLER(&hca->handler, ibdev, hyvh_hca_event);
	ib_register_event_handler(&hca->handler);
	ib_set_client_data(ibdev, &hyvh_client, hca);

	mutex_lock(&hyvh_hcas_lock);
	hca->index = hyvh_next_index++;
	list_add_tail(&hca->link, &hyvh_hcas);
	mutex_unlock(&hyvh_hcas_lock);
	return 0;
}

/*
 * ib_core removes its clients in the reverse order of their registration, so
 * that this runs before ib_uverbs waits for its files to be closed.
 */
static void hyvh_hca_remove(struct ib_device *ibdev, void *data)
{
	struct hyvh_hca *hca = data;
	struct hyvh_vnic *vnic;

	mutex_lock(&hyvh_hcas_lock);
	list_del(&hca->link);
	mutex_unlock(&hyvh_hcas_lock);
	ib_unregister_event_handler(&hca->handler);

	for (;;) {
		spin_lock_irq(&hca->lock);
		vnic = list_first_entry_or_null(&hca->vnics, struct hyvh_vnic,
						hca_link);
		if (vnic) {
			hyvh_hca_take_off(hca, vnic);
			kref_get(&vnic->ref);
		}
		spin_unlock_irq(&hca->lock);
		if (!vnic)
			break;
		hyvh_vnic_hca_gone(vnic);
		hyvh_vnic_put(vnic);
		hyvh_hca_put(hca);
	}
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

int hyvh_hca_info_next(u32 *index, struct hyvh_hca_info *info)
{
	struct hyvh_hca *hca;
	int ret = -ENOENT;

	mutex_lock(&hyvh_hcas_lock);
	/* The list is in the order of the indices. */
	list_for_each_entry(hca, &hyvh_hcas, link) {
		if (hca->index < *index)
			continue;
		*index = hca->index;
		memset(info, 0, sizeof(*info));
		strscpy(info->name, dev_name(&hca->ibdev->dev),
			sizeof(info->name));
		info->driver_id = hca->ibdev->ops.driver_id;
		info->use = hyvh_hca_use(hca);
		info->nr_vnics = READ_ONCE(hca->nr_vnics);
		ret = 0;
		break;
	}
	mutex_unlock(&hyvh_hcas_lock);
	return ret;
}

/**
 * hyvh_hca_register() - start to follow the HCAs of the host
 *
 * Context: Process context. May sleep.
 * Return: 0 or a negative errno.
 */
int hyvh_hca_register(void)
{
	return ib_register_client(&hyvh_client);
}

/**
 * hyvh_hca_unregister() - stop it
 *
 * Context: Process context; no vNIC exists. May sleep.
 */
void hyvh_hca_unregister(void)
{
	ib_unregister_client(&hyvh_client);
}
