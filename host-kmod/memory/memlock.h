/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RLIMIT_MEMLOCK of the VMM.
 */
#ifndef HYVH_MEMLOCK_H
#define HYVH_MEMLOCK_H

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/types.h>
#include <linux/user_namespace.h>

/*
 * May the caller have @pages pinned, in all? A guest can ask again and again, so that
 * a refusal is not audited.
 */
static inline bool hyvh_may_lock(u64 pages)
{
	return pages <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT ||
	       ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
}

#endif /* HYVH_MEMLOCK_H */
