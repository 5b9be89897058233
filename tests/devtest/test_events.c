// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming and event queues, and the events of QPs, CQs and ports.
 */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <linux/virtio_ring.h>

#include "suites.h"
#include "harness.h"
#include "rxe.h"

/* Long enough for an event to come that must not. */
#define QUIET_MS 150

/* enum ib_event_type */
#define CODE_CQ_ERR	0
#define CODE_SQ_DRAINED 5
#define CODE_GID_CHANGE 18

static struct gmem gm;
static struct vnic v;
static struct doorbells db;
static struct evq q0, q1;
static struct ep a, b;
static struct gbuf src, dst;
static struct mr_info src_mr, dst_mr;
static int error_fd;

static void setup(bool event_idx)
{
	gm.next = 0;
	gm.next_linear = 0;
	vnic_open_features(&v, &gm,
			   event_idx ? 1ULL << VIRTIO_RING_F_EVENT_IDX : 0);
	error_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	REQUIRE_EQ(vnic_set_notify(&v, -1, error_fd), 0, "SET_NOTIFY");
	db_init(&db, &v, 100);
	REQUIRE_EQ(db_setup(&db, &v), 0, "SETUP_DOORBELLS");
	evq_init(&q0, &v, 0, 8, event_idx);
	evq_init(&q1, &v, 1, 8, event_idx);
	evq_post_all(&q0);
	evq_post_all(&q1);
	REQUIRE_EQ(evq_start(&q0, &v, 0), 0, "SET_EVENT_QUEUE 0");
	REQUIRE_EQ(evq_start(&q1, &v, 0), 0, "SET_EVENT_QUEUE 1");

	ep_init(&a, &v, &db, 63, 0);
	ep_init(&b, &v, &db, 63, le16toh(v.config.nr_comp_vectors) > 1 ? 1 : 0);
	ep_connect(&a, &b);
	gbuf_init(&src, &gm, 2 * DT_PAGE, 0, GBUF_SCATTERED);
	gbuf_init(&dst, &gm, 2 * DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_reg_mr(&v, a.pd, &src, ACCESS_REMOTE, &src_mr), 0,
		   "REG_MR");
	REQUIRE_EQ(cmd_reg_mr(&v, b.pd, &dst, ACCESS_REMOTE, &dst_mr), 0,
		   "REG_MR");
}

static void finish(void)
{
	vnic_close(&v);
	close(error_fd);
	evq_free(&q0);
	evq_free(&q1);
	db_free(&db);
	gbuf_free(&src);
	gbuf_free(&dst);
}

static struct ep_wr write_wr(void)
{
	struct ep_wr wr = {
		.opcode = IB_UVERBS_WR_RDMA_WRITE,
		.id = 1,
		.local = src.va,
		.lkey = src_mr.lkey,
		.length = 64,
		.remote = dst.va,
		.rkey = dst_mr.rkey,
	};

	return wr;
}

/* An end that is connected to itself; its write @wr gets an MR over @src. */
static void open_own(struct ep *ep, struct ep_wr *wr, uint32_t cqe)
{
	struct mr_info mr;

	ep_init(ep, &v, &db, cqe, 0);
	ep_connect(ep, ep);
	REQUIRE_EQ(cmd_reg_mr(&v, ep->pd, &src, ACCESS_REMOTE, &mr), 0,
		   "REG_MR");
	wr->lkey = mr.lkey;
	wr->remote = src.va;
	wr->rkey = mr.rkey;
}

/* One completion on the CQ of @a, which is taken. */
static void complete_one(void)
{
	struct ep_wr wr = write_wr();

	REQUIRE_EQ(ep_do(&a, &wr), WC_SUCCESS, "RDMA write");
}

static void expect_event(struct evq *q, uint16_t type, uint16_t code,
			 uint32_t handle, uint32_t count, const char *what)
{
	struct hyv_event ev;

	if (!tap_ok(evq_get(q, &ev, dt_hang_ms()), "an event comes: %s", what))
		return;
	tap_ok(le16toh(ev.type) == type && le16toh(ev.code) == code &&
		       le32toh(ev.handle) == handle &&
		       (!count || le32toh(ev.count) == count) &&
		       le32toh(ev.count) >= 1,
	       "the event is the expected one: type %u code %u handle %u count %u, want %u %u %u %u",
	       le16toh(ev.type), le16toh(ev.code), le32toh(ev.handle),
	       le32toh(ev.count), type, code, handle, count);
}

static void expect_quiet(struct evq *q, const char *what)
{
	struct hyv_event ev;

	tap_ok(!evq_get(q, &ev, QUIET_MS), "no event comes: %s", what);
}

static void test_arm(void)
{
	struct hyv_event ev;
	int i, bad = 0;

	complete_one();
	expect_quiet(&q0, "the CQ is not armed");
	tap_ok(db_arm_wait(&db, a.cq.slot, false), "the CQ gets armed");
	expect_quiet(&q0, "no event without a completion");
	complete_one();
	expect_event(&q0, HYV_EVENT_COMP, 0, a.cq.handle, 1, "armed");
	complete_one();
	complete_one();
	expect_quiet(&q0, "no second event for one arming");

	for (i = 0; i < 100; i++) {
		if (!db_arm_wait(&db, a.cq.slot, false))
			bad++;
		complete_one();
		if (!evq_get(&q0, &ev, dt_hang_ms()) ||
		    le16toh(ev.type) != HYV_EVENT_COMP ||
		    le32toh(ev.handle) != a.cq.handle || le32toh(ev.count) != 1)
			bad++;
	}
	tap_is(bad, 0, "100 times: arm, complete, event");
	expect_quiet(&q0, "each completion has its event");
}

static void send_one(uint32_t flags)
{
	struct ib_uverbs_wc wc;
	struct ep_wr wr = write_wr();

	wr.opcode = IB_UVERBS_WR_SEND;
	wr.flags = flags;
	ep_post_recv(&b, 5, dst.va, dst_mr.lkey, 64);
	REQUIRE_EQ(ep_do(&a, &wr), WC_SUCCESS, "send");
	REQUIRE(ep_poll(&b, &wc) && !wc.status, "receive");
}

static void test_solicited(void)
{
	struct evq *q = le16toh(v.config.nr_comp_vectors) > 1 ? &q1 : &q0;

	tap_ok(db_arm_wait(&db, b.cq.slot, true),
	       "the CQ gets armed for solicited completions");
	send_one(0);
	expect_quiet(q, "no event for an unsolicited completion");
	send_one(SEND_SOLICITED);
	expect_event(q, HYV_EVENT_COMP, 0, b.cq.handle, 1, "solicited");
	if (q == &q1)
		expect_quiet(&q0, "no event in the queue of another vector");
	db_arm(&db, b.cq.slot, true);
	tap_ok(db_arm_wait(&db, b.cq.slot, false), "armed in both ways");
	while (db_armed_pending(&db, b.cq.slot, true))
		dt_sleep_us(1000);
	send_one(0);
	expect_event(q, HYV_EVENT_COMP, 0, b.cq.handle, 1,
		     "any completion, after arming for both");
	send_one(SEND_SOLICITED);
	expect_quiet(q, "one event for both ways of arming");
}

/* Bits of slots that no CQ or QP has. */
static void test_no_slots(void)
{
	uint32_t slot;
	int bad = 0;

	for (slot = 0; slot < db.cq_slots; slot += 997)
		if (slot != a.cq.slot && slot != b.cq.slot &&
		    !db_arm_wait(&db, slot, slot & 1))
			bad++;
	for (slot = 0; slot < db.qp_slots; slot += 331)
		db_ring(&db, slot);
	tap_is(bad, 0, "arming slots of no CQ ends, too");
	tap_ok(db_arm_wait(&db, db.cq_slots - 1, false),
	       "arming the last slot ends, too");
	complete_one();
	expect_quiet(&q0, "no event of another CQ");
}

static bool take_soon(struct evq *q, struct hyv_event *ev, uint32_t *id)
{
	return dt_until(evq_take(q, ev, id));
}

static void test_interrupts(bool event_idx)
{
	struct hyv_event ev;
	uint32_t id;
	int i;

	while (evq_interrupted(&q0, 0))
		;
	REQUIRE(db_arm_wait(&db, a.cq.slot, false), "the CQ gets armed");
	complete_one();
	tap_ok(evq_interrupted(&q0, dt_hang_ms()), "an event interrupts");
	tap_ok(evq_take(&q0, &ev, &id), "the event is in the ring");
	evq_post(&q0, id);
	if (event_idx)
		return;
	q0.avail->flags = htole16(VRING_AVAIL_F_NO_INTERRUPT);
	for (i = 0; i < 3; i++) {
		REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
		complete_one();
		REQUIRE(take_soon(&q0, &ev, &id), "an event comes");
		evq_post(&q0, id);
	}
	tap_ok(!evq_interrupted(&q0, QUIET_MS),
	       "no interrupt if the driver disabled it");
	q0.avail->flags = 0;
}

/* Take all buffers away from a queue, by a new one that has none. */
static void empty_queue(struct evq *q, bool event_idx)
{
	uint16_t index;
	uint32_t i = q->index;

	REQUIRE_EQ(evq_stop(q, &v, &index), 0, "stop");
	evq_free(q);
	evq_init(q, &v, i, 8, event_idx);
	REQUIRE_EQ(evq_start(q, &v, 0), 0, "start");
}

/* More events than buffers: none is lost, all come in order. */
static void test_stall(bool event_idx)
{
	struct ep more[6];
	struct ep_wr wr = write_wr();
	struct hyv_event ev;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		ep_init(&more[i], &v, &db, 15, 0);
		ep_connect(&more[i], &more[i]);
	}
	empty_queue(&q0, event_idx);
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		struct mr_info mr;

		REQUIRE_EQ(cmd_reg_mr(&v, more[i].pd, &src, ACCESS_REMOTE, &mr),
			   0, "REG_MR");
		wr.lkey = mr.lkey;
		wr.remote = src.va;
		wr.rkey = mr.rkey;
		REQUIRE(db_arm_wait(&db, more[i].cq.slot, false), "armed");
		REQUIRE_EQ(ep_do(&more[i], &wr), WC_SUCCESS, "RDMA write");
		if (i)
			continue;
		/*
		 * The first one twice more, while its event waits. rxe tells
		 * of a completion some time after it.
		 */
		dt_sleep_us(100000);
		REQUIRE(db_arm_wait(&db, more[0].cq.slot, false), "armed");
		REQUIRE_EQ(ep_do(&more[0], &wr), WC_SUCCESS, "RDMA write");
		dt_sleep_us(100000);
		REQUIRE(db_arm_wait(&db, more[0].cq.slot, false), "armed");
		REQUIRE_EQ(ep_do(&more[0], &wr), WC_SUCCESS, "RDMA write");
	}
	dt_sleep_us(100000);
	tap_ok(!evq_take(&q0, &ev, &i), "no event without a buffer");

	/* The object of one waiting event goes. */
	ep_destroy(&more[2]);
	evq_post(&q0, 0);
	expect_event(&q0, HYV_EVENT_COMP, 0, more[0].cq.handle, 3,
		     "the first event, with a count of three");
	expect_event(&q0, HYV_EVENT_COMP, 0, more[1].cq.handle, 1,
		     "the second one");
	for (i = 1; i < 8; i++)
		evq_post(&q0, i);
	for (i = 3; i < ARRAY_SIZE(more); i++)
		expect_event(&q0, HYV_EVENT_COMP, 0, more[i].cq.handle, 1,
			     "the others, in order");
	expect_quiet(&q0, "no further events, and none of destroyed objects");
	for (i = 0; i < ARRAY_SIZE(more); i++)
		if (i != 2)
			ep_destroy(&more[i]);
}

/*
 * An object goes while its event is on the way: what comes after the reply must
 * not name it.
 */
static void test_destroy_race(void)
{
	struct ep_wr wr = write_wr();
	struct dt_rng rng = {5};
	struct hyv_event ev;
	int i, late = 0, early = 0;
	uint16_t signalled;
	struct ep ep;
	uint32_t id;

	for (i = 0; i < 40; i++) {
		open_own(&ep, &wr, 15);
		REQUIRE(db_arm_wait(&db, ep.cq.slot, false), "armed");
		ep_post(&ep, &wr);
		ep_ring(&ep);
		dt_sleep_us(dt_below(&rng, 2000));
		ep_destroy(&ep);
		signalled = le16toh(
			__atomic_load_n(&q0.used->idx, __ATOMIC_ACQUIRE));
		dt_sleep_us(2000);
		while (evq_take(&q0, &ev, &id)) {
			if ((int16_t)(q0.last_used - signalled) > 0)
				late++;
			else
				early++;
			evq_post(&q0, id);
		}
	}
	tap_is(late, 0, "no event of a destroyed object; %d came in time",
	       early);
}

#define SURVIVALS 300

/* A thread that makes CQs of the events' queue and destroys them. */
static void *destroyer_thread(void *arg)
{
	atomic_bool *stop = arg;
	struct cq_info cq;

	while (!atomic_load(stop)) {
		REQUIRE_EQ(cmd_create_cq(&v, a.context, 15, 0, &cq), 0,
			   "CREATE_CQ");
		REQUIRE_EQ(cmd_destroy(&v, HYV_OBJ_CQ, cq.handle), 0,
			   "DESTROY");
	}
	return NULL;
}

/*
 * The ends of objects wait for the queue of events, and its worker makes room
 * for them. It must go on afterwards.
 */
static void test_others_destroyed(void)
{
	atomic_bool stop = false;
	struct hyv_event ev;
	pthread_t thread[4];
	int i, got = 0;

	for (i = 0; i < (int)ARRAY_SIZE(thread); i++)
		REQUIRE(!pthread_create(&thread[i], NULL, destroyer_thread,
					&stop),
			"pthread_create");
	for (i = 0; i < SURVIVALS && got == i; i++) {
		REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
		complete_one();
		got += evq_get(&q0, &ev, dt_hang_ms()) &&
		       le32toh(ev.handle) == a.cq.handle;
	}
	atomic_store(&stop, true);
	for (i = 0; i < (int)ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	tap_is(got, SURVIVALS, "an event comes while objects are destroyed");
}

static void test_restart(void)
{
	uint16_t index;
	uint16_t expected = q0.last_used;

	REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
	tap_is(evq_stop(&q0, &v, &index), 0, "a queue stops");
	tap_is(index, expected, "avail_index is that of the driver");
	complete_one();
	expect_quiet(&q0, "no event from a stopped queue");
	tap_is(evq_start(&q0, &v, index), 0, "the queue starts again");
	expect_event(&q0, HYV_EVENT_COMP, 0, a.cq.handle, 1,
		     "an event raised while it was stopped");
}

static void break_jump(void)
{
	q0.avail->idx = htole16(le16toh(q0.avail->idx) + 100);
}

static void break_id(void)
{
	q0.avail->ring[0] = htole16(0xffff);
	q0.avail->idx = htole16(1);
}

static void break_read_only(void)
{
	evq_post(&q0, 0);
	q0.desc[0].flags = 0;
}

/* A table of which the first entry says that it is a table. */
static void break_indirect(void)
{
	struct vring_desc table = {
		.len = htole32(sizeof(table)),
		.flags = htole16(VRING_DESC_F_INDIRECT),
	};

	evq_post(&q0, 0);
	memcpy(&q0.event[0], &table, sizeof(table));
	q0.desc[0].len = htole32(sizeof(table));
	q0.desc[0].flags = htole16(VRING_DESC_F_INDIRECT);
}

static void break_chain(void)
{
	evq_post(&q0, 0);
	q0.desc[0].len = 0;
	q0.desc[0].flags = htole16(VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
	q0.desc[0].next = 0;
}

static void break_short(void)
{
	evq_post(&q0, 0);
	q0.desc[0].len = htole32(31);
}

static void break_hole(void)
{
	evq_post(&q0, 0);
	q0.desc[0].addr = htole64(GMEM_GPA_HOLE);
}

static void break_wrap(void)
{
	evq_post(&q0, 0);
	q0.desc[0].addr = htole64(-8ULL);
}

static bool error_signalled(unsigned int timeout_ms)
{
	uint64_t end = dt_now_ms() + timeout_ms, count;

	while (read(error_fd, &count, sizeof(count)) != sizeof(count)) {
		if (dt_now_ms() > end)
			return false;
		dt_sleep_us(1000);
	}
	return true;
}

/* A new error_fd is signalled again, until a reset. */
static void test_signalled_again(void)
{
	tap_is(vnic_set_notify(&v, -1, error_fd), 0, "SET_NOTIFY");
	tap_ok(error_signalled(0), "a new error_fd is signalled at once");
	tap_is(vnic_set_notify(&v, -1, -1), 0, "SET_NOTIFY with nothing");
	tap_ok(!error_signalled(0), "the old one is not");
	tap_is(vnic_set_notify(&v, -1, error_fd), 0, "SET_NOTIFY");
	tap_ok(error_signalled(0), "signalled at once again");
}

/*
 * A buffer of one descriptor in the ring and two in a table, in the order of
 * the message; then a chain of two.
 */
static void test_framing(bool event_idx)
{
	struct vring_desc *table;
	struct hyv_event ev;
	uint8_t raw[sizeof(ev)];
	uint32_t id;

	empty_queue(&q0, event_idx);
	table = (void *)&q0.event[4];
	evq_fill(&q0, 0);
	q0.desc[0].len = htole32(5);
	q0.desc[0].flags = htole16(VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
	q0.desc[0].next = htole16(3);
	q0.desc[3].addr = htole64(q0.event_gpa + 4 * sizeof(ev));
	q0.desc[3].len = htole32(2 * sizeof(*table));
	q0.desc[3].flags = htole16(VRING_DESC_F_INDIRECT);
	table[0].addr = htole64(q0.event_gpa + 2 * sizeof(ev));
	table[0].len = htole32(20);
	table[0].flags = htole16(VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
	table[0].next = htole16(1);
	table[1].addr = htole64(q0.event_gpa + sizeof(ev));
	table[1].len = htole32(100);
	table[1].flags = htole16(VRING_DESC_F_WRITE);
	table[1].next = 0;
	evq_publish(&q0, 0);
	REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
	complete_one();
	if (!tap_ok(take_soon(&q0, &ev, &id), "an event in three parts comes"))
		return;
	tap_is(id, 0, "its first descriptor is used");
	memcpy(raw, &q0.event[0], 5);
	memcpy(raw + 5, &q0.event[2], 20);
	memcpy(raw + 25, &q0.event[1], sizeof(raw) - 25);
	memcpy(&ev, raw, sizeof(ev));
	tap_is(le16toh(ev.type), HYV_EVENT_COMP, "type");
	tap_is(le32toh(ev.handle), a.cq.handle, "CQ");
	tap_is(le32toh(ev.count), 1, "count");
	tap_ok(!error_signalled(0), "the queue is not broken");
}

/* A driver that breaks the rules loses its queue, and nothing else. */
static void test_broken(bool event_idx)
{
	static const struct {
		const char *what;
		void (*spoil)(void);
	} cases[] = {
		{"available index jumps", break_jump},
		{"no such descriptor", break_id},
		{"buffer for reading", break_read_only},
		{"table in a table", break_indirect},
		{"endless chain", break_chain},
		{"buffer too short", break_short},
		{"buffer outside of guest memory", break_hole},
		{"buffer wraps", break_wrap},
	};
	struct hyv_event ev;
	uint32_t id;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		empty_queue(&q0, event_idx);
		cases[i].spoil();
		REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
		complete_one();
		tap_ok(error_signalled(dt_hang_ms()),
		       "%s: error_fd is signalled", cases[i].what);
		tap_ok(!evq_take(&q0, &ev, &id), "%s: no event", cases[i].what);
		complete_one();
		tap_ok(!error_signalled(30), "%s: once", cases[i].what);
		empty_queue(&q0, event_idx);
		evq_post_all(&q0);
		REQUIRE(db_arm_wait(&db, a.cq.slot, false), "armed");
		complete_one();
		tap_ok(evq_get(&q0, &ev, dt_hang_ms()),
		       "%s: good again after it", cases[i].what);
		/* The event of before may have been kept, too. */
		evq_get(&q0, &ev, 20);
	}
}

static void test_reset(void)
{
	uint16_t index;

	tap_is(vnic_reset(&v), 0, "RESET");
	tap_is(vnic_set_notify(&v, -1, error_fd), 0, "SET_NOTIFY");
	tap_ok(!error_signalled(0), "a reset repairs the queues");
	tap_is(evq_stop(&q0, &v, &index), 0, "stop of a stopped queue");
	evq_free(&q0);
	evq_init(&q0, &v, 0, 8, false);
	tap_is(evq_start(&q0, &v, 0), -EPROTO,
	       "no queue starts before features are set");
	tap_is(vnic_set_features(&v, vnic_features(&v)), 0, "SET_FEATURES");
	tap_is(evq_start(&q0, &v, 0), 0, "a queue starts after a reset");
	evq_post_all(&q0);
	expect_quiet(&q0, "no events after a reset");
}

#define MOVES	   200
#define MOVE_BYTES 4096

/* A thread that causes events and takes them, but not what they say. */
static void *storm_thread(void *arg)
{
	struct ep_wr wr = write_wr();
	atomic_bool *stop = arg;
	struct hyv_event ev;
	uint32_t id;

	while (!atomic_load(stop)) {
		REQUIRE(db_arm_wait(&db, a.cq.slot, false), "the CQ is armed");
		REQUIRE_EQ(ep_do(&a, &wr), WC_SUCCESS, "RDMA write");
		while (evq_take(&q0, &ev, &id))
			evq_publish(&q0, id);
	}
	return NULL;
}

/* Let the guest's memory have a page more, which is at @at. */
static void move_to(const uint8_t *at)
{
	static struct hyv_mem_region region[GMEM_REGIONS + 1];

	memcpy(region, gm.region, sizeof(gm.region));
	region[GMEM_REGIONS] = (struct hyv_mem_region){
		.gpa = GMEM_GPA_HOLE,
		.length = MOVE_BYTES,
		.addr = (uintptr_t)at,
	};
	REQUIRE_EQ(vnic_set_mem(&v, region, GMEM_REGIONS + 1), 0, "SET_MEM");
}

/* Let the buffers that the host has be elsewhere. */
static void redirect(uint64_t gpa)
{
	uint16_t index;
	uint32_t id;

	REQUIRE_EQ(evq_stop(&q0, &v, &index), 0, "stop");
	for (id = 0; id < q0.num; id++)
		q0.desc[id].addr = htole64(gpa + id * sizeof(struct hyv_event));
	REQUIRE_EQ(evq_start(&q0, &v, index), 0, "start");
}

static bool is_filled(const uint8_t *page, uint8_t with)
{
	int i;

	for (i = 0; i < MOVE_BYTES; i++)
		if (page[i] != with)
			return false;
	return true;
}

/* When SET_MEM has returned, no event is written to where buffers were. */
static void test_moved(void)
{
	static uint8_t page[2][MOVE_BYTES] __attribute__((aligned(MOVE_BYTES)));
	uint64_t end = dt_now_ms() + dt_hang_ms();
	unsigned int bad = 0, used = 0, i;
	atomic_bool stop = false;
	pthread_t thread;
	uint8_t *old;

	move_to(page[0]);
	redirect(GMEM_GPA_HOLE);
	REQUIRE(!pthread_create(&thread, NULL, storm_thread, &stop),
		"pthread_create");
	/* Longer if events are rare on a slow machine. */
	for (i = 1; i <= MOVES || (used <= MOVES / 10 && dt_now_ms() < end);
	     i++) {
		old = page[(i - 1) % 2];
		memset(page[i % 2], i, MOVE_BYTES);
		move_to(page[i % 2]);
		used += !is_filled(old, i - 1);
		memset(old, 0x5a, MOVE_BYTES);
		dt_sleep_us(2000);
		bad += !is_filled(old, 0x5a);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	tap_is(bad, 0, "events where buffers are no longer");
	tap_ok(used > MOVES / 10, "events came to %u of %u places", used,
	       i - 1);
	redirect(q0.event_gpa);
	REQUIRE_EQ(vnic_set_mem(&v, gm.region, GMEM_REGIONS), 0, "SET_MEM");
}

static void run(bool event_idx)
{
	tap_diag("event queues %s an event index",
		 event_idx ? "with" : "without");
	setup(event_idx);
	test_arm();
	test_solicited();
	test_no_slots();
	test_interrupts(event_idx);
	test_restart();
	test_destroy_race();
	test_others_destroyed();
	test_moved();
	test_stall(event_idx);
	test_framing(event_idx);
	test_broken(event_idx);
	test_signalled_again();
	test_reset();
	finish();
}

void suite_events(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	run(false);
	run(true);
	dt_expect_counts(&before, "after all events");
}

/* Events that the driver has got already may name what is gone since. */
static void drain(void)
{
	struct hyv_event ev;

	while (evq_get(&q0, &ev, 50))
		tap_diag("event type %u code %u count %u", le16toh(ev.type),
			 le16toh(ev.code), le32toh(ev.count));
}

/* More completions than the CQ has entries for. */
static void test_cq_error(void)
{
	struct ep_wr wr = write_wr();
	struct ep ep;
	int i;

	open_own(&ep, &wr, 3);
	for (i = 0; i < 12; i++)
		ep_post(&ep, &wr);
	ep_ring(&ep);
	expect_event(&q0, HYV_EVENT_CQ, CODE_CQ_ERR, ep.cq.handle, 0,
		     "the CQ runs over");
	ep_destroy(&ep);
	drain();
}

static void test_sq_drained(void)
{
	struct ep ep;

	ep_init(&ep, &v, &db, 15, 0);
	ep_connect(&ep, &ep);
	tap_is(ep_modify(&ep, QPS_SQD, 0, NULL), 0, "MODIFY_QP to SQD");
	expect_event(&q0, HYV_EVENT_QP, CODE_SQ_DRAINED, ep.qp.handle, 0,
		     "the send queue is drained");
	ep_destroy(&ep);
	drain();
}

static void fresh_pair(void)
{
	ep_destroy(&a);
	ep_destroy(&b);
	ep_init(&a, &v, &db, 63, 0);
	ep_init(&b, &v, &db, 63, 0);
	ep_connect(&a, &b);
	REQUIRE_EQ(cmd_reg_mr(&v, a.pd, &src, ACCESS_REMOTE, &src_mr), 0,
		   "REG_MR");
	REQUIRE_EQ(cmd_reg_mr(&v, b.pd, &dst, ACCESS_REMOTE, &dst_mr), 0,
		   "REG_MR");
}

/* A status that differs from kernel to kernel, but is none of success. */
#define ANY_FAILURE (-1)

/* A write that must fail; the QP is in the error state then. */
static void expect_failure(const struct ep_wr *wr, int status, const char *what)
{
	struct ep_wr next = write_wr();
	int got;

	gbuf_fill(&src, 31);
	gbuf_fill(&dst, 32);
	got = ep_do(&a, wr);
	if (status == ANY_FAILURE)
		tap_ok(got > 0, "a write %s fails, status %d", what, got);
	else
		tap_is(got, status, "status of a write %s", what);
	tap_is(gbuf_differs(&dst, 0, dst.length, 32, 0), -1,
	       "the host has written nothing");
	tap_is(ep_state(&a), QPS_ERR, "the QP is in the error state");
	tap_is(ep_do(&a, &next), WC_WR_FLUSH_ERR, "the next one is flushed");
	/* rxe has no event for it, other HCAs do. */
	drain();
	fresh_pair();
}

static void test_bad_access(void)
{
	struct ep_wr wr = write_wr();
	struct mr_info mr;
	struct gbuf other;

	wr.rkey ^= 0x55;
	expect_failure(&wr, WC_REM_ACCESS_ERR, "with a wrong rkey");
	wr = write_wr();
	wr.remote += dst.length - 32;
	expect_failure(&wr, WC_REM_ACCESS_ERR, "past the end of the MR");
	wr = write_wr();
	wr.lkey ^= 0x55;
	expect_failure(&wr, ANY_FAILURE, "with a wrong lkey");

	wr = write_wr();
	wr.rkey = src_mr.rkey;
	wr.remote = src.va;
	expect_failure(&wr, WC_REM_ACCESS_ERR, "to an MR of another PD");

	wr = write_wr();
	tap_is(cmd_destroy(&v, HYV_OBJ_MR, dst_mr.handle), 0, "DESTROY");
	expect_failure(&wr, WC_REM_ACCESS_ERR, "to a deregistered MR");

	gbuf_init(&other, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_reg_mr(&v, b.pd, &other, ACCESS_LOCAL, &mr), 0,
		   "REG_MR");
	wr = write_wr();
	wr.rkey = mr.rkey ? mr.rkey : mr.lkey;
	wr.remote = other.va;
	expect_failure(&wr, WC_REM_ACCESS_ERR, "without access rights");
	gbuf_free(&other);
}

/* Give the port an address more, or take it away. */
static void change_address(const char *verb)
{
	char path[256], netdev[64] = "";
	FILE *f;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/0",
		 dt_ibdev());
	f = fopen(path, "r");
	REQUIRE(f && fgets(netdev, sizeof(netdev), f), "%s has a netdev",
		dt_ibdev());
	fclose(f);
	netdev[strcspn(netdev, "\n")] = '\0';
	tap_is(dt_run("ip address %s 192.0.2.77/32 dev %s", verb, netdev), 0,
	       "ip address %s", verb);
}

static void test_port_event(void)
{
	struct hyv_event ev;
	uint64_t end;
	bool seen = false;

	change_address("add");
	end = dt_now_ms() + dt_hang_ms();
	while (!seen && dt_now_ms() < end)
		seen = evq_get(&q0, &ev, 100) &&
		       le16toh(ev.type) == HYV_EVENT_PORT &&
		       le16toh(ev.code) == CODE_GID_CHANGE &&
		       le32toh(ev.handle) == 1;
	tap_ok(seen, "GID changes raise an event");
	change_address("del");
	tap_ok(evq_get(&q0, &ev, dt_hang_ms()),
	       "a second GID change raises an event");
	drain();
}

/*
 * An event that is raised again while the guest has no buffer is delivered
 * again, in its turn, not at its first place. Each step has time to become an
 * event.
 */
static void test_async_order(void)
{
	struct ep first, second;
	uint32_t i;

	ep_init(&first, &v, &db, 15, 0);
	ep_connect(&first, &first);
	ep_init(&second, &v, &db, 15, 0);
	ep_connect(&second, &second);
	empty_queue(&q0, false);
	tap_is(ep_modify(&first, QPS_SQD, 0, NULL), 0, "MODIFY_QP to SQD");
	dt_sleep_us(300000);
	change_address("add");
	dt_sleep_us(1000000);
	tap_is(ep_modify(&second, QPS_SQD, 0, NULL), 0, "MODIFY_QP to SQD");
	dt_sleep_us(300000);
	change_address("del");
	dt_sleep_us(1000000);
	for (i = 0; i < 8; i++)
		evq_post(&q0, i);
	expect_event(&q0, HYV_EVENT_QP, CODE_SQ_DRAINED, first.qp.handle, 0,
		     "first, an event of the first QP");
	expect_event(&q0, HYV_EVENT_PORT, CODE_GID_CHANGE, 1, 0,
		     "second, an event of the port");
	expect_event(&q0, HYV_EVENT_QP, CODE_SQ_DRAINED, second.qp.handle, 0,
		     "third, an event of the second QP");
	expect_event(&q0, HYV_EVENT_PORT, CODE_GID_CHANGE, 1, 0,
		     "fourth, an event of the port again");
	expect_quiet(&q0, "no further events");
	ep_destroy(&first);
	ep_destroy(&second);
}

void suite_async(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	setup(false);
	test_cq_error();
	test_sq_drained();
	test_bad_access();
	test_port_event();
	test_async_order();
	finish();
	dt_expect_counts(&before, "after all async events");
}
