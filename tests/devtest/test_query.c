// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries of a guest, compared with the host's sysfs.
 */
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "suites.h"
#include "harness.h"

/* One line of a file of the device; false if it cannot be read. */
static bool sysfs_line(const char *name, char *line, size_t size)
{
	char path[256];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/%s", dt_ibdev(),
		 name);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* Hexadecimal digits of a line without what is between them. */
static void hex_of(const char *line, char *out, size_t size)
{
	size_t n = 0;

	for (; *line && n < size - 1; line++)
		if (isxdigit((unsigned char)*line))
			out[n++] = tolower((unsigned char)*line);
	out[n] = '\0';
}

static void hex_of_bytes(const uint8_t *bytes, size_t len, char *out)
{
	size_t i;

	for (i = 0; i < len; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* Verbs of rxe on every kernel; re-registration came later. */
#define RXE_VERBS                                           \
	(HYV_VERB_AH | HYV_VERB_SRQ | HYV_VERB_MODIFY_SRQ | \
	 HYV_VERB_RESIZE_CQ | HYV_VERB_MW | HYV_VERB_MCAST)

static void test_device(struct vnic *v)
{
	char line[128], want[64], got[64];
	struct hyv_query_device_req req = {};
	uint64_t guid;
	uint32_t verbs;
	struct rsp rsp;
	struct req r;

	req_init(&r, HYV_CMD_QUERY_DEVICE, &req, sizeof(req));
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_DEVICE");
	REQUIRE(sysfs_line("node_guid", line, sizeof(line)), "node_guid");
	hex_of(line, want, sizeof(want));
	guid = rsp.device.node_guid;
	hex_of_bytes((uint8_t *)&guid, sizeof(guid), got);
	tap_ok(!strcmp(got, want), "node GUID %s is %s", got, want);
	tap_ok(le32toh(rsp.device.max_qp) > 16, "max_qp is %u",
	       le32toh(rsp.device.max_qp));
	tap_ok(le32toh(rsp.device.max_cqe) > 16, "max_cqe is %u",
	       le32toh(rsp.device.max_cqe));
	tap_ok(le32toh(rsp.device.max_send_sge) == 32, "max_send_sge is %u",
	       le32toh(rsp.device.max_send_sge));
	verbs = le32toh(rsp.device.verbs);
	tap_ok((verbs & RXE_VERBS) == RXE_VERBS &&
		       !(verbs & HYV_VERB_MODIFY_CQ),
	       "verbs are %#x", verbs);
	tap_ok(le32toh(rsp.device.max_srq_sge) == 27, "max_srq_sge is %u",
	       le32toh(rsp.device.max_srq_sge));
	tap_ok(le16toh(rsp.device.max_pkeys) >= 1, "max_pkeys is %u",
	       le16toh(rsp.device.max_pkeys));
}

static void test_port(struct vnic *v)
{
	static const uint32_t bad[] = {0, 2, 255, 256, ~0U};
	static const uint16_t ops[] = {HYV_CMD_QUERY_PORT, HYV_CMD_QUERY_GIDS,
				       HYV_CMD_QUERY_PKEYS};
	char line[128];
	struct rsp rsp;
	struct req r;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (j = 0; j < ARRAY_SIZE(bad); j++) {
			req_query(&r, ops[i], bad[j], 0);
			tap_is(vnic_exec(v, &r, &rsp), HYV_S_EINVAL,
			       "opcode %#x of port %u", ops[i], bad[j]);
		}
	}
	req_query(&r, HYV_CMD_QUERY_PORT, 1, 0);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_PORT");
	tap_is(rsp.port.link_layer, 2, "link layer is Ethernet");
	REQUIRE(sysfs_line("ports/1/state", line, sizeof(line)), "port state");
	tap_is(rsp.port.state, atoi(line), "state of the port");
	REQUIRE(sysfs_line("ports/1/phys_state", line, sizeof(line)),
		"physical state");
	tap_is(rsp.port.phys_state, atoi(line), "physical state of the port");
	tap_ok(rsp.port.active_mtu >= 1 && rsp.port.active_mtu <= 5,
	       "active MTU is %u", rsp.port.active_mtu);
	tap_ok(le32toh(rsp.port.gid_tbl_len) > 0, "GID table has %u entries",
	       le32toh(rsp.port.gid_tbl_len));
}

/* Check one GID against sysfs. */
static void test_gid(const struct hyv_gid *gid)
{
	char name[64], line[128], want[64], got[64];

	snprintf(name, sizeof(name), "ports/1/gids/%u", le16toh(gid->index));
	REQUIRE(sysfs_line(name, line, sizeof(line)), "GID %u",
		le16toh(gid->index));
	hex_of(line, want, sizeof(want));
	hex_of_bytes(gid->raw, sizeof(gid->raw), got);
	tap_ok(!strcmp(got, want), "GID %u is %s", le16toh(gid->index), got);
	snprintf(name, sizeof(name), "ports/1/gid_attrs/types/%u",
		 le16toh(gid->index));
	REQUIRE(sysfs_line(name, line, sizeof(line)), "type of GID %u",
		le16toh(gid->index));
	tap_is(gid->type,
	       strcmp(line, "RoCE v2") ? HYV_GID_TYPE_IB : HYV_GID_TYPE_ROCE_V2,
	       "type of GID %u is %s", le16toh(gid->index), line);
}

static void test_gids(struct vnic *v)
{
	uint32_t i, count, next = 0, total = 0, guard = 100;
	int last = -1;
	struct rsp rsp;
	struct req r;

	do {
		req_query(&r, HYV_CMD_QUERY_GIDS, 1, next);
		REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_GIDS");
		count = le32toh(rsp.gids.count);
		REQUIRE(count <= HYV_QUERY_GIDS_MAX, "count of GIDs");
		for (i = 0; i < count; i++) {
			test_gid(&rsp.gids.gid[i]);
			tap_ok(le16toh(rsp.gids.gid[i].index) > last,
			       "GIDs come in order");
			last = le16toh(rsp.gids.gid[i].index);
		}
		total += count;
		next = le32toh(rsp.gids.next);
	} while (next && --guard);
	tap_ok(guard, "the walk over the GIDs ends");
	tap_ok(total > 0, "there are %u GIDs", total);

	req_query(&r, HYV_CMD_QUERY_GIDS, 1, last);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_GIDS");
	tap_is(le32toh(rsp.gids.count), 1,
	       "QUERY_GIDS from the last GID returns one");
	req_query(&r, HYV_CMD_QUERY_GIDS, 1, ~0U);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_GIDS");
	tap_is(le32toh(rsp.gids.count), 0,
	       "QUERY_GIDS from past the end returns none");
	tap_is(le32toh(rsp.gids.next), 0,
	       "QUERY_GIDS from past the end: next is 0");
}

static void test_pkeys(struct vnic *v)
{
	struct rsp rsp;
	struct req r;

	req_query(&r, HYV_CMD_QUERY_PKEYS, 1, 0);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_PKEYS");
	tap_ok(le32toh(rsp.pkeys.count) >= 1, "there are %u P_Keys",
	       le32toh(rsp.pkeys.count));
	tap_is(le16toh(rsp.pkeys.pkey[0]), 0xffff, "the first P_Key");
	req_query(&r, HYV_CMD_QUERY_PKEYS, 1, ~0U);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_PKEYS");
	tap_is(le32toh(rsp.pkeys.count), 0,
	       "QUERY_PKEYS from past the end returns none");
}

void suite_query(void)
{
	struct gmem gm;
	struct vnic v;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	test_device(&v);
	test_port(&v);
	test_gids(&v);
	test_pkeys(&v);
	vnic_close(&v);
}
