// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* GIDs as text. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "private.h"

/* Position of the IPv4 address in an IPv4-mapped GID. */
#define IPV4_OFFSET 12

int hyv_gid_parse(const char *text, struct in6_addr *gid)
{
	struct in6_addr ip4 = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	if (inet_pton(AF_INET, text, &ip4.s6_addr[IPV4_OFFSET]) == 1) {
		*gid = ip4;
		return 0;
	}
	return inet_pton(AF_INET6, text, gid) == 1 ? 0 : -EINVAL;
}

const char *hyv_gid_str(const struct in6_addr *gid, char text[HYV_GID_TEXT])
{
	if (IN6_IS_ADDR_V4MAPPED(gid))
		return inet_ntop(AF_INET, &gid->s6_addr[IPV4_OFFSET], text,
				 HYV_GID_TEXT);
	return inet_ntop(AF_INET6, gid, text, HYV_GID_TEXT);
}
