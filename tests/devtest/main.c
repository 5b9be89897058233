// SPDX-License-Identifier: GPL-2.0-only
/*
 * devtest: drives /dev/hyv as a VMM and a guest would, without a virtual
 * machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "harness.h"

static const struct dt_group groups[] = {
	{"ioctl", "rules of all ioctls", group_ioctl, 120},
	{"wire", "rules of all requests", group_wire, 180},
	{"query", "what the HCA is", group_query, 60},
	{"objects", "handles, and the fields of the commands", group_objects,
	 120},
	{"verbs", "SRQs, AHs, memory windows and the like", group_verbs, 120},
	{"limits", "what a guest may use", group_limits, 120},
	{"gids", "addresses of the guest's own", group_gids, 120},
	{"chunks", "rules of chunk lists", group_chunks, 60},
	{"memory", "kinds of guest memory", group_memory, 120},
	{"window", "mappings of the HCA's queues", group_window, 120},
	{"data", "messages over scattered memory", group_data, 300},
	{"traffic", "messages of all types of QPs, SRQs, memory windows",
	 group_traffic, 240},
	{"events", "arming and event queues", group_events, 240},
	{"async", "events of QPs, CQs and ports", group_async, 120},
	{"show", "what administrators see", group_show, 180},
	{"reset", "reset during requests", group_reset, 120},
	{"close", "close during requests", group_close, 120},
	{"kill", "death of the owner during requests", group_kill, 180},
	{"replug", "the HCA leaves and comes (DEVTEST_UNPLUG, DEVTEST_PLUG)",
	 group_replug, 300, .optional = true},
	{"unplug", "the HCA leaves (DEVTEST_UNPLUG: how)", group_unplug, 120,
	 .optional = true},
};

static uint64_t fuzz_seed;
static unsigned int fuzz_seconds;

static void group_fuzz(void)
{
	fuzz(fuzz_seed, fuzz_seconds);
}

static int usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: devtest [GROUP]...\n"
		"       devtest fuzz SEED SECONDS\n"
		"Environment: IBDEV, the RDMA device (rxe0); DEVTEST_PATIENCE,\n"
		"  how many times slower than usual the machine may be (1)\n"
		"Groups (all but replug and unplug, if none is named):\n");
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		fprintf(stderr, "  %-8s %s\n", groups[i].name, groups[i].about);
	return 2;
}

static const struct dt_group *group_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		if (!strcmp(groups[i].name, name))
			return &groups[i];
	return NULL;
}

static int run_fuzz(const char *seed, const char *seconds)
{
	struct dt_group group = {"fuzz", "spoiled requests", group_fuzz, 0};

	fuzz_seed = strtoull(seed, NULL, 0);
	fuzz_seconds = strtoul(seconds, NULL, 0);
	group.timeout = fuzz_seconds + 60;
	dt_group_run(&group);
	return dt_finish();
}

int main(int argc, char **argv)
{
	size_t n;
	int i;

	dt_harness_init();
	if (argc == 4 && !strcmp(argv[1], "fuzz"))
		return run_fuzz(argv[2], argv[3]);
	for (i = 1; i < argc; i++)
		if (!group_find(argv[i]))
			return usage();
	for (i = 1; i < argc; i++)
		dt_group_run(group_find(argv[i]));
	for (n = 0; argc == 1 && n < ARRAY_SIZE(groups); n++)
		if (!groups[n].optional)
			dt_group_run(&groups[n]);
	return dt_finish();
}
