// SPDX-License-Identifier: GPL-2.0-only
/*
 * General service interfaces (GSIs): QP 1 of each port, in software. The
 * connection managers of devices exchange datagrams through them.
 *
 * Sends are copied when they are posted, and a work item passes them to the IP
 * stack, as the consumer may post with its locks held and interrupts off. A
 * send completes when the stack has accepted or refused it; the protocol above
 * retransmits what is lost. Receives are filled in softirq context.
 *
 * Lock order: gsi_lock > RCU > gsi_qp.lock. The last one is not held while a
 * completion is added to a CQ, which has its own lock and calls its consumer.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/if_vlan.h>
#include <linux/in6.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "gsi/gsi.h"
#include "gsi/gsi_cq.h"
#include "gsi/gsi_net.h"
#include "gsi/gsi_pkt.h"

#define GSI_QPN		1
/* Maximum of the queue size parameters of ib_mad. */
#define GSI_MAX_WR		8192
#define GSI_MAX_SEND_SGE	8
#define GSI_RECV_LEN	(GSI_PKT_GRH_LEN + GSI_PKT_MAD_LEN)
/* A work request with this bit set in its Q_Key uses the Q_Key of the QP. */
#define QKEY_OWN		BIT(31)

static_assert(sizeof(struct ib_grh) == GSI_PKT_GRH_LEN);
static_assert(sizeof(union ib_gid) == GSI_PKT_GID_LEN);
static_assert(sizeof(struct ib_mad) == GSI_PKT_MAD_LEN);

/* A posted send. */
struct gsi_send {
	u64 wr_id;
	const struct ib_gid_attr *sgid_attr;	/* reference */
	struct gsi_pkt_hdr hdr;
	bool signaled;	/* the consumer requested a completion */
	u8 mad[GSI_PKT_MAD_LEN];
};

struct gsi_recv {
	u64 wr_id;
	void *buf;	/* GSI_RECV_LEN bytes */
};

/* A general service interface. */
struct gsi_qp {
	struct ib_qp *ibqp;
	const struct gsi_ops *ops;
	struct gsi_port *port;
	struct workqueue_struct *wq;
	struct gsi_cq *send_cq;
	struct gsi_cq *recv_cq;
	u32 port_num;
	bool sig_all;			/* every send is signaled */
	siphash_key_t key;		/* for tags of senders */
	struct ib_qp_cap cap;
	struct list_head link;		/* in gsi_list */
	struct work_struct work;	/* sends what has been posted */
	/* Ring of sends; the oldest one belongs to @work while that runs. */
	struct gsi_send *sq;
	struct gsi_recv *rq;	/* ring of receives */

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

static void gsi_count(const struct gsi_qp *gsi, enum gsi_counter what)
{
	atomic64_inc(&gsi->port->counters[what]);
}

/* Send the oldest posted send. Returns false if there is none. */
static bool gsi_send_next(struct gsi_qp *gsi)
{
	struct ib_wc wc = {
		.opcode = IB_WC_SEND,
		.qp = gsi->ibqp,
		.port_num = gsi->port_num,
	};
	struct gsi_send *send;
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
	else if (gsi_net_send(send->sgid_attr, &send->hdr, send->mad))
		gsi_count(gsi, GSI_SEND_ERRORS);
	else
		gsi_count(gsi, GSI_SENT);
	rdma_put_gid_attr(send->sgid_attr);
	signal = flush || send->signaled;

	/* After this the entry may be reused for another send. */
	spin_lock_irq(&gsi->lock);
	gsi->sq_head = (gsi->sq_head + 1) % gsi->cap.max_send_wr;
	gsi->sq_count--;
	spin_unlock_irq(&gsi->lock);
	if (signal)
		gsi_cq_push(gsi->send_cq, &wc, false);
	return true;
}

static void gsi_work(struct work_struct *work)
{
	struct gsi_qp *gsi = container_of(work, struct gsi_qp, work);

	while (gsi_send_next(gsi))
		cond_resched();
}

/*
 * Drop all work requests and completions of a GSI that is no longer posted to
 * and that gets no more packets.
 */
static void gsi_purge(struct gsi_qp *gsi)
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
	gsi_cq_remove_qp(gsi->send_cq, gsi->ibqp);
	gsi_cq_remove_qp(gsi->recv_cq, gsi->ibqp);
}

/*
 * Remove the oldest receive: to fill it with a packet (@filling), which needs a
 * QP that is ready, or to flush it. Returns false if there is none.
 */
static bool gsi_take_recv(struct gsi_qp *gsi, bool filling,
			  struct gsi_recv *recv)
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

static void gsi_flush_recvs(struct gsi_qp *gsi)
{
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = gsi->ibqp,
		.port_num = gsi->port_num,
	};
	struct gsi_recv recv;

	while (gsi_take_recv(gsi, false, &recv)) {
		wc.wr_id = recv.wr_id;
		gsi_cq_push(gsi->recv_cq, &wc, false);
	}
}

static int gsi_check_cap(const struct ib_qp_cap *cap)
{
	if (!cap->max_send_wr || cap->max_send_wr > GSI_MAX_WR ||
	    !cap->max_recv_wr || cap->max_recv_wr > GSI_MAX_WR ||
	    cap->max_send_sge > GSI_MAX_SEND_SGE ||
	    cap->max_recv_sge > 1 || cap->max_inline_data)
		return -EINVAL;
	return 0;
}

/* Let packets reach a GSI. -EBUSY if its port has one already. */
static int gsi_publish(struct gsi_qp *gsi)
{
	struct gsi_qp *other;
	int ret = 0;

	mutex_lock(&gsi_lock);
	list_for_each_entry(other, &gsi_list, link)
		if (other->port == gsi->port)
			ret = -EBUSY;
	if (!ret)
		list_add_tail_rcu(&gsi->link, &gsi_list);
	mutex_unlock(&gsi_lock);
	return ret;
}

/* Check if a kernel QP can be a GSI; those of other types are not supported. */
static int gsi_check_init(struct ib_device *ibdev,
			  const struct ib_qp_init_attr *attr)
{
	int ret;

	if (attr->qp_type != IB_QPT_GSI || attr->create_flags || attr->srq) {
		ibdev_dbg(ibdev, "kernel QP of type %u is not supported\n",
			  attr->qp_type);
		return -EOPNOTSUPP;
	}
	if (!attr->send_cq || !attr->recv_cq ||
	    !rdma_is_port_valid(ibdev, attr->port_num)) {
		ibdev_dbg(ibdev, "GSI of port %u lacks a CQ or a valid port\n",
			  attr->port_num);
		return -EINVAL;
	}
	ret = gsi_check_cap(&attr->cap);
	if (ret)
		ibdev_dbg(ibdev,
			  "GSI with %u sends and %u receives is out of range\n",
			  attr->cap.max_send_wr, attr->cap.max_recv_wr);
	return ret;
}

/**
 * gsi_create() - make a kernel QP the GSI of a port
 * @ops: of the driver
 * @ibqp: QP, whose number is set
 * @attr: as for ib_device_ops.create_qp
 *
 * The caller has a reference from gsi_net_get(), until after gsi_destroy().
 *
 * Return: the GSI, or ERR_PTR(): -EOPNOTSUPP for a QP of another type, -EBUSY if
 * the port has a GSI, -EINVAL, or -ENOMEM
 */
struct gsi_qp *gsi_create(const struct gsi_ops *ops, struct ib_qp *ibqp,
			  const struct ib_qp_init_attr *attr)
{
	struct ib_device *ibdev = ibqp->device;
	struct gsi_qp *gsi;
	int ret;

	ret = gsi_check_init(ibdev, attr);
	if (ret)
		return ERR_PTR(ret);

	gsi = kzalloc(sizeof(*gsi), GFP_KERNEL);
	if (!gsi)
		return ERR_PTR(-ENOMEM);
	gsi->ibqp = ibqp;
	gsi->ops = ops;
	gsi->port = ops->port(ibdev, attr->port_num);
	gsi->wq = ops->wq(ibdev);
	gsi->send_cq = ops->cq(attr->send_cq);
	gsi->recv_cq = ops->cq(attr->recv_cq);
	gsi->port_num = attr->port_num;
	gsi->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	gsi->cap = attr->cap;
	gsi->state = IB_QPS_RESET;
	get_random_bytes(&gsi->key, sizeof(gsi->key));
	spin_lock_init(&gsi->lock);
	INIT_WORK(&gsi->work, gsi_work);
	ret = -ENOMEM;
	gsi->sq = kvcalloc(gsi->cap.max_send_wr, sizeof(*gsi->sq), GFP_KERNEL);
	if (!gsi->sq)
		goto err_free;
	gsi->rq = kvcalloc(gsi->cap.max_recv_wr, sizeof(*gsi->rq), GFP_KERNEL);
	if (!gsi->rq)
		goto err_free_sq;

	ret = gsi_publish(gsi);
	if (ret)
		goto err_free_rq;
	ibqp->qp_num = GSI_QPN;
	/* Netlink queries what it lists, and some kernels do so after the destruction. */
	rdma_restrack_no_track(&ibqp->res);
	return gsi;

err_free_rq:
	kvfree(gsi->rq);
err_free_sq:
	kvfree(gsi->sq);
err_free:
	kfree(gsi);
	return ERR_PTR(ret);
}

/* Undo gsi_create(); removes the completions of the QP from its CQs. */
void gsi_destroy(struct gsi_qp *gsi)
{
	mutex_lock(&gsi_lock);
	list_del_rcu(&gsi->link);
	mutex_unlock(&gsi_lock);
	gsi_purge(gsi);
	kvfree(gsi->rq);
	kvfree(gsi->sq);
	kfree(gsi);
}

int gsi_modify(struct gsi_qp *gsi, const struct ib_qp_attr *attr, int mask)
{
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
		ibdev_dbg(gsi->ibqp->device,
			  "invalid change of the GSI to state %u\n", state);
		return ret;
	}

	if (state == IB_QPS_RESET) {
		gsi_purge(gsi);
	} else if (state == IB_QPS_ERR) {
		gsi_flush_recvs(gsi);
		queue_work(gsi->wq, &gsi->work);
	}
	return 0;
}

void gsi_query(struct gsi_qp *gsi, struct ib_qp_attr *attr,
	       struct ib_qp_init_attr *init_attr)
{
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

/*
 * Keep the address of a kernel AH in @copy, without sgid_attr, whose reference ib_core
 * has. A GSI sends to an address of the kind that its own is of. In any context.
 */
int gsi_init_ah(struct ib_ah *ibah, const struct rdma_ah_attr *attr,
		struct rdma_ah_attr *copy)
{
	const struct ib_gid_attr *sgid_attr = ibah->sgid_attr;
	const union ib_gid *dgid;

	if (!sgid_attr || !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH)) {
		ibdev_dbg(ibah->device, "kernel AH needs a GRH\n");
		return -EINVAL;
	}
	dgid = &rdma_ah_read_grh(attr)->dgid;
	if (rdma_is_multicast_addr((struct in6_addr *)dgid->raw) ||
	    gsi_pkt_gid_is_ipv4(dgid->raw) !=
	    gsi_pkt_gid_is_ipv4(sgid_attr->gid.raw)) {
		ibdev_dbg(ibah->device, "GID %pI6c is not usable for %pI6c\n",
			  dgid->raw, sgid_attr->gid.raw);
		return -EINVAL;
	}
	*copy = *attr;
	copy->grh.sgid_attr = NULL;
	return 0;
}

/* Copy the datagram of a work request. */
static int gsi_gather(void *mad, const struct ib_send_wr *wr)
{
	size_t len = 0;
	int i;

	if (wr->num_sge > GSI_MAX_SEND_SGE)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > GSI_PKT_MAD_LEN - len)
			return -EINVAL;
		/* A virtual address, as the ib_device has no DMA device. */
		memcpy(mad + len, (void *)(uintptr_t)sge->addr, sge->length);
		len += sge->length;
	}
	return len == GSI_PKT_MAD_LEN ? 0 : -EINVAL;
}

static int gsi_fill_send(struct gsi_qp *gsi, struct gsi_send *send,
			 const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct ib_global_route *grh;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (wr->opcode != IB_WR_SEND || !ud->ah ||
	    ud->remote_qpn != GSI_QPN ||
	    (!(ud->remote_qkey & QKEY_OWN) &&
	     ud->remote_qkey != IB_QP1_QKEY))
		return -EINVAL;
	ret = gsi_gather(send->mad, wr);
	if (ret)
		return ret;

	grh = rdma_ah_read_grh(gsi->ops->ah_attr(ud->ah));
	memcpy(send->hdr.sgid, ud->ah->sgid_attr->gid.raw,
	       sizeof(send->hdr.sgid));
	memcpy(send->hdr.dgid, grh->dgid.raw, sizeof(send->hdr.dgid));
	send->hdr.psn = gsi->psn;
	send->hdr.flow_label = grh->flow_label;
	send->hdr.sport = rdma_get_udp_sport(grh->flow_label, GSI_QPN, GSI_QPN);
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

static int gsi_post_one(struct gsi_qp *gsi, const struct ib_send_wr *wr)
{
	u32 tail;
	int ret;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state < IB_QPS_RTS)
		return -EINVAL;
	if (gsi->sq_count == gsi->cap.max_send_wr)
		return -ENOMEM;
	tail = (gsi->sq_head + gsi->sq_count) % gsi->cap.max_send_wr;
	ret = gsi_fill_send(gsi, &gsi->sq[tail], wr);
	if (ret)
		return ret;
	gsi->sq_count++;
	gsi->psn = (gsi->psn + 1) & 0xffffff;
	return 0;
}

/* As ib_device_ops.post_send. */
int gsi_post_send(struct gsi_qp *gsi, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr; wr = wr->next) {
		ret = gsi_post_one(gsi, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	/* With the lock held: no work may be queued after a change to RESET. */
	if (gsi->sq_count)
		queue_work(gsi->wq, &gsi->work);
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		ibdev_dbg(gsi->ibqp->device, "cannot post to the GSI: %pe\n",
			  ERR_PTR(ret));
	return ret;
}

static int gsi_post_one_recv(struct gsi_qp *gsi, const struct ib_recv_wr *wr)
{
	struct gsi_recv *recv;

	lockdep_assert_held(&gsi->lock);

	if (gsi->state == IB_QPS_RESET || wr->num_sge != 1 ||
	    wr->sg_list[0].length < GSI_RECV_LEN)
		return -EINVAL;
	if (gsi->rq_count == gsi->cap.max_recv_wr)
		return -ENOMEM;
	recv = &gsi->rq[(gsi->rq_head + gsi->rq_count) % gsi->cap.max_recv_wr];
	recv->wr_id = wr->wr_id;
	recv->buf = (void *)(uintptr_t)wr->sg_list[0].addr;
	gsi->rq_count++;
	return 0;
}

/* As ib_device_ops.post_recv. */
int gsi_post_recv(struct gsi_qp *gsi, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&gsi->lock, flags);
	for (; wr; wr = wr->next) {
		ret = gsi_post_one_recv(gsi, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&gsi->lock, flags);
	if (ret)
		ibdev_dbg(gsi->ibqp->device,
			  "cannot post a receive to the GSI: %pe\n",
			  ERR_PTR(ret));
	/* Does nothing unless the QP has entered the error state. */
	gsi_flush_recvs(gsi);
	return ret;
}

/*
 * A number for whoever has a GID in the network that @ndev is in. Not one that a sender
 * can compute, which may be free to choose its GID.
 */
static u64 gsi_sender_tag(const struct gsi_qp *gsi,
			  const struct gsi_pkt_hdr *hdr,
			  const struct net_device *ndev)
{
	struct {
		u8 sgid[GSI_PKT_GID_LEN];
		u64 ifindex;
	} __aligned(SIPHASH_ALIGNMENT) from = { .ifindex = ndev->ifindex };

	static_assert(sizeof(from) == GSI_PKT_GID_LEN + sizeof(u64));
	memcpy(from.sgid, hdr->sgid, sizeof(from.sgid));
	return siphash(&from, sizeof(from), &gsi->key);
}

static bool gsi_deliver(struct gsi_qp *gsi, const struct ib_gid_attr *sgid_attr,
			const void *pkt, size_t len)
{
	struct ib_wc wc = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.qp = gsi->ibqp,
		.src_qp = GSI_QPN,
		.port_num = gsi->port_num,
		.byte_len = GSI_RECV_LEN,
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
	};
	struct gsi_recv recv;
	struct gsi_pkt_hdr hdr;
	struct net_device *ndev;
	const void *mad;
	u16 vlan_id;

	switch (gsi_pkt_parse(pkt, len, &hdr, &mad)) {
	case 0:
		if (gsi_pkt_is_cm(&hdr, mad))
			break;
		gsi_count(gsi, GSI_MALFORMED);
		return false;
	case -EBADMSG:
		gsi_count(gsi, GSI_ICRC_ERRORS);
		return false;
	case -EACCES:
		gsi_count(gsi, GSI_KEY_VIOLATIONS);
		return false;
	default:
		gsi_count(gsi, GSI_MALFORMED);
		return false;
	}

	/* A GID without a network device is about to be deleted. */
	ndev = rdma_read_gid_attr_ndev_rcu(sgid_attr);
	if (IS_ERR(ndev) || rdma_read_gid_l2_fields(sgid_attr, &vlan_id, NULL))
		return false;
	if (vlan_id < VLAN_N_VID) {
		wc.vlan_id = vlan_id;
		wc.wc_flags |= IB_WC_WITH_VLAN;
	}
	wc.network_hdr_type = gsi_pkt_gid_is_ipv4(hdr.dgid) ?
			      RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	if (!gsi_take_recv(gsi, true, &recv)) {
		gsi_count(gsi, GSI_NO_BUFFER);
		return false;
	}
	wc.wr_id = recv.wr_id;
	gsi_pkt_grh(recv.buf, pkt);
	memcpy(recv.buf + GSI_PKT_GRH_LEN, mad, GSI_PKT_MAD_LEN);
	gsi_pkt_tag_sender(recv.buf + GSI_PKT_GRH_LEN,
			   gsi_sender_tag(gsi, &hdr, ndev));
	gsi_count(gsi, GSI_RECEIVED);
	gsi_cq_push(gsi->recv_cq, &wc, hdr.solicited);
	return true;
}

/* Returns as rdma_find_gid_by_port(). @ndev may be NULL: any. */
static const struct ib_gid_attr *gsi_find_gid(struct gsi_qp *gsi, const u8 *raw,
					      struct net_device *ndev)
{
	union ib_gid gid;

	memcpy(gid.raw, raw, sizeof(gid.raw));
	return rdma_find_gid_by_port(gsi->ibqp->device, &gid,
				     IB_GID_TYPE_ROCE_UDP_ENCAP, gsi->port_num,
				     ndev);
}

/*
 * Does a packet from the network claim to be from its receiver? The IP stack drops such
 * packets of IPv4 only. In a VRF, nothing tells them from those that the receiver has
 * sent to itself.
 */
static bool gsi_is_from_self(struct gsi_qp *gsi, const struct gsi_pkt_hdr *hdr,
			     struct net_device *ndev)
{
	const struct ib_gid_attr *attr = gsi_find_gid(gsi, hdr->sgid, ndev);

	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	gsi_count(gsi, GSI_MALFORMED);
	return true;
}

/**
 * gsi_receive() - deliver a packet to its GSI
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
bool gsi_receive(const void *pkt, size_t len, struct net_device *ndev)
{
	bool local = ndev->flags & IFF_LOOPBACK || netif_is_l3_master(ndev);
	const struct ib_gid_attr *sgid_attr;
	struct gsi_pkt_hdr hdr;
	struct gsi_qp *gsi;
	bool ret;

	if (gsi_pkt_parse_ip(pkt, len, &hdr))
		return false;
	list_for_each_entry_rcu(gsi, &gsi_list, link) {
		sgid_attr = gsi_find_gid(gsi, hdr.dgid, local ? NULL : ndev);
		if (IS_ERR(sgid_attr))
			continue;
		ret = (local || !gsi_is_from_self(gsi, &hdr, ndev)) &&
		      gsi_deliver(gsi, sgid_attr, pkt, len);
		rdma_put_gid_attr(sgid_attr);
		return ret;
	}
	return false;
}

/* Read all counters of a port into an array of GSI_COUNTERS. */
void gsi_read_counters(const struct gsi_port *port, u64 *values)
{
	int i;

	for (i = 0; i < GSI_COUNTERS; i++)
		values[i] = atomic64_read(&port->counters[i]);
}
