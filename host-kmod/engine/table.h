/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_TABLE_H
#define ENG_TABLE_H

#include "engine.h"

void eng_table_init(struct eng_table *table);
void eng_table_destroy(struct eng_table *table);
/* The ID is free. May sleep. */
int eng_table_add(struct eng *eng, struct eng_table *table, u32 id,
		  void *object);
/* May sleep. */
void eng_table_del(struct eng *eng, struct eng_table *table, u32 id);

/* Any number is valid. The object stays until the caller's epoch ends. */
static inline void *eng_table_find(const struct eng_table *table, u32 id)
{
	void **chunk;

	if (id >= ENG_MAX_IDS)
		return NULL;
	/* Pairs with smp_store_release() in eng_table_add(). */
	chunk = smp_load_acquire(&table->chunk[id >> ENG_CHUNK_BITS]);
	if (!chunk)
		return NULL;
	/* Pairs with the other one. */
	return smp_load_acquire(&chunk[id & (BIT(ENG_CHUNK_BITS) - 1)]);
}

#endif /* ENG_TABLE_H */
