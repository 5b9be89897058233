/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the hyv command prints: aligned columns for people, JSON for programs.
 */
#ifndef HYV_OUTPUT_H
#define HYV_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "libhyv.h"

/* --- table.c: aligned columns --- */

/* Returns @memory; if it is NULL, exits with a message. */
void *must(void *memory);

/**
 * struct table - text of equal columns
 * @nr_columns: cells of a row
 * @cells: @nr_cells strings, row after row; the first row is the header
 * @room: strings that there is room for
 *
 * Columns whose cells below the header are all numbers are set to the right.
 */
struct table {
	size_t nr_columns;
	size_t nr_cells;
	size_t room;
	char **cells;
};

/* They add a cell; a new row starts when the last one is full. */
void table_add(struct table *table, const char *text);
void table_add_u64(struct table *table, uint64_t value);
void table_add_fixed(struct table *table, double value);
/*
 * A string that others have chosen, as one word: what is not a printable ASCII
 * character, a blank or a backslash becomes \ooo, and nothing becomes "-".
 */
void table_add_word(struct table *table, const char *text);
void table_print(const struct table *table, FILE *out);
void table_free(struct table *table);

/* As table_add_word(), to be freed. */
char *word_of(const char *text);

/* --- json.c: a writer of valid JSON --- */

/**
 * struct json - where JSON is written to
 * @out: stream
 * @more: a comma goes in front of the next value
 */
struct json {
	FILE *out;
	bool more;
};

/* @key is NULL outside of objects. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_fixed(struct json *json, const char *key, double value);
/* Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);

/* --- report.c: one function for each command --- */

/* Lists are NULL-terminated arrays. */
void report_list(FILE *out, bool as_json, struct hyv_vnic **vnics);
void report_stats(FILE *out, bool as_json, struct hyv_vnic **vnics);
void report_hcas(FILE *out, bool as_json, struct hyv_hca **hcas);
void report_map(FILE *out, bool as_json, struct hyv_map_entry **entries);
void report_map_entry(FILE *out, bool as_json,
		      const struct hyv_map_entry *entry);
/* @one: JSON is the object itself and no array of one. */
void report_show(FILE *out, bool as_json, bool one, struct hyv_vnic **vnics);
/*
 * What has been counted between @before and @now, @seconds later, per second,
 * for the vNICs that are in both; JSON is one line.
 */
void report_rates(FILE *out, bool as_json, struct hyv_vnic **before,
		  struct hyv_vnic **now, double seconds);

#endif /* HYV_OUTPUT_H */
