// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues of the kernel, for its GSIs. */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "dev.h"
#include "address/gsi_cq.h"

/**
 * struct vhyv_kcq - ring of completions
 * @size: entries of @wc
 * @lock: protects the fields below
 * @head: oldest completion
 * @count: completions in the ring
 * @armed: for which completions the consumer is to be called; 0 for none
 * @wc: the ring
 */
struct vhyv_kcq {
	u32 size;

	spinlock_t lock;	/* protects the fields below */
	u32 head;
	u32 count;
	enum ib_cq_notify_flags armed;
	struct ib_wc wc[];
};

static struct ib_wc *vhyv_kcq_at(struct vhyv_kcq *kcq, u32 n)
{
	lockdep_assert_held(&kcq->lock);
	return &kcq->wc[(kcq->head + n) % kcq->size];
}

/**
 * vhyv_kcq_create() - make a CQ one of the kernel
 * @cq: the CQ
 * @attr: what to create
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int vhyv_kcq_create(struct vhyv_cq *cq, const struct ib_cq_init_attr *attr)
{
	struct vhyv_kcq *kcq;

	if (!attr->cqe || attr->cqe > cq->ibcq.device->attrs.max_cqe)
		return -EINVAL;
	kcq = kvzalloc(struct_size(kcq, wc, attr->cqe), GFP_KERNEL);
	if (!kcq)
		return -ENOMEM;
	kcq->size = attr->cqe;
	spin_lock_init(&kcq->lock);
	cq->kcq = kcq;
	cq->ibcq.cqe = attr->cqe;
	return 0;
}

/**
 * vhyv_kcq_destroy() - undo vhyv_kcq_create()
 * @cq: a CQ which no QP uses any more
 *
 * Context: may sleep.
 */
void vhyv_kcq_destroy(struct vhyv_cq *cq)
{
	kvfree(cq->kcq);
	cq->kcq = NULL;
}

/**
 * vhyv_kcq_push() - add a completion, and call the consumer if it waits for one
 * @ibcq: CQ of the kernel, which a QP of the caller's keeps alive
 * @wc: the completion
 * @solicited: the sender has asked that the consumer be called
 *
 * A consumer must have room for what it has posted; if not, the completion is
 * lost and the consumer hears of that.
 *
 * Context: any. Takes the CQ's lock; the consumer is called without it.
 */
void vhyv_kcq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited)
{
	struct vhyv_kcq *kcq = to_vhyv_cq(ibcq)->kcq;
	struct ib_event event = {
		.device = ibcq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = ibcq,
	};
	bool full, call = false;
	unsigned long flags;

	spin_lock_irqsave(&kcq->lock, flags);
	full = kcq->count == kcq->size;
	if (!full) {
		*vhyv_kcq_at(kcq, kcq->count) = *wc;
		kcq->count++;
		call = kcq->armed & IB_CQ_NEXT_COMP ||
		       (kcq->armed &&
			(solicited || wc->status != IB_WC_SUCCESS));
		if (call)
			kcq->armed = 0;
	}
	spin_unlock_irqrestore(&kcq->lock, flags);

	if (call && ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	if (full && ibcq->event_handler)
		ibcq->event_handler(&event, ibcq->cq_context);
}

/**
 * vhyv_kcq_forget() - take out the completions of a QP that goes away
 * @ibcq: CQ of the kernel
 * @ibqp: the QP, which adds none any more
 *
 * Context: any. Takes the CQ's lock.
 */
void vhyv_kcq_forget(struct ib_cq *ibcq, const struct ib_qp *ibqp)
{
	struct vhyv_kcq *kcq = to_vhyv_cq(ibcq)->kcq;
	unsigned long flags;
	u32 n, kept = 0;

	spin_lock_irqsave(&kcq->lock, flags);
	for (n = 0; n < kcq->count; n++)
		if (vhyv_kcq_at(kcq, n)->qp != ibqp)
			*vhyv_kcq_at(kcq, kept++) = *vhyv_kcq_at(kcq, n);
	kcq->count = kept;
	spin_unlock_irqrestore(&kcq->lock, flags);
}

/**
 * vhyv_kcq_arm() - have the consumer called
 * @cq: CQ of the kernel
 * @flags: for which completions
 *
 * Context: any. Takes the CQ's lock.
 * Return: 0, or 1 if that was asked for and there are completions.
 */
int vhyv_kcq_arm(struct vhyv_cq *cq, enum ib_cq_notify_flags flags)
{
	struct vhyv_kcq *kcq = cq->kcq;
	unsigned long irq_flags;
	int ret;

	spin_lock_irqsave(&kcq->lock, irq_flags);
	/* A wish for every completion is not taken back by a lesser one. */
	if (!(kcq->armed & IB_CQ_NEXT_COMP))
		kcq->armed = flags & IB_CQ_SOLICITED_MASK;
	ret = flags & IB_CQ_REPORT_MISSED_EVENTS && kcq->count;
	spin_unlock_irqrestore(&kcq->lock, irq_flags);
	return ret;
}

/**
 * vhyv_poll_cq() - ib_device_ops.poll_cq
 * @ibcq: the CQ, which is always one of the kernel
 * @num_entries: entries of @wc
 * @wc: where completions go
 *
 * Context: any. Takes the CQ's lock.
 * Return: how many there were.
 */
int vhyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct vhyv_kcq *kcq = to_vhyv_cq(ibcq)->kcq;
	unsigned long flags;
	int n;

	spin_lock_irqsave(&kcq->lock, flags);
	for (n = 0; n < num_entries && kcq->count; n++) {
		wc[n] = *vhyv_kcq_at(kcq, 0);
		kcq->head = (kcq->head + 1) % kcq->size;
		kcq->count--;
	}
	spin_unlock_irqrestore(&kcq->lock, flags);
	return n;
}
