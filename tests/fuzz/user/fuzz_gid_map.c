// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GID map, compared with a table of all GIDs of a small set.
 */
#include "address/gid_map.c"

#include "fuzz.h"

#define GIDS 32
#define VIAS 4

static struct model {
	bool there;
	u32 vnic_id;
	u32 port;
	u32 via;
	u32 uses;
} model[GIDS];

static struct hyvh_gid_map map;
static u32 max_static;

/* The bytes differ at both ends, so that the order is not that of numbers. */
static union ib_gid gid_of(u32 n)
{
	union ib_gid gid = {};

	gid.raw[0] = 0xfe;
	gid.raw[3] = n & 3;
	gid.raw[15] = n >> 2;
	return gid;
}

static u32 number_of(const union ib_gid *gid)
{
	return gid->raw[3] | gid->raw[15] << 2;
}

static struct hyvh_gid_owner owner_of(u32 vnic_id, u32 port, u32 via)
{
	struct hyvh_gid_owner owner = {
		.vnic_id = vnic_id,
		.port = port,
	};

	if (vnic_id == HYVH_GID_STATIC)
		owner.via = gid_of(100 + via);
	return owner;
}

static u32 nr_static(void)
{
	u32 i, n = 0;

	for (i = 0; i < GIDS; i++)
		n += model[i].there && model[i].vnic_id == HYVH_GID_STATIC;
	return n;
}

static void add(struct fuzz_in *in)
{
	u32 n = fuzz_below(in, GIDS), id = fuzz_below(in, 3);
	u32 port = 1 + fuzz_below(in, 2), via = fuzz_below(in, VIAS);
	struct hyvh_gid_owner owner = owner_of(id, port, via);
	union ib_gid gid = gid_of(n);
	struct model *m = &model[n];
	int ret, want = 0;

	if (m->there && (!id || m->vnic_id != id || m->port != port))
		want = -EEXIST;
	else if (!m->there && !id && nr_static() >= max_static)
		want = -ENOSPC;
	ret = hyvh_gid_map_add(&map, &gid, &owner);
	if (ret == -ENOMEM)
		return;
	FUZZ_CHECK(ret == want);
	if (ret)
		return;
	if (m->there) {
		m->uses++;
		return;
	}
	*m = (struct model){true, id, port, via, 1};
}

static void del(struct fuzz_in *in)
{
	u32 n = fuzz_below(in, GIDS), id = fuzz_below(in, 3);
	union ib_gid gid = gid_of(n);
	struct model *m = &model[n];
	int ret = hyvh_gid_map_del(&map, &gid, id);

	FUZZ_CHECK(!ret == (m->there && m->vnic_id == id));
	if (!ret && !--m->uses)
		m->there = false;
}

/* Merge a few static entries into the map, or subtract them. */
static void many(struct fuzz_in *in, bool merge)
{
	bool replace = fuzz_flag(in), in_batch[GIDS] = {};
	u32 via = fuzz_below(in, VIAS), i, n, added = 0;
	struct hyvh_gid_owner owner = owner_of(HYVH_GID_STATIC, 0, via);
	struct hyvh_gid_map batch;
	union ib_gid bad = {}, gid;
	int ret, want = 0;

	hyvh_gid_map_init(&batch, GIDS);
	for (n = fuzz_below(in, 8); n; n--) {
		i = fuzz_below(in, GIDS);
		gid = gid_of(i);
		if (!hyvh_gid_map_add(&batch, &gid, &owner))
			in_batch[i] = true;
	}
	for (i = 0; i < GIDS; i++) {
		if (!in_batch[i])
			continue;
		if (merge && model[i].there && (!replace || model[i].vnic_id))
			want = -EEXIST;
		if (!merge && (!model[i].there || model[i].vnic_id))
			want = -ENOENT;
		added += !model[i].there;
	}
	if (merge && !want && added > max_static - nr_static())
		want = -ENOSPC;
	ret = merge ? hyvh_gid_map_merge(&map, &batch, replace, &bad)
		    : hyvh_gid_map_subtract(&map, &batch, &bad);
	FUZZ_CHECK(ret == want);
	FUZZ_CHECK(ret != -EEXIST || in_batch[number_of(&bad)]);
	for (i = 0; i < GIDS && !ret; i++)
		if (in_batch[i])
			model[i] = (struct model){merge, 0, 0, via, 1};
	hyvh_gid_map_clear(&batch);
}

static void check_all(void)
{
	union ib_gid gid = {}, last, via;
	struct hyvh_gid_owner owner;
	u32 i, n = 0;

	for (last = gid; !hyvh_gid_map_next(&map, &gid, &owner); last = gid) {
		struct model *m = &model[number_of(&gid)];

		FUZZ_CHECK(memcmp(last.raw, gid.raw, sizeof(gid.raw)) < 0);
		FUZZ_CHECK(m->there && m->vnic_id == owner.vnic_id);
		n++;
	}
	for (i = 0; i < GIDS; i++) {
		gid = gid_of(i);
		FUZZ_CHECK(!hyvh_gid_map_find(&map, &gid, &owner) ==
			   model[i].there);
		n -= model[i].there;
	}
	FUZZ_CHECK(!n && map.nr_static == nr_static());
	for (i = 0; i < VIAS; i++) {
		bool used = false;
		u32 k;

		via = gid_of(100 + i);
		for (k = 0; k < GIDS; k++)
			used |= model[k].there && !model[k].vnic_id &&
				model[k].via == i;
		FUZZ_CHECK(hyvh_gid_map_has_via(&map, &via) == used);
	}
}

/* Prefixes bit by bit. */
static void check_prefix(struct fuzz_in *in)
{
	union ib_gid gid, prefix;
	u32 length = fuzz_below(in, 129), i;
	bool same = true, clear = true;

	fuzz_bytes(in, &gid, sizeof(gid));
	prefix = gid;
	for (i = fuzz_below(in, 3); i; i--)
		prefix.raw[fuzz_below(in, 16)] ^= 1u << fuzz_below(in, 8);
	for (i = 0; i < 128; i++) {
		u8 bit = 0x80 >> i % 8;

		if (i < length)
			same &= !((gid.raw[i / 8] ^ prefix.raw[i / 8]) & bit);
		else
			clear &= !(gid.raw[i / 8] & bit);
	}
	FUZZ_CHECK(hyvh_gid_in_prefix(&gid, prefix.raw, length) == same);
	FUZZ_CHECK(hyvh_gid_is_prefix(&gid, length) == clear);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	u32 steps = 0;

	memset(model, 0, sizeof(model));
	fuzz_fail_alloc(-1);
	max_static = fuzz_below(&in, GIDS + 1);
	hyvh_gid_map_init(&map, max_static);
	while (in.left && steps++ < 300) {
		switch (fuzz_below(&in, 8)) {
		case 0:
			many(&in, true);
			break;
		case 1:
			many(&in, false);
			break;
		case 2:
			check_prefix(&in);
			break;
		case 3:
		case 4:
			del(&in);
			break;
		default:
			add(&in);
		}
		if (!(steps % 64))
			check_all();
	}
	check_all();
	hyvh_gid_map_clear(&map);
	FUZZ_CHECK(!map.count && !rb_first(&map.root) && !rb_first(&map.vias));
	return 0;
}
