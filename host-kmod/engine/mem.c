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

/* The largest size that @addr is aligned to and @n has room for, up to 8. */
static u32 eng_store_size(unsigned long addr, u32 n)
{
	u32 size = 8;

	while (addr & (size - 1) || size > n)
		size /= 2;
	return size;
}

static bool eng_store_piece(u8 *dst, const u8 *buf, u32 size)
{
	u64 word8;
	u32 word4;
	u16 word2;

	switch (size) {
	case 8:
		memcpy(&word8, buf, sizeof(word8));
		return eng_store64((u64 *)dst, word8);
	case 4:
		memcpy(&word4, buf, sizeof(word4));
		return eng_store32((u32 *)dst, word4);
	case 2:
		memcpy(&word2, buf, sizeof(word2));
		return eng_store16((u16 *)dst, word2);
	default:
		return eng_store8(dst, *buf);
	}
}

static bool eng_store_tail(u8 *dst, const u8 *buf, u32 n)
{
	u32 size;

	for (; n; dst += size, buf += size, n -= size) {
		size = eng_store_size((unsigned long)dst, n);
		if (!eng_store_piece(dst, buf, size))
			return false;
		/* Whoever sees the last ones must see those before. */
		smp_wmb();
	}
	return true;
}

static inline bool eng_store_half(u64 *dst, const u64 *src)
{
	if (!eng_store_words(dst, src, 3))
		return false;
	/* The last word is what is polled. */
	smp_wmb();
	return eng_store64(&dst[3], src[3]);
}

/*
 * Applications poll the last byte of a message, and HCAs write in the order of
 * addresses, but a copy of the processor may not. Nor do HCAs tear what is aligned.
 */
bool eng_copy_tail(u8 *dst, const u8 *src, u32 n)
{
	u64 buf[ENG_TAIL / 8];

	if (n < ENG_TAIL || (unsigned long)dst & 7) {
		if (eng_copy(buf, src, n))
			return false;
		/* Whoever sees the last bytes must see the ones before. */
		smp_wmb();
		return eng_store_tail(dst, (u8 *)buf, n);
	}
	if (eng_copy(buf, src, sizeof(buf)))
		return false;
	/* The same. */
	smp_wmb();
	return eng_store_half((u64 *)dst, buf) &&
	       eng_store_half((u64 *)dst + 4, buf + 4);
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
