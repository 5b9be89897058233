/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of the program verbs: lines with the result of a verb, in
 * words that are the same in every run, and pairs of queue pairs.
 *
 * A suite runs in a process of its own, with the device open as @dev. A failure
 * that makes its other steps pointless ends that process by die().
 */
#ifndef VERBS_H
#define VERBS_H

#include "rc.h"

/* Memory of each side of a pair. */
#define BUFFER (64UL << 10)
/* Entries of the queues of each side. */
#define QUEUE 31
#define QKEY  0x11223344U
/* Seconds to wait for what should not happen. */
#define QUIET (hang_seconds() / 200)
/* Seconds to wait for what one HCA does, and another may not do. */
#define MAYBE (hang_seconds() / 6)

#define ALL_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)
#define QP_ACCESS                                           \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

extern struct rc dev;

/**
 * struct ways - what is unusual about a pair
 * @access: of the QPs, instead of QP_ACCESS
 * @no_access: the QPs allow nothing
 * @timeout: of an acknowledgment
 * @retry: how often to send again without one
 * @rnr_retry: how often to send again when the receiver was not ready
 * @sig_all: every send has a completion
 * @srq: where the second side receives
 * @channel: of the second side's CQ for receives
 * @vector: completion vector of that CQ
 */
struct ways {
	unsigned int access;
	bool no_access;
	uint8_t timeout, retry, rnr_retry;
	bool sig_all;
	struct ibv_srq *srq;
	struct ibv_comp_channel *channel;
	int vector;
};

struct side {
	enum ibv_qp_type type;
	struct ibv_cq *scq, *rcq;
	struct ibv_qp *qp;
	char *buf;
	struct ibv_mr *mr;
};

struct pair {
	struct side a, b;
};

/* A work request of one piece of memory. */
struct work {
	struct ibv_send_wr wr;
	struct ibv_sge sge;
};

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *error_name(int err);
const char *made(const void *object);
void say_made(const char *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *state_name(enum ibv_qp_state state);
const char *yes(bool is);

/*
 * Make an object, say whether that worked, and destroy it: what was made is a
 * printf format, which comes last.
 */
#define TRY(create, destroy, ...)                     \
	do {                                          \
		errno = 0;                            \
		__auto_type object_ = (create);       \
		say_made(made(object_), __VA_ARGS__); \
		if (object_)                          \
			destroy(object_);             \
	} while (0)

bool wait_wc(struct ibv_cq *cq, struct ibv_wc *wc);
bool no_wc(struct ibv_cq *cq);
void must_succeed(struct ibv_cq *cq);
const char *wc_text(const struct ibv_wc *wc, const struct ibv_qp *qp);
const char *next_wc(struct ibv_cq *cq, const struct ibv_qp *qp);
void say_wc(const char *what, struct ibv_cq *cq, const struct ibv_qp *qp);
void say_events(const char *what, const void *object, double wait, bool count);
void say_fate(const char *what, struct pair *p);
bool wait_readable(int fd, double seconds);
const void *event_object(const struct ibv_async_event *event);

int to_init(struct side *s, const struct ways *w);
int to_rtr(struct side *s, uint32_t peer);
int to_rts(struct side *s, const struct ways *w);
int to_state(struct ibv_qp *qp, enum ibv_qp_state state);
enum ibv_qp_state state_of(struct ibv_qp *qp);
void own_ah_attr(struct ibv_ah_attr *attr);
struct ibv_ah *own_ah(void);

struct ibv_mr *side_register(struct side *s);
void side_open(struct side *s, enum ibv_qp_type type, const struct ways *w);
void side_connect(struct side *s, uint32_t peer, const struct ways *w);
void side_close(struct side *s);
void pair_open(struct pair *p, enum ibv_qp_type type, const struct ways *w);
void pair_close(struct pair *p);

void work_local(struct work *w, struct side *s, uint64_t id,
		enum ibv_wr_opcode opcode, size_t at, size_t length);
void work_remote(struct work *w, struct side *to, size_t at);
void work_ud(struct work *w, struct side *to, struct ibv_ah *ah);
int work_post(struct side *s, struct work *w);
int recv_post(struct side *s, uint64_t id, size_t at, size_t length);
int srq_post(struct ibv_srq *srq, struct side *s, uint64_t id, size_t at,
	     size_t length);
void say_work(const char *what, struct side *s, struct work *w);
void must_post(int err);

void fill(struct side *s, size_t at, size_t length, uint64_t seed);
const char *filled(struct side *s, size_t at, size_t length, uint64_t seed);

void suite_device(void);
void suite_arguments(void);
void suite_qp(void);
void suite_rc(void);
void suite_uc(void);
void suite_ud(void);
void suite_mcast(void);
void suite_cq(void);
void suite_overrun(void);
void suite_events(void);
void suite_async(void);
void suite_srq(void);
void suite_wr(void);
void suite_mr(void);
void suite_rereg(void);
void suite_mw(void);
void suite_mwerrors(void);
void suite_errors(void);
void suite_flush(void);
void suite_contexts(void);
void suite_others(void);
void suite_fork(void);

#endif /* VERBS_H */
