// SPDX-License-Identifier: GPL-2.0-only
/* Kernel CQs for GSIs. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "gsi/gsi_cq.h"

/* Ring of completions. */
struct gsi_cq {
	struct ib_cq *ibcq;
	u32 size;		/* entries of @wc */

	spinlock_t lock;	/* protects the fields below */
	u32 head;		/* oldest completion */
	u32 count;		/* completions in the ring */
	/* Completions that the consumer waits for; 0 for none. */
	enum ib_cq_notify_flags armed;
	struct ib_wc wc[];
};

static struct ib_wc *gsi_cq_at(struct gsi_cq *ring, u32 n)
{
	lockdep_assert_held(&ring->lock);
	return &ring->wc[(ring->head + n) % ring->size];
}

/* Make @ibcq a kernel CQ. Returns its ring, or ERR_PTR(). */
struct gsi_cq *gsi_cq_create(struct ib_cq *ibcq,
			     const struct ib_cq_init_attr *attr)
{
	struct gsi_cq *ring;

	if (!attr->cqe || attr->cqe > ibcq->device->attrs.max_cqe) {
		ibdev_dbg(ibcq->device,
			  "kernel CQ of %u entries, must be 1 to %d\n",
			  attr->cqe, ibcq->device->attrs.max_cqe);
		return ERR_PTR(-EINVAL);
	}
	ring = kvzalloc(struct_size(ring, wc, attr->cqe), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->ibcq = ibcq;
	ring->size = attr->cqe;
	spin_lock_init(&ring->lock);
	ibcq->cqe = attr->cqe;
	return ring;
}

/* Undo gsi_cq_create() for a CQ that no QP uses. */
void gsi_cq_destroy(struct gsi_cq *ring)
{
	kvfree(ring);
}

/**
 * gsi_cq_push() - add a completion, and call a consumer that waits for one
 * @ring: kernel CQ, which a QP of the caller keeps alive
 * @wc: completion
 * @solicited: the sender requested a solicited event
 *
 * A consumer must have room for what it has posted. If not, the completion is
 * lost and the consumer gets IB_EVENT_CQ_ERR.
 *
 * Context: Any context. Takes the CQ's lock, but not around the consumer.
 */
void gsi_cq_push(struct gsi_cq *ring, const struct ib_wc *wc, bool solicited)
{
	struct ib_cq *ibcq = ring->ibcq;
	struct ib_event event = {
		.device = ibcq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = ibcq,
	};
	bool full, call = false;
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	full = ring->count == ring->size;
	if (!full) {
		*gsi_cq_at(ring, ring->count) = *wc;
		ring->count++;
		call = ring->armed & IB_CQ_NEXT_COMP ||
		       (ring->armed &&
			(solicited || wc->status != IB_WC_SUCCESS));
		if (call)
			ring->armed = 0;
	}
	spin_unlock_irqrestore(&ring->lock, flags);

	if (call && ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	if (full && ibcq->event_handler)
		ibcq->event_handler(&event, ibcq->cq_context);
}

/* Remove the completions of a QP that adds none any longer. */
void gsi_cq_remove_qp(struct gsi_cq *ring, const struct ib_qp *ibqp)
{
	unsigned long flags;
	u32 n, kept = 0;

	spin_lock_irqsave(&ring->lock, flags);
	for (n = 0; n < ring->count; n++)
		if (gsi_cq_at(ring, n)->qp != ibqp)
			*gsi_cq_at(ring, kept++) = *gsi_cq_at(ring, n);
	ring->count = kept;
	spin_unlock_irqrestore(&ring->lock, flags);
}

/* As ib_device_ops.req_notify_cq. */
int gsi_cq_arm(struct gsi_cq *ring, enum ib_cq_notify_flags flags)
{
	unsigned long irq_flags;
	int ret;

	spin_lock_irqsave(&ring->lock, irq_flags);
	/* Do not downgrade IB_CQ_NEXT_COMP to solicited. */
	if (!(ring->armed & IB_CQ_NEXT_COMP))
		ring->armed = flags & IB_CQ_SOLICITED_MASK;
	ret = flags & IB_CQ_REPORT_MISSED_EVENTS && ring->count;
	spin_unlock_irqrestore(&ring->lock, irq_flags);
	return ret;
}

/* As ib_device_ops.poll_cq. */
int gsi_cq_poll(struct gsi_cq *ring, int num_entries, struct ib_wc *wc)
{
	unsigned long flags;
	int n;

	spin_lock_irqsave(&ring->lock, flags);
	for (n = 0; n < num_entries && ring->count; n++) {
		wc[n] = *gsi_cq_at(ring, 0);
		ring->head = (ring->head + 1) % ring->size;
		ring->count--;
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return n;
}
