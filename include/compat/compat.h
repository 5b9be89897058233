/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels. The compiler includes this file
 * before every source file (see Kbuild). All other code is written for the
 * newest kernel; only this folder checks the kernel version. The file Kbuild of
 * this folder defines COMPAT_HAS_..., which say what the kernel's headers have.
 *
 * On the newest kernel this file includes nothing, so a source file that lacks
 * an include does not build there.
 */
#ifndef HYV_COMPAT_H
#define HYV_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0)
#error "HyV supports Linux 6.1 to 6.12, 7.2 and 7.3, and this is another kernel"
#endif

#ifndef COMPAT_HAS_DMAH
struct ib_dmah;
#endif

#ifndef COMPAT_HAS_RESIZE_USER_CQ
#define resize_user_cq resize_cq
#endif

#ifndef COMPAT_HAS_UMEM_GET_VA
#define ib_umem_get_va ib_umem_get
#endif

#ifndef COMPAT_HAS_SYSTEM_DFL_WQ
#define system_percpu_wq system_wq
#define system_dfl_wq system_unbound_wq
#endif

#ifndef COMPAT_HAS_SHMEM_VMA_FLAGS
#define EMPTY_VMA_FLAGS 0
#endif

#ifndef COMPAT_HAS_HRTIMER_SETUP
#include "hrtimer.h"
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
