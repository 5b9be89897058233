/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks, groups of checks, and what every group needs.
 */
#ifndef DEVTEST_HARNESS_H
#define DEVTEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DT_PAGE	      4096UL

/*
 * CHECK() says whether a condition holds. EXPECT() compares two integers and
 * shows both when they differ. Each makes one line "ok" or "not ok". REQUIRE()
 * and REQUIRE_EQ() are for what the rest of the group depends on: they print a
 * line only when they fail, and then end the group.
 */
#define CHECK(cond, ...) dt_check(cond, __FILE__, __LINE__, __VA_ARGS__)
#define EXPECT(got, want, ...)                                             \
	dt_expect((long long)(got), (long long)(want), __FILE__, __LINE__, \
		  __VA_ARGS__)
#define REQUIRE(cond, ...) dt_require(cond, __FILE__, __LINE__, __VA_ARGS__)
#define REQUIRE_EQ(got, want, ...)                                             \
	dt_require_eq((long long)(got), (long long)(want), __FILE__, __LINE__, \
		      __VA_ARGS__)

#define DT_PRINTF(n) __attribute__((format(printf, n, n + 1)))

bool dt_check(bool ok, const char *file, int line, const char *fmt, ...)
	DT_PRINTF(4);
bool dt_expect(long long got, long long want, const char *file, int line,
	       const char *fmt, ...) DT_PRINTF(5);
void dt_require(bool ok, const char *file, int line, const char *fmt, ...)
	DT_PRINTF(4);
void dt_require_eq(long long got, long long want, const char *file, int line,
		   const char *fmt, ...) DT_PRINTF(5);
void dt_note(const char *fmt, ...) DT_PRINTF(1);
int dt_failed(void);
int dt_finish(void);
void dt_harness_init(void);

/**
 * struct dt_group - checks that run in a process of their own
 * @name: what it is called on the command line
 * @about: one line for a person
 * @fn: runs the checks
 * @timeout: seconds after which the process is killed and the group has failed,
 *	     if dt_patience() is 1
 * @optional: not run unless it is named
 */
struct dt_group {
	const char *name;
	const char *about;
	void (*fn)(void);
	unsigned int timeout;
	bool optional;
};

void dt_group_run(const struct dt_group *group);

/* Deterministic pseudo-random numbers. */
struct dt_rng {
	uint64_t state;
};

uint64_t dt_random(struct dt_rng *rng);
uint32_t dt_below(struct dt_rng *rng, uint32_t n);

uint64_t dt_now_ms(void);
void dt_sleep_us(unsigned int us);

/* How many times slower than usual the machine is; DEVTEST_PATIENCE says it. */
unsigned int dt_patience(void);

/* The RDMA device under test; IBDEV in the environment, or rxe0. */
const char *dt_ibdev(void);
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
int dt_run(const char *fmt, ...) DT_PRINTF(1);

#endif /* DEVTEST_HARNESS_H */
