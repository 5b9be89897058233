/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel threads that work for a process, which pays for them. hyvs.ko uses this, too;
 * therefore it is inline.
 */
#ifndef HYVH_NOTIFY_FOLLOW_H
#define HYVH_NOTIFY_FOLLOW_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/*
 * Moving a thread takes locks that fork and exit of all tasks wait for, and the caller
 * may ask for it as often as it likes.
 */
static inline bool hyvh_same_cgroups(const struct task_struct *thread)
{
#ifdef CONFIG_CGROUPS
	return rcu_access_pointer(thread->cgroups) ==
	       rcu_access_pointer(current->cgroups);
#else
	return true;
#endif
}

/*
 * Let a kernel thread have the cgroups and the nice value of the caller. An
 * unprivileged caller may not move a thread that has more capabilities, if the cpuset
 * controller is in use. So the thread's own credentials decide.
 *
 * Context: Process context. May sleep.
 * Return: 0, or an error of the cgroups.
 */
static inline int hyvh_follow_caller(struct task_struct *thread)
{
	const struct cred *cred, *old;
	int ret = 0;

	if (!hyvh_same_cgroups(thread)) {
		cred = get_task_cred(thread);
		old = override_creds(cred);
		ret = cgroup_attach_task_all(current, thread);
		revert_creds(old);
		put_cred(cred);
	}
	if (!ret)
		set_user_nice(thread, task_nice(current));
	return ret;
}

/*
 * The same for a thread that has just been created. It is parked then, also after an
 * error. When a thread first runs, it takes all processors that kernel threads may use,
 * and newer kernels do not ask its cpuset. So let it do that first.
 */
static inline int hyvh_thread_follow_caller(struct task_struct *thread)
{
	int ret = kthread_park(thread);

	return ret ?: hyvh_follow_caller(thread);
}

#endif /* HYVH_NOTIFY_FOLLOW_H */
