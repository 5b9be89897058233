// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests that do without a feature: what needs it is refused with a reason, and
 * everything else works.
 */
#include <endian.h>
#include <errno.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "fixture.h"
#include "harness.h"
#include "suites.h"

/* Features that the owner offers in addition to those of hyv.ko. */
#define TRANSPORT \
	(1ULL << VIRTIO_RING_F_EVENT_IDX | 1ULL << VIRTIO_RING_F_INDIRECT_DESC)

static struct fixture fix;

static const struct {
	const char *name;
	unsigned int bit;
} features[] = {
	{"INDIRECT_CHUNKS", HYV_F_INDIRECT_CHUNKS},
	{"DOORBELL_AREA", HYV_F_DOORBELL_AREA},
	{"GUEST_GIDS", HYV_F_GUEST_GIDS},
	{"EVENT_IDX", VIRTIO_RING_F_EVENT_IDX},
	{"INDIRECT_DESC", VIRTIO_RING_F_INDIRECT_DESC},
};

/* Each command succeeds, or needs a feature that is missing. */
static void test_commands(const char *missing)
{
	const struct opcode *op;
	struct rsp rsp;
	struct req r;

	for (op = opcodes; op < opcodes + NR_OPCODES; op++) {
		fixture_request(&fix, op->opcode, &r);
		tap_is(vnic_exec(&fix.v, &r, &rsp),
		       fixture_status(&fix, op->opcode), "%s without %s",
		       op->name, missing);
		if (opcode_changes(op))
			fixture_renew(&fix);
	}
}

static void test_indirect(const char *missing, uint64_t negotiated)
{
	bool works = negotiated >> HYV_F_INDIRECT_CHUNKS & 1;
	struct mr_info mr;

	tap_is(cmd_reg_mr_indirect(&fix.v, fix.pd, &fix.buf, ACCESS_REMOTE,
				   &mr),
	       works ? 0 : HYV_S_EOPNOTSUPP,
	       "an indirect chunk list without %s", missing);
}

static void test_without(const char *missing, unsigned int bit)
{
	uint64_t all = fix.v.offered | TRANSPORT, offered = fix.v.offered;

	if (!(all >> bit & 1))
		return;
	REQUIRE_EQ(vnic_reset(&fix.v), 0, "RESET");
	if (bit == HYV_F_GUEST_GIDS) {
		tap_is(vnic_set_features(&fix.v,
					 1ULL << VIRTIO_F_VERSION_1 |
						 (all & ~(1ULL << bit))),
		       -EOPNOTSUPP, "SET_FEATURES without %s", missing);
	} else {
		/* From here on the guest acknowledges what is in it. */
		fix.v.offered = all & ~(1ULL << bit);
		fixture_renew(&fix);
		test_commands(missing);
		test_indirect(missing, fix.v.offered);
	}
	fix.v.offered = offered;
	fixture_renew(&fix);
}

void suite_features(void)
{
	static const uint32_t modes[] = {HYV_ADDRESSING_HOST,
					 HYV_ADDRESSING_GUEST};
	struct dt_counts before = dt_counts();
	size_t i, mode;

	fixture_init(&fix);
	for (mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		fixture_readdress(&fix, modes[mode]);
		for (i = 0; i < ARRAY_SIZE(features); i++)
			test_without(features[i].name, features[i].bit);
	}
	fixture_free(&fix);
	dt_expect_counts(&before, "after all features");
}
