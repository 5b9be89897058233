// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decode send requests of mlx5's format. All input is private memory.
 */
#include "mlx5_fmt.h"
#include "wqe.h"

/* The rest of a send request. */
struct cursor {
	u8 *at;
	u32 left;		/* bytes */
};

static void *eng_take(struct cursor *c, u32 bytes)
{
	void *at = c->at;

	if (c->left < bytes)
		return NULL;
	c->at += bytes;
	c->left -= bytes;
	return at;
}

#define RELIABLE	(BIT(ENG_RC) | BIT(ENG_XRC_INI))
#define CONNECTED	(RELIABLE | BIT(ENG_UC))
#define ALL		(CONNECTED | BIT(ENG_UD))

/* Meaning of the opcodes, and the types of QPs that have them */
static const struct {
	u8 code;
	u8 types;
} opcodes[256] = {
	[ENG_MLX5_NOP] = { ENG_OP_NOP, ALL },
	[ENG_MLX5_UMR] = { ENG_OP_UMR, CONNECTED },
	[ENG_MLX5_SEND] = { ENG_OP_SEND, ALL },
	[ENG_MLX5_SEND_IMM] = { ENG_OP_SEND_IMM, ALL },
	[ENG_MLX5_SEND_INVAL] = { ENG_OP_SEND_INVAL, RELIABLE },
	[ENG_MLX5_RDMA_WRITE] = { ENG_OP_WRITE, CONNECTED },
	[ENG_MLX5_RDMA_WRITE_IMM] = { ENG_OP_WRITE_IMM, CONNECTED },
	[ENG_MLX5_RDMA_READ] = { ENG_OP_READ, RELIABLE },
	[ENG_MLX5_ATOMIC_CS] = { ENG_OP_CMP_SWAP, RELIABLE },
	[ENG_MLX5_ATOMIC_FA] = { ENG_OP_FETCH_ADD, RELIABLE },
};

static bool eng_is_rdma(enum eng_opcode code)
{
	return code >= ENG_OP_WRITE;
}

static bool eng_is_atomic(enum eng_opcode code)
{
	return code == ENG_OP_CMP_SWAP || code == ENG_OP_FETCH_ADD;
}

static int eng_decode_av(struct cursor *c, struct eng_op *op)
{
	const struct eng_mlx5_av *av = eng_take(c, sizeof(*av));
	u32 grh;

	if (!av)
		return ENG_SYND_LOCAL_QP_OP;
	grh = be32_to_cpu(av->grh_gid_fl);
	op->dqpn = be32_to_cpu(av->dqpn) & (ENG_MAX_IDS - 1);
	op->qkey = be32_to_cpu(av->qkey);
	memcpy(op->av.dgid, av->rgid, sizeof(op->av.dgid));
	op->av.sgid_index = (grh >> 20) & 0xff;
	op->av.flow_label = grh & 0xfffff;
	op->av.tclass = av->tclass;
	op->av.hop_limit = av->hop_limit;
	return ENG_SYND_OK;
}

static int eng_decode_xrc(struct cursor *c, struct eng_op *op)
{
	const struct eng_mlx5_xrc *xrc = eng_take(c, sizeof(*xrc));

	if (!xrc)
		return ENG_SYND_LOCAL_QP_OP;
	op->srqn = be32_to_cpu(xrc->srqn) & (ENG_MAX_IDS - 1);
	return ENG_SYND_OK;
}

static int eng_decode_remote(struct cursor *c, struct eng_op *op)
{
	const struct eng_mlx5_raddr *raddr = eng_take(c, sizeof(*raddr));
	const struct eng_mlx5_atomic *atomic;

	if (!raddr)
		return ENG_SYND_LOCAL_QP_OP;
	op->raddr = be64_to_cpu(raddr->raddr);
	op->rkey = be32_to_cpu(raddr->rkey);
	if (!eng_is_atomic(op->code))
		return ENG_SYND_OK;
	atomic = eng_take(c, sizeof(*atomic));
	if (!atomic)
		return ENG_SYND_LOCAL_QP_OP;
	op->swap_add = be64_to_cpu(atomic->swap_add);
	op->compare = be64_to_cpu(atomic->compare);
	return ENG_SYND_OK;
}

static u32 eng_mkey_access(u8 access)
{
	return (access & ENG_MKEY_REMOTE_WRITE ? ENG_REMOTE_WRITE : 0) |
	       (access & ENG_MKEY_REMOTE_READ ? ENG_REMOTE_READ : 0) |
	       (access & ENG_MKEY_ATOMIC ? ENG_REMOTE_ATOMIC : 0);
}

/*
 * A request that changes a key in any other way than to bind or to unbind a memory
 * window would have other bits.
 */
static int eng_decode_umr(struct cursor *c, struct eng_op *op)
{
	const u64 always = ENG_UMR_MASK_FREE | ENG_UMR_MASK_KEY;
	const u64 bind = ENG_UMR_MASK_LENGTH | ENG_UMR_MASK_START |
			 ENG_UMR_MASK_ACCESS;
	const u8 flags = ENG_UMR_INLINE | ENG_UMR_CHECK_FREE | ENG_UMR_OFFSET |
			 ENG_UMR_CHECK_QPN;
	const struct eng_mlx5_umr *ctrl = eng_take(c, sizeof(*ctrl));
	const struct eng_mlx5_mkey *mkey = eng_take(c, sizeof(*mkey));
	const struct eng_mlx5_data *target;
	struct eng_umr *umr = &op->umr;
	u32 qpn_mkey;
	u64 mask;

	if (!ctrl || !mkey)
		return ENG_SYND_LOCAL_QP_OP;
	mask = be64_to_cpu(ctrl->mkey_mask) & ~(u64)ENG_UMR_MASK_QPN;
	qpn_mkey = be32_to_cpu(mkey->qpn_mkey);
	umr->key = be32_to_cpu(op->imm);
	umr->bind = mask == (always | bind);
	umr->check_free = ctrl->flags & ENG_UMR_CHECK_FREE;
	umr->check_qpn = ctrl->flags & ENG_UMR_CHECK_QPN;
	umr->variant = qpn_mkey;
	umr->qpn = qpn_mkey >> 8;
	umr->access = eng_mkey_access(mkey->access);
	umr->start = be64_to_cpu(mkey->start);
	umr->length = be64_to_cpu(mkey->length);
	if ((!umr->bind && mask != always) ||
	    !umr->bind != !!(mkey->free & ENG_MKEY_FREE) ||
	    (ctrl->flags & ~flags) || ctrl->translation_offset)
		return ENG_SYND_LOCAL_QP_OP;
	if (!umr->bind)
		return ENG_SYND_OK;
	target = eng_take(c, sizeof(*target));
	if (!target || !(ctrl->flags & ENG_UMR_INLINE) ||
	    be32_to_cpu(target->byte_count) != umr->length)
		return ENG_SYND_LOCAL_QP_OP;
	umr->target = be32_to_cpu(target->lkey);
	umr->target_start = be64_to_cpu(target->addr);
	return ENG_SYND_OK;
}

static int eng_decode_inline(struct cursor *c, struct eng_op *op)
{
	const struct eng_mlx5_data *data = (void *)c->at;
	u32 bytes = be32_to_cpu(data->byte_count) & ~ENG_INLINE;

	if (op->code == ENG_OP_READ || eng_is_atomic(op->code))
		return ENG_SYND_LOCAL_QP_OP;
	eng_take(c, sizeof(data->byte_count));
	op->inline_data = eng_take(c, bytes);
	if (!op->inline_data)
		return ENG_SYND_LOCAL_QP_OP;
	op->length = bytes;
	return ENG_SYND_OK;
}

static int eng_decode_data(struct cursor *c, struct eng_op *op, struct eng_sge *sge)
{
	u64 length = 0;
	u32 nr = 0;

	for (; c->left >= sizeof(struct eng_mlx5_data); nr++, sge++) {
		const struct eng_mlx5_data *data = (void *)c->at;
		u32 bytes = be32_to_cpu(data->byte_count);

		/* One, and nothing else: that is what providers write. */
		if (bytes & ENG_INLINE)
			return nr ? ENG_SYND_LOCAL_QP_OP :
				    eng_decode_inline(c, op);
		eng_take(c, sizeof(*data));
		sge->lkey = be32_to_cpu(data->lkey);
		if (!bytes && sge->lkey == ENG_LKEY_END)
			break;
		sge->addr = be64_to_cpu(data->addr);
		/* 0 means 2 GiB. */
		sge->length = bytes ? bytes : ENG_MAX_MSG;
		length += sge->length;
	}
	op->nr_sge = nr;
	op->length = length;
	return length > ENG_MAX_MSG ? ENG_SYND_LOCAL_LENGTH : ENG_SYND_OK;
}

int eng_mlx5_decode_send(const struct eng_qp *qp, void *wqe, struct eng_op *op,
			 struct eng_sge *sge)
{
	const struct eng_mlx5_ctrl *ctrl = wqe;
	u32 word = be32_to_cpu(ctrl->opmod_idx_opcode);
	u32 qpn_ds = be32_to_cpu(ctrl->qpn_ds);
	struct cursor c = { wqe, (qpn_ds & 0x3f) * ENG_DS };
	u8 opcode = word;
	int ret;

	op->wire_opcode = opcode;
	op->signalled = qp->init.sig_all ||
			(ctrl->fm_ce_se & (3U << 2)) == ENG_CTRL_CQ_UPDATE;
	op->solicited = ctrl->fm_ce_se & ENG_CTRL_SOLICITED;
	op->imm = ctrl->imm;
	op->length = 0;
	op->inline_data = NULL;
	op->nr_sge = 0;

	if (!eng_take(&c, sizeof(*ctrl)) || word >> 24 ||
	    ((word >> 8) & 0xffff) != op->index || qpn_ds >> 8 != qp->init.qpn ||
	    !(opcodes[opcode].types & BIT(qp->init.type)))
		return ENG_SYND_LOCAL_QP_OP;
	op->code = opcodes[opcode].code;
	/* These have no segment for an SRQ, on a QP of XRC either. */
	if (op->code < ENG_OP_SEND)
		return op->code == ENG_OP_UMR ? eng_decode_umr(&c, op) :
						ENG_SYND_OK;
	if (qp->init.type == ENG_XRC_INI) {
		ret = eng_decode_xrc(&c, op);
		if (ret)
			return ret;
	}
	if (qp->init.type == ENG_UD) {
		ret = eng_decode_av(&c, op);
		if (ret)
			return ret;
	}
	if (eng_is_rdma(op->code)) {
		ret = eng_decode_remote(&c, op);
		if (ret)
			return ret;
	}
	ret = eng_decode_data(&c, op, sge);
	if (ret)
		return ret;
	if (eng_is_atomic(op->code) && op->length != sizeof(u64))
		return ENG_SYND_LOCAL_LENGTH;
	return ENG_SYND_OK;
}
