/* SPDX-License-Identifier: GPL-2.0-only */
/* Unit tests: each program has a table of them. */
#ifndef HYV_TEST_H
#define HYV_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/hyv_netlink.h>
#include <netlink/msg.h>

#include "libhyv.h"
#include "tap.h"

struct test {
	const char *name;
	void (*run)(void);
};

/* The test points of a program, ended by an entry without a name. */
extern const struct test tests[];

#define NR_ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))

/* Fail the running test, which continues; return whether the condition held. */
#define EXPECT(cond) expect(cond, __FILE__, __LINE__, #cond)
#define EXPECT_EQ(got, want) \
	expect(tap_same(got, want), __FILE__, __LINE__, #got " == " #want)
#define EXPECT_STR(got, want) \
	expect(tap_same_str(got, want), __FILE__, __LINE__, #got)

bool expect(bool ok, const char *file, int line, const char *what);

/* Repeatable random numbers. */
uint32_t random_u32(void);

/* --- Messages as hyv.ko sends them; free them with nlmsg_free() --- */

#define SAMPLE_FAMILY 77

/**
 * struct sample - attributes of a vNIC
 * @counter: value of the first counter; each of the others is one more
 */
struct sample {
	uint32_t id;
	const char *name;
	uint32_t pid;
	const char *comm;
	const char *hca;
	uint32_t state;
	uint64_t quota_used[HYV_NL_NR_QUOTAS];
	uint64_t quota_max[HYV_NL_NR_QUOTAS];
	uint64_t counter;
};

/* A message without attributes. */
struct nl_msg *new_message(int cmd);
void put_object(struct nl_msg *msg, uint32_t type, const char *name,
		uint32_t count, uint32_t max);
void put_quota(struct nl_msg *msg, uint32_t type, uint64_t used, uint64_t max);
void put_counters(struct nl_msg *msg, uint64_t first);
struct nl_msg *vnic_message(const struct sample *sample);
/* With 10 leaked objects for each vNIC. */
struct nl_msg *hca_message(const char *name, uint32_t driver_id, uint32_t use,
			   uint32_t nr_vnics);
/* A static entry of the GID map, or if @via is NULL, one that @vnic owns. */
struct nl_msg *entry_message(const char *gid, const char *via, uint32_t vnic,
			     const char *hca);
void put_gid(struct nl_msg *msg, int attr, const char *gid);

#endif /* HYV_TEST_H */
