/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions in the format of mlx5. mlx5_cqe.c encodes those that are rare.
 */
#ifndef ENG_CQE_H
#define ENG_CQE_H

#include "mlx5_fmt.h"
#include "wqe.h"

/* Version 1 of the format. cq.c sets the owner bit. */
static inline void eng_cqe_init(struct eng_mlx5_cqe *cqe,
				const struct eng_qp *qp,
				enum eng_mlx5_cqe_op op, u8 wire_opcode,
				u16 index)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = cpu_to_be32(qp->init.user_index);
	cqe->sop_drop_qpn = cpu_to_be32((u32)wire_opcode << 24 | qp->init.qpn);
	cqe->wqe_counter = cpu_to_be16(index);
	cqe->op_own = op << 4;
}

static inline void eng_cqe_set_syndrome(struct eng_mlx5_cqe *cqe,
					int syndrome)
{
	((u8 *)cqe)[ENG_CQE_SYNDROME_OFFSET] = syndrome;
}

/* The send request @op has ended with @syndrome. */
static inline void eng_mlx5_cqe_send(struct eng_mlx5_cqe *cqe,
				     const struct eng_qp *qp,
				     const struct eng_op *op, u64 length,
				     int syndrome)
{
	eng_cqe_init(cqe, qp, syndrome ? ENG_CQE_REQ_ERR : ENG_CQE_REQ,
		     op->wire_opcode, op->index);
	cqe->byte_cnt = cpu_to_be32(length);
	if (syndrome)
		eng_cqe_set_syndrome(cqe, syndrome);
}

/* A message was received; @op is the peer's request, @src_qpn the peer. */
static inline void eng_mlx5_cqe_recv(struct eng_mlx5_cqe *cqe,
				     const struct eng_qp *qp,
				     const struct eng_op *op, u16 index,
				     u32 src_qpn)
{
	static const u8 codes[] = {
		[ENG_OP_SEND] = ENG_CQE_RESP_SEND,
		[ENG_OP_SEND_IMM] = ENG_CQE_RESP_SEND_IMM,
		[ENG_OP_SEND_INVAL] = ENG_CQE_RESP_SEND_INV,
		[ENG_OP_WRITE_IMM] = ENG_CQE_RESP_WR_IMM,
	};
	bool ud = qp->init.type == ENG_UD;

	eng_cqe_init(cqe, qp, codes[op->code], 0, index);
	if (op->code != ENG_OP_SEND)
		cqe->imm_inval_pkey = op->imm;
	cqe->byte_cnt = cpu_to_be32(op->length + (ud ? ENG_GRH_SIZE : 0));
	cqe->flags_rqpn = cpu_to_be32(src_qpn | (ud ? ENG_CQE_GRH : 0));
}

/* The completion is one of @srq, which is of an XRC domain. */
static inline void eng_mlx5_cqe_xrc(struct eng_mlx5_cqe *cqe,
				    const struct eng_srq *srq)
{
	cqe->srqn_uidx = cpu_to_be32(srq->attr.user_index);
}

void eng_mlx5_cqe_recv_error(struct eng_mlx5_cqe *cqe, const struct eng_qp *qp,
			     u16 index, int syndrome);
void eng_mlx5_cqe_resize(struct eng_mlx5_cqe *cqe);

#endif /* ENG_CQE_H */
