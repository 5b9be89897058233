// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion events for the program verbs: their channels, their completions
 * and their number.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

/* CQs with events that a step has; each has a vector of its own if there are as
 * many.
 */
#define CQS 4

static struct ibv_comp_channel *channel_open(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(dev.context);

	if (!channel)
		die_errno("cannot create a completion channel");
	return channel;
}

static void channel_close(struct ibv_comp_channel *channel)
{
	errno = ibv_destroy_comp_channel(channel);
	if (errno)
		die_errno("cannot destroy a completion channel");
}

static unsigned int vectors(void)
{
	unsigned int count = (unsigned int)dev.context->num_comp_vectors;

	return count < CQS ? count : CQS;
}

static void arm(struct pair *p, int solicited)
{
	errno = ibv_req_notify_cq(p->b.rcq, solicited);
	if (errno)
		die_errno("cannot arm a CQ");
}

/* A message from the first side, which the second one has received then. */
static void message(struct pair *p, int flags)
{
	struct work w;

	must_post(recv_post(&p->b, 1, 0, 100));
	work_local(&w, &p->a, 2, IBV_WR_SEND, 0, 100);
	w.wr.send_flags |= (unsigned int)flags;
	must_post(work_post(&p->a, &w));
	must_succeed(p->a.scq);
	must_succeed(p->b.rcq);
}

/* Take the next event of a channel: the CQ is returned, and not acknowledged.
 */
static struct ibv_cq *take(struct ibv_comp_channel *channel, void **context)
{
	struct ibv_cq *cq;

	if (ibv_get_cq_event(channel, &cq, context))
		die_errno("cannot get an event of a CQ");
	return cq;
}

/* How many events come. Each of the expected ones has @wait seconds. */
static void say_taken_within(double wait, const char *what,
			     struct ibv_comp_channel *channel, struct pair *p,
			     unsigned int expected)
{
	unsigned int right = 0, wrong = 0;
	struct ibv_cq *cq;
	void *context;

	while (wait_readable(channel->fd, right < expected ? wait : QUIET)) {
		cq = take(channel, &context);
		if (cq == p->b.rcq && context == &p->b)
			right++;
		else
			wrong++;
		ibv_ack_cq_events(cq, 1);
	}
	say("%s: %u events, %u of another CQ", what, right, wrong);
}

static void say_taken(const char *what, struct ibv_comp_channel *channel,
		      struct pair *p, unsigned int expected)
{
	say_taken_within(hang_seconds(), what, channel, p, expected);
}

/* Each CQ has a channel and a vector. */
static void each_vector(void)
{
	struct ibv_comp_channel *channel[CQS];
	const unsigned int count = vectors();
	unsigned int round, i, j, at, right = 0, wrong = 0;
	struct ibv_cq *cq;
	struct pair p[CQS];
	void *context;

	for (i = 0; i < count; i++) {
		const struct ways ways = {
			.channel = channel[i] = channel_open(),
			.vector = (int)i,
		};

		pair_open(&p[i], IBV_QPT_RC, &ways);
	}
	for (round = 0; round < CQS; round++) {
		for (i = 0; i < count; i++)
			arm(&p[i], 0);
		for (i = 0; i < count; i++) {
			at = (round + i) % count;
			message(&p[at], 0);
			if (!wait_readable(channel[at]->fd, hang_seconds()))
				die("vector %u: no event", at);
			for (j = 0; j < count; j++)
				if (j != at && wait_readable(channel[j]->fd, 0))
					wrong++;
			cq = take(channel[at], &context);
			if (cq == p[at].b.rcq && context == &p[at].b)
				right++;
			ibv_ack_cq_events(cq, 1);
		}
	}
	say("vectors: each CQ has its events: %s", yes(right == CQS * count));
	say("vectors: on its own channel only: %s", yes(!wrong));
	for (i = 0; i < count; i++) {
		pair_close(&p[i]);
		channel_close(channel[i]);
	}
}

static void say_vector(const char *what, int vector)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = ibv_create_cq(dev.context, 4, NULL, NULL, vector);
	say("CQ of %s vector: %s", what, made(cq));
	if (cq)
		ibv_destroy_cq(cq);
}

/* Several CQs, of all vectors, have a channel in common. */
static void one_channel(void)
{
	struct ibv_comp_channel *channel = channel_open();
	static const unsigned int order[CQS] = {2, 0, 3, 1};
	unsigned int seen[CQS] = {0}, taken = 0;
	struct ibv_cq *cq;
	struct pair p[CQS];
	void *context;
	unsigned int i;

	for (i = 0; i < CQS; i++) {
		const struct ways ways = {
			.channel = channel,
			.vector = (int)(i % vectors()),
		};

		pair_open(&p[i], IBV_QPT_RC, &ways);
		arm(&p[i], 0);
	}
	for (i = 0; i < CQS; i++) {
		message(&p[order[i]], 0);
		say_taken("one channel, one by one", channel, &p[order[i]], 1);
	}
	for (i = 0; i < CQS; i++)
		arm(&p[i], 0);
	for (i = 0; i < CQS; i++)
		message(&p[order[i]], 0);
	while (wait_readable(channel->fd,
			     taken < CQS ? hang_seconds() : MAYBE / 5)) {
		cq = take(channel, &context);
		taken++;
		for (i = 0; i < CQS; i++)
			if (cq == p[i].b.rcq && context == &p[i].b)
				seen[i]++;
		ibv_ack_cq_events(cq, 1);
	}
	say("one channel, all at once: %u %u %u %u", seen[0], seen[1], seen[2],
	    seen[3]);
	for (i = 0; i < CQS; i++)
		pair_close(&p[i]);
	channel_close(channel);
}

/* Two receives that fail, by the end of their QP. */
static void fail_receives(struct pair *p)
{
	must_post(recv_post(&p->b, 3, 0, 100));
	must_post(recv_post(&p->b, 4, 0, 100));
	say("to ERR: %s", error_name(to_state(p->b.qp, IBV_QPS_ERR)));
	say_wc("failed", p->b.rcq, p->b.qp);
	say_wc("failed", p->b.rcq, p->b.qp);
}

/* Armed in one way and in both, once and more often. */
static void arming(void)
{
	struct ibv_comp_channel *channel = channel_open();
	const struct ways ways = {.channel = channel};
	struct pair p;
	unsigned int i;

	pair_open(&p, IBV_QPT_RC, &ways);
	message(&p, IBV_SEND_SOLICITED);
	arm(&p, 0);
	say_taken("completed before it was armed", channel, &p, 0);
	message(&p, 0);
	say_taken("the next one", channel, &p, 1);

	arm(&p, 0);
	arm(&p, 0);
	message(&p, 0);
	message(&p, 0);
	say_taken("armed twice", channel, &p, 1);

	arm(&p, 1);
	arm(&p, 1);
	message(&p, 0);
	say_taken("for solicited, not solicited", channel, &p, 0);
	message(&p, IBV_SEND_SOLICITED);
	message(&p, IBV_SEND_SOLICITED);
	say_taken("for solicited, solicited", channel, &p, 1);

	arm(&p, 1);
	arm(&p, 0);
	message(&p, IBV_SEND_SOLICITED);
	message(&p, IBV_SEND_SOLICITED);
	message(&p, 0);
	say_taken("for solicited, then for all", channel, &p, 1);
	arm(&p, 0);
	arm(&p, 1);
	message(&p, 0);
	message(&p, IBV_SEND_SOLICITED);
	say_taken("for all, then for solicited", channel, &p, 1);

	for (i = 0; i < 5; i++) {
		arm(&p, i & 1);
		message(&p, IBV_SEND_SOLICITED);
		/* an HCA may make one event of two for a moment */
		usleep((useconds_t)(QUIET * 1e6));
	}
	say_taken("five times, none taken in between", channel, &p, 5);

	arm(&p, 0);
	fail_receives(&p);
	say_taken("for all, in error", channel, &p, 1);
	pair_close(&p);

	pair_open(&p, IBV_QPT_RC, &ways);
	arm(&p, 1);
	fail_receives(&p);
	/* not every version of rxe has one */
	say_taken_within(MAYBE, "for solicited, in error", channel, &p, 1);
	pair_close(&p);

	pair_open(&p, IBV_QPT_RC, &ways);
	arm(&p, 1);
	say("to ERR: %s", error_name(to_state(p.b.qp, IBV_QPS_ERR)));
	say_taken("in error, with nothing to flush", channel, &p, 0);
	pair_close(&p);
	channel_close(channel);
}

/* Events that are acknowledged late, and some that are never read. */
static void accounts(void)
{
	struct ibv_comp_channel *channel = channel_open();
	const struct ways ways = {.channel = channel};
	struct ibv_cq *cq = NULL;
	struct pair p;
	void *context;
	unsigned int i;

	pair_open(&p, IBV_QPT_RC, &ways);
	for (i = 0; i < 3; i++) {
		arm(&p, 0);
		message(&p, 0);
		if (!wait_readable(channel->fd, hang_seconds()))
			die("no event");
		cq = take(channel, &context);
	}
	ibv_ack_cq_events(cq, 3);
	pair_close(&p);
	say("destroyed after its events were acknowledged together: %s",
	    yes(!wait_readable(channel->fd, QUIET)));

	pair_open(&p, IBV_QPT_RC, &ways);
	arm(&p, 0);
	message(&p, 0);
	say("an event to read: %s",
	    yes(wait_readable(channel->fd, hang_seconds())));
	pair_close(&p);
	say("destroyed with an event to read: %s",
	    wait_readable(channel->fd, QUIET) ? "it is left" : "it is gone");
	channel_close(channel);
}

void suite_events(void)
{
	each_vector();
	say_vector("the last", dev.context->num_comp_vectors - 1);
	say_vector("no such", dev.context->num_comp_vectors);
	say_vector("a negative", -1);
	one_channel();
	arming();
	accounts();
}
