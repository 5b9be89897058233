// SPDX-License-Identifier: GPL-2.0-only
/*
 * devtest: drives /dev/hyv as a VMM and a guest would, without a VM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "harness.h"

static const struct dt_suite suites[] = {
	{"ioctl", "rules of all ioctls", suite_ioctl, 120},
	{"setup", "attach, features, configuration, order of ioctls",
	 suite_setup, 120},
	{"wire", "rules of all requests", suite_wire, 180},
	{"features", "guests that do without a feature", suite_features, 240},
	{"query", "attributes of the HCA, its port and its GIDs", suite_query,
	 120},
	{"objects", "handles and fields of commands", suite_objects, 120},
	{"verbs", "SRQs, AHs, MWs, multicast, re-registration", suite_verbs,
	 120},
	{"limits", "quotas of a vNIC", suite_limits, 120},
	{"isolation", "what a vNIC takes from others", suite_isolation, 240},
	{"gids", "GIDs in guest addressing", suite_gids, 120},
	{"chunks", "rules of chunk lists", suite_chunks, 120},
	{"memory", "kinds of guest memory", suite_memory, 120},
	{"pins", "registrations that take long", suite_pins, 240},
	{"window", "mappings of the HCA's queues", suite_window, 120},
	{"mapping", "the window in the VMM's address space", suite_mapping,
	 120},
	{"data", "messages over scattered memory", suite_data, 300},
	{"traffic", "messages of all QP types, SRQs and MWs", suite_traffic,
	 240},
	{"events", "arming and event queues", suite_events, 240},
	{"async", "events of QPs, CQs and ports", suite_async, 120},
	{"show", "what rdma and /proc show", suite_show, 180},
	{"mcast", "multicast groups and the host's network", suite_mcast, 180},
	{"reset", "reset while requests run", suite_reset, 120},
	{"close", "close while requests run", suite_close, 120},
	{"kill", "the owner is killed while requests run", suite_kill, 180},
	{"orphan", "the owner ends before another process closes the file",
	 suite_orphan, 120},
	{"replug",
	 "the HCA is removed and returns (DEVTEST_UNPLUG, DEVTEST_PLUG)",
	 suite_replug, 300, .optional = true},
	{"hostile_memory", "a VMM whose memory does not answer",
	 suite_hostile_memory, 1000, .optional = true},
	{"hostile_window", "a VMM that changes its mappings",
	 suite_hostile_window, 900, .optional = true},
	{"hostile_files", "a VMM that hides or swaps its files",
	 suite_hostile_files, 600, .optional = true},
	{"hostile_limits", "a VMM at the limits of its user and groups",
	 suite_hostile_limits, 600, .optional = true},
	{"hostile_guest", "guests that want more than their share",
	 suite_hostile_guest, 600, .optional = true},
	{"hostile_unplug",
	 "the HCA leaves a VMM whose memory does not answer (DEVTEST_UNPLUG, DEVTEST_PLUG)",
	 suite_hostile_unplug, 900, .optional = true},
	{"mlx5", "an HCA with mlx5's user ABI (IBDEV)", suite_mlx5, 300,
	 .optional = true},
	{"xrc", "XRC domains, SRQs and QPs (IBDEV)", suite_xrc, 120,
	 .optional = true},
	{"unplug", "the HCA is removed (DEVTEST_UNPLUG)", suite_unplug, 120,
	 .optional = true},
	{"nomock", "hyv.ko does not lend the mock HCA", suite_nomock, 120,
	 .optional = true},
	{"mock", "failures and memory of the mock HCA", suite_mock, 300,
	 .optional = true},
	{"mocklate", "late callbacks of the mock HCA", suite_mocklate, 240,
	 .optional = true},
	{"mockslow", "the mock HCA is removed while it is slow (both commands)",
	 suite_mockslow, 300, .optional = true},
	{"mockpins", "guest memory goes away while the mock HCA is slow",
	 suite_mockpins, 300, .optional = true},
	{"mockreplug",
	 "the mock HCA leaves while others attach (both commands)",
	 suite_mockreplug, 300, .optional = true},
	{"mockcreate", "the mock HCA creates objects whose reply is lost",
	 suite_mockcreate, 300, .optional = true},
	{"mockrefuse",
	 "the mock HCA refuses to destroy objects (both commands)",
	 suite_mockrefuse, 600, .optional = true},
	{"failnth", "faults in each command and ioctl", suite_failnth, 1800,
	 .optional = true},
};

static uint64_t fuzz_seed;
static unsigned int fuzz_seconds;

static void suite_fuzz(void)
{
	fuzz(fuzz_seed, fuzz_seconds);
}

static void suite_vmmfuzz(void)
{
	fuzz_vmm(fuzz_seed, fuzz_seconds);
}

static int usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: devtest [SUITE]...\n"
		"       devtest fuzz|vmmfuzz SEED SECONDS\n"
		"Environment:\n"
		"  IBDEV                  RDMA device (default: rxe0)\n"
		"  DEVTEST_TIMEOUT_SCALE  factor on time limits (default: 1)\n"
		"  FUZZ_COMMANDS          vmmfuzz: end after so many\n"
		"  FUZZ_CORPUS, FUZZ_KEEP vmmfuzz: recipes to read, to write\n"
		"  FAILNTH_ONLY           failnth: only what has this in its name\n"
		"  FAILNTH_VERBOSE        failnth: let the kernel log each fault\n"
		"  FUZZ_COVERAGE          vmmfuzz: file for what was reached\n"
		"Suites (default: all before replug):\n");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		fprintf(stderr, "  %-14s %s\n", suites[i].name,
			suites[i].about);
	return 2;
}

static const struct dt_suite *suite_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

static const struct dt_suite fuzzers[] = {
	{"fuzz", "malformed requests", suite_fuzz, 0},
	{"vmmfuzz", "requests, ioctls and memory that race", suite_vmmfuzz, 0},
};

static int run_fuzz(const struct dt_suite *fuzzer, const char *seed,
		    const char *seconds)
{
	struct dt_suite suite = *fuzzer;

	fuzz_seed = strtoull(seed, NULL, 0);
	fuzz_seconds = strtoul(seconds, NULL, 0);
	suite.timeout = fuzz_seconds + 90;
	dt_suite_run(&suite);
	return tap_done();
}

int main(int argc, char **argv)
{
	size_t n;
	int i;

	tap_plan(0);
	for (n = 0; argc == 4 && n < ARRAY_SIZE(fuzzers); n++)
		if (!strcmp(argv[1], fuzzers[n].name))
			return run_fuzz(&fuzzers[n], argv[2], argv[3]);
	for (i = 1; i < argc; i++)
		if (!suite_find(argv[i]))
			return usage();
	for (i = 1; i < argc; i++)
		dt_suite_run(suite_find(argv[i]));
	for (n = 0; argc == 1 && n < ARRAY_SIZE(suites); n++)
		if (!suites[n].optional)
			dt_suite_run(&suites[n]);
	return tap_done();
}
