/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults in the kernel, by /proc/thread-self/fail-nth: an allocation or a copy
 * from or to user space fails in the next ioctl.
 */
#ifndef DEVTEST_FAILNTH_H
#define DEVTEST_FAILNTH_H

#include <stdbool.h>

bool failnth_init(void);
void failnth_set(unsigned int n);
bool failnth_injected(void);

/* Around an ioctl. */
void failnth_begin(void);
void failnth_end(void);

#endif /* DEVTEST_FAILNTH_H */
