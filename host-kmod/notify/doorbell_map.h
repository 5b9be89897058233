/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One bitmap of the doorbell area, see wire.h. The guest writes it at any time.
 */
#ifndef HYVH_DOORBELL_MAP_H
#define HYVH_DOORBELL_MAP_H

#include <linux/types.h>

/* Limits of the number of slots, see struct hyv_config. */
#define HYVH_DOORBELL_MAP_MIN_SLOTS	64
#define HYVH_DOORBELL_MAP_MAX_SLOTS	65536

struct hyvh_doorbell_map {
	__le64 *summary;	/* a bit per word, set if it may not be 0 */
	__le64 *word;		/* a bit per slot */
	u32 nr_summary;
	u32 nr_words;
};

/* Acts on a slot whose bit is set. There may be no object in @slot. */
typedef void (*hyvh_doorbell_map_fn)(void *arg, u32 slot);

int hyvh_doorbell_map_init(struct hyvh_doorbell_map *map, void *base,
			   u32 slots);
bool hyvh_doorbell_map_pending(const struct hyvh_doorbell_map *map);
unsigned int hyvh_doorbell_map_drain(struct hyvh_doorbell_map *map,
				     bool clear_late, hyvh_doorbell_map_fn fn,
				     void *arg);

#endif /* HYVH_DOORBELL_MAP_H */
