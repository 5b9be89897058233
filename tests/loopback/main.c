// SPDX-License-Identifier: GPL-2.0-only
/*
 * looptest: guest driver and host module on one kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "suites.h"

static const struct dt_suite suites[] = {
	{"life", "every verb, and events", suite_life, 120},
	{"kill", "processes are killed at random points", suite_kill, 180},
	{"xrc", "processes that share an XRC domain are killed", suite_xrc,
	 120},
	{"turns", "ends of XRC domains among other commands", suite_turns, 120},
	{"ends", "the driver, the device, the HCA and the VMM end", suite_ends,
	 240},
	{"gids", "guest addressing (LOOP_NETDEV)", suite_gids, 180},
	{"retry", "errors that the host returns", suite_retry, 120},
	{"watchdog", "hosts that are slow or dead", suite_watchdog, 360},
	{"events", "events that race with the driver's end (LOOP_NETDEV)",
	 suite_events, 240},
	{"flood", "events without end", suite_flood, 120},
	{"features", "hosts that lack a feature, or are old", suite_features,
	 120},
	{"faults", "faults in each verb of the guest", suite_faults, 1800,
	 .optional = true},
	{"hostfaults", "faults in the host, in each verb", suite_host_faults,
	 1800, .optional = true},
	{"probefaults", "faults while the driver starts", suite_probe_faults,
	 1800, .optional = true},
};

static uint64_t garble_seed;
static unsigned int garble_seconds;

static void suite_garble(void)
{
	garble(garble_seed, garble_seconds);
}

static int usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: looptest [SUITE]...\n"
		"       looptest garble SEED SECONDS\n"
		"Environment:\n"
		"  IBDEV                  mock HCA\n"
		"  LOOP_NETDEV            guest's network device\n"
		"  DEVTEST_UNPLUG, DEVTEST_PLUG\n"
		"                         commands that remove and add the HCA\n"
		"  DEVTEST_TIMEOUT_SCALE  factor on time limits (default: 1)\n"
		"Suites (default: all before faults):\n");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		fprintf(stderr, "  %-12s %s\n", suites[i].name,
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

int main(int argc, char **argv)
{
	struct dt_suite garbler = {
		.name = "garble",
		.about = "malformed replies and events",
		.fn = suite_garble,
	};
	size_t n;
	int i;

	tap_plan(0);
	if (argc == 4 && !strcmp(argv[1], garbler.name)) {
		garble_seed = strtoull(argv[2], NULL, 0);
		garble_seconds = strtoul(argv[3], NULL, 0);
		garbler.timeout = 3 * garble_seconds + 60;
		dt_suite_run(&garbler);
		return tap_done();
	}
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
