/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory for kernel code in user space: an arena at addresses that mean
 * nothing to the CPU, so that code that forgets to use these functions crashes.
 */
#ifndef FUZZ_SHIM_UACCESS_H
#define FUZZ_SHIM_UACCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Address of the arena as the kernel sees it; the first page is never mapped.
 */
#define SHIM_USER_BASE 0x7f0000010000ULL

/**
 * struct shim_user - user memory
 * @mem: its content
 * @size: bytes
 * @fault_in: accesses until one fails, as if the page had been unmapped; -1 if
 *	      none does
 */
struct shim_user {
	unsigned char *mem;
	size_t size;
	long fault_in;
};

extern struct shim_user shim_user;

unsigned long shim_copy(void *kernel, const void *user, size_t len, bool write);

#define u64_to_user_ptr(addr) ((void *)(uintptr_t)(addr))
#define access_ok(ptr, len)                         \
	((unsigned long long)(len) <= 1ULL << 46 && \
	 (unsigned long long)(uintptr_t)(ptr) <=    \
		 (1ULL << 47) - (unsigned long long)(len))

#define copy_from_user(to, from, len) shim_copy(to, from, len, false)
#define copy_to_user(to, from, len) \
	shim_copy((void *)(uintptr_t)(from), to, len, true)
#define get_user(x, ptr)                                                  \
	({                                                                \
		unsigned long long val_ = 0;                              \
		int ret_ = shim_copy(&val_, (ptr), sizeof(*(ptr)), false) \
				   ? -EFAULT                              \
				   : 0;                                   \
		(x) = ret_ ? 0 : val_;                                    \
		ret_;                                                     \
	})
#define put_user(x, ptr)                                                 \
	({                                                               \
		__typeof__(*(ptr)) val_ = (x);                           \
		shim_copy(&val_, ptr, sizeof(val_), true) ? -EFAULT : 0; \
	})
#define __get_user(x, ptr)			 get_user(x, ptr)
#define __put_user(x, ptr)			 put_user(x, ptr)
#define __copy_from_user_inatomic(to, from, len) copy_from_user(to, from, len)
#define __copy_to_user_inatomic(to, from, len)	 copy_to_user(to, from, len)
#define pagefault_disable()			 ((void)0)
#define pagefault_enable()			 ((void)0)

#endif /* FUZZ_SHIM_UACCESS_H */
