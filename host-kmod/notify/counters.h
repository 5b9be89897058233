/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Activity of a vNIC since it was attached. The counters never decrease, not
 * even when the guest resets the device.
 */
#ifndef HYVH_COUNTERS_H
#define HYVH_COUNTERS_H

#include <linux/atomic.h>

struct hyvh_counters {
	atomic64_t commands;	/* requests executed, including refused ones */
	atomic64_t errors;	/* requests with a status other than HYV_OK */
	atomic64_t doorbells;	/* send doorbells rung */
	atomic64_t arms;	/* CQs armed */
	atomic64_t kicks;	/* kicks received from the guest */
	atomic64_t events;	/* events delivered to the guest */
	atomic64_t event_stalls; /* times that an event had no guest buffer */
	atomic64_t interrupts;	/* guest interrupts raised */
};

#endif /* HYVH_COUNTERS_H */
