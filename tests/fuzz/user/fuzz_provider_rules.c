// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provider data of guests: what passes obeys the tables of hyv/provider.h, what
 * is refused does not, and no byte behind the data is read. Lengths of user
 * memory that follow from it, and mmap offsets.
 */
#include "hca/provider_rules.c"

#include "fuzz.h"

#define MOST 96

static const struct hyv_udata_addr addrs[] = {
	HYV_FOR_EACH_UDATA_ADDR(HYV_UDATA_ADDR)};

static u32 some_driver(struct fuzz_in *in)
{
	static const u32 ids[] = {RDMA_DRIVER_MLX5, RDMA_DRIVER_RXE, 0};

	return fuzz_below(in, 8) ? RDMA_DRIVER_MLX5 : ids[fuzz_below(in, 3)];
}

/* One of the table, as most others have no fields. */
static u16 some_opcode(struct fuzz_in *in)
{
	if (!fuzz_below(in, 16))
		return fuzz_take(in, 2);
	return hyvh_provider_requests
		[fuzz_below(in, ARRAY_SIZE(hyvh_provider_requests))]
			.opcode;
}

/* Exactly so long, for the sanitizer. Most fields are 0 in good data. */
static u8 *some_data(struct fuzz_in *in, u32 len)
{
	u8 *data = malloc(len ?: 1);
	u32 n = fuzz_below(in, 12), at;

	FUZZ_CHECK(data);
	if (!fuzz_below(in, 8)) {
		fuzz_bytes(in, data, len);
		return data;
	}
	memset(data, 0, len);
	while (len && n--) {
		at = fuzz_below(in, len);
		data[at] = fuzz_flag(in) ? 1u << fuzz_below(in, 8)
					 : fuzz_take(in, 1);
	}
	return data;
}

static u64 get(const u8 *data, const struct hyv_udata_field *field)
{
	u64 val = 0;

	memcpy(&val, data + field->offset, field->size);
	return val;
}

/* A field of good data, as it was and as it is. */
static bool field_ok(const struct hyv_udata_field *field, u64 was, u64 is)
{
	switch (field->check) {
	case HYV_CHECK_BITS:
		return is == was && !(was & ~field->value);
	case HYV_CHECK_KEEP:
		return is == (was & field->value);
	case HYV_CHECK_CAP:
		return is == (was > field->value ? field->value : was);
	case HYV_CHECK_MAX:
		return is == was && was <= field->value;
	default:
		return is == was && was <= field->value &&
		       __builtin_popcountll(was) <= 1;
	}
}

static bool edits(const struct hyv_udata_field *field)
{
	return field->check == HYV_CHECK_KEEP || field->check == HYV_CHECK_CAP;
}

static u32 known_bytes(u32 driver, u16 opcode)
{
	u32 i, known = driver == RDMA_DRIVER_MLX5 ? 0 : U32_MAX;

	for (i = 0; i < ARRAY_SIZE(hyvh_provider_requests); i++)
		if (hyvh_provider_requests[i].driver_id == driver &&
		    hyvh_provider_requests[i].opcode == opcode)
			known = hyvh_provider_requests[i].length;
	return known;
}

/* The verdict of the tables on data; sets @may to the bytes that may differ. */
static bool model(u32 driver, u16 opcode, const u8 *was, const u8 *is, u32 len,
		  bool passed, bool *may)
{
	u32 i, known = known_bytes(driver, opcode);
	bool ok = true;

	for (i = known; i < len; i++)
		ok &= !was[i];
	for (i = 0; i < ARRAY_SIZE(hyvh_provider_fields); i++) {
		const struct hyv_udata_field *f = &hyvh_provider_fields[i];

		if (f->driver_id != driver || f->opcode != opcode ||
		    len <= f->offset)
			continue;
		if (len < f->offset + f->size) {
			ok = false;
			continue;
		}
		if (edits(f))
			memset(may + f->offset, true, f->size);
		if (passed)
			ok &= field_ok(f, get(was, f), get(is, f));
		else if (!edits(f))
			ok &= field_ok(f, get(was, f), get(was, f));
	}
	return ok;
}

static void check_filter(struct fuzz_in *in)
{
	u32 driver = some_driver(in), len = fuzz_below(in, MOST), i;
	u16 opcode = some_opcode(in);
	u8 *data = some_data(in, len), was[MOST], once[MOST];
	struct hyvh_doorbell_pages pages;
	bool may[MOST] = {};
	int ret;

	memcpy(was, data, len);
	ret = hyvh_provider_filter(driver, opcode, data, len);
	FUZZ_CHECK(model(driver, opcode, was, data, len, !ret, may) == !ret);
	FUZZ_CHECK(!ret || ret == -EINVAL || ret == -EOPNOTSUPP);
	for (i = 0; i < len; i++)
		FUZZ_CHECK(data[i] == was[i] || may[i]);
	if (!ret) {
		/* Data that has passed passes as it is. */
		memcpy(once, data, len);
		FUZZ_CHECK(!hyvh_provider_filter(driver, opcode, data, len));
		FUZZ_CHECK(!memcmp(once, data, len));
	}
	hyvh_provider_doorbells(driver, data, len, &pages);
	FUZZ_CHECK(pages.nr <= HYV_MLX5_MAX_UARS &&
		   pages.nr_own <= HYV_MLX5_MAX_UARS);
	free(data);
}

/* The length of memory is known and cannot overflow a sum of some of them. */
static void check_find(struct fuzz_in *in)
{
	const struct hyv_udata_addr *where =
		&addrs[fuzz_below(in, ARRAY_SIZE(addrs))];
	struct hyv_queue_size size = {fuzz_take(in, 4), fuzz_take(in, 4)};
	u32 len = fuzz_below(in, MOST);
	struct hyv_udata_range range = {};
	u8 *data = some_data(in, len);
	u64 addr;
	int ret;

	ret = hyv_udata_find(where, &size, data, len, PAGE_SIZE, &range);
	FUZZ_CHECK(ret >= -1 && ret <= 1);
	if (ret == 1) {
		FUZZ_CHECK(len >= where->offset + 8u);
		memcpy(&addr, data + where->offset, sizeof(addr));
		FUZZ_CHECK(addr && range.length && range.length < 1ULL << 52);
		if (where->rule == HYV_RULE_RECORD)
			FUZZ_CHECK(addr % 8 == 0 && range.length == PAGE_SIZE &&
				   range.addr == (addr & PAGE_MASK));
		else
			FUZZ_CHECK(range.addr == addr);
	}
	free(data);
}

/* A doorbell page of the context, or one that can only be read. */
static void check_mmap(struct fuzz_in *in)
{
	struct hyvh_doorbell_pages pages = {fuzz_below(in, 9),
					    fuzz_below(in, 9)};
	u64 command = fuzz_below(in, 12), index = fuzz_below(in, 12);
	enum hyv_mmap_kind kind = HYV_MMAP_INFO;
	u32 driver = some_driver(in), i;
	bool writable = fuzz_flag(in), known = false;
	struct hyvh_mmap_range range = {
		.offset = (command << 8 | index) << PAGE_SHIFT,
		.length = PAGE_SIZE,
	};
	int ret, own;

	if (fuzz_flag(in))
		range.offset ^= 1ULL << fuzz_below(in, 64);
	if (!fuzz_below(in, 8))
		range.length = fuzz_take(in, 4);
	ret = hyvh_provider_mmap(driver, &range, writable, &pages, &own);
	FUZZ_CHECK(ret == 1 ||
		   ret == (driver == RDMA_DRIVER_MLX5 ? -EINVAL : 0));
	if (ret != 1)
		return;
	command = range.offset >> (PAGE_SHIFT + 8) & 0xff;
	index = range.offset >> PAGE_SHIFT & 0xff;
	for (i = 0; i < ARRAY_SIZE(hyvh_provider_mmaps); i++) {
		if (hyvh_provider_mmaps[i].command != command)
			continue;
		known = true;
		kind = hyvh_provider_mmaps[i].kind;
	}
	FUZZ_CHECK(known && range.length == PAGE_SIZE &&
		   PAGE_ALIGNED(range.offset) && range.offset < 1ULL << 28);
	FUZZ_CHECK(own == (kind == HYV_MMAP_OWN_DOORBELLS ? (int)index : -1));
	if (kind == HYV_MMAP_DOORBELLS)
		FUZZ_CHECK(index < pages.nr);
	else if (kind == HYV_MMAP_OWN_DOORBELLS)
		FUZZ_CHECK(index < pages.nr_own);
	else
		FUZZ_CHECK(!index && !writable);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	int steps = 0;

	do {
		check_filter(&in);
		check_find(&in);
		check_mmap(&in);
	} while (in.left && steps++ < 20);
	return 0;
}
