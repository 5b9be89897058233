// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leases.
 */
#include <linux/err.h>
#include <linux/module.h>

#include "hca/hca.h"
#include "hca/lend.h"

/*
 * Open a lease for a vNIC that is attached to the HCA. So the driver stays until the
 * lease is closed; only its symbol may be gone already.
 *
 * Return: the lease; NULL if the HCA has none; ERR_PTR(-ENODEV) if it is being removed;
 * or another negative errno.
 */
struct hyvh_lease *hyvh_hca_lend(const struct hyvh_hca *hca, u32 net, u32 owner)
{
	struct hyvh_lease *(*lend)(struct ib_device *ibdev, u32 net, u32 owner);
	struct hyvh_lease *lease;

	if (!hyvh_hca_driver(hca)->lends)
		return NULL;
	lend = symbol_get(hyvs_lend);
	if (!lend)
		return ERR_PTR(-ENODEV);
	lease = lend(hyvh_hca_ibdev(hca), net, owner);
	symbol_put(hyvs_lend);
	return lease;
}
