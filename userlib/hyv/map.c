// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hyv map: tells about the map, and changes its static entries. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

/**
 * struct map_job - one "hyv map"
 * @verb: what to do
 * @file: where the entries come from, NULL for the command line
 * @gids: @count GIDs
 * @vias: as many, if they have one
 * @lines: as many, the lines of @file that they come from, else 0
 * @room: how many there is room for
 */
struct map_job {
	const struct verb *verb;
	const char *file;
	struct in6_addr *gids;
	struct in6_addr *vias;
	size_t *lines;
	size_t count;
	size_t room;
};

/**
 * struct verb - what can be done with the map
 * @name: the word for it
 * @what: what follows it on the command line
 * @line: what is in a line of a file, NULL if it takes none
 * @least: fewest entries
 * @most: most entries on the command line
 * @run: does it
 * @enter: enters entries, which then are GID via GID, or NULL
 */
struct verb {
	const char *name;
	const char *what;
	const char *line;
	size_t least;
	size_t most;
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
		fail(EXIT_OTHER, "%s:%zu: '%s' is no IPv4 or IPv6 address",
		     job->file, line, word_of(text));
	fail(EXIT_USAGE, "'%s' is no IPv4 or IPv6 address", word_of(text));
}

/* @via is NULL if the verb's entries have none. */
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

/* An entry is the first @nr words; returns false if they are none. */
static bool take_entry(struct map_job *job, size_t line, const char **words,
		       size_t nr)
{
	if (!job->verb->enter) {
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

	/* What is behind a NUL would be left out unseen. */
	good = !memchr(line, '\0', len);
	line[strcspn(line, "#")] = '\0';
	for (word = strtok_r(line, " \t\r\n", &rest);
	     word && nr < sizeof(words) / sizeof(words[0]);
	     word = strtok_r(NULL, " \t\r\n", &rest))
		words[nr++] = word;
	if (good && nr)
		good = take_entry(job, number, words, nr);
	if (!good)
		fail(EXIT_OTHER, "%s:%zu: a line is %s", job->file, number,
		     job->verb->line);
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
		fail(EXIT_OTHER, "%s: %s", job->file, strerror(errno));
	errno = 0;
	while ((len = getline(&line, &size, in)) >= 0)
		read_line(job, ++number, line, len);
	/* Not at the end: it cannot be read, or the line has no room. */
	if (!feof(in))
		fail(EXIT_OTHER, "%s: %s", job->file, strerror(errno));
	free(line);
	if (!is_stdin)
		fclose(in);
}

/* --- What is done --- */

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

/* Exit with a message about entry @i, or all if there is no such one. */
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
	if (job->verb->enter)
		ret = job->verb->enter(ctx, job->gids, job->vias, job->count,
				       &bad);
	else
		ret = hyv_map_del(ctx, job->gids, job->count, &bad);
	if (ret)
		fail_entry(job, ctx, ret, bad);
}

/* --- The command line --- */

#define LINE_VIA "'GID via GID'"
#define LINE_GID "'GID'"

static const struct verb verbs[] = {
	{"add", "GID via GID or --file FILE", LINE_VIA, 1, 1, do_change,
	 hyv_map_add},
	{"replace", "GID via GID or --file FILE", LINE_VIA, 1, 1, do_change,
	 hyv_map_replace},
	{"del", "GID... or --file FILE", LINE_GID, 1, SIZE_MAX, do_change,
	 NULL},
	{"list", "nothing", NULL, 0, 0, do_list, NULL},
	{"show", "one GID", NULL, 1, 1, do_show, NULL},
	{NULL, NULL, NULL, 0, 0, NULL, NULL},
};

static const struct verb *find_verb(const char *name)
{
	const struct verb *verb = verbs;

	if (!name)
		fail(EXIT_USAGE, "'map' needs add, replace, del, list or show");
	while (verb->name && strcmp(verb->name, name))
		verb++;
	if (!verb->name)
		fail(EXIT_USAGE, "unknown command 'map %s'", name);
	return verb;
}

static bool take_words(struct map_job *job, const char **words)
{
	const size_t step = job->verb->enter ? 3 : 1;
	size_t nr = 0, i;

	while (words[nr])
		nr++;
	for (i = 0; i < nr; i += step)
		if (job->count == job->verb->most ||
		    !take_entry(job, 0, words + i,
				nr - i < step ? nr - i : step))
			return false;
	return job->count >= job->verb->least;
}

struct map_job *map_prepare(const char **words, const char *file)
{
	struct map_job *job = must(calloc(1, sizeof(*job)));
	bool good;

	job->verb = find_verb(words[0]);
	if (file) {
		good = job->verb->line && !words[1];
		if (good)
			read_file(job, file);
	} else {
		good = take_words(job, words + 1);
	}
	if (!good)
		fail(EXIT_USAGE, "'map %s' takes %s", job->verb->name,
		     job->verb->what);
	return job;
}

void map_run(const struct map_job *job, struct hyv_context *ctx, bool as_json)
{
	job->verb->run(job, ctx, as_json);
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
