/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of a quota that several owners hold together, such as a queue and the
 * mappings of it. The last owner returns them.
 */
#ifndef HYVH_CHARGE_H
#define HYVH_CHARGE_H

#include <linux/err.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "memory/quota.h"

struct hyvh_charge {
	refcount_t refs;
	struct hyvh_quota *quota;	/* outlives the charge */
	u64 bytes;
};

/* Returns ERR_PTR(-EDQUOT) if @bytes would exceed the limit, or -ENOMEM. */
static inline struct hyvh_charge *hyvh_charge_new(struct hyvh_quota *quota,
						  u64 bytes)
{
	struct hyvh_charge *charge;
	int ret;

	charge = kmalloc(sizeof(*charge), GFP_KERNEL_ACCOUNT);
	if (!charge)
		return ERR_PTR(-ENOMEM);
	ret = hyvh_quota_charge(quota, bytes);
	if (ret) {
		kfree(charge);
		return ERR_PTR(ret);
	}
	refcount_set(&charge->refs, 1);
	charge->quota = quota;
	charge->bytes = bytes;
	return charge;
}

/* @charge may be NULL. */
static inline struct hyvh_charge *hyvh_charge_get(struct hyvh_charge *charge)
{
	if (charge)
		refcount_inc(&charge->refs);
	return charge;
}

/* @charge may be NULL. */
static inline void hyvh_charge_put(struct hyvh_charge *charge)
{
	if (!charge || !refcount_dec_and_test(&charge->refs))
		return;
	hyvh_quota_uncharge(charge->quota, charge->bytes);
	kfree(charge);
}

#endif /* HYVH_CHARGE_H */
