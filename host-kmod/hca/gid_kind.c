// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds of GIDs.
 */
#include <linux/in.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "hca/gid_kind.h"

enum hyvh_gid_kind hyvh_gid_kind(const union ib_gid *gid)
{
	static const u8 ipv4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const u8 loopback[16] = { [15] = 1 };
	const u8 *raw = gid->raw;
	__be32 ip4;

	if (!memcmp(raw, ipv4_mapped, sizeof(ipv4_mapped))) {
		memcpy(&ip4, raw + sizeof(ipv4_mapped), sizeof(ip4));
		if (ipv4_is_multicast(ip4))
			return HYVH_GID_MULTICAST4;
		return ipv4_is_zeronet(ip4) || ipv4_is_loopback(ip4) ||
		       ipv4_is_lbcast(ip4) ? HYVH_GID_UNUSABLE : HYVH_GID_IPV4;
	}
	if (raw[0] == 0xff)
		return HYVH_GID_MULTICAST6;
	if (!memchr_inv(raw, 0, sizeof(gid->raw)) ||
	    !memcmp(raw, loopback, sizeof(loopback)))
		return HYVH_GID_UNUSABLE;
	if (raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80)
		return HYVH_GID_LINK_LOCAL;
	return HYVH_GID_IPV6;
}
