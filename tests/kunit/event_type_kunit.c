// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the valid combinations of event type and code. */
#include <compat/kunit.h>

#include "notify/event_type.h"

struct event_param {
	enum ib_event_type code;
	u32 type;
};

static const struct event_param event_params[] = {
	{ IB_EVENT_CQ_ERR, HYV_EVENT_CQ },
	{ IB_EVENT_QP_FATAL, HYV_EVENT_QP },
	{ IB_EVENT_QP_REQ_ERR, HYV_EVENT_QP },
	{ IB_EVENT_QP_ACCESS_ERR, HYV_EVENT_QP },
	{ IB_EVENT_COMM_EST, HYV_EVENT_QP },
	{ IB_EVENT_SQ_DRAINED, HYV_EVENT_QP },
	{ IB_EVENT_PATH_MIG, HYV_EVENT_QP },
	{ IB_EVENT_PATH_MIG_ERR, HYV_EVENT_QP },
	{ IB_EVENT_DEVICE_FATAL, HYV_EVENT_DEVICE },
	{ IB_EVENT_PORT_ACTIVE, HYV_EVENT_PORT },
	{ IB_EVENT_PORT_ERR, HYV_EVENT_PORT },
	{ IB_EVENT_LID_CHANGE, HYV_EVENT_PORT },
	{ IB_EVENT_PKEY_CHANGE, HYV_EVENT_PORT },
	{ IB_EVENT_SM_CHANGE, HYV_EVENT_PORT },
	{ IB_EVENT_SRQ_ERR, HYV_EVENT_SRQ },
	{ IB_EVENT_SRQ_LIMIT_REACHED, HYV_EVENT_SRQ },
	{ IB_EVENT_QP_LAST_WQE_REACHED, HYV_EVENT_QP },
	{ IB_EVENT_CLIENT_REREGISTER, HYV_EVENT_PORT },
	{ IB_EVENT_GID_CHANGE, HYV_EVENT_PORT },
	{ IB_EVENT_WQ_FATAL, 0 },
	{ IB_EVENT_WQ_FATAL + 1, 0 },
	{ -1, 0 },
};

static void event_desc(const struct event_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%d", p->code);
}

KUNIT_ARRAY_PARAM(event, event_params, event_desc);

static void event_type(struct kunit *test)
{
	const struct event_param *p = test->param_value;
	u32 type;

	for (type = 0; type <= HYV_EVENT_SRQ + 1; type++)
		KUNIT_EXPECT_EQ(test, vhyv_event_valid_for(type, p->code),
				p->type && p->type == type);
	KUNIT_EXPECT_FALSE(test, vhyv_event_valid_for(U16_MAX, p->code));
}

static struct kunit_case event_type_cases[] = {
	KUNIT_CASE_PARAM(event_type, event_gen_params),
	{}
};

static struct kunit_suite event_type_suite = {
	.name = "hyv_event_type",
	.test_cases = event_type_cases,
};

kunit_test_suite(event_type_suite);

MODULE_DESCRIPTION("Tests of HyV's event types");
MODULE_LICENSE("GPL");
