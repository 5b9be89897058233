// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the reader of type information, with a kernel and a module whose types
 * use each other.
 */
#include <compat/kunit.h>
#include <linux/string.h>
#include <uapi/linux/btf.h>

#include "hca/btf.h"

#define INFO(kind, vlen)	((BTF_KIND_##kind) << 24 | (vlen))
#define KFLAG			BIT(31)

/* Strings of the kernel, with their offsets. */
#define S_PD		1
#define S_LONG		7
#define S_UAPI		12
#define S_USE		16
#define KERNEL_STRINGS	"\0ib_pd\0long\0abi\0uses"
#define KERNEL_END	sizeof(KERNEL_STRINGS)

/* Strings of the module. */
#define S_QP		(KERNEL_END + 1)
#define S_CREATE	(KERNEL_END + 7)
#define S_FLAGS		(KERNEL_END + 14)
#define MODULE_STRINGS	"\0ib_qp\0create\0flags"

struct image {
	struct btf_header hdr;
	u32 types[64];
	char strings[32];
};

static const u32 kernel_types[] = {
	/* 1 */ S_LONG, INFO(INT, 0), 8, 64,
	/* 2 */ S_PD, INFO(STRUCT, 2), 16, S_UAPI, 1, 0, S_USE, 1, 64,
	/* 3 */ 0, INFO(PTR, 0), 2,
};

static const u32 module_types[] = {
	/* 4 */ S_QP, INFO(STRUCT, 2) | KFLAG, 24, S_UAPI, 3, 0,
		S_FLAGS, 1, 3 << 24 | 128,
	/* 5 */ 0, INFO(CONST, 0), 4,
	/* 6 */ 0, INFO(PTR, 0), 5,
	/* 7 */ 0, INFO(FUNC_PROTO, 3), 6, 0, 3, 0, 6, 0, 1,
	/* 8 */ S_CREATE, INFO(FUNC, 1), 7,
};

static void fill(struct image *image, const u32 *types, size_t types_len,
		 const char *strings, size_t strings_len)
{
	image->hdr = (struct btf_header) {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(image->hdr),
		.type_len = types_len,
		.str_off = offsetof(struct image, strings) -
			   offsetof(struct image, types),
		.str_len = strings_len,
	};
	memcpy(image->types, types, types_len);
	memcpy(image->strings, strings, strings_len);
}

struct images {
	struct image kernel;
	struct image module;
};

static struct images *images_of(struct kunit *test)
{
	struct images *images = kunit_kzalloc(test, sizeof(*images), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, images);
	fill(&images->kernel, kernel_types, sizeof(kernel_types), KERNEL_STRINGS,
	     sizeof(KERNEL_STRINGS));
	fill(&images->module, module_types, sizeof(module_types), MODULE_STRINGS,
	     sizeof(MODULE_STRINGS));
	return images;
}

static void btf_lookup(struct kunit *test)
{
	struct images *images = images_of(test);
	struct hyvh_btf kernel, module;
	const char *names[3];

	KUNIT_ASSERT_EQ(test, hyvh_btf_open(&kernel, NULL, &images->kernel,
					    sizeof(images->kernel)), 0);
	KUNIT_ASSERT_EQ(test, hyvh_btf_open(&module, &kernel, &images->module,
					    sizeof(images->module)), 0);
	KUNIT_EXPECT_EQ(test, module.first_type, 4);
	KUNIT_EXPECT_EQ(test, module.end_type, 9);

	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&kernel, "ib_pd"), 16);
	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&module, "ib_pd"), 16);
	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&module, "ib_qp"), 24);
	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&kernel, "ib_qp"), -ENOENT);
	/* an integer, not a structure */
	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&module, "long"), -ENOENT);

	KUNIT_EXPECT_EQ(test, hyvh_btf_member(&module, "ib_pd", "uses"), 8);
	KUNIT_EXPECT_EQ(test, hyvh_btf_member(&module, "ib_qp", "flags"), 16);
	KUNIT_EXPECT_EQ(test, hyvh_btf_member(&module, "ib_qp", "uses"),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_btf_member(&module, "none", "uses"),
			-ENOENT);

	KUNIT_ASSERT_EQ(test, hyvh_btf_params(&module, "create", names, 3), 3);
	KUNIT_EXPECT_STREQ(test, names[0], "ib_pd");
	KUNIT_EXPECT_STREQ(test, names[1], "ib_qp");
	KUNIT_EXPECT_STREQ(test, names[2], "");
	/* room for one */
	names[1] = NULL;
	KUNIT_EXPECT_EQ(test, hyvh_btf_params(&module, "create", names, 1), 3);
	KUNIT_EXPECT_NULL(test, names[1]);
	KUNIT_EXPECT_EQ(test, hyvh_btf_params(&module, "ib_qp", names, 3),
			-ENOENT);
}

/* Open a kernel's types with one word of the file changed. */
static int open_with(struct kunit *test, size_t offset, u32 value)
{
	struct images *images = images_of(test);
	struct hyvh_btf btf;

	memcpy((void *)&images->kernel + offset, &value, sizeof(value));
	return hyvh_btf_open(&btf, NULL, &images->kernel,
			     sizeof(images->kernel));
}

#define OPEN_WITH(member, value) \
	open_with(test, offsetof(struct image, member), value)

static void btf_malformed(struct kunit *test)
{
	struct images *images = images_of(test);
	struct hyvh_btf btf;

	KUNIT_EXPECT_EQ(test, hyvh_btf_open(&btf, NULL, &images->kernel,
					    sizeof(images->kernel.hdr) - 1),
			-EINVAL);
	/* the types, but not the strings */
	KUNIT_EXPECT_EQ(test, hyvh_btf_open(&btf, NULL, &images->kernel,
					    offsetof(struct image, strings)),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.hdr_len, sizeof(struct btf_header)),
			0);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr, 0xeb9e), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.hdr_len, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.hdr_len, U32_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.type_off, U32_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.type_off, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.type_len, U32_MAX), -EINVAL);
	/* ends within a type */
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.type_len, sizeof(kernel_types) - 4),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.str_len, U32_MAX), -EINVAL);
	/* ends within a string */
	KUNIT_EXPECT_EQ(test, OPEN_WITH(hdr.str_len, 4), -EINVAL);
	/* a kind of type that does not exist, and more members than there are */
	KUNIT_EXPECT_EQ(test, OPEN_WITH(types[1], 31 << 24), -EINVAL);
	KUNIT_EXPECT_EQ(test, OPEN_WITH(types[5], INFO(STRUCT, 65535)), -EINVAL);
}

/* Offsets and numbers that lead nowhere. */
static void btf_dangling(struct kunit *test)
{
	struct images *images = images_of(test);
	struct hyvh_btf kernel, module;
	const char *names[3];

	images->module.types[0] = U32_MAX;	/* name of ib_qp */
	images->module.types[19] = 99;		/* type of the first parameter */
	images->module.types[21] = 0;		/* void, type of the second one */
	KUNIT_ASSERT_EQ(test, hyvh_btf_open(&kernel, NULL, &images->kernel,
					    sizeof(images->kernel)), 0);
	KUNIT_ASSERT_EQ(test, hyvh_btf_open(&module, &kernel, &images->module,
					    sizeof(images->module)), 0);
	KUNIT_EXPECT_EQ(test, hyvh_btf_size(&module, "ib_qp"), -ENOENT);
	KUNIT_ASSERT_EQ(test, hyvh_btf_params(&module, "create", names, 3), 3);
	KUNIT_EXPECT_STREQ(test, names[0], "");
	KUNIT_EXPECT_STREQ(test, names[1], "");
}

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(btf_lookup),
	KUNIT_CASE(btf_malformed),
	KUNIT_CASE(btf_dangling),
	{}
};

static struct kunit_suite btf_suite = {
	.name = "hyvh_btf",
	.test_cases = btf_cases,
};

kunit_test_suite(btf_suite);
