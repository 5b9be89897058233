/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Report tests in TAP, the Test Anything Protocol; tests/lib/prove runs them.
 *
 * tap_plan() comes first and tap_done() last: a program that ends in between
 * has failed. Test points may come from threads, and from children forked after
 * tap_plan().
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TAP_PRINTF(n) __attribute__((unused, format(printf, n, n + 1)))

/* Test points so far; @planned is 0 if unknown. Children share the memory. */
struct tap {
	atomic_uint points, failed;
	unsigned int planned;
};

/* Weak, so that all files of a program share it. */
__attribute__((weak)) struct tap *tap;

/* @points is how many there will be; 0 leaves that to tap_done(). */
static inline void tap_plan(unsigned int points)
{
	tap = mmap(NULL, sizeof(*tap), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tap == MAP_FAILED)
		abort();
	/* A crash must not lose what was printed before. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	tap->planned = points;
	if (points)
		printf("1..%u\n", points);
}

/* Returns the program's exit status. */
static inline int tap_done(void)
{
	unsigned int points = tap->points;

	if (!tap->planned)
		printf("1..%u\n", points);
	else if (tap->planned != points)
		return 1;
	return tap->failed || !points;
}

/* A comment; each of its lines becomes one. */
static TAP_PRINTF(1) void tap_diag(const char *fmt, ...)
{
	char text[8192], *line, *rest;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		printf("# %s\n", line);
}

/* @why: reason to skip it, or NULL; @file: where to point if it failed, or NULL
 */
static TAP_PRINTF(5) bool tap_point(bool ok, const char *why, const char *file,
				    int line, const char *fmt, ...)
{
	unsigned int point = atomic_fetch_add(&tap->points, 1) + 1;
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* TAP reads a directive after "#". */
	text[strcspn(text, "#\n")] = '\0';
	printf("%sok %u - %s%s%s\n", ok ? "" : "not ", point, text,
	       why ? " # SKIP " : "", why ? why : "");
	if (!ok) {
		atomic_fetch_add(&tap->failed, 1);
		if (file)
			tap_diag("at %s:%d", file, line);
	}
	return ok;
}

static inline bool tap_same(long long got, long long want)
{
	if (got != want)
		tap_diag("got %lld, want %lld", got, want);
	return got == want;
}

static inline bool tap_same_str(const char *got, const char *want)
{
	bool same = got && !strcmp(got, want);

	if (!same)
		tap_diag("got:\n%s\nwant:\n%s", got ? got : "(null)", want);
	return same;
}

/* Test points, named by a printf format; they return whether they passed. */
#define tap_ok(ok, ...) tap_point(ok, NULL, __FILE__, __LINE__, __VA_ARGS__)

#define tap_is(got, want, ...)	   tap_ok(tap_same(got, want), __VA_ARGS__)
#define tap_is_str(got, want, ...) tap_ok(tap_same_str(got, want), __VA_ARGS__)
#define tap_skip(why, ...)	   tap_point(true, why, NULL, 0, __VA_ARGS__)
/* Instead of tap_plan(): the program cannot test anything here. */
#define tap_skip_all(why) (printf("1..0 # SKIP %s\n", why), exit(0))
/* Stop the whole run: nothing else can be tested. */
#define tap_bail(...) \
	(printf("Bail out!  " __VA_ARGS__), putchar('\n'), _exit(255))

#endif /* TESTS_TAP_H */
