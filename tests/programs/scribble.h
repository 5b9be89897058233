/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the program scribble: a process that writes anything
 * into the queues that it shares with hyvs.ko.
 *
 * Its threads change each other's memory all the time and without locks. What
 * they read is never trusted.
 */
#ifndef SCRIBBLE_H
#define SCRIBBLE_H

#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <stdatomic.h>

#include "rc.h"

#define CONTEXTS 2
#define QPS	 16
#define CQS	 3 /* of a context: of send queues, receive queues, SRQs */
#define SLOTS	 6 /* of a context: memory with keys */
#define SAFE	 2 /* of them: with all rights, and never changed */
#define WINDOWS	 2 /* of a context; the last one of one QP only */
#define SRQS	 2 /* of a context; the second one is of an XRC domain */

#define SLOT_BYTES (192UL << 10)
#define SQ_BLOCKS  1024U
#define RQ_DEPTH   256U
#define CQ_DEPTH   4096U
#define CQ_BYTES   (CQ_DEPTH * 64U)
#define WQE_BYTES  1024U

/* Two steps of a copy, and a part of one. */
#define THEIR_BYTES (160UL << 10)
#define QKEY	    0x11111111U
#define NOBODY	    0xffffffU /* number of no QP */

#define ALL_RIGHTS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

enum type { RC, UC, UD, XRC, TARGET, TYPES };

/* How wrong requests are. */
enum kind { GOOD, MUTATED, RANDOM, KINDS };

enum act {
	ACT_REGISTER,
	ACT_REREGISTER,
	ACT_REPLACE,  /* memory below a key */
	ACT_WINDOW,   /* deallocated and allocated */
	ACT_SRQ,      /* the same */
	ACT_QUERY,    /* queries, and limits of SRQs */
	ACT_RESIZE,   /* CQs */
	ACT_SCRIBBLE, /* from here on: of other threads */
	ACT_UAR,
	ACT_CONNECT,
	ACT_RECREATE, /* QPs */
	ACTS,
};

/* Acts of all processes, in memory that they share. */
struct tally {
	atomic_ulong posted[TYPES][256]; /* requests that are not random */
	atomic_ulong done[TYPES][256];	 /* in good bursts, by their opcodes */
	atomic_ulong kinds[KINDS];
	atomic_ulong completions, errors[256];
	atomic_ulong events, async;
	atomic_ulong acts[ACTS];
	atomic_ulong verified; /* transfers of neighbours in these processes */
};

extern struct tally *tally;

static inline void count(atomic_ulong *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Memory of a context with a key, which comes and goes. */
struct slot {
	uint8_t *base;
	struct ibv_mr *mr;
	atomic_uint key;
};

struct window {
	struct ibv_mw *mw;
	atomic_uint rkey;
};

struct srq {
	struct ibv_srq *srq;
	struct mlx5dv_srq dv;
	uint32_t srqn;
};

struct cq {
	struct ibv_cq *cq;
	struct mlx5dv_cq dv;
	uint8_t *ring[2]; /* others than its first one */
	uint32_t consumed;
};

/* A send queue and its QP; written by the thread that posts to it. */
struct qp {
	struct ibv_qp *qp; /* of those who have process.connecting */
	atomic_uint qpn;
	enum type type;
	unsigned int context, peer;
	bool shared; /* it has an SRQ */
	bool bound;  /* its window, which nobody else has */
	struct mlx5dv_qp dv;
	uint16_t posted;
	/* The burst that is under way. */
	atomic_bool busy, failed;
	bool good;
	uint16_t last; /* its last request */
	double since;
	unsigned int opcodes[256];
};

/* A context, and the objects that it has. */
struct ctx {
	unsigned int number;
	struct rc rc;
	struct ibv_pd *pd;     /* that has the memory of queues from us */
	struct ibv_xrcd *xrcd; /* or NULL: not all HCAs have XRC */
	struct ibv_comp_channel *channel;
	struct cq cq[CQS];
	struct ibv_cq *idle; /* in which nobody writes */
	struct srq srq[SRQS];
	struct slot slot[SLOTS];
	struct window window[WINDOWS];
	struct ibv_mr *queues; /* all of them, as memory for requests */
	struct ibv_ah *ah;
	struct mlx5_wqe_av av; /* of it */
	uint64_t seed;
};

/* All of a process. */
struct process {
	struct ctx ctx[CONTEXTS];
	struct qp qp[QPS];
	uint8_t *queues; /* memory of all queues and records */
	size_t queue_bytes;
	pthread_mutex_t connecting; /* while QPs change */
	/* A neighbour with another PD, for which it is not safe to be here. */
	struct rc neighbour;
	struct ibv_mr *theirs[2];
	atomic_bool stop;
};

extern struct process process;
extern const union ibv_gid group; /* that UD QPs are in */

struct wqe {
	union {
		uint8_t bytes[WQE_BYTES];
		struct mlx5_wqe_ctrl_seg ctrl;
	};
	uint32_t ds; /* valid ones */
};

static inline uint32_t below(uint64_t *seed, uint32_t n)
{
	return (uint32_t)(random_next(seed) >> 32) % n;
}

static inline bool one_in(uint64_t *seed, uint32_t n)
{
	return !below(seed, n);
}

/* scribble_wqe.c */
void wqe_good(struct wqe *wqe, struct qp *qp, uint64_t *seed);
void wqe_mutate(struct wqe *wqe, uint64_t *seed);
void wqe_random(struct wqe *wqe, uint64_t *seed);
void recv_fill(void *at, uint32_t bytes, const struct ctx *ctx, bool good,
	       uint64_t *seed);

/* scribble_queue.c */
void queue_fill(struct qp *qp, uint64_t *seed);
void queue_serve(struct qp *qp, double time, uint64_t *seed);
bool cq_drain(struct ctx *ctx, struct cq *cq, uint64_t *seed);
void cq_arm(const struct cq *cq, uint64_t *seed);

/* scribble_objects.c */
void objects_create(uint64_t seed);
void objects_destroy(void);
void *queue_alloc(size_t size);
void slot_register(struct ctx *ctx, struct slot *slot, int access);
void window_alloc(struct ctx *ctx, struct window *window);
void srq_open(struct ctx *ctx, unsigned int i);
bool qp_connect(struct qp *qp, uint64_t *seed);

/* scribble_acts.c: threads, whose argument is a context, or NULL */
void *event_loop(void *arg);
void *churn_loop(void *arg);
void *scribble_loop(void *arg);

#endif /* SCRIBBLE_H */
