/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users' memory, which may be bad: the hardware reports an error in it, and whoever
 * reads it meets a machine check, or the kernel has unmapped it for that.
 */
#ifndef ENG_BAD_H
#define ENG_BAD_H

#include <asm/asm.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64

#include <asm/cpufeature.h>
#include <asm/extable_fixup_types.h>

/* If memory is bad, the instruction at @insn ends at @label. */
#define ENG_BAD(insn, label)	\
	_ASM_EXTABLE_TYPE(insn, label, EX_TYPE_DEFAULT_MCE_SAFE)

size_t eng_copy_words(u8 *to, const u8 *from, size_t n);

/*
 * Copy @n bytes; return those that are left, as memory is bad. copy_mc_to_kernel() is
 * a plain copy on a processor that it has no better one for.
 */
static inline size_t eng_copy_bad(void *to, const void *from, size_t n)
{
	return cpu_feature_enabled(X86_FEATURE_ERMS) ?
		copy_mc_to_kernel(to, from, n) : eng_copy_words(to, from, n);
}

/* READ_ONCE(), or @bad if memory is bad. */
static inline __be32 eng_load_be32(const __be32 *from, __be32 bad)
{
	asm volatile("1:	movl %[from], %[word]\n"
		     "2:\n"
		     ENG_BAD(1b, 2b)
		     : [word] "+r" (bad)
		     : [from] "m" (*from));
	return bad;
}

/* WRITE_ONCE(), or false if memory is bad. */
static inline bool eng_store8(u8 *to, u8 word)
{
	asm goto("1:	movb %b[word], %[to]\n"
		 ENG_BAD(1b, %l[bad])
		 : : [word] "r" (word), [to] "m" (*to) : "memory" : bad);
	return true;

bad:
	return false;
}

static inline bool eng_store16(u16 *to, u16 word)
{
	asm goto("1:	movw %w[word], %[to]\n"
		 ENG_BAD(1b, %l[bad])
		 : : [word] "r" (word), [to] "m" (*to) : "memory" : bad);
	return true;

bad:
	return false;
}

static inline bool eng_store32(u32 *to, u32 word)
{
	asm goto("1:	movl %k[word], %[to]\n"
		 ENG_BAD(1b, %l[bad])
		 : : [word] "r" (word), [to] "m" (*to) : "memory" : bad);
	return true;

bad:
	return false;
}

static inline bool eng_store64(u64 *to, u64 word)
{
	asm goto("1:	movq %q[word], %[to]\n"
		 ENG_BAD(1b, %l[bad])
		 : : [word] "r" (word), [to] "m" (*to) : "memory" : bad);
	return true;

bad:
	return false;
}

/* These return false if memory is bad, or leave in *@old what was at @at. */
static inline bool eng_fetch_add64(u64 *at, u64 value, u64 *old)
{
	u32 bad = true;

	asm volatile("1:	lock xaddq %[value], %[at]\n"
		     "	xorl %[bad], %[bad]\n"
		     "2:\n"
		     ENG_BAD(1b, 2b)
		     : [value] "+r" (value), [at] "+m" (*at), [bad] "+r" (bad)
		     : : "cc", "memory");
	*old = value;
	return !bad;
}

static inline bool eng_cmpxchg64(u64 *at, u64 compare, u64 swap, u64 *old)
{
	u32 bad = true;

	asm volatile("1:	lock cmpxchgq %[swap], %[at]\n"
		     "	xorl %[bad], %[bad]\n"
		     "2:\n"
		     ENG_BAD(1b, 2b)
		     : "+a" (compare), [at] "+m" (*at), [bad] "+r" (bad)
		     : [swap] "r" (swap) : "cc", "memory");
	*old = compare;
	return !bad;
}

#else

static inline size_t eng_copy_bad(void *to, const void *from, size_t n)
{
	return copy_mc_to_kernel(to, from, n);
}

static inline __be32 eng_load_be32(const __be32 *from, __be32 bad)
{
	return READ_ONCE(*from);
}

static inline bool eng_store8(u8 *to, u8 word)
{
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store16(u16 *to, u16 word)
{
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store32(u32 *to, u32 word)
{
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_store64(u64 *to, u64 word)
{
	WRITE_ONCE(*to, word);
	return true;
}

static inline bool eng_fetch_add64(u64 *at, u64 value, u64 *old)
{
	*old = atomic64_fetch_add(value, (atomic64_t *)at);
	return true;
}

static inline bool eng_cmpxchg64(u64 *at, u64 compare, u64 swap, u64 *old)
{
	*old = cmpxchg64(at, compare, swap);
	return true;
}

#endif /* CONFIG_X86_64 */

/* Store @n words in any order; false if memory is bad. */
static __always_inline bool eng_store_words(u64 *to, const u64 *from, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!eng_store64(&to[i], from[i]))
			return false;
	return true;
}

#endif /* ENG_BAD_H */
