/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of hyv.ko that exist only to be mapped.
 */
#ifndef HYVH_PSEUDO_FILE_H
#define HYVH_PSEUDO_FILE_H

#include <linux/fs.h>

struct file *hyvh_pseudo_file_create(const char *name,
				     const struct file_operations *fops);
void hyvh_pseudo_file_release(void);

#endif /* HYVH_PSEUDO_FILE_H */
