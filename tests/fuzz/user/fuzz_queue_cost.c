// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of queues: never less than the elements need, and never less for
 * more of them. Sizes are any that an HCA of the lab could have, and more.
 */
#include "memory/queue_cost.c"

#include "fuzz.h"

/* HCAs have fewer. */
#define MOST_WRS  (1U << 24)
#define MOST_SGES (1U << 12)

static u32 some(struct fuzz_in *in, u32 most)
{
	return (u32)fuzz_take(in, 4) >> fuzz_below(in, 32) & (most - 1);
}

static u64 elements(u32 nr, u64 size)
{
	return ((u64)nr + 1) * size;
}

static void check_qp(struct fuzz_in *in)
{
	struct ib_qp_cap less = {
		.max_send_wr = some(in, MOST_WRS),
		.max_recv_wr = some(in, MOST_WRS),
		.max_send_sge = some(in, MOST_SGES),
		.max_recv_sge = some(in, MOST_SGES),
		.max_inline_data = some(in, MOST_SGES),
	};
	struct ib_qp_cap more = less;
	u64 payload = max(less.max_send_sge * 16, less.max_inline_data);
	u64 cost = hyvh_queue_cost_qp(&less);

	FUZZ_CHECK(cost >= elements(less.max_send_wr, 256 + payload) +
				   elements(less.max_recv_wr,
					    64 + less.max_recv_sge * 16));
	FUZZ_CHECK(cost < 1ULL << 48);
	more.max_send_wr += some(in, MOST_WRS);
	more.max_recv_wr += some(in, MOST_WRS);
	more.max_send_sge += some(in, MOST_SGES);
	more.max_recv_sge += some(in, MOST_SGES);
	more.max_inline_data += some(in, MOST_SGES);
	FUZZ_CHECK(hyvh_queue_cost_qp(&more) >= cost);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 nr = some(&in, MOST_WRS), sge = some(&in, MOST_SGES);
	u64 cq = hyvh_queue_cost_cq(nr), srq = hyvh_queue_cost_srq(nr, sge);

	FUZZ_CHECK(cq >= elements(nr, 128) && cq < 1ULL << 48);
	FUZZ_CHECK(srq >= elements(nr, 64 + sge * 16) && srq < 1ULL << 48);
	FUZZ_CHECK(hyvh_queue_cost_cq(nr + some(&in, MOST_WRS)) >= cq);
	FUZZ_CHECK(hyvh_queue_cost_srq(nr + some(&in, MOST_WRS),
				       sge + some(&in, MOST_SGES)) >= srq);
	/* The greatest sizes of a request do not overflow. */
	FUZZ_CHECK(hyvh_queue_cost_cq(INT_MAX) > cq);
	FUZZ_CHECK(hyvh_queue_cost_srq(U32_MAX, MOST_SGES) > srq);
	check_qp(&in);
	return 0;
}
