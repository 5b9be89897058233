/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HCAs of the host, and the policy on which of them guests may use.
 */
#ifndef HYVH_HCA_H
#define HYVH_HCA_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "hca/gid_kind.h"

struct hyvh_hca;
struct hyvh_hca_link;

/**
 * struct hyvh_hca_driver - a driver whose HCAs guests may use
 * @driver_id: enum rdma_driver_id
 * @module: name of its module, or NULL for any
 * @trusted_only: not for guests that may be malicious
 * @doorbell_area: doorbells are system calls (a software HCA)
 * @kernel_queues: the driver allocates queues itself and charges no one
 * @keeps_mcast_addrs: the driver leaves the addresses of multicast groups on the
 *	network device
 * @mcast_races: the driver loses a QP that joins a group while the last member leaves
 * @device_data: QUERY_DEVICE has provider data
 * @wqe_addresses: work requests have the addresses of datagrams, which thus cannot be
 *	translated
 * @lends: the driver has leases, see lend.h
 * @doorbell_pages: doorbell pages that a context has, at most
 * @context_request: provider data to open a context, or NULL if it needs none
 * @context_request_len: bytes of @context_request
 * @max_inline_data: limit that is enforced here because the driver would log
 *	every violation; 0 leaves it to the driver
 */
struct hyvh_hca_driver {
	u32 driver_id;
	const char *module;
	bool trusted_only;
	bool doorbell_area;
	bool kernel_queues;
	bool keeps_mcast_addrs;
	bool mcast_races;
	bool device_data;
	bool wqe_addresses;
	bool lends;
	u32 doorbell_pages;
	const void *context_request;
	u32 context_request_len;
	u32 max_inline_data;
};

/**
 * struct hyvh_hca_link_ops - what happens to an HCA, for those attached to it
 * @event: the HCA has raised an async event; any context
 * @remove: the HCA is removed, and the link already detached: start to give up
 *	the HCA
 * @removed: wait up to @timeout jiffies until that is done; returns true then
 * @late: if this takes too long because of the VMM, report that to the
 *	administrator, kill the VMM if @kill, and return true
 * @get: take a reference to the object that contains the link; any context
 * @put: drop that reference
 *
 * All except @event and @get run in process context and may sleep.
 */
struct hyvh_hca_link_ops {
	void (*event)(struct hyvh_hca_link *link, const struct ib_event *event);
	void (*remove)(struct hyvh_hca_link *link);
	bool (*removed)(struct hyvh_hca_link *link, unsigned long timeout);
	bool (*late)(struct hyvh_hca_link *link, bool kill);
	void (*get)(struct hyvh_hca_link *link);
	void (*put)(struct hyvh_hca_link *link);
};

/* Binds a vNIC to an HCA. */
struct hyvh_hca_link {
	const struct hyvh_hca_link_ops *ops;
	/* In the HCA's list while attached; protected by hyvh_hca.lock. */
	struct list_head node;
	/* In a list of hyvh_hca_remove(); protected by hyvh_hcas_lock. */
	struct list_head removal;
};

static inline void hyvh_hca_link_init(struct hyvh_hca_link *link,
				      const struct hyvh_hca_link_ops *ops)
{
	link->ops = ops;
	INIT_LIST_HEAD(&link->node);
	INIT_LIST_HEAD(&link->removal);
}

/* A snapshot of an RDMA device of the host. */
struct hyvh_hca_info {
	char name[IB_DEVICE_NAME_MAX];
	u32 driver_id;		/* enum rdma_driver_id */
	u32 use;		/* enum hyv_nl_hca_use */
	u32 nr_vnics;
	u32 nr_leaked;		/* objects, also of vNICs that have ended */
};

int hyvh_hca_register(void);
void hyvh_hca_unregister(void);

struct hyvh_hca *hyvh_hca_attach(struct hyvh_hca_link *link, const char *name,
				 u32 vnic_id);
void hyvh_hca_detach(struct hyvh_hca *hca, struct hyvh_hca_link *link);
bool hyvh_hca_link_busy(struct hyvh_hca_link *link);

/* The caller is attached to @hca and prevents its removal. */
struct ib_device *hyvh_hca_ibdev(const struct hyvh_hca *hca);
const struct hyvh_hca_driver *hyvh_hca_driver(const struct hyvh_hca *hca);
u64 hyvh_hca_features(const struct hyvh_hca *hca);
u32 hyvh_hca_index(const struct hyvh_hca *hca);
void hyvh_hca_count_leak(struct hyvh_hca *hca);
bool hyvh_hca_has_roce(const struct hyvh_hca *hca);
int hyvh_hca_find_gid(const struct hyvh_hca *hca, u32 port,
		      enum hyvh_gid_kind kind, union ib_gid *gid, u8 *index);

/* By index. Process context. May sleep. */
int hyvh_hca_lookup_gid(u32 hca_index, u32 port, enum hyvh_gid_kind kind,
			union ib_gid *gid);
int hyvh_hca_info_next(u32 *hca_index, struct hyvh_hca_info *info);

#endif /* HYVH_HCA_H */
