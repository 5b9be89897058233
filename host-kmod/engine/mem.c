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

#define eng_store_as(type, dst, buf)					\
do {									\
	type word;							\
									\
	memcpy(&word, buf, sizeof(word));				\
	WRITE_ONCE(*(type *)(dst), word);				\
} while (0)

/* The largest size that @addr is aligned to and @n has room for, up to 8. */
static u32 eng_store_size(unsigned long addr, u32 n)
{
	u32 size = 8;

	while (addr & (size - 1) || size > n)
		size /= 2;
	return size;
}

static void eng_store_tail(u8 *dst, const u8 *buf, u32 n)
{
	u32 size;

	for (; n; dst += size, buf += size, n -= size) {
		size = eng_store_size((unsigned long)dst, n);
		switch (size) {
		case 8:
			eng_store_as(u64, dst, buf);
			break;
		case 4:
			eng_store_as(u32, dst, buf);
			break;
		case 2:
			eng_store_as(u16, dst, buf);
			break;
		default:
			eng_store_as(u8, dst, buf);
		}
		/* Whoever sees the last ones must see those before. */
		smp_wmb();
	}
}

static inline void eng_store_words(u64 *dst, const u64 *src)
{
	WRITE_ONCE(dst[0], src[0]);
	WRITE_ONCE(dst[1], src[1]);
	WRITE_ONCE(dst[2], src[2]);
	/* The last word is what is polled. */
	smp_wmb();
	WRITE_ONCE(dst[3], src[3]);
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
