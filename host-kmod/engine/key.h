/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_KEY_H
#define ENG_KEY_H

#include "table.h"
#include "wqe.h"

/* A key of this owner, whatever its variant. */
static inline struct eng_key *eng_key_find(struct eng *eng, u32 lkey, u32 pdn)
{
	struct eng_key *key = eng_table_find(&eng->keys, lkey >> 8);

	/* Pairs with smp_store_release() in eng_key_resume(). */
	if (!key || smp_load_acquire(&key->dead) || key->pdn != pdn)
		return NULL;
	return key;
}

static inline bool eng_in_range(u64 offset, u64 n, u64 length)
{
	return n <= length && offset <= length - n;
}

/* May the segment be of this key? Then it is from now on. */
static inline bool eng_sge_resolve(struct eng_sge *sge, struct eng_key *key,
				   u32 access)
{
	u64 offset = sge->addr - key->start;

	if (key->window || key->key != sge->lkey || (access & ~key->access) ||
	    !eng_in_range(offset, sge->length, key->mem.length))
		return false;
	sge->key = key;
	/* Also where the processor speculates that it is in range. */
	sge->offset = array_index_nospec(offset, key->mem.length);
	return true;
}

/*
 * Find the keys of data segments and check them: owner, rights, range. Those who
 * copy must do so again for each step, as keys may go between steps.
 */
static inline bool eng_sge_check(struct eng *eng, struct eng_sge *sge, u32 nr,
				 u32 pdn, u32 access)
{
	for (; nr; nr--, sge++) {
		struct eng_key *key = eng_key_find(eng, sge->lkey, pdn);

		if (!key || !eng_sge_resolve(sge, key, access))
			return false;
	}
	return true;
}

/* For eng_remote_check(): @key is a window. */
bool eng_window_check(const struct eng_qp *qp, u32 pdn, struct eng_key *key,
		      struct eng_sge *sge, u32 access);

/*
 * The same for what a peer of @qp names, in the PD @pdn, which may be a memory
 * window: @sge is then in the space of the key that it is bound to.
 */
static inline bool eng_remote_check(const struct eng_qp *qp, u32 pdn,
				    struct eng_sge *sge, u32 access)
{
	struct eng_key *key = eng_key_find(qp->eng, sge->lkey, pdn);

	if (!key)
		return false;
	if (key->window)
		return eng_window_check(qp, pdn, key, sge, access);
	return eng_sge_resolve(sge, key, access);
}

/* Bind or unbind a window, for @qp's owner. False if that is not allowed. */
bool eng_window_change(const struct eng_qp *qp, const struct eng_umr *umr);
/* Unbind the window @lkey of the PD @pdn, for the peer of @qp. */
bool eng_window_invalidate(const struct eng_qp *qp, u32 pdn, u32 lkey);

#endif /* ENG_KEY_H */
