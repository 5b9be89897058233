// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel memory that the driver of a software HCA allocates for queues.
 *
 * These drivers charge it to no process, so hyv.ko limits it. The charge comes
 * before the queue exists and its real size is known, so these are upper
 * bounds: drivers round the number and the size of the elements up to powers
 * of two.
 *
 * Callers have limited all sizes to the HCA's. Results are in bytes.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include "memory/queue_cost.h"

/* Size of an element of a queue without its scatter/gather list. */
#define HYVH_CQE_SIZE		128
#define HYVH_SEND_WQE_SIZE	256
#define HYVH_RECV_WQE_SIZE	64

/* A QP without its queues: its state, a socket, read responses. */
#define HYVH_QP_SIZE		16384

static u64 hyvh_queue_cost(u32 nr, u64 element)
{
	/* One element stays empty. */
	return roundup_pow_of_two((u64)nr + 1) * roundup_pow_of_two(element);
}

static u64 hyvh_queue_cost_sges(u32 nr)
{
	return (u64)nr * sizeof(struct ib_sge);
}

u64 hyvh_queue_cost_cq(u32 cqe)
{
	return hyvh_queue_cost(cqe, HYVH_CQE_SIZE);
}

/* Memory of an SRQ, or of the receive queue of a QP. */
u64 hyvh_queue_cost_srq(u32 max_wr, u32 max_sge)
{
	return hyvh_queue_cost(max_wr, HYVH_RECV_WQE_SIZE +
				       hyvh_queue_cost_sges(max_sge));
}

u64 hyvh_queue_cost_qp(const struct ib_qp_cap *cap)
{
	u64 payload = max_t(u64, hyvh_queue_cost_sges(cap->max_send_sge),
			    cap->max_inline_data);

	return HYVH_QP_SIZE +
	       hyvh_queue_cost(cap->max_send_wr,
			       HYVH_SEND_WQE_SIZE + payload) +
	       hyvh_queue_cost_srq(cap->max_recv_wr, cap->max_recv_sge);
}
