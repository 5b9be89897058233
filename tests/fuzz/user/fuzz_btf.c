// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of a kernel: any bytes, and good types with some bytes changed. Nothing
 * outside of the data is read, and good types are found.
 */
#include "hca/btf.c"

#include "fuzz.h"

#define MOST	4096
#define TYPES	24
#define MEMBERS 4

static const char strings[] = "\0alpha\0beta\0gamma\0delta";
static const u32 names[] = {0, 1, 7, 12, 18};

static struct made {
	u32 data[MOST / 4];
	u32 len;
	u32 size[ARRAY_SIZE(
		names)]; /* of the first structure of a name, or 0 */
} made;

static void put(u32 val)
{
	FUZZ_CHECK(made.len + 4 <= MOST);
	made.data[made.len / 4] = val;
	made.len += 4;
}

static u32 some_name(struct fuzz_in *in)
{
	return fuzz_below(in, ARRAY_SIZE(names));
}

static void make_struct(struct fuzz_in *in)
{
	u32 name = some_name(in), n = fuzz_below(in, MEMBERS), i;
	u32 size = 1 + fuzz_below(in, 1000);

	put(names[name]);
	put(BTF_KIND_STRUCT << 24 | n);
	put(size);
	for (i = 0; i < n; i++) {
		put(names[some_name(in)]);
		put(fuzz_below(in, TYPES));
		put(fuzz_below(in, 8000));
	}
	if (!made.size[name])
		made.size[name] = size;
}

static void make_type(struct fuzz_in *in)
{
	u32 n = fuzz_below(in, MEMBERS), i;

	switch (fuzz_below(in, 6)) {
	case 0:
	case 1:
		make_struct(in);
		break;
	case 2:
		put(names[some_name(in)]);
		put(BTF_KIND_FUNC << 24);
		put(1 + fuzz_below(in, TYPES));
		break;
	case 3:
		put(0);
		put(BTF_KIND_FUNC_PROTO << 24 | n);
		put(0);
		for (i = 0; i < n; i++) {
			put(names[some_name(in)]);
			put(fuzz_below(in, TYPES));
		}
		break;
	case 4:
		put(0);
		put((fuzz_flag(in) ? BTF_KIND_PTR : BTF_KIND_CONST) << 24);
		put(fuzz_below(in, TYPES));
		break;
	default:
		put(names[some_name(in)]);
		put(BTF_KIND_INT << 24);
		put(4);
		put(32);
	}
}

static void make(struct fuzz_in *in)
{
	struct btf_header *hdr = (void *)made.data;
	u32 n;

	memset(&made, 0, sizeof(made));
	made.len = sizeof(*hdr);
	for (n = fuzz_below(in, TYPES); n; n--)
		make_type(in);
	*hdr = (struct btf_header){
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(*hdr),
		.type_len = made.len - sizeof(*hdr),
		.str_off = made.len - sizeof(*hdr),
		.str_len = sizeof(strings),
	};
	memcpy((u8 *)made.data + made.len, strings, sizeof(strings));
	made.len += sizeof(strings);
}

/* Names are found in the types, or not; both without harm. */
static void look(const struct hyvh_btf *btf)
{
	const char *found[3];
	u32 i, k;
	int nr;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		hyvh_btf_size(btf, strings + names[i]);
		for (k = 0; k < ARRAY_SIZE(names); k++)
			hyvh_btf_member(btf, strings + names[i],
					strings + names[k]);
		nr = hyvh_btf_params(btf, strings + names[i], found,
				     ARRAY_SIZE(found));
		nr = min_t(int, nr, ARRAY_SIZE(found));
		for (k = 0; (int)k < nr; k++)
			FUZZ_CHECK(strlen(found[k]) < MOST);
	}
}

/* A copy that is exactly as long, for the sanitizer. */
static void *copy(const void *data, u32 len)
{
	void *to = malloc(len ?: 1);

	FUZZ_CHECK(to);
	memcpy(to, data, len);
	return to;
}

static void check_good(void)
{
	void *data = copy(made.data, made.len);
	struct hyvh_btf btf, module;
	u32 i, size;

	FUZZ_CHECK(!hyvh_btf_open(&btf, NULL, data, made.len));
	for (i = 1; i < ARRAY_SIZE(names); i++) {
		size = made.size[i] ?: -ENOENT;
		FUZZ_CHECK(hyvh_btf_size(&btf, strings + names[i]) ==
			   (int)size);
	}
	look(&btf);
	/* As a module of itself. */
	FUZZ_CHECK(!hyvh_btf_open(&module, &btf, data, made.len));
	FUZZ_CHECK(module.first_type == btf.end_type);
	look(&module);
	free(data);
}

static void check_bad(struct fuzz_in *in)
{
	void *base_data = copy(made.data, made.len), *data;
	u32 n, len = made.len;
	struct hyvh_btf base, btf;

	FUZZ_CHECK(!hyvh_btf_open(&base, NULL, base_data, made.len));
	for (n = 1 + fuzz_below(in, 6); n; n--)
		((u8 *)made.data)[fuzz_below(in, made.len)] = fuzz_take(in, 1);
	if (!fuzz_below(in, 4))
		len = fuzz_below(in, made.len);
	data = copy(made.data, len);
	if (!hyvh_btf_open(&btf, fuzz_flag(in) ? &base : NULL, data, len))
		look(&btf);
	free(data);
	free(base_data);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	struct hyvh_btf btf;
	void *any = copy(data, size);

	if (!hyvh_btf_open(&btf, NULL, any, size))
		look(&btf);
	free(any);
	make(&in);
	check_good();
	check_bad(&in);
	return 0;
}
