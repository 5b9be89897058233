/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Management datagrams as packets of RoCE v2: from GSI to GSI, over UDP.
 *
 * An address is a GID: an IPv6 address, or ::ffff:a.b.c.d for an IPv4 one.
 */
#ifndef HYV_ROCE_PKT_H
#define HYV_ROCE_PKT_H

#include <linux/types.h>

#define HYV_ROCE_UDP_PORT	4791
#define HYV_ROCE_GID_LEN	16
#define HYV_ROCE_MAD_LEN	256
/* Of the header area that comes in front of a received datagram. */
#define HYV_ROCE_GRH_LEN	40

/* What follows the IP header: UDP, BTH, DETH, the datagram and the ICRC. */
#define HYV_ROCE_UDP_LEN	(8 + 12 + 8 + HYV_ROCE_MAD_LEN + 4)
#define HYV_ROCE_IPV4_LEN	(20 + HYV_ROCE_UDP_LEN)
#define HYV_ROCE_IPV6_LEN	(40 + HYV_ROCE_UDP_LEN)
#define HYV_ROCE_MAX_LEN	HYV_ROCE_IPV6_LEN

/**
 * struct hyv_roce_hdr - headers of a packet, as far as they can differ
 * @sgid: source address
 * @dgid: destination address
 * @psn: packet sequence number, 24 bits
 * @flow_label: of IPv6, 20 bits
 * @sport: UDP source port
 * @traffic_class: type of service of IPv4
 * @hop_limit: time to live of IPv4
 * @solicited: the receiver wants to be told
 */
struct hyv_roce_hdr {
	u8 sgid[HYV_ROCE_GID_LEN];
	u8 dgid[HYV_ROCE_GID_LEN];
	u32 psn;
	u32 flow_label;
	u16 sport;
	u8 traffic_class;
	u8 hop_limit;
	bool solicited;
};

bool hyv_roce_gid_is_ipv4(const u8 *gid);
size_t hyv_roce_len(const struct hyv_roce_hdr *hdr);
void hyv_roce_build(void *pkt, const struct hyv_roce_hdr *hdr, const void *mad);
int hyv_roce_parse_ip(const void *pkt, size_t len, struct hyv_roce_hdr *hdr);
int hyv_roce_parse(const void *pkt, size_t len, struct hyv_roce_hdr *hdr,
		   const void **mad);
void hyv_roce_grh(void *grh, const void *pkt);

#endif /* HYV_ROCE_PKT_H */
