// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: moderation
 *
 * The event of a CQ with moderation comes for so many completions, or so late.
 */
#include <errno.h>
#include <stdio.h>

#include "rc.h"

#define COUNT  10
#define PERIOD 60000 /* microseconds */
/* By this machine's clock, which is not the HCA's, and slow where emulated. */
#define LEAST (PERIOD / 100 * 95)
#define TRIES 20

static void check_limits(struct rc *rc)
{
	struct ibv_device_attr_ex attr;

	errno = ibv_query_device_ex(rc->context, NULL, &attr);
	if (errno)
		die_errno("cannot query the device");
	if (attr.cq_mod_caps.max_cq_count < COUNT ||
	    attr.cq_mod_caps.max_cq_period < PERIOD)
		die("the device has at most %u completions, %u us",
		    attr.cq_mod_caps.max_cq_count,
		    attr.cq_mod_caps.max_cq_period);
}

static void moderate(struct ibv_cq *cq, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = {.cq_count = count, .cq_period = period},
	};

	errno = ibv_modify_cq(cq, &attr);
	if (errno)
		die_errno("cannot modify the CQ");
}

/* Microseconds from the first of @writes to their event. */
static double event_after(struct rc_pair *pair, struct ibv_mr *mr, int writes)
{
	uint64_t to = (uintptr_t)mr->addr + PAGE / 2;
	struct ibv_cq *cq;
	double begin, end;
	void *context;
	int i;

	errno = ibv_req_notify_cq(pair->cq, 0);
	if (errno)
		die_errno("cannot arm the CQ");
	begin = now();
	for (i = 0; i < writes; i++)
		rc_post(pair, IBV_WR_RDMA_WRITE, mr, mr->addr, to, mr->rkey, 8);
	if (ibv_get_cq_event(pair->channel, &cq, &context))
		die_errno("cannot get the event");
	end = now();
	ibv_ack_cq_events(cq, 1);
	for (i = 0; i < writes; i++) {
		struct ibv_wc wc;

		if (!rc_completion(pair->cq, &wc, hang_seconds()) || wc.status)
			die("a write fails");
	}
	return (end - begin) * 1e6;
}

/* The shortest of several times: the machine may be slow. */
static double soonest(struct rc_pair *pair, struct ibv_mr *mr, int writes)
{
	double best = event_after(pair, mr, writes), time;
	int i;

	for (i = 1; i < TRIES; i++) {
		time = event_after(pair, mr, writes);
		if (time < best)
			best = time;
	}
	return best;
}

int main(void)
{
	struct rc_pair pair;
	struct ibv_mr *mr;
	double one, many, free;
	struct rc rc;

	rc_open(&rc);
	check_limits(&rc);
	rc_pair_open(&pair, &rc, true);
	mr = rc_register(&rc, pages_anonymous(PAGE), PAGE);
	moderate(pair.cq, COUNT, PERIOD);
	one = soonest(&pair, mr, 1);
	many = soonest(&pair, mr, COUNT);
	moderate(pair.cq, 0, 0);
	free = soonest(&pair, mr, 1);
	printf("the event of one completion after %.0f us, of %d after %.0f us, "
	       "of one without moderation after %.0f us\n",
	       one, COUNT, many, free);
	if (one < LEAST || many >= LEAST || free >= LEAST)
		die("not as a period of %d us demands", PERIOD);
	rc_deregister(mr);
	rc_pair_close(&pair);
	rc_close(&rc);
	return 0;
}
