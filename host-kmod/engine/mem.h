/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_MEM_H
#define ENG_MEM_H

#include "engine.h"

/*
 * A place in a list of data segments whose keys were checked, or in private memory.
 */
struct eng_iter {
	const struct eng_sge *sge;
	u32 nr;			/* segments left, with the current one */
	u64 offset;		/* in the current one */
	u8 *private;		/* not NULL: instead of segments */
};

void eng_iter_init(struct eng_iter *it, const struct eng_sge *sge, u32 nr,
		   u64 skip);
void eng_iter_init_private(struct eng_iter *it, void *private, u64 skip);
/*
 * Copy @n bytes, which both have; then the iterators are used up. With @last, nobody
 * sees the last bytes before the others. False if memory was bad.
 */
bool eng_iter_copy(struct eng_iter *dst, struct eng_iter *src, u64 n, bool last);

/* Read @n bytes of a queue, which must have them. */
bool eng_mem_read(const struct eng_mem *mem, u64 offset, void *dst, u32 n);
/* Address of what does not cross runs, such as an aligned entry. */
void *eng_mem_at(const struct eng_mem *mem, u64 offset);

#endif /* ENG_MEM_H */
