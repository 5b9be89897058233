/* SPDX-License-Identifier: GPL-2.0-only */
/* While IPv6 could be a module, other modules called it through a table. */
#ifndef HYV_COMPAT_IPV6_H
#define HYV_COMPAT_IPV6_H

#include <net/ipv6.h>

#ifdef COMPAT_HAS_IPV6_STUB

#include <net/ipv6_stubs.h>

#define ip6_dst_lookup_flow(net, sk, fl6, final_dst) \
	ipv6_stub->ipv6_dst_lookup_flow(net, sk, fl6, final_dst)

#endif

#endif /* HYV_COMPAT_IPV6_H */
