// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hyv map: show the GID map and change its static entries. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

/**
 * struct map_job - one "hyv map" command
 * @subcommand: what to do
 * @file: source of the entries, NULL for the command line
 * @gids: @count GIDs
 * @vias: @count via GIDs, if entries have them
 * @lines: @count line numbers in @file, or 0
 * @count: number of entries
 * @room: number of entries that fit
 */
struct map_job {
	const struct subcommand *subcommand;
	const char *file;
	struct in6_addr *gids;
	struct in6_addr *vias;
	size_t *lines;
	size_t count;
	size_t room;
};

/**
 * struct subcommand - a command of hyv map
 * @name: word after "map"
 * @arguments: what follows on the command line, for messages
 * @line: contents of a line of a file, or NULL if it does not take one
 * @min: minimum number of entries
 * @max: maximum number of entries on the command line
 * @run: execute it, or exit with a message
 * @enter: enter entries with via GIDs, or NULL if they have none
 */
struct subcommand {
	const char *name;
	const char *arguments;
	const char *line;
	size_t min;
	size_t max;
	void (*run)(const struct map_job *job, struct hyv_context *ctx,
		    bool as_json);
	int (*enter)(struct hyv_context *ctx, const struct in6_addr *gids,
		     const struct in6_addr *vias, size_t count, size_t *bad);
};

/* --- Entries --- */

static struct in6_addr parse_gid(const struct map_job *job, size_t line,
				 const char *text)
{
	struct in6_addr gid;

	if (!hyv_gid_parse(text, &gid))
		return gid;
	if (line)
		fail(EXIT_OTHER, "%s:%zu: '%s' is not an IPv4 or IPv6 address",
		     job->file, line, word_of(text));
	fail(EXIT_USAGE, "'%s' is not an IPv4 or IPv6 address", word_of(text));
}

/* @via is NULL if entries have none. */
static void add_entry(struct map_job *job, size_t line, const char *gid,
		      const char *via)
{
	size_t i = job->count++;

	if (i == job->room) {
		job->room = job->room ? 2 * job->room : 64;
		job->gids = must(
			reallocarray(job->gids, job->room, sizeof(*job->gids)));
		job->vias = must(
			reallocarray(job->vias, job->room, sizeof(*job->vias)));
		job->lines = must(reallocarray(job->lines, job->room,
					       sizeof(*job->lines)));
	}
	job->lines[i] = line;
	job->gids[i] = parse_gid(job, line, gid);
	if (via)
		job->vias[i] = parse_gid(job, line, via);
}

/* Add an entry made of @nr words; returns false if they are not one. */
static bool take_entry(struct map_job *job, size_t line, const char **words,
		       size_t nr)
{
	if (!job->subcommand->enter) {
		if (nr != 1)
			return false;
		add_entry(job, line, words[0], NULL);
		return true;
	}
	if (nr != 3 || strcmp(words[1], "via"))
		return false;
	add_entry(job, line, words[0], words[2]);
	return true;
}

/* --- Files --- */

static void read_line(struct map_job *job, size_t number, char *line,
		      size_t len)
{
	const char *words[4];
	char *word, *rest;
	size_t nr = 0;
	bool good;

	/* Text after a NUL would be ignored silently. */
	good = !memchr(line, '\0', len);
	line[strcspn(line, "#")] = '\0';
	for (word = strtok_r(line, " \t\r\n", &rest);
	     word && nr < sizeof(words) / sizeof(words[0]);
	     word = strtok_r(NULL, " \t\r\n", &rest))
		words[nr++] = word;
	if (good && nr)
		good = take_entry(job, number, words, nr);
	if (!good)
		fail(EXIT_OTHER, "%s:%zu: expected '%s'", job->file, number,
		     job->subcommand->line);
}

static void read_file(struct map_job *job, const char *name)
{
	bool is_stdin = !strcmp(name, "-");
	size_t number = 0, size = 0;
	char *line = NULL;
	FILE *in = stdin;
	ssize_t len;

	job->file = is_stdin ? "standard input" : name;
	if (!is_stdin)
		in = fopen(name, "re");
	if (!in)
		fail(EXIT_OTHER, "cannot open '%s': %s", job->file,
		     strerror(errno));
	errno = 0;
	while ((len = getline(&line, &size, in)) >= 0)
		read_line(job, ++number, line, len);
	/* Before the end: a read error, or out of memory. */
	if (!feof(in))
		fail(EXIT_OTHER, "cannot read '%s': %s", job->file,
		     strerror(errno));
	free(line);
	if (!is_stdin)
		fclose(in);
}

/* --- Subcommands --- */

static void do_list(const struct map_job *job, struct hyv_context *ctx,
		    bool as_json)
{
	struct hyv_map_entry **entries;
	int ret;

	(void)job;
	do {
		ret = hyv_map_list(ctx, &entries);
	} while (ret == -EAGAIN);
	if (ret < 0)
		fail_errno(ctx, ret);
	report_map(stdout, as_json, entries);
	hyv_map_list_free(entries);
}

/* Exit with a message about entry @i, or all entries if @i is @count. */
_Noreturn static void fail_entry(const struct map_job *job,
				 struct hyv_context *ctx, int err, size_t i)
{
	const char *why = hyv_strerror(ctx, err);
	char gid[HYV_GID_TEXT];

	if (i >= job->count)
		fail_errno(ctx, err);
	hyv_gid_str(&job->gids[i], gid);
	if (job->lines[i])
		fail(exit_code(err), "%s:%zu: %s: %s", job->file, job->lines[i],
		     gid, why);
	fail(exit_code(err), "%s: %s", gid, why);
}

static void do_show(const struct map_job *job, struct hyv_context *ctx,
		    bool as_json)
{
	struct hyv_map_entry *entry;
	int ret;

	ret = hyv_map_get(ctx, job->gids, &entry);
	if (ret)
		fail_entry(job, ctx, ret, ret == -ENOENT ? 0 : job->count);
	report_map_entry(stdout, as_json, entry);
	hyv_map_entry_free(entry);
}

static void do_change(const struct map_job *job, struct hyv_context *ctx,
		      bool as_json)
{
	size_t bad;
	int ret;

	(void)as_json;
	if (job->subcommand->enter)
		ret = job->subcommand->enter(ctx, job->gids, job->vias,
					     job->count, &bad);
	else
		ret = hyv_map_del(ctx, job->gids, job->count, &bad);
	if (ret)
		fail_entry(job, ctx, ret, bad);
}

/* --- The command line --- */

#define VIA_LINE      "GID via GID"
#define VIA_ARGUMENTS " {GID via GID | --file FILE}"

static const struct subcommand subcommands[] = {
	{"add", VIA_ARGUMENTS, VIA_LINE, 1, 1, do_change, hyv_map_add},
	{"replace", VIA_ARGUMENTS, VIA_LINE, 1, 1, do_change, hyv_map_replace},
	{"del", " {GID... | --file FILE}", "GID", 1, SIZE_MAX, do_change, NULL},
	{"list", "", NULL, 0, 0, do_list, NULL},
	{"show", " GID", NULL, 1, 1, do_show, NULL},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

static const struct subcommand *find_subcommand(const char *name)
{
	const struct subcommand *subcommand = subcommands;

	if (!name)
		fail(EXIT_USAGE,
		     "usage: hyv map {add | replace | del | list | show} ...");
	while (subcommand->name && strcmp(subcommand->name, name))
		subcommand++;
	if (!subcommand->name)
		fail(EXIT_USAGE, "unknown command 'map %s'", name);
	return subcommand;
}

static bool take_words(struct map_job *job, const char **words)
{
	const size_t step = job->subcommand->enter ? 3 : 1;
	size_t nr = 0, i;

	while (words[nr])
		nr++;
	for (i = 0; i < nr; i += step)
		if (job->count == job->subcommand->max ||
		    !take_entry(job, 0, words + i,
				nr - i < step ? nr - i : step))
			return false;
	return job->count >= job->subcommand->min;
}

struct map_job *map_prepare(const char **words, const char *file)
{
	struct map_job *job = must(calloc(1, sizeof(*job)));
	bool good;

	job->subcommand = find_subcommand(words[0]);
	if (file) {
		good = job->subcommand->line && !words[1];
		if (good)
			read_file(job, file);
	} else {
		good = take_words(job, words + 1);
	}
	if (!good)
		fail(EXIT_USAGE, "usage: hyv map %s%s", job->subcommand->name,
		     job->subcommand->arguments);
	return job;
}

void map_run(const struct map_job *job, struct hyv_context *ctx, bool as_json)
{
	job->subcommand->run(job, ctx, as_json);
}

void map_free(struct map_job *job)
{
	if (!job)
		return;
	free(job->gids);
	free(job->vias);
	free(job->lines);
	free(job);
}
