// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tables of objects by ID, in two levels. A chunk stays until the table goes.
 */
#include "table.h"

#define CHUNK	BIT(ENG_CHUNK_BITS)

void eng_table_init(struct eng_table *table)
{
	memset(table, 0, sizeof(*table));
	eng_lock_init(&table->lock);
}

void eng_table_destroy(struct eng_table *table)
{
	u32 i;

	for (i = 0; i < ENG_MAX_IDS / CHUNK; i++)
		eng_free(table->chunk[i]);
}

int eng_table_add(struct eng_table *table, u32 id, void *object)
{
	void **chunk, **new = NULL;
	u32 i = id / CHUNK;

	if (id >= ENG_MAX_IDS)
		return -EINVAL;
	if (!READ_ONCE(table->chunk[i])) {
		new = eng_zalloc(CHUNK * sizeof(*new));
		if (!new)
			return -ENOMEM;
	}
	eng_lock(&table->lock);
	chunk = table->chunk[i];
	if (!chunk) {
		chunk = new;
		new = NULL;
		/* Pairs with smp_load_acquire() in eng_table_find(). */
		smp_store_release(&table->chunk[i], chunk);
	}
	/* Pairs with the other one. */
	smp_store_release(&chunk[id % CHUNK], object);
	eng_unlock(&table->lock);
	eng_free(new);
	return 0;
}

void eng_table_del(struct eng_table *table, u32 id)
{
	eng_lock(&table->lock);
	WRITE_ONCE(table->chunk[id / CHUNK][id % CHUNK], NULL);
	eng_unlock(&table->lock);
}
