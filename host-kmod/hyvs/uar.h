/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbell pages of a context: memory that its worker watches. While the worker
 * sleeps they are in no page table, so the next doorbell is a fault, which wakes it.
 */
#ifndef HYVS_UAR_H
#define HYVS_UAR_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/wait.h>

#define HYVS_UARS	8	/* that each context has */
#define HYVS_OWN_UARS	8	/* that are made when they are mapped */
#define HYVS_ALL_UARS	(HYVS_UARS + HYVS_OWN_UARS)
/* Each costs time when pages are hidden. */
#define HYVS_MAX_MAPPINGS	256

struct file;
struct hyvs_ucontext;
struct hyvs_view;

/* Mappings may live longer than the context. */
struct hyvs_uars {
	struct kref ref;
	struct rw_semaphore lock;	/* protects uctx; inside mmap_lock */
	struct hyvs_ucontext *uctx;	/* NULL once it has gone */
	void *page[HYVS_ALL_UARS];	/* NULL: not made yet */
	struct file *file;		/* that processes map, with page i at i */
	atomic_t mappings;		/* in processes, also those of fork() */
	struct mutex rescue_lock;	/* to rescue the worker; outside lock */
	struct mutex views_lock;	/* protects views; inside lock */
	struct list_head views;		/* struct hyvs_view: other places */
	wait_queue_head_t wait;		/* of the worker */
	bool woken;			/* do not sleep */
	bool open;			/* a page may be in page tables */
	struct hrtimer timer;		/* wakes the worker after a fault */
	unsigned long timer_set;	/* bit 0: it will */
	unsigned long stores;		/* pages that a store is to come to */
	u64 fault;			/* time of the last one */
	/* As last seen by the worker: */
	u64 rung[HYVS_ALL_UARS];
	u64 armed;
};

/* There is work. */
void hyvs_uars_wake(struct hyvs_uars *uars);
/* The same, a little later. */
void hyvs_uars_wake_later(struct hyvs_uars *uars);
/* Returns ERR_PTR() of -ENOMEM or -ENFILE. */
struct hyvs_uars *hyvs_uars_create(struct hyvs_ucontext *uctx);
void hyvs_uars_put(struct hyvs_uars *uars);
/*
 * Make page @i, which must be one of those after HYVS_UARS, and stays as long as the
 * context. -EINVAL if it exists.
 */
int hyvs_uars_make(struct hyvs_uars *uars, unsigned int i);
/* The context goes. What is stored from now on is no doorbell. */
void hyvs_uars_disconnect(struct hyvs_uars *uars);
/* From now until the end of hyvs_uars_del_view() pages are hidden there, too. */
void hyvs_uars_add_view(struct hyvs_uars *uars, struct hyvs_view *view);
void hyvs_uars_del_view(struct hyvs_uars *uars, struct hyvs_view *view);
/* A page was inserted, into @view or, if that is NULL, for a process. */
void hyvs_uars_opened(struct hyvs_uars *uars, struct hyvs_view *view);
/* Is there such a page? */
static inline bool hyvs_uars_have(const struct hyvs_uars *uars, unsigned int i)
{
	return i < HYVS_ALL_UARS && READ_ONCE(uars->page[i]);
}

/* In the worker: take the pages out of all page tables, so that the next store faults. */
void hyvs_uars_hide(struct hyvs_uars *uars);
/* There will be a store to page @i, which is not in page tables yet. */
void hyvs_uars_expect(struct hyvs_uars *uars, unsigned int i);
/*
 * The time for which pages must not be hidden, because who has had a fault has not
 * made its store. 0: they may be.
 */
u64 hyvs_uars_keep(const struct hyvs_uars *uars, u64 now);
/*
 * Has the word of page @i changed? *@qpn is set to the number that it names, which
 * may be anything.
 */
bool hyvs_uar_rung(struct hyvs_uars *uars, unsigned int i, u32 *qpn);
/* Has a CQ been armed? */
bool hyvs_uar_armed(struct hyvs_uars *uars);

#endif /* HYVS_UAR_H */
