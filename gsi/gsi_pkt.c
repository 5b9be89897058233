// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building and checking RoCE v2 packets (InfiniBand Architecture Specification,
 * volume 1, annex A17).
 *
 * Supports only what one GSI sends to another: an unreliable datagram in one
 * packet, from QP 1 to QP 1, with the default P_Key and the Q_Key of GSIs.
 */
#include <linux/build_bug.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/string.h>
#include <linux/udp.h>

#include "gsi/gsi_pkt.h"

#define BTH_OPCODE_UD_SEND_ONLY	0x64
#define BTH_SOLICITED		0x80
#define BTH_PAD_MASK		0x30
#define BTH_VERSION_MASK	0x0f
#define BTH_24_BITS		0xffffff

#define PKEY_DEFAULT		0xffff
/* Without the membership bit: limited members may send to full members. */
#define PKEY_PARTITION		0x7fff

#define GSI_QPN			1
#define GSI_QKEY		0x80010000

#define MAD_BASE_VERSION	1
#define MAD_CLASS_CM		0x07
#define MAD_METHOD_SEND		0x03
#define CM_ATTR_REQ		0x0010
#define CM_ATTR_REJ		0x0012
#define CM_ATTR_REP		0x0013
#define CM_REJ_TIMEOUT		4

#define IPV4_DONT_FRAGMENT	0x4000
#define IPV4_FRAGMENT_MASK	0x3fff	/* "more fragments", and the offset */

#define FLOW_LABEL_MASK		0xfffff

struct bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 dest_qpn;	/* upper 8 bits may be changed by routers */
	__be32 psn;		/* upper 8 bits are unused in datagrams */
};

struct deth {
	__be32 qkey;
	__be32 src_qpn;
};

/* The packet after the IP header. */
struct roce {
	struct udphdr udp;
	struct bth bth;
	struct deth deth;
	u8 mad[GSI_PKT_MAD_LEN];
	__le32 icrc;
};

/* The start of a datagram, with some members of messages. */
struct cm_mad {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	u8 others[12];
	__be16 attr_id;
	u8 more[6];
	union {
		struct {
			u8 before_guid[16];
			u8 local_ca_guid[8];
			u8 before_gid[32];
			u8 local_gid[GSI_PKT_GID_LEN];
		} req;
		struct {
			u8 before_guid[28];
			u8 local_ca_guid[8];
		} rep;
		struct {
			u8 before_reason[10];
			__be16 reason;
			u8 ca_guid[8];	/* if the reason is a timeout */
		} rej;
	};
};

static_assert(sizeof(struct roce) == GSI_PKT_UDP_LEN);
static_assert(offsetof(struct cm_mad, attr_id) == 16);
static_assert(offsetof(struct cm_mad, req.local_ca_guid) == 24 + 16);
static_assert(offsetof(struct cm_mad, req.local_gid) == 24 + 56);
static_assert(offsetof(struct cm_mad, rep.local_ca_guid) == 24 + 28);
static_assert(offsetof(struct cm_mad, rej.reason) == 24 + 10);
static_assert(offsetof(struct cm_mad, rej.ca_guid) == 24 + 12);
static_assert(sizeof(struct iphdr) + sizeof(struct roce) == GSI_PKT_IPV4_LEN);
static_assert(sizeof(struct ipv6hdr) + sizeof(struct roce) == GSI_PKT_IPV6_LEN);
static_assert(sizeof(struct ipv6hdr) == GSI_PKT_GRH_LEN);

static const u8 ipv4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static u8 gsi_pkt_ip_version(const void *pkt)
{
	return *(const u8 *)pkt >> 4;
}

static size_t gsi_pkt_ip_len(const void *pkt)
{
	return gsi_pkt_ip_version(pkt) == 4 ? sizeof(struct iphdr) :
					   sizeof(struct ipv6hdr);
}

/* Check if a GID of GSI_PKT_GID_LEN bytes is an IPv4-mapped address. */
bool gsi_pkt_gid_is_ipv4(const u8 *gid)
{
	return !memcmp(gid, ipv4_prefix, sizeof(ipv4_prefix));
}

static void gsi_pkt_gid_from_ipv4(u8 *gid, const __be32 *addr)
{
	memcpy(gid, ipv4_prefix, sizeof(ipv4_prefix));
	memcpy(gid + sizeof(ipv4_prefix), addr, sizeof(*addr));
}

static void gsi_pkt_gid_to_ipv4(__be32 *addr, const u8 *gid)
{
	memcpy(addr, gid + sizeof(ipv4_prefix), sizeof(*addr));
}

/*
 * The invariant CRC: the Ethernet CRC of the packet, preceded by 8 bytes in
 * place of an InfiniBand LRH. Fields that routers may change are taken as all
 * ones.
 */
static u32 gsi_pkt_icrc(const void *pkt)
{
	static const u8 lrh[8] = { [0 ... 7] = 0xff };
	const struct roce *roce = pkt + gsi_pkt_ip_len(pkt);
	struct udphdr udp = roce->udp;
	struct bth bth = roce->bth;
	struct ipv6hdr ip6;
	struct iphdr ip4;
	u32 crc;

	crc = crc32_le(~0U, lrh, sizeof(lrh));
	if (gsi_pkt_ip_version(pkt) == 4) {
		memcpy(&ip4, pkt, sizeof(ip4));
		ip4.tos = 0xff;
		ip4.ttl = 0xff;
		memset(&ip4.check, 0xff, sizeof(ip4.check));
		crc = crc32_le(crc, (u8 *)&ip4, sizeof(ip4));
	} else {
		memcpy(&ip6, pkt, sizeof(ip6));
		/* All of the first word except the version. */
		memset(&ip6, 0xff, sizeof(__be32));
		*(u8 *)&ip6 = 0x6f;
		ip6.hop_limit = 0xff;
		crc = crc32_le(crc, (u8 *)&ip6, sizeof(ip6));
	}
	memset(&udp.check, 0xff, sizeof(udp.check));
	crc = crc32_le(crc, (u8 *)&udp, sizeof(udp));
	bth.dest_qpn |= cpu_to_be32(~BTH_24_BITS);
	crc = crc32_le(crc, (u8 *)&bth, sizeof(bth));
	crc = crc32_le(crc, (const u8 *)&roce->deth,
		       offsetof(struct roce, icrc) -
		       offsetof(struct roce, deth));
	return ~crc;
}

/* Return the length of a packet, from the IP header to the ICRC. */
size_t gsi_pkt_len(const struct gsi_pkt_hdr *hdr)
{
	return gsi_pkt_gid_is_ipv4(hdr->dgid) ? GSI_PKT_IPV4_LEN :
						 GSI_PKT_IPV6_LEN;
}

/* The IP stack fills in the checksum, which the ICRC does not cover. */
static void gsi_pkt_build_ipv4(struct iphdr *ip, const struct gsi_pkt_hdr *hdr)
{
	*ip = (struct iphdr){
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = hdr->traffic_class,
		.tot_len = cpu_to_be16(GSI_PKT_IPV4_LEN),
		/* Packets with DF set need no identification. */
		.frag_off = cpu_to_be16(IPV4_DONT_FRAGMENT),
		.ttl = hdr->hop_limit,
		.protocol = IPPROTO_UDP,
	};
	gsi_pkt_gid_to_ipv4(&ip->saddr, hdr->sgid);
	gsi_pkt_gid_to_ipv4(&ip->daddr, hdr->dgid);
}

static void gsi_pkt_build_ipv6(struct ipv6hdr *ip, const struct gsi_pkt_hdr *hdr)
{
	__be32 first = cpu_to_be32(6U << 28 | hdr->traffic_class << 20 |
				   (hdr->flow_label & FLOW_LABEL_MASK));

	memcpy(ip, &first, sizeof(first));
	ip->payload_len = cpu_to_be16(GSI_PKT_UDP_LEN);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = hdr->hop_limit;
	memcpy(&ip->saddr, hdr->sgid, sizeof(ip->saddr));
	memcpy(&ip->daddr, hdr->dgid, sizeof(ip->daddr));
}

/**
 * gsi_pkt_build() - build a packet
 * @pkt: buffer of gsi_pkt_len() bytes, aligned to 4
 * @hdr: headers; both addresses are of the same kind
 * @mad: datagram of GSI_PKT_MAD_LEN bytes
 *
 * The IPv4 and UDP checksums are zero. The ICRC stays valid if they are filled
 * in, or if fields that routers may change are changed.
 */
void gsi_pkt_build(void *pkt, const struct gsi_pkt_hdr *hdr, const void *mad)
{
	struct roce *roce;

	if (gsi_pkt_gid_is_ipv4(hdr->dgid))
		gsi_pkt_build_ipv4(pkt, hdr);
	else
		gsi_pkt_build_ipv6(pkt, hdr);
	roce = pkt + gsi_pkt_ip_len(pkt);
	roce->udp = (struct udphdr){
		.source = cpu_to_be16(hdr->sport),
		.dest = cpu_to_be16(GSI_PKT_UDP_PORT),
		.len = cpu_to_be16(GSI_PKT_UDP_LEN),
	};
	roce->bth = (struct bth){
		.opcode = BTH_OPCODE_UD_SEND_ONLY,
		.flags = hdr->solicited ? BTH_SOLICITED : 0,
		.pkey = cpu_to_be16(PKEY_DEFAULT),
		.dest_qpn = cpu_to_be32(GSI_QPN),
		.psn = cpu_to_be32(hdr->psn & BTH_24_BITS),
	};
	roce->deth = (struct deth){
		.qkey = cpu_to_be32(GSI_QKEY),
		.src_qpn = cpu_to_be32(GSI_QPN),
	};
	memcpy(roce->mad, mad, sizeof(roce->mad));
	roce->icrc = cpu_to_le32(gsi_pkt_icrc(pkt));
}

static int gsi_pkt_parse_ipv4(const struct iphdr *ip, size_t len,
			      struct gsi_pkt_hdr *hdr)
{
	/* No options: the GRH area before a datagram has no room for them. */
	if (len != GSI_PKT_IPV4_LEN || ip->ihl != sizeof(*ip) / 4 ||
	    be16_to_cpu(ip->tot_len) != len || ip->protocol != IPPROTO_UDP ||
	    be16_to_cpu(ip->frag_off) & IPV4_FRAGMENT_MASK)
		return -EPROTO;
	gsi_pkt_gid_from_ipv4(hdr->sgid, &ip->saddr);
	gsi_pkt_gid_from_ipv4(hdr->dgid, &ip->daddr);
	hdr->flow_label = 0;
	hdr->traffic_class = ip->tos;
	hdr->hop_limit = ip->ttl;
	return 0;
}

static int gsi_pkt_parse_ipv6(const struct ipv6hdr *ip, size_t len,
			      struct gsi_pkt_hdr *hdr)
{
	__be32 first;

	if (len != GSI_PKT_IPV6_LEN || ip->nexthdr != IPPROTO_UDP ||
	    be16_to_cpu(ip->payload_len) != GSI_PKT_UDP_LEN)
		return -EPROTO;
	memcpy(&first, ip, sizeof(first));
	memcpy(hdr->sgid, &ip->saddr, sizeof(hdr->sgid));
	memcpy(hdr->dgid, &ip->daddr, sizeof(hdr->dgid));
	/* IPv4-mapped addresses would be mistaken for IPv4. */
	if (gsi_pkt_gid_is_ipv4(hdr->sgid) || gsi_pkt_gid_is_ipv4(hdr->dgid))
		return -EPROTO;
	hdr->flow_label = be32_to_cpu(first) & FLOW_LABEL_MASK;
	hdr->traffic_class = be32_to_cpu(first) >> 20;
	hdr->hop_limit = ip->hop_limit;
	return 0;
}

/*
 * Check the IP header at the start of a packet, which is aligned to 4, and fill
 * in its fields of @hdr. Return -EPROTO if it cannot be a datagram from a GSI.
 */
int gsi_pkt_parse_ip(const void *pkt, size_t len, struct gsi_pkt_hdr *hdr)
{
	if (!len)
		return -EPROTO;
	switch (gsi_pkt_ip_version(pkt)) {
	case 4:
		return gsi_pkt_parse_ipv4(pkt, len, hdr);
	case 6:
		return gsi_pkt_parse_ipv6(pkt, len, hdr);
	default:
		return -EPROTO;
	}
}

/**
 * gsi_pkt_parse() - check a packet
 * @pkt: packet from the IP header to the ICRC, aligned to 4
 * @len: length of @pkt
 * @hdr: receives the headers
 * @mad: set to the datagram of GSI_PKT_MAD_LEN bytes in @pkt
 *
 * Does not check the IP and UDP checksums.
 *
 * Return: 0, -EPROTO if it is not a datagram from a GSI to a GSI, -EBADMSG if
 * the ICRC is wrong, or -EACCES if the P_Key or the Q_Key is.
 */
int gsi_pkt_parse(const void *pkt, size_t len, struct gsi_pkt_hdr *hdr,
		  const void **mad)
{
	const struct roce *roce;
	int ret;

	ret = gsi_pkt_parse_ip(pkt, len, hdr);
	if (ret)
		return ret;

	roce = pkt + gsi_pkt_ip_len(pkt);
	if (be16_to_cpu(roce->udp.dest) != GSI_PKT_UDP_PORT ||
	    be16_to_cpu(roce->udp.len) != GSI_PKT_UDP_LEN ||
	    roce->bth.opcode != BTH_OPCODE_UD_SEND_ONLY ||
	    roce->bth.flags & (BTH_PAD_MASK | BTH_VERSION_MASK) ||
	    (be32_to_cpu(roce->bth.dest_qpn) & BTH_24_BITS) != GSI_QPN ||
	    (be32_to_cpu(roce->deth.src_qpn) & BTH_24_BITS) != GSI_QPN)
		return -EPROTO;
	/* Before the keys, which a damaged packet may have wrong. */
	if (le32_to_cpu(roce->icrc) != gsi_pkt_icrc(pkt))
		return -EBADMSG;
	if ((be16_to_cpu(roce->bth.pkey) & PKEY_PARTITION) != PKEY_PARTITION ||
	    be32_to_cpu(roce->deth.qkey) != GSI_QKEY)
		return -EACCES;

	hdr->psn = be32_to_cpu(roce->bth.psn) & BTH_24_BITS;
	hdr->sport = be16_to_cpu(roce->udp.source);
	hdr->solicited = roce->bth.flags & BTH_SOLICITED;
	*mad = roce->mad;
	return 0;
}

/*
 * Is it a datagram of a connection manager? The RDMA core answers those of other
 * classes, for which it may have to wait for the sender's network, and logs versions
 * that it does not know. A request names the GID of its sender, and the RDMA core
 * believes it: it has to be the source of the packet.
 */
bool gsi_pkt_is_cm(const struct gsi_pkt_hdr *hdr, const void *mad)
{
	const struct cm_mad *cm = mad;

	if (cm->base_version != MAD_BASE_VERSION ||
	    cm->mgmt_class != MAD_CLASS_CM || cm->method != MAD_METHOD_SEND)
		return false;
	return be16_to_cpu(cm->attr_id) != CM_ATTR_REQ ||
	       !memcmp(cm->req.local_gid, hdr->sgid, sizeof(hdr->sgid));
}

/*
 * Change the GUID that a datagram of a connection manager gives for its sender's HCA
 * by the bits of @tag. The HCAs of all guests of a host have the same GUID. The RDMA
 * core finds connections by it and by numbers that the sender chooses, so one guest
 * could end those of another.
 */
void gsi_pkt_tag_sender(void *mad, u64 tag)
{
	struct cm_mad *cm = mad;
	u8 *at = NULL;
	u64 guid;

	switch (be16_to_cpu(cm->attr_id)) {
	case CM_ATTR_REQ:
		at = cm->req.local_ca_guid;
		break;
	case CM_ATTR_REP:
		at = cm->rep.local_ca_guid;
		break;
	case CM_ATTR_REJ:
		if (be16_to_cpu(cm->rej.reason) == CM_REJ_TIMEOUT)
			at = cm->rej.ca_guid;
		break;
	}
	if (!at)
		return;
	memcpy(&guid, at, sizeof(guid));
	guid ^= tag;
	memcpy(at, &guid, sizeof(guid));
}

/* Fill the GRH area before a received datagram with the IP header of @pkt. */
void gsi_pkt_grh(void *grh, const void *pkt)
{
	size_t len = gsi_pkt_ip_len(pkt);

	memset(grh, 0, GSI_PKT_GRH_LEN - len);
	memcpy(grh + GSI_PKT_GRH_LEN - len, pkt, len);
}
