// SPDX-License-Identifier: GPL-2.0-only
/*
 * GID tables of ports: read from the host in host addressing; in guest
 * addressing filled by the RDMA core, and each entry is reported to the host.
 */
#include <linux/device.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "address/gid.h"
#include "command/cmd.h"
#include "dev.h"

/*
 * Read a port's GID table from the host into @gids, which the caller has
 * zeroed. Entries past @len are left out. Sends a command.
 */
int vhyv_query_gids(struct vhyv_dev *hdev, u32 port, union ib_gid *gids,
		    u32 len)
{
	struct hyv_query_gids_req *req;
	struct hyv_query_gids_rsp *rsp;
	struct vhyv_cmd *cmd;
	u32 first = 0, next, count, i;
	int ret;

	rsp = kmalloc(sizeof(*rsp), GFP_KERNEL);
	if (!rsp)
		return -ENOMEM;

	do {
		cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_GIDS, NULL);
		if (IS_ERR(cmd)) {
			ret = PTR_ERR(cmd);
			break;
		}
		req = cmd->req;
		req->port = cpu_to_le32(port);
		req->first = cpu_to_le32(first);
		ret = vhyv_cmd_run(cmd, true, rsp, NULL);
		if (ret)
			break;

		count = min_t(u32, le32_to_cpu(rsp->count), HYV_QUERY_GIDS_MAX);
		for (i = 0; i < count; i++) {
			u32 index = le16_to_cpu(rsp->gid[i].index);

			if (index < len)
				memcpy(gids[index].raw, rsp->gid[i].raw,
				       sizeof(gids[index].raw));
		}
		next = le32_to_cpu(rsp->next);
		/* A host that does not advance would loop forever. */
		if (next && next <= first)
			ret = -EIO;
		first = next;
	} while (!ret && first && first < len);

	kfree(rsp);
	return ret;
}

/*
 * Check that connections from a GID are possible: the GSI's sockets are in the
 * initial network namespace.
 */
static bool vhyv_gid_usable(const struct ib_gid_attr *attr)
{
	struct net_device *ndev;
	bool usable;

	rcu_read_lock();
	/* rdma_read_gid_attr_ndev_rcu() is for entries that are in use. */
	ndev = rcu_dereference(attr->ndev);
	usable = ndev && net_eq(dev_net(ndev), &init_net);
	rcu_read_unlock();
	return usable;
}

static const char *vhyv_add_gid_error(int err)
{
	switch (err) {
	case -EEXIST:
		return "in use by another vNIC of the tenant";
	case -EACCES:
		return "not allowed by the host";
	default:
		return "command failed";
	}
}

/*
 * Let the RDMA core ask again after a lack of memory here or on the host. If
 * another vNIC has the GID, the host sends an event when it is free.
 */
static void vhyv_add_gid_later(struct vhyv_dev *hdev, int err)
{
	if (err != -ENOMEM && err != -EAGAIN)
		return;
	set_bit(VHYV_DEV_GID_MISSING, &hdev->flags);
	/* Pairs with the barrier in vhyv_ibdev_register(), which queues, too. */
	smp_mb__after_atomic();
	/* If the registration fails, nobody cancels the work. */
	if (test_bit(VHYV_DEV_REGISTERED, &hdev->flags))
		queue_delayed_work(hdev->wq, &hdev->gid_retry,
				   VHYV_RETRY_DELAY);
}

/* Does not fail: the entry is empty afterwards, or the device is reset. */
int vhyv_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct vhyv_dev *hdev = to_vhyv_dev(attr->device);
	struct hyv_del_gid_req *req;
	struct vhyv_cmd *cmd;
	int status;

	cmd = vhyv_cmd_new_nofail(hdev, VHYV_CMD_DEL_GID);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	req = cmd->req;
	req->port = cpu_to_le32(attr->port_num);
	req->index = cpu_to_le16(attr->index);
	if (vhyv_cmd_exec_retry(cmd, &status))
		return 0;
	if (status && status != -ENOENT)
		vhyv_dev_lost(hdev, "host cannot delete a GID");
	vhyv_cmd_free(cmd);
	return 0;
}

/*
 * The command is not killable: after an interrupted one the entry might be in
 * use or empty.
 */
int vhyv_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct vhyv_dev *hdev = to_vhyv_dev(attr->device);
	struct hyv_add_gid_req *req;
	struct vhyv_cmd *cmd;
	u16 vlan_id;
	int ret;

	if (!vhyv_gid_usable(attr)) {
		vhyv_dbg(hdev, "address %pI6c belongs to another network namespace\n",
			 attr->gid.raw);
		return -EOPNOTSUPP;
	}
	ret = rdma_read_gid_l2_fields(attr, &vlan_id, NULL);
	if (ret)
		return ret;

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_ADD_GID, NULL);
	if (IS_ERR(cmd)) {
		ret = PTR_ERR(cmd);
		goto out;
	}
	req = cmd->req;
	req->port = cpu_to_le32(attr->port_num);
	req->index = cpu_to_le16(attr->index);
	req->vlan_id = cpu_to_le16(vlan_id);
	memcpy(req->gid, attr->gid.raw, sizeof(req->gid));
	req->type = HYV_GID_TYPE_ROCE_V2;
	ret = vhyv_cmd_run(cmd, false, NULL, NULL);
	/* It may have been executed. Then the entry would stay in use. */
	if (ret == -EIO)
		vhyv_del_gid(attr, context);
out:
	if (ret)
		vhyv_add_gid_later(hdev, ret);
	if (ret && !vhyv_dev_failed(hdev))
		dev_notice_ratelimited(&hdev->vdev->dev,
				       "host refused address %pI6c: %s: %pe\n",
				       attr->gid.raw, vhyv_add_gid_error(ret),
				       ERR_PTR(ret));
	return ret;
}
