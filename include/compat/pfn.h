/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.17 vmf_insert_mixed() took a PFN with flags. */
#ifndef HYV_COMPAT_PFN_H
#define HYV_COMPAT_PFN_H

#include <linux/mm.h>

#ifdef COMPAT_HAS_PFN_T

#include <linux/pfn_t.h>

#define vmf_insert_mixed(vma, addr, pfn) \
	vmf_insert_mixed(vma, addr, pfn_to_pfn_t(pfn))

#endif

#endif /* HYV_COMPAT_PFN_H */
