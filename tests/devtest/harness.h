/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suites of tests in TAP, and what every suite needs.
 */
#ifndef DEVTEST_HARNESS_H
#define DEVTEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DT_PAGE	      4096UL

/*
 * For what the rest of a suite depends on: they report a test point only if it
 * fails, and then end the suite.
 */
#define REQUIRE(cond, ...)                          \
	do {                                        \
		if (!(cond)) {                      \
			tap_ok(false, __VA_ARGS__); \
			_exit(1);                   \
		}                                   \
	} while (0)
#define REQUIRE_EQ(got, want, ...)                                  \
	do {                                                        \
		long long got_ = (got), want_ = (want);             \
		if (got_ != want_) {                                \
			tap_ok(tap_same(got_, want_), __VA_ARGS__); \
			_exit(1);                                   \
		}                                                   \
	} while (0)

/**
 * struct dt_suite - tests that run in a process of their own
 * @name: name on the command line
 * @about: one line for a person
 * @fn: runs the tests
 * @timeout: seconds after which the process is killed and the suite has failed,
 *	     at a timeout scale of 1
 * @optional: run only if named
 */
struct dt_suite {
	const char *name;
	const char *about;
	void (*fn)(void);
	unsigned int timeout;
	bool optional;
};

void dt_suite_run(const struct dt_suite *suite);

/* Deterministic pseudo-random numbers. */
struct dt_rng {
	uint64_t state;
};

uint64_t dt_random(struct dt_rng *rng);
uint32_t dt_below(struct dt_rng *rng, uint32_t n);

uint64_t dt_now_ms(void);
void dt_sleep_us(unsigned int us);

/* Factor on time limits; DEVTEST_TIMEOUT_SCALE in the environment, or 1. */
unsigned int dt_timeout_scale(void);

/*
 * Seconds, at a timeout scale of 1, after which what must happen has not
 * happened. This finds hangs: it is long, because an emulated machine can be
 * slow. A test of how long something takes has a limit of its own.
 */
#define DT_HANG_S 60

/* The same in milliseconds, at the timeout scale. */
unsigned int dt_hang_ms(void);

/* Wait until a condition holds, up to dt_hang_ms(); false if it does not. */
#define dt_until_every(us, cond)                                      \
	({                                                            \
		uint64_t dt_until_end_ = dt_now_ms() + dt_hang_ms();  \
		bool dt_until_more_, dt_until_ok_;                    \
		do {                                                  \
			dt_until_more_ = dt_now_ms() < dt_until_end_; \
			dt_until_ok_ = (cond);                        \
			if (!dt_until_ok_ && dt_until_more_)          \
				dt_sleep_us(us);                      \
		} while (!dt_until_ok_ && dt_until_more_);            \
		dt_until_ok_;                                         \
	})
#define dt_until(cond) dt_until_every(1000, cond)

/* The RDMA device under test; IBDEV in the environment, or rxe0. */
const char *dt_ibdev(void);
bool dt_on_mock(void);
const char *dt_uverbs(void);

/* Objects of the device as "rdma resource" counts them. */
struct dt_counts {
	int pd;
	int cq;
	int qp;
	int mr;
	int srq;
	int ctx;
};

struct dt_counts dt_counts(void);
void dt_expect_counts(const struct dt_counts *want, const char *when);
long dt_pinned_kib(void);

/* Use of a quota of the only vNIC of this process, or its limit. */
long dt_quota(const char *name, bool limit);

/* The kernel's log, from now on. */
int dt_klog_open(void);
bool dt_klog_has(int klog, const char *const word[3], unsigned int seconds);

int dt_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* DEVTEST_HARNESS_H */
