/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Output of the hyv command: aligned columns or JSON. */
#ifndef HYV_OUTPUT_H
#define HYV_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "libhyv.h"

/* --- table.c: aligned columns --- */

/* Returns @memory; if it is NULL, exits with a message. */
void *must(void *memory);

/**
 * struct table - text in columns
 * @nr_columns: number of cells in a row
 * @nr_cells: number of @cells
 * @room: number of cells that fit
 * @cells: strings, row after row; the first row is the header
 *
 * Columns with only numbers below the header are aligned to the right.
 */
struct table {
	size_t nr_columns;
	size_t nr_cells;
	size_t room;
	char **cells;
};

/* Add a cell; a new row starts when the last one is full. */
void table_add(struct table *table, const char *text);
void table_add_u64(struct table *table, uint64_t value);
void table_add_fixed(struct table *table, double value);
/*
 * Add an untrusted string as one word: blanks, backslashes and bytes that are
 * not printable ASCII become \ooo, and an empty string becomes "-".
 */
void table_add_word(struct table *table, const char *text);
void table_print(const struct table *table, FILE *out);
void table_free(struct table *table);

/* The same word, allocated. */
char *word_of(const char *text);

/* --- json.c: a writer of valid JSON --- */

/**
 * struct json - JSON being written
 * @out: stream
 * @more: the next value needs a comma before it
 */
struct json {
	FILE *out;
	bool more;
};

/* @key is NULL outside of objects. @bracket is one of [{ or ]}. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_fixed(struct json *json, const char *key, double value);
/* Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);

/* --- report.c: one function per command; lists end with NULL --- */

void report_list(FILE *out, bool as_json, struct hyv_vnic **vnics);
void report_stats(FILE *out, bool as_json, struct hyv_vnic **vnics);
void report_hcas(FILE *out, bool as_json, struct hyv_hca **hcas);
void report_map(FILE *out, bool as_json, struct hyv_map_entry **entries);
void report_map_entry(FILE *out, bool as_json,
		      const struct hyv_map_entry *entry);
/* @one: print a JSON object instead of an array. */
void report_show(FILE *out, bool as_json, bool one, struct hyv_vnic **vnics);
/*
 * Print rates per second between @before and @now, @seconds later, for vNICs
 * that are in both lists. JSON is one line.
 */
void report_rates(FILE *out, bool as_json, struct hyv_vnic **before,
		  struct hyv_vnic **now, double seconds);

#endif /* HYV_OUTPUT_H */
