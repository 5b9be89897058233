// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attack the vNIC while the module is loaded: loading takes the time that was
 * asked for. See README.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "malguest.h"

#define MAL_VENDOR	0x1af4
#define MAL_DEVICE	(0x1040 + HYV_VIRTIO_ID)
#define MAL_MAX_THREADS	16
/* How many times as long as was asked for an attack may take */
#define MAL_LONGEST	8

static uint seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "number that the random choices begin with");

static uint seconds = 10;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "duration");

static ulong requests;
module_param(requests, ulong, 0444);
MODULE_PARM_DESC(requests, "end after as many requests; 0: by time only");

static uint slow_factor = 1;
module_param(slow_factor, uint, 0444);
MODULE_PARM_DESC(slow_factor, "how many times as long as usual replies may take");

static uint threads = 3;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "1: a driver, others: as many that sabotage it");

/*
 * An attack says little before each act was done and a command has succeeded. On a
 * slow machine that may take longer than was asked for.
 */
static bool over(struct mal_thread *t)
{
	if (requests && atomic64_read(&t->dev->requests) >= requests)
		return true;
	if (!time_after(jiffies, t->end))
		return false;
	return time_after(jiffies, t->last_end) ||
	       (atomic64_read(&t->dev->successes) && mal_sabotage_done());
}

/* In the context of whoever loads the module */
static void drive(struct mal_thread *t)
{
	while (!over(t) && !fatal_signal_pending(current))
		mal_drive(t);
}

static int sabotage(void *arg)
{
	struct mal_thread *t = arg;

	while (!over(t) && !kthread_should_stop())
		mal_sabotage(t);
	while (!kthread_should_stop())
		msleep_interruptible(10);
	return 0;
}

/* Returns 0 when all threads have ended. */
static int run(struct mal_dev *dev, struct mal_thread *all)
{
	struct mal_thread *driver = &all[0];
	unsigned int i, nr = clamp_t(uint, threads, 1, MAL_MAX_THREADS);
	int ret = 0;

	for (i = 0; i < nr; i++) {
		all[i].dev = dev;
		all[i].end = jiffies + seconds * HZ;
		all[i].last_end = jiffies + MAL_LONGEST * seconds * HZ;
		all[i].slow_factor = slow_factor;
		prandom_seed_state(&all[i].rnd, ((u64)seed << 32) + i);
		if (i == 0)
			continue;
		all[i].task = kthread_run(sabotage, &all[i], "malguest/%u", i);
		if (IS_ERR(all[i].task)) {
			ret = PTR_ERR(all[i].task);
			break;
		}
	}
	if (!ret)
		drive(driver);
	while (--i > 0) {
		kthread_stop(all[i].task);
		driver->operations += all[i].operations;
	}
	return ret;
}

static void report(struct mal_dev *dev, u64 operations)
{
	pr_info("seed %u: %llu operations, %lld requests, %lld replies, %lld successes\n",
		seed, operations, atomic64_read(&dev->requests),
		atomic64_read(&dev->replies), atomic64_read(&dev->successes));
	pr_info("%d starts, %d failures, %d resets, %d interrupts\n",
		atomic_read(&dev->starts), atomic_read(&dev->failures),
		atomic_read(&dev->resets), atomic_read(&dev->interrupts));
	mal_report();
}

static int attack(struct pci_dev *pdev)
{
	struct mal_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	struct mal_thread *all = kcalloc(MAL_MAX_THREADS, sizeof(*all),
					 GFP_KERNEL);
	int ret = -ENOMEM;

	if (!dev || !all)
		goto out_free;
	ret = mal_dev_open(dev, pdev);
	if (ret)
		goto out_free;
	dev->nr_event_queues = 1;
	pr_info("seed %u, %u seconds\n", seed, seconds);
	ret = run(dev, all);
	report(dev, all[0].operations);
	mal_pci_restore(dev);
	if (!mal_reset(dev, true)) {
		pr_err("the device does not end its reset\n");
		ret = ret ?: -EIO;
	}
	mal_dev_close(dev);

out_free:
	kfree(all);
	kfree(dev);
	return ret;
}

static int __init mal_init(void)
{
	struct pci_dev *pdev = pci_get_device(MAL_VENDOR, MAL_DEVICE, NULL);
	int ret;

	if (!pdev)
		return -ENODEV;
	device_release_driver(&pdev->dev);
	ret = attack(pdev);
	pci_dev_put(pdev);
	return ret;
}
module_init(mal_init);

static void __exit mal_exit(void)
{
}
module_exit(mal_exit);

MODULE_DESCRIPTION("A guest that attacks its vNIC");
MODULE_LICENSE("GPL");
