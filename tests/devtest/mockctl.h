/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control of the mock HCA (tests/mock).
 */
#ifndef DEVTEST_MOCKCTL_H
#define DEVTEST_MOCKCTL_H

#include <stdbool.h>
#include <hyv_mock.h>

/* Numbers of the objects that the mock holds. */
struct mock_held {
#define MEMBER(name) long name;
	HYV_FOR_EACH_MOCK_TYPE(MEMBER)
#undef MEMBER
};

void mock_rule(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void mock_clear(void);
void mock_set(const char *file, const char *text);
long mock_counter(const char *name);
bool mock_wait(const char *name, long want);
void mock_held(struct mock_held *held);
void mock_expect_held(const struct mock_held *want, const char *when);
void mock_check(const char *when);

#endif /* DEVTEST_MOCKCTL_H */
