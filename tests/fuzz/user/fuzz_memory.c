// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory table, chunk lists and stitch plans, compared with a translation
 * that goes page by page.
 */
#include "memory/chunk.c"
#include "memory/mem_table.c"
#include "memory/stitch_plan.c"

#include "fuzz.h"

#define REGIONS	   8
#define MAX_CHUNKS 64

static struct hyv_mem_region region[REGIONS];
static u32 nr_regions;

/* Mostly small page numbers, so that regions adjoin, overlap and are hit. */
static u64 take_addr(struct fuzz_in *in)
{
	switch (fuzz_below(in, 8)) {
	case 0:
		return fuzz_take(in, 8);
	case 1:
		return -(fuzz_take(in, 1) << PAGE_SHIFT);
	case 2:
		return fuzz_take(in, 3);
	default:
		return (fuzz_take(in, 1) % 64) << PAGE_SHIFT;
	}
}

static u64 take_len(struct fuzz_in *in)
{
	return fuzz_below(in, 8) ? (1 + fuzz_take(in, 1) % 16) << PAGE_SHIFT
				 : take_addr(in);
}

/* The regions that the table was made of, whatever it has made of them. */
static bool model_translate(u64 gpa, u64 *hva)
{
	u32 i;

	for (i = 0; i < nr_regions; i++)
		if (gpa >= region[i].gpa &&
		    gpa - region[i].gpa < region[i].length) {
			*hva = region[i].addr + (gpa - region[i].gpa);
			return true;
		}
	return false;
}

static struct hyvh_mem_table *take_table(struct fuzz_in *in)
{
	struct hyvh_mem_table *table;
	u64 bytes = 0;
	u32 i;

	nr_regions = fuzz_below(in, REGIONS + 1);
	for (i = 0; i < nr_regions; i++) {
		region[i].gpa = take_addr(in);
		region[i].length = take_len(in);
		region[i].addr = take_addr(in);
		bytes += region[i].length;
	}
	table = hyvh_mem_table_create(region, nr_regions);
	if (!IS_ERR(table))
		FUZZ_CHECK(hyvh_mem_table_bytes(table) == bytes);
	return table;
}

static void check_translate(const struct hyvh_mem_table *table, u64 gpa,
			    u64 len)
{
	u64 hva = 0, run = 0, want = 0, at;
	int ret;

	if (!len)
		return;
	ret = hyvh_mem_table_translate(table, gpa, len, &hva, &run);
	FUZZ_CHECK(!ret == model_translate(gpa, &want));
	if (ret)
		return;
	FUZZ_CHECK(hva == want && run && run <= len);
	for (at = PAGE_SIZE; at < run && at < 64 * PAGE_SIZE; at += PAGE_SIZE)
		FUZZ_CHECK(model_translate(gpa + at, &want) &&
			   want == hva + at);
}

/* Indirect lists: the chunks come from the input, too. */
static struct fuzz_in *guest;

static int read_guest(const struct hyvh_mem_table *table, u64 gpa, void *dst,
		      u64 len)
{
	(void)table;
	(void)gpa;
	FUZZ_CHECK(len <= MAX_CHUNKS * sizeof(struct hyv_chunk));
	fuzz_bytes(guest, dst, len);
	return fuzz_flag(guest) && !fuzz_below(guest, 64) ? -EFAULT : 0;
}

/* Page @n of the buffer, as the chunks have it. */
static u64 chunk_page(const struct hyvh_chunks *chunks, u64 n)
{
	u32 i;

	for (i = 0; i < chunks->nr; i++) {
		u64 first = chunks->chunk[i].addr >> PAGE_SHIFT;
		u64 last = (chunks->chunk[i].addr + chunks->chunk[i].len - 1) >>
			   PAGE_SHIFT;

		if (n <= last - first)
			return (first + n) << PAGE_SHIFT;
		n -= last - first + 1;
	}
	FUZZ_CHECK(false);
	return 0;
}

/* Check if some page of the VMM occurs more often than allowed. */
static bool page_too_often(const struct hyvh_chunks *chunks)
{
	static u64 seen[4096];
	u64 pages = 0, n, i, hva;

	for (n = 0; n < chunks->nr; n++)
		pages += ((chunks->chunk[n].addr + chunks->chunk[n].len - 1) >>
			  PAGE_SHIFT) -
			 (chunks->chunk[n].addr >> PAGE_SHIFT) + 1;
	FUZZ_CHECK(pages <= ARRAY_SIZE(seen));
	for (n = 0; n < pages; n++) {
		u32 times = 1;

		if (!model_translate(chunk_page(chunks, n), &hva))
			return false;
		for (i = 0; i < n; i++)
			times += seen[i] == hva;
		if (times > HYVH_STITCH_MAX_REPEATS)
			return true;
		seen[n] = hva;
	}
	return false;
}

static void check_plan(const struct hyvh_mem_table *table,
		       const struct hyvh_chunks *chunks, u32 max_vmas)
{
	static const bool cancel;
	struct hyvh_stitch_plan plan;
	u64 pages = 0, hva, at;
	bool often;
	u32 i;
	int ret;

	often = page_too_often(chunks);
	ret = hyvh_stitch_plan_make(&plan, table, chunks, max_vmas, &cancel);
	FUZZ_CHECK(!often || ret);
	FUZZ_CHECK(often || ret != -EINVAL);
	if (ret)
		return;
	FUZZ_CHECK(plan.nr_pieces && plan.length == chunks->length);
	FUZZ_CHECK(plan.offset == offset_in_page(chunks->addr));
	FUZZ_CHECK((plan.way == HYVH_STITCH_DIRECT) == (plan.nr_pieces == 1));
	for (i = 0; i < plan.nr_pieces; i++) {
		for (at = 0; at < plan.piece[i].len && pages < 256;
		     at += PAGE_SIZE, pages++) {
			FUZZ_CHECK(model_translate(chunk_page(chunks, pages),
						   &hva));
			FUZZ_CHECK(hva == plan.piece[i].hva + at);
		}
		FUZZ_CHECK(!i ||
			   plan.piece[i - 1].hva + plan.piece[i - 1].len !=
				   plan.piece[i].hva);
	}
	FUZZ_CHECK(plan.nr_pages >= pages);
	FUZZ_CHECK(plan.nr_pages * PAGE_SIZE >= plan.offset + plan.length);
	FUZZ_CHECK(plan.nr_pages * PAGE_SIZE - plan.offset - plan.length <
		   PAGE_SIZE);
	hyvh_stitch_plan_release(&plan);
	hyvh_stitch_plan_release(&plan);
}

static void check_chunks(const struct hyvh_mem_table *table,
			 const struct hyvh_list_view *view, struct fuzz_in *in)
{
	struct hyvh_chunks chunks;
	u64 sum = 0;
	u32 i;

	guest = in;
	if (hyvh_chunks_load(&chunks, view, MAX_CHUNKS, read_guest, table))
		return;
	FUZZ_CHECK(chunks.nr && chunks.nr <= MAX_CHUNKS);
	for (i = 0; i < chunks.nr; i++) {
		FUZZ_CHECK(chunks.chunk[i].len);
		sum += chunks.chunk[i].len;
	}
	FUZZ_CHECK(sum == chunks.length);
	if (sum < 1 << 20)
		check_plan(table, &chunks, fuzz_below(in, 8));
	hyvh_chunks_release(&chunks);
}

/* A list that is mostly valid; returns its bytes. */
static u32 make_list(struct fuzz_in *in, u8 *buf, u16 slot)
{
	struct hyv_chunk_list *list = (void *)buf;
	u32 nr = 1 + fuzz_below(in, 8), i, offset;
	u64 sum = 0;

	offset = fuzz_flag(in) ? fuzz_take(in, 2) % PAGE_SIZE : 0;
	memset(list, 0, sizeof(*list));
	list->slot = cpu_to_le16(slot);
	list->nr_chunks = cpu_to_le32(nr);
	list->nr_entries = cpu_to_le32(nr);
	list->addr = cpu_to_le64((fuzz_take(in, 2) << PAGE_SHIFT) + offset);
	for (i = 0; i < nr; i++) {
		u64 addr = take_addr(in) & PAGE_MASK, len = take_len(in);

		/* The same pages again, which is allowed a few times. */
		if (i && fuzz_flag(in)) {
			addr = list->entry[0].addr & PAGE_MASK;
			len = PAGE_SIZE;
		}
		if (!i) {
			addr += offset;
			len -= min(len - 1, offset);
		}
		list->entry[i].addr = cpu_to_le64(addr);
		list->entry[i].len = cpu_to_le64(len);
		sum += len;
	}
	list->length = cpu_to_le64(sum);
	if (!fuzz_below(in, 4)) {
		list->flags = cpu_to_le16(fuzz_take(in, 1));
		list->nr_chunks = cpu_to_le32(fuzz_below(in, 80));
		list->length = cpu_to_le64(fuzz_take(in, 3));
	}
	return sizeof(*list) + nr * sizeof(list->entry[0]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct hyvh_list_view view[HYV_MAX_LISTS];
	struct fuzz_in in = {data, size};
	struct hyvh_mem_table *table;
	u32 len = 0, i, n;
	u16 nr_lists;
	u8 *buf;

	fuzz_fail_alloc(fuzz_flag(&in) ? fuzz_below(&in, 8) : -1);
	table = take_table(&in);
	if (IS_ERR(table))
		return 0;
	hyvh_mem_table_get(table);
	for (i = fuzz_below(&in, 8); i; i--)
		check_translate(table, take_addr(&in), take_len(&in));

	nr_lists = fuzz_below(&in, HYV_MAX_LISTS + 1);
	buf = malloc(4096);
	for (i = 0; i < nr_lists; i++)
		len += make_list(&in, buf + len,
				 fuzz_below(&in, 16) ? i : fuzz_take(&in, 1));
	for (i = fuzz_below(&in, 8); i && len; i--)
		buf[fuzz_take(&in, 2) % len] = fuzz_take(&in, 1);
	if (!fuzz_below(&in, 8))
		len = fuzz_below(&in, len + 1) & ~7u;
	/* The exact size, so that reading beyond it is noticed. */
	buf = realloc(buf, len ? len : 1);
	n = nr_lists;
	if (!hyvh_chunk_lists_parse(buf, len, nr_lists, view))
		for (i = 0; i < n; i++)
			check_chunks(table, &view[i], &in);
	free(buf);
	hyvh_mem_table_put(table);
	FUZZ_CHECK(!hyvh_mem_table_retire(table));
	return 0;
}
