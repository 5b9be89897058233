// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: storm [-c CQS] [-n ROUNDS] [-t CHANNELS] [-l LIMITS]
 *
 * As many events as a process can make, each of which is counted. Each CQ is
 * armed, completes, has its event, and so on, ROUNDS times, while all others do
 * the same; the CQs are spread over the device's completion vectors and over
 * CHANNELS, each with a thread. At the same time two SRQs reach a limit in
 * turn, LIMITS times together, and these events are not read before all have
 * happened.
 *
 * Tells how many events there should be and how many there were; status 1 if
 * these differ, if an event was of another object than its completion, or if
 * the limits' events were not in turn.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rc.h"

/* Seconds in which events would come that should not. */
#define QUIET 2
#define PIECE 64U

static unsigned int cqs = 64, rounds = 50, channels = 4, limits = 200;

static struct rc rc;
static struct ibv_mr *memory;

struct channel {
	pthread_t thread;
	struct ibv_comp_channel *ibv;
	unsigned int queues; /* that are not done yet */
	unsigned long wrong; /* events without a completion */
};

struct queue {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct channel *channel;
	unsigned int events;
};

struct limited {
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/* Arm a CQ, and write something that completes to it. */
static void start(struct queue *queue)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)memory->addr,
		.length = PIECE,
		.lkey = memory->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)memory->addr + PIECE,
		.wr.rdma.rkey = memory->rkey,
	};
	struct ibv_send_wr *bad;

	errno = ibv_req_notify_cq(queue->cq, 0);
	if (errno)
		die_errno("cannot arm a CQ");
	errno = ibv_post_send(queue->qp, &wr, &bad);
	if (errno)
		die_errno("cannot post a write");
}

/* Does a completion come within some seconds? */
static bool completes(struct ibv_cq *cq, double seconds)
{
	struct ibv_wc wc;

	if (!rc_completion(cq, &wc, seconds))
		return false;
	if (wc.status != IBV_WC_SUCCESS)
		die("a request failed: %s", ibv_wc_status_str(wc.status));
	return true;
}

static bool readable(int fd, double seconds)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, (int)(seconds * 1000)) > 0;
}

/* Take the events of a channel, and make the next ones. */
static void *work(void *arg)
{
	struct channel *channel = arg;
	struct queue *queue;
	struct ibv_cq *cq;
	void *context;

	while (readable(channel->ibv->fd,
			channel->queues ? hang_seconds() : QUIET)) {
		if (ibv_get_cq_event(channel->ibv, &cq, &context))
			die_errno("cannot get an event");
		ibv_ack_cq_events(cq, 1);
		queue = context;
		if (queue->cq != cq || queue->channel != channel ||
		    !completes(cq, 0)) {
			channel->wrong++;
			continue;
		}
		queue->events++;
		if (queue->events < rounds)
			start(queue);
		else if (queue->events == rounds)
			channel->queues--;
	}
	return NULL;
}

static void queue_open(struct queue *queue, unsigned int number,
		       struct channel *channel)
{
	queue->channel = channel;
	queue->cq = ibv_create_cq(rc.context, 16, queue, channel->ibv,
				  (int)number % rc.context->num_comp_vectors);
	if (!queue->cq)
		die_errno("cannot create a CQ");
	queue->qp = rc_create_qp(rc.pd, queue->cq, RC_DEPTH);
	if (!queue->qp)
		die_errno("cannot create a QP");
	rc_connect(&rc, queue->qp, queue->qp->qp_num, rc.gid);
	channel->queues++;
}

static void queue_close(struct queue *queue)
{
	errno = ibv_destroy_qp(queue->qp);
	if (!errno)
		errno = ibv_destroy_cq(queue->cq);
	if (errno)
		die_errno("cannot destroy a QP or CQ");
}

static void limited_open(struct limited *l)
{
	struct ibv_srq_init_attr srq_init = {
		.attr = {.max_wr = 8, .max_sge = 1},
	};
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 8, .max_send_sge = 1},
	};

	l->srq = ibv_create_srq(rc.pd, &srq_init);
	if (!l->srq)
		die_errno("cannot create an SRQ");
	l->cq = ibv_create_cq(rc.context, 16, NULL, NULL, 0);
	if (!l->cq)
		die_errno("cannot create a CQ");
	init.send_cq = l->cq;
	init.recv_cq = l->cq;
	init.srq = l->srq;
	l->qp = ibv_create_qp(rc.pd, &init);
	if (!l->qp)
		die_errno("cannot create a QP");
	rc_connect(&rc, l->qp, l->qp->qp_num, rc.gid);
}

static void limited_close(struct limited *l)
{
	errno = ibv_destroy_qp(l->qp);
	if (!errno)
		errno = ibv_destroy_srq(l->srq);
	if (!errno)
		errno = ibv_destroy_cq(l->cq);
	if (errno)
		die_errno("cannot destroy a QP, SRQ or CQ");
}

/* A message takes the only receive request of an SRQ, whose limit is 1. */
static void reach_limit(struct limited *l)
{
	struct ibv_srq_attr attr = {.srq_limit = 1};
	struct ibv_sge sge = {
		.addr = (uintptr_t)memory->addr + 2 * (size_t)PIECE,
		.length = PIECE,
		.lkey = memory->lkey,
	};
	struct ibv_recv_wr recv = {.sg_list = &sge, .num_sge = 1};
	struct ibv_send_wr send = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad_send;

	errno = ibv_post_srq_recv(l->srq, &recv, &bad_recv);
	if (!errno)
		errno = ibv_modify_srq(l->srq, &attr, IBV_SRQ_LIMIT);
	if (!errno)
		errno = ibv_post_send(l->qp, &send, &bad_send);
	if (errno)
		die_errno("cannot send to an SRQ");
	if (!completes(l->cq, hang_seconds()) ||
	    !completes(l->cq, hang_seconds()))
		die("a message to an SRQ does not complete");
}

/* Read the async events: how many come in turn, and how many do not. */
static unsigned int read_limits(struct limited l[2], unsigned int *wrong)
{
	struct ibv_async_event event;
	unsigned int right = 0;

	*wrong = 0;
	while (readable(rc.context->async_fd,
			right + *wrong < limits ? hang_seconds() : QUIET)) {
		if (ibv_get_async_event(rc.context, &event))
			die_errno("cannot get an async event");
		if (event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED &&
		    event.element.srq == l[right & 1].srq)
			right++;
		else
			(*wrong)++;
		ibv_ack_async_event(&event);
	}
	return right;
}

static void channel_open(struct channel *channel)
{
	channel->ibv = ibv_create_comp_channel(rc.context);
	if (!channel->ibv)
		die_errno("cannot create a completion channel");
}

/* Start all, wait for the end of it; false: something was not as it should. */
static bool storm(struct channel *channel, struct queue *queue)
{
	unsigned int i, late = 0, seen, wrong_limits;
	unsigned long events = 0, wrong = 0;
	double begin = now(), took;
	struct limited l[2];

	limited_open(&l[0]);
	limited_open(&l[1]);
	for (i = 0; i < cqs; i++)
		start(&queue[i]);
	for (i = 0; i < channels; i++) {
		errno = pthread_create(&channel[i].thread, NULL, work,
				       &channel[i]);
		if (errno)
			die_errno("cannot start a thread");
	}
	for (i = 0; i < limits; i++)
		reach_limit(&l[i & 1]);
	seen = read_limits(l, &wrong_limits);
	for (i = 0; i < channels; i++) {
		pthread_join(channel[i].thread, NULL);
		wrong += channel[i].wrong;
	}
	took = now() - begin;
	for (i = 0; i < cqs; i++) {
		events += queue[i].events;
		late += queue[i].events < rounds;
	}
	printf("%lu of %lu completion events, %lu wrong, %u CQs not done\n",
	       events, (unsigned long)cqs * rounds, wrong, late);
	printf("%u of %u limit events, %u wrong\n", seen, limits, wrong_limits);
	printf("%.1f seconds, %d vectors\n", took,
	       rc.context->num_comp_vectors);
	limited_close(&l[0]);
	limited_close(&l[1]);
	return events == (unsigned long)cqs * rounds && !wrong && !late &&
	       seen == limits && !wrong_limits;
}

static unsigned int number(const char *text, unsigned int least)
{
	unsigned long value = parse_size(text);

	if (value < least || value > 100000)
		die("%s is out of range", text);
	return (unsigned int)value;
}

int main(int argc, char **argv)
{
	struct channel *channel;
	struct queue *queue;
	unsigned int i;
	bool good;
	int opt;

	while ((opt = getopt(argc, argv, "c:n:t:l:")) != -1) {
		switch (opt) {
		case 'c':
			cqs = number(optarg, 1);
			break;
		case 'n':
			rounds = number(optarg, 1);
			break;
		case 't':
			channels = number(optarg, 1);
			break;
		case 'l':
			limits = number(optarg, 0);
			break;
		default:
			die("usage: storm [-c CQS] [-n ROUNDS] [-t CHANNELS] [-l LIMITS]");
		}
	}
	rc_open(&rc);
	memory = rc_register(&rc, pages_anonymous(PAGE), PAGE);
	channel = calloc(channels, sizeof(*channel));
	queue = calloc(cqs, sizeof(*queue));
	if (!channel || !queue)
		die_errno("no memory");
	for (i = 0; i < channels; i++)
		channel_open(&channel[i]);
	for (i = 0; i < cqs; i++)
		queue_open(&queue[i], i, &channel[i % channels]);
	good = storm(channel, queue);
	for (i = 0; i < cqs; i++)
		queue_close(&queue[i]);
	for (i = 0; i < channels; i++) {
		errno = ibv_destroy_comp_channel(channel[i].ibv);
		if (errno)
			die_errno("cannot destroy a completion channel");
	}
	rc_deregister(memory);
	rc_close(&rc);
	free(channel);
	free(queue);
	return !good;
}
