// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: malformed
 *
 * Work requests, records, links and windows that are wrong in one way each, in
 * queues of a device of hyvs.ko. Each ends with the error of its kind, and two
 * QPs of another context do not notice.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "../lib/tap.h"
#include "rc.h"

#define BYTES	 PAGE
#define WQE_MOST 256
#define INLINE	 0x80000000U
#define JUNK	 0x55
#define QKEY	 0x11111111
#define NOWHERE	 0xfff0 /* index of no receive */
#define ANY_QPN	 0xffffff
#define CQE_REQ	 (MLX5_CQE_REQ << 4) /* owned by software in the first turn */
#define NONE	 (-1)

/* Memory, by what its key allows. */
enum memory { ALL, READ_ONLY, LOCAL_ONLY, FOREIGN, MEMORIES };

/* A change of a key's value. */
enum change { NOTHING, VARIANT, UNKNOWN };

/* An offset that makes an address from whose end a message wraps. */
#define WRAPS INT64_MIN

struct key {
	enum memory memory;
	enum change change;
	int64_t offset;
};

/* A request of one data segment, or two if @more is not 0. */
struct request {
	const char *what;
	uint8_t opcode;
	uint32_t xor_word, xor_qpn_ds;
	uint32_t length, more;
	struct key local, remote;
	enum ibv_wc_status status;
};

struct wqe {
	uint8_t bytes[WQE_MOST];
	uint32_t length;
};

struct trial {
	struct rc_pair pair;
	struct mlx5dv_qp qp[2];
	struct mlx5dv_cq cq;
	uint16_t posted;
};

static struct rc rc;
static struct ibv_mr *mr[MEMORIES];

/* Another context of this process. */
static struct {
	struct rc rc;
	struct rc_pair pair;
	struct ibv_mr *from, *to;
	uint64_t transfers;
} neighbour;

static const struct request requests[] = {
	{"index", MLX5_OPCODE_SEND, .xor_word = 1 << 8, .length = 64,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"modifier of the opcode", MLX5_OPCODE_SEND, .xor_word = 1 << 24,
	 .length = 64, .status = IBV_WC_LOC_QP_OP_ERR},
	{"opcode 255", MLX5_OPCODE_SEND, .xor_word = MLX5_OPCODE_SEND ^ 0xff,
	 .length = 64, .status = IBV_WC_LOC_QP_OP_ERR},
	{"opcode of a longer request", MLX5_OPCODE_SEND,
	 .xor_word = MLX5_OPCODE_SEND ^ MLX5_OPCODE_UMR, .length = 64,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"masked atomic", 0x14, .length = 8, .status = IBV_WC_LOC_QP_OP_ERR},
	{"QP number", MLX5_OPCODE_SEND, .xor_qpn_ds = 1 << 8, .length = 64,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"no segment", MLX5_OPCODE_SEND, .xor_qpn_ds = 2, .length = 64,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"more segments than are posted", MLX5_OPCODE_SEND,
	 .xor_qpn_ds = 2 ^ 0x3f, .length = 64, .status = IBV_WC_LOC_QP_OP_ERR},
	{"no segment for the address", MLX5_OPCODE_RDMA_WRITE,
	 .xor_qpn_ds = 3 ^ 1, .length = 64, .status = IBV_WC_LOC_QP_OP_ERR},
	{"inline data past the end", MLX5_OPCODE_SEND, .length = INLINE | 1000,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"inline data of a read", MLX5_OPCODE_RDMA_READ, .length = INLINE | 4,
	 .status = IBV_WC_LOC_QP_OP_ERR},
	{"more than 2 GiB", MLX5_OPCODE_SEND, .length = 0x7fffffff, .more = 2,
	 .status = IBV_WC_LOC_LEN_ERR},
	{"2 GiB of little memory", MLX5_OPCODE_SEND, .length = 0,
	 .status = IBV_WC_LOC_PROT_ERR},
	{"an atomic of 9 bytes", MLX5_OPCODE_ATOMIC_FA, .length = 9,
	 .status = IBV_WC_LOC_LEN_ERR},
	{"an atomic that is not aligned", MLX5_OPCODE_ATOMIC_FA, .length = 8,
	 .remote.offset = 4, .status = IBV_WC_REM_INV_REQ_ERR},

	{"local key: variant", MLX5_OPCODE_SEND, .length = 64,
	 .local.change = VARIANT, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: unknown", MLX5_OPCODE_SEND, .length = 64,
	 .local.change = UNKNOWN, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: of somebody else", MLX5_OPCODE_SEND, .length = 64,
	 .local.memory = FOREIGN, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: before its start", MLX5_OPCODE_SEND, .length = 64,
	 .local.offset = -1, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: past its end", MLX5_OPCODE_SEND, .length = 64,
	 .local.offset = BYTES - 63, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: around the end of all memory", MLX5_OPCODE_SEND,
	 .length = 64, .local.offset = WRAPS, .status = IBV_WC_LOC_PROT_ERR},
	{"local key: not for writing", MLX5_OPCODE_RDMA_READ, .length = 64,
	 .local.memory = READ_ONLY, .status = IBV_WC_LOC_PROT_ERR},

	{"remote key: variant", MLX5_OPCODE_RDMA_WRITE, .length = 64,
	 .remote.change = VARIANT, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: unknown", MLX5_OPCODE_RDMA_WRITE, .length = 64,
	 .remote.change = UNKNOWN, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: of somebody else", MLX5_OPCODE_RDMA_WRITE, .length = 64,
	 .remote.memory = FOREIGN, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: before its start", MLX5_OPCODE_RDMA_WRITE, .length = 64,
	 .remote.offset = -1, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: past its end", MLX5_OPCODE_RDMA_READ, .length = 64,
	 .remote.offset = BYTES - 63, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: around the end of all memory", MLX5_OPCODE_RDMA_WRITE,
	 .length = 64, .remote.offset = WRAPS, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: not for writing", MLX5_OPCODE_RDMA_WRITE, .length = 64,
	 .remote.memory = READ_ONLY, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: not for reading", MLX5_OPCODE_RDMA_READ, .length = 64,
	 .remote.memory = LOCAL_ONLY, .status = IBV_WC_REM_ACCESS_ERR},
	{"remote key: not for atomics", MLX5_OPCODE_ATOMIC_FA, .length = 8,
	 .remote.memory = READ_ONLY, .status = IBV_WC_REM_ACCESS_ERR},
};

static struct ibv_mr *memory(struct rc *owner, int access)
{
	void *at = pages_anonymous(BYTES);
	struct ibv_mr *key = ibv_reg_mr(owner->pd, at, BYTES, access);

	if (!key)
		die_errno("cannot register memory");
	return key;
}

static void neighbour_open(void)
{
	rc_open(&neighbour.rc);
	rc_pair_open(&neighbour.pair, &neighbour.rc, false);
	neighbour.from = memory(&neighbour.rc, RC_ACCESS);
	neighbour.to = memory(&neighbour.rc, RC_ACCESS);
}

/* Ends the program if something is wrong. */
static void neighbour_transfer(void)
{
	uint64_t seed = ++neighbour.transfers;

	pattern_fill(neighbour.from->addr, BYTES, 0, seed);
	rc_transfer(&neighbour.pair, IBV_WR_RDMA_WRITE, neighbour.from,
		    neighbour.from->addr, (uintptr_t)neighbour.to->addr,
		    neighbour.to->rkey, BYTES);
	pattern_check("a neighbour's memory", neighbour.to->addr, BYTES, 0,
		      seed);
}

static void look_into(struct trial *t)
{
	struct mlx5dv_obj obj = {.cq = {.in = t->pair.cq, .out = &t->cq}};
	int i;

	memset(&t->cq, 0, sizeof(t->cq));
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		die("not a device of mlx5");
	for (i = 0; i < 2; i++) {
		memset(&t->qp[i], 0, sizeof(t->qp[i]));
		obj.qp.in = t->pair.qp[i];
		obj.qp.out = &t->qp[i];
		if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
			die("not a device of mlx5");
	}
	t->posted = 0;
}

static void trial_open(struct trial *t)
{
	rc_pair_open(&t->pair, &rc, false);
	look_into(t);
}

static void trial_close(struct trial *t)
{
	rc_pair_close(&t->pair);
	neighbour_transfer();
}

static void *add(struct wqe *wqe, size_t length)
{
	void *at = wqe->bytes + wqe->length;

	memset(at, 0, length);
	wqe->length += (uint32_t)length;
	return at;
}

static uint32_t key_value(const struct key *key)
{
	uint32_t value = mr[key->memory]->lkey;

	switch (key->change) {
	case VARIANT:
		return value ^ 1;
	case UNKNOWN:
		return value ^ 0x7fffff00;
	default:
		return value;
	}
}

static uint64_t key_address(const struct key *key)
{
	if (key->offset == WRAPS)
		return -32ULL;
	return (uintptr_t)mr[key->memory]->addr + (uint64_t)key->offset;
}

static void add_data(struct wqe *wqe, uint32_t length, const struct key *key)
{
	struct mlx5_wqe_data_seg *data = add(wqe, sizeof(*data));

	data->byte_count = htobe32(length);
	data->lkey = htobe32(key_value(key));
	data->addr = htobe64(key_address(key));
}

static void add_remote(struct wqe *wqe, const struct key *key)
{
	struct mlx5_wqe_raddr_seg *remote = add(wqe, sizeof(*remote));

	remote->raddr = htobe64(key_address(key));
	remote->rkey = htobe32(key_value(key));
}

static struct mlx5_wqe_ctrl_seg *begin(struct wqe *wqe)
{
	wqe->length = 0;
	return add(wqe, sizeof(struct mlx5_wqe_ctrl_seg));
}

/* The doorbell is the start of a request. */
static void ring(const struct trial *t, int i)
{
	const uint32_t start[2] = {htobe32(MLX5_OPCODE_NOP),
				   htobe32(t->pair.qp[i]->qp_num << 8 | 1)};
	uint64_t value;

	memcpy(&value, start, sizeof(value));
	__atomic_store_n((uint64_t *)t->qp[i].bf.reg, value, __ATOMIC_SEQ_CST);
}

/* Sets what the header says about the request and its place. */
static void post(struct trial *t, struct wqe *wqe, uint8_t opcode,
		 uint32_t xor_word, uint32_t xor_qpn_ds)
{
	const struct mlx5dv_qp *qp = &t->qp[0];
	uint32_t place = t->posted & (qp->sq.wqe_cnt - 1);
	uint32_t blocks =
		(wqe->length + MLX5_SEND_WQE_BB - 1) / MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;
	uint32_t qpn = t->pair.qp[0]->qp_num;

	if (place + blocks > qp->sq.wqe_cnt)
		die("the request wraps in its queue");
	ctrl->opmod_idx_opcode =
		htobe32(((uint32_t)t->posted << 8 | opcode) ^ xor_word);
	ctrl->qpn_ds = htobe32((qpn << 8 | wqe->length / 16) ^ xor_qpn_ds);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	memcpy((uint8_t *)qp->sq.buf + place * MLX5_SEND_WQE_BB, wqe->bytes,
	       wqe->length);
	t->posted = (uint16_t)(t->posted + blocks);
	__atomic_store_n(&qp->dbrec[MLX5_SND_DBR], htobe32(t->posted),
			 __ATOMIC_RELEASE);
	ring(t, 0);
}

/* The first completion is that of the sender, with this status. */
static bool ends_with(struct trial *t, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	if (!rc_completion(t->pair.cq, &wc, hang_seconds())) {
		tap_diag("no completion");
		return false;
	}
	if (wc.qp_num == t->pair.qp[0]->qp_num && wc.status == status)
		return true;
	tap_diag("QP %u of %u: %s", wc.qp_num, t->pair.qp[0]->qp_num,
		 ibv_wc_status_str(wc.status));
	return false;
}

/* An event of the object: a QP, a CQ or an SRQ. */
static bool event_comes(enum ibv_event_type type, const void *object)
{
	struct pollfd pollfd = {.fd = rc.context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	bool found;

	do {
		if (poll(&pollfd, 1, (int)(hang_seconds() * 1000)) <= 0 ||
		    ibv_get_async_event(rc.context, &event))
			return false;
		found = event.event_type == type &&
			(const void *)event.element.qp == object;
		if (!found)
			tap_diag("event: %s",
				 ibv_event_type_str(event.event_type));
		ibv_ack_async_event(&event);
	} while (!found);
	return true;
}

static void test_request(const struct request *request)
{
	uint8_t opcode = request->opcode;
	struct trial t;
	struct wqe wqe;

	trial_open(&t);
	begin(&wqe);
	if (opcode != MLX5_OPCODE_SEND)
		add_remote(&wqe, &request->remote);
	if (opcode == MLX5_OPCODE_ATOMIC_FA)
		add(&wqe, sizeof(struct mlx5_wqe_atomic_seg));
	add_data(&wqe, request->length, &request->local);
	if (request->more)
		add_data(&wqe, request->more, &request->local);
	post(&t, &wqe, opcode, request->xor_word, request->xor_qpn_ds);
	tap_ok(ends_with(&t, request->status), "%s", request->what);
	trial_close(&t);
}

/* Will the HCA write this there? */
static bool becomes(const volatile uint8_t *byte, uint8_t value)
{
	double end = now() + hang_seconds();

	while (*byte != value) {
		if (now() > end)
			return false;
		usleep(100);
	}
	return true;
}

/* --- Opcodes of other types of QPs --- */

static void test_datagram(void)
{
	static const struct key ours;
	struct ibv_qp *rc_qp;
	struct trial t;
	struct wqe wqe;

	trial_open(&t);
	rc_qp = t.pair.qp[0];
	t.pair.qp[0] = rc_create_ud_qp(&rc, t.pair.cq, QKEY);
	look_into(&t);
	begin(&wqe);
	add_remote(&wqe, &ours);
	add_data(&wqe, 64, &ours);
	post(&t, &wqe, MLX5_OPCODE_RDMA_WRITE, 0, 0);
	tap_ok(ends_with(&t, IBV_WC_LOC_QP_OP_ERR),
	       "a write of a QP for datagrams");
	errno = ibv_destroy_qp(t.pair.qp[0]);
	if (errno)
		die_errno("cannot destroy a QP");
	t.pair.qp[0] = rc_qp;
	trial_close(&t);
}

/* --- Records --- */

static void post_send(struct trial *t)
{
	static const struct key ours;
	struct wqe wqe;

	begin(&wqe);
	add_data(&wqe, 64, &ours);
	post(t, &wqe, MLX5_OPCODE_SEND, 0, 0);
}

static void test_records(void)
{
	const struct mlx5_cqe64 *entry;
	struct trial t;
	struct wqe wqe;
	uint32_t i;

	trial_open(&t);
	t.posted = (uint16_t)t.qp[0].sq.wqe_cnt;
	begin(&wqe);
	post(&t, &wqe, MLX5_OPCODE_NOP, 0, 0);
	tap_ok(event_comes(IBV_EVENT_QP_FATAL, t.pair.qp[0]),
	       "a record ahead of its send queue");
	trial_close(&t);

	trial_open(&t);
	__atomic_store_n(&t.qp[1].dbrec[MLX5_RCV_DBR],
			 htobe32(t.qp[1].rq.wqe_cnt + 1), __ATOMIC_RELEASE);
	post_send(&t);
	tap_ok(ends_with(&t, IBV_WC_REM_OP_ERR) &&
		       event_comes(IBV_EVENT_QP_FATAL, t.pair.qp[1]),
	       "a record ahead of its receive queue");
	trial_close(&t);

	trial_open(&t);
	__atomic_store_n(&t.cq.dbrec[0], htobe32(1000), __ATOMIC_RELEASE);
	for (i = 0; i <= t.cq.cqe_cnt; i++) {
		entry = (void *)((uint8_t *)t.cq.buf + i * t.cq.cqe_size);
		begin(&wqe);
		post(&t, &wqe, MLX5_OPCODE_NOP, 0, 0);
		if (i < t.cq.cqe_cnt && !becomes(&entry->op_own, CQE_REQ))
			break;
	}
	tap_ok(event_comes(IBV_EVENT_CQ_ERR, t.pair.cq),
	       "a consumer that claims what was not produced");
	trial_close(&t);
}

/* --- Links of a shared receive queue --- */

static struct ibv_qp *shared_qp(struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = RC_DEPTH, .max_send_sge = 1},
	};
	struct ibv_qp *qp = ibv_create_qp(rc.pd, &init);

	if (!qp)
		die_errno("cannot create a QP with an SRQ");
	return qp;
}

static void set_link(const struct mlx5dv_srq *srq, uint16_t next,
		     uint32_t posted)
{
	struct mlx5_wqe_srq_next_seg *first = srq->buf;

	first->next_wqe_index = htobe16(next);
	__atomic_store_n(&srq->dbrec[0], htobe32(posted), __ATOMIC_RELEASE);
}

/* The receive and the send of a message that has arrived. */
static bool arrives(struct trial *t)
{
	struct ibv_wc wc[2];
	int i;

	post_send(t);
	for (i = 0; i < 2; i++)
		if (!rc_completion(t->pair.cq, &wc[i], hang_seconds()) ||
		    wc[i].status)
			return false;
	return wc[0].opcode == IBV_WC_RECV || wc[1].opcode == IBV_WC_RECV;
}

static void test_links(void)
{
	struct ibv_srq_init_attr init = {
		.attr = {.max_wr = RC_DEPTH, .max_sge = 1},
	};
	struct ibv_sge sge = {(uintptr_t)mr[ALL]->addr, BYTES, mr[ALL]->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
	struct ibv_srq *srq = ibv_create_srq(rc.pd, &init);
	struct mlx5dv_srq dv = {.comp_mask = 0};
	struct mlx5dv_obj obj = {.srq = {.in = srq, .out = &dv}};
	struct ibv_qp *replaced[2];
	struct trial t;
	int i;

	if (!srq)
		die_errno("cannot create an SRQ");
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ))
		die("not a device of mlx5");
	trial_open(&t);
	for (i = 0; i < 2; i++) {
		replaced[i] = t.pair.qp[i];
		t.pair.qp[i] = shared_qp(t.pair.cq, srq);
	}
	for (i = 0; i < 2; i++)
		rc_connect(&rc, t.pair.qp[i], t.pair.qp[!i]->qp_num, rc.gid);
	look_into(&t);
	errno = ibv_post_srq_recv(srq, &wr, &bad);
	if (errno)
		die_errno("cannot post a receive");
	set_link(&dv, 0, 4);
	tap_ok(arrives(&t) && arrives(&t),
	       "a loop of receives gives these again");
	set_link(&dv, NOWHERE, 4);
	post_send(&t);
	tap_ok(ends_with(&t, IBV_WC_REM_OP_ERR) &&
		       event_comes(IBV_EVENT_SRQ_ERR, srq),
	       "a link to no receive");
	for (i = 0; i < 2; i++) {
		errno = ibv_destroy_qp(t.pair.qp[i]);
		if (errno)
			die_errno("cannot destroy a QP with an SRQ");
		t.pair.qp[i] = replaced[i];
	}
	errno = ibv_destroy_srq(srq);
	if (errno)
		die_errno("cannot destroy an SRQ");
	trial_close(&t);
}

/* --- Windows --- */

struct bind {
	const char *what;
	enum memory memory;
	uint64_t more_bits;
	uint32_t window, bytes; /* lengths of the window, and below it */
	enum ibv_wc_status status;
};

static void add_bind(struct wqe *wqe, uint32_t rkey, const struct bind *bind)
{
	struct mlx5_wqe_umr_ctrl_seg *ctrl = add(wqe, sizeof(*ctrl));
	struct mlx5_wqe_mkey_context_seg *mkey = add(wqe, sizeof(*mkey));
	struct mlx5_wqe_umr_klm_seg *klm = add(wqe, 64);
	uint64_t start = (uintptr_t)mr[bind->memory]->addr;

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
			MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN | bind->more_bits);
	mkey->access_flags = MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ;
	mkey->qpn_mkey = htobe32((uint32_t)ANY_QPN << 8 | (rkey & 0xff));
	mkey->start_addr = htobe64(start);
	mkey->len = htobe64(bind->window);
	klm->byte_count = htobe32(bind->bytes);
	klm->mkey = htobe32(mr[bind->memory]->lkey);
	klm->address = htobe64(start);
}

static void test_window(const struct bind *bind)
{
	struct ibv_mw *mw = ibv_alloc_mw(rc.pd, IBV_MW_TYPE_2);
	struct mlx5_wqe_ctrl_seg *ctrl;
	struct trial t;
	struct wqe wqe;

	if (!mw)
		die_errno("cannot allocate a window");
	trial_open(&t);
	ctrl = begin(&wqe);
	ctrl->imm = htobe32(mw->rkey);
	add_bind(&wqe, mw->rkey + 1, bind);
	post(&t, &wqe, MLX5_OPCODE_UMR, 0, 0);
	tap_ok(ends_with(&t, bind->status), "%s", bind->what);
	errno = ibv_dealloc_mw(mw);
	if (errno)
		die_errno("cannot deallocate a window");
	trial_close(&t);
}

static void test_windows(void)
{
	static const struct bind binds[] = {
		{"a window that is right", ALL, 0, 64, 64, IBV_WC_SUCCESS},
		{"a window on memory without that right", LOCAL_ONLY, 0, 64, 64,
		 IBV_WC_MW_BIND_ERR},
		{"a window on memory of somebody else", FOREIGN, 0, 64, 64,
		 IBV_WC_MW_BIND_ERR},
		{"a window past the end of its memory", ALL, 0, BYTES + 1,
		 BYTES + 1, IBV_WC_MW_BIND_ERR},
		{"a window that changes more", ALL,
		 MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE, 64, 64,
		 IBV_WC_LOC_QP_OP_ERR},
		{"a window of two lengths", ALL, 0, 65, 64,
		 IBV_WC_LOC_QP_OP_ERR},
	};
	size_t i;

	for (i = 0; i < sizeof(binds) / sizeof(binds[0]); i++)
		test_window(&binds[i]);
}

/* --- Queues and records as memory of messages --- */

/* The pages that @at is in. */
static struct ibv_mr *register_pages(const void *at, size_t length)
{
	uintptr_t first = (uintptr_t)at & ~(PAGE - 1);
	uintptr_t end = ((uintptr_t)at + length + PAGE - 1) & ~(PAGE - 1);

	return rc_register(&rc, (void *)first, end - first);
}

static void post_write(struct trial *t, uint64_t to, uint32_t rkey,
		       uint32_t length)
{
	static const struct key ours;
	struct mlx5_wqe_raddr_seg *remote;
	struct wqe wqe;

	begin(&wqe);
	remote = add(&wqe, sizeof(*remote));
	remote->raddr = htobe64(to);
	remote->rkey = htobe32(rkey);
	add_data(&wqe, length, &ours);
	post(t, &wqe, MLX5_OPCODE_RDMA_WRITE, 0, 0);
}

/*
 * The contents of queues change nothing until the HCA asks for them; a record
 * ends the QP @broken that it is of.
 */
static void test_own_queue(const char *what,
			   const void *(*find)(struct trial *t),
			   uint32_t length, int broken)
{
	const volatile uint8_t *last;
	struct ibv_mr *target;
	const void *at;
	struct trial t;
	bool ok;

	trial_open(&t);
	at = find(&t);
	/* A completion goes to the first entry of a CQ. */
	last = (const uint8_t *)at + length - 1;
	target = register_pages(at, length);
	memset(mr[ALL]->addr, JUNK, BYTES);
	post_write(&t, (uintptr_t)at, target->rkey, length);
	ok = becomes(last, JUNK);
	if (broken == NONE) {
		ok = ok && ends_with(&t, IBV_WC_SUCCESS);
		post_write(&t, (uintptr_t)mr[ALL]->addr, mr[ALL]->rkey, 64);
		ok = ok && ends_with(&t, IBV_WC_SUCCESS);
	} else {
		ring(&t, broken);
		ok = ok && event_comes(IBV_EVENT_QP_FATAL, t.pair.qp[broken]);
	}
	tap_ok(ok, "%s", what);
	rc_deregister(target);
	/* Its queues are destroyed as they are. */
	trial_close(&t);
}

static const void *send_queue(struct trial *t)
{
	return t->qp[0].sq.buf;
}

static const void *peer_queue(struct trial *t)
{
	return t->qp[1].sq.buf;
}

static const void *completions(struct trial *t)
{
	return t->cq.buf;
}

static const void *own_record(struct trial *t)
{
	return t->qp[0].dbrec;
}

static const void *peer_record(struct trial *t)
{
	return t->qp[1].dbrec;
}

static const void *completion_record(struct trial *t)
{
	return t->cq.dbrec;
}

static void test_own_queues(void)
{
	test_own_queue("a write over its own queue", send_queue, 512, NONE);
	test_own_queue("a write over the peer's queue", peer_queue, 512, NONE);
	test_own_queue("a write over completions", completions, 512, NONE);
	test_own_queue("a write over the record of completions",
		       completion_record, 8, NONE);
	test_own_queue("a write over its own record", own_record, 8, 0);
	test_own_queue("a write over the peer's record", peer_record, 8, 1);
}

int main(void)
{
	static const int access[MEMORIES] = {
		[ALL] = RC_ACCESS | IBV_ACCESS_REMOTE_ATOMIC |
			IBV_ACCESS_MW_BIND,
		[READ_ONLY] = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND,
		[LOCAL_ONLY] = IBV_ACCESS_LOCAL_WRITE,
	};
	size_t i;

	tap_plan(0);
	rc_open(&rc);
	neighbour_open();
	for (i = 0; i < MEMORIES; i++)
		mr[i] = i == FOREIGN ? neighbour.from : memory(&rc, access[i]);
	neighbour_transfer();
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		test_request(&requests[i]);
	test_datagram();
	test_records();
	test_links();
	test_windows();
	test_own_queues();
	printf("# %lu transfers of neighbours verified\n",
	       (unsigned long)neighbour.transfers);
	return tap_done();
}
