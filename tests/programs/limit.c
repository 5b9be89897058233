// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: limit context|pd|cq|qp|mr|queue COUNT ERROR
 *        limit memory SIZE ERROR
 *
 * Make objects of a kind until that fails, which has to happen after COUNT of
 * them and with the error named: EDQUOT or ENOMEM. Whenever one has been
 * destroyed, there is room for one again at once; a queue is a large CQ. Or:
 * SIZE bytes can be registered in pieces of 1 MiB and not one piece more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc.h"

#define MOST  100000UL
#define PIECE (1UL << 20)
/* Entries of a large CQ: 4 MiB of rdma_rxe. */
#define LARGE 32767
/* Objects destroyed and made at the limit. */
#define TURNS 50

struct kind {
	const char *name;
	void *(*make)(struct rc *rc, struct ibv_cq *cq);
	int (*destroy)(void *object);
	/* objects of the kind that main() has made */
	unsigned int own;
};

static char *memory;

static void *make_context(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_open_device(rc->context->device);
}

static int destroy_context(void *object)
{
	return ibv_close_device(object);
}

static void *make_pd(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_alloc_pd(rc->context);
}

static int destroy_pd(void *object)
{
	return ibv_dealloc_pd(object);
}

static void *make_cq(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_create_cq(rc->context, 1, NULL, NULL, 0);
}

static int destroy_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static void *make_queue(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_create_cq(rc->context, LARGE, NULL, NULL, 0);
}

static void *make_qp(struct rc *rc, struct ibv_cq *cq)
{
	return rc_create_qp(rc->pd, cq, RC_DEPTH);
}

static int destroy_qp(void *object)
{
	return ibv_destroy_qp(object);
}

static void *make_mr(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_reg_mr(rc->pd, memory, 64, RC_ACCESS);
}

/* Each piece is the same memory: every registration counts by itself. */
static void *make_piece(struct rc *rc, struct ibv_cq *cq)
{
	(void)cq;
	return ibv_reg_mr(rc->pd, memory, PIECE, RC_ACCESS);
}

static int destroy_mr(void *object)
{
	return ibv_dereg_mr(object);
}

static const struct kind kinds[] = {
	{"context", make_context, destroy_context, 1},
	{"pd", make_pd, destroy_pd, 1},
	{"cq", make_cq, destroy_cq, 1},
	{"qp", make_qp, destroy_qp, 0},
	{"mr", make_mr, destroy_mr, 0},
	{"queue", make_queue, destroy_cq, 0},
	{"memory", make_piece, destroy_mr, 0},
};

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	die("'%s' is no kind of object", name);
}

int main(int argc, char **argv)
{
	size_t wanted, made = 0, i;
	const struct kind *kind;
	struct ibv_cq *cq;
	void **objects;
	int error;
	struct rc rc;

	if (argc != 4)
		die("usage: limit KIND COUNT ERROR");
	kind = find_kind(argv[1]);
	wanted = parse_size(argv[2]);
	if (!strcmp(kind->name, "memory"))
		wanted /= PIECE;
	error = !strcmp(argv[3], "EDQUOT") ? EDQUOT : ENOMEM;
	objects = calloc(MOST, sizeof(void *));
	if (!objects)
		die_errno("no memory");
	memory = pages_anonymous(PIECE);
	rc_open(&rc);
	cq = ibv_create_cq(rc.context, 1, NULL, NULL, 0);
	if (!cq)
		die_errno("cannot create a CQ");

	while (made < MOST) {
		errno = 0;
		objects[made] = kind->make(&rc, cq);
		if (!objects[made])
			break;
		made++;
	}
	if (errno != error)
		die("%s number %zu: error %d (%s), should be %s", kind->name,
		    made + 1, errno, strerror(errno), argv[3]);
	if (made + kind->own != wanted)
		die("%zu of %s, should be %zu", made + kind->own, kind->name,
		    wanted);
	if (!made)
		die("nothing to destroy");
	for (i = 0; i < TURNS; i++) {
		errno = kind->destroy(objects[made - 1]);
		if (errno)
			die_errno("cannot destroy a %s", kind->name);
		objects[made - 1] = kind->make(&rc, cq);
		if (!objects[made - 1])
			die_errno(
				"turn %zu: no %s again after one was destroyed",
				i, kind->name);
	}
	for (i = 0; i < made; i++) {
		errno = kind->destroy(objects[i]);
		if (errno)
			die_errno("cannot destroy a %s", kind->name);
	}
	errno = ibv_destroy_cq(cq);
	if (errno)
		die_errno("cannot destroy the CQ");
	rc_close(&rc);
	printf("%zu of %s, then %s\n", wanted, kind->name, argv[3]);
	return 0;
}
