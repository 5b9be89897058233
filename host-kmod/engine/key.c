// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory keys.
 */
#include "key.h"
#include "table.h"

int eng_key_add(struct eng *eng, struct eng_key *key)
{
	key->dead = false;
	return eng_table_add(&eng->keys, key->key >> 8, key);
}

void eng_key_del(struct eng *eng, struct eng_key *key)
{
	WRITE_ONCE(key->dead, true);
	eng_table_del(&eng->keys, key->key >> 8);
}

bool eng_sge_check(struct eng *eng, struct eng_sge *sge, u32 nr, u32 pdn,
		   u32 access)
{
	u32 i;

	for (i = 0; i < nr; i++, sge++) {
		struct eng_key *key = eng_table_find(&eng->keys,
						     sge->lkey >> 8);

		if (!key || key->key != sge->lkey || READ_ONCE(key->dead) ||
		    key->pdn != pdn || (access & ~key->access))
			return false;
		if (sge->length > key->mem.length ||
		    sge->addr - key->start > key->mem.length - sge->length)
			return false;
		sge->key = key;
	}
	return true;
}
