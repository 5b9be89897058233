/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages that say why a request was refused. A guest can cause any number of
 * them, so they are off until an administrator enables dynamic debug.
 */
#ifndef HYVH_DEBUG_H
#define HYVH_DEBUG_H

#include <linux/err.h>
#include <linux/printk.h>

/* @fmt has no newline. */
#define hyvh_dbg(id, fmt, ...) \
	pr_debug("vnic %u: " fmt "\n", id, ##__VA_ARGS__)

/* Log the reason of a refusal. Evaluates to @err, a negative errno. */
#define hyvh_refuse(id, err, fmt, ...)					\
({									\
	int __err = (err);						\
									\
	hyvh_dbg(id, fmt ": %pe", ##__VA_ARGS__, ERR_PTR(__err));	\
	__err;								\
})

#endif /* HYVH_DEBUG_H */
