/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data path of rxe, as its user-space provider drives it, and pairs of
 * connected QPs on top of it.
 */
#ifndef DEVTEST_RXE_H
#define DEVTEST_RXE_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/ib_user_verbs.h>

#include "cmd.h"
#include "driver.h"

/* Numbers of the user verbs ABI that its header has no names for. */
enum {
	QPS_RESET,
	QPS_INIT,
	QPS_RTR,
	QPS_RTS,
	QPS_SQD,
	QPS_SQE,
	QPS_ERR,
};

enum {
	SEND_FENCE = 1 << 0,
	SEND_SIGNALED = 1 << 1,
	SEND_SOLICITED = 1 << 2,
	SEND_INLINE = 1 << 3,
};

enum {
	WC_SUCCESS = 0,
	WC_WR_FLUSH_ERR = 5,
	WC_REM_ACCESS_ERR = 10,
};

/* Where an object of rxe is mapped into the window. */
struct rxe_map {
	uint64_t offset;
	struct rxe_queue_buf *q;
};

/**
 * struct ep - an end of a connection, with all that it needs
 * @v: its vNIC
 * @db: the doorbell area of the vNIC
 * @context: handle
 * @pd: handle
 * @cq: for sending and receiving
 * @type: QPT_* of @qp
 * @srq: its SRQ, whose handle is 0 if it has none
 * @qp: the queue pair
 * @cq_map: the mapped CQ
 * @sq_map: the mapped send queue
 * @rq_map: the mapped receive queue, of @qp or of @srq
 * @ssn: number of the next send request
 */
struct ep {
	struct vnic *v;
	struct doorbells *db;
	uint32_t context;
	uint32_t pd;
	struct cq_info cq;
	uint8_t type;
	struct srq_info srq;
	struct qp_info qp;
	struct rxe_map cq_map;
	struct rxe_map sq_map;
	struct rxe_map rq_map;
	uint32_t ssn;
};

/**
 * struct ep_wr - a request to send
 * @opcode: IB_UVERBS_WR_*
 * @flags: SEND_*; completions are always asked for
 * @id: comes back in the completion
 * @local: address of the local memory
 * @lkey: its key
 * @length: bytes
 * @remote: address of the peer's memory
 * @rkey: its key
 * @ah: of a UD QP: number of the AH
 * @qpn: of a UD QP: number of the peer's QP
 * @mw: IB_UVERBS_WR_BIND_MW: key of the window, which gets @rkey, @access and
 *	the local memory, of which @lkey is the key
 * @access: IB_UVERBS_WR_BIND_MW: access flags of the window
 */
struct ep_wr {
	uint32_t opcode;
	uint32_t flags;
	uint64_t id;
	uint64_t local;
	uint32_t lkey;
	uint32_t length;
	uint64_t remote;
	uint32_t rkey;
	uint32_t ah;
	uint32_t qpn;
	uint32_t mw;
	uint32_t access;
};

/* Length of the GRH that a UD QP puts in front of a message it receives. */
#define EP_UD_HEADER 40

void rxe_map(struct vnic *v, uint32_t context, const struct mminfo *mi,
	     struct rxe_map *map);

void ep_init(struct ep *ep, struct vnic *v, struct doorbells *db, uint32_t cqe,
	     uint32_t vector);
void ep_init_type(struct ep *ep, struct vnic *v, struct doorbells *db,
		  uint32_t cqe, uint8_t type, uint32_t srq_wr);
void ep_destroy(struct ep *ep);
int ep_modify(struct ep *ep, uint32_t state, uint32_t peer_qpn,
	      const struct hyv_gid *gid);
void ep_connect(struct ep *a, struct ep *b);
void ep_post(struct ep *ep, const struct ep_wr *wr);
void ep_ring(struct ep *ep);
void ep_post_recv(struct ep *ep, uint64_t id, uint64_t addr, uint32_t lkey,
		  uint32_t length);
bool ep_poll(struct ep *ep, struct ib_uverbs_wc *wc);
int ep_do(struct ep *ep, const struct ep_wr *wr);
uint32_t ep_cq_pending(struct ep *ep);
int ep_state(struct ep *ep);

#endif /* DEVTEST_RXE_H */
