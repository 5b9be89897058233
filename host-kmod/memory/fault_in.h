/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making memory of the VMM present without waiting for the VMM.
 */
#ifndef HYVH_FAULT_IN_H
#define HYVH_FAULT_IN_H

#include <linux/types.h>

struct file;
struct mm_struct;

bool hyvh_file_is_memory(const struct file *file);
int hyvh_fault_in_check(u64 addr, u64 len);
void hyvh_fault_in_wait(unsigned long addr);
int hyvh_fault_in(struct mm_struct *mm, u64 addr, u64 len);

#endif /* HYVH_FAULT_IN_H */
