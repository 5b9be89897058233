/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups of checks; each runs in a process of its own.
 */
#ifndef DEVTEST_GROUPS_H
#define DEVTEST_GROUPS_H

#include <stdint.h>

void group_ioctl(void);
void group_wire(void);
void group_query(void);
void group_objects(void);
void group_limits(void);
void group_gids(void);
void group_verbs(void);
void group_traffic(void);
void group_chunks(void);
void group_memory(void);
void group_window(void);
void group_data(void);
void group_events(void);
void group_async(void);
void group_close(void);
void group_kill(void);
void group_reset(void);
void group_show(void);
void group_unplug(void);
void group_replug(void);

void fuzz(uint64_t seed, unsigned int seconds);

#endif /* DEVTEST_GROUPS_H */
