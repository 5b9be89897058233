/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The formats of mlx5 that the engine reads and writes; all fields are big endian.
 */
#ifndef ENG_MLX5_FMT_H
#define ENG_MLX5_FMT_H

#include "eng_port.h"

/* Doorbell records. */
#define ENG_REC_RECV		0	/* receive queue, SRQ: requests posted */
#define ENG_REC_SEND		1	/* send queue: basic blocks posted */
#define ENG_REC_CONSUMED	0	/* CQ: entries consumed, 24 bits */
#define ENG_REC_ARM		1	/* CQ: arming */

#define ENG_ARM_SOLICITED	BIT(24)
#define ENG_ARM_SEQUENCE_SHIFT	28
#define ENG_CI_MASK		0xffffffU

#define ENG_BB			64	/* bytes of a basic block */
#define ENG_DS			16	/* unit of the size of a send request */

enum eng_mlx5_opcode {
	ENG_MLX5_NOP		= 0x00,
	ENG_MLX5_SEND_INVAL	= 0x01,
	ENG_MLX5_RDMA_WRITE	= 0x08,
	ENG_MLX5_RDMA_WRITE_IMM	= 0x09,
	ENG_MLX5_SEND		= 0x0a,
	ENG_MLX5_SEND_IMM	= 0x0b,
	ENG_MLX5_RDMA_READ	= 0x10,
	ENG_MLX5_ATOMIC_CS	= 0x11,
	ENG_MLX5_ATOMIC_FA	= 0x12,
	ENG_MLX5_UMR		= 0x25,
};

struct eng_mlx5_ctrl {
	__be32 opmod_idx_opcode;
	__be32 qpn_ds;
	u8 signature;
	u8 rsvd[2];
	u8 fm_ce_se;
	__be32 imm;
};

/*
 * The number of blocks of the send request that begins with the block @wqe, or 0 if
 * that is not valid.
 */
static inline u32 eng_mlx5_send_blocks(const void *wqe)
{
	const struct eng_mlx5_ctrl *ctrl = wqe;
	u32 ds = be32_to_cpu(ctrl->qpn_ds) & 0x3f;

	return (ds * ENG_DS + ENG_BB - 1) / ENG_BB;
}

#define ENG_CTRL_SOLICITED	BIT(1)
#define ENG_CTRL_CQ_UPDATE	(2U << 2)

struct eng_mlx5_raddr {
	__be64 raddr;
	__be32 rkey;
	__be32 rsvd;
};

struct eng_mlx5_xrc {
	__be32 srqn;
	u8 rsvd[12];
};

struct eng_mlx5_atomic {
	__be64 swap_add;
	__be64 compare;
};

struct eng_mlx5_data {
	__be32 byte_count;
	__be32 lkey;
	__be64 addr;
};

#define ENG_INLINE		BIT(31)	/* in byte_count; data follow */
#define ENG_LKEY_END		0x100		/* with byte_count 0 */

struct eng_mlx5_umr {
	u8 flags;
	u8 rsvd0[3];
	__be16 klm_octowords;
	__be16 translation_offset;
	__be64 mkey_mask;
	u8 rsvd1[32];
};

#define ENG_UMR_INLINE		BIT(7)
#define ENG_UMR_CHECK_FREE	BIT(5)
#define ENG_UMR_OFFSET		BIT(4)
#define ENG_UMR_CHECK_QPN	BIT(3)

#define ENG_UMR_MASK_LENGTH	BIT(0)
#define ENG_UMR_MASK_START	BIT(6)
#define ENG_UMR_MASK_KEY	BIT(13)
#define ENG_UMR_MASK_QPN	BIT(14)
#define ENG_UMR_MASK_ACCESS	(BIT(18) | BIT(19) | BIT(20) | BIT(21))
#define ENG_UMR_MASK_FREE	BIT(29)

struct eng_mlx5_mkey {
	u8 free;
	u8 rsvd0;
	u8 access;
	u8 sf;
	__be32 qpn_mkey;
	__be32 rsvd1;
	__be32 flags_pd;
	__be64 start;
	__be64 length;
	u8 rsvd2[32];
};

#define ENG_MKEY_FREE		BIT(6)
#define ENG_MKEY_ATOMIC		BIT(6)
#define ENG_MKEY_REMOTE_WRITE	BIT(5)
#define ENG_MKEY_REMOTE_READ	BIT(4)

struct eng_mlx5_av {
	__be32 qkey;
	__be32 rsvd0;
	__be32 dqpn;
	u8 stat_rate_sl;
	u8 fl_mlid;
	__be16 rlid;
	u8 rsvd1[4];
	u8 rmac[6];
	u8 tclass;
	u8 hop_limit;
	__be32 grh_gid_fl;
	u8 rgid[16];
};

struct eng_mlx5_srq_next {
	u8 rsvd0[2];
	__be16 next_wqe_index;
	u8 signature;
	u8 rsvd1[11];
};

struct eng_mlx5_cqe {
	u8 rsvd0[22];
	__be16 slid;
	__be32 flags_rqpn;
	u8 rsvd1[4];
	__be32 srqn_uidx;
	__be32 imm_inval_pkey;
	u8 rsvd2[4];
	__be32 byte_cnt;
	__be64 timestamp;
	__be32 sop_drop_qpn;
	__be16 wqe_counter;
	u8 signature;
	u8 op_own;
};

/* An error entry has these in place of the timestamp. */
#define ENG_CQE_SYNDROME_OFFSET	55

#define ENG_CQE_GRH		BIT(28)	/* in flags_rqpn */

enum eng_mlx5_cqe_op {
	ENG_CQE_REQ		= 0,
	ENG_CQE_RESP_WR_IMM	= 1,
	ENG_CQE_RESP_SEND	= 2,
	ENG_CQE_RESP_SEND_IMM	= 3,
	ENG_CQE_RESP_SEND_INV	= 4,
	ENG_CQE_RESIZE		= 5,
	ENG_CQE_REQ_ERR		= 13,
	ENG_CQE_RESP_ERR	= 14,
	ENG_CQE_INVALID		= 15,
};

enum eng_syndrome {
	ENG_SYND_OK		= 0,
	ENG_SYND_LOCAL_LENGTH	= 0x01,
	ENG_SYND_LOCAL_QP_OP	= 0x02,
	ENG_SYND_LOCAL_PROT	= 0x04,
	ENG_SYND_FLUSH		= 0x05,
	ENG_SYND_BIND		= 0x06,
	ENG_SYND_LOCAL_ACCESS	= 0x11,
	ENG_SYND_REMOTE_INVAL	= 0x12,
	ENG_SYND_REMOTE_ACCESS	= 0x13,
	ENG_SYND_REMOTE_OP	= 0x14,
	ENG_SYND_RETRY_EXC	= 0x15,
	ENG_SYND_RNR_EXC	= 0x16,
};

#endif /* ENG_MLX5_FMT_H */
