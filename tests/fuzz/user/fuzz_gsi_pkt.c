// SPDX-License-Identifier: GPL-2.0-only
/*
 * RoCE packets of the network: any bytes, and good packets with some bytes
 * changed, with and without a valid ICRC.
 */
#include "gsi/gsi_pkt.c"

#include "fuzz.h"

static u8 mad[GSI_PKT_MAD_LEN];

static void check_parse(const u8 *pkt, size_t len)
{
	u8 grh[GSI_PKT_GRH_LEN];
	u8 tagged[GSI_PKT_MAD_LEN];
	struct gsi_pkt_hdr hdr;
	const void *found = NULL;

	memset(&hdr, 0, sizeof(hdr));
	if (gsi_pkt_parse(pkt, len, &hdr, &found))
		return;
	FUZZ_CHECK((const u8 *)found >= pkt &&
		   (const u8 *)found + GSI_PKT_MAD_LEN + 4 == pkt + len);
	FUZZ_CHECK(hdr.psn <= 0xffffff && hdr.flow_label <= 0xfffff);
	FUZZ_CHECK(len == gsi_pkt_len(&hdr));
	if (gsi_pkt_is_cm(&hdr, found))
		FUZZ_CHECK(!memcmp(found, "\1\7", 2));
	memcpy(tagged, found, sizeof(tagged));
	gsi_pkt_tag_sender(tagged, U64_MAX);
	gsi_pkt_tag_sender(tagged, U64_MAX);
	FUZZ_CHECK(!memcmp(tagged, found, sizeof(tagged)));
	gsi_pkt_grh(grh, pkt);
}

static void make_hdr(struct fuzz_in *in, struct gsi_pkt_hdr *hdr)
{
	memset(hdr, 0, sizeof(*hdr));
	fuzz_bytes(in, hdr->sgid, sizeof(hdr->sgid));
	fuzz_bytes(in, hdr->dgid, sizeof(hdr->dgid));
	if (fuzz_flag(in)) {
		memcpy(hdr->sgid, ipv4_prefix, sizeof(ipv4_prefix));
		memcpy(hdr->dgid, ipv4_prefix, sizeof(ipv4_prefix));
	} else {
		hdr->sgid[0] = 0xfe;
		hdr->dgid[0] = 0xfe;
		hdr->flow_label = fuzz_take(in, 4) & FLOW_LABEL_MASK;
	}
	hdr->psn = fuzz_take(in, 3);
	hdr->sport = fuzz_take(in, 2);
	hdr->traffic_class = fuzz_take(in, 1);
	hdr->hop_limit = fuzz_take(in, 1);
	hdr->solicited = fuzz_flag(in);
}

/* A good packet of another length, which its IP header knows. */
static void check_length(struct fuzz_in *in, const u8 *pkt, size_t len)
{
	size_t n = fuzz_take(in, 2) % (len + 64);
	struct ipv6hdr ip6;
	struct iphdr ip4;
	u8 *other;

	if (n < sizeof(ip6))
		return;
	other = calloc(1, n);
	memcpy(other, pkt, min(n, len));
	if (gsi_pkt_ip_version(pkt) == 4) {
		memcpy(&ip4, other, sizeof(ip4));
		ip4.tot_len = cpu_to_be16(n);
		memcpy(other, &ip4, sizeof(ip4));
	} else {
		memcpy(&ip6, other, sizeof(ip6));
		ip6.payload_len = cpu_to_be16(n - sizeof(ip6));
		memcpy(other, &ip6, sizeof(ip6));
	}
	check_parse(other, n);
	free(other);
}

/* A packet that was built is parsed to what it was built from. */
static void check_round_trip(struct fuzz_in *in)
{
	struct gsi_pkt_hdr hdr, got;
	const void *found = NULL;
	size_t len;
	u32 n;
	u8 *pkt;

	make_hdr(in, &hdr);
	fuzz_bytes(in, mad, 16);
	len = gsi_pkt_len(&hdr);
	pkt = malloc(len);
	gsi_pkt_build(pkt, &hdr, mad);
	memset(&got, 0, sizeof(got));
	FUZZ_CHECK(!gsi_pkt_parse(pkt, len, &got, &found));
	FUZZ_CHECK(!memcmp(&hdr, &got, sizeof(hdr)) &&
		   !memcmp(found, mad, sizeof(mad)));
	for (n = 1 + fuzz_below(in, 8); n; n--)
		pkt[fuzz_take(in, 2) % len] = fuzz_take(in, 1);
	/* Not with a changed version: the packet may be too short for it. */
	if (fuzz_flag(in) &&
	    gsi_pkt_ip_version(pkt) == (len == GSI_PKT_IPV4_LEN ? 4 : 6)) {
		struct roce *roce = (void *)(pkt + gsi_pkt_ip_len(pkt));

		roce->icrc = cpu_to_le32(gsi_pkt_icrc(pkt));
	}
	check_parse(pkt, len);
	if (fuzz_flag(in))
		check_length(in, pkt, len);
	free(pkt);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u8 *pkt;

	if (fuzz_flag(&in)) {
		check_round_trip(&in);
		return 0;
	}
	size = in.left;
	pkt = malloc(size ? size : 1);
	fuzz_bytes(&in, pkt, size);
	check_parse(pkt, size);
	free(pkt);
	return 0;
}
