// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues of the kernel, for its GSIs. */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "hyv_dev.h"
#include "kcq.h"

/**
 * struct hyv_kcq - ring of completions
 * @size: entries of @wc
 * @lock: protects the fields below
 * @head: oldest completion
 * @count: completions in the ring
 * @armed: for which completions the consumer is to be called; 0 for none
 * @wc: the ring
 */
struct hyv_kcq {
	u32 size;

	spinlock_t lock;	/* protects the fields below */
	u32 head;
	u32 count;
	enum ib_cq_notify_flags armed;
	struct ib_wc wc[];
};

static struct ib_wc *hyv_kcq_at(struct hyv_kcq *kcq, u32 n)
{
	lockdep_assert_held(&kcq->lock);
	return &kcq->wc[(kcq->head + n) % kcq->size];
}

/**
 * hyv_kcq_create() - make a CQ one of the kernel
 * @cq: the CQ
 * @attr: what to create
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int hyv_kcq_create(struct hyv_cq *cq, const struct ib_cq_init_attr *attr)
{
	struct hyv_kcq *kcq;

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
 * hyv_kcq_destroy() - undo hyv_kcq_create()
 * @cq: a CQ which no QP uses any more
 *
 * Context: may sleep.
 */
void hyv_kcq_destroy(struct hyv_cq *cq)
{
	kvfree(cq->kcq);
	cq->kcq = NULL;
}

/**
 * hyv_kcq_push() - add a completion, and call the consumer if it waits for one
 * @ibcq: CQ of the kernel, which a QP of the caller's keeps alive
 * @wc: the completion
 * @solicited: the sender has asked that the consumer be called
 *
 * A consumer must have room for what it has posted; if not, the completion is
 * lost and the consumer hears of that.
 *
 * Context: any. Takes the CQ's lock; the consumer is called without it.
 */
void hyv_kcq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited)
{
	struct hyv_kcq *kcq = to_hyv_cq(ibcq)->kcq;
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
		*hyv_kcq_at(kcq, kcq->count) = *wc;
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
 * hyv_kcq_forget() - take out the completions of a QP that goes away
 * @ibcq: CQ of the kernel
 * @ibqp: the QP, which adds none any more
 *
 * Context: any. Takes the CQ's lock.
 */
void hyv_kcq_forget(struct ib_cq *ibcq, const struct ib_qp *ibqp)
{
	struct hyv_kcq *kcq = to_hyv_cq(ibcq)->kcq;
	unsigned long flags;
	u32 n, kept = 0;

	spin_lock_irqsave(&kcq->lock, flags);
	for (n = 0; n < kcq->count; n++)
		if (hyv_kcq_at(kcq, n)->qp != ibqp)
			*hyv_kcq_at(kcq, kept++) = *hyv_kcq_at(kcq, n);
	kcq->count = kept;
	spin_unlock_irqrestore(&kcq->lock, flags);
}

/**
 * hyv_kcq_arm() - have the consumer called
 * @cq: CQ of the kernel
 * @flags: for which completions
 *
 * Context: any. Takes the CQ's lock.
 * Return: 0, or 1 if that was asked for and there are completions.
 */
int hyv_kcq_arm(struct hyv_cq *cq, enum ib_cq_notify_flags flags)
{
	struct hyv_kcq *kcq = cq->kcq;
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
 * hyv_poll_cq() - ib_device_ops.poll_cq
 * @ibcq: the CQ, which is always one of the kernel
 * @num_entries: entries of @wc
 * @wc: where completions go
 *
 * Context: any. Takes the CQ's lock.
 * Return: how many there were.
 */
int hyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct hyv_kcq *kcq = to_hyv_cq(ibcq)->kcq;
	unsigned long flags;
	int n;

	spin_lock_irqsave(&kcq->lock, flags);
	for (n = 0; n < num_entries && kcq->count; n++) {
		wc[n] = *hyv_kcq_at(kcq, 0);
		kcq->head = (kcq->head + 1) % kcq->size;
		kcq->count--;
	}
	spin_unlock_irqrestore(&kcq->lock, flags);
	return n;
}
