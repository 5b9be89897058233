/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A limit on bytes: of pinned guest memory, and of queues.
 */
#ifndef HYV_QUOTA_H
#define HYV_QUOTA_H

#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct hyv_quota - bytes in use and their limit
 * @lock: protects all below; taken in process context only
 * @used: bytes charged
 * @max: limit of @used; may be below it after hyv_quota_set_max()
 */
struct hyv_quota {
	spinlock_t lock; /* all below */
	u64 used;
	u64 max;
};

void hyv_quota_init(struct hyv_quota *quota, u64 max);
void hyv_quota_set_max(struct hyv_quota *quota, u64 max);
int hyv_quota_charge(struct hyv_quota *quota, u64 bytes);
void hyv_quota_uncharge(struct hyv_quota *quota, u64 bytes);
u64 hyv_quota_used(struct hyv_quota *quota);
u64 hyv_quota_max(struct hyv_quota *quota);

#endif /* HYV_QUOTA_H */
