// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of users: spans and copies.
 */
#include "mem.h"

bool eng_mem_read_runs(const struct eng_mem *mem, u64 offset, void *dst, u32 n)
{
	u8 *to = dst;

	while (n) {
		u64 left;
		void *from = eng_mem_span(mem, offset, &left);
		u32 now = left < n ? left : n;

		if (eng_copy(to, from, now))
			return false;
		to += now;
		offset += now;
		n -= now;
	}
	return true;
}

void eng_iter_seek(struct eng_iter *it)
{
	while (it->nr && it->offset >= it->sge->length) {
		it->offset -= it->sge->length;
		it->sge++;
		it->nr--;
	}
	it->left = 0;
	if (it->nr)
		eng_iter_load(it);
}

static inline void eng_iter_skip(struct eng_iter *it, u64 n)
{
	struct eng_iter next;

	it->at += n;
	it->left -= n;
	it->offset += n;
	if (it->left || !it->nr)
		return;
	if (it->offset < it->sge->length) {
		eng_iter_load(it);
		return;
	}
	/* A copy, so that @it itself is in registers. */
	next = *it;
	eng_iter_seek(&next);
	*it = next;
}

static void eng_store_tail(u8 *dst, const u8 *buf, u32 n)
{
	u32 i = 0;

	if (n == 4 && !((unsigned long)dst & 3)) {
		WRITE_ONCE(*(u32 *)dst, *(u32 *)buf);
		return;
	}
	for (; i < n && ((unsigned long)(dst + i) & 7); i++)
		WRITE_ONCE(dst[i], buf[i]);
	for (; i + 8 <= n; i += 8) {
		u64 word;

		memcpy(&word, buf + i, 8);
		WRITE_ONCE(*(u64 *)(dst + i), word);
	}
	for (; i < n; i++)
		WRITE_ONCE(dst[i], buf[i]);
}

static inline void eng_store_words(u64 *dst, const u64 *src)
{
	WRITE_ONCE(dst[0], src[0]);
	WRITE_ONCE(dst[1], src[1]);
	WRITE_ONCE(dst[2], src[2]);
	WRITE_ONCE(dst[3], src[3]);
}

/*
 * Applications poll the last byte of a message, and HCAs write in the order of
 * addresses, but a copy of the processor may not. Stores of 8 bytes that are
 * aligned do not tear.
 */
bool eng_copy_tail(u8 *dst, const u8 *src, u32 n)
{
	u64 buf[ENG_TAIL / 8];

	if (n < ENG_TAIL || (unsigned long)dst & 7) {
		if (eng_copy(buf, src, n))
			return false;
		/* Whoever sees the last bytes must see the ones before. */
		smp_wmb();
		eng_store_tail(dst, (u8 *)buf, n);
		return true;
	}
	if (eng_copy(buf, src, sizeof(buf)))
		return false;
	/* The same. */
	smp_wmb();
	eng_store_words((u64 *)dst, buf);
	eng_store_words((u64 *)dst + 4, buf + 4);
	return true;
}

bool eng_iter_copy_pieces(const struct eng_iter *dst, const struct eng_iter *src,
			  u64 n, bool last)
{
	struct eng_iter to = *dst, from = *src;

	for (;;) {
		u64 now = to.left < from.left ? to.left : from.left;

		if (n <= now)
			break;
		if (eng_copy(to.at, from.at, now))
			return false;
		n -= now;
		eng_iter_skip(&to, now);
		eng_iter_skip(&from, now);
	}
	if (last && n > ENG_TAIL) {
		u64 most = n - ENG_TAIL;

		if (eng_copy(to.at, from.at, most))
			return false;
		return eng_copy_tail(to.at + most, from.at + most, ENG_TAIL);
	}
	if (!n)
		return true;
	return last ? eng_copy_tail(to.at, from.at, n) :
		      !eng_copy(to.at, from.at, n);
}
