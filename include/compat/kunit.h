/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What KUnit did not always have: macros, and since 6.10 kunit_vm_mmap().
 */
#ifndef HYV_COMPAT_KUNIT_H
#define HYV_COMPAT_KUNIT_H

#include <kunit/test.h>
#include <linux/version.h>

#ifndef KUNIT_ARRAY_PARAM_DESC
#define KUNIT_ARRAY_PARAM_DESC(name, array, member)			\
	static void name##_get_desc(typeof(&(array)[0]) entry, char *desc) \
	{								\
		strscpy(desc, entry->member, KUNIT_PARAM_DESC_SIZE);	\
	}								\
	KUNIT_ARRAY_PARAM(name, array, name##_get_desc)
#endif

#ifndef KUNIT_CASE_SLOW
#define KUNIT_CASE_SLOW	KUNIT_CASE
#endif

#ifndef KUNIT_EXPECT_MEMEQ
#define KUNIT_EXPECT_MEMEQ(test, left, right, size)			\
	KUNIT_EXPECT_EQ(test, memcmp(left, right, size), 0)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)

/* Tests that need user memory are skipped. */
static inline unsigned long kunit_vm_mmap(struct kunit *test, struct file *file,
					  unsigned long addr, unsigned long len,
					  unsigned long prot, unsigned long flag,
					  unsigned long offset)
{
	kunit_skip(test, "KUnit of this kernel gives no user memory");
	return 0;
}

#endif

#endif /* HYV_COMPAT_KUNIT_H */
