/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUITES_H
#define SUITES_H

void test_bounds(void);
void test_epoch(void);
void test_messages(void);
void test_errors(void);
void test_queues(void);
void test_malicious(void);
void test_order(void);
void test_park(void);
void test_waits(void);
void test_windows(void);
void test_xrc(void);

#endif /* SUITES_H */
