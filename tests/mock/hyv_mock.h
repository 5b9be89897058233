/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of the mock HCA for tests.
 *
 * Control is by files in debugfs, in the directory hyv_mock:
 *
 *   rules	"VERB [error=E] [first=N] [calls=N] [sleep=MS] [late=MS]
 *		[lose=1]" makes calls of a verb misbehave: calls number first
 *		(default 1), counted from now, and the following ones, as many as
 *		calls says (default 0: all). Each such call sleeps, then fails with
 *		errno E unless that is 0. With late, a successful destroy_cq,
 *		destroy_qp or destroy_srq leaves a callback behind, which runs
 *		that much later in an RCU read-side section that began before the
 *		destroy returned. With lose, a successful call that creates an
 *		object unmaps the caller's page with the provider data of the
 *		reply. "clear" ends all rules and wakes the calls that sleep.
 *   counters	lines "NAME NUMBER", see below
 *   raise	"comp": completions of all CQs; "async": an event of each CQ, QP
 *		and SRQ; "port", "fatal": an event of each device. Objects whose
 *		destruction was refused raise events as well.
 *   period	raise comp and async every so many milliseconds, in interrupt
 *		context; 0 ends it
 *   disassociate	1: devices can leave while their files are open
 *   rereg_new	1: re-registration replaces the MR by another one
 *   page_kind	enum hyv_mock_page: kind of memory of new queues
 *
 * Counters: calls.VERB, failed.VERB, running.VERB (calls that sleep), held.TYPE
 * (objects that exist), refused.TYPE (those of them whose destruction was
 * refused), callbacks (made), late (callbacks still to come), devices, violations
 * (parents destroyed before their children; must stay 0).
 *
 * Provider data is that of rdma_rxe, so that programs for rxe work. Requests that
 * create a queue may also name user memory for it.
 */
#ifndef HYV_MOCK_H
#define HYV_MOCK_H

#include <linux/types.h>
#include <rdma/rdma_user_rxe.h>

/*
 * Verbs that are counted and can have a rule. Those of a QP of type XRC_TGT are called
 * create_target and destroy_target.
 */
#define HYV_FOR_EACH_MOCK_VERB(X) \
	X(query_device) \
	X(query_port) \
	X(alloc_ucontext) \
	X(mmap) \
	X(alloc_pd) \
	X(dealloc_pd) \
	X(create_cq) \
	X(resize_cq) \
	X(modify_cq) \
	X(destroy_cq) \
	X(req_notify_cq) \
	X(create_qp) \
	X(create_target) \
	X(modify_qp) \
	X(query_qp) \
	X(destroy_qp) \
	X(destroy_target) \
	X(post_send) \
	X(create_srq) \
	X(modify_srq) \
	X(query_srq) \
	X(destroy_srq) \
	X(create_ah) \
	X(destroy_ah) \
	X(reg_user_mr) \
	X(rereg_user_mr) \
	X(dereg_mr) \
	X(alloc_mw) \
	X(dealloc_mw) \
	X(alloc_xrcd) \
	X(dealloc_xrcd) \
	X(attach_mcast) \
	X(detach_mcast)

/* Types of what the mock holds. A umem is a queue or MR that it has pinned. */
#define HYV_FOR_EACH_MOCK_TYPE(X) \
	X(ucontext) \
	X(pd) \
	X(cq) \
	X(qp) \
	X(srq) \
	X(ah) \
	X(mr) \
	X(mw) \
	X(xrcd) \
	X(group) \
	X(umem) \
	X(page)

/*
 * Provider data of CREATE_CQ, CREATE_QP and CREATE_SRQ: user memory for the
 * queue, which the driver pins. Optional; a length of 0 means none.
 */
struct hyv_mock_create_req {
	__aligned_u64 addr;
	__aligned_u64 length;
};

/* Kinds of memory for queues. */
enum hyv_mock_page {
	HYV_MOCK_PAGE_WB,	/* memory, write-back */
	HYV_MOCK_PAGE_RO,	/* memory that cannot be mapped for writing */
	HYV_MOCK_PAGE_UC,	/* not memory, uncached */
	HYV_MOCK_PAGE_WC,	/* not memory, write-combining */
	HYV_MOCK_PAGES
};

/* Most pages of a queue that is not memory. */
#define HYV_MOCK_IO_PAGES	4

/* First bytes of a queue that is memory. */
#define HYV_MOCK_MAGIC	0x6b636f6d2d767968ULL

#endif /* HYV_MOCK_H */
