// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mmap offsets from provider data to the table of a context and back, compared
 * with lists. VMM and guest can change what a driver has written, so the
 * lengths and offsets are any. What a guest has mapped of an object is never
 * more than was charged for it.
 */
#include "hca/udata_region.c"
#include "memory/mmap_table.c"

#include "fuzz.h"

#define OBJECTS	 12
#define MAPPINGS 24
#define DATA	 40

struct model_range {
	bool there, mapped;
	u64 offset, length;
};

/* An object with queues, as the table and as the model know it. */
static struct object {
	struct hyvh_mmap_region region[HYVH_MAX_REGIONS];
	struct hyvh_charge *charge;
	struct model_range range[HYVH_MAX_REGIONS];
} object[OBJECTS];

/* A range of the window, which outlives the object. */
static struct mapping {
	struct hyvh_charge *charge;
	u64 length;
} mapping[MAPPINGS];

static struct hyvh_mmap_table table;
static struct hyvh_quota quota;

/* Few, so that objects collide. */
static u64 some_offset(struct fuzz_in *in)
{
	static const u64 odd[] = {1, LONG_MAX & PAGE_MASK, U64_MAX & PAGE_MASK};

	if (!fuzz_below(in, 16))
		return odd[fuzz_below(in, ARRAY_SIZE(odd))];
	return fuzz_below(in, 16) * PAGE_SIZE;
}

static u32 some_length(struct fuzz_in *in)
{
	if (!fuzz_below(in, 16))
		return fuzz_take(in, 4);
	return fuzz_below(in, 4) * PAGE_SIZE - fuzz_below(in, 2);
}

/* By hand: a mmap offset and its length, in one of two places. */
static unsigned int model_read(const u8 *data, u32 len, u32 at,
			       struct hyvh_mmap_range *range)
{
	u64 offset, pages;
	u32 length;

	if (len < at + 12)
		return 0;
	memcpy(&offset, data + at, sizeof(offset));
	memcpy(&length, data + at + 8, sizeof(length));
	pages = length / PAGE_SIZE + !!(length % PAGE_SIZE);
	if (!pages || offset % PAGE_SIZE || offset > LONG_MAX ||
	    offset + pages * PAGE_SIZE > LONG_MAX)
		return 0;
	range->offset = offset;
	range->length = pages * PAGE_SIZE;
	return 1;
}

/* Provider data of a reply, or of a buffer of MODIFY_SRQ. */
static unsigned int some_ranges(struct fuzz_in *in,
				struct hyvh_mmap_range *ranges)
{
	static const u16 opcodes[] = {
		HYV_CMD_CREATE_CQ,  HYV_CMD_RESIZE_CQ,	HYV_CMD_CREATE_QP,
		HYV_CMD_CREATE_SRQ, HYV_CMD_MODIFY_SRQ, HYV_CMD_REG_MR,
	};
	u16 opcode = opcodes[fuzz_below(in, ARRAY_SIZE(opcodes))];
	u16 source = fuzz_below(in, 8) ? HYV_UDATA_REPLY : 0;
	u16 wanted = opcode == HYV_CMD_MODIFY_SRQ ? 0 : HYV_UDATA_REPLY;
	struct hyvh_mmap_range want[HYVH_MAX_REGIONS];
	u32 len = fuzz_below(in, DATA + 1), i;
	u64 offset[2] = {some_offset(in), some_offset(in)};
	u32 length[2] = {some_length(in), some_length(in)};
	u8 data[DATA] = {}, *copy;
	unsigned int nr, expect = 0;

	for (i = 0; i < 2; i++) {
		memcpy(data + 16 * i, &offset[i], sizeof(offset[i]));
		memcpy(data + 16 * i + 8, &length[i], sizeof(length[i]));
	}
	if (opcode == HYV_CMD_MODIFY_SRQ && fuzz_flag(in))
		source = 0;
	if (source == wanted && opcode != HYV_CMD_REG_MR) {
		expect = model_read(data, len, 0, &want[0]);
		if (opcode == HYV_CMD_CREATE_QP)
			expect += model_read(data, len, 16, &want[expect]);
	}
	/* So that a sanitizer sees an access behind the data. */
	copy = malloc(len ? len : 1);
	FUZZ_CHECK(copy);
	memcpy(copy, data, len);
	nr = hyvh_udata_regions(RDMA_DRIVER_RXE, opcode, source, copy, len,
				ranges);
	free(copy);
	FUZZ_CHECK(nr == expect);
	for (i = 0; i < nr; i++)
		FUZZ_CHECK(ranges[i].offset == want[i].offset &&
			   ranges[i].length == want[i].length);
	return nr;
}

static struct model_range *model_find(u64 offset)
{
	u32 i, k;

	for (i = 0; i < OBJECTS; i++)
		for (k = 0; k < HYVH_MAX_REGIONS; k++)
			if (object[i].range[k].there &&
			    object[i].range[k].offset == offset)
				return &object[i].range[k];
	return NULL;
}

static int model_set(struct object *o, const struct hyvh_mmap_range *ranges,
		     unsigned int nr, u64 room)
{
	unsigned int i;
	int ret = 0;

	memset(o->range, 0, sizeof(o->range));
	for (i = 0; i < nr && !ret; i++) {
		if (ranges[i].length > room)
			ret = -EINVAL;
		else if (model_find(ranges[i].offset))
			ret = -EEXIST;
		else
			o->range[i] = (struct model_range){
				.there = true,
				.offset = ranges[i].offset,
				.length = ranges[i].length,
			};
		room -= ranges[i].length;
	}
	if (ret)
		memset(o->range, 0, sizeof(o->range));
	return ret;
}

/* Create or resize an object. Without a charge its memory is not the host's. */
static void set(struct fuzz_in *in)
{
	struct object *o = &object[fuzz_below(in, OBJECTS)];
	struct hyvh_mmap_range ranges[HYVH_MAX_REGIONS];
	struct hyvh_charge *charge = NULL;
	unsigned int nr = some_ranges(in, ranges);
	int ret;

	if (fuzz_below(in, 8)) {
		charge = hyvh_charge_new(&quota, fuzz_below(in, 8) * PAGE_SIZE);
		if (IS_ERR(charge))
			return;
	}
	ret = hyvh_mmap_table_set(&table, o->region, ranges, nr, charge);
	FUZZ_CHECK(ret ==
		   model_set(o, ranges, nr, charge ? charge->bytes : U64_MAX));
	hyvh_charge_put(o->charge);
	o->charge = charge;
}

static void destroy(struct object *o)
{
	FUZZ_CHECK(!hyvh_mmap_table_set(&table, o->region, NULL, 0, NULL));
	memset(o->range, 0, sizeof(o->range));
	hyvh_charge_put(o->charge);
	o->charge = NULL;
}

static void map(struct fuzz_in *in)
{
	struct hyvh_mmap_range range = {
		.offset = some_offset(in),
		.length = fuzz_below(in, 5) * PAGE_SIZE,
	};
	struct mapping *m = &mapping[fuzz_below(in, MAPPINGS)];
	struct model_range *r = model_find(range.offset);
	struct hyvh_charge *charge;
	bool there = r && r->length == range.length && !r->mapped;

	if (m->length)
		return;
	FUZZ_CHECK(hyvh_mmap_table_claim(&table, &range, &charge) ==
		   (there ? 0 : -EINVAL));
	if (!there)
		return;
	if (!fuzz_below(in, 4)) {
		/* The driver refuses. */
		hyvh_charge_put(charge);
		hyvh_mmap_table_unclaim(&table, range.offset);
		return;
	}
	r->mapped = true;
	m->charge = charge;
	m->length = range.length;
}

static void unmap(struct mapping *m)
{
	if (m->length)
		hyvh_charge_put(m->charge);
	m->length = 0;
}

static void check_charge(const struct hyvh_charge *charge)
{
	u64 mapped = 0;
	u32 i;

	for (i = 0; i < MAPPINGS; i++)
		if (mapping[i].length && mapping[i].charge == charge)
			mapped += mapping[i].length;
	FUZZ_CHECK(mapped <= charge->bytes);
}

static void check_all(void)
{
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		if (object[i].charge)
			check_charge(object[i].charge);
	for (i = 0; i < MAPPINGS; i++)
		if (mapping[i].length && mapping[i].charge)
			check_charge(mapping[i].charge);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 steps = 0, i;

	fuzz_fail_alloc(fuzz_flag(&in) ? (long)fuzz_below(&in, 32) : -1);
	hyvh_quota_init(&quota, fuzz_below(&in, 64) * PAGE_SIZE);
	hyvh_mmap_table_init(&table);
	for (i = 0; i < OBJECTS; i++)
		hyvh_mmap_regions_init(object[i].region);
	while (in.left && steps++ < 300) {
		switch (fuzz_below(&in, 8)) {
		case 0:
			destroy(&object[fuzz_below(&in, OBJECTS)]);
			break;
		case 1:
			unmap(&mapping[fuzz_below(&in, MAPPINGS)]);
			break;
		case 2:
		case 3:
		case 4:
			map(&in);
			break;
		default:
			set(&in);
		}
		check_all();
	}
	for (i = 0; i < OBJECTS; i++)
		destroy(&object[i]);
	for (i = 0; i < MAPPINGS; i++)
		unmap(&mapping[i]);
	FUZZ_CHECK(!quota.used && !rb_first(&table.regions));
	return 0;
}
