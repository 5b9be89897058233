// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: idle
 *
 * The thread of a context of hyvs.ko sleeps while there is nothing to do,
 * whatever is in queues and records of the process, and wakes up when a
 * doorbell is rung.
 */
#include <infiniband/mlx5dv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "rc.h"

/*
 * Limits of a second of rest. The thread does look at QPs in error state at
 * times, since receive queues have no doorbell: every 64 ms.
 */
#define IDLE_NS	  500000000ULL
#define IDLE_RUNS 100

enum spoil {
	QUEUES,
	CQ_RING,
	CQ_RECORD,
	RECORDS,
	ALL,
	NR_SPOILS,
};

static const char *const spoil_names[NR_SPOILS] = {
	[QUEUES] = "queues",
	[CQ_RING] = "a CQ",
	[CQ_RECORD] = "the record of a CQ",
	[RECORDS] = "records of QPs",
	[ALL] = "all of that",
};

static uint64_t seed = 1;

static void spoil_bytes(void *at, size_t length)
{
	uint8_t *byte = at;

	while (length--)
		*byte++ = (uint8_t)(random_next(&seed) >> 32);
}

static void spoil_qp(struct ibv_qp *qp, enum spoil spoil)
{
	struct mlx5dv_qp dv = {};
	struct mlx5dv_obj obj = {.qp = {qp, &dv}};

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
		die("cannot look into a QP");
	if (spoil == QUEUES || spoil == ALL) {
		spoil_bytes(dv.rq.buf, (size_t)dv.rq.wqe_cnt * dv.rq.stride);
		spoil_bytes(dv.sq.buf, (size_t)dv.sq.wqe_cnt * dv.sq.stride);
	}
	if (spoil == RECORDS || spoil == ALL)
		spoil_bytes(dv.dbrec, 2 * sizeof(*dv.dbrec));
}

static void spoil_cq(struct ibv_cq *cq, enum spoil spoil)
{
	struct mlx5dv_cq dv = {};
	struct mlx5dv_obj obj = {.cq = {cq, &dv}};

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		die("cannot look into a CQ");
	if (spoil == CQ_RING || spoil == ALL)
		spoil_bytes(dv.buf, (size_t)dv.cqe_cnt * dv.cqe_size);
	if (spoil == CQ_RECORD || spoil == ALL)
		spoil_bytes(dv.dbrec, 2 * sizeof(*dv.dbrec));
}

static void spoil_pair(struct rc_pair *pair, enum spoil spoil)
{
	spoil_qp(pair->qp[0], spoil);
	spoil_qp(pair->qp[1], spoil);
	spoil_cq(pair->cq, spoil);
}

static int find_worker(void)
{
	char command[64];
	int worker;
	FILE *f;

	snprintf(command, sizeof(command), "pgrep -x '%s-%d'", getenv("IBDEV"),
		 getpid());
	f = popen(command, "re");
	if (!f || fscanf(f, "%d", &worker) != 1)
		die("no thread of this process");
	pclose(f);
	return worker;
}

/*
 * @busy: nanoseconds for which the thread has run, or has waited for a
 * processor
 * @runs: how often it has got one
 */
struct usage {
	uint64_t busy, runs;
};

static struct usage usage_of(int worker)
{
	uint64_t ran, waited;
	struct usage usage;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", worker);
	f = fopen(path, "r");
	/* A kernel that does not count says 0. */
	if (!f ||
	    fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ran, &waited,
		   &usage.runs) != 3 ||
	    !ran)
		die("cannot read %s", path);
	fclose(f);
	usage.busy = ran + waited;
	return usage;
}

/* Does the thread come to rest? */
static bool rests(int worker)
{
	double end = now() + hang_seconds();
	struct usage before, after;

	do {
		before = usage_of(worker);
		sleep(1);
		after = usage_of(worker);
		if (after.busy - before.busy < IDLE_NS &&
		    after.runs - before.runs < IDLE_RUNS)
			return true;
	} while (now() < end);
	return false;
}

/* A message that is too long to be executed where the doorbell is a fault. */
static bool is_answered(struct rc_pair *pair, struct ibv_mr *mr)
{
	uint64_t to = (uintptr_t)mr->addr + RC_MESSAGE;
	struct ibv_wc wc;

	rc_post(pair, IBV_WR_RDMA_WRITE, mr, mr->addr, to, mr->rkey,
		RC_MESSAGE);
	return rc_completion(pair->cq, &wc, hang_seconds()) &&
	       wc.status == IBV_WC_SUCCESS;
}

int main(void)
{
	struct rc_pair good, bad;
	struct ibv_mr *mr;
	struct rc rc;
	int worker, i;

	rc_open(&rc);
	mr = rc_register(&rc, pages_anonymous(2 * RC_MESSAGE), 2 * RC_MESSAGE);
	rc_pair_open(&good, &rc, false);
	worker = find_worker();
	tap_plan(2 + 3 * NR_SPOILS);
	tap_ok(rests(worker), "a thread without work sleeps");
	tap_ok(is_answered(&good, mr), "a doorbell wakes it");
	for (i = 0; i < NR_SPOILS; i++) {
		rc_pair_open(&bad, &rc, false);
		spoil_pair(&bad, i);
		tap_ok(is_answered(&good, mr), "%s with any content",
		       spoil_names[i]);
		tap_ok(rests(worker), "it sleeps again");
		tap_ok(is_answered(&good, mr), "a doorbell wakes it again");
	}
	/* The kernel frees the queues that the provider has lost. */
	return tap_done();
}
