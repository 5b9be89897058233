// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types and codes of events from a host that may send any: a code belongs to
 * one type at most, and to none if it is not one of the verbs.
 */
#include "notify/event_type.c"

#include "fuzz.h"

/* The last one of the verbs that is not internal to ib_core. */
#define CODES 19

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 code = fuzz_below(&in, 4) ? fuzz_below(&in, 32) : fuzz_take(&in, 4);
	u32 other = fuzz_take(&in, 4), type, types = 0;

	for (type = 0; type < 256; type++)
		types += vhyv_event_valid_for(type, code);
	FUZZ_CHECK(types == (code < CODES));
	FUZZ_CHECK(!vhyv_event_valid_for(HYV_EVENT_COMP, code));
	FUZZ_CHECK(other < 256 || !vhyv_event_valid_for(other, code));
	return 0;
}
