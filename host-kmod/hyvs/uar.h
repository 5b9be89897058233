/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbell pages of a context: memory that its worker watches. While the worker
 * sleeps they are in no page table, so the next doorbell is a fault, which wakes it.
 */
#ifndef HYVS_UAR_H
#define HYVS_UAR_H

#include <linux/types.h>
#include <linux/wait.h>

#define HYVS_UARS	8

struct address_space;
struct ib_ucontext;
struct vm_area_struct;

struct hyvs_uars {
	void *page[HYVS_UARS];
	u64 id;				/* of the context; place in the mapping */
	struct address_space *mapping;	/* of the file; NULL until mapped */
	wait_queue_head_t wait;		/* of the worker */
	bool woken;			/* do not sleep */
	/* As last seen by the worker: */
	u64 rung[HYVS_UARS];
	u64 armed;
};

/* There is work. Any context but interrupts. */
void hyvs_uars_wake(struct hyvs_uars *uars);
int hyvs_uars_init(struct hyvs_uars *uars);
/* Nobody has mapped them any more. */
void hyvs_uars_free(struct hyvs_uars *uars);
int hyvs_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);
/* Take the pages out of all page tables: the next store will fault. */
void hyvs_uars_hide(struct hyvs_uars *uars);
/*
 * Has the word of page @i changed? *@qpn is set to the number that it names, which
 * may be anything.
 */
bool hyvs_uar_rung(struct hyvs_uars *uars, unsigned int i, u32 *qpn);
/* Has a CQ been armed? */
bool hyvs_uar_armed(struct hyvs_uars *uars);

#endif /* HYVS_UAR_H */
