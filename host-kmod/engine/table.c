// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tables of objects by ID, in two levels. IDs are given out in turn, so chunks
 * become empty. One of them stays; others are freed when no worker can be using
 * them, by the next changes of the table.
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

	for (i = 0; i < ENG_CHUNKS; i++)
		eng_free(table->chunk[i]);
	eng_free(table->stale);
}

static void **eng_table_take_empty(struct eng_table *table)
{
	void **chunk;
	u32 i;

	for (i = 0; !table->chunk[i] || table->used[i];)
		i++;
	chunk = table->chunk[i];
	WRITE_ONCE(table->chunk[i], NULL);
	table->nr_empty--;
	return chunk;
}

static void eng_table_trim(struct eng *eng, struct eng_table *table)
{
	void **unused = NULL;

	eng_lock(&table->lock);
	if (table->stale && eng_retired(eng, table->stale_epoch)) {
		unused = table->stale;
		table->stale = NULL;
	}
	if (!table->stale && table->nr_empty > 1) {
		table->stale = eng_table_take_empty(table);
		table->stale_epoch = eng_retire(eng);
	}
	eng_unlock(&table->lock);
	eng_free(unused);
}

int eng_table_add(struct eng *eng, struct eng_table *table, u32 id,
		  void *object)
{
	void **new = NULL;
	u32 i = id / CHUNK;

	if (id >= ENG_MAX_IDS)
		return -EINVAL;
	eng_lock(&table->lock);
	while (!table->chunk[i] && !new) {
		eng_unlock(&table->lock);
		new = eng_zalloc(CHUNK * sizeof(*new));
		if (!new)
			return -ENOMEM;
		eng_lock(&table->lock);
	}
	if (!table->chunk[i]) {
		/* Pairs with smp_load_acquire() in eng_table_find(). */
		smp_store_release(&table->chunk[i], new);
		table->nr_empty++;
		new = NULL;
	}
	if (!table->used[i]++)
		table->nr_empty--;
	/* Pairs with the other one. */
	smp_store_release(&table->chunk[i][id % CHUNK], object);
	eng_unlock(&table->lock);
	eng_free(new);
	eng_table_trim(eng, table);
	return 0;
}

void eng_table_del(struct eng *eng, struct eng_table *table, u32 id)
{
	u32 i = id / CHUNK;

	eng_lock(&table->lock);
	WRITE_ONCE(table->chunk[i][id % CHUNK], NULL);
	if (!--table->used[i])
		table->nr_empty++;
	eng_unlock(&table->lock);
	eng_table_trim(eng, table);
}
