/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RoCE v2 packets: management datagrams from GSI to GSI, over UDP.
 *
 * Addresses are GIDs: IPv6 addresses, or ::ffff:a.b.c.d for IPv4 addresses.
 */
#ifndef GSI_PKT_H
#define GSI_PKT_H

#include <linux/types.h>

#define GSI_PKT_UDP_PORT	4791
#define GSI_PKT_GID_LEN	16
#define GSI_PKT_MAD_LEN	256
/* Length of the GRH area before a received datagram. */
#define GSI_PKT_GRH_LEN	40

/* Length after the IP header: UDP, BTH, DETH, the datagram and the ICRC. */
#define GSI_PKT_UDP_LEN	(8 + 12 + 8 + GSI_PKT_MAD_LEN + 4)
#define GSI_PKT_IPV4_LEN	(20 + GSI_PKT_UDP_LEN)
#define GSI_PKT_IPV6_LEN	(40 + GSI_PKT_UDP_LEN)
#define GSI_PKT_MAX_LEN	GSI_PKT_IPV6_LEN

/**
 * struct gsi_pkt_hdr - the variable header fields of a packet
 * @sgid: source address
 * @dgid: destination address
 * @psn: packet sequence number, 24 bits
 * @flow_label: IPv6 flow label, 20 bits
 * @sport: UDP source port
 * @traffic_class: IPv6 traffic class or IPv4 type of service
 * @hop_limit: IPv6 hop limit or IPv4 time to live
 * @solicited: the sender requests a solicited event
 */
struct gsi_pkt_hdr {
	u8 sgid[GSI_PKT_GID_LEN];
	u8 dgid[GSI_PKT_GID_LEN];
	u32 psn;
	u32 flow_label;
	u16 sport;
	u8 traffic_class;
	u8 hop_limit;
	bool solicited;
};

bool gsi_pkt_gid_is_ipv4(const u8 *gid);
size_t gsi_pkt_len(const struct gsi_pkt_hdr *hdr);
void gsi_pkt_build(void *pkt, const struct gsi_pkt_hdr *hdr, const void *mad);
int gsi_pkt_parse_ip(const void *pkt, size_t len, struct gsi_pkt_hdr *hdr);
int gsi_pkt_parse(const void *pkt, size_t len, struct gsi_pkt_hdr *hdr,
		  const void **mad);
bool gsi_pkt_is_cm(const struct gsi_pkt_hdr *hdr, const void *mad);
void gsi_pkt_tag_sender(void *mad, u64 tag);
void gsi_pkt_grh(void *grh, const void *pkt);

#endif /* GSI_PKT_H */
