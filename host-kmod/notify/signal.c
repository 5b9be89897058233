// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions that are reported to the VMM through an eventfd. All functions
 * need process context.
 */
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/minmax.h>

#include "notify/signal.h"

/* The eventfd that a VMM names, with a reference; NULL for -1; or an ERR_PTR(). */
struct eventfd_ctx *hyvh_signal_get(int fd)
{
	if (fd < -1)
		return ERR_PTR(-EINVAL);
	return fd == -1 ? NULL : eventfd_ctx_fdget(fd);
}

void hyvh_signal_init(struct hyvh_signal *signal)
{
	spin_lock_init(&signal->lock);
	signal->ctx = NULL;
	signal->raised = false;
}

/*
 * Replace the eventfd; NULL for none. Takes over the caller's reference. The
 * new one is signalled at once if the condition is raised.
 */
void hyvh_signal_set(struct hyvh_signal *signal, struct eventfd_ctx *ctx)
{
	spin_lock(&signal->lock);
	swap(signal->ctx, ctx);
	if (signal->ctx && signal->raised)
		eventfd_signal(signal->ctx);
	spin_unlock(&signal->lock);
	if (ctx)
		eventfd_ctx_put(ctx);
}

/* Raise the condition, which may be raised already. */
void hyvh_signal_raise(struct hyvh_signal *signal)
{
	spin_lock(&signal->lock);
	signal->raised = true;
	if (signal->ctx)
		eventfd_signal(signal->ctx);
	spin_unlock(&signal->lock);
}

void hyvh_signal_lower(struct hyvh_signal *signal)
{
	spin_lock(&signal->lock);
	signal->raised = false;
	spin_unlock(&signal->lock);
}
