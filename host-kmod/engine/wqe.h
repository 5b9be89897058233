/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work requests, independent of their format in memory. mlx5_wqe.c and mlx5_recv.h
 * decode them from private copies.
 */
#ifndef ENG_WQE_H
#define ENG_WQE_H

#include "engine.h"

/* In this order: not for the peer, sends, others. */
enum eng_opcode {
	ENG_OP_NOP,
	ENG_OP_UMR,		/* change a memory window */
	ENG_OP_SEND,
	ENG_OP_SEND_IMM,
	ENG_OP_SEND_INVAL,
	ENG_OP_WRITE,
	ENG_OP_WRITE_IMM,
	ENG_OP_READ,
	ENG_OP_CMP_SWAP,
	ENG_OP_FETCH_ADD,
};

/* A change of a memory window. */
struct eng_umr {
	u32 key;
	bool bind;		/* or unbind, then only the checks matter */
	bool check_free;	/* it must not be bound */
	bool check_qpn;		/* it must be bound for this QP */
	u8 variant;		/* new one of the key */
	u32 qpn;		/* that may use it; or ENG_ANY_QPN */
	u32 access;
	u64 start;
	u64 length;
	u32 target;
	u64 target_start;
};

struct eng_op {
	enum eng_opcode code;
	u8 wire_opcode;		/* as in the request, for the completion */
	/* Set by those who fetch it: */
	u16 index;		/* block of the send queue */
	u16 blocks;
	bool signalled;
	bool solicited;
	__be32 imm;		/* immediate data or key to invalidate */
	u64 length;
	u8 *inline_data;	/* or NULL: sge */
	u32 nr_sge;
	u64 raddr;
	u32 rkey;
	u64 swap_add;
	u64 compare;
	u32 srqn;		/* XRC */
	/* UD */
	u32 dqpn;
	u32 qkey;
	struct eng_av av;
	/* UMR */
	struct eng_umr umr;
};

/* A request for a receive, whose segments are elsewhere. */
struct eng_recv {
	u16 index;
	u32 pdn;		/* of the queue that it is from */
	u32 nr_sge;
	u64 length;
};

/*
 * Decode the send request @wqe, of as many blocks as eng_mlx5_send_blocks() said, at
 * block @op->index of @qp's queue, into @op and @sge, which has ENG_MAX_SGE elements.
 * Returns ENG_SYND_OK or the syndrome of a local error.
 */
int eng_mlx5_decode_send(const struct eng_qp *qp, void *wqe, struct eng_op *op,
			 struct eng_sge *sge);

#endif /* ENG_WQE_H */
