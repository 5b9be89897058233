// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of RoCE v2 packets from GSI to GSI.
 *
 * The ICRC is compared with that of a bit-by-bit implementation in this file,
 * which is checked against a packet from a hardware HCA.
 */
#include <linux/string.h>

#include <compat/kunit.h>

#include "gsi/gsi_pkt.h"

#define IPV4_HDR	20
#define IPV6_HDR	40
/* Offsets from the end of the IP header. */
#define UDP_DPORT	2
#define UDP_LENGTH	4
#define UDP_CHECK	6
#define BTH		8
#define DETH		(BTH + 12)
#define MAD		(DETH + 8)
#define ICRC		(MAD + GSI_PKT_MAD_LEN)

/* Congestion notification packet of a ConnectX-4 Lx, from the IP header on. */
static const u8 captured[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7,
	0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x82, 0xfd, 0x00, 0x2a,
};

static const struct gsi_pkt_hdr ipv4_hdr = {
	.sgid = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	.dgid = { [10] = 0xff, 0xff, 198, 51, 100, 7 },
	.psn = 0xabcdef,
	.sport = 0xc123,
	.traffic_class = 0x68,
	.hop_limit = 64,
};

static const u8 ipv4_headers[] = {
	0x45, 0x68, 0x01, 0x34, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00,
	0xc0, 0x00, 0x02, 0x01, 0xc6, 0x33, 0x64, 0x07, 0xc1, 0x23, 0x12, 0xb7,
	0x01, 0x20, 0x00, 0x00, 0x64, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
	0x00, 0xab, 0xcd, 0xef, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
};

static const struct gsi_pkt_hdr ipv6_hdr = {
	.sgid = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 },
	.dgid = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0x00, 0xff, 0xfe,
		  0x12, 0x34, 0x56 },
	.psn = 5,
	.flow_label = 0x12345,
	.sport = 0xffff,
	.traffic_class = 0x68,
	.hop_limit = 63,
	.solicited = true,
};

static const u8 ipv6_headers[] = {
	0x66, 0x81, 0x23, 0x45, 0x01, 0x20, 0x11, 0x3f, 0x20, 0x01, 0x0d, 0xb8,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0x54, 0x00, 0xff,
	0xfe, 0x12, 0x34, 0x56, 0xff, 0xff, 0x12, 0xb7, 0x01, 0x20, 0x00, 0x00,
	0x64, 0x80, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x05,
	0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
};

/* A valid packet that was not built by the unit. */
struct sample {
	const char *name;
	const struct gsi_pkt_hdr *hdr;
	const u8 *headers;
	size_t headers_len;
	size_t ip_len;
	/* Computed by another program, for the datagram of fill_mad(). */
	u8 icrc[4];
};

static const struct sample samples[] = {
	{ "IPv4", &ipv4_hdr, ipv4_headers, sizeof(ipv4_headers), IPV4_HDR,
	  { 0xec, 0x7e, 0x17, 0x4f } },
	{ "IPv6", &ipv6_hdr, ipv6_headers, sizeof(ipv6_headers), IPV6_HDR,
	  { 0x95, 0x91, 0xe7, 0x81 } },
};

KUNIT_ARRAY_PARAM_DESC(sample, samples, name);

static void fill_mad(u8 *mad)
{
	int i;

	for (i = 0; i < GSI_PKT_MAD_LEN; i++)
		mad[i] = i * 37 + 11;
}

static size_t fill_pkt(u8 *pkt, const struct sample *s)
{
	memcpy(pkt, s->headers, s->headers_len);
	fill_mad(pkt + s->headers_len);
	memcpy(pkt + s->ip_len + ICRC, s->icrc, sizeof(s->icrc));
	return s->ip_len + GSI_PKT_UDP_LEN;
}

/* Bits in a byte of the packet that the ICRC takes as ones. */
static u8 masked_bits(bool ipv4, size_t pos)
{
	size_t ip_len = ipv4 ? IPV4_HDR : IPV6_HDR;

	if (pos == ip_len + UDP_CHECK || pos == ip_len + UDP_CHECK + 1 ||
	    pos == ip_len + BTH + 4)
		return 0xff;
	if (ipv4)
		return pos == 1 || pos == 8 || pos == 10 || pos == 11 ? 0xff :
									0;
	if (!pos)
		return 0x0f;
	return pos <= 3 || pos == 7 ? 0xff : 0;
}

static u32 crc_byte(u32 crc, u8 byte)
{
	int i;

	crc ^= byte;
	for (i = 0; i < 8; i++)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	return crc;
}

/* @len does not include the ICRC. */
static u32 reference_icrc(const u8 *pkt, size_t len)
{
	bool ipv4 = pkt[0] >> 4 == 4;
	u32 crc = ~0U;
	size_t i;

	for (i = 0; i < 8; i++)
		crc = crc_byte(crc, 0xff);
	for (i = 0; i < len; i++)
		crc = crc_byte(crc, pkt[i] | masked_bits(ipv4, i));
	return ~crc;
}

static u32 icrc_at(const u8 *end)
{
	__le32 icrc;

	memcpy(&icrc, end, sizeof(icrc));
	return le32_to_cpu(icrc);
}

/* @len does not include it. */
static void set_icrc(u8 *pkt, size_t len)
{
	__le32 icrc = cpu_to_le32(reference_icrc(pkt, len));

	memcpy(pkt + len, &icrc, sizeof(icrc));
}

static void roce_captured(struct kunit *test)
{
	size_t len = sizeof(captured) - 4;

	KUNIT_EXPECT_EQ(test, reference_icrc(captured, len),
			icrc_at(captured + len));
}

static void roce_build(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN + 8] __aligned(4);
	u8 want[GSI_PKT_MAX_LEN];
	u8 mad[GSI_PKT_MAD_LEN];
	size_t len;

	len = fill_pkt(want, s);
	fill_mad(mad);
	memset(pkt, 0xa5, sizeof(pkt));
	KUNIT_ASSERT_EQ(test, gsi_pkt_len(s->hdr), len);
	gsi_pkt_build(pkt, s->hdr, mad);
	KUNIT_EXPECT_MEMEQ(test, pkt, want, len);
	KUNIT_EXPECT_NULL(test, memchr_inv(pkt + len, 0xa5, sizeof(pkt) - len));
	KUNIT_EXPECT_EQ(test, reference_icrc(pkt, len - 4),
			icrc_at(pkt + len - 4));
}

/* The examples of docs/protocol.md, for implementers. */
static void roce_document(struct kunit *test)
{
	static const struct {
		struct gsi_pkt_hdr hdr;
		u8 icrc[4];
	} examples[] = {
		{ { .sgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
		    .dgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
		    .psn = 0x123456, .sport = 0xc000, .hop_limit = 64 },
		  { 0x60, 0x36, 0x66, 0x1a } },
		{ { .sgid = { 0xfd, [15] = 1 }, .dgid = { 0xfd, [15] = 2 },
		    .psn = 0x123456, .sport = 0xc000, .hop_limit = 64 },
		  { 0x2e, 0x21, 0x97, 0x52 } },
	};
	u8 mad[GSI_PKT_MAD_LEN] = { 0x01, 0x07, 0x02, 0x03 };
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		len = gsi_pkt_len(&examples[i].hdr);
		gsi_pkt_build(pkt, &examples[i].hdr, mad);
		KUNIT_EXPECT_MEMEQ(test, pkt + len - 4, examples[i].icrc, 4);
	}
}

/* Values that exceed their fields do not change other fields. */
static void roce_build_wide(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	u8 want[GSI_PKT_MAX_LEN];
	struct gsi_pkt_hdr hdr = *s->hdr;
	u8 mad[GSI_PKT_MAD_LEN];
	size_t len;

	len = fill_pkt(want, s);
	fill_mad(mad);
	hdr.psn |= 0xff000000;
	hdr.flow_label |= 0xfff00000;
	gsi_pkt_build(pkt, &hdr, mad);
	KUNIT_EXPECT_MEMEQ(test, pkt, want, len);
}

static const struct cm_param {
	const char *name;
	u8 base_version;
	u8 mgmt_class;
	u8 method;
	u8 attr_id;
	u8 last;	/* byte of the GID in the datagram */
	bool is_cm;
} cm_params[] = {
	{ "a request", 1, 0x07, 0x03, 0x10, 1, true },
	{ "a request for another", 1, 0x07, 0x03, 0x10, 2, false },
	{ "a reply", 1, 0x07, 0x03, 0x13, 2, true },
	{ "another version", 2, 0x07, 0x03, 0x13, 1, false },
	{ "performance management", 1, 0x04, 0x01, 0x12, 1, false },
	{ "another method", 1, 0x07, 0x01, 0x10, 1, false },
};

static void cm_desc(const struct cm_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cm, cm_params, cm_desc);

static void roce_is_cm(struct kunit *test)
{
	const struct cm_param *p = test->param_value;
	struct gsi_pkt_hdr hdr = { .sgid = { 0xfd, [15] = 1 } };
	u8 mad[GSI_PKT_MAD_LEN] __aligned(4) = {
		p->base_version, p->mgmt_class, 2, p->method,
		[17] = p->attr_id, [80] = 0xfd, [95] = p->last,
	};

	KUNIT_EXPECT_EQ(test, gsi_pkt_is_cm(&hdr, mad), p->is_cm);
}

static const struct tag_param {
	const char *name;
	u8 attr_id;
	u8 reason;	/* where a REJ has it */
	u8 pos;		/* of the GUID, or 0 */
} tag_params[] = {
	{ "a request", 0x10, 4, 24 + 16 },
	{ "a rejection after a timeout", 0x12, 4, 24 + 12 },
	{ "another rejection", 0x12, 28, 0 },
	{ "a reply", 0x13, 4, 24 + 28 },
	{ "ready to use", 0x14, 4, 0 },
};

KUNIT_ARRAY_PARAM_DESC(tag, tag_params, name);

/* Only what names the HCA of the sender changes. */
static void roce_tag(struct kunit *test)
{
	static const u8 tag[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	const struct tag_param *p = test->param_value;
	u8 mad[GSI_PKT_MAD_LEN] __aligned(4), want[GSI_PKT_MAD_LEN];
	u64 value;
	size_t i;

	fill_mad(mad);
	mad[16] = 0;
	mad[17] = p->attr_id;
	mad[24 + 10] = 0;
	mad[24 + 11] = p->reason;
	memcpy(want, mad, sizeof(want));
	for (i = 0; p->pos && i < sizeof(tag); i++)
		want[p->pos + i] ^= tag[i];
	memcpy(&value, tag, sizeof(value));
	gsi_pkt_tag_sender(mad, value);
	KUNIT_EXPECT_MEMEQ(test, mad, want, sizeof(want));
}

static void roce_parse(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	struct gsi_pkt_hdr hdr;
	const void *mad = NULL;
	size_t len;

	len = fill_pkt(pkt, s);
	memset(&hdr, 0xa5, sizeof(hdr));
	KUNIT_ASSERT_EQ(test, gsi_pkt_parse(pkt, len, &hdr, &mad), 0);
	KUNIT_EXPECT_MEMEQ(test, hdr.sgid, s->hdr->sgid, sizeof(hdr.sgid));
	KUNIT_EXPECT_MEMEQ(test, hdr.dgid, s->hdr->dgid, sizeof(hdr.dgid));
	KUNIT_EXPECT_EQ(test, hdr.psn, s->hdr->psn);
	KUNIT_EXPECT_EQ(test, hdr.flow_label, s->hdr->flow_label);
	KUNIT_EXPECT_EQ(test, hdr.sport, s->hdr->sport);
	KUNIT_EXPECT_EQ(test, hdr.traffic_class, s->hdr->traffic_class);
	KUNIT_EXPECT_EQ(test, hdr.hop_limit, s->hdr->hop_limit);
	KUNIT_EXPECT_EQ(test, hdr.solicited, s->hdr->solicited);
	KUNIT_EXPECT_PTR_EQ(test, mad, (const void *)pkt + s->ip_len + MAD);

	memset(&hdr, 0xa5, sizeof(hdr));
	KUNIT_ASSERT_EQ(test, gsi_pkt_parse_ip(pkt, len, &hdr), 0);
	KUNIT_EXPECT_MEMEQ(test, hdr.sgid, s->hdr->sgid, sizeof(hdr.sgid));
	KUNIT_EXPECT_MEMEQ(test, hdr.dgid, s->hdr->dgid, sizeof(hdr.dgid));
}

/* Only bits that routers may change can be changed without an ICRC error. */
static void roce_each_bit(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	bool ipv4 = s->ip_len == IPV4_HDR;
	struct gsi_pkt_hdr hdr;
	const void *mad;
	size_t len, bit;
	int ret;

	len = fill_pkt(pkt, s);
	for (bit = 0; bit < 8 * len; bit++) {
		u8 mask = 1 << bit % 8;

		pkt[bit / 8] ^= mask;
		ret = gsi_pkt_parse(pkt, len, &hdr, &mad);
		if (masked_bits(ipv4, bit / 8) & mask)
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "bit %zu", bit);
		else
			KUNIT_EXPECT_TRUE_MSG(test, ret == -EPROTO ||
					      ret == -EBADMSG, "bit %zu: %d",
					      bit, ret);
		pkt[bit / 8] ^= mask;
	}
}

static void roce_each_length(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN + 64] __aligned(4) = {};
	struct gsi_pkt_hdr hdr;
	const void *mad;
	size_t len, right;

	right = fill_pkt(pkt, s);
	for (len = 0; len <= sizeof(pkt); len++)
		KUNIT_EXPECT_EQ_MSG(test,
				    gsi_pkt_parse(pkt, len, &hdr, &mad),
				    len == right ? 0 : -EPROTO, "%zu bytes",
				    len);
}

/* One wrong byte in a packet with a valid ICRC. */
static const struct malformed {
	const char *name;
	bool ipv4;
	bool ipv6;
	bool in_ip;	/* @pos is relative to the start of the IP header */
	size_t pos;
	u8 value;
	int error;
} malformed[] = {
	{ "IPv4: version 5", true, false, true, 0, 0x55, -EPROTO },
	{ "IPv4: options", true, false, true, 0, 0x46, -EPROTO },
	{ "IPv4: short header", true, false, true, 0, 0x44, -EPROTO },
	{ "IPv4: length", true, false, true, 3, 0x33, -EPROTO },
	{ "IPv4: more fragments", true, false, true, 6, 0x20, -EPROTO },
	{ "IPv4: fragment", true, false, true, 7, 0x01, -EPROTO },
	{ "IPv4: may be fragmented", true, false, true, 6, 0x00, 0 },
	{ "IPv4: identification", true, false, true, 4, 0x12, 0 },
	{ "IPv4: TCP", true, false, true, 9, 6, -EPROTO },
	{ "IPv6: version 7", false, true, true, 0, 0x76, -EPROTO },
	{ "IPv6: length", false, true, true, 5, 0x21, -EPROTO },
	{ "IPv6: TCP", false, true, true, 6, 6, -EPROTO },
	{ "IPv6: fragment header", false, true, true, 6, 44, -EPROTO },
	{ "UDP port", true, true, false, UDP_DPORT + 1, 0xb6, -EPROTO },
	{ "UDP length", true, true, false, UDP_LENGTH + 1, 0x1f, -EPROTO },
	{ "opcode RC SEND ONLY", true, true, false, BTH, 0x04, -EPROTO },
	{ "opcode with immediate", true, true, false, BTH, 0x65, -EPROTO },
	{ "padding", true, true, false, BTH + 1, 0x10, -EPROTO },
	{ "transport version", true, true, false, BTH + 1, 0x01, -EPROTO },
	{ "migration state", true, true, false, BTH + 1, 0x40, 0 },
	{ "limited member", true, true, false, BTH + 2, 0x7f, 0 },
	{ "another partition", true, true, false, BTH + 3, 0xfe, -EACCES },
	{ "destination QP 0", true, true, false, BTH + 7, 0, -EPROTO },
	{ "destination QP 257", true, true, false, BTH + 6, 1, -EPROTO },
	{ "acknowledge", true, true, false, BTH + 8, 0x80, 0 },
	{ "Q_Key", true, true, false, DETH, 0x00, -EACCES },
	{ "source QP 2", true, true, false, DETH + 7, 2, -EPROTO },
	{ "source QP 65537", true, true, false, DETH + 5, 1, -EPROTO },
	{ "reserved byte before source QP", true, true, false, DETH + 4, 1, 0 },
};

KUNIT_ARRAY_PARAM_DESC(malformed, malformed, name);

static void malformed_on(struct kunit *test, const struct malformed *m,
			 const struct sample *s)
{
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	struct gsi_pkt_hdr hdr;
	const void *mad;
	size_t len;

	len = fill_pkt(pkt, s);
	pkt[m->pos + (m->in_ip ? 0 : s->ip_len)] = m->value;
	set_icrc(pkt, len - 4);
	KUNIT_EXPECT_EQ_MSG(test, gsi_pkt_parse(pkt, len, &hdr, &mad),
			    m->error, "over %s", s->name);
}

static void roce_malformed(struct kunit *test)
{
	const struct malformed *m = test->param_value;

	if (m->ipv4)
		malformed_on(test, m, &samples[0]);
	if (m->ipv6)
		malformed_on(test, m, &samples[1]);
}

/* An IPv6 packet with an IPv4-mapped address. */
static void roce_mapped(struct kunit *test)
{
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	const struct sample *s = &samples[1];
	struct gsi_pkt_hdr hdr;
	const void *mad;
	size_t len, pos;

	for (pos = 8; pos <= 24; pos += 16) {
		len = fill_pkt(pkt, s);
		memcpy(pkt + pos, ipv4_hdr.sgid, sizeof(ipv4_hdr.sgid));
		set_icrc(pkt, len - 4);
		KUNIT_EXPECT_EQ(test, gsi_pkt_parse(pkt, len, &hdr, &mad),
				-EPROTO);
	}
}

static void roce_grh(struct kunit *test)
{
	const struct sample *s = test->param_value;
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(4);
	u8 grh[GSI_PKT_GRH_LEN + 1];
	size_t zeros = GSI_PKT_GRH_LEN - s->ip_len;

	fill_pkt(pkt, s);
	memset(grh, 0xa5, sizeof(grh));
	gsi_pkt_grh(grh, pkt);
	KUNIT_EXPECT_NULL(test, memchr_inv(grh, 0, zeros));
	KUNIT_EXPECT_MEMEQ(test, grh + zeros, pkt, s->ip_len);
	KUNIT_EXPECT_EQ(test, grh[GSI_PKT_GRH_LEN], 0xa5);
}

static void roce_gid_kind(struct kunit *test)
{
	u8 gid[GSI_PKT_GID_LEN];
	int i;

	KUNIT_EXPECT_TRUE(test, gsi_pkt_gid_is_ipv4(ipv4_hdr.sgid));
	KUNIT_EXPECT_FALSE(test, gsi_pkt_gid_is_ipv4(ipv6_hdr.sgid));
	for (i = 0; i < 12; i++) {
		memcpy(gid, ipv4_hdr.sgid, sizeof(gid));
		gid[i] ^= 1;
		KUNIT_EXPECT_FALSE(test, gsi_pkt_gid_is_ipv4(gid));
	}
}

static struct kunit_case gsi_pkt_cases[] = {
	KUNIT_CASE(roce_captured),
	KUNIT_CASE_PARAM(roce_build, sample_gen_params),
	KUNIT_CASE(roce_document),
	KUNIT_CASE_PARAM(roce_build_wide, sample_gen_params),
	KUNIT_CASE_PARAM(roce_is_cm, cm_gen_params),
	KUNIT_CASE_PARAM(roce_tag, tag_gen_params),
	KUNIT_CASE_PARAM(roce_parse, sample_gen_params),
	KUNIT_CASE_PARAM(roce_each_bit, sample_gen_params),
	KUNIT_CASE_PARAM(roce_each_length, sample_gen_params),
	KUNIT_CASE_PARAM(roce_malformed, malformed_gen_params),
	KUNIT_CASE(roce_mapped),
	KUNIT_CASE_PARAM(roce_grh, sample_gen_params),
	KUNIT_CASE(roce_gid_kind),
	{}
};

static struct kunit_suite gsi_pkt_suite = {
	.name = "gsi_pkt",
	.test_cases = gsi_pkt_cases,
};

kunit_test_suite(gsi_pkt_suite);

MODULE_DESCRIPTION("Tests of HyV's packets of RoCE v2");
MODULE_LICENSE("GPL");
