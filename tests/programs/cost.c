// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: cost register SIZE
 *        cost qp COUNT
 *
 * Print the microseconds, the median of many rounds, that it takes
 *   register: to register SIZE bytes of small pages that are present, and to
 *             deregister them
 *   qp:       to create an RC queue pair, connect it with itself, and destroy
 *             it, when COUNT are created before the first is destroyed
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc.h"

#define LEAST_ROUNDS 5
#define MOST_ROUNDS  1000
#define SECONDS	     1

struct work {
	struct rc rc;
	void *buffer;
	size_t size;
	struct ibv_cq *cq;
	struct ibv_qp **qp;
	size_t count;
};

static void round_of_register(struct work *work)
{
	rc_deregister(rc_register(&work->rc, work->buffer, work->size));
}

static void round_of_qp(struct work *work)
{
	size_t i;

	for (i = 0; i < work->count; i++) {
		work->qp[i] = rc_create_qp(work->rc.pd, work->cq, RC_DEPTH);
		if (!work->qp[i])
			die_errno("cannot create QP %zu", i);
		rc_connect(&work->rc, work->qp[i], work->qp[i]->qp_num,
			   work->rc.gid);
	}
	for (i = 0; i < work->count; i++) {
		errno = ibv_destroy_qp(work->qp[i]);
		if (errno)
			die_errno("cannot destroy QP %zu", i);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Seconds of a round; the first one does not count. */
static double median(void (*round)(struct work *work), struct work *work)
{
	static double took[MOST_ROUNDS];
	double begin, end;
	size_t n;

	round(work);
	end = now() + SECONDS;
	for (n = 0; n < MOST_ROUNDS && (n < LEAST_ROUNDS || now() < end); n++) {
		begin = now();
		round(work);
		took[n] = now() - begin;
	}
	qsort(took, n, sizeof(*took), compare);
	return took[n / 2];
}

static double cost_of_register(struct work *work, size_t size)
{
	double seconds;

	work->size = size;
	work->buffer = pages_anonymous(size);
	memset(work->buffer, 1, size);
	seconds = median(round_of_register, work);
	pages_free(work->buffer, size);
	return seconds;
}

static double cost_of_qp(struct work *work, size_t count)
{
	double seconds;

	work->count = count;
	work->qp = calloc(count, sizeof(*work->qp));
	work->cq = ibv_create_cq(work->rc.context, 4 * RC_DEPTH, NULL, NULL, 0);
	if (!work->qp || !work->cq)
		die_errno("cannot create a CQ");
	seconds = median(round_of_qp, work) / (double)count;
	if (ibv_destroy_cq(work->cq))
		die("cannot destroy the CQ");
	free(work->qp);
	return seconds;
}

int main(int argc, char **argv)
{
	struct work work = {};
	size_t number;
	double cost;

	if (argc != 3)
		die("usage: cost register SIZE | cost qp COUNT");
	number = parse_size(argv[2]);
	if (!number)
		die("nothing to do");
	rc_open(&work.rc);
	if (!strcmp(argv[1], "register"))
		cost = cost_of_register(&work, number);
	else if (!strcmp(argv[1], "qp"))
		cost = cost_of_qp(&work, number);
	else
		die("'%s' is not known", argv[1]);
	rc_close(&work.rc);
	printf("%.2f\n", cost * 1e6);
	return 0;
}
