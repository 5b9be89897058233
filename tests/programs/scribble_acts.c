// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts of the threads of scribble, other than to post requests.
 */
#include <errno.h>
#include <poll.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scribble.h"

#define UAR_PAGE(reg) ((uint8_t *)((uintptr_t)(reg) & ~(PAGE - 1)))

/* Events that nobody takes would fill the memory of the host. */
static void take_async(struct ctx *ctx)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(ctx->rc.context, &event))
		return;
	count(&tally->async);
	/* A CQ that has overrun stays so. */
	if (event.event_type == IBV_EVENT_CQ_ERR)
		process.stop = true;
	ibv_ack_async_event(&event);
}

static void take_event(struct ctx *ctx)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(ctx->channel, &cq, &context))
		return;
	count(&tally->events);
	ibv_ack_cq_events(cq, 1);
}

void *event_loop(void *arg)
{
	struct ctx *ctx = arg;
	struct pollfd fds[2] = {
		{.fd = ctx->rc.context->async_fd, .events = POLLIN},
		{.fd = ctx->channel->fd, .events = POLLIN},
	};

	while (!process.stop) {
		if (poll(fds, 2, 20) <= 0)
			continue;
		if (fds[0].revents & POLLIN)
			take_async(ctx);
		if (fds[1].revents & POLLIN)
			take_event(ctx);
	}
	return NULL;
}

static int any_rights(uint64_t *seed)
{
	int rights = (int)below(seed, 32);

	/* No memory window and no remote write without the local right. */
	if (rights & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
		rights |= IBV_ACCESS_LOCAL_WRITE;
	return rights;
}

static void reregister(struct ctx *ctx, struct slot *slot, uint64_t *seed)
{
	int flags = 1 + (int)below(seed, 7);
	int error = ibv_rereg_mr(slot->mr, flags,
				 one_in(seed, 2) ? ctx->rc.pd
						 : process.neighbour.pd,
				 slot->base, SLOT_BYTES, any_rights(seed));

	/* It has another PD, perhaps; or is of no use. */
	if (error && error != IBV_REREG_MR_ERR_INPUT) {
		rc_deregister(slot->mr);
		slot_register(ctx, slot, ALL_RIGHTS);
	}
	slot->key = slot->mr->lkey;
}

/* Other memory at the place that a key was made for, or none for a while. */
static void replace(struct slot *slot, uint64_t *seed)
{
	size_t bytes = PAGE * (1 + below(seed, SLOT_BYTES / PAGE));

	switch (below(seed, 3)) {
	case 0:
		madvise(slot->base, bytes, MADV_DONTNEED);
		break;
	case 1:
		mprotect(slot->base, bytes, PROT_NONE);
		mprotect(slot->base, bytes, PROT_READ | PROT_WRITE);
		break;
	default:
		munmap(slot->base, bytes);
		if (mmap(slot->base, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			die_errno("cannot map memory");
		break;
	}
}

static void query(struct ctx *ctx, uint64_t *seed)
{
	struct qp *qp = &process.qp[below(seed, QPS)];
	struct ibv_srq_attr limit = {.srq_limit = below(seed, RQ_DEPTH)};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ibv_modify_srq(ctx->srq[ctx->xrcd && one_in(seed, 2)].srq, &limit,
		       IBV_SRQ_LIMIT);
	if (!qp->qp || pthread_mutex_trylock(&process.connecting))
		return;
	ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init);
	/* Its send queue may be drained, or have an error, at any time. */
	attr.qp_state = one_in(seed, 2) ? IBV_QPS_SQD : IBV_QPS_ERR;
	if (!ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE))
		qp->failed = true;
	pthread_mutex_unlock(&process.connecting);
}

/* A command of ib_uverbs, with what the provider adds to it. */
struct resize {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_resize_cq core;
	struct mlx5_ib_resize_cq mlx5;
};

/* Without libmlx5, which would believe what it finds in the ring. */
static void resize(struct cq *cq, uint64_t *seed)
{
	uint32_t entries = CQ_DEPTH >> below(seed, 2);
	bool second = cq->dv.buf == cq->ring[0];
	uint8_t *ring = cq->ring[second];
	struct ib_uverbs_resize_cq_resp response;
	struct resize command = {
		.hdr = {IB_USER_VERBS_CMD_RESIZE_CQ, sizeof(command) / 4,
			sizeof(response) / 4},
		.core = {(uintptr_t)&response, cq->cq->handle, entries - 1},
		.mlx5 = {(uintptr_t)ring, sizeof(struct mlx5_cqe64)},
	};

	/* No entry of it is valid. */
	memset(ring, 0xff, CQ_BYTES);
	if (write(cq->cq->context->cmd_fd, &command, sizeof(command)) < 0)
		return;
	cq->dv.buf = ring;
	cq->dv.cqe_cnt = entries;
	cq->dv.cqe_size = sizeof(struct mlx5_cqe64);
}

static void churn(struct ctx *ctx, uint64_t *seed)
{
	struct slot *slot = &ctx->slot[SAFE + below(seed, SLOTS - SAFE)];
	struct window *window = &ctx->window[below(seed, WINDOWS)];
	enum act act = (enum act)below(seed, ACT_RESIZE + 1);

	switch (act) {
	case ACT_REGISTER:
		rc_deregister(slot->mr);
		slot_register(ctx, slot, any_rights(seed));
		break;
	case ACT_REREGISTER:
		reregister(ctx, slot, seed);
		break;
	case ACT_REPLACE:
		replace(slot, seed);
		break;
	case ACT_WINDOW:
		if (ibv_dealloc_mw(window->mw))
			die("cannot deallocate a window");
		window_alloc(ctx, window);
		break;
	case ACT_SRQ:
		if (!ctx->xrcd || !one_in(seed, 8))
			return;
		if (ibv_destroy_srq(ctx->srq[1].srq))
			die("cannot destroy an SRQ");
		srq_open(ctx, 1);
		break;
	case ACT_QUERY:
		query(ctx, seed);
		break;
	default:
		if (!one_in(seed, 32))
			return;
		resize(&ctx->cq[below(seed, CQS)], seed);
		break;
	}
	count(&tally->acts[act]);
}

void *churn_loop(void *arg)
{
	struct ctx *ctx = arg;
	uint64_t seed = ctx->seed ^ 0x5bd1e995;

	while (!process.stop) {
		churn(ctx, &seed);
		usleep(1 + below(&seed, 4000));
	}
	return NULL;
}

/* --- Other threads write where the HCA reads and writes --- */

static uint8_t *any_queue(const struct ctx *ctx, const struct qp *qp,
			  uint64_t *seed, uint32_t *bytes)
{
	const struct cq *cq = &ctx->cq[below(seed, CQS)];
	const struct srq *srq = &ctx->srq[below(seed, SRQS)];

	switch (below(seed, 10)) {
	case 0:
		*bytes = CQ_BYTES;
		return cq->dv.buf;
	case 1: /* the next entry */
		*bytes = cq->dv.cqe_size;
		return (uint8_t *)cq->dv.buf +
		       cq->consumed % cq->dv.cqe_cnt * cq->dv.cqe_size;
	case 2:
		*bytes = one_in(seed, 8) ? 8 : 0;
		return (uint8_t *)cq->dv.dbrec;
	case 3:
		*bytes = RQ_DEPTH * srq->dv.stride;
		return srq->dv.buf;
	case 4:
		*bytes = 4;
		return (uint8_t *)srq->dv.dbrec;
	case 5:
		*bytes = qp->dv.rq.wqe_cnt * qp->dv.rq.stride;
		return qp->dv.rq.buf;
	case 6:
		*bytes = 8;
		return (uint8_t *)qp->dv.dbrec;
	case 7:
		*bytes = PAGE;
		return UAR_PAGE(qp->dv.bf.reg);
	default:
		*bytes = qp->dv.sq.wqe_cnt * MLX5_SEND_WQE_BB;
		return qp->dv.sq.buf;
	}
}

/* Aligned words, as some processors store nothing else to devices. */
static void scribble(uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[below(seed, CONTEXTS)];
	const struct qp *qp = &process.qp[below(seed, QPS)];
	uint32_t bytes, n = one_in(seed, 64) ? 64 : 1;
	uint8_t *at;
	volatile uint32_t *word;

	if (qp->type == TARGET)
		return;
	at = any_queue(ctx, qp, seed, &bytes);
	if (!at || bytes < 4)
		return;
	while (n--) {
		word = (volatile uint32_t *)(void *)(at + 4 * below(seed,
								    bytes / 4));
		if (one_in(seed, 2))
			*word = (uint32_t)random_next(seed);
		else
			*word ^= 1U << below(seed, 32);
	}
	count(&tally->acts[at == UAR_PAGE(qp->dv.bf.reg) ? ACT_UAR
							 : ACT_SCRIBBLE]);
}

void *scribble_loop(void *arg)
{
	uint64_t seed = process.ctx[0].seed ^ 0x9e3779b9;
	uint32_t n;

	(void)arg;
	while (!process.stop) {
		n = one_in(&seed, 256) ? 256 : 1;
		while (n--)
			scribble(&seed);
		usleep(1 + below(&seed, 1000));
	}
	return NULL;
}
