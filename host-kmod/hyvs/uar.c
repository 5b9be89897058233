// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "hyvs/hyvs.h"
#include "hyvs/uar.h"
#include "hyvs/view.h"
#include "notify/follow.h"

/* Places in a page where libmlx5 writes. */
#define ARM_OFFSET	0x20
#define RING_OFFSET	0x800

#define WAKE_DELAY	(10 * NSEC_PER_USEC)

/* Some store to other places, or never. */
#define MAX_KEEP	NSEC_PER_MSEC

void hyvs_uars_wake(struct hyvs_uars *uars)
{
	/* A worker that overwrites the flag must see what it was for. */
	smp_mb();
	WRITE_ONCE(uars->woken, true);
	/* Pairs with the barrier of a worker that is about to sleep. */
	smp_mb();
	/* After the barrier: waitqueue_active() is safe. */
	if (waitqueue_active(&uars->wait))
		wake_up(&uars->wait);
}

void hyvs_uars_wake_later(struct hyvs_uars *uars)
{
	if (!test_and_set_bit(0, &uars->timer_set))
		hrtimer_start(&uars->timer, ns_to_ktime(WAKE_DELAY),
			      HRTIMER_MODE_REL);
}

static enum hrtimer_restart hyvs_uars_timer(struct hrtimer *timer)
{
	struct hyvs_uars *uars = container_of(timer, struct hyvs_uars, timer);

	/* First: a fault from now on sets the timer again. */
	clear_bit(0, &uars->timer_set);
	hyvs_uars_wake(uars);
	return HRTIMER_NORESTART;
}

static void hyvs_uars_free(struct hyvs_uars *uars)
{
	unsigned int i;

	mutex_destroy(&uars->views_lock);
	mutex_destroy(&uars->rescue_lock);
	if (uars->file)
		fput(uars->file);
	for (i = 0; i < HYVS_ALL_UARS; i++)
		free_page((unsigned long)uars->page[i]);
	kfree(uars);
}

struct hyvs_uars *hyvs_uars_create(struct hyvs_ucontext *uctx)
{
	struct hyvs_uars *uars;
	struct file *file;
	unsigned int i;
	int ret;

	uars = kzalloc(sizeof(*uars), GFP_KERNEL_ACCOUNT);
	if (!uars)
		return ERR_PTR(-ENOMEM);
	kref_init(&uars->ref);
	init_rwsem(&uars->lock);
	uars->uctx = uctx;
	mutex_init(&uars->rescue_lock);
	mutex_init(&uars->views_lock);
	INIT_LIST_HEAD(&uars->views);
	init_waitqueue_head(&uars->wait);
	hrtimer_setup(&uars->timer, hyvs_uars_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	for (i = 0; i < HYVS_UARS; i++) {
		uars->page[i] = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
		if (!uars->page[i]) {
			ret = -ENOMEM;
			goto err_free;
		}
	}
	/* Its lock is held while pages are hidden, so each context has its own. */
	file = shmem_file_setup("hyvs-uar", 0, EMPTY_VMA_FLAGS);
	if (IS_ERR(file)) {
		/* This is how shmem reports a failed allocation of an inode. */
		ret = PTR_ERR(file) == -ENOSPC ? -ENOMEM : PTR_ERR(file);
		goto err_free;
	}
	/* Only hyvs_mmap() maps it: remap_file_pages() would not count its mappings. */
	file->f_mode &= ~(FMODE_READ | FMODE_WRITE);
	uars->file = file;
	return uars;

err_free:
	hyvs_uars_free(uars);
	return ERR_PTR(ret);
}

int hyvs_uars_make(struct hyvs_uars *uars, unsigned int i)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);

	if (!page)
		return -ENOMEM;
	/* The worker, which takes no lock, sees it zeroed. */
	if (cmpxchg(&uars->page[i], NULL, page)) {
		free_page((unsigned long)page);
		return -EINVAL;
	}
	return 0;
}

static void hyvs_uars_release(struct kref *ref)
{
	hyvs_uars_free(container_of(ref, struct hyvs_uars, ref));
}

void hyvs_uars_put(struct hyvs_uars *uars)
{
	kref_put(&uars->ref, hyvs_uars_release);
}

void hyvs_uars_disconnect(struct hyvs_uars *uars)
{
	down_write(&uars->lock);
	uars->uctx = NULL;
	up_write(&uars->lock);
	hrtimer_cancel(&uars->timer);
}

/* The worker may hold the lock, and starve. */
static void hyvs_uars_lock_views(struct hyvs_uars *uars)
{
	struct hyvh_rescue rescue;
	struct hyvs_ucontext *uctx;

	if (mutex_trylock(&uars->views_lock))
		return;
	/* One at a time: the end of a rescue is the end of all of this thread. */
	mutex_lock(&uars->rescue_lock);
	if (mutex_trylock(&uars->views_lock))
		goto unlock;
	down_read(&uars->lock);
	uctx = uars->uctx;
	if (uctx)
		hyvh_rescue_begin(&rescue, uctx->task,
				  hyvs_process_starved(uctx->process));
	mutex_lock(&uars->views_lock);
	if (uctx && hyvh_rescue_end(&rescue))
		hyvh_rescue_undo(uctx->task);
	up_read(&uars->lock);
unlock:
	mutex_unlock(&uars->rescue_lock);
}

void hyvs_uars_add_view(struct hyvs_uars *uars, struct hyvs_view *view)
{
	hyvs_uars_lock_views(uars);
	list_add(&view->link, &uars->views);
	mutex_unlock(&uars->views_lock);
}

void hyvs_uars_del_view(struct hyvs_uars *uars, struct hyvs_view *view)
{
	hyvs_uars_lock_views(uars);
	list_del_init(&view->link);
	mutex_unlock(&uars->views_lock);
}

void hyvs_uars_opened(struct hyvs_uars *uars, struct hyvs_view *view)
{
	if (view)
		WRITE_ONCE(view->open, true);
	/* Who sees this hides the page of the view, too. */
	smp_store_release(&uars->open, true);
}

static void hyvs_view_hide(struct hyvs_view *view)
{
	if (!READ_ONCE(view->open))
		return;
	WRITE_ONCE(view->open, false);
	/* As in hyvs_uars_hide(). */
	smp_mb();
	unmap_mapping_range(view->mapping, view->place, PAGE_SIZE, 1);
}

static void hyvs_uars_hide_views(struct hyvs_uars *uars)
{
	struct hyvs_view *view;

	mutex_lock(&uars->views_lock);
	list_for_each_entry(view, &uars->views, link) {
		if (kthread_should_stop())
			break;
		hyvs_view_hide(view);
		/* A guest may have very many. */
		cond_resched();
	}
	mutex_unlock(&uars->views_lock);
}

void hyvs_uars_hide(struct hyvs_uars *uars)
{
	/* Pairs with hyvs_uars_opened(). */
	if (!smp_load_acquire(&uars->open))
		return;
	WRITE_ONCE(uars->stores, 0);
	/* First: what is inserted from now on is hidden the next time. */
	WRITE_ONCE(uars->open, false);
	/* Before the pages are taken away. */
	smp_mb();
	unmap_mapping_range(uars->file->f_mapping, 0,
			    HYVS_ALL_UARS * PAGE_SIZE, 1);
	hyvs_uars_hide_views(uars);
}

void hyvs_uars_expect(struct hyvs_uars *uars, unsigned int i)
{
	set_bit(i, &uars->stores);
	WRITE_ONCE(uars->fault, ktime_get_ns());
}

u64 hyvs_uars_keep(const struct hyvs_uars *uars, u64 now)
{
	u64 age = now - READ_ONCE(uars->fault);

	if (!READ_ONCE(uars->stores) || age >= MAX_KEEP)
		return 0;
	/* Longer each time, in case that a processor is slow. */
	return max_t(u64, age, WAKE_DELAY);
}

static bool hyvs_uar_changed(void *page, unsigned int offset, u64 *last)
{
	u64 word = READ_ONCE(*(u64 *)(page + offset));

	if (word == *last)
		return false;
	*last = word;
	return true;
}

bool hyvs_uar_rung(struct hyvs_uars *uars, unsigned int i, u32 *qpn)
{
	void *page = READ_ONCE(uars->page[i]);

	if (!page || !hyvs_uar_changed(page, RING_OFFSET, &uars->rung[i]))
		return false;
	clear_bit(i, &uars->stores);
	*qpn = (be64_to_cpu((__force __be64)uars->rung[i]) >> 8) & 0xffffff;
	return true;
}

bool hyvs_uar_armed(struct hyvs_uars *uars)
{
	if (!hyvs_uar_changed(uars->page[0], ARM_OFFSET, &uars->armed))
		return false;
	clear_bit(0, &uars->stores);
	return true;
}
