// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the device's side of an event virtqueue, against a driver written
 * here, in user memory that the test has mapped.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include <compat/kunit.h>

#include "notify/vring.h"

#define NUM		8
#define USER_PAGES	16
/* Layout of the user memory. The page after it is not mapped. */
#define DESC_OFFSET	0
#define AVAIL_OFFSET	PAGE_SIZE
#define USED_OFFSET	(2 * PAGE_SIZE)
#define BUF_OFFSET	(3 * PAGE_SIZE)
#define BUF_LEN		32
/* "Guest-physical" address of the user memory. */
#define GPA_BASE	0x100000000ULL

struct driver {
	struct kunit *test;
	struct hyvh_vring vr;
	u64 base;
	struct vring_desc __user *desc;
	struct vring_avail __user *avail;
	struct vring_used __user *used;
	u16 avail_idx;
	u64 max_run;	/* contiguous bytes at most, see to_hva() */
};

#define PUT(val, ptr)	KUNIT_ASSERT_EQ(d->test, 0, put_user(val, ptr))
#define GET(ptr)							\
({									\
	typeof(*(ptr)) __val;						\
									\
	KUNIT_ASSERT_EQ(d->test, 0, get_user(__val, ptr));		\
	__val;								\
})

static int to_hva(void *arg, u64 gpa, u64 len, u64 *hva, u64 *run)
{
	struct driver *d = arg;

	if (gpa < GPA_BASE || gpa - GPA_BASE >= USER_PAGES * PAGE_SIZE)
		return -EFAULT;
	*hva = d->base + (gpa - GPA_BASE);
	*run = min3(len, d->max_run, USER_PAGES * PAGE_SIZE - (gpa - GPA_BASE));
	return 0;
}

static int vring_test_init(struct kunit *test)
{
	struct driver *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	test->priv = d;
	d->test = test;
	d->max_run = U64_MAX;
	d->base = kunit_vm_mmap(test, NULL, 0, USER_PAGES * PAGE_SIZE,
				PROT_READ | PROT_WRITE,
				MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, d->base, 0);
	KUNIT_ASSERT_LT(test, d->base, TASK_SIZE);
	d->desc = u64_to_user_ptr(d->base + DESC_OFFSET);
	d->avail = u64_to_user_ptr(d->base + AVAIL_OFFSET);
	d->used = u64_to_user_ptr(d->base + USED_OFFSET);
	return 0;
}

static void device_start(struct driver *d, u16 idx, bool event_idx)
{
	d->avail_idx = idx;
	PUT((__force __virtio16)cpu_to_le16(idx), &d->avail->idx);
	PUT((__force __virtio16)cpu_to_le16(idx), &d->used->idx);
	KUNIT_ASSERT_EQ(d->test, 0,
			hyvh_vring_init(&d->vr, NUM, d->base + DESC_OFFSET,
					d->base + AVAIL_OFFSET,
					d->base + USED_OFFSET, idx, event_idx));
}

/* Entry @i of a table of descriptors at user address @table. */
static void driver_table_desc(struct driver *d, void __user *table, u16 i,
			      u64 addr, u32 len, u16 flags, u16 next)
{
	struct vring_desc desc = {
		.addr = (__force __virtio64)cpu_to_le64(addr),
		.len = (__force __virtio32)cpu_to_le32(len),
		.flags = (__force __virtio16)cpu_to_le16(flags),
		.next = (__force __virtio16)cpu_to_le16(next),
	};

	KUNIT_ASSERT_EQ(d->test, 0, copy_to_user(table + i * sizeof(desc),
						 &desc, sizeof(desc)));
}

static void driver_desc(struct driver *d, u16 i, u64 addr, u32 len, u16 flags)
{
	driver_table_desc(d, d->desc, i, addr, len, flags, 0);
}

/* Make descriptor @i available, valid or not. */
static void driver_add_id(struct driver *d, u16 i)
{
	PUT((__force __virtio16)cpu_to_le16(i),
	    &d->avail->ring[d->avail_idx % NUM]);
	d->avail_idx++;
	PUT((__force __virtio16)cpu_to_le16(d->avail_idx), &d->avail->idx);
}

static void driver_add(struct driver *d, u16 i)
{
	driver_desc(d, i, GPA_BASE + BUF_OFFSET + i * BUF_LEN, BUF_LEN,
		    VRING_DESC_F_WRITE);
	driver_add_id(d, i);
}

static u16 driver_used_idx(struct driver *d)
{
	return le16_to_cpu((__force __le16)GET(&d->used->idx));
}

static void driver_expect_used(struct driver *d, u16 idx, u16 i,
			       const char *data)
{
	struct vring_used_elem elem;
	char buf[BUF_LEN];

	KUNIT_ASSERT_EQ(d->test, 0, copy_from_user(&elem,
						   &d->used->ring[idx % NUM],
						   sizeof(elem)));
	KUNIT_EXPECT_EQ(d->test, le32_to_cpu((__force __le32)elem.id), i);
	KUNIT_EXPECT_EQ(d->test, le32_to_cpu((__force __le32)elem.len),
			BUF_LEN);
	KUNIT_ASSERT_EQ(d->test, 0,
			copy_from_user(buf, u64_to_user_ptr(d->base +
				       BUF_OFFSET + i * BUF_LEN), BUF_LEN));
	KUNIT_EXPECT_MEMEQ(d->test, buf, data, BUF_LEN);
}

static int device_push(struct driver *d, const char *data)
{
	return hyvh_vring_push(&d->vr, to_hva, d, data, BUF_LEN);
}

/* The same, as the worker calls it. */
static int device_try_push(struct driver *d, const char *data)
{
	int ret;

	pagefault_disable();
	ret = device_push(d, data);
	pagefault_enable();
	return ret;
}

static void expect_memory(struct driver *d, u64 offset, const char *data,
			  u32 len)
{
	char buf[BUF_LEN];

	KUNIT_ASSERT_LE(d->test, len, BUF_LEN);
	KUNIT_ASSERT_EQ(d->test, 0,
			copy_from_user(buf, u64_to_user_ptr(d->base + offset),
				       len));
	KUNIT_EXPECT_MEMEQ(d->test, buf, data, len);
}

struct init_param {
	const char *name;
	u32 num;
	u64 desc, avail, used;
	bool above_user;
	int ret;
};

static const struct init_param init_params[] = {
	{ "fits", 8, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false, 0 },
	{ "one entry", 1, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false, 0 },
	{ "largest", 32768, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false, 0 },
	{ "no entries", 0, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false,
	  -EINVAL },
	{ "no power of two", 9, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false,
	  -EINVAL },
	{ "too large", 65536, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false,
	  -EINVAL },
	{ "huge", 0x80000000, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET, false,
	  -EINVAL },
	{ "desc not aligned", 8, 8, AVAIL_OFFSET, USED_OFFSET, false, -EINVAL },
	{ "avail not aligned", 8, DESC_OFFSET, AVAIL_OFFSET + 1, USED_OFFSET,
	  false, -EINVAL },
	{ "used not aligned", 8, DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET + 2,
	  false, -EINVAL },
	{ "used not mapped", 8, DESC_OFFSET, AVAIL_OFFSET,
	  USER_PAGES * PAGE_SIZE, false, -EFAULT },
	{ "not user memory", 8, 0, 0, 0, true, -EFAULT },
};

static void init_desc(const struct init_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(init, init_params, init_desc);

static void vring_set_up(struct kunit *test)
{
	const struct init_param *p = test->param_value;
	struct driver *d = test->priv;
	u64 base = p->above_user ? 0 - 16 * PAGE_SIZE : d->base;

	KUNIT_EXPECT_EQ(test, hyvh_vring_init(&d->vr, p->num, base + p->desc,
					      base + p->avail, base + p->used, 0,
					      false), p->ret);
}

/* Three times around, from just before the indices wrap. */
static void vring_push(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN];
	int i;

	device_start(d, 65530, false);
	for (i = 0; i < 3 * NUM; i++) {
		u16 idx = 65530 + i;

		memset(data, 'a' + i, sizeof(data));
		KUNIT_ASSERT_EQ(test, device_push(d, data), -ENOBUFS);
		KUNIT_ASSERT_EQ(test, driver_used_idx(d), idx);
		driver_add(d, i * 3 % NUM);
		KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
		KUNIT_ASSERT_EQ(test, driver_used_idx(d), (u16)(idx + 1));
		KUNIT_EXPECT_EQ(test, d->vr.last_avail, (u16)(idx + 1));
		driver_expect_used(d, idx, i * 3 % NUM, data);
	}
	KUNIT_EXPECT_FALSE(test, d->vr.broken);
}

static void vring_full(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN];
	int i;

	device_start(d, 0, false);
	for (i = 0; i < NUM; i++)
		driver_add(d, NUM - 1 - i);
	for (i = 0; i < NUM; i++) {
		memset(data, 'a' + i, sizeof(data));
		KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	}
	KUNIT_EXPECT_EQ(test, device_push(d, data), -ENOBUFS);
	for (i = 0; i < NUM; i++) {
		memset(data, 'a' + i, sizeof(data));
		driver_expect_used(d, i, NUM - 1 - i, data);
	}
}

/* A ring continues where a previous device stopped. */
static void vring_continue(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN] = "continued";

	PUT((__force __virtio16)cpu_to_le16(7), &d->used->idx);
	PUT((__force __virtio16)cpu_to_le16(VRING_USED_F_NO_NOTIFY),
	    &d->used->flags);
	KUNIT_ASSERT_EQ(test, 0,
			hyvh_vring_init(&d->vr, NUM, d->base + DESC_OFFSET,
					d->base + AVAIL_OFFSET,
					d->base + USED_OFFSET, 9, false));
	KUNIT_EXPECT_EQ(test, (__force u16)GET(&d->used->flags), 0);
	d->avail_idx = 9;
	driver_add(d, 4);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 8);
	driver_expect_used(d, 7, 4, data);
}

/* Check if the last change makes the driver kick (virtio 1.2, 2.7.10). */
static bool driver_must_notify(struct driver *d, u16 old, bool event_idx)
{
	__virtio16 event;

	if (!event_idx)
		return !(GET(&d->used->flags) & (__force __virtio16)
			 cpu_to_le16(VRING_USED_F_NO_NOTIFY));
	event = GET((__virtio16 __user *)&d->used->ring[NUM]);
	return vring_need_event(le16_to_cpu((__force __le16)event),
				d->avail_idx, old);
}

static const bool event_idx_params[] = { false, true };

static void event_idx_desc(const bool *p, char *desc)
{
	strscpy(desc, *p ? "event index" : "flags", KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event_idx, event_idx_params, event_idx_desc);

static void vring_stall_asks_for_notification(struct kunit *test)
{
	const bool *event_idx = test->param_value;
	struct driver *d = test->priv;
	char data[BUF_LEN] = {};
	int i;

	device_start(d, 65534, *event_idx);
	for (i = 0; i < 10; i++) {
		u16 old = d->avail_idx;

		KUNIT_ASSERT_EQ(test, device_push(d, data), -ENOBUFS);
		driver_add(d, 0);
		KUNIT_EXPECT_TRUE(test, driver_must_notify(d, old, *event_idx));
		KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
		if (!*event_idx)
			continue;
		/* No kicks are needed while there are buffers. */
		old = d->avail_idx;
		driver_add(d, 1);
		KUNIT_EXPECT_FALSE(test, driver_must_notify(d, old, true));
		KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	}
}

static void vring_interrupt_by_flag(struct kunit *test)
{
	struct driver *d = test->priv;

	device_start(d, 0, false);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 1);
	PUT((__force __virtio16)cpu_to_le16(VRING_AVAIL_F_NO_INTERRUPT),
	    &d->avail->flags);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 0);
	PUT(0, &d->avail->flags);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 1);
}

static void vring_interrupt_by_index(struct kunit *test)
{
	struct driver *d = test->priv;
	__virtio16 __user *used_event = &d->avail->ring[NUM];
	char data[BUF_LEN] = {};
	int i;

	device_start(d, 65535, true);
	for (i = 0; i < 4; i++)
		driver_add(d, i);
	/* The flag is ignored; the first answer is always 1. */
	PUT((__force __virtio16)cpu_to_le16(VRING_AVAIL_F_NO_INTERRUPT),
	    &d->avail->flags);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 1);

	/* The driver waits for the buffer with index 1, the third. */
	PUT((__force __virtio16)cpu_to_le16(1), used_event);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 0);
	/* Two pushes, one check. */
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 1);
	KUNIT_EXPECT_EQ(test, hyvh_vring_need_interrupt(&d->vr), 0);
}

static void vring_long_buffers(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN] = "long";

	device_start(d, 0, false);
	driver_desc(d, 5, GPA_BASE + BUF_OFFSET, 2 * BUF_LEN,
		    VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
	driver_add_id(d, 5);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	expect_memory(d, BUF_OFFSET, data, BUF_LEN);
	memset(data, 0, sizeof(data));
	expect_memory(d, BUF_OFFSET + BUF_LEN, data, BUF_LEN);
}

#define CHAIN	(VRING_DESC_F_WRITE | VRING_DESC_F_NEXT)
/* Parts of a scattered buffer, in the order of the data. */
#define PART1	(BUF_OFFSET + 100)
#define PART2	(BUF_OFFSET + 7)
#define PART3	(BUF_OFFSET + PAGE_SIZE - 10)
#define TABLE	(BUF_OFFSET + 3 * PAGE_SIZE - 24)

static void expect_parts(struct driver *d, const char *data)
{
	struct vring_used_elem elem;

	expect_memory(d, PART1, data, 10);
	expect_memory(d, PART2, data + 10, 3);
	expect_memory(d, PART3, data + 13, BUF_LEN - 13);
	KUNIT_EXPECT_EQ(d->test, driver_used_idx(d), 1);
	KUNIT_ASSERT_EQ(d->test, 0, copy_from_user(&elem, &d->used->ring[0],
						   sizeof(elem)));
	KUNIT_EXPECT_EQ(d->test, le32_to_cpu((__force __le32)elem.id), 6);
	KUNIT_EXPECT_EQ(d->test, le32_to_cpu((__force __le32)elem.len),
			BUF_LEN);
}

static const u64 run_params[] = { U64_MAX, 1, 5 };

static void run_desc(const u64 *run, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "at most %llu contiguous bytes",
		 *run);
}

KUNIT_ARRAY_PARAM(run, run_params, run_desc);

static void vring_chained(struct kunit *test)
{
	const u64 *run = test->param_value;
	struct driver *d = test->priv;
	char data[BUF_LEN] = "the parts of a chained buffer ..";

	d->max_run = *run;
	device_start(d, 0, false);
	driver_table_desc(d, d->desc, 6, GPA_BASE + PART1, 10, CHAIN, 2);
	driver_table_desc(d, d->desc, 2, 0, 0, CHAIN, 7);
	driver_table_desc(d, d->desc, 7, GPA_BASE + PART2, 3, CHAIN, 0);
	driver_table_desc(d, d->desc, 0, GPA_BASE + PART3, 4000,
			  VRING_DESC_F_WRITE, 0);
	driver_add_id(d, 6);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	expect_parts(d, data);
}

/* A descriptor of the ring, and then a table. */
static void vring_indirect(struct kunit *test)
{
	const u64 *run = test->param_value;
	struct driver *d = test->priv;
	void __user *table = u64_to_user_ptr(d->base + TABLE);
	char data[BUF_LEN] = "the parts of an indirect buffer.";

	d->max_run = *run;
	device_start(d, 0, false);
	driver_table_desc(d, d->desc, 6, GPA_BASE + PART1, 10, CHAIN, 1);
	driver_table_desc(d, d->desc, 1, GPA_BASE + TABLE,
			  3 * sizeof(struct vring_desc),
			  VRING_DESC_F_INDIRECT, 0);
	driver_table_desc(d, table, 0, GPA_BASE + PART2, 3, CHAIN, 2);
	driver_table_desc(d, table, 2, GPA_BASE + PART3, BUF_LEN - 13,
			  VRING_DESC_F_WRITE, 0);
	driver_add_id(d, 6);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	expect_parts(d, data);
}

static void vring_indirect_in_smallest_ring(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN] = "one entry";

	KUNIT_ASSERT_EQ(test, 0,
			hyvh_vring_init(&d->vr, 1, d->base + DESC_OFFSET,
					d->base + AVAIL_OFFSET,
					d->base + USED_OFFSET, 0, false));
	driver_desc(d, 0, GPA_BASE + TABLE, sizeof(struct vring_desc),
		    VRING_DESC_F_INDIRECT);
	driver_table_desc(d, u64_to_user_ptr(d->base + TABLE), 0,
			  GPA_BASE + BUF_OFFSET, BUF_LEN, VRING_DESC_F_WRITE,
			  0);
	driver_add_id(d, 0);
	KUNIT_EXPECT_EQ(test, device_push(d, data), 0);
	expect_memory(d, BUF_OFFSET, data, BUF_LEN);
}

static void chain_loops(struct driver *d)
{
	driver_table_desc(d, d->desc, 6, 0, 0, CHAIN, 2);
	driver_table_desc(d, d->desc, 2, 0, 0, CHAIN, 6);
}

static void chain_too_short(struct driver *d)
{
	driver_table_desc(d, d->desc, 6, GPA_BASE + PART1, 10, CHAIN, 2);
	driver_table_desc(d, d->desc, 2, GPA_BASE + PART2, BUF_LEN - 11,
			  VRING_DESC_F_WRITE, 0);
}

static void chain_leaves_ring(struct driver *d)
{
	driver_table_desc(d, d->desc, 6, GPA_BASE + PART1, 10, CHAIN, NUM);
}

static void chain_turns_read_only(struct driver *d)
{
	driver_table_desc(d, d->desc, 6, GPA_BASE + PART1, 10, CHAIN, 2);
	driver_table_desc(d, d->desc, 2, GPA_BASE + PART2, BUF_LEN, 0, 0);
}

static void table(struct driver *d, u32 len, u16 flags, u16 entry_flags,
		  u16 next)
{
	driver_table_desc(d, d->desc, 6, GPA_BASE + TABLE, len,
			  VRING_DESC_F_INDIRECT | flags, 1);
	driver_table_desc(d, u64_to_user_ptr(d->base + TABLE), 0,
			  GPA_BASE + PART1, 10, entry_flags, next);
}

static void table_empty(struct driver *d)
{
	table(d, 0, 0, VRING_DESC_F_WRITE, 0);
}

static void table_odd(struct driver *d)
{
	table(d, sizeof(struct vring_desc) + 8, 0, VRING_DESC_F_WRITE, 0);
}

static void table_with_next(struct driver *d)
{
	table(d, sizeof(struct vring_desc), VRING_DESC_F_NEXT,
	      VRING_DESC_F_WRITE, 0);
}

static void table_in_table(struct driver *d)
{
	table(d, sizeof(struct vring_desc), 0, VRING_DESC_F_INDIRECT, 0);
}

static void table_left(struct driver *d)
{
	table(d, 2 * sizeof(struct vring_desc), 0, CHAIN, 2);
}

static void table_loops(struct driver *d)
{
	driver_table_desc(d, d->desc, 6, GPA_BASE + TABLE, ~15U,
			  VRING_DESC_F_INDIRECT, 0);
	driver_table_desc(d, u64_to_user_ptr(d->base + TABLE), 0, 0, 0, CHAIN,
			  0);
}

static void table_outside(struct driver *d)
{
	driver_desc(d, 6, GPA_BASE - sizeof(struct vring_desc),
		    sizeof(struct vring_desc), VRING_DESC_F_INDIRECT);
}

static const struct chain_param {
	const char *name;
	void (*add)(struct driver *d);
} chain_params[] = {
	{ "chain loops", chain_loops },
	{ "chain too short", chain_too_short },
	{ "chain leaves the ring", chain_leaves_ring },
	{ "chain turns read-only", chain_turns_read_only },
	{ "empty table", table_empty },
	{ "table with half an entry", table_odd },
	{ "chain after a table", table_with_next },
	{ "table in a table", table_in_table },
	{ "chain leaves the table", table_left },
	{ "chain in a table loops", table_loops },
	{ "table outside guest memory", table_outside },
};

static void chain_desc(const struct chain_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(chain, chain_params, chain_desc);

static void vring_broken_by_chain(struct kunit *test)
{
	const struct chain_param *p = test->param_value;
	struct driver *d = test->priv;
	char data[BUF_LEN] = "data";

	device_start(d, 0, false);
	p->add(d);
	driver_add_id(d, 6);
	KUNIT_EXPECT_EQ(test, device_push(d, data), -EINVAL);
	KUNIT_EXPECT_TRUE(test, d->vr.broken);
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 0);
}

struct broken_param {
	const char *name;
	u64 gpa;
	u32 len;
	u16 flags;
	u16 id;
	u16 jump;		/* of the available index */
	int ret;
};

#define GOOD_GPA	(GPA_BASE + BUF_OFFSET)

static const struct broken_param broken_params[] = {
	{ "jump beyond the ring", GOOD_GPA, BUF_LEN, VRING_DESC_F_WRITE, 0,
	  NUM, -EINVAL },
	{ "index goes back", GOOD_GPA, BUF_LEN, VRING_DESC_F_WRITE, 0, -2,
	  -EINVAL },
	{ "no such descriptor", GOOD_GPA, BUF_LEN, VRING_DESC_F_WRITE, NUM, 0,
	  -EINVAL },
	{ "last possible number", GOOD_GPA, BUF_LEN, VRING_DESC_F_WRITE, 65535,
	  0, -EINVAL },
	{ "not writable", GOOD_GPA, BUF_LEN, 0, 0, 0, -EINVAL },
	{ "indirect", GOOD_GPA, BUF_LEN,
	  VRING_DESC_F_WRITE | VRING_DESC_F_INDIRECT, 0, 0, -EINVAL },
	{ "too short", GOOD_GPA, BUF_LEN - 1, VRING_DESC_F_WRITE, 0, 0,
	  -EINVAL },
	{ "empty", GOOD_GPA, 0, VRING_DESC_F_WRITE, 0, 0, -EINVAL },
	{ "not guest memory", GPA_BASE - BUF_LEN, BUF_LEN, VRING_DESC_F_WRITE,
	  0, 0, -EINVAL },
	{ "ends outside guest memory",
	  GPA_BASE + USER_PAGES * PAGE_SIZE - BUF_LEN + 1, BUF_LEN,
	  VRING_DESC_F_WRITE, 0, 0, -EINVAL },
	{ "wraps", 0 - 8ULL, BUF_LEN, VRING_DESC_F_WRITE, 0, 0, -EINVAL },
};

static void broken_desc(const struct broken_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(broken, broken_params, broken_desc);

static void vring_broken_by_driver(struct kunit *test)
{
	const struct broken_param *p = test->param_value;
	struct driver *d = test->priv;
	char data[BUF_LEN] = "data";

	device_start(d, 100, true);
	driver_desc(d, 0, p->gpa, p->len, p->flags);
	driver_add_id(d, p->id);
	PUT((__force __virtio16)cpu_to_le16(d->avail_idx + p->jump),
	    &d->avail->idx);
	KUNIT_EXPECT_EQ(test, device_push(d, data), p->ret);
	KUNIT_EXPECT_TRUE(test, d->vr.broken);

	/* It stays broken, also after the driver has repaired it. */
	PUT((__force __virtio16)cpu_to_le16(100), &d->avail->idx);
	d->avail_idx = 100;
	driver_add(d, 0);
	KUNIT_EXPECT_EQ(test, device_push(d, data), -EINVAL);
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 100);
}

static void expect_fault(struct driver *d, u64 offset)
{
	KUNIT_EXPECT_FALSE(d->test, d->vr.broken);
	KUNIT_EXPECT_EQ(d->test, round_down(d->vr.fault_addr, PAGE_SIZE),
			d->base + offset);
	KUNIT_EXPECT_GT(d->test, d->vr.fault_len, 0);
	KUNIT_EXPECT_LE(d->test, d->vr.fault_len, BUF_LEN);
	KUNIT_EXPECT_EQ(d->test, d->vr.last_avail, 0);
	KUNIT_EXPECT_EQ(d->test, d->vr.used_idx, 0);
}

static const u64 part_params[] = { DESC_OFFSET, AVAIL_OFFSET, USED_OFFSET,
				   BUF_OFFSET };

static void part_desc(const u64 *offset, char *desc)
{
	static const char * const names[] = { "descriptors", "available ring",
					      "used ring", "buffer" };

	strscpy(desc, names[offset - part_params], KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(part, part_params, part_desc);

/* A part goes away and comes back: the same call succeeds then. */
static void vring_retry(struct kunit *test)
{
	const u64 *offset = test->param_value;
	struct driver *d = test->priv;
	u64 part = d->base + *offset;
	char data[BUF_LEN] = "first", other[BUF_LEN] = "second";
	void *copy;
	int i;

	copy = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	device_start(d, 0, true);
	driver_add(d, 0);
	PUT(0, (u8 __user *)u64_to_user_ptr(d->base + BUF_OFFSET));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(copy, u64_to_user_ptr(part),
						PAGE_SIZE));
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(part, PAGE_SIZE));
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, device_try_push(d, data), -EFAULT);
		expect_fault(d, *offset);
	}
	KUNIT_ASSERT_EQ(test, part,
			vm_mmap(NULL, part, PAGE_SIZE, PROT_READ | PROT_WRITE,
				MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED, 0));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(u64_to_user_ptr(part), copy,
					      PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 0);
	/* It may even be another message. */
	KUNIT_EXPECT_EQ(test, device_try_push(d, other), 0);
	driver_expect_used(d, 0, 0, other);
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 1);
	KUNIT_EXPECT_EQ(test, device_try_push(d, other), -ENOBUFS);
}

/* No page fault is handled while page faults are disabled. */
static void vring_does_not_fault(struct kunit *test)
{
	struct driver *d = test->priv;
	char data[BUF_LEN] = "data";

	device_start(d, 0, false);
	driver_add(d, 0);
	KUNIT_EXPECT_EQ(test, device_try_push(d, data), -EFAULT);
	expect_fault(d, BUF_OFFSET);
	KUNIT_EXPECT_EQ(test, driver_used_idx(d), 0);
	PUT(0, (u8 __user *)u64_to_user_ptr(d->vr.fault_addr));
	KUNIT_EXPECT_EQ(test, device_try_push(d, data), 0);
	driver_expect_used(d, 0, 0, data);
}

/* If the driver's setting cannot be read, it gets an interrupt too many. */
static void vring_interrupt_unknown(struct kunit *test)
{
	const bool *event_idx = test->param_value;
	struct driver *d = test->priv;
	char data[BUF_LEN] = {};

	device_start(d, 0, *event_idx);
	driver_add(d, 0);
	driver_add(d, 1);
	PUT((__force __virtio16)cpu_to_le16(VRING_AVAIL_F_NO_INTERRUPT),
	    &d->avail->flags);
	PUT((__force __virtio16)cpu_to_le16(100),
	    (__virtio16 __user *)&d->avail->ring[NUM]);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	hyvh_vring_need_interrupt(&d->vr);
	KUNIT_ASSERT_EQ(test, device_push(d, data), 0);
	KUNIT_EXPECT_FALSE(test, hyvh_vring_need_interrupt(&d->vr));
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(d->base + AVAIL_OFFSET, PAGE_SIZE));
	KUNIT_EXPECT_TRUE(test, hyvh_vring_need_interrupt(&d->vr));
}

static struct kunit_case vring_cases[] = {
	KUNIT_CASE_PARAM(vring_set_up, init_gen_params),
	KUNIT_CASE(vring_push),
	KUNIT_CASE(vring_full),
	KUNIT_CASE(vring_continue),
	KUNIT_CASE_PARAM(vring_stall_asks_for_notification,
			 event_idx_gen_params),
	KUNIT_CASE(vring_interrupt_by_flag),
	KUNIT_CASE(vring_interrupt_by_index),
	KUNIT_CASE_PARAM(vring_interrupt_unknown, event_idx_gen_params),
	KUNIT_CASE(vring_long_buffers),
	KUNIT_CASE_PARAM(vring_chained, run_gen_params),
	KUNIT_CASE_PARAM(vring_indirect, run_gen_params),
	KUNIT_CASE(vring_indirect_in_smallest_ring),
	KUNIT_CASE_PARAM(vring_broken_by_chain, chain_gen_params),
	KUNIT_CASE_PARAM(vring_broken_by_driver, broken_gen_params),
	KUNIT_CASE_PARAM(vring_retry, part_gen_params),
	KUNIT_CASE(vring_does_not_fault),
	{}
};

static struct kunit_suite vring_suite = {
	.name = "hyvh_vring",
	.init = vring_test_init,
	.test_cases = vring_cases,
};

kunit_test_suite(vring_suite);

MODULE_DESCRIPTION("Tests of HyV's event virtqueues");
MODULE_LICENSE("GPL");
