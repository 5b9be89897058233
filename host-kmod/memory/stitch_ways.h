/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two ways to stitch, and what they have in common.
 */
#ifndef HYVH_STITCH_WAYS_H
#define HYVH_STITCH_WAYS_H

#include <linux/types.h>

struct hyvh_ram_files;
struct hyvh_stitch;
struct hyvh_stitch_how;
struct hyvh_stitch_plan;
struct mm_struct;
struct vm_area_struct;

/* Pages that are pinned, or inserted with the mmap lock held, at once. */
#define HYVH_STITCH_BATCH	512UL

/* stitch_common.c */
struct vm_area_struct *hyvh_stitch_guest_vma(struct mm_struct *mm, u64 hva,
					     u64 len, u64 *run);
int hyvh_stitch_pause(const struct hyvh_stitch *stitch);
int hyvh_stitch_check(const struct hyvh_stitch *stitch,
		      const struct hyvh_stitch_plan *plan,
		      struct hyvh_ram_files *files);
int hyvh_stitch_prefault(const struct hyvh_stitch *stitch, unsigned long addr,
			 unsigned long nr);
int hyvh_stitch_map_file(struct hyvh_stitch *stitch, unsigned long prot);

/* stitch_vmas.c */
int hyvh_stitch_vmas_map(struct hyvh_stitch *stitch,
			 const struct hyvh_stitch_plan *plan);
void hyvh_stitch_vmas_release(struct hyvh_stitch *stitch);

/* stitch_pages.c */
int hyvh_stitch_pages_map(struct hyvh_stitch *stitch,
			  const struct hyvh_stitch_plan *plan,
			  const struct hyvh_stitch_how *how);
void hyvh_stitch_pages_remove(struct hyvh_stitch *stitch);
void hyvh_stitch_pages_release(struct hyvh_stitch *stitch);

#endif /* HYVH_STITCH_WAYS_H */
