// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device as the RDMA core sees it: operations, events, registration.
 *
 * The ports are those of the HCA, in one of two addressing modes:
 *
 * - Host addressing: packets carry the host's addresses. The RDMA core would
 *   fill the GID table of a RoCE port from the guest's network devices, which
 *   would be wrong here. So the ports are registered as InfiniBand ports, for
 *   which the core calls query_gid(), and without MAD, CM and SA. User space
 *   still sees the true link layer.
 * - Guest addressing (HYV_F_GUEST_GIDS): the GIDs are those of one network
 *   device of the guest, and the host translates them. The ports are registered
 *   as RoCE v2 ports, and have a GSI in software.
 */
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include <hyv/wire.h>

#include "address/gid.h"
#include "address/netdev.h"
#include "compat/ib_verbs.h"
#include "gsi/gsi.h"
#include "gsi/gsi_net.h"
#include "gsi/gsi_pkt.h"
#include "ibdev.h"
#include "notify/port_queue.h"
#include "verbs/verbs.h"

COMPAT_DEFINE_CREATE_CQ(vhyv_create_cq_op, vhyv_create_cq)
COMPAT_DEFINE_REG_USER_MR(vhyv_reg_user_mr_op, vhyv_reg_user_mr)
COMPAT_DEFINE_RESIZE_USER_CQ(vhyv_resize_user_cq_op, vhyv_resize_user_cq)

/* driver_id and uverbs_abi_ver are set at run time. */
static const struct ib_device_ops vhyv_dev_ops = {
	.owner = THIS_MODULE,

	.alloc_pd = vhyv_alloc_pd,
	.alloc_ucontext = vhyv_alloc_ucontext,
	.create_cq = vhyv_create_cq_op,
	.create_qp = vhyv_create_qp,
	.dealloc_pd = vhyv_dealloc_pd,
	.dealloc_ucontext = vhyv_dealloc_ucontext,
	.dereg_mr = vhyv_dereg_mr,
	.destroy_cq = vhyv_destroy_cq,
	.destroy_qp = vhyv_destroy_qp,
	.disassociate_ucontext = vhyv_disassociate_ucontext,
	.get_link_layer = vhyv_get_link_layer,
	.get_port_immutable = vhyv_get_port_immutable,
	.mmap = vhyv_mmap,
	.mmap_free = vhyv_mmap_free,
	.modify_qp = vhyv_modify_qp,
	.query_device = vhyv_query_device,
	.query_pkey = vhyv_query_pkey,
	.query_port = vhyv_query_port,
	.query_qp = vhyv_query_qp,
	.reg_user_mr = vhyv_reg_user_mr_op,

	INIT_RDMA_OBJ_SIZE(ib_cq, vhyv_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, vhyv_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, vhyv_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, vhyv_ucontext, ibuc),
};

/* Operations for host addressing. */
static const struct ib_device_ops vhyv_host_gid_ops = {
	.query_gid = vhyv_query_gid,
};

/* Operations for guest addressing. */
static const struct ib_device_ops vhyv_guest_gid_ops = {
	.add_gid = vhyv_add_gid,
	.del_gid = vhyv_del_gid,
	.get_netdev = vhyv_get_netdev,
};

/* Operations on kernel objects. */
static const struct ib_device_ops vhyv_kernel_ops = {
	.alloc_hw_port_stats = vhyv_alloc_hw_port_stats,
	.create_ah = vhyv_create_kernel_ah,
	.destroy_ah = vhyv_destroy_ah,
	.get_dma_mr = vhyv_get_dma_mr,
	.get_hw_stats = vhyv_get_hw_stats,
	.poll_cq = vhyv_poll_cq,
	.post_recv = vhyv_post_recv,
	.post_send = vhyv_post_send,
	.query_ah = vhyv_query_ah,
	.req_notify_cq = vhyv_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, vhyv_ah, ibah),
};

/* Doorbells of a software HCA, whose provider rings them by system calls. */
static const struct ib_device_ops vhyv_doorbell_ops = {
	.post_send = vhyv_post_send,
	.req_notify_cq = vhyv_req_notify_cq,
};

static const struct ib_device_ops vhyv_ah_ops = {
	.create_user_ah = vhyv_create_ah,
	.destroy_ah = vhyv_destroy_ah,

	INIT_RDMA_OBJ_SIZE(ib_ah, vhyv_ah, ibah),
};

static const struct ib_device_ops vhyv_srq_ops = {
	.create_srq = vhyv_create_srq,
	.destroy_srq = vhyv_destroy_srq,
	.query_srq = vhyv_query_srq,

	INIT_RDMA_OBJ_SIZE(ib_srq, vhyv_srq, ibsrq),
};

static const struct ib_device_ops vhyv_modify_srq_ops = {
	.modify_srq = vhyv_modify_srq,
};

static const struct ib_device_ops vhyv_resize_cq_ops = {
	.resize_user_cq = vhyv_resize_user_cq_op,
};

static const struct ib_device_ops vhyv_modify_cq_ops = {
	.modify_cq = vhyv_modify_cq,
};

static const struct ib_device_ops vhyv_rereg_mr_ops = {
	.rereg_user_mr = vhyv_rereg_user_mr,
};

static const struct ib_device_ops vhyv_mw_ops = {
	.alloc_mw = vhyv_alloc_mw,
	.dealloc_mw = vhyv_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, vhyv_mw, ibmw),
};

static const struct ib_device_ops vhyv_mcast_ops = {
	.attach_mcast = vhyv_attach_mcast,
	.detach_mcast = vhyv_detach_mcast,
};

static const struct ib_device_ops vhyv_xrc_ops = {
	.alloc_xrcd = vhyv_alloc_xrcd,
	.dealloc_xrcd = vhyv_dealloc_xrcd,

	INIT_RDMA_OBJ_SIZE(ib_xrcd, vhyv_xrcd, ibxrcd),
};

/* Optional verbs. */
static const struct {
	u32 verb;
	const struct ib_device_ops *ops;
} vhyv_optional_ops[] = {
	{ HYV_VERB_AH, &vhyv_ah_ops },
	{ HYV_VERB_SRQ, &vhyv_srq_ops },
	{ HYV_VERB_MODIFY_SRQ, &vhyv_modify_srq_ops },
	{ HYV_VERB_RESIZE_CQ, &vhyv_resize_cq_ops },
	{ HYV_VERB_MODIFY_CQ, &vhyv_modify_cq_ops },
	{ HYV_VERB_REREG_MR, &vhyv_rereg_mr_ops },
	{ HYV_VERB_MW, &vhyv_mw_ops },
	{ HYV_VERB_MCAST, &vhyv_mcast_ops },
	{ HYV_VERB_XRC, &vhyv_xrc_ops },
};

static void vhyv_set_ops(struct vhyv_dev *hdev)
{
	struct ib_device *ibdev = &hdev->ibdev;
	size_t i;

	ib_set_device_ops(ibdev, &vhyv_dev_ops);
	ib_set_device_ops(ibdev, hdev->guest_gids ? &vhyv_guest_gid_ops :
						    &vhyv_host_gid_ops);
	for (i = 0; i < ARRAY_SIZE(vhyv_optional_ops); i++)
		if (hdev->verbs & vhyv_optional_ops[i].verb)
			ib_set_device_ops(ibdev, vhyv_optional_ops[i].ops);
	ibdev->ops.driver_id = hdev->driver_id;
	ibdev->ops.uverbs_abi_ver = hdev->uverbs_abi_ver;
	if (hdev->db) {
		ib_set_device_ops(ibdev, &vhyv_doorbell_ops);
		ibdev->uverbs_cmd_mask |=
			BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	}
}

/* Tries to read a table for an event, after which it is dispatched in any case. */
#define VHYV_PORT_TRIES	10

/* Dispatch an event and wait until the RDMA core has updated its tables. */
static void vhyv_dispatch_event(const struct ib_event *event)
{
	ib_dispatch_event(event);
	/* The core's work items run concurrently, but events must not. */
	flush_workqueue(ib_wq);
}

/*
 * Pass IB_EVENT_GID_CHANGE to user space. ib_dispatch_event() only updates the
 * GID cache on this event: the core's own event follows for RoCE ports only.
 */
static void vhyv_gid_change(struct vhyv_dev *hdev, struct ib_event *event)
{
	struct ib_device *ibdev = &hdev->ibdev;
	struct ib_event_handler *handler;

	down_read(&ibdev->event_handler_rwsem);
	list_for_each_entry(handler, &ibdev->event_handler_list, list)
		handler->handler(handler, event);
	up_read(&ibdev->event_handler_rwsem);
}

/*
 * In guest addressing, an event means that the HCA's address has changed or that
 * a GID which the host has refused may be free now. The RDMA core asks for a GID
 * again only when it looks for missing ones.
 */
static int vhyv_guest_gids_update(struct vhyv_dev *hdev, u32 count)
{
	int ret;

	ret = vhyv_hca_netdev_update(hdev);
	if (count)
		rdma_roce_rescan_device(&hdev->ibdev);
	return ret;
}

/* Ask for GIDs again that vhyv_add_gid() could not ask the host for. */
static void vhyv_gid_retry_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(to_delayed_work(work),
					     struct vhyv_dev, gid_retry);

	if (!test_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		return;
	if (test_and_clear_bit(VHYV_DEV_GID_MISSING, &hdev->flags))
		rdma_roce_rescan_device(&hdev->ibdev);
}

/*
 * Refresh the port's tables before the RDMA core and user space read them. Returns false
 * if this needs memory that is not there now, and it is not the last try.
 */
static bool vhyv_port_handle_event(struct vhyv_dev *hdev,
				   const struct vhyv_port_event *from, bool last)
{
	enum ib_event_type code = from->code;
	u32 port = from->port, count = from->count;
	struct ib_event event = {
		.device = &hdev->ibdev,
		.event = code,
		.element.port_num = port,
	};
	bool gids = code == IB_EVENT_GID_CHANGE;
	int ret = 0;

	/* Clear once vhyv_ibdev_unregister() has begun. */
	if (!test_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		return true;
	if (hdev->guest_gids && gids)
		ret = vhyv_guest_gids_update(hdev, count);
	else if (!hdev->guest_gids &&
		 (gids || code == IB_EVENT_CLIENT_REREGISTER))
		ret = vhyv_port_refresh_gids(hdev, port);
	else if (code == IB_EVENT_PKEY_CHANGE)
		ret = vhyv_port_refresh_pkeys(hdev, port);
	if (ret) {
		vhyv_dbg(hdev, "port %u: refresh after event %u failed: %pe\n",
			 port, code, ERR_PTR(ret));
		if ((ret == -ENOMEM || ret == -EAGAIN) && !last)
			return false;
	}

	/*
	 * In guest addressing the core changes GIDs, and raises the event. Without a
	 * change, as after the registration, it has to look at the port.
	 */
	if (hdev->guest_gids && gids && count)
		return true;
	if (gids)
		vhyv_dispatch_event(&event);
	for (; count && test_bit(VHYV_DEV_REGISTERED, &hdev->flags); count--) {
		if (gids)
			vhyv_gid_change(hdev, &event);
		else
			vhyv_dispatch_event(&event);
	}
	return true;
}

static void vhyv_port_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(to_delayed_work(work),
					     struct vhyv_dev, port_work);
	struct vhyv_port_event *event = &hdev->port_current;
	u32 left = VHYV_PORT_QUEUE_LEN;

	/* A broken host may raise more all the time, which a flush must end. */
	while (left--) {
		spin_lock_irq(&hdev->port_lock);
		if (!hdev->port_busy)
			hdev->port_busy = vhyv_port_queue_take(&hdev->port_events,
							       event);
		spin_unlock_irq(&hdev->port_lock);
		if (!hdev->port_busy)
			return;
		/* The state of a port must not wait for a table for long. */
		if (!vhyv_port_handle_event(hdev, event,
					    hdev->port_tries == VHYV_PORT_TRIES)) {
			hdev->port_tries++;
			queue_delayed_work(hdev->wq, &hdev->port_work,
					   VHYV_RETRY_DELAY);
			return;
		}
		hdev->port_busy = false;
		hdev->port_tries = 0;
	}
	queue_delayed_work(hdev->wq, &hdev->port_work, 0);
}

/*
 * Before the registration there are neither tables nor consumers.
 * vhyv_ibdev_register() then queries what has changed in between. But a GID that
 * the host has refused during the registration may be free now, which it does
 * not say twice.
 */
static void vhyv_ibdev_drop_event(struct vhyv_dev *hdev, enum ib_event_type code)
{
	if (!hdev->guest_gids || code != IB_EVENT_GID_CHANGE)
		return;
	set_bit(VHYV_DEV_GID_MISSING, &hdev->flags);
	/* Pairs with the barrier in vhyv_ibdev_register(), which queues, too. */
	smp_mb__after_atomic();
	if (test_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		queue_delayed_work(hdev->wq, &hdev->gid_retry, 0);
}

/**
 * vhyv_ibdev_port_event() - queue an event of a port
 * @hdev: device
 * @port_num: port number from the host, any value
 * @code: event code, valid for ports
 * @count: number of times that it was raised in a row; 0 to refresh the tables
 *	without an event
 *
 * Context: Any context.
 */
void vhyv_ibdev_port_event(struct vhyv_dev *hdev, u32 port_num,
			   enum ib_event_type code, u32 count)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	unsigned long flags;

	if (!port)
		return;
	if (!test_bit(VHYV_DEV_REGISTERED, &hdev->flags)) {
		vhyv_ibdev_drop_event(hdev, code);
		return;
	}

	spin_lock_irqsave(&hdev->port_lock, flags);
	vhyv_port_queue_add(&hdev->port_events, &port->own_event[code],
			    port_num, code, count);
	spin_unlock_irqrestore(&hdev->port_lock, flags);
	queue_delayed_work(hdev->wq, &hdev->port_work, 0);
}

/* Prepare for port events, which may arrive before the registration. */
void vhyv_ibdev_init(struct vhyv_dev *hdev)
{
	spin_lock_init(&hdev->port_lock);
	vhyv_port_queue_init(&hdev->port_events);
	INIT_DELAYED_WORK(&hdev->port_work, vhyv_port_work);
	INIT_DELAYED_WORK(&hdev->gid_retry, vhyv_gid_retry_work);
}

/* A device can do without: any process may have the port. */
static void vhyv_ibdev_start_gsi(struct vhyv_dev *hdev)
{
	struct device *dev = &hdev->vdev->dev;
	int ret;

	ret = gsi_net_get(gsi_receive);
	if (ret == -EADDRINUSE)
		dev_warn(dev,
			 "no rdma_cm: UDP port %u is in use; to have it, unload rdma_rxe if it is loaded, then rebind the driver\n",
			 GSI_PKT_UDP_PORT);
	else if (ret)
		dev_warn(dev, "no rdma_cm: cannot open UDP port %u: %pe\n",
			 GSI_PKT_UDP_PORT, ERR_PTR(ret));
	hdev->has_gsi = !ret;
	if (hdev->has_gsi)
		ib_set_device_ops(&hdev->ibdev, &vhyv_kernel_ops);
}

static void vhyv_ibdev_stop_gsi(struct vhyv_dev *hdev)
{
	if (hdev->has_gsi)
		gsi_net_put();
}

static int vhyv_ibdev_start_roce(struct vhyv_dev *hdev)
{
	int ret;

	vhyv_ibdev_start_gsi(hdev);
	ret = vhyv_hca_netdev_update(hdev);
	if (ret)
		vhyv_ibdev_stop_gsi(hdev);
	return ret;
}

static void vhyv_ibdev_stop_roce(struct vhyv_dev *hdev)
{
	vhyv_hca_netdev_del(hdev);
	vhyv_ibdev_stop_gsi(hdev);
}

/* Register a device whose control queue works with the RDMA core. */
int vhyv_ibdev_register(struct vhyv_dev *hdev)
{
	struct ib_device *ibdev = &hdev->ibdev;
	struct ib_device_attr attr = {};
	u32 port;
	int ret;

	ret = vhyv_device_query(hdev, &attr, &ibdev->node_guid, &hdev->verbs,
				NULL);
	if (ret)
		return ret;
	for (port = 1; port <= hdev->nr_ports; port++) {
		ret = vhyv_port_init(hdev, port);
		if (ret)
			return ret;
	}

	strscpy(ibdev->node_desc, "HyV", sizeof(ibdev->node_desc));
	ibdev->phys_port_cnt = hdev->nr_ports;
	ibdev->num_comp_vectors = hdev->nr_comp_vectors;
	ibdev->dev.parent = hdev->vdev->dev.parent;
	vhyv_set_ops(hdev);

	/* The RDMA core uses the GSIs as soon as the device is registered. */
	if (hdev->guest_gids) {
		ret = vhyv_ibdev_start_roce(hdev);
		if (ret)
			return ret;
	}
	ret = ib_register_device(ibdev, "hyv%d", NULL);
	if (ret) {
		if (hdev->guest_gids)
			vhyv_ibdev_stop_roce(hdev);
		return ret;
	}

	set_bit(VHYV_DEV_REGISTERED, &hdev->flags);
	/*
	 * Pairs with the barrier of setting VHYV_DEV_FAILED before
	 * VHYV_DEV_REGISTERED is tested, and with those in
	 * vhyv_add_gid_later() and vhyv_ibdev_drop_event(). Also, what is
	 * queried from now on is newer than every event that was dropped.
	 */
	smp_mb__after_atomic();
	/* The RDMA core may have missed a change during the registration. */
	for (port = 1; port <= hdev->nr_ports; port++)
		vhyv_ibdev_port_event(hdev, port, IB_EVENT_GID_CHANGE, 0);
	if (test_bit(VHYV_DEV_GID_MISSING, &hdev->flags))
		mod_delayed_work(hdev->wq, &hdev->gid_retry, 0);
	/* If fail_work ran before the bit was set, it did not unregister. */
	if (vhyv_dev_failed(hdev)) {
		vhyv_ibdev_unregister(hdev);
		flush_work(&hdev->fail_work);
		return -EIO;
	}
	return 0;
}

/**
 * vhyv_ibdev_unregister() - undo vhyv_ibdev_register(), once
 * @hdev: device, which may have failed
 *
 * When it returns no process uses the device, unless another caller is just
 * unregistering it: then it returns at once.
 *
 * Context: Process context. May sleep.
 */
void vhyv_ibdev_unregister(struct vhyv_dev *hdev)
{
	/* Dispatch the events that were queued so far. */
	flush_delayed_work(&hdev->port_work);
	/*
	 * Dispatch no event while the RDMA core unregisters the device. Work for
	 * an interrupt that has seen the bit does nothing.
	 */
	if (!test_and_clear_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		return;
	cancel_delayed_work_sync(&hdev->port_work);
	cancel_delayed_work_sync(&hdev->gid_retry);
	vhyv_contexts_revoke(hdev);
	ib_unregister_device(&hdev->ibdev);
	/* An ADD_GID that failed meanwhile may have queued it again. */
	cancel_delayed_work_sync(&hdev->gid_retry);
	if (hdev->guest_gids)
		vhyv_ibdev_stop_roce(hdev);
}
