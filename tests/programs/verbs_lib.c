// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting and printing for the program verbs, see verbs.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

struct rc dev;

/* A text that stays until the seventh call after this one. */
static char *text_new(size_t *size)
{
	static char texts[8][256];
	static unsigned int next;

	*size = sizeof(texts[0]);
	return texts[next++ % 8];
}

/* Text for the result of a verb: 0, or a positive or negative errno. */
const char *error_name(int err)
{
	const char *name = strerrorname_np(err < 0 ? -err : err);

	if (!err)
		return "ok";
	return name ? name : "unknown error";
}

/* errno should be 0 before the object is made. */
const char *made(const void *object)
{
	if (object)
		return "ok";
	return errno ? error_name(errno) : "failed without errno";
}

void say_made(const char *result, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	say("%s: %s", what, result);
}

const char *yes(bool is)
{
	return is ? "yes" : "no";
}

const char *state_name(enum ibv_qp_state state)
{
	static const char *const names[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT",
		[IBV_QPS_RTR] = "RTR",	   [IBV_QPS_RTS] = "RTS",
		[IBV_QPS_SQD] = "SQD",	   [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return state <= IBV_QPS_ERR ? names[state] : "unknown";
}

bool wait_wc(struct ibv_cq *cq, struct ibv_wc *wc)
{
	return rc_completion(cq, wc, hang_seconds());
}

/* No completion comes. */
bool no_wc(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	return !rc_completion(cq, &wc, QUIET);
}

/* The next completion is a good one. */
void must_succeed(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	if (!wait_wc(cq, &wc))
		die("a completion does not come");
	if (wc.status != IBV_WC_SUCCESS)
		die("a message failed: %s", ibv_wc_status_str(wc.status));
}

static const char *wc_opcode(enum ibv_wc_opcode opcode)
{
	switch (opcode) {
	case IBV_WC_SEND:
		return "SEND";
	case IBV_WC_RDMA_WRITE:
		return "RDMA_WRITE";
	case IBV_WC_RDMA_READ:
		return "RDMA_READ";
	case IBV_WC_COMP_SWAP:
		return "COMP_SWAP";
	case IBV_WC_FETCH_ADD:
		return "FETCH_ADD";
	case IBV_WC_BIND_MW:
		return "BIND_MW";
	case IBV_WC_LOCAL_INV:
		return "LOCAL_INV";
	case IBV_WC_RECV:
		return "RECV";
	case IBV_WC_RECV_RDMA_WITH_IMM:
		return "RECV_RDMA_WITH_IMM";
	default:
		return "other";
	}
}

const char *wc_text(const struct ibv_wc *wc, const struct ibv_qp *qp)
{
	size_t size, used;
	char *text = text_new(&size);

	used = snprintf(text, size, "wr %u, %s", (unsigned int)wc->wr_id,
			ibv_wc_status_str(wc->status));
	if (wc->status == IBV_WC_SUCCESS)
		used += snprintf(
			text + used, size - used, ", %s, %u bytes, flags 0x%x",
			wc_opcode(wc->opcode), wc->byte_len, wc->wc_flags);
	if (wc->status == IBV_WC_SUCCESS && wc->opcode >= IBV_WC_RECV &&
	    wc->wc_flags & IBV_WC_WITH_IMM)
		used += snprintf(text + used, size - used, ", imm 0x%x",
				 be32toh(wc->imm_data));
	if (wc->qp_num != qp->qp_num)
		snprintf(text + used, size - used, ", of another QP");
	return text;
}

const char *next_wc(struct ibv_cq *cq, const struct ibv_qp *qp)
{
	struct ibv_wc wc;

	return wait_wc(cq, &wc) ? wc_text(&wc, qp) : "timeout";
}

void say_wc(const char *what, struct ibv_cq *cq, const struct ibv_qp *qp)
{
	say("%s: %s", what, next_wc(cq, qp));
}

bool wait_readable(int fd, double seconds)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, (int)(seconds * 1000)) > 0;
}

/* The CQ, SRQ or QP that an event belongs to, or NULL. */
const void *event_object(const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return event->element.cq;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return event->element.srq;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return event->element.qp;
	default:
		return NULL;
	}
}

/*
 * The kinds of the async events that come, in the order of their numbers. An
 * HCA may raise some twice, so their number is printed only if @count is set.
 * @wait is the time for the first one: hang_seconds() if it must come.
 */
void say_events(const char *what, const void *object, double wait, bool count)
{
	unsigned int seen[32] = {0}, others = 0, i;
	size_t size, used = 0;
	char *text = text_new(&size);
	struct ibv_async_event event;

	while (wait_readable(dev.context->async_fd, wait)) {
		if (ibv_get_async_event(dev.context, &event))
			die_errno("cannot get an async event");
		if (event_object(&event) != object)
			others++;
		else if ((unsigned int)event.event_type < 32)
			seen[event.event_type]++;
		ibv_ack_async_event(&event);
		wait = QUIET;
	}
	text[0] = '\0';
	for (i = 0; i < 32; i++) {
		if (!seen[i])
			continue;
		used += snprintf(text + used, size - used, ", %s",
				 ibv_event_type_str((enum ibv_event_type)i));
		if (count)
			used += snprintf(text + used, size - used, " %u times",
					 seen[i]);
	}
	say("%s: events: %s%s", what, used ? text + 2 : "none",
	    others ? ", and of other objects" : "");
}

/* States of a pair, of which at least one QP should have failed. */
void say_fate(const char *what, struct pair *p)
{
	double end = now() + hang_seconds() / 60;

	while (now() < end && (state_of(p->a.qp) != IBV_QPS_ERR ||
			       state_of(p->b.qp) != IBV_QPS_ERR))
		usleep(10000);
	say("%s: states %s and %s", what, state_name(state_of(p->a.qp)),
	    state_name(state_of(p->b.qp)));
}

void fill(struct side *s, size_t at, size_t length, uint64_t seed)
{
	pattern_fill(s->buf + at, length, 0, seed);
}

/* Does the memory have what fill() made elsewhere? */
const char *filled(struct side *s, size_t at, size_t length, uint64_t seed)
{
	char *wanted = malloc(length + 1);
	bool same;

	if (!wanted)
		die_errno("no memory");
	pattern_fill(wanted, length, 0, seed);
	same = !memcmp(wanted, s->buf + at, length);
	free(wanted);
	return same ? "data ok" : "data wrong";
}
