/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages with doorbell records, each at an address that nothing else has.
 */
#ifndef HYVH_RECORD_H
#define HYVH_RECORD_H

#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct file;
struct hyvh_quota;

/* The records of a vNIC. */
struct hyvh_records {
	struct mutex lock;	/* protects the rest; inside of all others */
	struct rb_root root;	/* struct hyvh_record by owner and page */
	unsigned long *taken;	/* one bit for each slot; NULL before the first */
	unsigned long start;	/* address of the slots */
	struct file *file;	/* that is mapped there */
	/* Quotas that a page counts for */
	struct hyvh_quota *pinned;	/* bytes */
	struct hyvh_quota *pins;	/* set before the vNIC is attached */
};

/* A page of the guest that has doorbell records of a context. */
struct hyvh_record {
	struct rb_node node;
	const void *owner;	/* the context */
	u64 gpa;
	unsigned int slot;
	unsigned int refs;	/* protected by hyvh_records.lock */
	/* Held by who shows the page at its address. */
	struct mutex shown;
};

void hyvh_records_init(struct hyvh_records *records, struct hyvh_quota *pinned);
void hyvh_records_unmap(struct hyvh_records *records);
void hyvh_records_free(struct hyvh_records *records);
struct hyvh_record *hyvh_record_get(struct hyvh_records *records,
				    const void *owner, u64 gpa);
void hyvh_record_put(struct hyvh_records *records, struct hyvh_record *record);
u64 hyvh_record_offset(const struct hyvh_record *record);

#endif /* HYVH_RECORD_H */
