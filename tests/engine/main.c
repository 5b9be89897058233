// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "suites.h"
#include "world.h"

static const char *current;
static int cases, failures;
static bool failed;

static void finish_case(void)
{
	if (!current)
		return;
	printf("%s %d - %s\n", failed ? "not ok" : "ok", ++cases, current);
	failures += failed;
	failed = false;
}

void test_case(const char *name)
{
	finish_case();
	current = name;
}

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	printf("# %s:%d: %s\n", file, line, what);
	failed = true;
}

static int test_done(void)
{
	finish_case();
	printf("1..%d\n%d passed, %d failed\n", cases, cases - failures,
	       failures);
	return failures || !cases;
}

int main(void)
{
	test_messages();
	test_errors();
	test_queues();
	test_malicious();
	test_waits();
	test_bounds();
	test_windows();
	test_xrc();
	test_epoch();
	test_order();
	test_park();
	return test_done();
}
