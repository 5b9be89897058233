// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of which files may be guest RAM, and how many at once.
 */
#include <compat/kunit.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>

#include "memory/ram_files.h"

/* Add a new file of tmpfs that the kernel has made under a name. */
static int ramf_add(struct kunit *test, struct hyvh_ram_files *files,
		    const char *name)
{
	struct file *file = shmem_file_setup(name, PAGE_SIZE, 0);
	int ret;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	ret = hyvh_ram_files_add(files, file);
	/* Another file, or the same one again. */
	KUNIT_EXPECT_EQ(test, ret, hyvh_ram_files_add(files, file));
	fput(file);
	return ret;
}

static void ram_files_kinds(struct kunit *test)
{
	struct hyvh_ram_files files = {};

	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "memfd:guest"), 0);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "SYSV00000000"), 0);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "dev/zero"), 0);
	KUNIT_EXPECT_EQ(test, files.nr, 3);
	/* Those of drivers, which may truncate them without a lock */
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "drm mm object"),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "i915"), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "dev/zero2"), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, files.nr, 3);
	KUNIT_EXPECT_TRUE(test, hyvh_ram_files_trylock(&files));
	hyvh_ram_files_release(&files);
	KUNIT_EXPECT_EQ(test, files.nr, 0);
}

static void ram_files_limit(struct kunit *test)
{
	struct hyvh_ram_files files = {};
	unsigned int i;

	for (i = 0; i < HYVH_MAX_RAM_FILES; i++)
		KUNIT_ASSERT_EQ(test, ramf_add(test, &files, "memfd:guest"), 0);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "memfd:guest"),
			-EOPNOTSUPP);
	hyvh_ram_files_release(&files);
	KUNIT_EXPECT_EQ(test, ramf_add(test, &files, "memfd:guest"), 0);
	hyvh_ram_files_release(&files);
}

static struct kunit_case ram_files_cases[] = {
	KUNIT_CASE(ram_files_kinds),
	KUNIT_CASE(ram_files_limit),
	{}
};

static struct kunit_suite ram_files_suite = {
	.name = "hyvh_ram_files",
	.test_cases = ram_files_cases,
};

kunit_test_suite(ram_files_suite);

MODULE_DESCRIPTION("Tests of the files of guest RAM");
MODULE_LICENSE("GPL");
