// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of queues which an HCA's driver allocates in the kernel.
 *
 * Software HCAs charge it to nobody, so that hyv.ko has to limit it before it
 * asks for a queue, and before the driver tells how much that takes. The values
 * here are what drivers take at most: powers of two in both dimensions, as they
 * round both up.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include "memory/queue_cost.h"

/* Parts of a queue's element besides its scatter/gather list. */
#define HYVH_CQE_SIZE		128
#define HYVH_SEND_WQE_SIZE	256
#define HYVH_RECV_WQE_SIZE	64

/* What a QP takes besides its queues: its state, a socket, its peer's reads. */
#define HYVH_QP_SIZE		16384

static u64 hyvh_queue_cost_queue(u32 nr, u64 element)
{
	/* One element stays empty. */
	return roundup_pow_of_two((u64)nr + 1) * roundup_pow_of_two(element);
}

static u64 hyvh_queue_cost_sges(u32 nr)
{
	return (u64)nr * sizeof(struct ib_sge);
}

/**
 * hyvh_queue_cost_cq() - memory of a CQ
 * @cqe: its elements; the caller has limited it to what the HCA can do
 *
 * Context: any.
 * Return: bytes.
 */
u64 hyvh_queue_cost_cq(u32 cqe)
{
	return hyvh_queue_cost_queue(cqe, HYVH_CQE_SIZE);
}

/**
 * hyvh_queue_cost_srq() - memory of an SRQ, or of a QP's receive queue
 * @max_wr: its elements; the caller has limited it to what the HCA can do
 * @max_sge: scatter/gather entries of each, limited likewise
 *
 * Context: any.
 * Return: bytes.
 */
u64 hyvh_queue_cost_srq(u32 max_wr, u32 max_sge)
{
	return hyvh_queue_cost_queue(max_wr, HYVH_RECV_WQE_SIZE +
			       hyvh_queue_cost_sges(max_sge));
}

/**
 * hyvh_queue_cost_qp() - memory of a QP
 * @cap: its capacities; the caller has limited them to what the HCA can do
 *
 * Context: any.
 * Return: bytes.
 */
u64 hyvh_queue_cost_qp(const struct ib_qp_cap *cap)
{
	u64 payload = max_t(u64, hyvh_queue_cost_sges(cap->max_send_sge),
			    cap->max_inline_data);

	return HYVH_QP_SIZE +
	       hyvh_queue_cost_queue(cap->max_send_wr, HYVH_SEND_WQE_SIZE + payload) +
	       hyvh_queue_cost_srq(cap->max_recv_wr, cap->max_recv_sge);
}
