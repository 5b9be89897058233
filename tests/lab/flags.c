// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the processor keep the other flags when CMPXCHG8B and CMPXCHG16B set ZF?
 * An emulation may compute them from a state that is out of date, which
 * corrupts what the next interrupt saves.
 */
#include <stdint.h>
#include <stdio.h>

#define FLAGS 0x3fffff /* those that exist */
#define CF    0x1
#define ZF    0x40

/* After POPF, which ends a block of translated code, CMP sets other flags. */
#define FLAGS_AFTER(name, insn)                                             \
	static uint64_t flags_after_##name(void)                            \
	{                                                                   \
		static uint64_t memory[2] __attribute__((aligned(16)));     \
		uint64_t flags, zero = 0, big = ~0x1000ULL;                 \
		asm volatile("pushfq; popfq; cmp %[big], %[zero]; " insn    \
			     " %[memory]; pushfq; pop %[flags]"             \
			     : [flags] "=&r"(flags), [memory] "+m"(memory)  \
			     : [big] "r"(big), [zero] "r"(zero), "a"(zero), \
			       "b"(zero), "c"(zero), "d"(zero)              \
			     : "cc");                                       \
		return flags;                                               \
	}

FLAGS_AFTER(cmpxchg8b, "cmpxchg8b")
FLAGS_AFTER(cmpxchg16b, "cmpxchg16b")
FLAGS_AFTER(lock_cmpxchg8b, "lock cmpxchg8b")
FLAGS_AFTER(lock_cmpxchg16b, "lock cmpxchg16b")

static int check(const char *name, uint64_t flags)
{
	printf("%s: flags %#llx\n", name, (unsigned long long)flags);
	return !(flags & ~FLAGS) && (flags & (CF | ZF)) == (CF | ZF);
}

int main(void)
{
	int good = check("cmpxchg8b", flags_after_cmpxchg8b());

	good &= check("cmpxchg16b", flags_after_cmpxchg16b());
	good &= check("lock cmpxchg8b", flags_after_lock_cmpxchg8b());
	good &= check("lock cmpxchg16b", flags_after_lock_cmpxchg16b());
	return !good;
}
