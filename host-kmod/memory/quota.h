/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on what a vNIC uses of its host: bytes, or a number.
 */
#ifndef HYVH_QUOTA_H
#define HYVH_QUOTA_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* @used may exceed @max after the latter was changed. */
struct hyvh_quota {
	spinlock_t lock;	/* protects all members */
	u64 used;
	u64 max;
	bool max_set;		/* by the VMM: defaults have no effect */
};

static inline void hyvh_quota_init(struct hyvh_quota *quota, u64 max)
{
	spin_lock_init(&quota->lock);
	quota->used = 0;
	quota->max = max;
	quota->max_set = false;
}

/* Set the limit that the VMM wants. */
static inline void hyvh_quota_set_max(struct hyvh_quota *quota, u64 max)
{
	spin_lock(&quota->lock);
	WRITE_ONCE(quota->max, max);
	quota->max_set = true;
	spin_unlock(&quota->lock);
}

/* Set the limit, unless the VMM has set one. */
static inline void hyvh_quota_set_default(struct hyvh_quota *quota, u64 max)
{
	spin_lock(&quota->lock);
	if (!quota->max_set)
		WRITE_ONCE(quota->max, max);
	spin_unlock(&quota->lock);
}

/* Returns -EDQUOT, and charges nothing, if @n would exceed the limit. */
static inline int hyvh_quota_charge(struct hyvh_quota *quota, u64 n)
{
	int ret = -EDQUOT;

	spin_lock(&quota->lock);
	if (!n || (quota->used <= quota->max &&
		   n <= quota->max - quota->used)) {
		WRITE_ONCE(quota->used, quota->used + n);
		ret = 0;
	}
	spin_unlock(&quota->lock);
	return ret;
}

static inline void hyvh_quota_uncharge(struct hyvh_quota *quota, u64 n)
{
	spin_lock(&quota->lock);
	if (!WARN_ON_ONCE(n > quota->used))
		WRITE_ONCE(quota->used, quota->used - n);
	spin_unlock(&quota->lock);
}

/*
 * End a resize: both sizes are charged while it runs, because both exist for a
 * while. @charged is the old size, @bytes the new one and @ret the result of
 * the resize, which is returned. The size that no longer exists is uncharged.
 */
static inline int hyvh_quota_resized(struct hyvh_quota *quota, u64 *charged,
				     u64 bytes, int ret)
{
	if (!ret)
		swap(*charged, bytes);
	hyvh_quota_uncharge(quota, bytes);
	return ret;
}

static inline u64 hyvh_quota_used(const struct hyvh_quota *quota)
{
	return READ_ONCE(quota->used);
}

static inline u64 hyvh_quota_max(const struct hyvh_quota *quota)
{
	return READ_ONCE(quota->max);
}

#endif /* HYVH_QUOTA_H */
