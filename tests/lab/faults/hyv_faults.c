// SPDX-License-Identifier: GPL-2.0-only
/*
 * One fault for each checker of a debug kernel, for the lab's selftest, selected
 * by the parameter "fault". None of them does any damage.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#define LEAKS		10
#define RACE_SECONDS	5

static char *fault = "";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "use-after-free, shift, lock-order, sleep, leak or race");

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);
static int raced;

static void use_after_free(void)
{
	int *p = kzalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	if (p)
		(void)READ_ONCE(*p);
}

static void shift(void)
{
	int by = 99;

	OPTIMIZER_HIDE_VAR(by);
	pr_info("shifted: %d\n", 1 << by);
}

static void lock_order(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);
	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

/* Several, because a stale value on a stack may look like a pointer to one. */
static void leak(void)
{
	void *p;
	int i;

	for (i = 0; i < LEAKS; i++) {
		p = kmalloc(100, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(p);
	}
}

static int racer(void *unused)
{
	while (!kthread_should_stop()) {
		raced++;
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *task = kthread_run(racer, NULL, "hyv_faults");
	unsigned long end = jiffies + RACE_SECONDS * HZ;

	if (IS_ERR(task))
		return;
	while (time_before(jiffies, end)) {
		raced++;
		cond_resched();
	}
	kthread_stop(task);
}

static int __init hyv_faults_init(void)
{
	static const struct {
		const char *name;
		void (*commit)(void);
	} faults[] = {
		{ "use-after-free", use_after_free },
		{ "shift", shift },
		{ "lock-order", lock_order },
		{ "sleep", sleep_in_atomic },
		{ "leak", leak },
		{ "race", race },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name)) {
			faults[i].commit();
			return 0;
		}
	}
	return -EINVAL;
}
module_init(hyv_faults_init);

static void __exit hyv_faults_exit(void)
{
}
module_exit(hyv_faults_exit);

MODULE_DESCRIPTION("Faults for the checkers of a debug kernel");
MODULE_LICENSE("GPL");
