// SPDX-License-Identifier: GPL-2.0-only
/*
 * General service interfaces: QP 1 of each port, in software.
 *
 * Sends are copied when they are posted, and a work item gives them to the IP
 * stack, as the consumer may post under its locks and with interrupts off. A
 * send is over when the stack has taken it, or could not: what gets lost is for
 * the protocol above to send again. Receives are filled in softirqs.
 *
 * Locks: gsi_lock > RCU > vhyv_gsi.lock. The last one is not held while something
 * is added to a CQ, which has a lock of its own and calls its consumer.
 */
#include <linux/atomic.h>
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

#include "address/gsi.h"
#include "address/gsi_net.h"
#include "dev.h"
#include "address/gsi_cq.h"
#include "address/roce_pkt.h"

#define VHYV_GSI_QPN		1
/* The most that ib_mad can be told to ask for. */
#define VHYV_GSI_MAX_WR		8192
#define VHYV_GSI_MAX_SEND_SGE	8
#define VHYV_GSI_RECV_LEN	(VHYV_ROCE_GRH_LEN + VHYV_ROCE_MAD_LEN)
/* Such a Q_Key in a work request stands for that of the QP. */
#define VHYV_QKEY_OWN		BIT(31)

static_assert(sizeof(struct ib_grh) == VHYV_ROCE_GRH_LEN);
static_assert(sizeof(union ib_gid) == VHYV_ROCE_GID_LEN);
static_assert(sizeof(struct ib_mad) == VHYV_ROCE_MAD_LEN);

/**
 * struct vhyv_gsi_send - a send that has been posted
 * @wr_id: the consumer's name of it
 * @sgid_attr: reference to the GID that it leaves from
 * @hdr: its headers
 * @signaled: the consumer wants a completion
 * @mad: the datagram
 */
struct vhyv_gsi_send {
	u64 wr_id;
	const struct ib_gid_attr *sgid_attr;
	struct vhyv_roce_hdr hdr;
	bool signaled;
	u8 mad[VHYV_ROCE_MAD_LEN];
};

/**
 * struct vhyv_gsi_recv - a receive that has been posted
 * @wr_id: the consumer's name of it
 * @buf: VHYV_GSI_RECV_LEN bytes
 */
struct vhyv_gsi_recv {
	u64 wr_id;
	void *buf;
};

/**
 * struct vhyv_gsi - a general service interface
 * @qp: the QP
 * @port_num: its port
 * @sig_all: every send gives a completion
 * @cap: what has been asked for
 * @link: in gsi_list
 * @work: sends what has been posted
 * @sq: ring of sends. The oldest one belongs to @work while that runs.
 * @rq: ring of receives
 * @lock: protects the fields below, and the rings
 * @state: as the consumer has set it
 * @psn: of the next packet
 * @qkey: as the consumer has set it
 * @pkey_index: as the consumer has set it
 * @sq_head: oldest send
 * @sq_count: sends in the ring
 * @rq_head: oldest receive
 * @rq_count: receives in the ring
 */
struct vhyv_gsi {
	struct vhyv_qp *qp;
	u32 port_num;
	bool sig_all;
	struct ib_qp_cap cap;
	struct list_head link;
	struct work_struct work;
	struct vhyv_gsi_send *sq;
	struct vhyv_gsi_recv *rq;

	spinlock_t lock;	/* protects the fields below, and the rings */
	enum ib_qp_state state;
	u32 psn;
	u32 qkey;
	u16 pkey_index;
	u32 sq_head;
	u32 sq_count;
	u32 rq_head;
	u32 rq_count;
};

static DEFINE_MUTEX(gsi_lock);

/* Changed under gsi_lock, read under RCU. */
static LIST_HEAD(gsi_list);

static struct vhyv_dev *vhyv_gsi_dev(const struct vhyv_gsi *gsi)
{
	return to_vhyv_dev(gsi->qp->ibqp.device);
}

static void vhyv_gsi_count(const struct vhyv_gsi *gsi, enum vhyv_gsi_counter what)
{
	struct vhyv_port *port = &vhyv_gsi_dev(gsi)->ports[gsi->port_num - 1];

	atomic64_inc(&port->gsi_counters[what]);
}

/* Send the oldest of what has been posted. Returns false if there is nothing. */
static bool vhyv_gsi_send_next(struct vhyv_gsi *gsi)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.opcode = IB_WC_SEND,
		.qp = ibqp,
		.port_num = gsi->port_num,
	};
	struct vhyv_gsi_send *send;
	bool flush, tell;

	spin_lock_irq(&gsi->lock);
	send = gsi->sq_count ? &gsi->sq[gsi->sq_head] : NULL;
	flush = gsi->state == IB_QPS_ERR;
	spin_unlock_irq(&gsi->lock);
	if (!send)
		return false;

	wc.wr_id = send->wr_id;
	if (flush)
		wc.status = IB_WC_WR_FLUSH_ERR;
	else if (vhyv_gsi_net_send(send->sgid_attr, &send->hdr, send->mad))
		vhyv_gsi_count(gsi, VHYV_GSI_SEND_ERRORS);
	else
		vhyv_gsi_count(gsi, VHYV_GSI_SENT);
	rdma_put_gid_attr(send->sgid_attr);
	tell = flush || send->signaled;

	/* From here on the entry may be another send's. */
	spin_lock_irq(&gsi->lock);
	gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	gsi->sq_count--;
	spin_unlock_irq(&gsi->lock);
	if (tell)
		vhyv_kcq_push(ibqp->send_cq, &wc, false);
	return true;
}

static void vhyv_gsi_work(struct work_struct *work)
{
	struct vhyv_gsi *gsi = container_of(work, struct vhyv_gsi, work);

	while (vhyv_gsi_send_next(gsi))
		cond_resched();
}

/*
 * Drop what has been posted, of a QP that no packet is for any more and that
 * nothing is being posted to.
 */
static void vhyv_gsi_purge(struct vhyv_gsi *gsi)
{
	/* For packets that are on their way into a buffer. */
	synchronize_rcu();
	cancel_work_sync(&gsi->work);
	spin_lock_irq(&gsi->lock);
	for (; gsi->sq_count; gsi->sq_count--) {
		rdma_put_gid_attr(gsi->sq[gsi->sq_head].sgid_attr);
		gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	}
	gsi->rq_count = 0;
	spin_unlock_irq(&gsi->lock);
	vhyv_kcq_forget(gsi->qp->ibqp.send_cq, &gsi->qp->ibqp);
	vhyv_kcq_forget(gsi->qp->ibqp.recv_cq, &gsi->qp->ibqp);
}

/*
 * Take a receive. @filling: for a packet, which needs a QP that is ready;
 * otherwise to flush it. Returns false if there is none to be had.
 */
static bool vhyv_gsi_take_recv(struct vhyv_gsi *gsi, bool filling,
			       struct vhyv_gsi_recv *recv)
{
	unsigned long flags;
	bool took;

	spin_lock_irqsave(&gsi->lock, flags);
	took = gsi->rq_count &&
	       (filling ? gsi->state >= IB_QPS_RTR && gsi->state != IB_QPS_ERR :
			  gsi->state == IB_QPS_ERR);
	if (took) {
		*recv = gsi->rq[gsi->rq_head];
		gsi->rq_head = (gsi->rq_head + 1) % gsi->cap.max_recv_wr;
		gsi->rq_count--;
	}
	spin_unlock_irqrestore(&gsi->lock, flags);
	return took;
}

static void vhyv_gsi_flush_recvs(struct vhyv_gsi *gsi)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = ibqp,
		.port_num = gsi->port_num,
	};
	struct vhyv_gsi_recv recv;

	while (vhyv_gsi_take_recv(gsi, false, &recv)) {
		wc.wr_id = recv.wr_id;
		vhyv_kcq_push(ibqp->recv_cq, &wc, false);
	}
}

static int vhyv_gsi_check_cap(const struct ib_qp_cap *cap)
{
	if (!cap->max_send_wr || cap->max_send_wr > VHYV_GSI_MAX_WR ||
	    !cap->max_recv_wr || cap->max_recv_wr > VHYV_GSI_MAX_WR ||
	    cap->max_send_sge > VHYV_GSI_MAX_SEND_SGE ||
	    cap->max_recv_sge > 1 || cap->max_inline_data)
		return -EINVAL;
	return 0;
}

/* Let packets reach a GSI, unless its port has one. */
static int vhyv_gsi_publish(struct vhyv_gsi *gsi)
{
	struct vhyv_gsi *other;
	int ret = 0;

	mutex_lock(&gsi_lock);
	list_for_each_entry(other, &gsi_list, link)
		if (vhyv_gsi_dev(other) == vhyv_gsi_dev(gsi) &&
		    other->port_num == gsi->port_num)
			ret = -EBUSY;
	if (!ret)
		list_add_tail_rcu(&gsi->link, &gsi_list);
	mutex_unlock(&gsi_lock);
	return ret;
}

/**
 * vhyv_gsi_create() - make a QP the GSI of a port
 * @qp: the QP
 * @attr: what to create
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP if it is to be no GSI, -EINVAL, -EBUSY if the port has
 * one, -ENOMEM.
 */
int vhyv_gsi_create(struct vhyv_qp *qp, struct ib_qp_init_attr *attr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(qp->ibqp.device);
	struct vhyv_gsi *gsi;
	int ret;

	if (!hdev->guest_gids || attr->qp_type != IB_QPT_GSI ||
	    attr->create_flags || attr->srq)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq ||
	    !rdma_is_port_valid(&hdev->ibdev, attr->port_num))
		return -EINVAL;
	ret = vhyv_gsi_check_cap(&attr->cap);
	if (ret)
		return ret;

	gsi = kzalloc(sizeof(*gsi), GFP_KERNEL);
	if (!gsi)
		return -ENOMEM;
	gsi->qp = qp;
	gsi->port_num = attr->port_num;
	gsi->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	gsi->cap = attr->cap;
	gsi->state = IB_QPS_RESET;
	spin_lock_init(&gsi->lock);
	INIT_WORK(&gsi->work, vhyv_gsi_work);
	ret = -ENOMEM;
	gsi->sq = kvcalloc(gsi->cap.max_send_wr, sizeof(*gsi->sq), GFP_KERNEL);
	if (!gsi->sq)
		goto err_free;
	gsi->rq = kvcalloc(gsi->cap.max_recv_wr, sizeof(*gsi->rq), GFP_KERNEL);
	if (!gsi->rq)
		goto err_free_sq;

	ret = vhyv_gsi_publish(gsi);
	if (ret)
		goto err_free_rq;
	qp->gsi = gsi;
	qp->ibqp.qp_num = VHYV_GSI_QPN;
	return 0;

err_free_rq:
	kvfree(gsi->rq);
err_free_sq:
	kvfree(gsi->sq);
err_free:
	kfree(gsi);
	return ret;
}

/**
 * vhyv_gsi_destroy() - undo vhyv_gsi_create()
 * @qp: a QP to which nothing is being posted
 *
 * When it returns its CQs have no completions of it.
 *
 * Context: may sleep.
 */
void vhyv_gsi_destroy(struct vhyv_qp *qp)
{
	struct vhyv_gsi *gsi = qp->gsi;

	mutex_lock(&gsi_lock);
	list_del_rcu(&gsi->link);
	mutex_unlock(&gsi_lock);
	vhyv_gsi_purge(gsi);
	qp->gsi = NULL;
	kvfree(gsi->rq);
	kvfree(gsi->sq);
	kfree(gsi);
}

/**
 * vhyv_gsi_modify() - change attributes of a GSI
 * @qp: the QP
 * @attr: new attributes
 * @mask: which of them
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int vhyv_gsi_modify(struct vhyv_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct vhyv_gsi *gsi = qp->gsi;
	enum ib_qp_state state;
	int ret = 0;

	spin_lock_irq(&gsi->lock);
	state = mask & IB_QP_STATE ? attr->qp_state : gsi->state;
	if ((mask & IB_QP_CUR_STATE && attr->cur_qp_state != gsi->state) ||
	    !ib_modify_qp_is_ok(gsi->state, state, IB_QPT_GSI, mask)) {
		ret = -EINVAL;
	} else {
		gsi->state = state;
		if (mask & IB_QP_SQ_PSN)
			gsi->psn = attr->sq_psn;
		if (mask & IB_QP_QKEY)
			gsi->qkey = attr->qkey;
		if (mask & IB_QP_PKEY_INDEX)
			gsi->pkey_index = attr->pkey_index;
	}
	spin_unlock_irq(&gsi->lock);
	if (ret)
		return ret;

	if (state == IB_QPS_RESET) {
		vhyv_gsi_purge(gsi);
	} else if (state == IB_QPS_ERR) {
		vhyv_gsi_flush_recvs(gsi);
		queue_work(vhyv_gsi_dev(gsi)->wq, &gsi->work);
	}
	return 0;
}

/**
 * vhyv_gsi_query() - read attributes of a GSI
 * @qp: the QP
 * @attr: all attributes that it has
 * @init_attr: how it was created
 *
 * Context: process.
 */
void vhyv_gsi_query(struct vhyv_qp *qp, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init_attr)
{
	struct vhyv_gsi *gsi = qp->gsi;

	memset(attr, 0, sizeof(*attr));
	spin_lock_irq(&gsi->lock);
	attr->qp_state = gsi->state;
	attr->cur_qp_state = gsi->state;
	attr->sq_psn = gsi->psn;
	attr->qkey = gsi->qkey;
	attr->pkey_index = gsi->pkey_index;
	spin_unlock_irq(&gsi->lock);
	attr->port_num = gsi->port_num;
	attr->cap = gsi->cap;
	init_attr->cap = gsi->cap;
	init_attr->port_num = gsi->port_num;
	init_attr->sq_sig_type = gsi->sig_all ? IB_SIGNAL_ALL_WR :
						IB_SIGNAL_REQ_WR;
}

/* Copy a datagram from where a work request says that it is. */
static int vhyv_gsi_gather(void *mad, const struct ib_send_wr *wr)
{
	size_t len = 0;
	int i;

	if (wr->num_sge > VHYV_GSI_MAX_SEND_SGE)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > VHYV_ROCE_MAD_LEN - len)
			return -EINVAL;
		/* A device that maps nothing for DMA: the address is virtual. */
		memcpy(mad + len, (void *)(uintptr_t)sge->addr, sge->length);
		len += sge->length;
	}
	return len == VHYV_ROCE_MAD_LEN ? 0 : -EINVAL;
}

static int vhyv_gsi_fill_send(struct vhyv_gsi *gsi, struct vhyv_gsi_send *send,
			      const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct ib_global_route *grh;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (wr->opcode != IB_WR_SEND || !ud->ah ||
	    ud->remote_qpn != VHYV_GSI_QPN ||
	    (!(ud->remote_qkey & VHYV_QKEY_OWN) &&
	     ud->remote_qkey != IB_QP1_QKEY))
		return -EINVAL;
	ret = vhyv_gsi_gather(send->mad, wr);
	if (ret)
		return ret;

	grh = rdma_ah_read_grh(&to_vhyv_ah(ud->ah)->attr);
	memcpy(send->hdr.sgid, ud->ah->sgid_attr->gid.raw,
	       sizeof(send->hdr.sgid));
	memcpy(send->hdr.dgid, grh->dgid.raw, sizeof(send->hdr.dgid));
	send->hdr.psn = gsi->psn;
	send->hdr.flow_label = grh->flow_label;
	send->hdr.sport = rdma_get_udp_sport(grh->flow_label, VHYV_GSI_QPN,
					     VHYV_GSI_QPN);
	send->hdr.traffic_class = grh->traffic_class;
	send->hdr.hop_limit = grh->hop_limit;
	send->hdr.solicited = wr->send_flags & IB_SEND_SOLICITED;
	send->wr_id = wr->wr_id;
	send->signaled = gsi->sig_all || wr->send_flags & IB_SEND_SIGNALED;
	send->sgid_attr = ud->ah->sgid_attr;
	/* The AH may be destroyed before the send is over. */
	rdma_hold_gid_attr(send->sgid_attr);
	return 0;
}

static int vhyv_gsi_post_one(struct vhyv_gsi *gsi, const struct ib_send_wr *wr)
{
	u32 tail;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state < IB_QPS_RTS)
		return -EINVAL;
	if (gsi->sq_count == gsi->cap.max_send_wr)
		return -ENOMEM;
	tail = (gsi->sq_head + gsi->sq_count) % gsi->cap.max_send_wr;
	ret = vhyv_gsi_fill_send(gsi, &gsi->sq[tail], wr);
	if (ret)
		return ret;
	gsi->sq_count++;
	gsi->psn = (gsi->psn + 1) & 0xffffff;
	return 0;
}

/**
 * vhyv_gsi_post_send() - send datagrams
 * @qp: a GSI
 * @wr: what to send
 * @bad_wr: on error the first work request that is not sent
 *
 * Context: any.
 * Return: 0, -EINVAL, -ENOMEM if the queue is full.
 */
int vhyv_gsi_post_send(struct vhyv_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	struct vhyv_gsi *gsi = qp->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr && !ret; wr = ret ? wr : wr->next)
		ret = vhyv_gsi_post_one(gsi, wr);
	/* Inside, so that after a change to RESET there is no more of it. */
	if (gsi->sq_count)
		queue_work(vhyv_gsi_dev(gsi)->wq, &gsi->work);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		*bad_wr = wr;
	return ret;
}

static int vhyv_gsi_post_one_recv(struct vhyv_gsi *gsi,
				  const struct ib_recv_wr *wr)
{
	struct vhyv_gsi_recv *recv;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state == IB_QPS_RESET || wr->num_sge != 1 ||
	    wr->sg_list[0].length < VHYV_GSI_RECV_LEN)
		return -EINVAL;
	if (gsi->rq_count == gsi->cap.max_recv_wr)
		return -ENOMEM;
	recv = &gsi->rq[(gsi->rq_head + gsi->rq_count) % gsi->cap.max_recv_wr];
	recv->wr_id = wr->wr_id;
	recv->buf = (void *)(uintptr_t)wr->sg_list[0].addr;
	gsi->rq_count++;
	return 0;
}

/**
 * vhyv_post_recv() - ib_device_ops.post_recv
 * @ibqp: the QP, which is always a GSI
 * @wr: buffers
 * @bad_wr: on error the first work request that is not posted
 *
 * Context: any.
 * Return: 0, -EINVAL, -ENOMEM if the queue is full.
 */
int vhyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	struct vhyv_gsi *gsi = to_vhyv_qp(ibqp)->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr && !ret; wr = ret ? wr : wr->next)
		ret = vhyv_gsi_post_one_recv(gsi, wr);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		*bad_wr = wr;
	/* The QP may have got into that state meanwhile. */
	vhyv_gsi_flush_recvs(gsi);
	return ret;
}

static bool vhyv_gsi_deliver(struct vhyv_gsi *gsi,
			     const struct ib_gid_attr *sgid_attr,
			     const void *pkt, size_t len)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.qp = ibqp,
		.src_qp = VHYV_GSI_QPN,
		.port_num = gsi->port_num,
		.byte_len = VHYV_GSI_RECV_LEN,
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
	};
	struct vhyv_gsi_recv recv;
	struct vhyv_roce_hdr hdr;
	const void *mad;
	u16 vlan_id;

	switch (vhyv_roce_parse(pkt, len, &hdr, &mad)) {
	case 0:
		break;
	case -EBADMSG:
		vhyv_gsi_count(gsi, VHYV_GSI_ICRC_ERRORS);
		return false;
	case -EACCES:
		vhyv_gsi_count(gsi, VHYV_GSI_KEY_VIOLATIONS);
		return false;
	default:
		vhyv_gsi_count(gsi, VHYV_GSI_MALFORMED);
		return false;
	}

	/* Without its network device the address is about to go away. */
	if (rdma_read_gid_l2_fields(sgid_attr, &vlan_id, NULL))
		return false;
	if (vlan_id < VLAN_N_VID) {
		wc.vlan_id = vlan_id;
		wc.wc_flags |= IB_WC_WITH_VLAN;
	}
	wc.network_hdr_type = vhyv_roce_gid_is_ipv4(hdr.dgid) ?
			      RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	if (!vhyv_gsi_take_recv(gsi, true, &recv)) {
		vhyv_gsi_count(gsi, VHYV_GSI_NO_BUFFER);
		return false;
	}
	wc.wr_id = recv.wr_id;
	vhyv_roce_grh(recv.buf, pkt);
	memcpy(recv.buf + VHYV_ROCE_GRH_LEN, mad, VHYV_ROCE_MAD_LEN);
	vhyv_gsi_count(gsi, VHYV_GSI_RECEIVED);
	vhyv_kcq_push(ibqp->recv_cq, &wc, hdr.solicited);
	return true;
}

/**
 * vhyv_gsi_receive() - take a packet to the GSI that it is for
 * @pkt: from the IP header on, aligned to 4
 * @len: its bytes
 * @ndev: network device on which it has arrived
 *
 * An address is that of the port which has it in its GID table, with the network
 * device that the packet has come in by. That may also be loopback, or the
 * device that stands for a routing domain.
 *
 * Context: softirq, or any with softirqs off; in a read section of RCU.
 * Return: true if a GSI has got it.
 */
bool vhyv_gsi_receive(const void *pkt, size_t len, struct net_device *ndev)
{
	bool any = ndev->flags & IFF_LOOPBACK || netif_is_l3_master(ndev);
	const struct ib_gid_attr *sgid_attr;
	struct vhyv_roce_hdr hdr;
	struct vhyv_gsi *gsi;
	union ib_gid dgid;
	bool ret;

	if (vhyv_roce_parse_ip(pkt, len, &hdr))
		return false;
	memcpy(dgid.raw, hdr.dgid, sizeof(dgid.raw));
	list_for_each_entry_rcu(gsi, &gsi_list, link) {
		sgid_attr = rdma_find_gid_by_port(gsi->qp->ibqp.device, &dgid,
						  IB_GID_TYPE_ROCE_UDP_ENCAP,
						  gsi->port_num,
						  any ? NULL : ndev);
		if (IS_ERR(sgid_attr))
			continue;
		ret = vhyv_gsi_deliver(gsi, sgid_attr, pkt, len);
		rdma_put_gid_attr(sgid_attr);
		return ret;
	}
	return false;
}
