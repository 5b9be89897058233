/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel threads that work for a process, which pays for them. hyvs.ko uses this, too;
 * therefore it is inline.
 */
#ifndef HYVH_NOTIFY_FOLLOW_H
#define HYVH_NOTIFY_FOLLOW_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

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

/*
 * Waiting for a thread whose process may leave it no processor time. After a second the
 * thread runs before all that is not real-time, whatever time its cgroups leave it. Those
 * who wait share workqueues, and must not fill them for long. So who waits for several
 * threads of a process remembers that one has starved, and rescues the others at once.
 */
struct hyvh_rescue {
	struct delayed_work work;
	struct task_struct *thread;	/* with a reference */
	bool *starved;
	bool done;
};

static inline void hyvh_rescue_run(struct work_struct *work)
{
	struct hyvh_rescue *rescue = container_of(to_delayed_work(work),
						  struct hyvh_rescue, work);

	/* An administrator may have chosen another policy. */
	if (READ_ONCE(rescue->thread->policy) != SCHED_NORMAL)
		return;
	sched_set_fifo_low(rescue->thread);
	rescue->done = true;
}

/* Before the caller waits. @rescue is on its stack; @starved may be shared. */
static inline void hyvh_rescue_begin(struct hyvh_rescue *rescue,
				     struct task_struct *thread, bool *starved)
{
	rescue->thread = get_task_struct(thread);
	rescue->starved = starved;
	rescue->done = false;
	INIT_DELAYED_WORK_ONSTACK(&rescue->work, hyvh_rescue_run);
	queue_delayed_work(system_highpri_wq, &rescue->work,
			   READ_ONCE(*starved) ? 0 : HZ);
}

/* Returns true if hyvh_rescue_undo() must follow before the thread goes on. May sleep. */
static inline bool hyvh_rescue_end(struct hyvh_rescue *rescue)
{
	cancel_delayed_work_sync(&rescue->work);
	destroy_delayed_work_on_stack(&rescue->work);
	put_task_struct(rescue->thread);
	if (rescue->done)
		WRITE_ONCE(*rescue->starved, true);
	return rescue->done;
}

static inline void hyvh_rescue_undo(struct task_struct *thread)
{
	sched_set_normal(thread, task_nice(thread));
}

/* As kthread_park(); returns the same as hyvh_rescue_end(). */
static inline bool hyvh_thread_park(struct task_struct *thread, bool *starved)
{
	struct hyvh_rescue rescue;

	hyvh_rescue_begin(&rescue, thread, starved);
	kthread_park(thread);
	return hyvh_rescue_end(&rescue);
}

/* As kthread_stop(). A rescue is not undone: the thread has yet to exit. */
static inline void hyvh_thread_stop(struct task_struct *thread, bool *starved)
{
	struct hyvh_rescue rescue;

	hyvh_rescue_begin(&rescue, thread, starved);
	kthread_stop(thread);
	hyvh_rescue_end(&rescue);
}

#endif /* HYVH_NOTIFY_FOLLOW_H */
