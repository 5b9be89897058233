// SPDX-License-Identifier: GPL-2.0-only
/*
 * General service interfaces: QP 1 of each port, in software.
 *
 * Sends are copied when they are posted, and a work item gives them to the IP
 * stack, as the consumer may post under its locks and with interrupts off. A
 * send is over when the stack has taken it, or could not: what gets lost is for
 * the protocol above to send again. Receives are filled in softirqs.
 *
 * Locks: gsi_lock > RCU > hyv_gsi.lock. The last one is not held while something
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

#include "gsi.h"
#include "gsi_net.h"
#include "hyv_dev.h"
#include "kcq.h"
#include "roce_pkt.h"

#define HYV_GSI_QPN		1
/* The most that ib_mad can be told to ask for. */
#define HYV_GSI_MAX_WR		8192
#define HYV_GSI_MAX_SEND_SGE	8
#define HYV_GSI_RECV_LEN	(HYV_ROCE_GRH_LEN + HYV_ROCE_MAD_LEN)
/* Such a Q_Key in a work request stands for that of the QP. */
#define HYV_QKEY_OWN		BIT(31)

static_assert(sizeof(struct ib_grh) == HYV_ROCE_GRH_LEN);
static_assert(sizeof(union ib_gid) == HYV_ROCE_GID_LEN);
static_assert(sizeof(struct ib_mad) == HYV_ROCE_MAD_LEN);

/**
 * struct hyv_gsi_send - a send that has been posted
 * @wr_id: the consumer's name of it
 * @sgid_attr: reference to the GID that it leaves from
 * @hdr: its headers
 * @signaled: the consumer wants a completion
 * @mad: the datagram
 */
struct hyv_gsi_send {
	u64 wr_id;
	const struct ib_gid_attr *sgid_attr;
	struct hyv_roce_hdr hdr;
	bool signaled;
	u8 mad[HYV_ROCE_MAD_LEN];
};

/**
 * struct hyv_gsi_recv - a receive that has been posted
 * @wr_id: the consumer's name of it
 * @buf: HYV_GSI_RECV_LEN bytes
 */
struct hyv_gsi_recv {
	u64 wr_id;
	void *buf;
};

/**
 * struct hyv_gsi - a general service interface
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
struct hyv_gsi {
	struct hyv_qp *qp;
	u32 port_num;
	bool sig_all;
	struct ib_qp_cap cap;
	struct list_head link;
	struct work_struct work;
	struct hyv_gsi_send *sq;
	struct hyv_gsi_recv *rq;

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

static struct hyv_dev *hyv_gsi_dev(const struct hyv_gsi *gsi)
{
	return to_hyv_dev(gsi->qp->ibqp.device);
}

static void hyv_gsi_count(const struct hyv_gsi *gsi, enum hyv_gsi_counter what)
{
	struct hyv_port *port = &hyv_gsi_dev(gsi)->ports[gsi->port_num - 1];

	atomic64_inc(&port->gsi_counters[what]);
}

/* Send the oldest of what has been posted. Returns false if there is nothing. */
static bool hyv_gsi_send_next(struct hyv_gsi *gsi)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.opcode = IB_WC_SEND,
		.qp = ibqp,
		.port_num = gsi->port_num,
	};
	struct hyv_gsi_send *send;
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
	else if (hyv_gsi_net_send(send->sgid_attr, &send->hdr, send->mad))
		hyv_gsi_count(gsi, HYV_GSI_SEND_ERRORS);
	else
		hyv_gsi_count(gsi, HYV_GSI_SENT);
	rdma_put_gid_attr(send->sgid_attr);
	tell = flush || send->signaled;

	/* From here on the entry may be another send's. */
	spin_lock_irq(&gsi->lock);
	gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	gsi->sq_count--;
	spin_unlock_irq(&gsi->lock);
	if (tell)
		hyv_kcq_push(ibqp->send_cq, &wc, false);
	return true;
}

static void hyv_gsi_work(struct work_struct *work)
{
	struct hyv_gsi *gsi = container_of(work, struct hyv_gsi, work);

	while (hyv_gsi_send_next(gsi))
		cond_resched();
}

/*
 * Drop what has been posted, of a QP that no packet is for any more and that
 * nothing is being posted to.
 */
static void hyv_gsi_purge(struct hyv_gsi *gsi)
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
	hyv_kcq_forget(gsi->qp->ibqp.send_cq, &gsi->qp->ibqp);
	hyv_kcq_forget(gsi->qp->ibqp.recv_cq, &gsi->qp->ibqp);
}

/*
 * Take a receive. @filling: for a packet, which needs a QP that is ready;
 * otherwise to flush it. Returns false if there is none to be had.
 */
static bool hyv_gsi_take_recv(struct hyv_gsi *gsi, bool filling,
			      struct hyv_gsi_recv *recv)
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

static void hyv_gsi_flush_recvs(struct hyv_gsi *gsi)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = ibqp,
		.port_num = gsi->port_num,
	};
	struct hyv_gsi_recv recv;

	while (hyv_gsi_take_recv(gsi, false, &recv)) {
		wc.wr_id = recv.wr_id;
		hyv_kcq_push(ibqp->recv_cq, &wc, false);
	}
}

static int hyv_gsi_check_cap(const struct ib_qp_cap *cap)
{
	if (!cap->max_send_wr || cap->max_send_wr > HYV_GSI_MAX_WR ||
	    !cap->max_recv_wr || cap->max_recv_wr > HYV_GSI_MAX_WR ||
	    cap->max_send_sge > HYV_GSI_MAX_SEND_SGE ||
	    cap->max_recv_sge > 1 || cap->max_inline_data)
		return -EINVAL;
	return 0;
}

/* Let packets reach a GSI, unless its port has one. */
static int hyv_gsi_publish(struct hyv_gsi *gsi)
{
	struct hyv_gsi *other;
	int ret = 0;

	mutex_lock(&gsi_lock);
	list_for_each_entry(other, &gsi_list, link)
		if (hyv_gsi_dev(other) == hyv_gsi_dev(gsi) &&
		    other->port_num == gsi->port_num)
			ret = -EBUSY;
	if (!ret)
		list_add_tail_rcu(&gsi->link, &gsi_list);
	mutex_unlock(&gsi_lock);
	return ret;
}

/**
 * hyv_gsi_create() - make a QP the GSI of a port
 * @qp: the QP
 * @attr: what to create
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP if it is to be no GSI, -EINVAL, -EBUSY if the port has
 * one, -ENOMEM.
 */
int hyv_gsi_create(struct hyv_qp *qp, struct ib_qp_init_attr *attr)
{
	struct hyv_dev *hdev = to_hyv_dev(qp->ibqp.device);
	struct hyv_gsi *gsi;
	int ret;

	if (!hdev->guest_gids || attr->qp_type != IB_QPT_GSI ||
	    attr->create_flags || attr->srq)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq ||
	    !rdma_is_port_valid(&hdev->ibdev, attr->port_num))
		return -EINVAL;
	ret = hyv_gsi_check_cap(&attr->cap);
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
	INIT_WORK(&gsi->work, hyv_gsi_work);
	ret = -ENOMEM;
	gsi->sq = kvcalloc(gsi->cap.max_send_wr, sizeof(*gsi->sq), GFP_KERNEL);
	if (!gsi->sq)
		goto err_free;
	gsi->rq = kvcalloc(gsi->cap.max_recv_wr, sizeof(*gsi->rq), GFP_KERNEL);
	if (!gsi->rq)
		goto err_free_sq;

	ret = hyv_gsi_publish(gsi);
	if (ret)
		goto err_free_rq;
	qp->gsi = gsi;
	qp->ibqp.qp_num = HYV_GSI_QPN;
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
 * hyv_gsi_destroy() - undo hyv_gsi_create()
 * @qp: a QP to which nothing is being posted
 *
 * When it returns its CQs have no completions of it.
 *
 * Context: may sleep.
 */
void hyv_gsi_destroy(struct hyv_qp *qp)
{
	struct hyv_gsi *gsi = qp->gsi;

	mutex_lock(&gsi_lock);
	list_del_rcu(&gsi->link);
	mutex_unlock(&gsi_lock);
	hyv_gsi_purge(gsi);
	qp->gsi = NULL;
	kvfree(gsi->rq);
	kvfree(gsi->sq);
	kfree(gsi);
}

/**
 * hyv_gsi_modify() - change attributes of a GSI
 * @qp: the QP
 * @attr: new attributes
 * @mask: which of them
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int hyv_gsi_modify(struct hyv_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct hyv_gsi *gsi = qp->gsi;
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
		hyv_gsi_purge(gsi);
	} else if (state == IB_QPS_ERR) {
		hyv_gsi_flush_recvs(gsi);
		queue_work(hyv_gsi_dev(gsi)->wq, &gsi->work);
	}
	return 0;
}

/**
 * hyv_gsi_query() - read attributes of a GSI
 * @qp: the QP
 * @attr: all attributes that it has
 * @init_attr: how it was created
 *
 * Context: process.
 */
void hyv_gsi_query(struct hyv_qp *qp, struct ib_qp_attr *attr,
		   struct ib_qp_init_attr *init_attr)
{
	struct hyv_gsi *gsi = qp->gsi;

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
static int hyv_gsi_gather(void *mad, const struct ib_send_wr *wr)
{
	size_t len = 0;
	int i;

	if (wr->num_sge > HYV_GSI_MAX_SEND_SGE)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > HYV_ROCE_MAD_LEN - len)
			return -EINVAL;
		/* A device that maps nothing for DMA: the address is virtual. */
		memcpy(mad + len, (void *)(uintptr_t)sge->addr, sge->length);
		len += sge->length;
	}
	return len == HYV_ROCE_MAD_LEN ? 0 : -EINVAL;
}

static int hyv_gsi_fill_send(struct hyv_gsi *gsi, struct hyv_gsi_send *send,
			     const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct ib_global_route *grh;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (wr->opcode != IB_WR_SEND || !ud->ah ||
	    ud->remote_qpn != HYV_GSI_QPN ||
	    (!(ud->remote_qkey & HYV_QKEY_OWN) &&
	     ud->remote_qkey != IB_QP1_QKEY))
		return -EINVAL;
	ret = hyv_gsi_gather(send->mad, wr);
	if (ret)
		return ret;

	grh = rdma_ah_read_grh(&to_hyv_ah(ud->ah)->attr);
	memcpy(send->hdr.sgid, ud->ah->sgid_attr->gid.raw,
	       sizeof(send->hdr.sgid));
	memcpy(send->hdr.dgid, grh->dgid.raw, sizeof(send->hdr.dgid));
	send->hdr.psn = gsi->psn;
	send->hdr.flow_label = grh->flow_label;
	send->hdr.sport = rdma_get_udp_sport(grh->flow_label, HYV_GSI_QPN,
					     HYV_GSI_QPN);
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

static int hyv_gsi_post_one(struct hyv_gsi *gsi, const struct ib_send_wr *wr)
{
	u32 tail;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state < IB_QPS_RTS)
		return -EINVAL;
	if (gsi->sq_count == gsi->cap.max_send_wr)
		return -ENOMEM;
	tail = (gsi->sq_head + gsi->sq_count) % gsi->cap.max_send_wr;
	ret = hyv_gsi_fill_send(gsi, &gsi->sq[tail], wr);
	if (ret)
		return ret;
	gsi->sq_count++;
	gsi->psn = (gsi->psn + 1) & 0xffffff;
	return 0;
}

/**
 * hyv_gsi_post_send() - send datagrams
 * @qp: a GSI
 * @wr: what to send
 * @bad_wr: on error the first work request that is not sent
 *
 * Context: any.
 * Return: 0, -EINVAL, -ENOMEM if the queue is full.
 */
int hyv_gsi_post_send(struct hyv_qp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad_wr)
{
	struct hyv_gsi *gsi = qp->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr && !ret; wr = ret ? wr : wr->next)
		ret = hyv_gsi_post_one(gsi, wr);
	/* Inside, so that after a change to RESET there is no more of it. */
	if (gsi->sq_count)
		queue_work(hyv_gsi_dev(gsi)->wq, &gsi->work);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		*bad_wr = wr;
	return ret;
}

static int hyv_gsi_post_one_recv(struct hyv_gsi *gsi,
				 const struct ib_recv_wr *wr)
{
	struct hyv_gsi_recv *recv;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state == IB_QPS_RESET || wr->num_sge != 1 ||
	    wr->sg_list[0].length < HYV_GSI_RECV_LEN)
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
 * hyv_post_recv() - ib_device_ops.post_recv
 * @ibqp: the QP, which is always a GSI
 * @wr: buffers
 * @bad_wr: on error the first work request that is not posted
 *
 * Context: any.
 * Return: 0, -EINVAL, -ENOMEM if the queue is full.
 */
int hyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct hyv_gsi *gsi = to_hyv_qp(ibqp)->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr && !ret; wr = ret ? wr : wr->next)
		ret = hyv_gsi_post_one_recv(gsi, wr);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		*bad_wr = wr;
	/* The QP may have got into that state meanwhile. */
	hyv_gsi_flush_recvs(gsi);
	return ret;
}

static bool hyv_gsi_deliver(struct hyv_gsi *gsi,
			    const struct ib_gid_attr *sgid_attr,
			    const void *pkt, size_t len)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.qp = ibqp,
		.src_qp = HYV_GSI_QPN,
		.port_num = gsi->port_num,
		.byte_len = HYV_GSI_RECV_LEN,
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
	};
	struct hyv_gsi_recv recv;
	struct hyv_roce_hdr hdr;
	const void *mad;
	u16 vlan_id;

	switch (hyv_roce_parse(pkt, len, &hdr, &mad)) {
	case 0:
		break;
	case -EBADMSG:
		hyv_gsi_count(gsi, HYV_GSI_ICRC_ERRORS);
		return false;
	case -EACCES:
		hyv_gsi_count(gsi, HYV_GSI_KEY_VIOLATIONS);
		return false;
	default:
		hyv_gsi_count(gsi, HYV_GSI_MALFORMED);
		return false;
	}

	/* Without its network device the address is about to go away. */
	if (rdma_read_gid_l2_fields(sgid_attr, &vlan_id, NULL))
		return false;
	if (vlan_id < VLAN_N_VID) {
		wc.vlan_id = vlan_id;
		wc.wc_flags |= IB_WC_WITH_VLAN;
	}
	wc.network_hdr_type = hyv_roce_gid_is_ipv4(hdr.dgid) ?
			      RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	if (!hyv_gsi_take_recv(gsi, true, &recv)) {
		hyv_gsi_count(gsi, HYV_GSI_NO_BUFFER);
		return false;
	}
	wc.wr_id = recv.wr_id;
	hyv_roce_grh(recv.buf, pkt);
	memcpy(recv.buf + HYV_ROCE_GRH_LEN, mad, HYV_ROCE_MAD_LEN);
	hyv_gsi_count(gsi, HYV_GSI_RECEIVED);
	hyv_kcq_push(ibqp->recv_cq, &wc, hdr.solicited);
	return true;
}

/**
 * hyv_gsi_receive() - take a packet to the GSI that it is for
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
bool hyv_gsi_receive(const void *pkt, size_t len, struct net_device *ndev)
{
	bool any = ndev->flags & IFF_LOOPBACK || netif_is_l3_master(ndev);
	const struct ib_gid_attr *sgid_attr;
	struct hyv_roce_hdr hdr;
	struct hyv_gsi *gsi;
	union ib_gid dgid;
	bool ret;

	if (hyv_roce_parse_ip(pkt, len, &hdr))
		return false;
	memcpy(dgid.raw, hdr.dgid, sizeof(dgid.raw));
	list_for_each_entry_rcu(gsi, &gsi_list, link) {
		sgid_attr = rdma_find_gid_by_port(gsi->qp->ibqp.device, &dgid,
						  IB_GID_TYPE_ROCE_UDP_ENCAP,
						  gsi->port_num,
						  any ? NULL : ndev);
		if (IS_ERR(sgid_attr))
			continue;
		ret = hyv_gsi_deliver(gsi, sgid_attr, pkt, len);
		rdma_put_gid_attr(sgid_attr);
		return ret;
	}
	return false;
}
