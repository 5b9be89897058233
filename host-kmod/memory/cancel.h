/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Giving up work that takes long for a guest.
 */
#ifndef HYVH_CANCEL_H
#define HYVH_CANCEL_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

/*
 * Call it every now and then. Yields the CPU. Returns -EINTR if the VMM is being
 * killed or if *@cancel is set, which another task may do at any time; else 0.
 */
static inline int hyvh_cancel_point(const bool *cancel)
{
	cond_resched();
	return fatal_signal_pending(current) || READ_ONCE(*cancel) ? -EINTR : 0;
}

#endif /* HYVH_CANCEL_H */
