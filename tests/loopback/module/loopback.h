/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the loopback transport. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <linux/types.h>

#include "hyv_loopback.h"

struct device;
struct file;
struct vm_area_struct;

int loop_memory_init(void);
void loop_memory_exit(void);
int loop_mmap(struct file *file, struct vm_area_struct *vma);
void loop_memory_unmap(void);
u64 loop_memory_end(void);
int loop_netdev_init(struct device *parent);
void loop_netdev_exit(void);

#endif /* LOOPBACK_H */
