// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory keys and memory windows.
 */
#include "key.h"

int eng_key_add(struct eng *eng, struct eng_key *key)
{
	key->dead = false;
	key->bound = false;
	eng_lock_init(&key->lock);
	return eng_table_add(eng, &eng->keys, key->key >> 8, key);
}

void eng_key_del(struct eng *eng, struct eng_key *key)
{
	WRITE_ONCE(key->dead, true);
	eng_table_del(eng, &eng->keys, key->key >> 8);
}

void eng_key_suspend(struct eng_key *key)
{
	WRITE_ONCE(key->dead, true);
}

void eng_key_resume(struct eng_key *key)
{
	/* Pairs with smp_load_acquire() in eng_key_find(). */
	smp_store_release(&key->dead, false);
}

/* The rights of the key below a window that gives the rights @access. */
static u32 eng_window_needs(u32 access)
{
	const u32 writes = ENG_REMOTE_WRITE | ENG_REMOTE_ATOMIC;

	return access & writes ? ENG_BIND | ENG_LOCAL_WRITE : ENG_BIND;
}

bool eng_window_check(const struct eng_qp *qp, u32 pdn, struct eng_key *key,
		      struct eng_sge *sge, u32 access)
{
	bool ok;

	eng_lock(&key->lock);
	ok = key->bound && key->key == sge->lkey && !(access & ~key->access) &&
	     (key->qpn == ENG_ANY_QPN || key->qpn == qp->init.qpn) &&
	     eng_in_range(sge->addr - key->start, sge->length, key->length);
	sge->addr += key->target_start - key->start;
	sge->lkey = key->target;
	eng_unlock(&key->lock);
	/* The other key may have gone, or be a new one. */
	return ok && eng_sge_check(qp->eng, sge, 1, pdn,
				   eng_window_needs(access));
}

static bool eng_may_bind(const struct eng_qp *qp, const struct eng_umr *umr)
{
	struct eng_sge sge = {
		.addr = umr->target_start,
		.length = umr->length,
		.lkey = umr->target,
	};

	return (umr->qpn == ENG_ANY_QPN || umr->qpn == qp->init.qpn) &&
	       eng_sge_check(qp->eng, &sge, 1, qp->init.pdn,
			     eng_window_needs(umr->access));
}

/* A window that is for one QP changes hands only after it was invalidated. */
static bool eng_window_set(struct eng_key *key, const struct eng_qp *qp,
			   const struct eng_umr *umr)
{
	if (umr->check_free && key->bound)
		return false;
	if (umr->check_qpn && (!key->bound || key->key != umr->key ||
			       key->qpn != qp->init.qpn))
		return false;
	key->bound = umr->bind;
	if (!umr->bind)
		return true;
	key->key = (umr->key & ~0xffU) | umr->variant;
	key->qpn = umr->qpn;
	key->access = umr->access;
	key->start = umr->start;
	key->length = umr->length;
	key->target = umr->target;
	key->target_start = umr->target_start;
	return true;
}

static bool eng_window_find_set(const struct eng_qp *qp, u32 pdn,
				const struct eng_umr *umr)
{
	struct eng_key *key = eng_key_find(qp->eng, umr->key, pdn);
	bool ok;

	if (!key || !key->window)
		return false;
	eng_lock(&key->lock);
	ok = eng_window_set(key, qp, umr);
	eng_unlock(&key->lock);
	return ok;
}

bool eng_window_change(const struct eng_qp *qp, const struct eng_umr *umr)
{
	return (!umr->bind || eng_may_bind(qp, umr)) &&
	       eng_window_find_set(qp, qp->init.pdn, umr);
}

bool eng_window_invalidate(const struct eng_qp *qp, u32 pdn, u32 lkey)
{
	struct eng_umr umr = { .key = lkey, .check_qpn = true };

	return eng_window_find_set(qp, pdn, &umr);
}
