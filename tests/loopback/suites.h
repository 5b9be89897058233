/* SPDX-License-Identifier: GPL-2.0-only */
/* The suites of looptest, and what they share. */
#ifndef LOOPBACK_SUITES_H
#define LOOPBACK_SUITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mockctl.h"
#include "uv.h"

struct vmm_options;

void suite_life(void);
void suite_kill(void);
void suite_xrc(void);
void suite_turns(void);
void suite_ends(void);
void suite_gids(void);
void suite_retry(void);
void suite_watchdog(void);
void suite_features(void);
void suite_faults(void);
void suite_host_faults(void);
void suite_probe_faults(void);
void suite_events(void);
void suite_flood(void);
void garble(uint64_t seed, unsigned int seconds);

/* Longer than what does not wait for a slow command. */
#define LOOP_SLOW_MS 10000

/* test_life.c */
extern struct mock_held idle;
extern struct mock_held started;

void loop_start_with(const struct vmm_options *options);
void loop_start(void);
void loop_start_guest(void);
void loop_stop(void);
bool loop_driver(const char *what);
void loop_expect_idle(const char *when);
long loop_pinned(void);
bool loop_works(const char *when);
pid_t loop_slow_start(void (*run)(struct uv *uv), struct uv *uv,
		      uint16_t opcode);
void loop_slow_kill(pid_t pid, const char *name);

/* test_host.c */
void loop_watch(bool often);

#endif /* LOOPBACK_SUITES_H */
