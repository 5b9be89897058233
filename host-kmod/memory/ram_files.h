/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of guest RAM, which must not lose pages.
 */
#ifndef HYVH_RAM_FILES_H
#define HYVH_RAM_FILES_H

#include <linux/types.h>

struct file;
struct page;

/* Most files of a buffer: the list is searched for each mapping and page. */
#define HYVH_MAX_RAM_FILES	512

/* Valid and empty if zeroed. */
struct hyvh_ram_files {
	struct hlist_head list;		/* of struct hyvh_ram_file */
	unsigned int nr;		/* elements of list */
};

int hyvh_ram_files_add(struct hyvh_ram_files *files, struct file *file);
bool hyvh_ram_files_trylock(struct hyvh_ram_files *files);
bool hyvh_ram_files_have(const struct hyvh_ram_files *files,
			 struct page *page);
void hyvh_ram_files_release(struct hyvh_ram_files *files);

#endif /* HYVH_RAM_FILES_H */
