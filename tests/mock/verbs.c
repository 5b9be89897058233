// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs of the mock HCA.
 */
#include <linux/err.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <compat/ib_verbs.h>
#include <hyv/provider.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/uverbs_ioctl.h>

#include "mock.h"

/* Bytes of an element of a queue. */
#define MOCK_ELEMENT	64

#define MOCK_OBJ(name)							\
static struct mock_##name *mock_##name(struct ib_##name *ib)		\
{									\
	return container_of(ib, struct mock_##name, ib);		\
}

MOCK_OBJ(ucontext)
MOCK_OBJ(pd)
MOCK_OBJ(cq)
MOCK_OBJ(qp)
MOCK_OBJ(srq)
MOCK_OBJ(xrcd)
MOCK_OBJ(ah)

static struct mock_obj *mock_context_obj(struct ib_udata *udata)
{
	return udata ? &rdma_udata_to_drv_context(udata, struct mock_ucontext,
						  ib)->obj : NULL;
}

static int mock_reply(struct ib_udata *udata, void *rsp, size_t len)
{
	if (!udata)
		return 0;
	if (udata->outlen < len)
		return -EINVAL;
	return ib_copy_to_udata(udata, rsp, len);
}

/* --- Device and port --- */

static int mock_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	int ret = mock_call(MOCK_CALL_query_device);

	if (ret)
		return ret;
	/* Newer kernels have none when they register a device. */
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	attr->vendor_id = 0x68797600;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = 65536;
	attr->max_qp_wr = 16384;
	attr->device_cap_flags = IB_DEVICE_CHANGE_PHY_PORT |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B |
				 IB_DEVICE_XRC;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	attr->max_send_sge = 32;
	attr->max_recv_sge = 32;
	attr->max_sge_rd = 32;
	attr->max_cq = 65536;
	attr->max_cqe = 16384;
	attr->max_mr = 1 << 20;
	attr->max_mw = 1 << 20;
	attr->max_pd = 65536;
	attr->max_qp_rd_atom = 128;
	attr->max_res_rd_atom = 1 << 20;
	attr->max_qp_init_rd_atom = 128;
	attr->max_mcast_grp = 8192;
	attr->max_mcast_qp_attach = 56;
	attr->max_total_mcast_qp_attach = 1 << 20;
	attr->max_ah = 1 << 20;
	attr->max_srq = 65536;
	attr->max_srq_wr = 16384;
	attr->max_srq_sge = 27;
	attr->max_pkeys = 1;
	attr->cq_caps.max_cq_moderation_count = 1000;
	attr->cq_caps.max_cq_moderation_period = 1000;
	return 0;
}

static int mock_query_port(struct ib_device *ib, u32 port,
			   struct ib_port_attr *attr)
{
	int ret = mock_call(MOCK_CALL_query_port);

	if (ret)
		return ret;
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->gid_tbl_len = 64;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1 << 30;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_QDR;
	return 0;
}

/* Without the capabilities that would make kernel clients create QPs. */
static int mock_port_immutable(struct ib_device *ib, u32 port,
			       struct ib_port_immutable *immutable)
{
	struct ib_port_attr attr = {};
	int ret = ib_query_port(ib, port, &attr);

	if (ret)
		return ret;
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP |
				    RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	return 0;
}

static enum rdma_link_layer mock_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int mock_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return index ? -EINVAL : 0;
}

static int mock_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int mock_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

/* --- Contexts and PDs --- */

/* GET_CONTEXT of ib_uverbs frees a failed context with its reference to a task. */
static void mock_forget_task(struct ib_ucontext *ib)
{
	if (!ib->res.task)
		return;
	put_task_struct(ib->res.task);
	ib->res.task = NULL;
}

static int mock_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct mock_ucontext *uctx = mock_ucontext(ib);
	int ret;

	ret = mock_call(MOCK_CALL_alloc_ucontext);
	if (ret) {
		mock_forget_task(ib);
		return ret;
	}
	mock_hold(&uctx->obj, MOCK_OBJ_ucontext, ib->device);
	mock_created(MOCK_CALL_alloc_ucontext, udata);
	return 0;
}

static struct mock_page *mock_queue_take(struct mock_queue *queue,
					 struct ib_ucontext *ib)
{
	struct mock_page *page = queue->page;

	if (!page || page->ib.ucontext != ib)
		return NULL;
	queue->page = NULL;
	return page;
}

/* Take a page of a context away from its queue; NULL if there is none. */
static struct mock_page *mock_take_page(struct ib_ucontext *ib)
{
	struct mock_page *page = NULL;
	struct mock_srq *srq;
	struct mock_cq *cq;
	struct mock_qp *qp;

	spin_lock_irq(&mock_lock);
	list_for_each_entry(cq, &mock_objs[MOCK_OBJ_cq], obj.node) {
		page = mock_queue_take(&cq->queue, ib);
		if (page)
			goto unlock;
	}
	list_for_each_entry(qp, &mock_objs[MOCK_OBJ_qp], obj.node) {
		page = mock_queue_take(&qp->sq, ib) ?:
		       mock_queue_take(&qp->rq, ib);
		if (page)
			goto unlock;
	}
	list_for_each_entry(srq, &mock_objs[MOCK_OBJ_srq], obj.node) {
		page = mock_queue_take(&srq->queue, ib);
		if (page)
			goto unlock;
	}
unlock:
	spin_unlock_irq(&mock_lock);
	return page;
}

static void mock_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct mock_page *page;

	/* ib_core demands that none is left, but refused objects have some. */
	while ((page = mock_take_page(ib)))
		rdma_user_mmap_entry_remove(&page->ib);
	mock_drop(&mock_ucontext(ib)->obj);
}

static int mock_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct mock_pd *pd = mock_pd(ib);
	int ret;

	ret = mock_call(MOCK_CALL_alloc_pd);
	if (ret)
		return ret;
	mock_hold(&pd->obj, MOCK_OBJ_pd, ib->device);
	mock_use(&pd->obj, mock_context_obj(udata));
	mock_created(MOCK_CALL_alloc_pd, udata);
	return 0;
}

static int mock_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct mock_pd *pd = mock_pd(ib);
	int ret;

	ret = mock_refusable(&pd->obj, MOCK_CALL_dealloc_pd);
	if (ret)
		return ret;
	mock_drop(&pd->obj);
	return 0;
}

/* --- XRC domains --- */

/* No context is their parent: they outlive that which made them. */
static int mock_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	int ret = mock_call(MOCK_CALL_alloc_xrcd);

	if (ret)
		return ret;
	mock_hold(&mock_xrcd(ib)->obj, MOCK_OBJ_xrcd, ib->device);
	mock_created(MOCK_CALL_alloc_xrcd, udata);
	return 0;
}

static int mock_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct mock_xrcd *xrcd = mock_xrcd(ib);
	int ret;

	ret = mock_refusable(&xrcd->obj, MOCK_CALL_dealloc_xrcd);
	if (ret)
		return ret;
	mock_drop(&xrcd->obj);
	return 0;
}

/* --- Completion queues --- */

static int mock_create_cq_attrs(struct ib_cq *ib,
				const struct ib_cq_init_attr *attr,
				struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct rxe_create_cq_resp rsp = {};
	struct mock_cq *cq = mock_cq(ib);
	int ret;

	ret = mock_call(MOCK_CALL_create_cq);
	if (ret)
		return ret;
	if (attr->flags)
		return -EOPNOTSUPP;
	ret = mock_queue_init(&cq->queue, ib->device, udata,
			      (size_t)attr->cqe * MOCK_ELEMENT, &rsp.mi);
	if (ret)
		return ret;
	ret = mock_reply(udata, &rsp, sizeof(rsp));
	if (ret)
		goto err_queue;
	ib->cqe = attr->cqe;
	mock_hold(&cq->obj, MOCK_OBJ_cq, ib->device);
	mock_use(&cq->obj, mock_context_obj(udata));
	mock_created(MOCK_CALL_create_cq, udata);
	return 0;

err_queue:
	mock_queue_free(&cq->queue);
	return ret;
}

COMPAT_DEFINE_CREATE_CQ(mock_create_cq, mock_create_cq_attrs)

static int mock_resize_cq_cqe(struct ib_cq *ib, unsigned int cqe,
			      struct ib_udata *udata)
{
	struct mock_queue old, queue = {};
	struct rxe_resize_cq_resp rsp = {};
	struct mock_cq *cq = mock_cq(ib);
	int ret;

	ret = mock_call(MOCK_CALL_resize_cq);
	if (ret)
		return ret;
	ret = mock_queue_init(&queue, ib->device, udata,
			      (size_t)cqe * MOCK_ELEMENT, &rsp.mi);
	if (ret)
		return ret;
	ret = mock_reply(udata, &rsp, sizeof(rsp));
	if (ret) {
		mock_queue_free(&queue);
		return ret;
	}
	old = cq->queue;
	cq->queue = queue;
	mock_queue_free(&old);
	ib->cqe = cqe;
	return 0;
}

COMPAT_DEFINE_RESIZE_USER_CQ(mock_resize_cq, mock_resize_cq_cqe)
COMPAT_DEFINE_REG_USER_MR(mock_reg_user_mr_op, mock_reg_user_mr)

static int mock_modify_cq(struct ib_cq *ib, u16 count, u16 period)
{
	return mock_call(MOCK_CALL_modify_cq);
}

static int mock_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct mock_cq *cq = mock_cq(ib);
	int ret;

	ret = mock_refusable(&cq->obj, MOCK_CALL_destroy_cq);
	if (ret)
		return ret;
	mock_drop(&cq->obj);
	mock_queue_free(&cq->queue);
	mock_late_cq(ib);
	return 0;
}

static int mock_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	return mock_call(MOCK_CALL_req_notify_cq);
}

/* --- Queue pairs --- */

static int mock_qp_queues(struct mock_qp *qp, struct ib_udata *udata,
			  const struct ib_qp_init_attr *attr)
{
	struct rxe_create_qp_resp rsp = {};
	struct ib_device *ibdev = qp->ib.device;
	int ret;

	ret = mock_queue_init(&qp->sq, ibdev, udata,
			      (attr->cap.max_send_wr + 1) * MOCK_ELEMENT,
			      &rsp.sq_mi);
	if (ret)
		return ret;
	if (!attr->srq) {
		ret = mock_queue_init(&qp->rq, ibdev, udata,
				      (attr->cap.max_recv_wr + 1) *
				      MOCK_ELEMENT, &rsp.rq_mi);
		if (ret)
			goto err_sq;
	}
	ret = mock_reply(udata, &rsp, sizeof(rsp));
	if (ret)
		goto err_rq;
	return 0;

err_rq:
	mock_queue_free(&qp->rq);
err_sq:
	mock_queue_free(&qp->sq);
	return ret;
}

static int mock_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	enum mock_verb verb = attr->qp_type == IB_QPT_XRC_TGT ?
			      MOCK_CALL_create_target : MOCK_CALL_create_qp;
	static atomic_t number = ATOMIC_INIT(16);
	struct mock_qp *qp = mock_qp(ib);
	int ret;

	ret = mock_call(verb);
	if (ret)
		return ret;
	ret = mock_qp_queues(qp, udata, attr);
	if (ret)
		return ret;
	qp->cap = attr->cap;
	ib->qp_num = atomic_inc_return(&number) & 0xffffff;
	mock_hold(&qp->obj, MOCK_OBJ_qp, ib->device);
	if (attr->qp_type == IB_QPT_XRC_TGT) {
		mock_use(&qp->obj, &mock_xrcd(attr->xrcd)->obj);
	} else {
		mock_use(&qp->obj, &mock_pd(ib->pd)->obj);
		mock_use(&qp->obj, &mock_cq(attr->send_cq)->obj);
	}
	if (attr->recv_cq)
		mock_use(&qp->obj, &mock_cq(attr->recv_cq)->obj);
	if (attr->srq)
		mock_use(&qp->obj, &mock_srq(attr->srq)->obj);
	mock_created(verb, udata);
	return 0;
}

static int mock_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct mock_qp *qp = mock_qp(ib);
	int ret;

	ret = mock_call(MOCK_CALL_modify_qp);
	if (ret)
		return ret;
	if (mask & IB_QP_STATE &&
	    !ib_modify_qp_is_ok(qp->state, attr->qp_state, ib->qp_type, mask))
		return -EINVAL;
	if (mask & IB_QP_STATE)
		qp->state = attr->qp_state;
	return 0;
}

static int mock_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct mock_qp *qp = mock_qp(ib);
	int ret;

	ret = mock_call(MOCK_CALL_query_qp);
	if (ret)
		return ret;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->cap = qp->cap;
	init->cap = qp->cap;
	return 0;
}

static int mock_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	enum mock_verb verb = ib->qp_type == IB_QPT_XRC_TGT ?
			      MOCK_CALL_destroy_target : MOCK_CALL_destroy_qp;
	struct mock_qp *qp = mock_qp(ib);
	int ret;

	ret = mock_refusable(&qp->obj, verb);
	if (ret)
		return ret;
	mock_drop(&qp->obj);
	mock_count(MOCK_OBJ_group, -(int)qp->nr_groups);
	mock_queue_free(&qp->sq);
	mock_queue_free(&qp->rq);
	/* ib_core has the handler of an XRC_TGT, and frees its context at once. */
	if (verb == MOCK_CALL_destroy_qp)
		mock_late_event(verb, ib->event_handler, ib->qp_context,
				IB_EVENT_QP_FATAL);
	return 0;
}

static int mock_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	return mock_call(MOCK_CALL_post_send);
}

static int mock_change_groups(struct mock_qp *qp, enum mock_verb verb, int by)
{
	int ret = mock_call(verb);

	if (ret)
		return ret;
	spin_lock_irq(&mock_lock);
	qp->nr_groups += by;
	spin_unlock_irq(&mock_lock);
	mock_count(MOCK_OBJ_group, by);
	return 0;
}

static int mock_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	return mock_change_groups(mock_qp(ib), MOCK_CALL_attach_mcast, 1);
}

static int mock_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	return mock_change_groups(mock_qp(ib), MOCK_CALL_detach_mcast, -1);
}

/* --- Shared receive queues --- */

static int mock_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *attr,
			   struct ib_udata *udata)
{
	static atomic_t number = ATOMIC_INIT(0);
	struct rxe_create_srq_resp rsp = {};
	struct mock_srq *srq = mock_srq(ib);
	int ret;

	ret = mock_call(MOCK_CALL_create_srq);
	if (ret)
		return ret;
	ret = mock_queue_init(&srq->queue, ib->device, udata,
			      (attr->attr.max_wr + 1) * MOCK_ELEMENT, &rsp.mi);
	if (ret)
		return ret;
	ret = mock_reply(udata, &rsp, sizeof(rsp));
	if (ret) {
		mock_queue_free(&srq->queue);
		return ret;
	}
	srq->attr = attr->attr;
	mock_hold(&srq->obj, MOCK_OBJ_srq, ib->device);
	mock_use(&srq->obj, &mock_pd(ib->pd)->obj);
	if (attr->srq_type == IB_SRQT_XRC) {
		ib->ext.xrc.srq_num = atomic_inc_return(&number) & 0xffffff;
		mock_use(&srq->obj, &mock_cq(attr->ext.cq)->obj);
		mock_use(&srq->obj, &mock_xrcd(attr->ext.xrc.xrcd)->obj);
	}
	mock_created(MOCK_CALL_create_srq, udata);
	return 0;
}

/* Like rdma_rxe, writes the place of the new queue to user memory. */
static int mock_resize_srq(struct mock_srq *srq, u32 max_wr,
			   struct ib_udata *udata)
{
	struct mock_queue old, queue = {};
	struct rxe_modify_srq_cmd cmd;
	struct mock_ucontext *uctx;
	struct mminfo mi = {};
	int ret;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	if (ib_copy_from_udata(&cmd, udata, sizeof(cmd)))
		return -EFAULT;
	uctx = rdma_udata_to_drv_context(udata, struct mock_ucontext, ib);
	ret = mock_queue_alloc(&queue, uctx, (max_wr + 1) * MOCK_ELEMENT, &mi);
	if (ret)
		return ret;
	if (copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), &mi,
			 sizeof(mi))) {
		mock_queue_free(&queue);
		return -EFAULT;
	}
	old = srq->queue;
	srq->queue = queue;
	mock_queue_free(&old);
	srq->attr.max_wr = max_wr;
	return 0;
}

static int mock_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
			   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct mock_srq *srq = mock_srq(ib);
	int ret;

	ret = mock_call(MOCK_CALL_modify_srq);
	if (ret)
		return ret;
	if (mask & IB_SRQ_MAX_WR) {
		ret = mock_resize_srq(srq, attr->max_wr, udata);
		if (ret)
			return ret;
	}
	if (mask & IB_SRQ_LIMIT)
		srq->attr.srq_limit = attr->srq_limit;
	return 0;
}

static int mock_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	int ret = mock_call(MOCK_CALL_query_srq);

	if (ret)
		return ret;
	*attr = mock_srq(ib)->attr;
	return 0;
}

static int mock_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct mock_srq *srq = mock_srq(ib);
	int ret;

	ret = mock_refusable(&srq->obj, MOCK_CALL_destroy_srq);
	if (ret)
		return ret;
	mock_drop(&srq->obj);
	mock_queue_free(&srq->queue);
	mock_late_event(MOCK_CALL_destroy_srq, ib->event_handler,
			ib->srq_context, IB_EVENT_SRQ_LIMIT_REACHED);
	return 0;
}

/* --- Address handles --- */

static int mock_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata)
{
	struct rxe_create_ah_resp rsp = {};
	struct mock_ah *ah = mock_ah(ib);
	int ret;

	ret = mock_call(MOCK_CALL_create_ah);
	if (ret)
		return ret;
	/* As for rdma_rxe, the reply is optional. */
	if (udata && udata->outlen >= sizeof(rsp)) {
		ret = mock_reply(udata, &rsp, sizeof(rsp));
		if (ret)
			return ret;
	}
	mock_hold(&ah->obj, MOCK_OBJ_ah, ib->device);
	mock_use(&ah->obj, &mock_pd(ib->pd)->obj);
	mock_created(MOCK_CALL_create_ah, udata);
	return 0;
}

static int mock_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct mock_ah *ah = mock_ah(ib);
	int ret;

	ret = mock_refusable(&ah->obj, MOCK_CALL_destroy_ah);
	if (ret)
		return ret;
	mock_drop(&ah->obj);
	return 0;
}

/* --- Removal --- */

static void mock_put_gid(const struct ib_gid_attr **attr)
{
	if (*attr)
		rdma_put_gid_attr(*attr);
	*attr = NULL;
}

static void mock_untrack(struct mock_obj *obj)
{
	struct mock_qp *qp;

	switch (obj->type) {
	case MOCK_OBJ_pd:
		rdma_restrack_del(&container_of(obj, struct mock_pd,
						obj)->ib.res);
		break;
	case MOCK_OBJ_cq:
		rdma_restrack_del(&container_of(obj, struct mock_cq,
						obj)->ib.res);
		break;
	case MOCK_OBJ_qp:
		qp = container_of(obj, struct mock_qp, obj);
		mock_put_gid(&qp->ib.av_sgid_attr);
		mock_put_gid(&qp->ib.alt_path_sgid_attr);
		rdma_restrack_del(&qp->ib.res);
		break;
	case MOCK_OBJ_ah:
		mock_put_gid(&container_of(obj, struct mock_ah,
					   obj)->ib.sgid_attr);
		break;
	case MOCK_OBJ_srq:
		rdma_restrack_del(&container_of(obj, struct mock_srq,
						obj)->ib.res);
		break;
	case MOCK_OBJ_mr:
		rdma_restrack_del(&container_of(obj, struct mock_mr,
						obj)->ib.res);
		break;
	default:
		/* Not tracked, or already removed by ib_uverbs. */
		break;
	}
}

/*
 * Objects that are left were refused, or are used by those. They stay, because
 * their creator may point to them, but ib_core must no longer know them.
 */
static void mock_dealloc_driver(struct ib_device *ib)
{
	struct mock_device *dev = container_of(ib, struct mock_device, ib);
	struct mock_obj *obj;

	mock_device_del(dev);
	while ((obj = mock_take_left(ib)))
		mock_untrack(obj);
	/* The GIDs leave the device's table, which goes next, in a work item. */
	flush_workqueue(ib_wq);
}

const struct ib_device_ops mock_ops = {
	.owner = THIS_MODULE,
	.driver_id = HYV_DRIVER_MOCK,
	.uverbs_abi_ver = 1,

	.add_gid = mock_add_gid,
	.alloc_mw = mock_alloc_mw,
	.alloc_pd = mock_alloc_pd,
	.alloc_ucontext = mock_alloc_ucontext,
	.alloc_xrcd = mock_alloc_xrcd,
	.attach_mcast = mock_attach_mcast,
	.create_ah = mock_create_ah,
	.create_cq = mock_create_cq,
	.create_qp = mock_create_qp,
	.create_srq = mock_create_srq,
	.create_user_ah = mock_create_ah,
	.dealloc_driver = mock_dealloc_driver,
	.dealloc_mw = mock_dealloc_mw,
	.dealloc_pd = mock_dealloc_pd,
	.dealloc_ucontext = mock_dealloc_ucontext,
	.dealloc_xrcd = mock_dealloc_xrcd,
	.del_gid = mock_del_gid,
	.dereg_mr = mock_dereg_mr,
	.destroy_ah = mock_destroy_ah,
	.destroy_cq = mock_destroy_cq,
	.destroy_qp = mock_destroy_qp,
	.destroy_srq = mock_destroy_srq,
	.detach_mcast = mock_detach_mcast,
	.get_link_layer = mock_link_layer,
	.get_port_immutable = mock_port_immutable,
	.mmap = mock_mmap,
	.mmap_free = mock_mmap_free,
	.modify_cq = mock_modify_cq,
	.modify_qp = mock_modify_qp,
	.modify_srq = mock_modify_srq,
	.post_send = mock_post_send,
	.query_device = mock_query_device,
	.query_pkey = mock_query_pkey,
	.query_port = mock_query_port,
	.query_qp = mock_query_qp,
	.query_srq = mock_query_srq,
	.reg_user_mr = mock_reg_user_mr_op,
	.req_notify_cq = mock_req_notify_cq,
	.rereg_user_mr = mock_rereg_user_mr,
	.resize_user_cq = mock_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, mock_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, mock_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, mock_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, mock_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, mock_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, mock_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, mock_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, mock_xrcd, ib),
};
