// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bitmaps of doorbells with any content: each slot whose word and summary say
 * so is called once, and nothing else.
 */
#include "notify/doorbell_map.c"

#include "fuzz.h"

#define WORDS 1100

static u64 area[WORDS];
/* Slots to come, as words of the bitmap; and all of this call. */
static u64 want[HYVH_DOORBELL_MAP_MAX_SLOTS / 64];
static u64 all[HYVH_DOORBELL_MAP_MAX_SLOTS / 64];
static u32 slots, left;

static void called(void *arg, u32 slot)
{
	u64 bit = 1ULL << slot % 64;

	FUZZ_CHECK(arg == &slots && slot < slots && want[slot / 64] & bit);
	want[slot / 64] &= ~bit;
	left--;
}

static void expect(void)
{
	u32 t = (slots / 64 + 63) / 64, w;

	left = 0;
	for (w = 0; w < slots / 64; w++) {
		want[w] = area[w / 64] >> w % 64 & 1 ? area[t + w] : 0;
		all[w] = want[w];
		left += __builtin_popcountll(want[w]);
	}
}

static void check_cleared(void)
{
	u32 t = (slots / 64 + 63) / 64, w;

	for (w = 0; w < slots / 64; w++)
		FUZZ_CHECK(!(area[t + w] & all[w]));
}

static u64 take_word(struct fuzz_in *in)
{
	u64 word = 0;
	u32 n = fuzz_below(in, 4);

	if (n == 3)
		return fuzz_take(in, 8);
	while (n--)
		word |= 1ULL << fuzz_below(in, 64);
	return word;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	struct hyvh_doorbell_map map;
	u32 words, round, calls;

	memset(area, 0, sizeof(area));
	slots = fuzz_below(&in, 8) ? 64u << fuzz_below(&in, 11)
				   : (u32)fuzz_take(&in, 4);
	if (hyvh_doorbell_map_init(&map, area, slots)) {
		FUZZ_CHECK(slots < 64 || slots > 65536 || slots & (slots - 1));
		return 0;
	}
	FUZZ_CHECK(hyvh_doorbell_map_init(&map, (u8 *)area + 4, slots));
	FUZZ_CHECK(!hyvh_doorbell_map_init(&map, area, slots));
	words = HYV_DB_BITMAP_WORDS(slots);
	area[words] = 0x5a5a;
	for (round = 0; round < 4 && in.left; round++) {
		u32 n = fuzz_below(&in, 64);

		while (n--)
			area[fuzz_take(&in, 2) % words] = take_word(&in);
		expect();
		calls = left;
		FUZZ_CHECK(!left || hyvh_doorbell_map_pending(&map));
		FUZZ_CHECK(hyvh_doorbell_map_drain(&map, fuzz_flag(&in), called,
						   &slots) == calls);
		FUZZ_CHECK(!left && !hyvh_doorbell_map_pending(&map));
		check_cleared();
	}
	FUZZ_CHECK(area[words] == 0x5a5a);
	return 0;
}
