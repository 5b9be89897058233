// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leases of vNICs in guest addressing: their datagrams have vGIDs.
 */
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include "hca/lend.h"
#include "hyvs/hyvs.h"

struct hyvs_lease {
	struct hyvh_lease lease;
	struct kref ref;		/* of hyv.ko and of contexts */
	struct hyvs_gids gids;
};

static struct hyvs_lease *to_hyvs_lease(struct hyvh_lease *lease)
{
	return container_of(lease, struct hyvs_lease, lease);
}

static void hyvs_lease_free(struct kref *ref)
{
	kfree(container_of(ref, struct hyvs_lease, ref));
}

void hyvs_lease_put(struct hyvs_lease *lease)
{
	if (lease)
		kref_put(&lease->ref, hyvs_lease_free);
}

const struct hyvs_gids *hyvs_context_gids(const struct hyvs_ucontext *uctx)
{
	if (uctx->lease)
		return &uctx->lease->gids;
	return &to_hyvs_device(uctx->ib.device)->gids;
}

static int hyvs_lease_set_gid(struct hyvh_lease *lease, unsigned int index,
			      const union ib_gid *gid)
{
	return hyvs_gids_set(&to_hyvs_lease(lease)->gids, index, gid);
}

static void hyvs_lease_bind(struct hyvh_lease *lease,
			    struct ib_ucontext *context)
{
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(context);

	uctx->lease = to_hyvs_lease(lease);
	kref_get(&uctx->lease->ref);
}

static void hyvs_lease_close(struct hyvh_lease *lease)
{
	hyvs_gids_clear(&to_hyvs_lease(lease)->gids);
	hyvs_lease_put(to_hyvs_lease(lease));
}

static const struct hyvh_lease_ops hyvs_lease_ops = {
	.set_gid = hyvs_lease_set_gid,
	.bind = hyvs_lease_bind,
	.close = hyvs_lease_close,
};

struct hyvh_lease *hyvs_lend(struct ib_device *ibdev, u32 net, u32 owner)
{
	struct hyvs_device *dev = to_hyvs_device(ibdev);
	struct hyvs_lease *lease;

	lease = kzalloc(sizeof(*lease), GFP_KERNEL_ACCOUNT);
	if (!lease)
		return ERR_PTR(-ENOMEM);
	lease->lease.ops = &hyvs_lease_ops;
	kref_init(&lease->ref);
	hyvs_gids_init(&lease->gids, dev->gid_hash, net, owner);
	return &lease->lease;
}
EXPORT_SYMBOL_GPL(hyvs_lend);
