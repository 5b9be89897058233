// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests of scribble: valid ones of each opcode, what is almost valid,
 * and noise.
 */
#include <string.h>

#include "scribble.h"

#define MULTICAST 0xffffffU

/* Bytes at most of a message that a receive has room for. */
#define MESSAGE 32768U

static const uint8_t rc_opcodes[] = {
	MLX5_OPCODE_RDMA_WRITE, MLX5_OPCODE_RDMA_WRITE_IMM,
	MLX5_OPCODE_RDMA_READ,	MLX5_OPCODE_ATOMIC_CS,
	MLX5_OPCODE_ATOMIC_FA,	MLX5_OPCODE_SEND,
	MLX5_OPCODE_SEND_IMM,	MLX5_OPCODE_NOP,
	MLX5_OPCODE_UMR,	MLX5_OPCODE_SEND_INVAL,
};

static const uint8_t uc_opcodes[] = {
	MLX5_OPCODE_RDMA_WRITE, MLX5_OPCODE_RDMA_WRITE_IMM,
	MLX5_OPCODE_SEND,	MLX5_OPCODE_SEND_IMM,
	MLX5_OPCODE_NOP,	MLX5_OPCODE_UMR,
};

static const uint8_t ud_opcodes[] = {
	MLX5_OPCODE_SEND,
	MLX5_OPCODE_SEND_IMM,
	MLX5_OPCODE_NOP,
};

/* Is it connected with itself? Only then it can invalidate its own window. */
static bool is_alone(const struct qp *qp)
{
	return qp->type == RC && &process.qp[qp->peer] == qp;
}

static uint8_t any_opcode(struct qp *qp, uint64_t *seed)
{
	uint8_t opcode;

	switch (qp->type) {
	case UC:
		return uc_opcodes[below(seed, sizeof(uc_opcodes))];
	case UD:
		return ud_opcodes[below(seed, sizeof(ud_opcodes))];
	default:
		break;
	}
	opcode = rc_opcodes[below(seed, sizeof(rc_opcodes))];
	if (opcode != MLX5_OPCODE_UMR && opcode != MLX5_OPCODE_SEND_INVAL)
		return opcode;
	/* They wait for all workers. */
	if (!one_in(seed, 8))
		return MLX5_OPCODE_RDMA_WRITE;
	qp->bound = is_alone(qp) && !qp->bound;
	return is_alone(qp) && !qp->bound ? MLX5_OPCODE_SEND_INVAL
					  : MLX5_OPCODE_UMR;
}

/* Mostly short, so that there are many; sometimes more than a step. */
static uint32_t any_length(uint32_t most, uint64_t *seed)
{
	if (!one_in(seed, 64))
		most = 256;
	else if (!one_in(seed, 16))
		most = most < 8192 ? most : 8192;
	return 1 + below(seed, most);
}

static const struct slot *any_slot(const struct ctx *ctx, bool good,
				   uint64_t *seed)
{
	return &ctx->slot[below(seed, good ? SAFE : SLOTS)];
}

static void put_data(void *at, uint32_t length, const struct slot *slot,
		     uint64_t *seed)
{
	struct mlx5_wqe_data_seg *data = at;
	uint32_t offset = below(seed, (uint32_t)SLOT_BYTES - length);

	data->byte_count = htobe32(length);
	data->lkey = htobe32(slot->key);
	data->addr = htobe64((uintptr_t)slot->base + offset);
}

static uint8_t *put_remote(uint8_t *at, const struct qp *qp, uint8_t opcode,
			   uint32_t length, uint64_t *seed)
{
	const struct ctx *peer = &process.ctx[process.qp[qp->peer].context];
	const struct slot *slot = any_slot(peer, !one_in(seed, 4096), seed);
	uint32_t offset = below(seed, (uint32_t)SLOT_BYTES - length);
	struct mlx5_wqe_raddr_seg *raddr = (void *)at;
	struct mlx5_wqe_atomic_seg *atomic;
	bool atom = opcode == MLX5_OPCODE_ATOMIC_CS ||
		    opcode == MLX5_OPCODE_ATOMIC_FA;

	if (atom)
		offset &= ~7U;
	raddr->raddr = htobe64((uintptr_t)slot->base + offset);
	raddr->rkey = htobe32(slot->key);
	raddr->reserved = 0;
	at += sizeof(*raddr);
	if (!atom)
		return at;
	atomic = (void *)at;
	atomic->swap_add = random_next(seed);
	atomic->compare = 0;
	return at + sizeof(*atomic);
}

/* Bind a window, for this QP only or for all. */
static uint8_t *put_umr(struct wqe *wqe, uint8_t *at, const struct qp *qp,
			uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[qp->context];
	const struct slot *slot = any_slot(ctx, true, seed);
	uint32_t rkey = ctx->window[is_alone(qp)].rkey;
	uint32_t qpn = is_alone(qp) || one_in(seed, 2) ? qp->qpn : 0xffffff;
	uint32_t length = 4096, offset = below(seed, 65536);
	uint64_t start = (uintptr_t)slot->base + offset;
	struct mlx5_wqe_mkey_context_seg *mkey;
	struct mlx5_wqe_umr_ctrl_seg *ctrl = (void *)at;
	struct mlx5_wqe_umr_klm_seg *klm;

	memset(at, 0, sizeof(*ctrl) + sizeof(*mkey) + 64);
	wqe->ctrl.imm = htobe32(rkey);
	ctrl->flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
		      MLX5_WQE_UMR_CTRL_FLAG_INLINE;
	ctrl->klm_octowords = htobe16(2);
	ctrl->mkey_mask =
		htobe64(MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC |
			MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN);
	at += sizeof(*ctrl);
	mkey = (void *)at;
	mkey->access_flags = (uint8_t)below(seed, 256);
	mkey->qpn_mkey = htobe32(qpn << 8 | (rkey & 0xff));
	mkey->start_addr = htobe64(start);
	mkey->len = htobe64(length);
	at += sizeof(*mkey);
	klm = (void *)at;
	klm->byte_count = htobe32(length);
	klm->mkey = htobe32(slot->key);
	klm->address = htobe64(start);
	return at + 64;
}

static uint8_t *put_address(uint8_t *at, const struct qp *qp, uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[qp->context];
	struct mlx5_wqe_datagram_seg *ud = (void *)at;

	ud->av = ctx->av;
	ud->av.key.qkey.qkey = htobe32(QKEY);
	ud->av.dqp_dct =
		htobe32(process.qp[qp->peer].qpn | MLX5_EXTENDED_UD_AV);
	if (one_in(seed, 16)) {
		ud->av.dqp_dct = htobe32(MULTICAST | MLX5_EXTENDED_UD_AV);
		memcpy(ud->av.rgid, &group, sizeof(group));
	}
	return at + sizeof(*ud);
}

static uint8_t *put_inline(uint8_t *at, uint64_t *seed)
{
	uint32_t length = below(seed, 128), header;

	header = htobe32(length | MLX5_INLINE_SEG);
	memcpy(at, &header, sizeof(header));
	memset(at + sizeof(header), (int)length, length);
	return at + (sizeof(header) + length + 15) / 16 * 16;
}

static uint32_t longest(const struct qp *qp, uint8_t opcode)
{
	if (qp->type == UD)
		return 2048;
	switch (opcode) {
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return 8;
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		return MESSAGE;
	default:
		return (uint32_t)SLOT_BYTES - 1;
	}
}

/* The rest of a request that transfers data. */
static uint8_t *put_transfer(uint8_t *at, const struct qp *qp, uint8_t opcode,
			     uint64_t *seed)
{
	bool read = opcode == MLX5_OPCODE_RDMA_READ ||
		    opcode == MLX5_OPCODE_ATOMIC_CS ||
		    opcode == MLX5_OPCODE_ATOMIC_FA;
	bool rdma = read || opcode == MLX5_OPCODE_RDMA_WRITE ||
		    opcode == MLX5_OPCODE_RDMA_WRITE_IMM;
	const struct ctx *ctx = &process.ctx[qp->context];
	uint32_t most = longest(qp, opcode);
	uint32_t length = most == 8 ? 8 : any_length(most, seed);
	bool inl = !read && one_in(seed, 4);
	uint32_t piece;

	if (inl)
		length = 128;
	if (rdma)
		at = put_remote(at, qp, opcode, length, seed);
	if (inl)
		return put_inline(at, seed);
	while (length) {
		piece = one_in(seed, 2) || most == 8 ? length
						     : 1 + below(seed, length);
		/* There is room for that many. */
		if (piece < length / 4)
			piece = length;
		put_data(at, piece, any_slot(ctx, !one_in(seed, 4096), seed),
			 seed);
		length -= piece;
		at += sizeof(struct mlx5_wqe_data_seg);
	}
	return at;
}

/* The caller adds the index, and whether there is a completion. */
void wqe_good(struct wqe *wqe, struct qp *qp, uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[qp->context];
	const struct ctx *peer = &process.ctx[process.qp[qp->peer].context];
	uint8_t opcode = any_opcode(qp, seed);
	uint8_t *at = wqe->bytes + sizeof(wqe->ctrl);

	memset(&wqe->ctrl, 0, sizeof(wqe->ctrl));
	if (opcode == MLX5_OPCODE_SEND_INVAL)
		wqe->ctrl.imm = htobe32(ctx->window[1].rkey);
	if (opcode == MLX5_OPCODE_UMR) {
		at = put_umr(wqe, at, qp, seed);
	} else if (opcode != MLX5_OPCODE_NOP) {
		if (qp->type == XRC) {
			memset(at, 0, 16);
			*(uint32_t *)(void *)at = htobe32(peer->srq[1].srqn);
			at += 16;
		}
		if (qp->type == UD)
			at = put_address(at, qp, seed);
		at = put_transfer(at, qp, opcode, seed);
	}
	wqe->ds = (uint32_t)(at - wqe->bytes) / 16;
	wqe->ctrl.opmod_idx_opcode = htobe32(opcode);
	wqe->ctrl.qpn_ds = htobe32(qp->qpn << 8 | wqe->ds);
	if (one_in(seed, 16))
		wqe->ctrl.fm_ce_se = (uint8_t)below(seed, 256);
}

static uint32_t evil32(uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[below(seed, CONTEXTS)];
	static const uint32_t values[] = {
		0,	    1,		7,	    8,
		0x100,	    0xffff,	0x10000,    0x7fffffff,
		0x80000000, 0x80000001, 0x800003ff, 0xffffffff,
	};

	switch (below(seed, 8)) {
	case 0:
		return (uint32_t)random_next(seed);
	case 1:
		return ctx->slot[below(seed, SLOTS)].key;
	case 2:
		return ctx->slot[below(seed, SLOTS)].key ^
		       1U << below(seed, 32);
	case 3:
		return ctx->window[below(seed, WINDOWS)].rkey;
	case 4:
		return ctx->queues->lkey;
	case 5:
		return process.theirs[below(seed, 2)]->rkey;
	case 6:
		return process.qp[below(seed, QPS)].qpn;
	default:
		return values[below(seed, sizeof(values) / 4)];
	}
}

static uint64_t evil64(uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[below(seed, CONTEXTS)];
	uint64_t near = below(seed, 16);
	uint64_t base = (uintptr_t)ctx->slot[below(seed, SLOTS)].base;

	switch (below(seed, 10)) {
	case 0:
		return near;
	case 1:
		return -near;
	case 2:
		return 0xffff888000000000ULL + random_next(seed) % (8ULL << 30);
	case 3:
		return 0xffffffff81000000ULL + near;
	case 4:
		return base - near;
	case 5:
		return base + SLOT_BYTES - near;
	case 6:
		return base + PAGE * below(seed, 48) - near;
	case 7:
		return (uintptr_t)process.queues +
		       below(seed, (uint32_t)process.queue_bytes);
	case 8:
		return (uintptr_t)process.theirs[below(seed, 2)]->addr + near;
	default:
		return random_next(seed);
	}
}

/* Any part of a segment is a number, a key or an address of some opcode. */
static void mutate_field(uint8_t *segment, uint64_t *seed)
{
	uint32_t value32;
	uint64_t value64;

	if (one_in(seed, 2)) {
		value32 = htobe32(evil32(seed));
		memcpy(segment + 4 * below(seed, 4), &value32, 4);
	} else {
		value64 = htobe64(evil64(seed));
		memcpy(segment + 8 * below(seed, 2), &value64, 8);
	}
}

/*
 * A segment that names memory which the request must not reach, or had better
 * not, with a key that is right for the address, or almost.
 */
static void mutate_segment(uint8_t *segment, uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[below(seed, CONTEXTS)];
	const struct slot *slot = any_slot(ctx, false, seed);
	uint32_t offset = 8 * below(seed, 0x4000), key;
	const struct ibv_mr *mr;
	uint64_t addr;

	if (one_in(seed, 3)) {
		addr = (uintptr_t)slot->base + offset;
		key = slot->key;
	} else {
		mr = one_in(seed, 2) ? ctx->queues
				     : process.theirs[below(seed, 2)];
		addr = (uintptr_t)mr->addr + offset;
		key = mr->rkey;
	}
	if (one_in(seed, 8))
		key ^= 1U << below(seed, 32);
	addr = htobe64(addr);
	key = htobe32(key);
	if (one_in(seed, 2)) { /* remote */
		memcpy(segment, &addr, 8);
		memcpy(segment + 8, &key, 4);
	} else { /* with its own length */
		memcpy(segment + 4, &key, 4);
		memcpy(segment + 8, &addr, 8);
	}
}

void wqe_mutate(struct wqe *wqe, uint64_t *seed)
{
	uint32_t n = 1 + below(seed, 3), word, segment;

	while (n--) {
		switch (below(seed, 8)) {
		case 0: /* the opcode, or its modifier */
			word = be32toh(wqe->ctrl.opmod_idx_opcode);
			word ^= (1 + below(seed, 255))
				<< (one_in(seed, 4) ? 24 : 0);
			wqe->ctrl.opmod_idx_opcode = htobe32(word);
			break;
		case 1: /* the length of the request */
			word = be32toh(wqe->ctrl.qpn_ds) & ~0x3fU;
			wqe->ctrl.qpn_ds = htobe32(word | below(seed, 64));
			break;
		case 2:
			wqe->bytes[below(seed, wqe->ds * 16)] ^=
				(uint8_t)(1 + below(seed, 255));
			break;
		case 3:
		case 4:
			segment = below(seed, wqe->ds);
			mutate_segment(wqe->bytes + segment * 16, seed);
			break;
		default:
			segment =
				wqe->ds > 1 ? 1 + below(seed, wqe->ds - 1) : 0;
			mutate_field(wqe->bytes + segment * 16, seed);
			break;
		}
	}
}

void wqe_random(struct wqe *wqe, uint64_t *seed)
{
	uint64_t *word = (void *)wqe->bytes;
	uint32_t i;

	wqe->ds = 1 + below(seed, 63);
	for (i = 0; i < WQE_BYTES / 8; i++)
		word[i] = random_next(seed);
}

/* A request to receive, of @bytes; it has room for a message if @good. */
void recv_fill(void *at, uint32_t bytes, const struct ctx *ctx, bool good,
	       uint64_t *seed)
{
	struct mlx5_wqe_data_seg *data = at;
	uint32_t i, nr = bytes / sizeof(*data);

	for (i = 0; i < nr; i++, data++) {
		if (i < 2) {
			put_data(data, MESSAGE, any_slot(ctx, good, seed),
				 seed);
		} else {
			data->byte_count = 0;
			data->lkey = htobe32(MLX5_INVALID_LKEY);
			data->addr = 0;
		}
		if (!good && one_in(seed, 4))
			mutate_field((void *)data, seed);
	}
}
