// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The hyv command: hyv(8). */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "output.h"

static const char help[] =
	"Usage: hyv [--json] list\n"
	"       hyv [--json] show  [ID | pid PID | hca NAME]\n"
	"       hyv [--json] stats [ID | pid PID | hca NAME]\n"
	"                          [--watch [SECONDS]] [--count N]\n"
	"       hyv [--json] hcas\n"
	"       hyv [--json] map list\n"
	"       hyv [--json] map show GID\n"
	"       hyv map add     {GID via GID | --file FILE}\n"
	"       hyv map replace {GID via GID | --file FILE}\n"
	"       hyv map del     {GID... | --file FILE}\n"
	"\n"
	"Show the vNICs of this host's VMs and manage the GID map.\n"
	"\n"
	"Commands:\n"
	"  list         List the vNICs\n"
	"  show         Show all attributes of the vNICs\n"
	"  stats        Show the counters of the vNICs since they were attached\n"
	"  hcas         List the HCAs (RDMA devices) of this host\n"
	"  map list     List the GID map: the owner of each GID of a guest\n"
	"  map show     Show the owner of a GID (an IPv4 or IPv6 address)\n"
	"  map add      Add static entries: GIDs of guests of other hosts, each\n"
	"               reachable via a GID of its host\n"
	"  map replace  Add static entries or replace those that exist\n"
	"  map del      Delete static entries\n"
	"\n"
	"Options:\n"
	"  -j, --json             Print JSON\n"
	"  -w, --watch [SECONDS]  Print rates every SECONDS (default: 1)\n"
	"  -n, --count N          Stop after N samples (default: no limit)\n"
	"  -f, --file FILE        Read entries from FILE, or - for standard input\n"
	"  -h, --help             Show this help\n"
	"  -V, --version          Show the version\n"
	"\n"
	"See hyv(8).\n";

/**
 * struct options - the command line
 * @command: first word
 * @json: print JSON
 * @one: only the vNIC with ID @id
 * @id: ID of that vNIC
 * @pid: only vNICs of this VMM, unless 0
 * @hca: only vNICs of this HCA, unless NULL
 * @watch: seconds between two samples, 0 for a single report
 * @count: number of samples, 0 for no limit
 * @file: entries for "map", or NULL
 * @words: the words after "map", ended by NULL; allocated
 * @nr_words: number of @words
 * @job: the prepared "map" command; allocated
 */
struct options {
	const char *command;
	bool json;
	bool one;
	uint32_t id;
	uint32_t pid;
	const char *hca;
	double watch;
	uint32_t count;
	const char *file;
	const char **words;
	size_t nr_words;
	struct map_job *job;
};

_Noreturn static void finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_OTHER, "cannot write to standard output: %s",
		     strerror(errno));
	exit(0);
}

/* --- Command line --- */

static uint32_t parse_u32(const char *what, const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text ? text : "", &end, 10);
	if (!text || !isdigit((unsigned char)*text) || *end || errno ||
	    value > UINT32_MAX)
		fail(EXIT_USAGE, "%s must be a number from 0 to 4294967295",
		     what);
	return value;
}

static double parse_seconds(const char *text)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (!isdigit((unsigned char)*text) || *end || value < 0.1 ||
	    value > 86400)
		fail(EXIT_USAGE, "SECONDS must be 0.1 to 86400");
	return value;
}

static void parse_count(struct options *options, const char *text)
{
	options->count = parse_u32("option '--count'", text);
	if (!options->count)
		fail(EXIT_USAGE, "option '--count' must not be 0");
}

/* Returns the number of words after @argv[0] that belong to this option. */
static int parse_option(struct options *options, char **argv)
{
	const char *arg = argv[0];

	if (!strcmp(arg, "-h") || !strcmp(arg, "--help")) {
		fputs(help, stdout);
		finish();
	}
	if (!strcmp(arg, "-V") || !strcmp(arg, "--version")) {
		puts("hyv " HYV_VERSION);
		finish();
	}
	if (!strcmp(arg, "-j") || !strcmp(arg, "--json")) {
		options->json = true;
		return 0;
	}
	if (!strncmp(arg, "--watch=", 8)) {
		options->watch = parse_seconds(arg + 8);
		return 0;
	}
	if (!strcmp(arg, "-w") || !strcmp(arg, "--watch")) {
		options->watch = 1;
		if (!argv[1] || !isdigit((unsigned char)*argv[1]))
			return 0;
		options->watch = parse_seconds(argv[1]);
		return 1;
	}
	if (!strncmp(arg, "--count=", 8)) {
		parse_count(options, arg + 8);
		return 0;
	}
	if (!strcmp(arg, "-n") || !strcmp(arg, "--count")) {
		parse_count(options, argv[1]);
		return 1;
	}
	if (!strncmp(arg, "--file=", 7)) {
		options->file = arg + 7;
		return 0;
	}
	if (!strcmp(arg, "-f") || !strcmp(arg, "--file")) {
		if (!argv[1])
			fail(EXIT_USAGE,
			     "option '--file' requires an argument");
		options->file = argv[1];
		return 1;
	}
	fail(EXIT_USAGE, "unknown option '%s'", arg);
}

/* Select vNICs; returns the number of words after @argv[0] that belong to it.
 */
static int parse_selection(struct options *options, char **argv)
{
	if (options->one || options->pid || options->hca)
		fail(EXIT_USAGE, "unexpected argument '%s'", argv[0]);
	if (!strcmp(argv[0], "pid")) {
		options->pid = parse_u32("PID", argv[1]);
		if (!options->pid)
			fail(EXIT_USAGE, "PID must not be 0");
		return 1;
	}
	if (!strcmp(argv[0], "hca")) {
		if (!argv[1])
			fail(EXIT_USAGE, "'hca' requires a name");
		options->hca = argv[1];
		return 1;
	}
	options->one = true;
	options->id = parse_u32("ID", argv[0]);
	return 0;
}

static void parse(struct options *options, char **argv)
{
	for (argv++; *argv; argv++) {
		if (argv[0][0] == '-')
			argv += parse_option(options, argv);
		else if (!options->command)
			options->command = *argv;
		else if (!strcmp(options->command, "map"))
			options->words[options->nr_words++] = *argv;
		else
			argv += parse_selection(options, argv);
	}
}

/* --- Queries --- */

/* The vNICs that the command line selects; fails if it selects none by name. */
static struct hyv_vnic **get_vnics(struct hyv_context *ctx,
				   const struct options *options)
{
	struct hyv_vnic **vnics;
	int ret;

	if (options->one) {
		vnics = must(calloc(2, sizeof(*vnics)));
		ret = hyv_vnic_get(ctx, options->id, vnics);
		if (ret == -ENOENT)
			fail(EXIT_NOT_FOUND, "no vNIC has ID %u", options->id);
		if (ret)
			fail_errno(ctx, ret);
		return vnics;
	}
	do {
		ret = hyv_vnic_list(ctx, options->pid, options->hca, &vnics);
	} while (ret == -EAGAIN);
	/* -EINVAL: the name is longer than any HCA's. */
	if (options->hca && (!ret || ret == -EINVAL))
		fail(EXIT_NOT_FOUND, "no vNIC uses HCA '%s'", options->hca);
	if (ret < 0)
		fail_errno(ctx, ret);
	if (!ret && options->pid)
		fail(EXIT_NOT_FOUND, "process %u has no vNIC", options->pid);
	return vnics;
}

/* --- Commands --- */

static void do_list(struct hyv_context *ctx, const struct options *options)
{
	struct hyv_vnic **vnics = get_vnics(ctx, options);

	report_list(stdout, options->json, vnics);
	hyv_vnic_list_free(vnics);
}

static void do_show(struct hyv_context *ctx, const struct options *options)
{
	struct hyv_vnic **vnics = get_vnics(ctx, options);

	report_show(stdout, options->json, options->one, vnics);
	hyv_vnic_list_free(vnics);
}

static double seconds_between(const struct timespec *from,
			      const struct timespec *to)
{
	return to->tv_sec - from->tv_sec + (to->tv_nsec - from->tv_nsec) / 1e9;
}

static void add_seconds(struct timespec *when, double seconds)
{
	long whole = seconds;

	when->tv_sec += whole;
	when->tv_nsec += (seconds - whole) * 1e9;
	if (when->tv_nsec >= 1000000000) {
		when->tv_nsec -= 1000000000;
		when->tv_sec++;
	}
}

static void watch(struct hyv_context *ctx, const struct options *options)
{
	struct hyv_vnic **before, **now;
	struct timespec from, to, next;
	uint32_t shown = 0;

	before = get_vnics(ctx, options);
	clock_gettime(CLOCK_MONOTONIC, &from);
	next = from;
	do {
		add_seconds(&next, options->watch);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		now = get_vnics(ctx, options);
		clock_gettime(CLOCK_MONOTONIC, &to);
		/* Samples that were missed, when this was stopped, are lost. */
		if (seconds_between(&next, &to) > options->watch)
			next = to;

		if (shown++ && !options->json)
			putchar('\n');
		report_rates(stdout, options->json, before, now,
			     seconds_between(&from, &to));
		hyv_vnic_list_free(before);
		before = now;
		from = to;
	} while (!fflush(stdout) && shown != options->count);
	hyv_vnic_list_free(before);
}

static void do_stats(struct hyv_context *ctx, const struct options *options)
{
	struct hyv_vnic **vnics;

	if (options->watch) {
		watch(ctx, options);
		return;
	}
	vnics = get_vnics(ctx, options);
	report_stats(stdout, options->json, vnics);
	hyv_vnic_list_free(vnics);
}

static void do_hcas(struct hyv_context *ctx, const struct options *options)
{
	struct hyv_hca **hcas;
	int ret;

	do {
		ret = hyv_hca_list(ctx, &hcas);
	} while (ret == -EAGAIN);
	if (ret < 0)
		fail_errno(ctx, ret);
	report_hcas(stdout, options->json, hcas);
	hyv_hca_list_free(hcas);
}

static void do_map(struct hyv_context *ctx, const struct options *options)
{
	map_run(options->job, ctx, options->json);
}

/**
 * struct command - a command of hyv
 * @name: first word on the command line
 * @selects: accepts a selection of vNICs
 * @run: execute it, or exit with a message
 */
static const struct command {
	const char *name;
	bool selects;
	void (*run)(struct hyv_context *ctx, const struct options *options);
} commands[] = {
	{"list", false, do_list},  {"show", true, do_show},
	{"stats", true, do_stats}, {"hcas", false, do_hcas},
	{"map", false, do_map},	   {NULL, false, NULL},
};

static const struct command *check(const struct options *options)
{
	const struct command *command = commands;

	if (!options->command)
		fail(EXIT_USAGE, "missing command");
	while (command->name && strcmp(command->name, options->command))
		command++;
	if (!command->name)
		fail(EXIT_USAGE, "unknown command '%s'", options->command);
	if (!command->selects && (options->one || options->pid || options->hca))
		fail(EXIT_USAGE, "'%s' takes no argument", options->command);
	if (options->watch && command->run != do_stats)
		fail(EXIT_USAGE, "option '--watch' is only valid with 'stats'");
	if (options->count && !options->watch)
		fail(EXIT_USAGE, "option '--count' requires '--watch'");
	if (options->file && command->run != do_map)
		fail(EXIT_USAGE, "option '--file' is only valid with 'map'");
	return command;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	const struct command *command;
	struct hyv_context *ctx;
	int ret;

	options.words = must(calloc(argc + 1, sizeof(*options.words)));
	parse(&options, argv);
	command = check(&options);
	if (command->run == do_map)
		options.job = map_prepare(options.words, options.file);

	ret = hyv_open(&ctx);
	if (ret)
		fail_errno(NULL, ret);
	command->run(ctx, &options);
	hyv_close(ctx);
	map_free(options.job);
	free(options.words);
	finish();
}
