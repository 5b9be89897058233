/* SPDX-License-Identifier: GPL-2.0-only */
/* Unit tests: each program has a table of them and prints a line for each. */
#ifndef HYV_TEST_H
#define HYV_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <netlink/msg.h>

#include "libhyv.h"

struct test {
	const char *name;
	void (*run)(void);
};

/* The tests of a program, ended by an entry without a name. */
extern const struct test tests[];

#define NR_ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))

/* Fails the running test, which goes on. */
#define EXPECT(cond)	 expect(cond, __FILE__, __LINE__, #cond)
#define EXPECT_EQ(a, b)	 expect_eq(a, b, __FILE__, __LINE__, #a " == " #b)
#define EXPECT_STR(a, b) expect_str(a, b, __FILE__, __LINE__)

bool expect(bool ok, const char *file, int line, const char *what);
bool expect_eq(long long a, long long b, const char *file, int line,
	       const char *what);
bool expect_str(const char *a, const char *b, const char *file, int line);

/* Repeatable random numbers. */
uint32_t random_u32(void);

/* --- Messages like those of hyv.ko; built by libnl, to be freed with it --- */

#define SAMPLE_FAMILY 77

/**
 * struct sample - a vNIC
 * @counter: of the first counter; each of the others is one more
 */
struct sample {
	uint32_t id;
	const char *name;
	uint32_t pid;
	const char *comm;
	const char *hca;
	uint32_t state;
	uint64_t pinned;
	uint64_t pinned_max;
	uint64_t queue_bytes;
	uint64_t queue_bytes_max;
	uint64_t counter;
};

/* A message with no attributes yet. */
struct nl_msg *new_message(int cmd);
void put_object(struct nl_msg *msg, uint32_t type, const char *name,
		uint32_t count, uint32_t max);
void put_counters(struct nl_msg *msg, uint64_t first);
struct nl_msg *vnic_message(const struct sample *sample);
struct nl_msg *hca_message(const char *name, uint32_t driver_id, uint32_t use,
			   uint32_t nr_vnics);
/* Entries of the map: @gid has another host, @via, or vNIC @vnic if it is NULL.
 */
struct nl_msg *entry_message(const char *gid, const char *via, uint32_t vnic,
			     const char *hca);
void put_gid(struct nl_msg *msg, int attr, const char *gid);

#endif /* HYV_TEST_H */
