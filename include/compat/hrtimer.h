/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.13 users of a timer set its function themselves. */
#ifndef HYV_COMPAT_HRTIMER_H
#define HYV_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}

#endif /* HYV_COMPAT_HRTIMER_H */
