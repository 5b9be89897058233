/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests that a VMM may not survive: each runs in a process of its own under a
 * time limit, and afterwards the host must be as before.
 */
#ifndef DEVTEST_HOSTILE_H
#define DEVTEST_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness.h"
#include "rxe.h"

/**
 * struct hostile_test - a test
 * @name: in messages
 * @fn: runs in a process of its own; processes that it leaves are killed
 * @seconds: time limit at a timeout scale of 1
 */
struct hostile_test {
	const char *name;
	void (*fn)(void);
	unsigned int seconds;
};

void hostile_run(const struct hostile_test *test, size_t nr);

/* Seconds in which the end of a vNIC, or an answer of the host, must come. */
#define HOSTILE_END_S	 10
#define HOSTILE_ANSWER_S 1

/* Milliseconds at the timeout scale. */
uint64_t hostile_ms(unsigned int seconds);

/* A process that plays the VMM; it ends with its parent. */
pid_t hostile_fork(void (*fn)(void *arg), void *arg);
bool hostile_ends(pid_t pid, unsigned int seconds, int *status);
void hostile_expect_end(pid_t pid, const char *what);
void hostile_expect_killed(pid_t pid, const char *what);

/* One process tells another that it is ready. */
struct hostile_pipe {
	int fd[2];
};

void hostile_pipe(struct hostile_pipe *p);
void hostile_tell(struct hostile_pipe *p);
bool hostile_hear(struct hostile_pipe *p, unsigned int seconds);

/**
 * struct hostile_list - what the host lists
 * @vnics: number of vNICs
 * @pinned: bytes that they have pinned
 * @queues: bytes of their queues
 */
struct hostile_list {
	int vnics;
	uint64_t pinned;
	uint64_t queues;
};

bool hostile_list(struct hostile_list *list);
void hostile_expect_answer(const char *when);
bool hostile_no_vnics(unsigned int seconds);

void hostile_find_stitch(char **at, size_t *len);

/* Memory that does not answer. */
int hostile_uffd(uint64_t features);
bool hostile_uffd_register(int uffd, void *addr, size_t len);
bool hostile_uffd_copy(int uffd, void *to, const void *from, size_t len);

/* Length of the file of hostile_fuse(). */
#define HOSTILE_FUSE_LEN (16UL << 20)

int hostile_fuse(void);

/* A CQ, a connected QP and an MR, to cause events. */
struct hostile_ep {
	struct vnic v;
	struct gmem gm;
	struct doorbells db;
	struct ep ep;
	struct gbuf buf;
	struct mr_info mr;
};

void hostile_ep_init(struct hostile_ep *h);
void hostile_ep_raise(struct hostile_ep *h);

void hostile_rings_at(struct evq *q, struct vnic *v, uint8_t *rings);

#endif /* DEVTEST_HOSTILE_H */
