// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that are raised, delivered and cancelled in any order: none is lost or
 * made up, and the last ones of each kind keep their order.
 */
#include "notify/event_backlog.c"

#include "fuzz.h"

#define SOURCES 8
#define SPARES	4

struct model {
	struct hyvh_event_source source;
	u64 pending;
	u32 raised_at; /* step of the last time */
	bool cancelled;
};

static struct hyvh_event_backlog backlog;
static struct model model[SOURCES];
static struct hyvh_pending_event spare[SPARES];

static void raise_event(struct model *m, u32 step)
{
	bool was_empty = hyvh_backlog_empty(&backlog);
	bool first = hyvh_backlog_raise(&backlog, &m->source);

	FUZZ_CHECK(first == (was_empty && !m->cancelled));
	if (m->cancelled)
		return;
	m->pending++;
	m->raised_at = step;
}

/* Returns the event's model, or NULL if none is pending. */
static struct model *pop_event(void)
{
	struct hyv_event ev = {};
	struct model *m;
	u32 count, handle;

	if (!hyvh_backlog_pop(&backlog, &ev)) {
		for (m = model; m < model + SOURCES; m++)
			FUZZ_CHECK(!m->pending);
		return NULL;
	}
	handle = le32_to_cpu(ev.handle);
	count = le32_to_cpu(ev.count);
	FUZZ_CHECK(handle < SOURCES);
	m = &model[handle];
	FUZZ_CHECK(le16_to_cpu(ev.type) == m->source.type && !m->cancelled);
	FUZZ_CHECK(count && count <= HYVH_EVENT_MAX_COUNT &&
		   count <= m->pending);
	m->pending -= count;
	return m;
}

static void cancel(struct model *m)
{
	hyvh_backlog_cancel(&backlog, &m->source);
	m->cancelled = true;
	m->pending = 0;
}

/* The last delivery of each source is in the order of the last raises. */
static void drain(void)
{
	struct model *m;
	u32 last = 0;

	while ((m = pop_event())) {
		if (m->pending || m->source.type == HYV_EVENT_COMP)
			continue;
		FUZZ_CHECK(m->raised_at >= last);
		last = m->raised_at;
	}
	FUZZ_CHECK(hyvh_backlog_empty(&backlog) && !backlog.newest);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 i, n, nr_spare, step = 0;

	memset(model, 0, sizeof(model));
	memset(spare, 0, sizeof(spare));
	hyvh_backlog_init(&backlog);
	nr_spare = fuzz_below(&in, SPARES + 1);
	for (i = 0; i < nr_spare; i++)
		hyvh_backlog_add_spare(&backlog, &spare[i]);
	for (i = 0; i < SOURCES; i++)
		hyvh_event_source_init(&model[i].source,
				       i % 3 ? HYV_EVENT_QP : HYV_EVENT_COMP, i,
				       i);
	while (in.left && step++ < 2000) {
		struct model *m = &model[fuzz_below(&in, SOURCES)];

		switch (fuzz_below(&in, 16)) {
		case 0:
			cancel(m);
			break;
		case 1:
			for (n = fuzz_take(&in, 2) % 600; n; n--)
				raise_event(m, step);
			break;
		case 2:
		case 3:
		case 4:
			pop_event();
			break;
		default:
			raise_event(m, step);
		}
	}
	drain();
	for (i = 0; i < SOURCES; i++)
		cancel(&model[i]);
	for (n = 0; !list_empty(&backlog.spare); n++)
		list_del(backlog.spare.next);
	FUZZ_CHECK(n == nr_spare);
	return 0;
}
