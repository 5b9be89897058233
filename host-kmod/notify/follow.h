/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel threads that work for a process, which pays for them. hyvs.ko uses this, too;
 * therefore it is inline.
 */
#ifndef HYVH_NOTIFY_FOLLOW_H
#define HYVH_NOTIFY_FOLLOW_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/sched.h>

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
	const struct cred *cred = get_task_cred(thread);
	const struct cred *old = override_creds(cred);
	int ret;

	ret = cgroup_attach_task_all(current, thread);
	revert_creds(old);
	put_cred(cred);
	if (!ret)
		set_user_nice(thread, task_nice(current));
	return ret;
}

#endif /* HYVH_NOTIFY_FOLLOW_H */
