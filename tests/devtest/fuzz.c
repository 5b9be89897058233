// SPDX-License-Identifier: GPL-2.0-only
/*
 * Valid requests, randomly changed, but the same for the same seed.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "driver.h"
#include "fixture.h"
#include "fuzz.h"
#include "suites.h"
#include "harness.h"

/*
 * Requests between two resets, so that objects do not pile up. Each second
 * round is in guest addressing.
 */
#define FUZZ_ROUND 200

static struct fixture fix;

uint64_t fuzz_odd_value(struct dt_rng *rng)
{
	static const uint64_t values[] = {
		0,
		1,
		7,
		8,
		4095,
		4096,
		4097,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x7fffffffffffffffULL,
		0x8000000000000000ULL,
		~0ULL,
		-4096ULL,
		GMEM_GPA_BASE,
		GMEM_GPA_LINEAR,
		GMEM_GPA_HOLE,
	};
	uint32_t n = dt_below(rng, ARRAY_SIZE(values) + 3);

	if (n < ARRAY_SIZE(values))
		return values[n];
	return n % 2 ? dt_random(rng) : dt_below(rng, 64);
}

/* Spoil a few fields of 1, 2, 4 or 8 bytes. */
static void spoil_fields(struct dt_rng *rng, struct req *r)
{
	uint32_t n = 1 + dt_below(rng, 4);

	while (n--) {
		uint32_t size = 1u << dt_below(rng, 4);
		uint32_t at = dt_below(rng, r->len) & ~(size - 1);
		uint64_t value = htole64(fuzz_odd_value(rng));

		/* The first fields are spoiled less: they end it too soon. */
		if (at < sizeof(struct hyv_req) && dt_below(rng, 4))
			continue;
		memcpy(r->data + at, &value, size);
	}
}

/* Rarely spoil the address: resolving one that does not exist takes seconds. */
static void keep_address(struct dt_rng *rng, struct req *r)
{
	struct hyv_create_ah_req *req = (void *)r->data;

	if (dt_below(rng, 64))
		memcpy(req->attr.dgid, fix.gid.raw, sizeof(req->attr.dgid));
}

void fuzz_spoil_length(struct dt_rng *rng, struct req *r)
{
	uint32_t more = dt_below(rng, 128), i;

	switch (dt_below(rng, 4)) {
	case 0:
		r->len = dt_below(rng, r->len + 1);
		break;
	case 1:
		for (i = 0; i < more; i++)
			r->data[r->len++] = dt_random(rng);
		break;
	}
	if (r->len >= sizeof(r->hdr) && dt_below(rng, 8))
		req_seal(r);
}

/* Bits of the doorbell area, which the worker polls. */
static void spoil_doorbells(struct dt_rng *rng)
{
	uint32_t at = dt_below(rng, DB_PAGES * DT_PAGE) & ~7u;
	uint64_t value = dt_random(rng) & dt_random(rng);

	memcpy(gmem_at(&fix.gm, fix.db.gpa[at / DT_PAGE]) + at % DT_PAGE,
	       &value, sizeof(value));
}

bool fuzz_known_status(int status)
{
	static const int known[] = {
		HYV_OK,
		HYV_S_EPERM,
		HYV_S_ENOENT,
		HYV_S_EINTR,
		HYV_S_EIO,
		HYV_S_E2BIG,
		HYV_S_EAGAIN,
		HYV_S_ENOMEM,
		HYV_S_EACCES,
		HYV_S_EFAULT,
		HYV_S_EBUSY,
		HYV_S_EEXIST,
		HYV_S_ENODEV,
		HYV_S_EINVAL,
		HYV_S_ENOSPC,
		HYV_S_ERANGE,
		HYV_S_ENOSYS,
		HYV_S_EMSGSIZE,
		HYV_S_EOPNOTSUPP,
		HYV_S_EPROTONOSUPPORT,
		HYV_S_ENETUNREACH,
		HYV_S_ETIMEDOUT,
		HYV_S_EHOSTUNREACH,
		HYV_S_EDQUOT,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (status == known[i])
			return true;
	return false;
}

/* Send one request; false if its status or error is not one that is allowed. */
static bool one_request(struct dt_rng *rng, uint32_t *accepted)
{
	const struct opcode *op = &opcodes[dt_below(rng, NR_OPCODES)];
	uint32_t room = HYV_MAX_RSP_SIZE;
	struct rsp rsp;
	struct req r;
	int ret;

	fixture_request(&fix, op->opcode, &r);
	if (dt_below(rng, 16))
		spoil_fields(rng, &r);
	if (op->opcode == HYV_CMD_CREATE_AH)
		keep_address(rng, &r);
	if (!dt_below(rng, 4))
		fuzz_spoil_length(rng, &r);
	if (!dt_below(rng, 8))
		room = dt_below(rng, 300);
	spoil_doorbells(rng);
	ret = vnic_exec_room(&fix.v, &r, &rsp, room);
	if (!ret)
		++*accepted;
	if (ret == -EMSGSIZE)
		return room < sizeof(struct hyv_rsp);
	if (ret == -EINVAL)
		return r.len > HYV_MAX_REQ_SIZE;
	return fuzz_known_status(ret);
}

/**
 * fuzz() - send malformed requests to the host
 * @seed: names the run
 * @seconds: how long
 */
void fuzz(uint64_t seed, unsigned int seconds)
{
	struct hyv_set_limits limits = {
		.max_pinned = 256 << 20,
		.max_queue_bytes = 256 << 20,
	};
	struct dt_counts before = dt_counts();
	uint64_t end = dt_now_ms() + 1000ULL * seconds;
	struct dt_rng rng = {seed};
	uint32_t n = 0, bad = 0, accepted = 0;

	tap_diag("seed %llu", (unsigned long long)seed);
	fixture_init(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	while (dt_now_ms() < end) {
		if (!one_request(&rng, &accepted) && bad++ < 10)
			tap_diag("request %u had an unexpected status", n);
		if (!(++n % FUZZ_ROUND))
			fixture_readdress(&fix, n / FUZZ_ROUND % 2
							? HYV_ADDRESSING_GUEST
							: HYV_ADDRESSING_HOST);
	}
	tap_is(bad, 0,
	       "%u malformed requests have expected statuses; %u accepted", n,
	       accepted);
	tap_ok(n > 0 && accepted < n, "some requests are refused");
	fixture_free(&fix);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after malformed requests");
}
