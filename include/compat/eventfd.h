/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.8 eventfd_signal() took the increment of the counter. */
#ifndef HYV_COMPAT_EVENTFD_H
#define HYV_COMPAT_EVENTFD_H

#include <linux/eventfd.h>

#define eventfd_signal(ctx)	((void)eventfd_signal(ctx, 1))

#endif /* HYV_COMPAT_EVENTFD_H */
