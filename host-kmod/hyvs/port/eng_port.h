/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of the engine: the kernel.
 */
#ifndef ENG_PORT_H
#define ENG_PORT_H

#include <asm/barrier.h>
#include <asm/byteorder.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>

#include "eng_bad.h"

/* Never taken in interrupts. */
#define eng_lock_t		spinlock_t

#define eng_lock_init(lock)	spin_lock_init(lock)
#define eng_lock(lock)		spin_lock(lock)
#define eng_unlock(lock)	spin_unlock(lock)

/* Returns bytes that were not copied, as memory was bad. */
static inline unsigned long eng_copy(void *dst, const void *src, size_t n)
{
	unsigned long left = eng_copy_bad(dst, src, n);

	/* The compiler must not read the source again. */
	barrier();
	return left;
}

static inline u64 eng_random(void)
{
	return get_random_u64();
}

static inline void *eng_zalloc(size_t size)
{
	return kvzalloc(size, GFP_KERNEL_ACCOUNT);
}

static inline void eng_free(void *ptr)
{
	kvfree(ptr);
}

#endif /* ENG_PORT_H */
