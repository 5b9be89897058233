// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit on bytes.
 */
#include <linux/bug.h>
#include <linux/errno.h>

#include "memory/quota.h"

/**
 * hyvh_quota_init() - start with nothing used
 * @quota: the quota
 * @max: its limit in bytes
 */
void hyvh_quota_init(struct hyvh_quota *quota, u64 max)
{
	spin_lock_init(&quota->lock);
	quota->used = 0;
	quota->max = max;
}

/**
 * hyvh_quota_set_max() - change the limit
 * @quota: the quota
 * @max: the limit in bytes; what is used beyond it stays
 *
 * Context: process.
 */
void hyvh_quota_set_max(struct hyvh_quota *quota, u64 max)
{
	spin_lock(&quota->lock);
	quota->max = max;
	spin_unlock(&quota->lock);
}

/**
 * hyvh_quota_charge() - use some bytes
 * @quota: the quota
 * @bytes: how many; any value
 *
 * Context: process.
 * Return: 0, or -EDQUOT when that would be beyond the limit; nothing is
 * charged then.
 */
int hyvh_quota_charge(struct hyvh_quota *quota, u64 bytes)
{
	int ret = -EDQUOT;

	spin_lock(&quota->lock);
	if (quota->used <= quota->max && bytes <= quota->max - quota->used) {
		quota->used += bytes;
		ret = 0;
	}
	spin_unlock(&quota->lock);
	return ret;
}

/**
 * hyvh_quota_uncharge() - bytes are not used any more
 * @quota: the quota
 * @bytes: how many, no more than were charged
 *
 * Context: process.
 */
void hyvh_quota_uncharge(struct hyvh_quota *quota, u64 bytes)
{
	spin_lock(&quota->lock);
	if (!WARN_ON_ONCE(bytes > quota->used))
		quota->used -= bytes;
	spin_unlock(&quota->lock);
}

/**
 * hyvh_quota_used() - how much is used
 * @quota: the quota
 *
 * Context: process.
 * Return: bytes.
 */
u64 hyvh_quota_used(struct hyvh_quota *quota)
{
	u64 used;

	spin_lock(&quota->lock);
	used = quota->used;
	spin_unlock(&quota->lock);
	return used;
}

/**
 * hyvh_quota_max() - how much may be used
 * @quota: the quota
 *
 * Context: process.
 * Return: bytes.
 */
u64 hyvh_quota_max(struct hyvh_quota *quota)
{
	u64 max;

	spin_lock(&quota->lock);
	max = quota->max;
	spin_unlock(&quota->lock);
	return max;
}
