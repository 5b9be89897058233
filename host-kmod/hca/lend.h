/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lease of a vNIC in guest addressing, at an HCA that finds the addresses of
 * datagrams in work requests: it lets the guest send from its vGIDs, to those of its
 * network. hyvs.ko has such an HCA.
 */
#ifndef HYVH_LEND_H
#define HYVH_LEND_H

#include <linux/types.h>

struct hyvh_hca;
struct hyvh_lease;
struct ib_device;
struct ib_ucontext;
union ib_gid;

/* All may sleep. */
struct hyvh_lease_ops {
	/* Set an entry of the guest's GID table, or remove it if @gid is NULL. */
	int (*set_gid)(struct hyvh_lease *lease, unsigned int index,
		       const union ib_gid *gid);
	/* The guest gets a context, which has no objects yet. */
	void (*bind)(struct hyvh_lease *lease, struct ib_ucontext *context);
	/* Takes all GIDs away. The guest may have contexts. */
	void (*close)(struct hyvh_lease *lease);
};

struct hyvh_lease {
	const struct hyvh_lease_ops *ops;
};

/*
 * @net and @owner are not 0, and a GID has one owner in a network. Return: ERR_PTR() of
 * -ENOMEM. The lease is closed before the HCA's removal ends.
 */
struct hyvh_lease *hyvs_lend(struct ib_device *ibdev, u32 net, u32 owner);

struct hyvh_lease *hyvh_hca_lend(const struct hyvh_hca *hca, u32 net,
				 u32 owner);

#endif /* HYVH_LEND_H */
