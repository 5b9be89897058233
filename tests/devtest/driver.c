// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's side of the doorbell area and of the event queues.
 */
#include <endian.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cmd.h"
#include "driver.h"
#include "harness.h"

static int dt_eventfd(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	REQUIRE(fd >= 0, "eventfd");
	return fd;
}

static void dt_signal(int fd)
{
	uint64_t one = 1;

	REQUIRE(write(fd, &one, sizeof(one)) == sizeof(one), "eventfd write");
}

/**
 * db_init() - make a doorbell area and the eventfd for kicks
 * @db: the area
 * @v: the vNIC; it gets the eventfd, but not yet the area
 * @poll_us: polling time that the host is to use
 */
void db_init(struct doorbells *db, struct vnic *v, uint32_t poll_us)
{
	struct hyv_set_doorbell arg = {
		.size = sizeof(arg),
		.poll_us = poll_us,
	};
	int i;

	memset(db, 0, sizeof(*db));
	db->qp_slots = le32toh(v->config.qp_slots);
	db->cq_slots = le32toh(v->config.cq_slots);
	REQUIRE(HYV_DB_AREA_SIZE(db->qp_slots, db->cq_slots) <=
			DB_PAGES * DT_PAGE,
		"the doorbell area fits into %d pages", DB_PAGES);
	gbuf_init(&db->buf, v->gm, DB_PAGES * DT_PAGE, 0, GBUF_SCATTERED);
	for (i = 0; i < DB_PAGES; i++) {
		db->page[i] = gmem_at(v->gm, db->buf.gpa[i]);
		memset(db->page[i], 0, DT_PAGE);
	}
	db->kick_fd = dt_eventfd();
	arg.kick_fd = db->kick_fd;
	REQUIRE_EQ(hyv_ioctl(v->fd, HYV_SET_DOORBELL, &arg), 0,
		   "HYV_SET_DOORBELL");
}

/**
 * db_free() - free a doorbell area
 * @db: the area; the host no longer uses it
 */
void db_free(struct doorbells *db)
{
	close(db->kick_fd);
	gbuf_free(&db->buf);
}

/**
 * db_setup() - hand the area to the host
 * @db: the area
 * @v: the vNIC
 *
 * Return: status of HYV_CMD_SETUP_DOORBELLS.
 */
int db_setup(struct doorbells *db, struct vnic *v)
{
	struct rsp rsp;
	struct req r;

	req_setup_doorbells(&r, &db->buf);
	return vnic_exec(v, &r, &rsp);
}

/**
 * db_word() - a word of the area
 * @db: the area
 * @offset: in bytes
 *
 * Return: where it is.
 */
_Atomic uint64_t *db_word(struct doorbells *db, uint64_t offset)
{
	return (_Atomic uint64_t *)(db->page[offset / DT_PAGE] +
				    offset % DT_PAGE);
}

static uint64_t db_slot_offset(uint64_t bitmap, uint32_t slots, uint32_t slot)
{
	return bitmap + 8ULL * ((slots + 4095) / 4096 + slot / 64);
}

static void db_set(struct doorbells *db, uint64_t bitmap, uint32_t slots,
		   uint32_t slot)
{
	uint32_t word = slot / 64;
	uint32_t *wanted = (uint32_t *)db->page[0];

	atomic_fetch_or(db_word(db, db_slot_offset(bitmap, slots, slot)),
			htole64(1ULL << slot % 64));
	atomic_fetch_or(db_word(db, bitmap + 8ULL * (word / 64)),
			htole64(1ULL << word % 64));
	atomic_thread_fence(memory_order_seq_cst);
	if (__atomic_load_n(wanted, __ATOMIC_RELAXED)) {
		atomic_fetch_add(&db->kicks, 1);
		dt_signal(db->kick_fd);
	}
}

/**
 * db_ring() - ring a QP's send doorbell
 * @db: the area
 * @qp_slot: of the QP
 */
void db_ring(struct doorbells *db, uint32_t qp_slot)
{
	db_set(db, HYV_DB_SQ_OFFSET, db->qp_slots, qp_slot);
}

static uint64_t db_arm_bitmap(struct doorbells *db, bool solicited)
{
	return solicited ? HYV_DB_SOLICITED_OFFSET(db->qp_slots, db->cq_slots)
			 : HYV_DB_ARM_OFFSET(db->qp_slots);
}

/**
 * db_arm() - request the next completion event of a CQ, without waiting
 * @db: the area
 * @cq_slot: of the CQ
 * @solicited: of the next solicited completion
 */
void db_arm(struct doorbells *db, uint32_t cq_slot, bool solicited)
{
	db_set(db, db_arm_bitmap(db, solicited), db->cq_slots, cq_slot);
}

/**
 * db_armed_pending() - check whether the host has yet to arm a CQ
 * @db: the area
 * @cq_slot: of the CQ
 * @solicited: as given to db_arm()
 *
 * Return: true until the host has cleared the bit.
 */
bool db_armed_pending(struct doorbells *db, uint32_t cq_slot, bool solicited)
{
	uint64_t offset = db_slot_offset(db_arm_bitmap(db, solicited),
					 db->cq_slots, cq_slot);

	return le64toh(atomic_load(db_word(db, offset))) >> cq_slot % 64 & 1;
}

/**
 * db_arm_wait() - arm a CQ and wait until the host has done it
 * @db: the area
 * @cq_slot: of the CQ
 * @solicited: as for db_arm()
 *
 * Return: false if the host does not do it in time.
 */
bool db_arm_wait(struct doorbells *db, uint32_t cq_slot, bool solicited)
{
	uint64_t end = dt_now_ms() + dt_hang_ms();

	db_arm(db, cq_slot, solicited);
	while (db_armed_pending(db, cq_slot, solicited)) {
		if (dt_now_ms() > end)
			return false;
		sched_yield();
	}
	return true;
}

/* The event index fields, which struct vring_avail and _used do not name. */
static uint16_t *evq_used_event(struct evq *q)
{
	return &q->avail->ring[q->num];
}

static uint16_t *evq_avail_event(struct evq *q)
{
	return (uint16_t *)&q->used->ring[q->num];
}

/**
 * evq_init() - make an event queue with no buffers in it
 * @q: the queue
 * @v: the vNIC; it does not get the queue yet
 * @index: which event queue it will be
 * @num: entries, a power of two up to EVQ_MAX
 * @event_idx: use the event index
 */
void evq_init(struct evq *q, struct vnic *v, uint32_t index, uint32_t num,
	      bool event_idx)
{
	uint64_t ring = gmem_page(v->gm), used = gmem_page(v->gm);

	memset(q, 0, sizeof(*q));
	q->gm = v->gm;
	q->index = index;
	q->num = num;
	q->event_idx = event_idx;
	q->desc = (void *)gmem_at(v->gm, ring);
	q->avail = (void *)((uint8_t *)q->desc + 2048);
	q->used = (void *)gmem_at(v->gm, used);
	q->event_gpa = gmem_page(v->gm);
	q->event = (void *)gmem_at(v->gm, q->event_gpa);
	memset(q->desc, 0, DT_PAGE);
	memset(q->used, 0, DT_PAGE);
	memset(q->event, 0, DT_PAGE);
	q->call_fd = dt_eventfd();
	q->kick_fd = dt_eventfd();
}

/**
 * evq_free() - free a queue that the host no longer uses
 * @q: the queue
 */
void evq_free(struct evq *q)
{
	close(q->call_fd);
	close(q->kick_fd);
}

/**
 * evq_start() - hand a queue to the host
 * @q: the queue
 * @v: the vNIC
 * @avail_index: where in the available ring the host starts
 *
 * Return: 0 or a negative errno of HYV_SET_EVENT_QUEUE.
 */
int evq_start(struct evq *q, struct vnic *v, uint16_t avail_index)
{
	struct hyv_set_event_queue arg = {
		.size = sizeof(arg),
		.index = q->index,
		.num = q->num,
		.desc = (uintptr_t)q->desc,
		.avail = (uintptr_t)q->avail,
		.used = (uintptr_t)q->used,
		.call_fd = q->call_fd,
		.kick_fd = q->kick_fd,
		.avail_index = avail_index,
	};

	return hyv_ioctl(v->fd, HYV_SET_EVENT_QUEUE, &arg);
}

/**
 * evq_stop() - take a queue back from the host
 * @q: the queue
 * @v: the vNIC
 * @avail_index: set to where the host stopped
 *
 * Return: 0 or a negative errno of HYV_SET_EVENT_QUEUE.
 */
int evq_stop(struct evq *q, struct vnic *v, uint16_t *avail_index)
{
	struct hyv_set_event_queue arg = {
		.size = sizeof(arg),
		.index = q->index,
		.call_fd = -1,
		.kick_fd = -1,
	};
	int ret = hyv_ioctl(v->fd, HYV_SET_EVENT_QUEUE, &arg);

	*avail_index = arg.avail_index;
	return ret;
}

/**
 * evq_fill() - describe a buffer of one descriptor
 * @q: the queue
 * @id: which one, 0 to num - 1; the host does not have it
 */
void evq_fill(struct evq *q, uint32_t id)
{
	memset(&q->event[id], 0xff, sizeof(q->event[id]));
	q->desc[id].addr =
		htole64(q->event_gpa + id * sizeof(struct hyv_event));
	q->desc[id].len = htole32(sizeof(struct hyv_event));
	q->desc[id].flags = htole16(VRING_DESC_F_WRITE);
}

/**
 * evq_publish() - give the host a buffer that has been described
 * @q: the queue
 * @id: its first descriptor
 */
void evq_publish(struct evq *q, uint32_t id)
{
	uint16_t idx = le16toh(q->avail->idx);
	bool kick;

	q->avail->ring[idx % q->num] = htole16(id);
	__atomic_store_n(&q->avail->idx, htole16(idx + 1), __ATOMIC_RELEASE);
	atomic_thread_fence(memory_order_seq_cst);
	if (q->event_idx)
		kick = vring_need_event(
			le16toh(__atomic_load_n(evq_avail_event(q),
						__ATOMIC_RELAXED)),
			idx + 1, idx);
	else
		kick = !(le16toh(__atomic_load_n(&q->used->flags,
						 __ATOMIC_RELAXED)) &
			 VRING_USED_F_NO_NOTIFY);
	if (kick)
		dt_signal(q->kick_fd);
}

/**
 * evq_post() - give the host a buffer of one descriptor
 * @q: the queue
 * @id: which one, 0 to num - 1
 */
void evq_post(struct evq *q, uint32_t id)
{
	evq_fill(q, id);
	evq_publish(q, id);
}

/**
 * evq_post_all() - give the host all buffers of a new queue
 * @q: the queue
 */
void evq_post_all(struct evq *q)
{
	uint32_t i;

	for (i = 0; i < q->num; i++)
		evq_post(q, i);
}

/**
 * evq_take() - take an event if there is one; its buffer stays the driver's
 * @q: the queue
 * @ev: the event
 * @id: its buffer
 *
 * Return: false if there is none.
 */
bool evq_take(struct evq *q, struct hyv_event *ev, uint32_t *id)
{
	struct vring_used_elem *elem;
	uint16_t idx;

	idx = le16toh(__atomic_load_n(&q->used->idx, __ATOMIC_ACQUIRE));
	if (idx == q->last_used)
		return false;
	elem = &q->used->ring[q->last_used % q->num];
	*id = le32toh(elem->id);
	REQUIRE(*id < q->num, "a used buffer is one that was given");
	REQUIRE_EQ(le32toh(elem->len), sizeof(*ev), "length of an event");
	*ev = q->event[*id];
	q->last_used++;
	/* The next one interrupts again. */
	__atomic_store_n(evq_used_event(q), htole16(q->last_used),
			 __ATOMIC_SEQ_CST);
	return true;
}

/**
 * evq_get() - wait for an event, and give its buffer back to the host
 * @q: the queue
 * @ev: the event
 * @timeout_ms: longest time to wait
 *
 * Return: false if none comes, or comes without its interrupt.
 */
bool evq_get(struct evq *q, struct hyv_event *ev, unsigned int timeout_ms)
{
	uint64_t end = dt_now_ms() + timeout_ms;
	uint32_t id;

	while (!evq_take(q, ev, &id)) {
		uint64_t now = dt_now_ms();

		if (now >= end || !evq_interrupted(q, end - now))
			return false;
	}
	evq_post(q, id);
	return true;
}

/**
 * evq_interrupted() - wait for an interrupt
 * @q: the queue
 * @timeout_ms: longest time to wait
 *
 * Return: false if none comes.
 */
bool evq_interrupted(struct evq *q, unsigned int timeout_ms)
{
	struct pollfd pfd = {.fd = q->call_fd, .events = POLLIN};
	uint64_t count;

	if (poll(&pfd, 1, timeout_ms) != 1)
		return false;
	return read(q->call_fd, &count, sizeof(count)) == sizeof(count);
}
