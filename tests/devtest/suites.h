/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The suites of tests; each runs in a process of its own.
 */
#ifndef DEVTEST_SUITES_H
#define DEVTEST_SUITES_H

#include <stdint.h>

void suite_ioctl(void);
void suite_setup(void);
void suite_orphan(void);
void suite_wire(void);
void suite_features(void);
void suite_query(void);
void suite_objects(void);
void suite_limits(void);
void suite_isolation(void);
void suite_gids(void);
void suite_verbs(void);
void suite_traffic(void);
void suite_chunks(void);
void suite_memory(void);
void suite_pins(void);
void suite_window(void);
void suite_mapping(void);
void suite_data(void);
void suite_events(void);
void suite_async(void);
void suite_close(void);
void suite_kill(void);
void suite_reset(void);
void suite_show(void);
void suite_mcast(void);
void suite_mlx5(void);
void suite_xrc(void);
void suite_unplug(void);
void suite_replug(void);
void suite_nomock(void);
void suite_mock(void);
void suite_mocklate(void);
void suite_mockslow(void);
void suite_mockpins(void);
void suite_mockreplug(void);
void suite_mockcreate(void);
void suite_mockrefuse(void);
void suite_failnth(void);
void suite_hostile_memory(void);
void suite_hostile_window(void);
void suite_hostile_files(void);
void suite_hostile_limits(void);
void suite_hostile_guest(void);
void suite_hostile_unplug(void);

void fuzz(uint64_t seed, unsigned int seconds);
void fuzz_vmm(uint64_t seed, unsigned int seconds);

#endif /* DEVTEST_SUITES_H */
