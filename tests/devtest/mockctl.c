// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control of the mock HCA (tests/mock).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "mockctl.h"

#define MOCK_DIR "/sys/kernel/debug/hyv_mock/"

/**
 * mock_set() - write to one of the mock's files
 * @file: name of the file
 * @text: what to write
 */
void mock_set(const char *file, const char *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), MOCK_DIR "%s", file);
	fd = open(path, O_WRONLY);
	REQUIRE(fd >= 0, "%s opens (%s)", path, strerror(errno));
	REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text),
		"the mock accepts '%s' in %s", text, file);
	close(fd);
}

/* Make calls of a verb misbehave; see hyv_mock.h for the form of a rule. */
void mock_rule(const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	mock_set("rules", text);
}

void mock_clear(void)
{
	mock_set("rules", "clear");
}

/**
 * mock_counter() - read a counter
 * @name: name of the counter
 *
 * Return: its value; ends the suite if there is no such counter.
 */
long mock_counter(const char *name)
{
	size_t len = strlen(name);
	char line[128];
	bool found = false;
	long value = 0;
	FILE *f;

	f = fopen(MOCK_DIR "counters", "r");
	REQUIRE(f, "the mock has counters");
	while (!found && fgets(line, sizeof(line), f)) {
		found = !strncmp(line, name, len) && line[len] == ' ';
		if (found)
			value = atol(line + len + 1);
	}
	fclose(f);
	REQUIRE(found, "the mock has the counter %s", name);
	return value;
}

/**
 * mock_wait() - wait until a counter has a value
 * @name: the counter
 * @want: the value
 *
 * Return: false if it has another one when the time is over.
 */
bool mock_wait(const char *name, long want)
{
	return dt_until(mock_counter(name) == want);
}

void mock_held(struct mock_held *held)
{
#define READ(name) held->name = mock_counter("held." #name);
	HYV_FOR_EACH_MOCK_TYPE(READ)
#undef READ
}

/**
 * mock_expect_held() - check that the mock holds what it held before
 * @want: from mock_held()
 * @when: for the name of the test
 *
 * Waits a while, because contexts may end after the call that ends them.
 */
void mock_expect_held(const struct mock_held *want, const char *when)
{
	struct mock_held got;
	bool same;

	same = dt_until_every(
		20000, (mock_held(&got), !memcmp(&got, want, sizeof(got))));
#define SHOW(name)                                                         \
	if (got.name != want->name)                                        \
		tap_diag("%s: the HCA holds %ld " #name ", not %ld", when, \
			 got.name, want->name);
	HYV_FOR_EACH_MOCK_TYPE(SHOW)
#undef SHOW
	tap_ok(same, "%s: the HCA holds nothing more", when);
}

/* Check the rules that hold at any time. */
void mock_check(const char *when)
{
	static long known;
	long violations = mock_counter("violations");

	tap_is(violations - known, 0,
	       "%s: no parent was destroyed before its children", when);
	known = violations;
}
