// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the engine to ib_core. The handlers of ib_uverbs may be called with
 * spinlocks held.
 */
#include <linux/ktime.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "hyvs/hyvs.h"

static u64 hyvs_now(void *env)
{
	return ktime_get_ns();
}

void hyvs_run_targets(struct work_struct *work)
{
	struct hyvs_device *dev = container_of(work, struct hyvs_device,
					       target_work);
	bool more;

	/* Not preempted, as other workers: whoever retires waits for a run. */
	spin_lock(&dev->target_lock);
	more = eng_run(&dev->targets, HYVS_RUN_WQES, HYVS_RUN_BYTES);
	spin_unlock(&dev->target_lock);
	/* They have no send queue, so there is nothing to wait for. */
	if (more)
		queue_work(system_dfl_wq, work);
}

static void hyvs_wake(void *env, struct eng_worker *worker)
{
	struct hyvs_device *dev = env;

	if (worker == &dev->targets) {
		queue_work(system_dfl_wq, &dev->target_work);
		return;
	}
	hyvs_uars_wake(container_of(worker, struct hyvs_ucontext,
				    worker)->uars);
}

static void hyvs_cq_event(void *env, struct eng_cq *eng)
{
	struct hyvs_cq *cq = container_of(eng, struct hyvs_cq, eng);

	if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

static void hyvs_qp_event(struct hyvs_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

static void hyvs_srq_event(struct hyvs_srq *srq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = type,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static void hyvs_cq_error(struct hyvs_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

static void hyvs_async(void *env, enum eng_event event, void *object)
{
	static const enum ib_event_type types[] = {
		[ENG_EVENT_QP_FATAL] = IB_EVENT_QP_FATAL,
		[ENG_EVENT_QP_ACCESS] = IB_EVENT_QP_ACCESS_ERR,
		[ENG_EVENT_QP_REQUEST] = IB_EVENT_QP_REQ_ERR,
		[ENG_EVENT_QP_ESTABLISHED] = IB_EVENT_COMM_EST,
		[ENG_EVENT_QP_LAST_WQE] = IB_EVENT_QP_LAST_WQE_REACHED,
		[ENG_EVENT_QP_DRAINED] = IB_EVENT_SQ_DRAINED,
		[ENG_EVENT_SRQ_ERROR] = IB_EVENT_SRQ_ERR,
		[ENG_EVENT_SRQ_LIMIT] = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	switch (event) {
	case ENG_EVENT_CQ_ERROR:
		hyvs_cq_error(container_of(object, struct hyvs_cq, eng));
		break;
	case ENG_EVENT_SRQ_ERROR:
	case ENG_EVENT_SRQ_LIMIT:
		hyvs_srq_event(container_of(object, struct hyvs_srq, eng),
			       types[event]);
		break;
	default:
		hyvs_qp_event(container_of(object, struct hyvs_qp, eng),
			      types[event]);
		break;
	}
}

const struct eng_ops hyvs_eng_ops = {
	.now = hyvs_now,
	.wake = hyvs_wake,
	.cq_event = hyvs_cq_event,
	.async = hyvs_async,
	.ud_path = hyvs_ud_path,
};
