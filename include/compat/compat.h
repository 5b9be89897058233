/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, included by the compiler in front
 * of every source file (see Kbuild). The rest of the code is written for the
 * newest of them. What an older one lacks or shapes differently is made up for
 * in this folder, and the kernel's version is looked at nowhere else.
 *
 * On the newest kernel this file includes nothing, so that a source which
 * forgets an include of its own fails to build there.
 */
#ifndef HYV_COMPAT_H
#define HYV_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#error "HyV supports Linux 6.1 to 6.12 and this kernel is out of that range"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#include "virtio.h"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#include "eventfd.h"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#include "genetlink.h"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#include "mm.h"
#endif

#endif /* HYV_COMPAT_H */
