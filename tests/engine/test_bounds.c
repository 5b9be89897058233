// SPDX-License-Identifier: GPL-2.0-only
/* How much is done at once: in a run, in a scan, under a lock. */
#include "pair.h"
#include "suites.h"

static const u8 gid[16] = {0xff, 0x0e, 9};

static bool group_locked;

/* While a message is copied. */
static struct pair *copied;

static void try_group_lock(const volatile void *from, size_t n)
{
	pthread_mutex_t *lock = &copied->w->eng.group_lock.mutex;

	if (from != buf_at(copied->abuf, 0))
		return;
	if (pthread_mutex_trylock(lock))
		group_locked = true;
	else
		pthread_mutex_unlock(lock);
}

/* The number of datagrams that arrive in a run, of @bytes each. */
static u64 multicast(u32 bytes, u32 wqes, u32 budget)
{
	struct pair p = pair_create(ENG_UD);
	struct sge from = pair_a(&p, 0, bytes), to = pair_b(&p, 0, bytes + 40);
	struct cq *cq = cq_create(p.w, 1024, 64);
	struct qp *member[ENG_MAX_MEMBERS];
	u64 arrived;
	int i, j;

	for (i = 0; i < ENG_MAX_MEMBERS; i++) {
		member[i] = qp_create(p.w, &(struct qp_opts){.type = ENG_UD,
							     .send_cq = cq,
							     .recv_cq = cq,
							     .pdn = 2});
		qp_connect(member[i], member[i]);
		CHECK(!eng_group_join(&member[i]->eng, gid));
		for (j = 0; j < 8; j++)
			qp_post_recv(member[i], &to, 1);
	}
	world_run(p.w);
	for (i = 0; i < 8; i++)
		qp_post(p.w, p.a,
			&(struct wr){.opcode = MLX5_OPCODE_SEND,
				     .sge = &from,
				     .nr_sge = 1,
				     .dqpn = ENG_MULTICAST_QPN,
				     .gid = gid,
				     .qkey = 0x1234});
	copied = &p;
	eng_port_before_read = try_group_lock;
	eng_run(&p.w->worker, wqes, budget);
	eng_port_before_read = NULL;
	arrived = cq->eng.produced;
	world_run(p.w);
	CHECK(cq->eng.produced == 8 * ENG_MAX_MEMBERS);
	for (i = 0; i < ENG_MAX_MEMBERS; i++)
		CHECK(!eng_group_leave(&member[i]->eng, gid));
	pair_destroy(&p);
	return arrived;
}

static void test_multicast(void)
{
	test_case("a run is over after so many copies of a datagram");
	CHECK(multicast(8, 64, 1 << 18) == ENG_MAX_MEMBERS);
	test_case("a run is over after so many bytes of copies");
	CHECK(multicast(1024, 1000, 1024 * ENG_MAX_MEMBERS) == ENG_MAX_MEMBERS);
	test_case("groups are not locked while datagrams are copied");
	CHECK(!group_locked);
}

static void test_groups(void)
{
	struct pair p = pair_create(ENG_UD);
	struct list_head *entry;
	u8 group[16] = {0xff, 0x0e};
	u32 i, n, longest = 0;

	test_case("a group is found among few others, and there is a limit");
	for (i = 0; i < ENG_MAX_GROUPS; i++) {
		memcpy(group + 12, &i, sizeof(i));
		CHECK(!eng_group_join(&p.a->eng, group));
	}
	CHECK(eng_group_join(&p.a->eng, gid) == -ENOSPC);
	CHECK(!eng_group_join(&p.b->eng, group));
	CHECK(!eng_group_leave(&p.b->eng, group));
	for (i = 0; i < 1 << ENG_GROUP_BITS; i++) {
		n = 0;
		entry = &p.w->eng.groups[i];
		while ((entry = entry->next) != &p.w->eng.groups[i])
			n++;
		if (n > longest)
			longest = n;
	}
	CHECK(longest < 8 * (ENG_MAX_GROUPS >> ENG_GROUP_BITS));
	for (i = 0; i < ENG_MAX_GROUPS; i++) {
		memcpy(group + 12, &i, sizeof(i));
		CHECK(!eng_group_leave(&p.a->eng, group));
	}
	CHECK(!p.w->eng.nr_groups);
	pair_destroy(&p);
}

static u32 count_chunks(struct eng_table *table)
{
	u32 i, n = !!table->stale;

	for (i = 0; i < ENG_CHUNKS; i++)
		n += !!table->chunk[i];
	return n;
}

static void test_tables(void)
{
	struct world *w = world_create();
	static struct eng_key key[40];
	u32 i;

	test_case("a table is as large as what is in it");
	/* In turn, as keys are numbered. */
	for (i = 1; i < 40 << ENG_CHUNK_BITS; i++) {
		key[0].key = i << 8;
		CHECK(!eng_key_add(&w->eng, &key[0]));
		eng_key_del(&w->eng, &key[0]);
	}
	CHECK(count_chunks(&w->eng.keys) <= 3);
	/* A worker that runs may use what was in it. */
	for (i = 0; i < 40; i++) {
		key[i].key = i << (ENG_CHUNK_BITS + 8);
		CHECK(!eng_key_add(&w->eng, &key[i]));
	}
	CHECK(count_chunks(&w->eng.keys) >= 40);
	w->worker.epoch = w->eng.epoch;
	for (i = 0; i < 40; i++)
		eng_key_del(&w->eng, &key[i]);
	CHECK(count_chunks(&w->eng.keys) >= 40);
	w->worker.epoch = 0;
	for (i = 0; i < 100; i++) {
		CHECK(!eng_key_add(&w->eng, &key[i % 40]));
		eng_key_del(&w->eng, &key[i % 40]);
	}
	CHECK(count_chunks(&w->eng.keys) <= 3);
	world_destroy(w);
}

/* --- Many queues --- */

#define MANY (3 * ENG_SCAN + 1)

static const volatile void *looks_at;
static u32 looks, found;

static void count_looks(const volatile void *from, size_t n)
{
	looks += n == 4;
	found += from == looks_at;
}

static void test_scan(void)
{
	struct pair p = pair_create(ENG_RC);
	struct eng_looked looked;
	struct qp *qp[MANY];
	struct cq *cq[MANY];
	u32 parts;
	int i;

	test_case("a scan looks at many queues in parts");
	for (i = 0; i < MANY; i++) {
		cq[i] = cq_create(p.w, 16, 64);
		qp[i] = qp_create(p.w, &(struct qp_opts){.type = ENG_RC,
							 .send_cq = cq[i],
							 .recv_cq = cq[i],
							 .pdn = 1});
		qp_connect(qp[i], qp[i]);
	}
	world_run(p.w);
	eng_port_before_read = count_looks;
	for (i = 0; i < MANY; i++) {
		u32 posted = htobe32(1);

		/* No doorbell: only a scan finds it. */
		buf_write(qp[i]->record, 4, &posted, 4);
		looks_at = buf_at(qp[i]->record, 4);
		found = 0;
		parts = 0;
		do {
			looks = 0;
			looked = eng_scan(&p.w->worker, !parts++);
			CHECK(looks <= 4 * ENG_SCAN);
		} while (looked.more && !looked.work);
		CHECK(found && looked.work);
		/* Whatever is there is no request. */
		world_run(p.w);
		CHECK(qp[i]->eng.state == ENG_ERR);
	}
	looked = eng_scan(&p.w->worker, true);
	for (parts = 1; looked.more; parts++)
		looked = eng_scan(&p.w->worker, false);
	CHECK(parts == 4);

	test_case("arming is seen, however many CQs there are");
	for (i = 0; i < MANY; i++)
		cq_poll(p.w, cq[i], true);
	p.w->logged = 0;
	for (i = 0; i < MANY; i++) {
		looks_at = buf_at(cq[i]->record, 4);
		found = 0;
		looks = 0;
		eng_arm(&p.w->worker);
		CHECK(looks <= 2 * ENG_SCAN);
		while (eng_run(&p.w->worker, 64, 1 << 18))
			;
		CHECK(found);
	}

	test_case("QPs in error state are looked at in parts");
	found = 0;
	looks_at = buf_at(qp[MANY - 1]->record, 0);
	p.w->now += 1000000000;
	parts = 0;
	do {
		looks = 0;
		parts++;
		i = eng_run(&p.w->worker, 10, 1 << 18);
		CHECK(looks <= 4 * ENG_SCAN);
		CHECK(p.w->worker.error_left || parts >= 4);
	} while (i);
	CHECK(found == 1);
	eng_port_before_read = NULL;
	p.w->logged = 0;
	pair_destroy(&p);
}

void test_bounds(void)
{
	test_scan();
	test_multicast();
	test_groups();
	test_tables();
}
