// SPDX-License-Identifier: GPL-2.0-only
/*
 * General service interfaces (GSIs): QP 1 of each port, in software. The
 * connection managers of guests exchange datagrams through them.
 *
 * Sends are copied when they are posted, and a work item passes them to the IP
 * stack, as the consumer may post with its locks held and interrupts off. A
 * send completes when the stack has accepted or refused it; the protocol above
 * retransmits what is lost. Receives are filled in softirq context.
 *
 * Lock order: gsi_lock > RCU > vhyv_gsi.lock. The last one is not held while a
 * completion is added to a CQ, which has its own lock and calls its consumer.
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
#include "address/gsi_cq.h"
#include "address/gsi_net.h"
#include "address/roce_pkt.h"
#include "objects.h"

#define VHYV_GSI_QPN		1
/* Maximum of the queue size parameters of ib_mad. */
#define VHYV_GSI_MAX_WR		8192
#define VHYV_GSI_MAX_SEND_SGE	8
#define VHYV_GSI_RECV_LEN	(VHYV_ROCE_GRH_LEN + VHYV_ROCE_MAD_LEN)
/* A work request with this bit set in its Q_Key uses the Q_Key of the QP. */
#define VHYV_QKEY_OWN		BIT(31)

static_assert(sizeof(struct ib_grh) == VHYV_ROCE_GRH_LEN);
static_assert(sizeof(union ib_gid) == VHYV_ROCE_GID_LEN);
static_assert(sizeof(struct ib_mad) == VHYV_ROCE_MAD_LEN);

/* A posted send. */
struct vhyv_gsi_send {
	u64 wr_id;
	const struct ib_gid_attr *sgid_attr;	/* reference */
	struct vhyv_roce_hdr hdr;
	bool signaled;	/* the consumer requested a completion */
	u8 mad[VHYV_ROCE_MAD_LEN];
};

struct vhyv_gsi_recv {
	u64 wr_id;
	void *buf;	/* VHYV_GSI_RECV_LEN bytes */
};

/* A general service interface. */
struct vhyv_gsi {
	struct vhyv_qp *qp;
	u32 port_num;
	bool sig_all;			/* every send is signaled */
	struct ib_qp_cap cap;
	struct list_head link;		/* in gsi_list */
	struct work_struct work;	/* sends what has been posted */
	/* Ring of sends; the oldest one belongs to @work while that runs. */
	struct vhyv_gsi_send *sq;
	struct vhyv_gsi_recv *rq;	/* ring of receives */

	spinlock_t lock;	/* protects the fields below and the rings */
	enum ib_qp_state state;
	u32 psn;		/* of the next packet */
	u32 qkey;
	u16 pkey_index;
	u32 sq_head;		/* oldest send */
	u32 sq_count;		/* sends in the ring */
	u32 rq_head;		/* oldest receive */
	u32 rq_count;		/* receives in the ring */
};

static DEFINE_MUTEX(gsi_lock);

/* Changed under gsi_lock, read under RCU. */
static LIST_HEAD(gsi_list);

static struct vhyv_dev *vhyv_gsi_dev(const struct vhyv_gsi *gsi)
{
	return to_vhyv_dev(gsi->qp->ibqp.device);
}

static void vhyv_gsi_count(const struct vhyv_gsi *gsi,
			   enum vhyv_gsi_counter what)
{
	struct vhyv_port *port = &vhyv_gsi_dev(gsi)->ports[gsi->port_num - 1];

	atomic64_inc(&port->gsi_counters[what]);
}

/* Send the oldest posted send. Returns false if there is none. */
static bool vhyv_gsi_send_next(struct vhyv_gsi *gsi)
{
	struct ib_qp *ibqp = &gsi->qp->ibqp;
	struct ib_wc wc = {
		.opcode = IB_WC_SEND,
		.qp = ibqp,
		.port_num = gsi->port_num,
	};
	struct vhyv_gsi_send *send;
	bool flush, signal;

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
	signal = flush || send->signaled;

	/* After this the entry may be reused for another send. */
	spin_lock_irq(&gsi->lock);
	gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	gsi->sq_count--;
	spin_unlock_irq(&gsi->lock);
	if (signal)
		vhyv_gsi_cq_push(ibqp->send_cq, &wc, false);
	return true;
}

static void vhyv_gsi_work(struct work_struct *work)
{
	struct vhyv_gsi *gsi = container_of(work, struct vhyv_gsi, work);

	while (vhyv_gsi_send_next(gsi))
		cond_resched();
}

/*
 * Drop all work requests and completions of a GSI that is no longer posted to
 * and that gets no more packets.
 */
static void vhyv_gsi_purge(struct vhyv_gsi *gsi)
{
	/* Wait for packets that are being copied into a buffer. */
	synchronize_rcu();
	cancel_work_sync(&gsi->work);
	spin_lock_irq(&gsi->lock);
	for (; gsi->sq_count; gsi->sq_count--) {
		rdma_put_gid_attr(gsi->sq[gsi->sq_head].sgid_attr);
		gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	}
	gsi->rq_count = 0;
	spin_unlock_irq(&gsi->lock);
	vhyv_gsi_cq_remove_qp(gsi->qp->ibqp.send_cq, &gsi->qp->ibqp);
	vhyv_gsi_cq_remove_qp(gsi->qp->ibqp.recv_cq, &gsi->qp->ibqp);
}

/*
 * Remove the oldest receive: to fill it with a packet (@filling), which needs a
 * QP that is ready, or to flush it. Returns false if there is none.
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
		vhyv_gsi_cq_push(ibqp->recv_cq, &wc, false);
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

/* Let packets reach a GSI. -EBUSY if its port has one already. */
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

/* Make @qp the GSI of a port. */
int vhyv_gsi_create(struct vhyv_qp *qp, struct ib_qp_init_attr *attr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(qp->ibqp.device);
	struct vhyv_gsi *gsi;
	int ret;

	if (!hdev->guest_gids || attr->qp_type != IB_QPT_GSI ||
	    attr->create_flags || attr->srq) {
		vhyv_dbg(hdev, "kernel QP of type %u is not supported\n",
			 attr->qp_type);
		return -EOPNOTSUPP;
	}
	if (!attr->send_cq || !attr->recv_cq ||
	    !rdma_is_port_valid(&hdev->ibdev, attr->port_num)) {
		vhyv_dbg(hdev, "GSI of port %u lacks a CQ or a valid port\n",
			 attr->port_num);
		return -EINVAL;
	}
	ret = vhyv_gsi_check_cap(&attr->cap);
	if (ret) {
		vhyv_dbg(hdev, "GSI with %u sends and %u receives is out of range\n",
			 attr->cap.max_send_wr, attr->cap.max_recv_wr);
		return ret;
	}

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

/* Undo vhyv_gsi_create(); removes the completions of the QP from its CQs. */
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
	if (ret) {
		ibdev_dbg(qp->ibqp.device, "invalid change of the GSI to state %u\n",
			  state);
		return ret;
	}

	if (state == IB_QPS_RESET) {
		vhyv_gsi_purge(gsi);
	} else if (state == IB_QPS_ERR) {
		vhyv_gsi_flush_recvs(gsi);
		queue_work(vhyv_gsi_dev(gsi)->wq, &gsi->work);
	}
	return 0;
}

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

/* Copy the datagram of a work request. */
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
		/* A virtual address, as the ib_device has no DMA device. */
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
	/* The AH may be destroyed before the send completes. */
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

/* As ib_device_ops.post_send. */
int vhyv_gsi_post_send(struct vhyv_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	struct vhyv_gsi *gsi = qp->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr; wr = wr->next) {
		ret = vhyv_gsi_post_one(gsi, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	/* With the lock held: no work may be queued after a change to RESET. */
	if (gsi->sq_count)
		queue_work(vhyv_gsi_dev(gsi)->wq, &gsi->work);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		ibdev_dbg(qp->ibqp.device, "cannot post to the GSI: %pe\n",
			  ERR_PTR(ret));
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

/* All QPs that the RDMA core posts receives to are GSIs. */
int vhyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	struct vhyv_gsi *gsi = to_vhyv_qp(ibqp)->gsi;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr; wr = wr->next) {
		ret = vhyv_gsi_post_one_recv(gsi, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		ibdev_dbg(ibqp->device, "cannot post a receive to the GSI: %pe\n",
			  ERR_PTR(ret));
	/* Does nothing unless the QP has entered the error state. */
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

	/* A GID without a network device is about to be deleted. */
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
	vhyv_gsi_cq_push(ibqp->recv_cq, &wc, hdr.solicited);
	return true;
}

/**
 * vhyv_gsi_receive() - deliver a packet to its GSI
 * @pkt: packet from the IP header on, aligned to 4
 * @len: length of @pkt
 * @ndev: network device that has received it
 *
 * A packet is for the port that has its destination address in the GID table,
 * for the network device of the packet. That device may also be the loopback
 * device, or the master device of a VRF.
 *
 * Context: Softirq or process context. Caller holds rcu_read_lock() and has
 * softirqs disabled.
 * Return: true if a GSI has received it.
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

static const struct rdma_stat_desc vhyv_gsi_counter_descs[] = {
	[VHYV_GSI_SENT].name = "gsi_sent",
	[VHYV_GSI_SEND_ERRORS].name = "gsi_send_errors",
	[VHYV_GSI_RECEIVED].name = "gsi_received",
	[VHYV_GSI_MALFORMED].name = "gsi_malformed",
	[VHYV_GSI_ICRC_ERRORS].name = "gsi_icrc_errors",
	[VHYV_GSI_KEY_VIOLATIONS].name = "gsi_key_violations",
	[VHYV_GSI_NO_BUFFER].name = "gsi_no_buffer",
};

static_assert(ARRAY_SIZE(vhyv_gsi_counter_descs) == VHYV_GSI_COUNTERS);

struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num)
{
	return rdma_alloc_hw_stats_struct(vhyv_gsi_counter_descs,
					  ARRAY_SIZE(vhyv_gsi_counter_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Reads all counters, whatever @index is. */
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index)
{
	struct vhyv_port *port;
	int i;

	port = vhyv_port(to_vhyv_dev(ibdev), port_num);
	if (!port)
		return -EINVAL;
	for (i = 0; i < VHYV_GSI_COUNTERS; i++)
		stats->value[i] = atomic64_read(&port->gsi_counters[i]);
	return VHYV_GSI_COUNTERS;
}
