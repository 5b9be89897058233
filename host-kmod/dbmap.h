/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's view of one bitmap of the doorbell area (see wire.h).
 */
#ifndef HYV_DBMAP_H
#define HYV_DBMAP_H

#include <linux/types.h>

/* Limits of slots, a power of two; see struct hyv_config. */
#define HYV_DBMAP_MIN_SLOTS	64
#define HYV_DBMAP_MAX_SLOTS	65536

/**
 * struct hyv_dbmap - one bitmap in memory that the guest writes all the time
 * @summary: words which say where bits may be set
 * @word: the slots' bits
 * @nr_summary: elements of @summary
 * @nr_words: elements of @word
 */
struct hyv_dbmap {
	__le64 *summary;
	__le64 *word;
	u32 nr_summary;
	u32 nr_words;
};

/**
 * typedef hyv_dbmap_fn - act on a slot whose bit is set
 * @arg: the caller's
 * @slot: below the number of slots; there may be no such object
 */
typedef void (*hyv_dbmap_fn)(void *arg, u32 slot);

int hyv_dbmap_init(struct hyv_dbmap *map, void *base, u32 slots);
bool hyv_dbmap_pending(const struct hyv_dbmap *map);
unsigned int hyv_dbmap_drain(struct hyv_dbmap *map, bool clear_late,
			     hyv_dbmap_fn fn, void *arg);

#endif /* HYV_DBMAP_H */
