// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel memory that the driver of a software HCA allocates for queues.
 *
 * These drivers charge it to no process, so hyv.ko limits it. The charge comes
 * before the queue exists and its real size is known, so these are upper
 * bounds: drivers round the number and the size of the elements up to powers
 * of two, put a header in front of them, and allocate whole pages.
 *
 * Callers have limited all sizes to the HCA's. Results are in bytes.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <rdma/ib_verbs.h>

#include "memory/queue_cost.h"

/* Size of an element of a queue without its scatter/gather list. */
#define HYVH_CQE_SIZE		128
#define HYVH_SEND_WQE_SIZE	256
#define HYVH_RECV_WQE_SIZE	64

/* Header of a queue: its indices. */
#define HYVH_QUEUE_HEADER	384

/* Memory of the driver and of vmalloc for a queue of any size. */
#define HYVH_QUEUE_STATE	1024

/* Objects without their queues; a QP has a socket and read responses. */
#define HYVH_CQ_SIZE		1024
#define HYVH_SRQ_SIZE		1024
#define HYVH_QP_SIZE		16384

static u64 hyvh_queue_cost(u32 nr, u64 element)
{
	u64 bytes, pages;

	/* One element stays empty. */
	bytes = roundup_pow_of_two((u64)nr + 1) * roundup_pow_of_two(element);
	pages = PAGE_ALIGN(HYVH_QUEUE_HEADER + bytes) >> PAGE_SHIFT;
	/* vmalloc has an array of the pages, rounded up by the allocator. */
	return HYVH_QUEUE_STATE + pages * (PAGE_SIZE + 2 * sizeof(void *));
}

static u64 hyvh_queue_cost_sges(u32 nr)
{
	return (u64)nr * sizeof(struct ib_sge);
}

u64 hyvh_queue_cost_cq(u32 cqe)
{
	return HYVH_CQ_SIZE + hyvh_queue_cost(cqe, HYVH_CQE_SIZE);
}

static u64 hyvh_queue_cost_recv(u32 max_wr, u32 max_sge)
{
	return hyvh_queue_cost(max_wr, HYVH_RECV_WQE_SIZE +
				       hyvh_queue_cost_sges(max_sge));
}

u64 hyvh_queue_cost_srq(u32 max_wr, u32 max_sge)
{
	return HYVH_SRQ_SIZE + hyvh_queue_cost_recv(max_wr, max_sge);
}

u64 hyvh_queue_cost_qp(const struct ib_qp_cap *cap)
{
	u64 payload = max_t(u64, hyvh_queue_cost_sges(cap->max_send_sge),
			    cap->max_inline_data);

	return HYVH_QP_SIZE +
	       hyvh_queue_cost(cap->max_send_wr,
			       HYVH_SEND_WQE_SIZE + payload) +
	       hyvh_queue_cost_recv(cap->max_recv_wr, cap->max_recv_sge);
}
