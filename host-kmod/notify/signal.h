/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A condition that is reported to the VMM through an eventfd.
 */
#ifndef HYVH_SIGNAL_H
#define HYVH_SIGNAL_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct eventfd_ctx;

struct hyvh_signal {
	spinlock_t lock;		/* protects the next two */
	struct eventfd_ctx *ctx;	/* or NULL */
	bool raised;
};

struct eventfd_ctx *hyvh_signal_get(int fd);
void hyvh_signal_init(struct hyvh_signal *signal);
void hyvh_signal_set(struct hyvh_signal *signal, struct eventfd_ctx *ctx);
void hyvh_signal_raise(struct hyvh_signal *signal);
void hyvh_signal_lower(struct hyvh_signal *signal);

#endif /* HYVH_SIGNAL_H */
