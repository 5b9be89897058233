/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_MEM_H
#define ENG_MEM_H

#include "engine.h"

/*
 * A place in a list of data segments whose keys were checked, or in private memory.
 */
struct eng_iter {
	u8 *at;
	u64 left;		/* bytes without a gap */
	const struct eng_sge *sge;
	u32 nr;			/* segments left, with the current one */
	u64 offset;		/* in the current one */
};

/* Bytes that are stored in order at the end of a message. */
#define ENG_TAIL	64

/* Byte @offset; *@left bytes from there are without a gap. */
static inline void *eng_mem_span(const struct eng_mem *mem, u64 offset, u64 *left)
{
	u64 place = mem->first + offset;
	u64 rest = place & mem->mask;

	*left = mem->mask - rest + 1;
	return (u8 *)mem->run[place >> mem->shift] + rest;
}

/* Address of what does not cross runs, such as an aligned entry. */
static inline void *eng_mem_at(const struct eng_mem *mem, u64 offset)
{
	u64 left;

	return eng_mem_span(mem, offset, &left);
}

/* For eng_mem_read(), which it is part of. */
bool eng_mem_read_runs(const struct eng_mem *mem, u64 offset, void *dst, u32 n);

/* Read @n bytes of a queue, which must have them. */
static inline bool eng_mem_read(const struct eng_mem *mem, u64 offset, void *dst,
				u32 n)
{
	u64 left;
	void *from = eng_mem_span(mem, offset, &left);

	if (left >= n)
		return !eng_copy(dst, from, n);
	return eng_mem_read_runs(mem, offset, dst, n);
}

/*
 * The number of requests that a record counts, less @taken. If memory is bad it is more
 * than there is room for in any queue, as if the record was forged.
 */
static inline u16 eng_posted(const __be32 *record, u32 taken)
{
	u32 posted = be32_to_cpu(eng_load_be32(record, cpu_to_be32(taken - 1)));

	/* The requests are read after the record that counts them. */
	smp_rmb();
	return posted - taken;
}

/* For eng_iter_init(): the place is not in the first segment. */
void eng_iter_seek(struct eng_iter *it);

static inline void eng_iter_load(struct eng_iter *it)
{
	const struct eng_sge *sge = it->sge;

	it->at = eng_mem_span(&sge->key->mem, sge->offset + it->offset,
			      &it->left);
	if (it->left > sge->length - it->offset)
		it->left = sge->length - it->offset;
}

static inline void eng_iter_init(struct eng_iter *it, const struct eng_sge *sge,
				 u32 nr, u64 skip)
{
	it->sge = sge;
	it->nr = nr;
	it->offset = skip;
	if (nr && skip < sge->length)
		eng_iter_load(it);
	else
		eng_iter_seek(it);
}

static inline void eng_iter_init_private(struct eng_iter *it, void *private,
					 u64 skip)
{
	it->at = (u8 *)private + skip;
	it->left = ENG_MAX_MSG;
	it->nr = 0;
}

/* For eng_iter_copy(), of which these are parts. */
bool eng_copy_tail(u8 *dst, const u8 *src, u32 n);
bool eng_iter_copy_pieces(const struct eng_iter *dst, const struct eng_iter *src,
			  u64 n, bool last);

/*
 * Copy @n bytes, which both have. With @last, nobody sees the last bytes before the
 * others. False if memory was bad.
 */
static inline bool eng_iter_copy(const struct eng_iter *dst,
				 const struct eng_iter *src, u64 n, bool last)
{
	if (last && n - 1 < ENG_TAIL && n <= dst->left && n <= src->left)
		return eng_copy_tail(dst->at, src->at, n);
	return eng_iter_copy_pieces(dst, src, n, last);
}

#endif /* ENG_MEM_H */
