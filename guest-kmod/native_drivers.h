/* SPDX-License-Identifier: GPL-2.0-only */
/* Conflicts with the drivers whose IDs vNICs have. */
#ifndef VHYV_NATIVE_DRIVERS_H
#define VHYV_NATIVE_DRIVERS_H

#include <linux/types.h>

struct device;

int vhyv_native_drivers_init(void);
void vhyv_native_drivers_exit(void);
int vhyv_native_driver_block(struct device *dev, u32 driver_id);
void vhyv_native_driver_unblock(u32 driver_id);

#endif /* VHYV_NATIVE_DRIVERS_H */
