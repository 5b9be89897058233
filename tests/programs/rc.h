/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the test programs: one RDMA device, RC queue pairs that are
 * connected within the process, and memory with known contents.
 *
 * Whatever fails ends the program, with a message and status 1.
 */
#ifndef RC_H
#define RC_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096UL

/* Longest message of rc_transfer(). */
#define RC_MESSAGE (1UL << 20)

/* Requests that a queue has room for, where this does not matter. */
#define RC_DEPTH 16

#define RC_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

struct rc {
	struct ibv_context *context;
	struct ibv_pd *pd;
	int gid_index;
	union ibv_gid gid;
	enum ibv_mtu mtu;
};

struct rc_pair {
	struct rc *rc;
	struct ibv_comp_channel *channel; /* NULL: poll */
	struct ibv_cq *cq;
	struct ibv_qp *qp[2];
};

void die(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void die_errno(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
double now(void);
double hang_seconds(void);
unsigned long parse_size(const char *text);
uint64_t random_next(uint64_t *state);

struct ibv_context *rc_open_context(void);
void rc_open(struct rc *rc);
void rc_close(struct rc *rc);
struct ibv_qp *rc_create_qp(struct ibv_pd *pd, struct ibv_cq *cq,
			    unsigned int depth);
struct ibv_qp *rc_create_ud_qp(struct rc *rc, struct ibv_cq *cq, uint32_t qkey);
void rc_connect(struct rc *rc, struct ibv_qp *qp, uint32_t peer,
		union ibv_gid gid);
struct ibv_mr *rc_register(struct rc *rc, void *addr, size_t length);
void rc_deregister(struct ibv_mr *mr);
bool rc_completion(struct ibv_cq *cq, struct ibv_wc *wc, double seconds);

void rc_pair_create(struct rc_pair *pair, struct rc *rc, unsigned int depth,
		    bool events);
void rc_pair_open(struct rc_pair *pair, struct rc *rc, bool events);
void rc_pair_close(struct rc_pair *pair);
void rc_post(struct rc_pair *pair, enum ibv_wr_opcode opcode,
	     struct ibv_mr *local, void *at, uint64_t to, uint32_t rkey,
	     size_t length);
bool rc_poll(struct rc_pair *pair);
void rc_transfer(struct rc_pair *pair, enum ibv_wr_opcode opcode,
		 struct ibv_mr *local, void *at, uint64_t to, uint32_t rkey,
		 size_t length);

void *pages_anonymous(size_t length);
void *pages_scattered(size_t length, uint64_t seed);
void pages_free(void *addr, size_t length);
size_t pages_adjacent(const void *addr, size_t length);

void pattern_fill(void *addr, size_t length, uint64_t offset, uint64_t seed);
void pattern_check(const char *what, const void *addr, size_t length,
		   uint64_t offset, uint64_t seed);

#endif /* RC_H */
