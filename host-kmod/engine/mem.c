// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of users: spans and copies.
 */
#include "mem.h"

/* Bytes that are stored in order at the end of a message. */
#define TAIL	64

static inline void *eng_mem_span(const struct eng_mem *mem, u64 offset, u64 *left)
{
	u64 place = mem->first + offset;
	u64 mask = (1ULL << mem->shift) - 1;

	*left = mask + 1 - (place & mask);
	return (u8 *)mem->run[place >> mem->shift] + (place & mask);
}

void *eng_mem_at(const struct eng_mem *mem, u64 offset)
{
	u64 left;

	return eng_mem_span(mem, offset, &left);
}

bool eng_mem_read(const struct eng_mem *mem, u64 offset, void *dst, u32 n)
{
	u8 *to = dst;
	u64 left;
	void *from = eng_mem_span(mem, offset, &left);

	if (left >= n)
		return !eng_copy(to, from, n);
	while (n) {
		u32 now;

		from = eng_mem_span(mem, offset, &left);
		now = left < n ? left : n;

		if (eng_copy(to, from, now))
			return false;
		to += now;
		offset += now;
		n -= now;
	}
	return true;
}

void eng_iter_init(struct eng_iter *it, const struct eng_sge *sge, u32 nr,
		   u64 skip)
{
	it->private = NULL;
	it->sge = sge;
	it->nr = nr;
	while (it->nr && skip >= it->sge->length) {
		skip -= it->sge->length;
		it->sge++;
		it->nr--;
	}
	it->offset = skip;
}

void eng_iter_init_private(struct eng_iter *it, void *private, u64 skip)
{
	it->private = (u8 *)private + skip;
}

/* The next bytes without a gap, at most *@n of them. */
static inline void *eng_iter_span(struct eng_iter *it, u64 *n)
{
	const struct eng_sge *sge = it->sge;
	u64 left;
	void *ptr;

	if (it->private)
		return it->private;
	ptr = eng_mem_span(&sge->key->mem,
			   sge->addr - sge->key->start + it->offset, &left);
	if (left > sge->length - it->offset)
		left = sge->length - it->offset;
	if (left < *n)
		*n = left;
	return ptr;
}

static inline void eng_iter_skip(struct eng_iter *it, u64 n)
{
	if (it->private) {
		it->private += n;
		return;
	}
	it->offset += n;
	while (it->nr && it->offset == it->sge->length) {
		it->offset = 0;
		it->sge++;
		it->nr--;
	}
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

/*
 * Applications poll the last byte of a message, and HCAs write in the order of
 * addresses, but a copy of the processor may not. Stores of 8 bytes that are
 * aligned do not tear.
 */
static bool eng_copy_tail(u8 *dst, const void *src, u32 n)
{
	u64 buf[TAIL / 8];
	u32 i;

	if (eng_copy(buf, src, n))
		return false;
	/* Whoever sees the last bytes must see the ones before. */
	smp_wmb();
	if (((unsigned long)dst | n) & 7) {
		eng_store_tail(dst, (u8 *)buf, n);
		return true;
	}
	for (i = 0; i < n / 8; i++)
		WRITE_ONCE(((u64 *)dst)[i], buf[i]);
	return true;
}

bool eng_iter_copy(struct eng_iter *dst, struct eng_iter *src, u64 n, bool last)
{
	while (n) {
		u64 now = n;
		u8 *to = eng_iter_span(dst, &now);
		u8 *from = eng_iter_span(src, &now);
		u32 tail = 0;

		/* Mostly it is one piece. */
		if (now == n && n <= TAIL && last)
			return eng_copy_tail(to, from, n);

		if (last && now == n)
			tail = now < TAIL ? now : TAIL;
		if (now > tail && eng_copy(to, from, now - tail))
			return false;
		if (tail && !eng_copy_tail(to + now - tail, from + now - tail,
					   tail))
			return false;
		n -= now;
		if (!n)
			break;
		eng_iter_skip(dst, now);
		eng_iter_skip(src, now);
	}
	return true;
}
