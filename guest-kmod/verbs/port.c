// SPDX-License-Identifier: GPL-2.0-only
/* Ports of the HCA, and their tables. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "address/gid.h"
#include "address/netdev.h"
#include "command/cmd.h"
#include "verbs/verbs.h"

#define VHYV_MAX_PORTS	255

/* Send QUERY_PORT. @attr is zeroed by the caller. */
static int vhyv_port_query(struct vhyv_dev *hdev, u32 port,
			   struct ib_port_attr *attr,
			   enum rdma_link_layer *link_layer, bool *grh_required)
{
	struct hyv_query_port_req *req;
	struct hyv_query_port_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_PORT, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->port = cpu_to_le32(port);
	ret = vhyv_cmd_run(cmd, true, &rsp, NULL);
	if (ret)
		return ret;
	/* Longer ones are for OPA; ib_uverbs warns about them. */
	if (le32_to_cpu(rsp.lid) > U16_MAX || le32_to_cpu(rsp.sm_lid) > U16_MAX)
		return -EIO;

	attr->port_cap_flags = le32_to_cpu(rsp.port_cap_flags);
	attr->ip_gids = !!(attr->port_cap_flags & IB_UVERBS_PCF_IP_BASED_GIDS);
	attr->port_cap_flags2 = le32_to_cpu(rsp.port_cap_flags2);
	attr->max_msg_sz = le32_to_cpu(rsp.max_msg_sz);
	attr->bad_pkey_cntr = le32_to_cpu(rsp.bad_pkey_cntr);
	attr->qkey_viol_cntr = le32_to_cpu(rsp.qkey_viol_cntr);
	attr->gid_tbl_len = min_t(u32, le32_to_cpu(rsp.gid_tbl_len), U16_MAX);
	attr->pkey_tbl_len = min_t(u32, le32_to_cpu(rsp.pkey_tbl_len), U16_MAX);
	attr->lid = le32_to_cpu(rsp.lid);
	attr->sm_lid = le32_to_cpu(rsp.sm_lid);
	attr->active_speed = le32_to_cpu(rsp.active_speed);
	attr->state = rsp.state;
	attr->max_mtu = rsp.max_mtu;
	attr->active_mtu = rsp.active_mtu;
	attr->lmc = rsp.lmc;
	attr->max_vl_num = rsp.max_vl_num;
	attr->sm_sl = rsp.sm_sl;
	attr->subnet_timeout = rsp.subnet_timeout;
	attr->init_type_reply = rsp.init_type_reply;
	attr->active_width = rsp.active_width;
	attr->phys_state = rsp.phys_state;
	*link_layer = rsp.link_layer;
	*grh_required = rsp.grh_required;
	return 0;
}

/* Send QUERY_PKEYS. @pkeys is zeroed by the caller. */
static int vhyv_port_query_pkeys(struct vhyv_dev *hdev, u32 port, u16 *pkeys,
				 u32 len)
{
	struct hyv_query_pkeys_req *req;
	struct hyv_query_pkeys_rsp rsp;
	struct vhyv_cmd *cmd;
	u32 first = 0, next, count, i;
	int ret;

	do {
		cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_PKEYS, NULL);
		if (IS_ERR(cmd))
			return PTR_ERR(cmd);
		req = cmd->req;
		req->port = cpu_to_le32(port);
		req->first = cpu_to_le32(first);
		ret = vhyv_cmd_run(cmd, true, &rsp, NULL);
		if (ret)
			return ret;

		count = min_t(u32, le32_to_cpu(rsp.count), HYV_QUERY_PKEYS_MAX);
		for (i = 0; i < count && first + i < len; i++)
			pkeys[first + i] = le16_to_cpu(rsp.pkey[i]);
		next = le32_to_cpu(rsp.next);
		/* A host that does not advance would loop forever. */
		if (next && next <= first)
			return -EIO;
		first = next;
	} while (first && first < len);
	return 0;
}

int vhyv_query_port(struct ib_device *ibdev, u32 port_num,
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

	ret = vhyv_port_query(hdev, port_num, &new, &link_layer, &grh_required);
	/* The ports of an HCA that was removed or has failed are down. */
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

	/* The RDMA core's tables keep the size they were registered with. */
	attr->gid_tbl_len = port->gid_tbl_len;
	attr->pkey_tbl_len = port->pkey_tbl_len;
	if (hdev->guest_gids)
		attr->active_mtu = vhyv_netdev_mtu(hdev, port_num,
						   attr->active_mtu);
	return 0;
}

int vhyv_query_gid(struct ib_device *ibdev, u32 port_num, int index,
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

int vhyv_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
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

enum rdma_link_layer vhyv_get_link_layer(struct ib_device *ibdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(to_vhyv_dev(ibdev), port_num);

	return port ? port->link_layer : IB_LINK_LAYER_UNSPECIFIED;
}

int vhyv_get_port_immutable(struct ib_device *ibdev, u32 port_num,
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
		if (hdev->has_gsi)
			immutable->max_mad_size = IB_MGMT_MAD_SIZE;
		else
			immutable->core_cap_flags &= ~(RDMA_CORE_CAP_IB_MAD |
						       RDMA_CORE_CAP_IB_CM);
		return 0;
	}
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB;
	if (port->grh_required)
		immutable->core_cap_flags |= RDMA_CORE_CAP_IB_GRH_REQUIRED;
	return 0;
}

/* Read a port's GID table from the host and replace the old one. */
int vhyv_port_refresh_gids(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	union ib_gid *gids;
	int ret;

	gids = kvcalloc(port->gid_tbl_len, sizeof(*gids), GFP_KERNEL);
	if (!gids)
		return -ENOMEM;
	ret = vhyv_query_gids(hdev, port_num, gids, port->gid_tbl_len);
	if (!ret) {
		mutex_lock(&port->lock);
		swap(port->gids, gids);
		mutex_unlock(&port->lock);
	}
	kvfree(gids);
	return ret;
}

/* As vhyv_port_refresh_gids(), for P_Keys. */
int vhyv_port_refresh_pkeys(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	u16 *pkeys;
	int ret;

	pkeys = kvcalloc(port->pkey_tbl_len, sizeof(*pkeys), GFP_KERNEL);
	if (!pkeys)
		return -ENOMEM;
	ret = vhyv_port_query_pkeys(hdev, port_num, pkeys, port->pkey_tbl_len);
	if (!ret) {
		mutex_lock(&port->lock);
		swap(port->pkeys, pkeys);
		mutex_unlock(&port->lock);
	}
	kvfree(pkeys);
	return ret;
}

/* Check that a port supports guest addressing. */
static int vhyv_port_check_roce(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);

	if (port->link_layer != IB_LINK_LAYER_ETHERNET) {
		dev_err(&hdev->vdev->dev,
			"guest addressing needs RoCE, but port %u is not Ethernet\n",
			port_num);
		return -EOPNOTSUPP;
	}
	port->gid_tbl_len = min_t(u32, port->gid_tbl_len, HYV_MAX_GIDS);
	return 0;
}

/* Read the attributes and tables of a port, before the registration. */
int vhyv_port_init(struct vhyv_dev *hdev, u32 port_num)
{
	struct vhyv_port *port = vhyv_port(hdev, port_num);
	int ret;

	ret = vhyv_port_query(hdev, port_num, &port->attr, &port->link_layer,
			      &port->grh_required);
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

/* Allocate as many ports as the host offers. */
int vhyv_ports_alloc(struct vhyv_dev *hdev, u32 nr_ports)
{
	u32 i, k;

	if (!nr_ports || nr_ports > VHYV_MAX_PORTS) {
		dev_err(&hdev->vdev->dev,
			"invalid number of ports %u, must be 1 to %u\n",
			nr_ports, VHYV_MAX_PORTS);
		return -EINVAL;
	}
	hdev->ports = kcalloc(nr_ports, sizeof(*hdev->ports), GFP_KERNEL);
	if (!hdev->ports)
		return -ENOMEM;
	for (i = 0; i < nr_ports; i++) {
		mutex_init(&hdev->ports[i].lock);
		for (k = 0; k < VHYV_PORT_CODES; k++)
			INIT_LIST_HEAD(&hdev->ports[i].own_event[k].link);
	}
	hdev->nr_ports = nr_ports;
	return 0;
}

void vhyv_ports_free(struct vhyv_dev *hdev)
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
