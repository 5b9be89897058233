// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event rings that the driver scribbles over, with accesses that fault: only
 * the buffer, the used ring and the event index may be written.
 */
#include "notify/vring.c"

#include "fuzz.h"

#define ARENA	 8192
#define DESC_AT	 0
#define AVAIL_AT 2048
#define USED_AT	 4096
#define EVENT_AT 6144

static u8 arena[ARENA], before[ARENA];

/* Guest memory is the arena, in regions of an odd size. */
#define REGION 1000

static int to_hva(void *arg, u64 gpa, u64 len, u64 *hva, u64 *run)
{
	struct fuzz_in *in = arg;

	FUZZ_CHECK(len);
	if (!fuzz_below(in, 64) || gpa >= ARENA)
		return -EFAULT;
	*hva = SHIM_USER_BASE + gpa;
	/* May be more than was asked for. */
	*run = min(ARENA - gpa, REGION - gpa % REGION);
	return 0;
}

/* Take over what may have changed, as far as it is memory. */
static void allow(u64 at, size_t len)
{
	if (at < ARENA)
		memcpy(before + at, arena + at, min(len, (size_t)(ARENA - at)));
}

static bool read_desc(u64 at, struct vring_desc *desc)
{
	if (at > ARENA - sizeof(*desc))
		return false;
	memcpy(desc, before + at, sizeof(*desc));
	return true;
}

/* Allow the writable descriptors of a chain, as it was before the call. */
static void allow_chain(const struct hyvh_vring *vr, u16 head, u32 len)
{
	u64 table = (u64)(uintptr_t)vr->desc - SHIM_USER_BASE, at;
	struct vring_desc desc;
	u32 steps = 0;

	at = table + 16 * head;
	while (steps++ < 2 * vr->num + 2 && read_desc(at, &desc)) {
		if (desc.flags & VRING_DESC_F_INDIRECT) {
			table = desc.addr;
			at = table;
			continue;
		}
		if (desc.flags & VRING_DESC_F_WRITE)
			allow(desc.addr, min(len, desc.len));
		if (!(desc.flags & VRING_DESC_F_NEXT))
			break;
		at = table + 16 * desc.next;
	}
}

/* Only the memory that a device may write has changed. */
static void check_written(const struct hyvh_vring *vr, u32 len)
{
	u64 avail = (u64)(uintptr_t)vr->avail - SHIM_USER_BASE;
	u64 slot = avail + 4 + 2 * (vr->last_avail & (vr->num - 1));
	u16 head;

	if (slot + 2 <= ARENA) {
		memcpy(&head, before + slot, 2);
		allow_chain(vr, head, len);
	}
	allow((u64)(uintptr_t)vr->used - SHIM_USER_BASE,
	      4 + vr->num * sizeof(struct vring_used_elem) + 2);
	FUZZ_CHECK(!memcmp(arena, before, ARENA));
}

static void post(struct fuzz_in *in, u32 num)
{
	struct vring_avail *avail = (void *)(arena + AVAIL_AT);
	struct vring_desc *desc = (void *)(arena + DESC_AT);
	u16 id = fuzz_take(in, 1) % num;

	desc[id].addr = EVENT_AT + 32 * (id % 32);
	desc[id].len = fuzz_flag(in) ? 32 : fuzz_below(in, 64);
	desc[id].flags = VRING_DESC_F_WRITE;
	desc[id].next = 0;
	switch (fuzz_below(in, 8)) {
	case 0:
		desc[id].flags |= VRING_DESC_F_NEXT;
		desc[id].next = fuzz_below(in, num);
		break;
	case 1:
		/* A table in the event memory. */
		desc[id].addr = EVENT_AT + 1024 + fuzz_below(in, 512);
		desc[id].len = 16 * fuzz_below(in, 5);
		desc[id].flags = VRING_DESC_F_INDIRECT;
		memcpy(arena + desc[id].addr,
		       &(struct vring_desc){EVENT_AT + fuzz_below(in, 900), 64,
					    VRING_DESC_F_WRITE, 0},
		       16);
		break;
	}
	avail->ring[avail->idx % num] = id;
	avail->idx++;
}

static void push(struct hyvh_vring *vr, struct fuzz_in *in)
{
	struct hyvh_vring was = *vr;
	u32 len = fuzz_flag(in) ? 32 : 1 + fuzz_below(in, 64);
	u8 event[64];
	int ret;

	memset(event, 0x77, sizeof(event));
	memcpy(before, arena, ARENA);
	ret = hyvh_vring_push(vr, to_hva, in, event, len);
	check_written(&was, len);
	FUZZ_CHECK(vr->used_idx == (u16)(was.used_idx + !ret) &&
		   vr->last_avail == (u16)(was.last_avail + !ret));
	FUZZ_CHECK((ret == -EINVAL) == vr->broken);
	FUZZ_CHECK(ret != -EFAULT || vr->fault_len);
	FUZZ_CHECK(!was.broken || ret == -EINVAL);
}

static void step(struct hyvh_vring *vr, struct fuzz_in *in)
{
	switch (fuzz_below(in, 6)) {
	case 0:
	case 1:
		post(in, vr->num);
		break;
	case 2:
		arena[fuzz_take(in, 2) % ARENA] = fuzz_take(in, 1);
		break;
	case 3:
		hyvh_vring_need_interrupt(vr);
		break;
	case 4:
		shim_user.fault_in = fuzz_below(in, 4) ? -1 : fuzz_take(in, 1);
		break;
	default:
		push(vr, in);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 num = 1u << fuzz_below(&in, 6), n = 0;
	u64 shift = fuzz_below(&in, 8) ? 0 : fuzz_take(&in, 8);
	struct hyvh_vring vr;
	u16 start;

	memset(arena, 0, ARENA);
	shim_user.mem = arena;
	shim_user.size = ARENA;
	shim_user.fault_in = -1;
	if (!fuzz_below(&in, 8))
		num = fuzz_take(&in, 4);
	start = fuzz_flag(&in) ? 0 : fuzz_take(&in, 2);
	((struct vring_avail *)(arena + AVAIL_AT))->idx = start;
	if (hyvh_vring_init(&vr, num, SHIM_USER_BASE + DESC_AT,
			    SHIM_USER_BASE + AVAIL_AT + shift,
			    SHIM_USER_BASE + USED_AT, start, fuzz_flag(&in)))
		return 0;
	FUZZ_CHECK(is_power_of_2(vr.num) && vr.num <= HYVH_VRING_MAX_NUM);
	while (in.left && n++ < 300 && vr.num <= 64)
		step(&vr, &in);
	return 0;
}
