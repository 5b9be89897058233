/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A world for tests of the engine: processes with memory, queues and keys, a
 * clock, and a log of completions and events. Work requests and completions
 * have the structures of rdma-core's mlx5dv.h, which the engine does not know.
 */
#ifndef WORLD_H
#define WORLD_H

#include <infiniband/mlx5dv.h>
#include <stdio.h>

#include "engine.h"

#define WORLD_PAGE 4096
#define WORLD_XRCD 77

struct world {
	struct eng eng;
	struct eng_worker worker;
	u64 now;
	u32 next_id;
	u32 owner;     /* of all addresses of UD messages */
	bool paths;    /* UD messages arrive */
	bool quiet;    /* several threads: no log */
	bool no_rings; /* workers find requests when they look for them */
	void (*on_wake)(struct eng_worker *worker); /* or NULL */
	struct eng_worker *other; /* deleted with the world; or NULL */
	struct cq *cqs;
	struct qp *qps;
	struct srq *srqs;
	struct key *keys;
	struct buf *bufs;
	char log[16384];
	size_t logged;
};

/* Memory in pages that are not neighbours. */
struct buf {
	struct buf *next;
	u64 va;
	struct eng_mem mem;
};

struct key {
	struct key *next;
	struct eng_key eng;
};

struct cq {
	struct cq *next;
	struct eng_cq eng;
	struct buf *ring, *record;
	u32 id, entries, shift, consumed;
	bool gone;
};

struct srq {
	struct srq *next;
	struct eng_srq eng;
	struct buf *ring, *record;
	u32 id;
	u16 posted;
	bool gone;
};

struct qp {
	struct qp *next;
	struct eng_qp eng;
	struct buf *ring, *record;
	u16 sq_posted, rq_posted;
	bool gone;
};

/* The rest of a request that changes a memory window, after its head. */
struct umr {
	struct mlx5_wqe_umr_ctrl_seg ctrl;
	struct mlx5_wqe_mkey_context_seg mkey;
	struct mlx5_wqe_umr_klm_seg klm;
	u8 pad[48];
};

/* A send request; what is 0 is left out. */
struct wr {
	u8 opcode;
	u8 flags; /* fm_ce_se */
	u32 imm;
	u64 raddr;
	u32 rkey;
	u64 swap_add, compare;
	const void *inl;
	u32 inl_len;
	const struct sge *sge;
	int nr_sge;
	u32 srqn; /* XRC */
	/* UD */
	u32 dqpn, qkey;
	const u8 *gid;
	const struct umr *umr;
	/* Wrong on purpose. */
	u32 xor_word, xor_qpn_ds;
};

struct sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

#define SIGNALED  MLX5_WQE_CTRL_CQ_UPDATE
#define SOLICITED MLX5_WQE_CTRL_SOLICITED

struct world *world_create(void);
void world_destroy(struct world *w);
/* Destroy its objects and workers, and begin again. */
void world_renew(struct world *w);
/* Look at all records; true if there is work. */
bool world_scan(struct world *w);
/* Run until there is nothing to do, or it is only to be done later. */
void world_run(struct world *w);
/* Let time pass, in steps of @step ns, with runs. */
void world_sleep(struct world *w, u64 ns, u64 step);
void world_logf(struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Poll all CQs; compare and empty the log. */
void expect(struct world *w, const char *what, const char *log);

struct buf *buf_create(struct world *w, u64 bytes, u64 offset);
void buf_write(struct buf *b, u64 offset, const void *from, u64 n);
void buf_read(struct buf *b, u64 offset, void *to, u64 n);
void *buf_at(struct buf *b, u64 offset);
struct key *key_create(struct world *w, struct buf *b, u32 pdn, u32 access);
struct key *window_create(struct world *w, u32 pdn);
void key_destroy(struct world *w, struct key *key);

struct cq *cq_create(struct world *w, u32 entries, u32 size);
void cq_arm(struct cq *cq, u32 sequence, bool solicited);
/* Poll one CQ; with @consume, tell the HCA. */
void cq_poll(struct world *w, struct cq *cq, bool consume);
struct srq *srq_create(struct world *w, u32 entries, u32 pdn);
/* With @cq, it is of the only XRC domain. */
struct srq *xrc_srq_create(struct world *w, u32 entries, u32 pdn,
			   struct cq *cq);
void srq_destroy(struct world *w, struct srq *srq);
void srq_post(struct srq *srq, u16 index, u16 next, const struct sge *sge,
	      int nr);

struct qp_opts {
	enum eng_qp_type type;
	struct cq *send_cq, *recv_cq;
	struct srq *srq;
	u32 pdn, sq_entries, rq_entries, net, owner;
	bool no_sq;
	struct eng_worker *worker; /* NULL: the one of the world */
};

struct qp *qp_create(struct world *w, const struct qp_opts *opts);
void qp_destroy(struct world *w, struct qp *qp);
/* Connect two QPs (or one with itself), in RTS, with all rights. */
void qp_connect(struct qp *a, struct qp *b);
/* Reset a QP, whose queues are empty then, and connect it again as before. */
void qp_reset(struct qp *qp, struct qp *peer);
void qp_state(struct qp *qp, enum eng_qp_state state);
void qp_set(struct qp *qp, u32 mask, const struct eng_qp_attr *attr);
/* Write a request into the send queue and ring. */
void qp_post(struct world *w, struct qp *qp, const struct wr *wr);
void qp_post_recv(struct qp *qp, const struct sge *sge, int nr);
void qp_ring(struct world *w, struct qp *qp, u16 posted);
/* The request of ibv_bind_mw() or of a work request to bind a window. */
struct umr umr_bind(u32 rkey, u32 qpn, u8 access, const struct sge *to);
/* With @qpn, of a window that is for one QP. */
struct umr umr_unbind(bool qpn);

/* --- Results; of the program that has the world --- */

void test_case(const char *name);
void test_check(bool ok, const char *file, int line, const char *what);

#define CHECK(x) test_check(x, __FILE__, __LINE__, #x)

#endif /* WORLD_H */
