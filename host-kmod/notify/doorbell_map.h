/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's view of one bitmap of the doorbell area (see wire.h).
 */
#ifndef HYVH_DOORBELL_MAP_H
#define HYVH_DOORBELL_MAP_H

#include <linux/types.h>

/* Limits of slots, a power of two; see struct hyv_config. */
#define HYVH_DOORBELL_MAP_MIN_SLOTS	64
#define HYVH_DOORBELL_MAP_MAX_SLOTS	65536

/**
 * struct hyvh_doorbell_map - one bitmap in memory that the guest writes all the time
 * @summary: words which say where bits may be set
 * @word: the slots' bits
 * @nr_summary: elements of @summary
 * @nr_words: elements of @word
 */
struct hyvh_doorbell_map {
	__le64 *summary;
	__le64 *word;
	u32 nr_summary;
	u32 nr_words;
};

/**
 * typedef hyvh_doorbell_map_fn - act on a slot whose bit is set
 * @arg: the caller's
 * @slot: below the number of slots; there may be no such object
 */
typedef void (*hyvh_doorbell_map_fn)(void *arg, u32 slot);

int hyvh_doorbell_map_init(struct hyvh_doorbell_map *map, void *base, u32 slots);
bool hyvh_doorbell_map_pending(const struct hyvh_doorbell_map *map);
unsigned int hyvh_doorbell_map_drain(struct hyvh_doorbell_map *map, bool clear_late,
			      hyvh_doorbell_map_fn fn, void *arg);

#endif /* HYVH_DOORBELL_MAP_H */
