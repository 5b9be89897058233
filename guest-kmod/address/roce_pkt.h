/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RoCE v2 packets: management datagrams from GSI to GSI, over UDP.
 *
 * Addresses are GIDs: IPv6 addresses, or ::ffff:a.b.c.d for IPv4 addresses.
 */
#ifndef VHYV_ROCE_PKT_H
#define VHYV_ROCE_PKT_H

#include <linux/types.h>

#define VHYV_ROCE_UDP_PORT	4791
#define VHYV_ROCE_GID_LEN	16
#define VHYV_ROCE_MAD_LEN	256
/* Length of the GRH area before a received datagram. */
#define VHYV_ROCE_GRH_LEN	40

/* Length after the IP header: UDP, BTH, DETH, the datagram and the ICRC. */
#define VHYV_ROCE_UDP_LEN	(8 + 12 + 8 + VHYV_ROCE_MAD_LEN + 4)
#define VHYV_ROCE_IPV4_LEN	(20 + VHYV_ROCE_UDP_LEN)
#define VHYV_ROCE_IPV6_LEN	(40 + VHYV_ROCE_UDP_LEN)
#define VHYV_ROCE_MAX_LEN	VHYV_ROCE_IPV6_LEN

/**
 * struct vhyv_roce_hdr - the variable header fields of a packet
 * @sgid: source address
 * @dgid: destination address
 * @psn: packet sequence number, 24 bits
 * @flow_label: IPv6 flow label, 20 bits
 * @sport: UDP source port
 * @traffic_class: IPv6 traffic class or IPv4 type of service
 * @hop_limit: IPv6 hop limit or IPv4 time to live
 * @solicited: the sender requests a solicited event
 */
struct vhyv_roce_hdr {
	u8 sgid[VHYV_ROCE_GID_LEN];
	u8 dgid[VHYV_ROCE_GID_LEN];
	u32 psn;
	u32 flow_label;
	u16 sport;
	u8 traffic_class;
	u8 hop_limit;
	bool solicited;
};

bool vhyv_roce_gid_is_ipv4(const u8 *gid);
size_t vhyv_roce_len(const struct vhyv_roce_hdr *hdr);
void vhyv_roce_build(void *pkt, const struct vhyv_roce_hdr *hdr,
		     const void *mad);
int vhyv_roce_parse_ip(const void *pkt, size_t len, struct vhyv_roce_hdr *hdr);
int vhyv_roce_parse(const void *pkt, size_t len, struct vhyv_roce_hdr *hdr,
		    const void **mad);
void vhyv_roce_grh(void *grh, const void *pkt);

#endif /* VHYV_ROCE_PKT_H */
