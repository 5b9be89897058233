// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of ports, compared with a list of all of them. As long as there is
 * room, the queue is that list. Whatever the number of events, none is lost for
 * good: each kind that is in the list is in the queue, and the last event of a
 * port is the last one there.
 */
#include "notify/port_queue.c"

#include "fuzz.h"

#define PORTS 3
#define CODES 7
#define MOST  512

static struct vhyv_port_queue queue;
static struct vhyv_port_event own[PORTS][CODES];

/* Events since the queue was empty, without repetitions. */
static struct {
	u32 port, code, count;
} list[MOST];
static u32 first, end;
static bool exact; /* the queue never was full */

static void add(struct fuzz_in *in)
{
	u32 port = fuzz_below(in, PORTS), code = fuzz_below(in, CODES);
	u32 count = fuzz_below(in, 16) ? fuzz_below(in, 4) : fuzz_take(in, 4);

	if (end == MOST)
		return;
	vhyv_port_queue_add(&queue, &own[port][code], port, code, count);
	count = min_t(u32, count, VHYV_PORT_EVENT_MAX);
	if (end > first && list[end - 1].port == port &&
	    list[end - 1].code == code) {
		list[end - 1].count = min_t(u32, list[end - 1].count + count,
					    VHYV_PORT_EVENT_MAX);
		return;
	}
	list[end].port = port;
	list[end].code = code;
	list[end++].count = count;
	if (end - first > VHYV_PORT_QUEUE_LEN)
		exact = false;
}

static void take(void)
{
	struct vhyv_port_event event = {};
	bool got = vhyv_port_queue_take(&queue, &event);

	if (!exact)
		return;
	FUZZ_CHECK(got == (first < end));
	if (!got)
		return;
	FUZZ_CHECK(event.port == list[first].port &&
		   event.code == list[first].code &&
		   event.count == list[first].count);
	first++;
}

static void drain(void)
{
	u32 last[PORTS], i, n = 0, port, code;
	bool seen[PORTS][CODES] = {};
	struct vhyv_port_event event;

	memset(last, 0xff, sizeof(last));
	while (vhyv_port_queue_take(&queue, &event)) {
		FUZZ_CHECK(event.port < PORTS && event.code < CODES);
		FUZZ_CHECK(event.count <= VHYV_PORT_EVENT_MAX);
		FUZZ_CHECK(n++ < VHYV_PORT_QUEUE_LEN + PORTS * CODES);
		seen[event.port][event.code] = true;
		last[event.port] = event.code;
	}
	for (i = end; i > first; i--) {
		port = list[i - 1].port;
		code = list[i - 1].code;
		FUZZ_CHECK(!exact || seen[port][code]);
		if (last[port] == U32_MAX)
			continue;
		FUZZ_CHECK(last[port] == code);
		last[port] = U32_MAX;
	}
	for (port = 0; port < PORTS; port++)
		for (code = 0; code < CODES; code++)
			FUZZ_CHECK(list_empty(&own[port][code].link));
	first = 0;
	end = 0;
	exact = true;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 steps = 0, port, code;
	bool adds_only = fuzz_flag(&in);

	vhyv_port_queue_init(&queue);
	for (port = 0; port < PORTS; port++)
		for (code = 0; code < CODES; code++)
			INIT_LIST_HEAD(&own[port][code].link);
	first = 0;
	end = 0;
	exact = true;
	while (in.left && steps++ < 1000) {
		switch (adds_only ? 3 : fuzz_below(&in, 16)) {
		case 0:
			if (fuzz_flag(&in))
				drain();
			break;
		case 1:
		case 2:
			take();
			break;
		default:
			add(&in);
		}
	}
	drain();
	FUZZ_CHECK(list_empty(&queue.pending));
	return 0;
}
