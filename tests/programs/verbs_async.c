// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous events for the program verbs: their objects, their order and
 * their number.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs.h"

/* Events of one SRQ that wait to be read at once. */
#define MANY 300

/* An SRQ, a pair that receives by it, and memory to receive to. */
struct shared {
	struct ibv_srq *srq;
	struct pair p;
	struct side memory;
};

static void shared_open(struct shared *s)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 1}};
	struct ways ways = {0};

	s->srq = ibv_create_srq(dev.pd, &init);
	if (!s->srq)
		die_errno("cannot create an SRQ");
	ways.srq = s->srq;
	side_open(&s->memory, IBV_QPT_RC, NULL);
	pair_open(&s->p, IBV_QPT_RC, &ways);
}

static void shared_close(struct shared *s)
{
	pair_close(&s->p);
	side_close(&s->memory);
	errno = ibv_destroy_srq(s->srq);
	if (errno)
		die_errno("cannot destroy an SRQ");
}

/* The SRQ reaches a limit, before this returns. */
static void reach_limit(struct shared *s)
{
	struct ibv_srq_attr attr = {.srq_limit = 1};
	struct work w;

	must_post(srq_post(s->srq, &s->memory, 1, 0, 100));
	errno = ibv_modify_srq(s->srq, &attr, IBV_SRQ_LIMIT);
	if (errno)
		die_errno("cannot set the limit of an SRQ");
	work_local(&w, &s->p.a, 2, IBV_WR_SEND, 0, 100);
	must_post(work_post(&s->p.a, &w));
	must_succeed(s->p.a.scq);
	must_succeed(s->p.b.rcq);
}

static bool take(struct ibv_async_event *event, double seconds)
{
	if (!wait_readable(dev.context->async_fd, seconds))
		return false;
	if (ibv_get_async_event(dev.context, event))
		die_errno("cannot get an async event");
	ibv_ack_async_event(event);
	return true;
}

/* As many events as there should be, of one kind and one object. */
static void say_count(const char *what, const void *object,
		      enum ibv_event_type type, unsigned int expected)
{
	unsigned int right = 0, wrong = 0;
	struct ibv_async_event event;

	while (take(&event, right < expected ? hang_seconds() : QUIET)) {
		if (event.event_type == type && event_object(&event) == object)
			right++;
		else
			wrong++;
	}
	say("%s: %u events, %u others", what, right, wrong);
}

static void repeated(void)
{
	struct shared s;
	unsigned int i;

	shared_open(&s);
	for (i = 0; i < 3; i++) {
		reach_limit(&s);
		say_count("limit of an SRQ, read at once", s.srq,
			  IBV_EVENT_SRQ_LIMIT_REACHED, 1);
	}
	for (i = 0; i < MANY; i++)
		reach_limit(&s);
	say_count("limit of an SRQ, read later", s.srq,
		  IBV_EVENT_SRQ_LIMIT_REACHED, MANY);
	shared_close(&s);
}

/* Several SRQs in turn, and then two QPs. */
static void in_order(void)
{
	static const char order[] = "0012210120022110";
	struct shared s[3];
	struct ibv_async_event event;
	char seen[sizeof(order) + 1] = "";
	unsigned int i, j;

	for (i = 0; i < 3; i++)
		shared_open(&s[i]);
	for (i = 0; order[i]; i++)
		reach_limit(&s[order[i] - '0']);
	say("to SQD: %s", error_name(to_state(s[2].p.a.qp, IBV_QPS_SQD)));
	for (i = 0; i < sizeof(seen) - 1; i++) {
		if (!take(&event, hang_seconds()))
			break;
		seen[i] = '?';
		for (j = 0; j < 3; j++)
			if (event_object(&event) == s[j].srq)
				seen[i] = (char)('0' + j);
		if (event.event_type == IBV_EVENT_SQ_DRAINED &&
		    event.element.qp == s[2].p.a.qp)
			seen[i] = 'D';
	}
	say("limits of three SRQs, then a drained QP: %s", seen);
	say("to ERR: %s", error_name(to_state(s[1].p.b.qp, IBV_QPS_ERR)));
	/* rxe may raise the event of the last request never, or more than once
	 */
	say_events("the end of a QP", s[1].p.b.qp, MAYBE, false);
	for (i = 0; i < 3; i++)
		shared_close(&s[i]);
}

/* SQ_DRAINED, each time that a QP is moved to SQD. */
static void drained(void)
{
	struct pair p;
	unsigned int i;

	pair_open(&p, IBV_QPT_RC, NULL);
	for (i = 0; i < 3; i++) {
		say("to SQD: %s", error_name(to_state(p.a.qp, IBV_QPS_SQD)));
		say_count("drained", p.a.qp, IBV_EVENT_SQ_DRAINED, 1);
		say("to RTS: %s", error_name(to_state(p.a.qp, IBV_QPS_RTS)));
	}
	pair_close(&p);
}

/* Unread events are dropped with their object, or with their process. */
static void unread(void)
{
	struct shared s[2];
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		shared_open(&s[i]);
		reach_limit(&s[i]);
		reach_limit(&s[i]);
	}
	say("events to read: %s",
	    yes(wait_readable(dev.context->async_fd, hang_seconds())));
	/* those of the second one may be on their way */
	usleep((useconds_t)(QUIET * 1e6));
	shared_close(&s[0]);
	say_count("an SRQ is destroyed, of another one", s[1].srq,
		  IBV_EVENT_SRQ_LIMIT_REACHED, 2);
	shared_close(&s[1]);

	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		alarm((unsigned int)(2 * hang_seconds()));
		rc_open(&dev);
		shared_open(&s[0]);
		reach_limit(&s[0]);
		say("a process exits with an event to read: %s",
		    yes(wait_readable(dev.context->async_fd, hang_seconds())));
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("a process failed");
	say("none of its events here: %s",
	    yes(!wait_readable(dev.context->async_fd, QUIET)));
}

void suite_async(void)
{
	repeated();
	in_order();
	drained();
	unread();
}
