// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts that lack a feature, and hosts of the first version: every verb works
 * or is refused with the right error.
 */
#include <errno.h>
#include <string.h>
#include <linux/virtio_ring.h>

#include "harness.h"
#include "suites.h"
#include "vmm.h"

/* The verb uses what a refused one should have made. */
#define LEAVE_OUT 1

/* A verb that does not work with a host. */
struct refusal {
	const char *verb;
	int ret;
};

static int expected(const struct refusal *refusal, const char *verb)
{
	for (; refusal->verb; refusal++)
		if (!strcmp(refusal->verb, verb))
			return refusal->ret;
	return 0;
}

/* The last of the @refusals has no verb. */
static void test_host(const char *what, const struct vmm_options *options,
		      const struct refusal *refusals)
{
	const char *verb;
	struct uv uv;
	size_t i;
	int ret;

	loop_start_with(options);
	uv_open(&uv);
	for (i = 0; i < uv_nr_steps; i++) {
		verb = uv_steps[i].name;
		ret = expected(refusals, verb);
		if (ret != LEAVE_OUT)
			tap_is(uv_steps[i].run(&uv), ret, "%s: %s", what, verb);
	}
	uv_close(&uv);
	loop_expect_idle(what);
	loop_stop();
}

static void test_no_indirect_chunks(void)
{
	static const struct vmm_options options = {
		.max_request = 4096,
		.features_off = 1ULL << HYV_F_INDIRECT_CHUNKS,
	};
	static const struct refusal refusals[] = {
		{"REG_MR, indirect", -E2BIG},
		{"REREG_MR, all, indirect", -E2BIG},
		{"DEREG_MR, indirect", LEAVE_OUT},
		{},
	};

	test_host("without indirect chunks", &options, refusals);
}

static void test_no_doorbell_area(void)
{
	static const struct vmm_options options = {
		.features_off = 1ULL << HYV_F_DOORBELL_AREA,
	};
	static const struct refusal refusals[] = {
		{"REQ_NOTIFY_CQ", -EOPNOTSUPP},
		{"REQ_NOTIFY_CQ, solicited", -EOPNOTSUPP},
		{"POST_SEND", -EOPNOTSUPP},
		{},
	};

	test_host("without doorbell area", &options, refusals);
}

static void test_no_ring_features(void)
{
	static const struct vmm_options options = {
		.features_off = 1ULL << VIRTIO_RING_F_INDIRECT_DESC |
				1ULL << VIRTIO_RING_F_EVENT_IDX,
	};
	static const struct refusal none = {};

	test_host("without ring features", &options, &none);
}

/* QUERY_DEVICE did not tell then which optional verbs there are. */
static void test_old_replies(void)
{
	static const struct vmm_options options = {.old_replies = true};
	static const struct refusal refusals[] = {
		{"RESIZE_CQ", -EOPNOTSUPP},
		{"EX_MODIFY_CQ", -EOPNOTSUPP},
		{"CREATE_SRQ", -EOPNOTSUPP},
		{"MODIFY_SRQ", -EOPNOTSUPP},
		{"QUERY_SRQ", -EOPNOTSUPP},
		{"REREG_MR, translation", -EOPNOTSUPP},
		{"REREG_MR, PD and access", -EOPNOTSUPP},
		{"REREG_MR, all, indirect", -EOPNOTSUPP},
		{"CREATE_QP", -EOPNOTSUPP},
		{"MODIFY_QP", LEAVE_OUT},
		{"ATTACH_MCAST", -EOPNOTSUPP},
		{"CREATE_AH", -EOPNOTSUPP},
		{"ALLOC_MW", -EOPNOTSUPP},
		{"DEALLOC_MW", -EOPNOTSUPP},
		{"DESTROY_AH", -EOPNOTSUPP},
		{"DETACH_MCAST", -EOPNOTSUPP},
		{"DESTROY_QP", LEAVE_OUT},
		{"DESTROY_SRQ", -EOPNOTSUPP},
		{},
	};

	test_host("first version", &options, refusals);
}

void suite_features(void)
{
	test_no_indirect_chunks();
	test_no_doorbell_area();
	test_no_ring_features();
	test_old_replies();
}
