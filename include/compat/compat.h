/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels. The compiler includes this file
 * before every source file (see Kbuild). All other code is written for the
 * newest kernel; only this folder checks the kernel version.
 *
 * On the newest kernel this file includes nothing, so a source file that lacks
 * an include does not build there.
 */
#ifndef HYV_COMPAT_H
#define HYV_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#error "HyV supports Linux 6.1 to 6.12 and this kernel is out of that range"
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include "mm.h"
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

#endif /* HYV_COMPAT_H */
