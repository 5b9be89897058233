/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of GIDs: what can be reached by them.
 */
#ifndef HYVH_GID_KIND_H
#define HYVH_GID_KIND_H

#include <linux/types.h>

union ib_gid;

/* Unicast kinds come last, in the order of preference. */
enum hyvh_gid_kind {
	HYVH_GID_UNUSABLE,
	HYVH_GID_MULTICAST4,
	HYVH_GID_MULTICAST6,
	HYVH_GID_LINK_LOCAL,
	HYVH_GID_IPV6,
	HYVH_GID_IPV4,
};

enum hyvh_gid_kind hyvh_gid_kind(const union ib_gid *gid);

static inline bool hyvh_gid_is_unicast(const union ib_gid *gid)
{
	return hyvh_gid_kind(gid) >= HYVH_GID_LINK_LOCAL;
}

#endif /* HYVH_GID_KIND_H */
