// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the doorbell bitmaps.
 */
#include <linux/bitmap.h>
#include <linux/prandom.h>

#include <compat/kunit.h>

#include <hyv/wire.h>

#include "notify/doorbell_map.h"

/*
 * The guest's side, written from the layout in wire.h alone, so that both sides
 * are held against the text.
 */
struct guest {
	struct hyvh_doorbell_map map;
	u8 *area;
	u32 slots;
	u32 bytes;
};

static u8 *guest_word(const struct guest *g, u32 slot)
{
	return g->area + (g->slots + 4095) / 4096 * 8 + slot / 64 * 8;
}

static void guest_set_bit(u8 *word, u32 bit)
{
	word[bit / 8] |= 1 << bit % 8;
}

static bool guest_bit(const struct guest *g, u32 slot)
{
	return guest_word(g, slot)[slot % 64 / 8] & 1 << slot % 8;
}

static void guest_ring(const struct guest *g, u32 slot)
{
	guest_set_bit(guest_word(g, slot), slot % 64);
	guest_set_bit(g->area + slot / 4096 * 8, slot / 64 % 64);
}

static void guest_init(struct kunit *test, struct guest *g, u32 slots)
{
	g->slots = slots;
	g->bytes = 8 * HYV_DB_BITMAP_WORDS(slots);
	/* A guard area that must not change. */
	g->area = kunit_kzalloc(test, g->bytes + 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g->area);
	memset(g->area + g->bytes, 0xff, 64);
	KUNIT_ASSERT_EQ(test, hyvh_doorbell_map_init(&g->map, g->area, slots), 0);
}

static void guest_expect_clear(struct kunit *test, const struct guest *g)
{
	KUNIT_EXPECT_NULL(test, memchr_inv(g->area, 0, g->bytes));
	KUNIT_EXPECT_NULL(test, memchr_inv(g->area + g->bytes, 0xff, 64));
}

/* Called for each slot; checks the rules that hold at that time. */
struct seen {
	struct kunit *test;
	struct guest *g;
	bool clear_late;
	u32 ring_again;		/* slot, or U32_MAX */
	unsigned int calls;
	DECLARE_BITMAP(slots, HYVH_DOORBELL_MAP_MAX_SLOTS);
};

static void see(void *arg, u32 slot)
{
	struct seen *seen = arg;

	seen->calls++;
	KUNIT_ASSERT_LT(seen->test, slot, seen->g->slots);
	KUNIT_EXPECT_FALSE(seen->test, test_bit(slot, seen->slots));
	set_bit(slot, seen->slots);
	/* An arming bit stays until the CQ is armed, a doorbell does not. */
	KUNIT_EXPECT_EQ(seen->test, guest_bit(seen->g, slot),
			seen->clear_late);
	if (slot == seen->ring_again)
		guest_ring(seen->g, slot);
}

static struct seen *new_seen(struct kunit *test, struct guest *g,
			     bool clear_late)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seen);
	seen->test = test;
	seen->g = g;
	seen->clear_late = clear_late;
	seen->ring_again = U32_MAX;
	return seen;
}

static unsigned int drain(struct seen *seen)
{
	unsigned int n;

	seen->calls = 0;
	bitmap_zero(seen->slots, HYVH_DOORBELL_MAP_MAX_SLOTS);
	n = hyvh_doorbell_map_drain(&seen->g->map, seen->clear_late, see, seen);
	KUNIT_EXPECT_EQ(seen->test, n, seen->calls);
	return n;
}

struct init_param {
	u32 slots;
	u32 misalign;
	int ret;
};

static const struct init_param init_params[] = {
	{ 0, 0, -EINVAL },
	{ 1, 0, -EINVAL },
	{ 32, 0, -EINVAL },
	{ 64, 0, 0 },
	{ 64, 4, -EINVAL },
	{ 64, 8, 0 },
	{ 65, 0, -EINVAL },
	{ 4095, 0, -EINVAL },
	{ 4096, 0, 0 },
	{ 65536, 0, 0 },
	{ 131072, 0, -EINVAL },
	{ 0x80000000, 0, -EINVAL },
	{ U32_MAX, 0, -EINVAL },
};

static void init_desc(const struct init_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u slots, offset %u", p->slots,
		 p->misalign);
}

KUNIT_ARRAY_PARAM(init, init_params, init_desc);

static void doorbell_map_init(struct kunit *test)
{
	const struct init_param *p = test->param_value;
	struct hyvh_doorbell_map map;
	__le64 base[3];

	KUNIT_EXPECT_EQ(test, p->ret,
			hyvh_doorbell_map_init(&map, (u8 *)base + p->misalign,
					       p->slots));
}

struct drain_param {
	u32 slots;
	bool clear_late;
};

static const struct drain_param drain_params[] = {
	{ 64, false }, { 64, true },
	{ 128, false }, { 128, true },
	{ 4096, false }, { 4096, true },
	{ 8192, false }, { 8192, true },
	{ 65536, false }, { 65536, true },
};

static void drain_desc(const struct drain_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u slots, clear %s", p->slots,
		 p->clear_late ? "late" : "early");
}

KUNIT_ARRAY_PARAM(drain, drain_params, drain_desc);

static void doorbell_map_each_slot(struct kunit *test)
{
	const struct drain_param *p = test->param_value;
	struct seen *seen;
	struct guest g;
	u32 slot;

	guest_init(test, &g, p->slots);
	seen = new_seen(test, &g, p->clear_late);
	KUNIT_EXPECT_FALSE(test, hyvh_doorbell_map_pending(&g.map));
	KUNIT_EXPECT_EQ(test, drain(seen), 0);
	for (slot = 0; slot < p->slots; slot += 1 + slot / 97) {
		guest_ring(&g, slot);
		KUNIT_ASSERT_TRUE(test, hyvh_doorbell_map_pending(&g.map));
		KUNIT_ASSERT_EQ(test, drain(seen), 1);
		KUNIT_ASSERT_TRUE(test, test_bit(slot, seen->slots));
		KUNIT_ASSERT_FALSE(test, hyvh_doorbell_map_pending(&g.map));
	}
	guest_expect_clear(test, &g);
}

static void doorbell_map_many_slots(struct kunit *test)
{
	const struct drain_param *p = test->param_value;
	unsigned long *rung;
	struct seen *seen;
	struct rnd_state rnd;
	struct guest g;
	int i, round;

	guest_init(test, &g, p->slots);
	seen = new_seen(test, &g, p->clear_late);
	rung = kunit_kcalloc(test, BITS_TO_LONGS(HYVH_DOORBELL_MAP_MAX_SLOTS),
			     sizeof(*rung), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rung);
	prandom_seed_state(&rnd, p->slots);
	for (round = 0; round < 20; round++) {
		bitmap_zero(rung, HYVH_DOORBELL_MAP_MAX_SLOTS);
		for (i = 0; i < 1 << round % 11; i++) {
			u32 slot = prandom_u32_state(&rnd) % p->slots;

			guest_ring(&g, slot);
			set_bit(slot, rung);
		}
		KUNIT_EXPECT_EQ(test, drain(seen),
				bitmap_weight(rung, p->slots));
		KUNIT_EXPECT_TRUE(test, bitmap_equal(rung, seen->slots,
						     HYVH_DOORBELL_MAP_MAX_SLOTS));
		guest_expect_clear(test, &g);
	}
}

/* A doorbell that is rung while the host acts on it is not lost. */
static void doorbell_map_ring_while_drained(struct kunit *test)
{
	struct seen *seen;
	struct guest g;

	guest_init(test, &g, 8192);
	seen = new_seen(test, &g, false);
	seen->ring_again = 5000;
	guest_ring(&g, 5000);
	KUNIT_EXPECT_EQ(test, drain(seen), 1);
	KUNIT_EXPECT_TRUE(test, hyvh_doorbell_map_pending(&g.map));
	seen->ring_again = U32_MAX;
	KUNIT_EXPECT_EQ(test, drain(seen), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(5000, seen->slots));
	guest_expect_clear(test, &g);
}

/* A guest that was stopped between its two steps is served after both. */
static void doorbell_map_summary_comes_later(struct kunit *test)
{
	struct seen *seen;
	struct guest g;

	guest_init(test, &g, 8192);
	seen = new_seen(test, &g, false);
	guest_set_bit(guest_word(&g, 4200), 4200 % 64);
	KUNIT_EXPECT_FALSE(test, hyvh_doorbell_map_pending(&g.map));
	KUNIT_EXPECT_EQ(test, drain(seen), 0);
	guest_ring(&g, 4200);
	KUNIT_EXPECT_EQ(test, drain(seen), 1);
	guest_expect_clear(test, &g);
}

static void doorbell_map_summary_without_bits(struct kunit *test)
{
	struct seen *seen;
	struct guest g;

	guest_init(test, &g, 65536);
	seen = new_seen(test, &g, true);
	memset(g.area, 0xff, 16 * 8);
	KUNIT_EXPECT_TRUE(test, hyvh_doorbell_map_pending(&g.map));
	KUNIT_EXPECT_EQ(test, drain(seen), 0);
	guest_expect_clear(test, &g);
}

/* All bits are set, including those without a word. */
static void doorbell_map_all_ones(struct kunit *test)
{
	const struct drain_param *p = test->param_value;
	struct seen *seen;
	struct guest g;

	guest_init(test, &g, p->slots);
	seen = new_seen(test, &g, p->clear_late);
	memset(g.area, 0xff, g.bytes);
	KUNIT_EXPECT_EQ(test, drain(seen), p->slots);
	KUNIT_EXPECT_FALSE(test, hyvh_doorbell_map_pending(&g.map));
	guest_expect_clear(test, &g);
}

static void doorbell_map_stray_summary_bits(struct kunit *test)
{
	struct seen *seen;
	struct guest g;

	/* 128 slots are two words, so bits 2..63 have no word. */
	guest_init(test, &g, 128);
	seen = new_seen(test, &g, false);
	memset(g.area, 0xff, 8);
	g.area[0] = 0xfc;
	KUNIT_EXPECT_FALSE(test, hyvh_doorbell_map_pending(&g.map));
	KUNIT_EXPECT_EQ(test, drain(seen), 0);
	guest_expect_clear(test, &g);
}

/* The parts of the area are where wire.h says, and do not overlap. */
static void doorbell_map_area_layout(struct kunit *test)
{
	u32 qp, cq;

	for (qp = 64; qp <= 65536; qp *= 2)
		for (cq = 64; cq <= 65536; cq *= 2) {
			u32 sq_end = 64 + ((qp + 4095) / 4096 + qp / 64) * 8;
			u32 cq_len = ((cq + 4095) / 4096 + cq / 64) * 8;

			KUNIT_EXPECT_EQ(test, HYV_DB_SQ_OFFSET, 64);
			KUNIT_EXPECT_EQ(test, HYV_DB_ARM_OFFSET(qp), sq_end);
			KUNIT_EXPECT_EQ(test, HYV_DB_SOLICITED_OFFSET(qp, cq),
					sq_end + cq_len);
			KUNIT_EXPECT_EQ(test, HYV_DB_AREA_SIZE(qp, cq),
					sq_end + 2 * cq_len);
		}
}

static struct kunit_case doorbell_map_cases[] = {
	KUNIT_CASE_PARAM(doorbell_map_init, init_gen_params),
	KUNIT_CASE_PARAM(doorbell_map_each_slot, drain_gen_params),
	KUNIT_CASE_PARAM(doorbell_map_many_slots, drain_gen_params),
	KUNIT_CASE_PARAM(doorbell_map_all_ones, drain_gen_params),
	KUNIT_CASE(doorbell_map_ring_while_drained),
	KUNIT_CASE(doorbell_map_summary_comes_later),
	KUNIT_CASE(doorbell_map_summary_without_bits),
	KUNIT_CASE(doorbell_map_stray_summary_bits),
	KUNIT_CASE(doorbell_map_area_layout),
	{}
};

static struct kunit_suite doorbell_map_suite = {
	.name = "hyvh_doorbell_map",
	.test_cases = doorbell_map_cases,
};

kunit_test_suite(doorbell_map_suite);

MODULE_DESCRIPTION("Tests of HyV's doorbell bitmaps");
MODULE_LICENSE("GPL");
