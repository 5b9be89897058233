/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbell pages of hyvs.ko in mappings of another module, which shows them to a VM.
 * That module finds the operations by symbol_get(hyvs_view_ops), so that it can be
 * loaded without hyvs.ko.
 */
#ifndef HYVS_VIEW_H
#define HYVS_VIEW_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/types.h>

struct address_space;
struct hyvs_uars;
struct vm_fault;

/* A page that is also seen at another place. Its members belong to hyvs.ko. */
struct hyvs_view {
	struct list_head link;		/* in hyvs_uars.views; empty if not shown */
	struct hyvs_uars *uars;
	unsigned int index;		/* of the page */
	struct address_space *mapping;
	loff_t place;			/* in the mapping */
	bool open;			/* the page may be in page tables */
};

/**
 * struct hyvs_view_ops - what another module does with a view
 * @get: make a view of the page that @vma maps, and set its PFN; returns false if it
 *	is no doorbell page. The caller holds the mmap lock.
 * @show: the page will be seen in @mapping at @place, and must be taken out of page
 *	tables there to hide it
 * @fault: insert the page, with @prot; what has faulted is a doorbell
 * @put: end of the view, which is in no page tables any longer
 */
struct hyvs_view_ops {
	bool (*get)(struct hyvs_view *view, const struct vm_area_struct *vma,
		    unsigned long *pfn);
	void (*show)(struct hyvs_view *view, struct address_space *mapping,
		     loff_t place);
	vm_fault_t (*fault)(struct hyvs_view *view, struct vm_fault *vmf,
			    pgprot_t prot);
	void (*put)(struct hyvs_view *view);
};

extern const struct hyvs_view_ops hyvs_view_ops;

#endif /* HYVS_VIEW_H */
