// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest addressing: GIDs that a vNIC may have, and peers that it can reach.
 */
#include <endian.h>
#include <errno.h>
#include <linux/virtio_config.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "driver.h"
#include "suites.h"
#include "harness.h"
#include "rxe.h"

#define V4(a, b, c, d) {[10] = 0xff, [11] = 0xff, a, b, c, d}

/* Port event of ib_core. */
#define EVENT_GID_CHANGE 18

/* Milliseconds in which an event comes, and in which none does. */
#define QUIET_MS 1000

static const uint8_t gid_a[16] = V4(10, 99, 0, 1);
static const uint8_t gid_b[16] = V4(10, 99, 0, 2);
static const uint8_t gid_c[16] = V4(10, 99, 1, 3);

static struct gmem gm;

static int add_gid_as(struct vnic *v, struct hyv_add_gid_req *req)
{
	struct req r;
	struct rsp rsp;

	req_init(&r, HYV_CMD_ADD_GID, req, sizeof(*req));
	return vnic_exec(v, &r, &rsp);
}

static struct hyv_gid from(uint16_t index, const uint8_t *to)
{
	struct hyv_gid gid = {.index = htole16(index)};

	memcpy(gid.raw, to, sizeof(gid.raw));
	return gid;
}

static void test_ioctl_rules(void)
{
	static const struct {
		const char *what;
		uint32_t mode;
		uint32_t nr;
		struct hyv_gid_prefix prefix;
		int ret;
	} cases[] = {
		{"no such mode", 2, 0, {}, -EINVAL},
		{"host", HYV_ADDRESSING_HOST, 0, {}, 0},
		{"host with prefixes", HYV_ADDRESSING_HOST, 1, {}, -EINVAL},
		{"guest", HYV_ADDRESSING_GUEST, 0, {}, 0},
		{"guest, again", HYV_ADDRESSING_GUEST, 0, {}, 0},
		{"all addresses", HYV_ADDRESSING_GUEST, 1, {}, 0},
		{"a prefix of 129 bits",
		 HYV_ADDRESSING_GUEST,
		 1,
		 {.length = 129},
		 -EINVAL},
		{"a reserved field",
		 HYV_ADDRESSING_GUEST,
		 1,
		 {.reserved = 1},
		 -EINVAL},
		{"bits after the prefix",
		 HYV_ADDRESSING_GUEST,
		 1,
		 {.gid = V4(10, 99, 0, 1), .length = 127},
		 -EINVAL},
	};
	struct hyv_gid_prefix *many = calloc(65, sizeof(*many));
	struct vnic v;
	size_t i;

	vnic_attach(&v, &gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(vnic_set_addressing(&v, cases[i].mode, &cases[i].prefix,
					   cases[i].nr),
		       cases[i].ret, "SET_ADDRESSING: %s", cases[i].what);
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_GUEST, many, 64), 0,
	       "64 prefixes");
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_GUEST, many, 65), -EINVAL,
	       "65 prefixes");
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_GUEST, NULL, 1), -EFAULT,
	       "prefixes at NULL");
	free(many);

	v.offered = HYV_FEATURES_ALL & ~(1ULL << HYV_F_GUEST_GIDS);
	tap_is(vnic_set_features(&v, vnic_features(&v)), -EOPNOTSUPP,
	       "SET_FEATURES without GUEST_GIDS fails");
	v.offered = HYV_FEATURES_ALL;
	tap_is(vnic_set_features(&v, vnic_features(&v)), 0,
	       "SET_FEATURES with GUEST_GIDS");
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_HOST, NULL, 0), -EBUSY,
	       "SET_ADDRESSING after SET_FEATURES fails");
	tap_is(vnic_reset(&v), 0, "RESET");
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_HOST, NULL, 0), 0,
	       "SET_ADDRESSING after RESET");
	vnic_close(&v);
}

static void test_host_mode(void)
{
	struct vnic v;

	vnic_open(&v, &gm);
	tap_ok(!(v.offered & 1ULL << HYV_F_GUEST_GIDS),
	       "host addressing: no GUEST_GIDS");
	tap_is(cmd_add_gid(&v, 0, gid_a), HYV_S_EOPNOTSUPP,
	       "host addressing: ADD_GID fails");
	tap_is(cmd_del_gid(&v, 1, 0), HYV_S_EOPNOTSUPP,
	       "host addressing: DEL_GID fails");
	vnic_close(&v);
}

static void test_table(void)
{
	const struct {
		const char *what;
		struct hyv_add_gid_req req;
	} bad[] = {
		{"port 0", {.port = 0, .gid = V4(10, 99, 0, 9)}},
		{"port 2", {.port = htole32(2), .gid = V4(10, 99, 0, 9)}},
		{"an index past the end",
		 {.index = htole16(HYV_MAX_GIDS), .gid = V4(10, 99, 0, 9)}},
		{"VLAN 4095",
		 {.vlan_id = htole16(4095), .gid = V4(10, 99, 0, 9)}},
		{"RoCE v1",
		 {.type = HYV_GID_TYPE_ROCE_V1, .gid = V4(10, 99, 0, 9)}},
		{"a reserved field",
		 {.reserved = {[6] = 1}, .gid = V4(10, 99, 0, 9)}},
		{"a zero GID", {.gid = {}}},
		{"a multicast GID", {.gid = {0xff, 0x0e, [15] = 1}}},
		{"an IPv4 multicast GID", {.gid = V4(224, 0, 0, 1)}},
		{"loopback", {.gid = V4(127, 0, 0, 1)}},
	};
	struct hyv_add_gid_req req;
	struct vnic a, b;
	struct rsp rsp;
	struct req r;
	size_t i;

	vnic_open_guest_gids(&a, &gm, NULL, 0);
	tap_ok(a.offered & 1ULL << HYV_F_GUEST_GIDS, "the feature is offered");
	req_query(&r, HYV_CMD_QUERY_PORT, 1, 0);
	REQUIRE_EQ(vnic_exec(&a, &r, &rsp), 0, "QUERY_PORT");
	tap_is(le32toh(rsp.port.gid_tbl_len), HYV_MAX_GIDS,
	       "number of entries");

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		req = bad[i].req;
		if (strncmp(bad[i].what, "port", 4))
			req.port = htole32(1);
		if (strncmp(bad[i].what, "RoCE", 4))
			req.type = HYV_GID_TYPE_ROCE_V2;
		tap_is(add_gid_as(&a, &req), HYV_S_EINVAL, "ADD_GID: %s",
		       bad[i].what);
	}
	tap_is(cmd_del_gid(&a, 0, 0), HYV_S_EINVAL, "DEL_GID of port 0");
	tap_is(cmd_del_gid(&a, 2, 0), HYV_S_EINVAL, "DEL_GID of port 2");
	tap_is(cmd_del_gid(&a, 1, HYV_MAX_GIDS), HYV_S_EINVAL,
	       "DEL_GID past the end");
	tap_is(cmd_del_gid(&a, 1, 0), HYV_S_ENOENT,
	       "DEL_GID of an empty entry");

	tap_is(cmd_add_gid(&a, HYV_MAX_GIDS - 1, gid_a), 0, "ADD_GID");
	tap_is(cmd_add_gid(&a, HYV_MAX_GIDS - 1, gid_b), HYV_S_EBUSY,
	       "ADD_GID to an entry in use");
	tap_is(cmd_add_gid(&a, 0, gid_a), 0, "ADD_GID of the same GID");

	vnic_open_guest_gids(&b, &gm, NULL, 0);
	tap_is(cmd_add_gid(&b, 0, gid_a), HYV_S_EEXIST,
	       "ADD_GID of a GID of another vNIC");
	tap_is(cmd_del_gid(&a, 1, 0), 0, "DEL_GID");
	tap_is(cmd_add_gid(&b, 0, gid_a), HYV_S_EEXIST,
	       "ADD_GID while the owner has it in another entry");
	tap_is(cmd_del_gid(&a, 1, HYV_MAX_GIDS - 1), 0,
	       "DEL_GID of the last entry");
	tap_is(cmd_add_gid(&b, 0, gid_a), 0,
	       "ADD_GID of a GID that is free now");
	tap_is(cmd_add_gid(&a, 0, gid_a), HYV_S_EEXIST,
	       "ADD_GID by the old owner fails");
	tap_is(vnic_reset(&b), 0, "RESET of the owner");
	tap_is(cmd_add_gid(&a, 0, gid_a), 0,
	       "ADD_GID after RESET of the owner");
	vnic_close(&a);
	REQUIRE_EQ(vnic_set_features(&b, vnic_features(&b)), 0, "features");
	tap_is(cmd_add_gid(&b, 0, gid_a), 0,
	       "ADD_GID after close of the owner");
	vnic_close(&b);
}

/* Check that a GID change is raised, once, when a refused GID becomes free. */
static void test_refused(void)
{
	struct vnic a, b, c;
	struct evq qa, qb;
	struct hyv_event ev = {};
	uint16_t index;

	/* The event for GIDs that became free before this test comes late. */
	dt_sleep_us(1000 * QUIET_MS);
	vnic_open_guest_gids(&a, &gm, NULL, 0);
	vnic_open_guest_gids(&b, &gm, NULL, 0);
	vnic_open_guest_gids(&c, &gm, NULL, 0);
	evq_init(&qa, &a, 0, 8, false);
	evq_init(&qb, &b, 0, 8, false);
	evq_post_all(&qa);
	evq_post_all(&qb);
	REQUIRE_EQ(evq_start(&qa, &a, 0), 0, "SET_EVENT_QUEUE of the owner");
	REQUIRE_EQ(evq_start(&qb, &b, 0), 0, "SET_EVENT_QUEUE of the other");

	REQUIRE_EQ(cmd_add_gid(&a, 0, gid_a), 0, "ADD_GID");
	REQUIRE_EQ(cmd_add_gid(&a, 1, gid_b), 0, "ADD_GID");
	tap_is(cmd_add_gid(&b, 0, gid_a), HYV_S_EEXIST, "ADD_GID is refused");
	tap_is(cmd_add_gid(&c, 0, gid_a), HYV_S_EEXIST,
	       "ADD_GID of a vNIC that is then closed is refused");
	vnic_close(&c);
	REQUIRE_EQ(cmd_del_gid(&a, 1, 1), 0, "DEL_GID of another GID");
	tap_ok(!evq_get(&qb, &ev, QUIET_MS), "no event for another GID");
	REQUIRE_EQ(cmd_del_gid(&a, 1, 0), 0, "DEL_GID");
	tap_ok(evq_get(&qb, &ev, dt_hang_ms()), "an event for the refused GID");
	tap_is(le16toh(ev.type), HYV_EVENT_PORT, "it is a port event");
	tap_is(le16toh(ev.code), EVENT_GID_CHANGE, "it is a GID change");
	tap_is(le32toh(ev.handle), 1, "it is of port 1");
	tap_is(cmd_add_gid(&b, 0, gid_a), 0, "ADD_GID succeeds now");
	REQUIRE_EQ(cmd_del_gid(&b, 1, 0), 0, "DEL_GID");
	tap_ok(!evq_get(&qb, &ev, QUIET_MS), "no event of the own GID");
	tap_ok(!evq_get(&qa, &ev, 0), "no event for the owner");

	REQUIRE_EQ(evq_stop(&qa, &a, &index), 0, "stop the owner's queue");
	REQUIRE_EQ(evq_stop(&qb, &b, &index), 0, "stop the other's queue");
	evq_free(&qa);
	evq_free(&qb);
	vnic_close(&b);
	vnic_close(&a);
}

/* An event that is raised before the VMM has set memory comes after that. */
static void test_event_before_mem(void)
{
	struct hyv_event ev;
	struct vnic a, b;
	uint16_t index;
	struct evq q;

	vnic_open_guest_gids(&a, &gm, NULL, 0);
	vnic_attach(&b, &gm);
	REQUIRE_EQ(vnic_set_addressing(&b, HYV_ADDRESSING_GUEST, NULL, 0), 0,
		   "HYV_SET_ADDRESSING");
	vnic_get_config(&b);
	REQUIRE_EQ(vnic_set_features(&b, vnic_features(&b)), 0,
		   "HYV_SET_FEATURES");
	evq_init(&q, &b, 0, 4, false);
	evq_post_all(&q);
	REQUIRE_EQ(evq_start(&q, &b, 0), 0, "SET_EVENT_QUEUE");
	REQUIRE_EQ(cmd_add_gid(&a, 0, gid_a), 0, "ADD_GID");
	REQUIRE_EQ(cmd_add_gid(&b, 0, gid_a), HYV_S_EEXIST,
		   "ADD_GID of the GID of another");
	REQUIRE_EQ(cmd_del_gid(&a, 1, 0), 0, "DEL_GID");
	tap_ok(!evq_get(&q, &ev, QUIET_MS), "no event without memory");
	REQUIRE_EQ(vnic_set_mem(&b, gm.region, GMEM_REGIONS), 0, "SET_MEM");
	tap_ok(evq_get(&q, &ev, dt_hang_ms()), "an event after SET_MEM");
	REQUIRE_EQ(evq_stop(&q, &b, &index), 0, "stop the queue");
	evq_free(&q);
	vnic_close(&b);
	vnic_close(&a);
}

static void test_prefixes(void)
{
	static const struct hyv_gid_prefix prefix[] = {
		{.gid = V4(10, 99, 1, 0), .length = 120},
		{.gid = V4(10, 99, 0, 2), .length = 128},
	};
	struct vnic v;

	vnic_open_guest_gids(&v, &gm, prefix, ARRAY_SIZE(prefix));
	tap_is(cmd_add_gid(&v, 0, gid_a), HYV_S_EACCES,
	       "rejects a GID outside of the prefixes");
	tap_is(cmd_add_gid(&v, 0, gid_b), 0, "accepts a prefix of 128 bits");
	tap_is(cmd_add_gid(&v, 1, gid_c), 0,
	       "accepts a GID in a prefix of 120 bits");
	vnic_close(&v);
}

/* GIDs that QPs and AHs of @a can reach; @b has gid_b. */
static void test_reach(void)
{
	static const uint8_t group[16] = V4(239, 1, 1, 1);
	struct hyv_gid to_b = from(5, gid_b), to_c = from(5, gid_c);
	struct hyv_gid from_none = from(6, gid_b), to_group = from(5, group);
	struct hyv_gid to_self = from(5, gid_a);
	struct hyv_query_qp_rsp out;
	struct doorbells db;
	struct ah_info ah;
	struct vnic a, b;
	struct ep ep;

	vnic_open_guest_gids(&a, &gm, NULL, 0);
	vnic_open_guest_gids(&b, &gm, NULL, 0);
	REQUIRE_EQ(cmd_add_gid(&a, 5, gid_a), 0, "ADD_GID");
	REQUIRE_EQ(cmd_add_gid(&b, 0, gid_b), 0, "ADD_GID of the other");
	db_init(&db, &a, 0);
	REQUIRE_EQ(db_setup(&db, &a), 0, "SETUP_DOORBELLS");
	ep_init(&ep, &a, &db, 16, 0);

	REQUIRE_EQ(ep_modify(&ep, QPS_INIT, 0, NULL), 0, "MODIFY_QP to INIT");
	tap_is(ep_modify(&ep, QPS_RTR, 77, &to_c), HYV_S_ENETUNREACH,
	       "RTR fails to a GID without an owner");
	tap_is(ep_modify(&ep, QPS_RTR, 77, &from_none), HYV_S_EINVAL,
	       "RTR fails from an empty entry");
	tap_is(ep_modify(&ep, QPS_RTR, 77, &to_group), HYV_S_EINVAL,
	       "RTR of an RC QP fails to a multicast group");
	tap_is(ep_state(&ep), QPS_INIT, "the QP is still in INIT");
	tap_is(ep_modify(&ep, QPS_RTR, 77, &to_b), 0, "RTR to the other vNIC");
	REQUIRE_EQ(cmd_query_qp(&a, ep.qp.handle, &out), 0, "QUERY_QP");
	tap_ok(!memcmp(out.attr.ah.dgid, gid_b, 16),
	       "QUERY_QP returns the destination GID");
	tap_is(out.attr.ah.sgid_index, 5, "QUERY_QP returns the entry");
	tap_is(out.attr.ah.hop_limit, 64, "QUERY_QP returns the hop limit");

	tap_is(cmd_create_ah(&a, ep.pd, &to_b, &ah), 0,
	       "CREATE_AH to the other vNIC");
	tap_is(cmd_destroy(&a, HYV_OBJ_AH, ah.handle), 0, "DESTROY");
	tap_is(cmd_create_ah(&a, ep.pd, &to_self, &ah), 0,
	       "CREATE_AH to itself");
	tap_is(cmd_destroy(&a, HYV_OBJ_AH, ah.handle), 0, "DESTROY");
	tap_is(cmd_create_ah(&a, ep.pd, &to_group, &ah), 0,
	       "CREATE_AH to a multicast group");
	tap_is(cmd_destroy(&a, HYV_OBJ_AH, ah.handle), 0, "DESTROY");
	tap_is(cmd_create_ah(&a, ep.pd, &to_c, &ah), HYV_S_ENETUNREACH,
	       "CREATE_AH fails to a GID without an owner");
	tap_is(cmd_create_ah(&a, ep.pd, &from_none, &ah), HYV_S_EINVAL,
	       "CREATE_AH fails from an empty entry");

	vnic_close(&b);
	tap_is(cmd_create_ah(&a, ep.pd, &to_b, &ah), HYV_S_ENETUNREACH,
	       "CREATE_AH fails for a deleted GID");
	tap_is(cmd_del_gid(&a, 1, 5), 0, "DEL_GID of a GID that a QP uses");
	tap_is(ep_modify(&ep, QPS_RTS, 0, NULL), 0, "the QP still goes to RTS");
	tap_is(cmd_create_ah(&a, ep.pd, &to_self, &ah), HYV_S_EINVAL,
	       "CREATE_AH fails from the deleted entry");
	db_free(&db);
	vnic_close(&a);
}

/* Query the GID that GRHs from the HCA have. */
static uint32_t query_gid_of_hca(struct vnic *v, uint32_t first,
				 struct hyv_gid *gid)
{
	struct rsp rsp;
	struct req r;

	req_query(&r, HYV_CMD_QUERY_GIDS, 1, first);
	REQUIRE_EQ(vnic_exec(v, &r, &rsp), 0, "QUERY_GIDS");
	tap_is(le32toh(rsp.gids.next), 0, "QUERY_GIDS: next is 0");
	*gid = rsp.gids.gid[0];
	return le32toh(rsp.gids.count);
}

/* The GID of the HCA, to which replies to UD messages go. */
static void test_gid_of_hca(void)
{
	static const struct hyv_gid_prefix prefix = {
		.gid = V4(10, 99, 0, 2),
		.length = 128,
	};
	static const uint8_t link_local[8] = {0xfe, 0x80};
	struct hyv_gid gid, from_hca, to_hca, to_other;
	struct doorbells db;
	struct ah_info ah;
	struct vnic a, b;
	struct ep ep;

	vnic_open_guest_gids(&a, &gm, NULL, 0);
	vnic_open_guest_gids(&b, &gm, &prefix, 1);
	REQUIRE_EQ(query_gid_of_hca(&a, 0, &gid), 1,
		   "number of GIDs of the HCA");
	tap_is(gid.type, HYV_GID_TYPE_ROCE_V2, "the GID of the HCA is RoCE v2");
	tap_is(le16toh(gid.index), 0, "the GID of the HCA has index 0");
	tap_ok(!memcmp(gid.raw, link_local, sizeof(link_local)),
	       "the GID of the HCA is link-local");
	tap_is(query_gid_of_hca(&a, 1, &to_other), 0, "the HCA has one GID");

	tap_is(cmd_add_gid(&a, 5, gid.raw), 0, "ADD_GID of the GID of the HCA");
	tap_is(cmd_add_gid(&b, 5, gid.raw), 0,
	       "ADD_GID of the GID of the HCA by another vNIC");
	tap_is(cmd_del_gid(&b, 1, 5), 0, "DEL_GID");
	tap_is(cmd_del_gid(&b, 1, 5), HYV_S_ENOENT, "DEL_GID again");
	vnic_close(&b);

	to_hca = from(5, gid.raw);
	gid.raw[15] ^= 1;
	to_other = from(5, gid.raw);
	db_init(&db, &a, 0);
	REQUIRE_EQ(db_setup(&db, &a), 0, "SETUP_DOORBELLS");
	ep_init(&ep, &a, &db, 16, 0);
	tap_is(cmd_create_ah(&a, ep.pd, &to_hca, &ah), 0,
	       "CREATE_AH to the GID of the HCA");
	tap_is(cmd_destroy(&a, HYV_OBJ_AH, ah.handle), 0, "DESTROY");
	tap_is(cmd_create_ah(&a, ep.pd, &to_other, &ah), HYV_S_ENETUNREACH,
	       "CREATE_AH fails to another link-local GID");
	REQUIRE_EQ(cmd_add_gid(&a, 6, gid_a), 0, "ADD_GID of an own GID");
	REQUIRE_EQ(ep_modify(&ep, QPS_INIT, 0, NULL), 0, "MODIFY_QP to INIT");
	to_hca.index = htole16(6);
	tap_is(ep_modify(&ep, QPS_RTR, 77, &to_hca), HYV_S_ENETUNREACH,
	       "RTR of an RC QP fails to the GID of the HCA");
	from_hca = from(5, gid_a);
	tap_is(ep_modify(&ep, QPS_RTR, 77, &from_hca), HYV_S_EINVAL,
	       "RTR of an RC QP fails from the GID of the HCA");
	from_hca.index = htole16(6);
	tap_is(ep_modify(&ep, QPS_RTR, 77, &from_hca), 0,
	       "RTR of an RC QP from an own GID");
	db_free(&db);
	vnic_close(&a);
}

void suite_gids(void)
{
	gmem_init(&gm, GMEM_MEMFD);
	test_ioctl_rules();
	test_host_mode();
	test_table();
	test_refused();
	test_prefixes();
	test_event_before_mem();
	test_reach();
	test_gid_of_hca();
	gmem_free(&gm);
}
