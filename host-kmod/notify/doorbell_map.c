// SPDX-License-Identifier: GPL-2.0-only
/*
 * One bitmap of the doorbell area.
 */
#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include <hyv/wire.h>

#include "notify/doorbell_map.h"

/**
 * hyvh_doorbell_map_init() - describe a bitmap
 * @map: the bitmap
 * @base: 8 * HYV_DB_BITMAP_WORDS(@slots) bytes of kernel memory; must be
 *	aligned to 8 bytes
 * @slots: number of slots; must be a power of two
 *
 * Return: 0, or %-EINVAL if @slots or the alignment is invalid.
 */
int hyvh_doorbell_map_init(struct hyvh_doorbell_map *map, void *base, u32 slots)
{
	if (slots < HYVH_DOORBELL_MAP_MIN_SLOTS ||
	    slots > HYVH_DOORBELL_MAP_MAX_SLOTS ||
	    !is_power_of_2(slots) ||
	    !IS_ALIGNED((unsigned long)base, sizeof(__le64)))
		return -EINVAL;

	map->nr_words = slots / 64;
	map->nr_summary = HYV_DB_BITMAP_WORDS(slots) - map->nr_words;
	map->summary = base;
	map->word = map->summary + map->nr_summary;
	return 0;
}

/* The bits of summary word @t that stand for a word. */
static u64
hyvh_doorbell_map_summary_mask(const struct hyvh_doorbell_map *map, u32 t)
{
	return GENMASK_ULL(min(map->nr_words - 64 * t, 64U) - 1, 0);
}

static u64 hyvh_doorbell_map_read(const __le64 *p)
{
	return le64_to_cpu(READ_ONCE(*p));
}

/* Read and clear, with a full barrier before and after. */
static u64 hyvh_doorbell_map_take(__le64 *p)
{
	return le64_to_cpu((__force __le64)xchg((__force u64 *)p, 0));
}

/* A guest that sees the bit cleared sees the effects of what came before. */
static void hyvh_doorbell_map_clear(__le64 *p, u64 bit)
{
	atomic64_fetch_andnot_release((__force s64)cpu_to_le64(bit),
				      (atomic64_t *)p);
}

/*
 * Check if hyvh_doorbell_map_drain() may find a set bit. With a full barrier
 * between setting kick_wanted and this call, the guest sends a kick for any bit
 * that is missed here.
 */
bool hyvh_doorbell_map_pending(const struct hyvh_doorbell_map *map)
{
	u32 t;

	for (t = 0; t < map->nr_summary; t++)
		if (hyvh_doorbell_map_read(&map->summary[t]) &
		    hyvh_doorbell_map_summary_mask(map, t))
			return true;
	return false;
}

static unsigned int
hyvh_doorbell_map_drain_word(struct hyvh_doorbell_map *map, u32 w,
			     bool clear_late, hyvh_doorbell_map_fn fn,
			     void *arg)
{
	__le64 *p = &map->word[w];
	unsigned int n = 0;
	u64 bits, bit;

	if (clear_late)
		bits = hyvh_doorbell_map_read(p);
	else
		bits = hyvh_doorbell_map_take(p);
	for (; bits; bits ^= bit) {
		bit = bits & -bits;
		fn(arg, 64 * w + __ffs64(bit));
		if (clear_late)
			hyvh_doorbell_map_clear(p, bit);
		n++;
	}
	return n;
}

/**
 * hyvh_doorbell_map_drain() - act on the slots whose bits are set
 * @map: the bitmap
 * @clear_late: clear a slot's bit after @fn has returned for it (arming), not
 *	before @fn is called (doorbells)
 * @fn: called once for each such slot, in no particular order
 * @arg: passed to @fn
 *
 * Reads each word at most once, so that the guest cannot keep it running. The
 * caller serialises the calls for a bitmap.
 *
 * Return: number of calls of @fn.
 */
unsigned int hyvh_doorbell_map_drain(struct hyvh_doorbell_map *map,
				     bool clear_late, hyvh_doorbell_map_fn fn,
				     void *arg)
{
	unsigned int n = 0;
	u64 words;
	u32 t;

	for (t = 0; t < map->nr_summary; t++) {
		/* Reading first keeps an idle area in the caches of both sides. */
		if (!hyvh_doorbell_map_read(&map->summary[t]))
			continue;
		words = hyvh_doorbell_map_take(&map->summary[t]) &
			hyvh_doorbell_map_summary_mask(map, t);
		for (; words; words &= words - 1)
			n += hyvh_doorbell_map_drain_word(map, 64 * t +
							  __ffs64(words),
							  clear_late, fn, arg);
	}
	return n;
}
