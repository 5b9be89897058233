// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The output of each command. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output.h"

/**
 * struct listing - how to print a list
 * @titles: column titles, ended by NULL
 * @row: add the cells of a row
 * @json: add an object
 */
struct listing {
	const char *const *titles;
	void (*row)(struct table *table, const void *item);
	void (*json)(struct json *json, const void *item);
};

static void print_list(FILE *out, bool as_json, const struct listing *listing,
		       void *const *items)
{
	struct table table = {0};
	struct json json = {.out = out};
	const char *const *title;

	if (as_json) {
		json_open(&json, NULL, '[');
		for (; *items; items++)
			listing->json(&json, *items);
		json_close(&json, ']');
		fputc('\n', out);
		return;
	}
	for (title = listing->titles; *title; title++)
		table_add(&table, *title);
	table.nr_columns = table.nr_cells;
	for (; *items; items++)
		listing->row(&table, *items);
	table_print(&table, out);
	table_free(&table);
}

static uint64_t nr_objects(const struct hyv_vnic *vnic)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < hyv_vnic_nr_object_types(vnic); i++)
		sum += hyv_vnic_object_count(vnic, i);
	return sum;
}

/* --- Parts of JSON --- */

static void json_identity(struct json *json, const struct hyv_vnic *vnic)
{
	json_u64(json, "id", hyv_vnic_id(vnic));
	json_string(json, "name", hyv_vnic_name(vnic));
	json_u64(json, "pid", hyv_vnic_pid(vnic));
	json_string(json, "command", hyv_vnic_comm(vnic));
	json_string(json, "hca", hyv_vnic_hca(vnic));
	json_string(json, "state", hyv_vnic_state_str(vnic));
}

static void json_resources(struct json *json, const struct hyv_vnic *vnic)
{
	char max[32];
	size_t i;
	int q;

	for (q = 0; hyv_quota_name(q); q++) {
		snprintf(max, sizeof(max), "%s_max", hyv_quota_name(q));
		json_u64(json, hyv_quota_name(q), hyv_vnic_quota_used(vnic, q));
		json_u64(json, max, hyv_vnic_quota_max(vnic, q));
	}
	json_u64(json, "window_used", hyv_vnic_window_used(vnic));
	json_u64(json, "window_size", hyv_vnic_window_size(vnic));
	json_u64(json, "leaked", hyv_vnic_nr_leaked(vnic));
	json_open(json, "objects", '{');
	for (i = 0; i < hyv_vnic_nr_object_types(vnic); i++) {
		json_open(json, hyv_vnic_object_name(vnic, i), '{');
		json_u64(json, "count", hyv_vnic_object_count(vnic, i));
		json_u64(json, "max", hyv_vnic_object_max(vnic, i));
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void json_counters(struct json *json, const struct hyv_vnic *vnic)
{
	int i;

	json_open(json, "counters", '{');
	for (i = 0; hyv_counter_name(i); i++)
		json_u64(json, hyv_counter_name(i), hyv_vnic_counter(vnic, i));
	json_close(json, '}');
}

static void json_vnic(struct json *json, const void *vnic)
{
	json_open(json, NULL, '{');
	json_identity(json, vnic);
	json_resources(json, vnic);
	json_counters(json, vnic);
	json_close(json, '}');
}

/* --- hyv list --- */

static void list_row(struct table *table, const void *vnic)
{
	table_add_u64(table, hyv_vnic_id(vnic));
	table_add_u64(table, hyv_vnic_pid(vnic));
	table_add_word(table, hyv_vnic_comm(vnic));
	table_add_word(table, hyv_vnic_hca(vnic));
	table_add(table, hyv_vnic_state_str(vnic));
	table_add_u64(table, nr_objects(vnic));
	table_add_u64(table, hyv_vnic_quota_used(vnic, HYV_QUOTA_PINNED));
	table_add_word(table, hyv_vnic_name(vnic));
}

static const struct listing vnic_listing = {
	.titles = (const char *const[]){"ID", "PID", "COMMAND", "HCA", "STATE",
					"OBJECTS", "PINNED", "NAME", NULL},
	.row = list_row,
	.json = json_vnic,
};

void report_list(FILE *out, bool as_json, struct hyv_vnic **vnics)
{
	print_list(out, as_json, &vnic_listing, (void **)vnics);
}

/* --- hyv show --- */

static void show_word(FILE *out, const char *key, const char *value)
{
	char *word = word_of(value);

	fprintf(out, "    %-24s %s\n", key, word);
	free(word);
}

static void show_u64(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "    %-24s %" PRIu64 "\n", key, value);
}

static void show_use(FILE *out, const char *key, uint64_t used, uint64_t max)
{
	if (max == UINT64_MAX)
		fprintf(out, "    %-24s %" PRIu64 " of unlimited\n", key, used);
	else
		fprintf(out, "    %-24s %" PRIu64 " of %" PRIu64 "\n", key,
			used, max);
}

static void show_vnic(FILE *out, const struct hyv_vnic *vnic)
{
	const char *key;
	size_t i;
	int c, q;

	fprintf(out, "vnic %" PRIu32 "\n", hyv_vnic_id(vnic));
	show_word(out, "name", hyv_vnic_name(vnic));
	show_u64(out, "pid", hyv_vnic_pid(vnic));
	show_word(out, "command", hyv_vnic_comm(vnic));
	show_word(out, "hca", hyv_vnic_hca(vnic));
	show_word(out, "state", hyv_vnic_state_str(vnic));
	for (q = 0; hyv_quota_name(q); q++) {
		/* Here it has a unit in its name, like the others. */
		key = q == HYV_QUOTA_PINNED ? "pinned_bytes"
					    : hyv_quota_name(q);
		show_use(out, key, hyv_vnic_quota_used(vnic, q),
			 hyv_vnic_quota_max(vnic, q));
	}
	show_use(out, "window_bytes", hyv_vnic_window_used(vnic),
		 hyv_vnic_window_size(vnic));
	show_u64(out, "leaked", hyv_vnic_nr_leaked(vnic));
	for (i = 0; i < hyv_vnic_nr_object_types(vnic); i++) {
		char *type = word_of(hyv_vnic_object_name(vnic, i));

		fprintf(out, "    objects.%-16s %" PRIu32 " of %" PRIu32 "\n",
			type, hyv_vnic_object_count(vnic, i),
			hyv_vnic_object_max(vnic, i));
		free(type);
	}
	for (c = 0; hyv_counter_name(c); c++)
		fprintf(out, "    counters.%-15s %" PRIu64 "\n",
			hyv_counter_name(c), hyv_vnic_counter(vnic, c));
}

void report_show(FILE *out, bool as_json, bool one, struct hyv_vnic **vnics)
{
	struct json json = {.out = out};

	if (as_json && one) {
		json_vnic(&json, *vnics);
		fputc('\n', out);
	} else if (as_json) {
		report_list(out, true, vnics);
	} else {
		for (; *vnics; vnics++)
			show_vnic(out, *vnics);
	}
}

/* --- hyv stats --- */

static void stats_header(struct table *table, const char *unit)
{
	const char *name;
	char title[32];
	size_t i;
	int c;

	table_add(table, "ID");
	table_add(table, "PID");
	table_add(table, "HCA");
	table_add(table, "OBJECTS");
	table_add(table, "PINNED");
	for (c = 0; hyv_counter_name(c); c++) {
		name = hyv_counter_name(c);
		for (i = 0; name[i] && i < sizeof(title) - 1; i++)
			title[i] = toupper((unsigned char)name[i]);
		snprintf(title + i, sizeof(title) - i, "%s", unit);
		table_add(table, title);
	}
	table->nr_columns = table->nr_cells;
}

static void stats_row(struct table *table, const struct hyv_vnic *vnic)
{
	table_add_u64(table, hyv_vnic_id(vnic));
	table_add_u64(table, hyv_vnic_pid(vnic));
	table_add_word(table, hyv_vnic_hca(vnic));
	table_add_u64(table, nr_objects(vnic));
	table_add_u64(table, hyv_vnic_quota_used(vnic, HYV_QUOTA_PINNED));
}

void report_stats(FILE *out, bool as_json, struct hyv_vnic **vnics)
{
	struct table table = {0};
	int c;

	if (as_json) {
		report_list(out, true, vnics);
		return;
	}
	stats_header(&table, "");
	for (; *vnics; vnics++) {
		stats_row(&table, *vnics);
		for (c = 0; hyv_counter_name(c); c++)
			table_add_u64(&table, hyv_vnic_counter(*vnics, c));
	}
	table_print(&table, out);
	table_free(&table);
}

/* --- hyv stats --watch --- */

static const struct hyv_vnic *find_vnic(struct hyv_vnic **vnics, uint32_t id)
{
	for (; *vnics; vnics++)
		if (hyv_vnic_id(*vnics) == id)
			return *vnics;
	return NULL;
}

static double rate(const struct hyv_vnic *before, const struct hyv_vnic *now,
		   int counter, double seconds)
{
	uint64_t from = hyv_vnic_counter(before, counter);
	uint64_t to = hyv_vnic_counter(now, counter);

	/* Counters restart at 0 when hyv.ko is loaded again. */
	return to < from ? 0 : (to - from) / seconds;
}

static void json_rates(FILE *out, struct hyv_vnic **before,
		       struct hyv_vnic **now, double seconds)
{
	struct json json = {.out = out};
	const struct hyv_vnic *old;
	int c;

	json_open(&json, NULL, '{');
	json_u64(&json, "time", time(NULL));
	json_fixed(&json, "seconds", seconds);
	json_open(&json, "vnics", '[');
	for (; *now; now++) {
		old = find_vnic(before, hyv_vnic_id(*now));
		if (!old)
			continue;
		json_open(&json, NULL, '{');
		json_identity(&json, *now);
		json_resources(&json, *now);
		json_open(&json, "rates", '{');
		for (c = 0; hyv_counter_name(c); c++)
			json_fixed(&json, hyv_counter_name(c),
				   rate(old, *now, c, seconds));
		json_close(&json, '}');
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	fputc('\n', out);
}

void report_rates(FILE *out, bool as_json, struct hyv_vnic **before,
		  struct hyv_vnic **now, double seconds)
{
	struct table table = {0};
	const struct hyv_vnic *old;
	int c;

	if (as_json) {
		json_rates(out, before, now, seconds);
		return;
	}
	stats_header(&table, "/s");
	for (; *now; now++) {
		old = find_vnic(before, hyv_vnic_id(*now));
		if (!old)
			continue;
		stats_row(&table, *now);
		for (c = 0; hyv_counter_name(c); c++)
			table_add_fixed(&table, rate(old, *now, c, seconds));
	}
	table_print(&table, out);
	table_free(&table);
}

/* --- hyv hcas --- */

static const char *hca_note(const struct hyv_hca *hca)
{
	static const char *const notes[] = {
		[HYV_HCA_USABLE] = "",
		[HYV_HCA_TRUSTED_ONLY_DENIED] =
			"guests may be able to crash the host; to allow it anyway: echo 1 >/sys/module/hyv/parameters/allow_trusted_only_hca",
		[HYV_HCA_UNSUPPORTED] =
			"hyv.ko does not support HCAs of this driver",
	};
	uint32_t use = hyv_hca_use(hca);

	if (use <= HYV_HCA_UNSUPPORTED)
		return notes[use];
	return "unknown to this version of hyv; see the documentation of hyv.ko";
}

static void hca_row(struct table *table, const void *hca)
{
	table_add_word(table, hyv_hca_name(hca));
	table_add(table, hyv_hca_driver(hca));
	table_add_u64(table, hyv_hca_nr_vnics(hca));
	table_add_u64(table, hyv_hca_nr_leaked(hca));
	table_add(table, hyv_hca_use_str(hca));
	table_add(table, *hca_note(hca) ? hca_note(hca) : "-");
}

static void json_hca(struct json *json, const void *hca)
{
	json_open(json, NULL, '{');
	json_string(json, "name", hyv_hca_name(hca));
	json_string(json, "driver", hyv_hca_driver(hca));
	json_u64(json, "driver_id", hyv_hca_driver_id(hca));
	json_u64(json, "vnics", hyv_hca_nr_vnics(hca));
	json_u64(json, "leaked", hyv_hca_nr_leaked(hca));
	json_string(json, "use", hyv_hca_use_str(hca));
	json_string(json, "note", hca_note(hca));
	json_close(json, '}');
}

static const struct listing hca_listing = {
	.titles = (const char *const[]){"HCA", "DRIVER", "VNICS", "LEAKED",
					"USE", "NOTE", NULL},
	.row = hca_row,
	.json = json_hca,
};

void report_hcas(FILE *out, bool as_json, struct hyv_hca **hcas)
{
	print_list(out, as_json, &hca_listing, (void **)hcas);
}

/* --- hyv map --- */

static void json_entry(struct json *json, const void *entry)
{
	const struct in6_addr *via = hyv_map_entry_via(entry);
	char text[HYV_GID_TEXT];

	json_open(json, NULL, '{');
	json_string(json, "gid", hyv_gid_str(hyv_map_entry_gid(entry), text));
	if (via) {
		json_string(json, "via", hyv_gid_str(via, text));
	} else {
		json_u64(json, "vnic", hyv_map_entry_vnic(entry));
		json_string(json, "hca", hyv_map_entry_hca(entry));
	}
	json_close(json, '}');
}

static void map_row(struct table *table, const void *entry)
{
	const struct in6_addr *via = hyv_map_entry_via(entry);
	char text[HYV_GID_TEXT];

	table_add(table, hyv_gid_str(hyv_map_entry_gid(entry), text));
	table_add(table, via ? hyv_gid_str(via, text) : "-");
	if (via)
		table_add(table, "-");
	else
		table_add_u64(table, hyv_map_entry_vnic(entry));
	table_add_word(table, hyv_map_entry_hca(entry));
}

static const struct listing map_listing = {
	.titles = (const char *const[]){"GID", "VIA", "VNIC", "HCA", NULL},
	.row = map_row,
	.json = json_entry,
};

void report_map(FILE *out, bool as_json, struct hyv_map_entry **entries)
{
	print_list(out, as_json, &map_listing, (void **)entries);
}

void report_map_entry(FILE *out, bool as_json,
		      const struct hyv_map_entry *entry)
{
	const struct in6_addr *via = hyv_map_entry_via(entry);
	struct json json = {.out = out};
	char text[HYV_GID_TEXT];

	if (as_json) {
		json_entry(&json, entry);
		fputc('\n', out);
		return;
	}
	fprintf(out, "gid %s\n", hyv_gid_str(hyv_map_entry_gid(entry), text));
	if (via) {
		show_word(out, "via", hyv_gid_str(via, text));
	} else {
		show_u64(out, "vnic", hyv_map_entry_vnic(entry));
		show_word(out, "hca", hyv_map_entry_hca(entry));
	}
}
