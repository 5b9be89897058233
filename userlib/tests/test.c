// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests of a program and builds messages for them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hyv_netlink.h>
#include <netlink/genl/genl.h>

#include "test.h"

static bool failed;

bool expect(bool ok, const char *file, int line, const char *what)
{
	if (!ok) {
		tap_diag("%s:%d: expected %s", file, line, what);
		failed = true;
	}
	return ok;
}

uint32_t random_u32(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 32;
}

int main(void)
{
	unsigned int count = 0;
	const struct test *test;

	while (tests[count].name)
		count++;
	tap_plan(count);
	for (test = tests; test->name; test++) {
		failed = false;
		test->run();
		tap_point(!failed, NULL, NULL, 0, "%s", test->name);
	}
	return tap_done();
}

/* --- Messages --- */

struct nl_msg *new_message(int cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, 1, 1, SAMPLE_FAMILY, 0, 0, cmd, 1))
		abort();
	return msg;
}

void put_object(struct nl_msg *msg, uint32_t type, const char *name,
		uint32_t count, uint32_t max)
{
	struct nlattr *nest = nla_nest_start(msg, HYV_NL_A_OBJECT);

	nla_put_u32(msg, HYV_NL_A_OBJECT_TYPE, type);
	if (name)
		nla_put_string(msg, HYV_NL_A_OBJECT_TYPE_NAME, name);
	nla_put_u32(msg, HYV_NL_A_OBJECT_COUNT, count);
	nla_put_u32(msg, HYV_NL_A_OBJECT_MAX, max);
	nla_nest_end(msg, nest);
}

void put_quota(struct nl_msg *msg, uint32_t type, uint64_t used, uint64_t max)
{
	struct nlattr *nest = nla_nest_start(msg, HYV_NL_A_QUOTA);

	nla_put_u32(msg, HYV_NL_A_QUOTA_TYPE, type);
	nla_put_u64(msg, HYV_NL_A_QUOTA_USED, used);
	nla_put_u64(msg, HYV_NL_A_QUOTA_MAX, max);
	nla_nest_end(msg, nest);
}

void put_counters(struct nl_msg *msg, uint64_t first)
{
	static const int attrs[] = {
		HYV_NL_A_COUNTER_COMMANDS,     HYV_NL_A_COUNTER_ERRORS,
		HYV_NL_A_COUNTER_DOORBELLS,    HYV_NL_A_COUNTER_ARMS,
		HYV_NL_A_COUNTER_KICKS,	       HYV_NL_A_COUNTER_EVENTS,
		HYV_NL_A_COUNTER_EVENT_STALLS, HYV_NL_A_COUNTER_INTERRUPTS,
	};
	struct nlattr *nest = nla_nest_start(msg, HYV_NL_A_VNIC_COUNTERS);
	size_t i;

	for (i = 0; i < NR_ELEMENTS(attrs); i++)
		nla_put_u64(msg, attrs[i], first + i);
	nla_nest_end(msg, nest);
}

struct nl_msg *vnic_message(const struct sample *sample)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct nlattr *nest;
	uint32_t i;

	nla_put_u32(msg, HYV_NL_A_VNIC_ID, sample->id);
	nla_put_string(msg, HYV_NL_A_VNIC_NAME, sample->name);
	nla_put_u32(msg, HYV_NL_A_VNIC_PID, sample->pid);
	nla_put_string(msg, HYV_NL_A_VNIC_COMM, sample->comm);
	nla_put_u32(msg, HYV_NL_A_VNIC_STATE, sample->state);
	nla_put_string(msg, HYV_NL_A_HCA_NAME, sample->hca);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_OBJECTS);
	put_object(msg, 1, "context", 2, 64);
	put_object(msg, 4, "qp", 17, 1024);
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_QUOTAS);
	for (i = 0; i < HYV_NL_NR_QUOTAS; i++)
		put_quota(msg, i, sample->quota_used[i], sample->quota_max[i]);
	nla_nest_end(msg, nest);
	nla_put_u64(msg, HYV_NL_A_VNIC_WINDOW_USED, 8192);
	nla_put_u64(msg, HYV_NL_A_VNIC_WINDOW_SIZE, 67108864);
	nla_put_u32(msg, HYV_NL_A_VNIC_LEAKED, 5);
	put_counters(msg, sample->counter);
	return msg;
}

struct nl_msg *hca_message(const char *name, uint32_t driver_id, uint32_t use,
			   uint32_t nr_vnics)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_HCA_GET);

	if (name)
		nla_put_string(msg, HYV_NL_A_HCA_NAME, name);
	nla_put_u32(msg, HYV_NL_A_HCA_DRIVER_ID, driver_id);
	nla_put_u32(msg, HYV_NL_A_HCA_USE, use);
	nla_put_u32(msg, HYV_NL_A_HCA_VNICS, nr_vnics);
	nla_put_u32(msg, HYV_NL_A_HCA_LEAKED, 10 * nr_vnics);
	return msg;
}

void put_gid(struct nl_msg *msg, int attr, const char *gid)
{
	struct in6_addr addr;

	if (hyv_gid_parse(gid, &addr))
		abort();
	nla_put(msg, attr, sizeof(addr), &addr);
}

struct nl_msg *entry_message(const char *gid, const char *via, uint32_t vnic,
			     const char *hca)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_MAP_GET);
	struct nlattr *nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);

	put_gid(msg, HYV_NL_A_MAP_GID, gid);
	if (via) {
		put_gid(msg, HYV_NL_A_MAP_VIA, via);
	} else {
		nla_put_u32(msg, HYV_NL_A_VNIC_ID, vnic);
		if (hca)
			nla_put_string(msg, HYV_NL_A_HCA_NAME, hca);
	}
	nla_nest_end(msg, nest);
	return msg;
}
