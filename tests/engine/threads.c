// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several workers at a time, whose QPs write to each other, while keys and QPs
 * are taken away and their memory is used again.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "world.h"

#define WORKERS 4
#define ROUNDS	200

static struct world *w;
static struct buf *memory;
static u32 key_now;
static bool stop;

static struct side {
	struct eng_worker worker;
	struct cq *cq;
	struct qp *qp;
	u32 completed;
} sides[WORKERS];

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

/* Post to a key that may go at any time; begin again after each error. */
static void *run_side(void *arg)
{
	struct side *side = arg, *other = &sides[(side - sides) ^ 1];
	struct eng_qp_attr attr;
	u8 text[16] = {};

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		eng_qp_query(&side->qp->eng, &attr);
		if (attr.state == ENG_RTS)
			qp_post(w, side->qp,
				&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
					     .flags = SIGNALED,
					     .raddr = memory->va,
					     .rkey = READ_ONCE(key_now),
					     .inl = text,
					     .inl_len = sizeof(text)});
		eng_run(&side->worker, 64, 1 << 18);
		eng_scan(&side->worker, true);
		/* cq_poll() would log. */
		while (side->cq->consumed !=
		       READ_ONCE(side->cq->eng.produced)) {
			u32 consumed;

			side->cq->consumed++;
			consumed = htobe32(side->cq->consumed & 0xffffff);
			buf_write(side->cq->record, 0, &consumed, 4);
			side->completed++;
		}
		if (attr.state != ENG_ERR)
			continue;
		qp_state(side->qp, ENG_RESET);
		qp_state(other->qp, ENG_ERR);
		side->qp->sq_posted = 0;
		qp_ring(w, side->qp, 0);
		attr = (struct eng_qp_attr){
			.state = ENG_RTS,
			.dest_qpn = other->qp->eng.init.qpn,
			.sgid = {1, side->qp->eng.init.qpn},
			.dgid = {1, other->qp->eng.init.qpn},
			.access = ENG_REMOTE_WRITE,
			.mtu = 1024,
			.timeout = 1,
			.retry = 1,
		};
		qp_set(side->qp, ~0U, &attr);
	}
	return NULL;
}

static void wait_retired(void)
{
	u64 epoch = eng_retire(&w->eng);

	while (!eng_retired(&w->eng, epoch))
		sched_yield();
}

/* The key and its list of pages are gone once retired. */
static void replace_key(void)
{
	struct eng_key *key = calloc(1, sizeof(*key));

	key->key = 0x4200 | (rand() & 0xff);
	key->pdn = 1;
	key->access = ENG_LOCAL_WRITE | ENG_REMOTE_WRITE;
	key->start = memory->va;
	key->mem = memory->mem;
	key->mem.run = malloc(sizeof(void *));
	key->mem.run[0] = memory->mem.run[0];
	CHECK(!eng_key_add(&w->eng, key));
	WRITE_ONCE(key_now, key->key);
	usleep(1000);
	eng_key_del(&w->eng, key);
	wait_retired();
	key->mem.run[0] = NULL;
	free(key->mem.run);
	memset(key, 0, sizeof(*key));
	free(key);
}

int main(void)
{
	pthread_t thread[WORKERS];
	u32 completed = 0;
	int i;

	w = world_create();
	w->quiet = true;
	memory = buf_create(w, 4096, 0);
	for (i = 0; i < WORKERS; i++) {
		eng_worker_add(&w->eng, &sides[i].worker);
		sides[i].cq = cq_create(w, 64, 64);
		sides[i].qp = qp_create(
			w, &(struct qp_opts){.type = ENG_RC,
					     .send_cq = sides[i].cq,
					     .recv_cq = sides[i].cq,
					     .pdn = 1,
					     .worker = &sides[i].worker});
	}
	for (i = 0; i < WORKERS; i += 2)
		qp_connect(sides[i].qp, sides[i + 1].qp);
	for (i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, run_side, &sides[i]);
	for (i = 0; i < ROUNDS; i++)
		replace_key();
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < WORKERS; i++) {
		pthread_join(thread[i], NULL);
		completed += sides[i].completed;
	}
	CHECK(completed > ROUNDS);
	for (i = 0; i < WORKERS; i++) {
		qp_destroy(w, sides[i].qp);
		eng_worker_del(&sides[i].worker);
	}
	printf("%u completions\n1 passed, 0 failed\n", completed);
	world_destroy(w);
	return 0;
}
