// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: engine_bandwidth [ROUNDS]
 *
 * Compare the rate of long writes with that of copies of the same memory: with
 * memcpy() where memory is in runs of 2 MiB, page by page where it is shuffled
 * pages. A message counts from doorbell to completion.
 *
 * Each round measures both, in turn, by the time of this thread. The result is
 * the median of the quotients. As other load takes caches away, it may be
 * measured again, a few times.
 */
#include <time.h>

#include "pair.h"

#define BATCH 8
#define TRIES 4
#define MAX   (1 << 20)
#define HUGE  (1 << 21)

static struct pair p;

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (!ok)
		abort();
}

/* Memory of MAX bytes in one piece. */
static struct buf *contiguous(void)
{
	struct buf *b = calloc(1, sizeof(*b));

	b->va = (u64)p.w->next_id++ << 32;
	b->mem.length = MAX;
	b->mem.shift = 21;
	b->mem.mask = HUGE - 1;
	b->mem.count = 1;
	b->mem.run = calloc(1, sizeof(void *));
	b->mem.run[0] = aligned_alloc(HUGE, HUGE);
	memset(b->mem.run[0], 1, HUGE);
	return b;
}

/* The same in pages, no two of which are neighbours. */
static struct buf *shuffled(void)
{
	struct buf *b = calloc(1, sizeof(*b));
	u8 *memory = aligned_alloc(HUGE, HUGE);
	u32 i;

	memset(memory, 1, HUGE);
	b->va = (u64)p.w->next_id++ << 32;
	b->mem.length = MAX;
	b->mem.shift = 12;
	b->mem.mask = WORLD_PAGE - 1;
	b->mem.count = MAX / WORLD_PAGE;
	b->mem.run = calloc(b->mem.count, sizeof(void *));
	/* Each second page, in another order: 91 is odd. */
	for (i = 0; i < b->mem.count; i++)
		b->mem.run[i] = memory + i * 182 % 512 * WORLD_PAGE;
	return b;
}

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static u64 time_copies(struct buf *to, struct buf *from, u32 bytes)
{
	u32 piece = bytes < to->mem.mask + 1 ? bytes : to->mem.mask + 1;
	u64 start = now();
	u32 i, at;

	for (i = 0; i < BATCH; i++)
		for (at = 0; at < bytes; at += piece)
			memcpy(buf_at(to, at), buf_at(from, at), piece);
	return now() - start;
}

static u64 time_messages(const struct wr *wr)
{
	u64 start, end;
	u32 i;

	for (i = 0; i < BATCH; i++)
		qp_post(p.w, p.a, wr);
	start = now();
	while (eng_run(&p.w->worker, 64, 1 << 18))
		;
	end = now();
	cq_poll(p.w, p.acq, true);
	return end - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(struct buf *to, struct buf *from, u32 bytes,
		     const struct wr *wr, u32 rounds)
{
	double *quotients = calloc(rounds, sizeof(*quotients)), result;
	u32 i, done = p.acq->consumed;

	for (i = 0; i < rounds; i++) {
		quotients[i] = time_copies(to, from, bytes);
		quotients[i] /= time_messages(wr);
	}
	if (p.acq->consumed - done != rounds * BATCH)
		abort();
	qsort(quotients, rounds, sizeof(*quotients), compare);
	result = quotients[rounds / 2];
	free(quotients);
	return result;
}

/* True if messages have at least @limit of the rate of copies. */
static bool measure(const char *kind, struct buf *to, struct buf *from,
		    u32 bytes, u32 rounds, double limit)
{
	const u32 all = ENG_LOCAL_WRITE | ENG_REMOTE_WRITE;
	struct key *lkey = key_create(p.w, from, 1, all);
	struct key *rkey = key_create(p.w, to, 2, all);
	struct sge sge = {from->va, bytes, lkey->eng.key};
	struct wr wr = {.opcode = MLX5_OPCODE_RDMA_WRITE,
			.flags = SIGNALED,
			.raddr = to->va,
			.rkey = rkey->eng.key,
			.sge = &sge,
			.nr_sge = 1};
	double result = 0;
	int i;

	for (i = 0; i < TRIES && result < limit; i++)
		result = median(to, from, bytes, &wr, rounds);
	printf("%s %7u bytes: %.2f of the rate of a copy, at least %.2f\n",
	       kind, bytes, result, limit);
	return result >= limit;
}

int main(int argc, char **argv)
{
	u32 rounds = argc > 1 ? atoi(argv[1]) : 301, bytes;
	struct buf *buf[2];
	bool ok = true;

	p = pair_create(ENG_RC);
	p.w->quiet = true;
	buf[0] = contiguous();
	buf[1] = contiguous();
	for (bytes = 1 << 16; bytes <= MAX; bytes *= 4)
		ok &= measure("runs of 2 MiB", buf[0], buf[1], bytes, rounds,
			      0.8);
	buf[0] = shuffled();
	buf[1] = shuffled();
	for (bytes = 1 << 16; bytes <= MAX; bytes *= 4)
		ok &= measure("shuffled pages", buf[0], buf[1], bytes, rounds,
			      0.9);
	return !ok;
}
