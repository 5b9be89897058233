/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Failures of the hyv command, and its larger commands. */
#ifndef HYV_COMMAND_H
#define HYV_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "libhyv.h"

/* --- fail.c: exit with a message --- */

/* Exit codes, documented in hyv(8). */
enum {
	EXIT_OTHER = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_NOT_LOADED = 4,
	EXIT_NO_PERMISSION = 5,
};

/* End the line of a message and exit. */
_Noreturn void quit(int code);

/* Exit with a message; the format must be a literal. */
#define fail(code, ...) (fprintf(stderr, "hyv: " __VA_ARGS__), quit(code))

/* Exit code for an error of libhyv. */
int exit_code(int err);
_Noreturn void fail_errno(struct hyv_context *ctx, int err);

/* --- map.c: hyv map --- */

struct map_job;

/*
 * Parse the words after "map", and read @file unless it is NULL. Exits with a
 * message on error. Free the job with map_free().
 */
struct map_job *map_prepare(const char **words, const char *file);
/* Execute the job, or exit with a message. */
void map_run(const struct map_job *job, struct hyv_context *ctx, bool as_json);
void map_free(struct map_job *job);

#endif /* HYV_COMMAND_H */
