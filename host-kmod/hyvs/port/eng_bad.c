// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of users' memory, on processors without fast string operations.
 */
#include "eng_bad.h"

#ifdef CONFIG_X86_64

size_t eng_copy_words(u8 *to, const u8 *from, size_t n)
{
	for (; n >= sizeof(u64); n -= sizeof(u64)) {
		asm goto("1:	movq %[from], %%rax\n"
			 "2:	movq %%rax, %[to]\n"
			 ENG_BAD(1b, %l[bad])
			 ENG_BAD(2b, %l[bad])
			 : : [from] "m" (*(const u64 *)from),
			     [to] "m" (*(u64 *)to)
			 : "rax", "memory" : bad);
		to += sizeof(u64);
		from += sizeof(u64);
	}
	for (; n; n--) {
		asm goto("1:	movb %[from], %%al\n"
			 "2:	movb %%al, %[to]\n"
			 ENG_BAD(1b, %l[bad])
			 ENG_BAD(2b, %l[bad])
			 : : [from] "m" (*from), [to] "m" (*to)
			 : "rax", "memory" : bad);
		to++;
		from++;
	}
bad:
	return n;
}

#endif
