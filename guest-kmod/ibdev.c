// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device as the RDMA core sees it: attributes, ports, registration.
 *
 * Ports are those of the host's HCA. There are two kinds of addresses:
 *
 * - Those of the HCA: what leaves a QP bears the host's address. The core fills
 *   the GID table of a RoCE port from the addresses of the guest's own network
 *   devices, which would be wrong here. So the ports are registered with the
 *   InfiniBand protocol's capability bit only, with which the core asks
 *   query_gid(), and without MAD, CM and SA. User space still sees the true link
 *   layer.
 * - The guest's (HYV_F_GUEST_GIDS), which the host translates: just those of its
 *   network device. The ports are ones of RoCE v2, and have a GSI in software.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include <hyv/wire.h>

#include "command/cmd.h"
#include "compat/ib_verbs.h"
#include "address/gsi.h"
#include "address/gsi_net.h"
#include "address/hca_netdev.h"
#include "dev.h"
#include "address/gsi_cq.h"
#include "address/roce.h"

#define VHYV_MAX_PORTS	255

static struct vhyv_port *vhyv_port(struct vhyv_dev *hdev, u32 port)
{
	return port && port <= hdev->nr_ports ? &hdev->ports[port - 1] : NULL;
}

static int vhyv_query_device(struct ib_device *ibdev,
			     struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibdev);
	int ret;

	ret = vhyv_cmd_query_device(hdev, attr, NULL, NULL, udata);
	if (ret)
		return ret;
	if (hdev->guest_gids)
		attr->kernel_cap_flags |= IBK_LOCAL_DMA_LKEY;
	return 0;
}

static int vhyv_query_port(struct ib_device *ibdev, u32 port_num,
			   struct ib_port_attr *attr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibdev);
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	struct ib_port_attr new = {};
	enum rdma_link_layer link_layer;
	bool grh_required;
	int ret;

	if (!port)
		return -EINVAL;

	ret = vhyv_cmd_query_port(hdev, port_num, &new, &link_layer,
				  &grh_required);
	/* The host's HCA may have left: then its ports are down. */
	if (ret && ret != -EIO && ret != -ENODEV)
		return ret;

	mutex_lock(&port->lock);
	if (ret) {
		port->attr.state = IB_PORT_DOWN;
		port->attr.phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else {
		port->attr = new;
	}
	*attr = port->attr;
	mutex_unlock(&port->lock);

	/* The core's tables have the size that they were registered with. */
	attr->gid_tbl_len = port->gid_tbl_len;
	attr->pkey_tbl_len = port->pkey_tbl_len;
	if (hdev->guest_gids)
		attr->active_mtu = vhyv_roce_mtu(hdev, port_num,
						 attr->active_mtu);
	return 0;
}

static int vhyv_query_gid(struct ib_device *ibdev, u32 port_num, int index,
			  union ib_gid *gid)
{
	struct vhyv_port *port = vhyv_port(to_vhyv_dev(ibdev), port_num);

	if (!port || index < 0 || index >= port->gid_tbl_len)
		return -EINVAL;
	mutex_lock(&port->lock);
	*gid = port->gids[index];
	mutex_unlock(&port->lock);
	return 0;
}

static int vhyv_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
			   u16 *pkey)
{
	struct vhyv_port *port = vhyv_port(to_vhyv_dev(ibdev), port_num);

	if (!port || index >= port->pkey_tbl_len)
		return -EINVAL;
	mutex_lock(&port->lock);
	*pkey = port->pkeys[index];
	mutex_unlock(&port->lock);
	return 0;
}

static enum rdma_link_layer vhyv_get_link_layer(struct ib_device *ibdev,
						u32 port_num)
{
	struct vhyv_port *port = vhyv_port(to_vhyv_dev(ibdev), port_num);

	return port ? port->link_layer : IB_LINK_LAYER_UNSPECIFIED;
}

static int vhyv_get_port_immutable(struct ib_device *ibdev, u32 port_num,
				   struct ib_port_immutable *immutable)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibdev);
	struct vhyv_port *port = vhyv_port(hdev, port_num);

	if (!port)
		return -EINVAL;
	immutable->gid_tbl_len = port->gid_tbl_len;
	immutable->pkey_tbl_len = port->pkey_tbl_len;
	if (hdev->guest_gids) {
		immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
		immutable->max_mad_size = IB_MGMT_MAD_SIZE;
		return 0;
	}
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB;
	if (port->grh_required)
		immutable->core_cap_flags |= RDMA_CORE_CAP_IB_GRH_REQUIRED;
	return 0;
}

/*
 * That this exists lets the device go while processes have it open: the core
 * destroys what they own and takes their mappings away.
 */
static void vhyv_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

COMPAT_DEFINE_CREATE_CQ(vhyv_create_cq_op, vhyv_create_cq);

/* driver_id and uverbs_abi_ver are added at run time. */
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
	.reg_user_mr = vhyv_reg_user_mr,

	INIT_RDMA_OBJ_SIZE(ib_cq, vhyv_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, vhyv_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, vhyv_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, vhyv_ucontext, ibuc),
};

/* Of ports with the HCA's addresses. */
static const struct ib_device_ops vhyv_host_gid_ops = {
	.query_gid = vhyv_query_gid,
};

/* Of ports with the guest's, and of the kernel's own objects. */
static const struct ib_device_ops vhyv_guest_gid_ops = {
	.add_gid = vhyv_add_gid,
	.alloc_hw_port_stats = vhyv_alloc_hw_port_stats,
	.create_ah = vhyv_create_kernel_ah,
	.del_gid = vhyv_del_gid,
	.destroy_ah = vhyv_destroy_ah,
	.get_dma_mr = vhyv_get_dma_mr,
	.get_hw_stats = vhyv_get_hw_stats,
	.get_netdev = vhyv_get_netdev,
	.poll_cq = vhyv_poll_cq,
	.post_recv = vhyv_post_recv,
	.post_send = vhyv_post_send,
	.query_ah = vhyv_query_ah,
	.req_notify_cq = vhyv_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, vhyv_ah, ibah),
};

/* Of a software HCA, whose provider rings doorbells by system calls. */
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
	.resize_cq = vhyv_resize_cq,
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

/* Verbs that only some HCAs have. */
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
	if (hdev->db.area) {
		ib_set_device_ops(ibdev, &vhyv_doorbell_ops);
		ibdev->uverbs_cmd_mask |=
			BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	}
}

/* Fetch a port's tables and put them in place of the old ones. */
static int vhyv_port_refresh_gids(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	union ib_gid *gids;
	int ret;

	gids = kvcalloc(port->gid_tbl_len, sizeof(*gids), GFP_KERNEL);
	if (!gids)
		return -ENOMEM;
	ret = vhyv_cmd_query_gids(hdev, port_num, gids, port->gid_tbl_len);
	if (!ret) {
		mutex_lock(&port->lock);
		swap(port->gids, gids);
		mutex_unlock(&port->lock);
	}
	kvfree(gids);
	return ret;
}

static int vhyv_port_refresh_pkeys(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	u16 *pkeys;
	int ret;

	pkeys = kvcalloc(port->pkey_tbl_len, sizeof(*pkeys), GFP_KERNEL);
	if (!pkeys)
		return -ENOMEM;
	ret = vhyv_cmd_query_pkeys(hdev, port_num, pkeys, port->pkey_tbl_len);
	if (!ret) {
		mutex_lock(&port->lock);
		swap(port->pkeys, pkeys);
		mutex_unlock(&port->lock);
	}
	kvfree(pkeys);
	return ret;
}

/* Whether a port of the host can do with addresses of the guest. */
static int vhyv_port_check_roce(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);

	if (port->link_layer != IB_LINK_LAYER_ETHERNET) {
		dev_err(&hdev->vdev->dev,
			"host offers addresses of the guest on port %u, which is not one of RoCE\n",
			port_num);
		return -EOPNOTSUPP;
	}
	port->gid_tbl_len = min_t(u32, port->gid_tbl_len, HYV_MAX_GIDS);
	return 0;
}

static int vhyv_port_init(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	int ret;

	ret = vhyv_cmd_query_port(hdev, port_num, &port->attr,
				  &port->link_layer, &port->grh_required);
	if (ret)
		return ret;
	port->gid_tbl_len = max(port->attr.gid_tbl_len, 1);
	port->pkey_tbl_len = max_t(u32, port->attr.pkey_tbl_len, 1);

	if (hdev->guest_gids)
		ret = vhyv_port_check_roce(hdev, port_num);
	else
		ret = vhyv_port_refresh_gids(hdev, port_num);
	if (ret)
		return ret;
	return vhyv_port_refresh_pkeys(hdev, port_num);
}

/* What happened to a port, and how many times running. */
struct vhyv_port_event {
	struct llist_node link;
	u32 port;
	enum ib_event_type code;
	u32 count;
};

/* Have the core update its tables, which takes commands, and wait for that. */
static void vhyv_dispatch_event(const struct ib_event *event)
{
	ib_dispatch_event(event);
	/* The core's work items run side by side, and events must not. */
	flush_workqueue(ib_wq);
}

/*
 * Tell user space that GIDs have changed. The core takes that event as a wish
 * that it update its table; whom it concerns it tells only of what it finds on
 * a port with RoCE's protocol.
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

/* Bring the caches up to date before the core and user space look at them. */
static void vhyv_port_handle_event(struct vhyv_dev *hdev,
				   const struct vhyv_port_event *what)
{
	struct ib_event event = {
		.device = &hdev->ibdev,
		.event = what->code,
		.element.port_num = what->port,
	};
	bool gids = what->code == IB_EVENT_GID_CHANGE;
	int ret = 0;
	u32 n;

	if (hdev->guest_gids && gids)
		ret = vhyv_hca_ndev_update(hdev);
	else if (!hdev->guest_gids &&
		 (gids || what->code == IB_EVENT_CLIENT_REREGISTER))
		ret = vhyv_port_refresh_gids(hdev, what->port);
	else if (what->code == IB_EVENT_PKEY_CHANGE)
		ret = vhyv_port_refresh_pkeys(hdev, what->port);
	if (ret)
		ibdev_dbg(&hdev->ibdev, "port %u: no news after event %u: %d\n",
			  what->port, what->code, ret);

	/* Nobody but the core changes its own table, and it tells of that. */
	if (!test_bit(VHYV_DEV_REGISTERED, &hdev->flags) ||
	    (hdev->guest_gids && gids))
		return;
	if (gids)
		vhyv_dispatch_event(&event);
	for (n = 0; n < what->count; n++) {
		if (gids)
			vhyv_gid_change(hdev, &event);
		else
			vhyv_dispatch_event(&event);
	}
}

static void vhyv_port_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(work, struct vhyv_dev, port_work);
	struct vhyv_port_event *what, *next;
	struct llist_node *events;

	events = llist_reverse_order(llist_del_all(&hdev->port_events));
	llist_for_each_entry_safe(what, next, events, link) {
		vhyv_port_handle_event(hdev, what);
		kfree(what);
	}
}

/**
 * vhyv_ibdev_port_event() - something happened to a port
 * @hdev: device
 * @port_num: port number, as the host says
 * @code: what, an event of ports
 * @count: how many times, running; 0 to look at the host's tables again and
 *	tell nobody
 *
 * Without memory the event is lost, as all of the core's and ib_uverbs' are.
 *
 * Context: any.
 */
void vhyv_ibdev_port_event(struct vhyv_dev *hdev, u32 port_num,
			   enum ib_event_type code, u32 count)
{
	struct vhyv_port_event *what;

	/*
	 * Before, the tables are not there yet, and nobody who could be told.
	 * vhyv_ibdev_register() asks for what has changed meanwhile.
	 */
	if (!vhyv_port(hdev, port_num) ||
	    !test_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		return;

	what = kmalloc(sizeof(*what), GFP_ATOMIC);
	if (!what)
		return;
	what->port = port_num;
	what->code = code;
	what->count = count;
	llist_add(&what->link, &hdev->port_events);
	queue_work(hdev->wq, &hdev->port_work);
}

/**
 * vhyv_ibdev_alloc_ports() - prepare for a number of ports
 * @hdev: device
 * @nr_ports: as the host says
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int vhyv_ibdev_alloc_ports(struct vhyv_dev *hdev, u32 nr_ports)
{
	u32 i;

	init_llist_head(&hdev->port_events);
	INIT_WORK(&hdev->port_work, vhyv_port_work);
	if (!nr_ports || nr_ports > VHYV_MAX_PORTS) {
		dev_err(&hdev->vdev->dev, "host offers %u ports\n", nr_ports);
		return -EINVAL;
	}
	hdev->ports = kcalloc(nr_ports, sizeof(*hdev->ports), GFP_KERNEL);
	if (!hdev->ports)
		return -ENOMEM;
	for (i = 0; i < nr_ports; i++)
		mutex_init(&hdev->ports[i].lock);
	hdev->nr_ports = nr_ports;
	return 0;
}

/**
 * vhyv_ibdev_free_ports() - undo vhyv_ibdev_alloc_ports()
 * @hdev: device that is not registered, with no work pending
 */
void vhyv_ibdev_free_ports(struct vhyv_dev *hdev)
{
	u32 i;

	for (i = 0; i < hdev->nr_ports; i++) {
		kvfree(hdev->ports[i].gids);
		kvfree(hdev->ports[i].pkeys);
		mutex_destroy(&hdev->ports[i].lock);
	}
	kfree(hdev->ports);
	hdev->nr_ports = 0;
}

/* What the ports need to have the guest's addresses. */
static int vhyv_ibdev_start_roce(struct vhyv_dev *hdev)
{
	int ret;

	ret = vhyv_gsi_net_get(&hdev->vdev->dev, vhyv_gsi_receive);
	if (ret)
		return ret;
	ret = vhyv_hca_ndev_update(hdev);
	if (ret)
		vhyv_gsi_net_put();
	return ret;
}

static void vhyv_ibdev_stop_roce(struct vhyv_dev *hdev)
{
	vhyv_hca_ndev_del(hdev);
	vhyv_gsi_net_put();
}

/**
 * vhyv_ibdev_register() - register with the RDMA core
 * @hdev: device whose control queue works
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int vhyv_ibdev_register(struct vhyv_dev *hdev)
{
	struct ib_device *ibdev = &hdev->ibdev;
	struct ib_device_attr attr = {};
	u32 port;
	int ret;

	ret = vhyv_cmd_query_device(hdev, &attr, &ibdev->node_guid,
				    &hdev->verbs, NULL);
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

	/* The core uses the GSIs as soon as the device is registered. */
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
	 * Pairs with that of setting VHYV_DEV_FAILED before the bit above is
	 * looked at. And what is asked for from now on is newer than every event
	 * which vhyv_ibdev_port_event() has dropped.
	 */
	smp_mb__after_atomic();
	/* The core may have missed a change that happened meanwhile. */
	for (port = 1; port <= hdev->nr_ports; port++)
		vhyv_ibdev_port_event(hdev, port, IB_EVENT_GID_CHANGE, 0);
	/* The work which that has caused may have found nothing to unregister. */
	if (vhyv_dev_failed(hdev)) {
		vhyv_ibdev_unregister(hdev);
		flush_work(&hdev->fail_work);
		return -EIO;
	}
	return 0;
}

/**
 * vhyv_ibdev_unregister() - undo vhyv_ibdev_register(), unless somebody has
 * @hdev: device, which may have failed
 *
 * When it returns no process uses the device any more; but if somebody else is
 * at it, it returns at once.
 *
 * Context: may sleep.
 */
void vhyv_ibdev_unregister(struct vhyv_dev *hdev)
{
	/* What has happened so far is told before the end. */
	flush_work(&hdev->port_work);
	/* No event may be dispatched while the core takes the device apart. */
	if (!test_and_clear_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		return;
	flush_work(&hdev->port_work);
	ib_unregister_device(&hdev->ibdev);
	if (hdev->guest_gids)
		vhyv_ibdev_stop_roce(hdev);
}
