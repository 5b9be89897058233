/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A limit on bytes: of pinned guest memory, and of queues.
 */
#ifndef HYVH_QUOTA_H
#define HYVH_QUOTA_H

#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct hyvh_quota - bytes in use and their limit
 * @lock: protects all below; taken in process context only
 * @used: bytes charged
 * @max: limit of @used; may be below it after hyvh_quota_set_max()
 */
struct hyvh_quota {
	spinlock_t lock; /* all below */
	u64 used;
	u64 max;
};

void hyvh_quota_init(struct hyvh_quota *quota, u64 max);
void hyvh_quota_set_max(struct hyvh_quota *quota, u64 max);
int hyvh_quota_charge(struct hyvh_quota *quota, u64 bytes);
void hyvh_quota_uncharge(struct hyvh_quota *quota, u64 bytes);
u64 hyvh_quota_used(struct hyvh_quota *quota);
u64 hyvh_quota_max(struct hyvh_quota *quota);

#endif /* HYVH_QUOTA_H */
