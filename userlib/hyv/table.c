// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Aligned columns. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

void *must(void *memory)
{
	if (!memory) {
		fputs("hyv: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return memory;
}

static void add_cell(struct table *table, char *cell)
{
	if (table->nr_cells == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = must(reallocarray(table->cells, table->room,
						 sizeof(*table->cells)));
	}
	table->cells[table->nr_cells++] = cell;
}

void table_add(struct table *table, const char *text)
{
	add_cell(table, must(strdup(text)));
}

void table_add_u64(struct table *table, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	table_add(table, text);
}

void table_add_fixed(struct table *table, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.1f", value);
	table_add(table, text);
}

char *word_of(const char *text)
{
	const unsigned char *c;
	char *word, *end;

	word = must(malloc(4 * strlen(text) + 2));
	end = word;
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c > ' ' && *c < 0x7f && *c != '\\')
			*end++ = *c;
		else
			end += sprintf(end, "\\%03o", *c);
	}
	if (end == word)
		*end++ = '-';
	*end = '\0';
	return word;
}

void table_add_word(struct table *table, const char *text)
{
	add_cell(table, word_of(text));
}

static bool is_number(const char *cell)
{
	return isdigit((unsigned char)*cell) &&
	       !cell[strspn(cell, "0123456789.")];
}

/* Width of a column, negative to align it to the left. */
static int column_width(const struct table *table, size_t column)
{
	bool numbers = true;
	size_t i, len, width = 0;

	for (i = column; i < table->nr_cells; i += table->nr_columns) {
		len = strlen(table->cells[i]);
		if (len > width)
			width = len;
		if (i >= table->nr_columns && !is_number(table->cells[i]))
			numbers = false;
	}
	return numbers ? (int)width : -(int)width;
}

void table_print(const struct table *table, FILE *out)
{
	size_t i, column;
	int *widths;

	widths = must(calloc(table->nr_columns, sizeof(*widths)));
	for (column = 0; column < table->nr_columns; column++)
		widths[column] = column_width(table, column);

	for (i = 0; i < table->nr_cells; i++) {
		column = i % table->nr_columns;
		if (column)
			fputs("  ", out);
		/* Print no blanks at the end of a line. */
		if (column == table->nr_columns - 1 && widths[column] < 0)
			fputs(table->cells[i], out);
		else
			fprintf(out, "%*s", widths[column], table->cells[i]);
		if (column == table->nr_columns - 1)
			fputc('\n', out);
	}
	free(widths);
}

void table_free(struct table *table)
{
	size_t i;

	for (i = 0; i < table->nr_cells; i++)
		free(table->cells[i]);
	free(table->cells);
}
