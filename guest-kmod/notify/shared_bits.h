/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits in memory that the host changes at the same time. */
#ifndef VHYV_SHARED_BITS_H
#define VHYV_SHARED_BITS_H

#include <linux/bitops.h>

/*
 * set_bit() need be atomic for the processors of this kernel only: on x86 an
 * SMP kernel that can have but one of them leaves out the LOCK prefix. The
 * host has processors all the same. For memory shared with somebody like it
 * there are the operations of sync_bitops.h, on architectures where set_bit()
 * would not do.
 */
#if defined(CONFIG_X86) || defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#include <asm/sync_bitops.h>
#else
#define sync_set_bit(nr, addr)	set_bit(nr, addr)
#endif

/**
 * vhyv_shared_set_bit_le() - set a bit, atomically for the host, too
 * @nr: number of the bit, in little endian order
 * @addr: memory that is shared with the host, aligned to 8 bytes
 *
 * Context: any.
 */
static inline void vhyv_shared_set_bit_le(unsigned int nr, void *addr)
{
	sync_set_bit(nr ^ BITOP_LE_SWIZZLE, addr);
}

#endif /* VHYV_SHARED_BITS_H */
