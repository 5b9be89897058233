/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before 6.5 a long-term pin accepted pages of any file. Its file system can lock
 * them for as long as user space likes, and whoever unpins a page that was written
 * to waits for that lock.
 */
#ifndef HYV_COMPAT_PIN_H
#define HYV_COMPAT_PIN_H

#include <linux/hugetlb.h>
#include <linux/mm.h>

/*
 * Check that nobody but the kernel locks a page that the caller has pinned. A page
 * that is in no file never gets into one.
 */
static inline bool compat_page_is_memory(struct page *page)
{
	struct folio *folio = page_folio(page);

	return !READ_ONCE(folio->mapping) || folio_test_anon(folio) ||
	       folio_test_swapbacked(folio) || PageHuge(page);
}

#endif /* HYV_COMPAT_PIN_H */
