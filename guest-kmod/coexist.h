/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYV_COEXIST_H
#define HYV_COEXIST_H

#include <linux/types.h>

struct device;

int hyv_coexist_init(void);
void hyv_coexist_exit(void);
int hyv_coexist_claim(struct device *dev, u32 driver_id);
void hyv_coexist_release(u32 driver_id);

#endif /* HYV_COEXIST_H */
