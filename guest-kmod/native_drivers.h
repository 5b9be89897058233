/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VHYV_COEXIST_H
#define VHYV_COEXIST_H

#include <linux/types.h>

struct device;

int vhyv_coexist_init(void);
void vhyv_coexist_exit(void);
int vhyv_coexist_claim(struct device *dev, u32 driver_id);
void vhyv_coexist_release(u32 driver_id);

#endif /* VHYV_COEXIST_H */
