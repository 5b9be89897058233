/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* How the hyv command ends, and its larger commands. */
#ifndef HYV_COMMAND_H
#define HYV_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "libhyv.h"

/* --- fail.c: the end, if it is no good one --- */

/* Exit codes; hyv(8) promises them. */
enum {
	EXIT_OTHER = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NOT_LOADED = 4,
	EXIT_NO_PERMISSION = 5,
};

/* End the line of a message, and exit. */
_Noreturn void quit(int code);

/* Exit with a message, whose format is a literal. */
#define fail(code, ...) (fprintf(stderr, "hyv: " __VA_ARGS__), quit(code))

/* The exit code for an error of libhyv. */
int exit_code(int err);
_Noreturn void fail_errno(struct hyv_context *ctx, int err);

/* --- map.c: hyv map --- */

struct map_job;

/*
 * What the words behind "map" ask for, and @file if it is not NULL, which is
 * read. Exits with a message if it makes no sense. To be freed with map_free().
 */
struct map_job *map_prepare(const char **words, const char *file);
/* Does it, or exits with a message. */
void map_run(const struct map_job *job, struct hyv_context *ctx, bool as_json);
void map_free(struct map_job *job);

#endif /* HYV_COMMAND_H */
