// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of the guest's own: which it has, and what they are translated to.
 *
 * What the HCA sends and receives bears addresses of hosts only. So guests of
 * different tenants may have the same ones, the network need not know any, and
 * whom a guest may reach is decided here, once for each QP and address handle.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "dispatch.h"
#include "gids.h"
#include "hca.h"
#include "tenant.h"
#include "verbs.h"
#include "vnic.h"

/*
 * A packet's way through the guest's network says nothing about the HCA's. For
 * addresses of one machine the core takes the route's.
 */
#define HYV_HOP_LIMIT	64

#define HYV_MAX_VLAN	4094

/**
 * hyv_gids_init() - start in addressing mode host
 * @gids: of a new vNIC
 */
void hyv_gids_init(struct hyv_gids *gids)
{
	mutex_init(&gids->lock);
}

/**
 * hyv_gids_free() - undo hyv_gids_init() and hyv_gids_set()
 * @gids: of a vNIC that has no GID
 */
void hyv_gids_free(struct hyv_gids *gids)
{
	kfree(gids->prefix);
	kfree(gids->entry);
	mutex_destroy(&gids->lock);
}

static struct hyv_gid_prefix *hyv_gids_get_prefixes(u64 from, u32 nr)
{
	struct hyv_gid_prefix *prefix;
	union ib_gid first;
	u32 i;

	if (nr > HYV_MAX_GID_PREFIXES)
		return ERR_PTR(-EINVAL);
	if (!nr)
		return NULL;
	prefix = memdup_user(u64_to_user_ptr(from), nr * sizeof(*prefix));
	if (IS_ERR(prefix))
		return prefix;
	for (i = 0; i < nr; i++) {
		memcpy(first.raw, prefix[i].gid, sizeof(first.raw));
		if (prefix[i].length > 128 || prefix[i].reserved ||
		    !hyv_gid_is_prefix(&first, prefix[i].length)) {
			kfree(prefix);
			return ERR_PTR(-EINVAL);
		}
	}
	return prefix;
}

/* Change the mode, to that of host if @entry is NULL. */
static int hyv_gids_replace(struct hyv_vnic *vnic, struct hyv_vgid *entry,
			    struct hyv_gid_prefix *prefix, u32 nr_prefixes)
{
	struct hyv_gids *gids = &vnic->gids;

	lockdep_assert_held_write(&vnic->gate);
	if (!vnic->hca)
		return -ENODEV;
	/* The guest's driver has been told already. */
	if (vnic->features)
		return -EBUSY;
	if (entry && !hyv_hca_has_roce(hyv_hca_ibdev(vnic->hca)))
		return -EOPNOTSUPP;

	swap(gids->entry, entry);
	swap(gids->prefix, prefix);
	gids->nr_prefixes = nr_prefixes;
	gids->tenant = gids->entry ? &hyv_default_tenant : NULL;
	kfree(prefix);
	kfree(entry);
	return 0;
}

/**
 * hyv_gids_set() - whose addresses a guest uses
 * @vnic: an attached vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0 or a negative errno of HYV_SET_ADDRESSING.
 */
int hyv_gids_set(struct hyv_vnic *vnic, const struct hyv_set_addressing *arg)
{
	struct hyv_vgid *entry = NULL;
	struct hyv_gid_prefix *prefix;
	int ret;

	if (arg->mode > HYV_ADDRESSING_GUEST ||
	    (arg->mode == HYV_ADDRESSING_HOST && arg->nr_prefixes))
		return -EINVAL;
	prefix = hyv_gids_get_prefixes(arg->prefixes, arg->nr_prefixes);
	if (IS_ERR(prefix))
		return PTR_ERR(prefix);
	if (arg->mode == HYV_ADDRESSING_GUEST) {
		entry = kcalloc(vnic->events.nr_ports * HYV_MAX_GIDS,
				sizeof(*entry), GFP_KERNEL_ACCOUNT);
		if (!entry) {
			ret = -ENOMEM;
			goto err_prefix;
		}
	}

	down_write(&vnic->gate);
	ret = hyv_gids_replace(vnic, entry, prefix, arg->nr_prefixes);
	up_write(&vnic->gate);
	if (ret)
		goto err_entry;
	return 0;

err_entry:
	kfree(entry);
err_prefix:
	kfree(prefix);
	return ret;
}

static bool hyv_vgid_used(const struct hyv_vgid *entry)
{
	return hyv_gid_kind(&entry->gid) != HYV_GID_UNUSABLE;
}

/* Empty an entry that is used. */
static void hyv_vgid_empty(struct hyv_vnic *vnic, struct hyv_vgid *entry)
{
	if (!entry->of_hca)
		hyv_tenant_del(vnic->gids.tenant, &entry->gid, vnic->id);
	memset(entry, 0, sizeof(*entry));
}

/**
 * hyv_gids_clear() - a guest has no GIDs any more
 * @vnic: the vNIC; gate held for writing
 *
 * Context: process, may sleep.
 */
void hyv_gids_clear(struct hyv_vnic *vnic)
{
	struct hyv_gids *gids = &vnic->gids;
	u32 i;

	if (!gids->tenant)
		return;
	mutex_lock(&gids->lock);
	for (i = 0; i < vnic->events.nr_ports * HYV_MAX_GIDS; i++)
		if (hyv_vgid_used(&gids->entry[i]))
			hyv_vgid_empty(vnic, &gids->entry[i]);
	mutex_unlock(&gids->lock);
}

/* An entry of the table, NULL if there is no such one. */
static struct hyv_vgid *hyv_vgid_get(struct hyv_vnic *vnic, u32 port, u32 index)
{
	lockdep_assert_held(&vnic->gids.lock);
	if (!port || port > vnic->events.nr_ports || index >= HYV_MAX_GIDS)
		return NULL;
	return &vnic->gids.entry[(port - 1) * HYV_MAX_GIDS + index];
}

static bool hyv_gid_allowed(const struct hyv_gids *gids,
			    const union ib_gid *gid)
{
	u32 i;

	for (i = 0; i < gids->nr_prefixes; i++)
		if (hyv_gid_in_prefix(gid, gids->prefix[i].gid,
				      gids->prefix[i].length))
			return true;
	return !gids->nr_prefixes;
}

/**
 * hyv_gids_of_hca() - the GID that GRHs of UD messages between guests have
 * @r: the request of a guest with addresses of its own
 * @port: port number
 * @gid: where to write it
 *
 * It is that of the HCA, whoever has sent the message, and only UD messages can be
 * sent to it. The guest has it in its table in order to answer them.
 *
 * Context: As all handlers.
 * Return: 0, or -ENOENT.
 */
int hyv_gids_of_hca(struct hyv_request *r, u32 port, union ib_gid *gid)
{
	int index;

	if (!rdma_is_port_valid(r->ibdev, port))
		return -ENOENT;
	index = hyv_hca_pick_gid(r->ibdev, port, HYV_GID_LINK_LOCAL,
				 HYV_GID_LINK_LOCAL, gid);
	return min(index, 0);
}

static bool hyv_gid_is_of_hca(struct hyv_request *r, u32 port,
			      const union ib_gid *gid)
{
	union ib_gid own;

	return !hyv_gids_of_hca(r, port, &own) &&
	       !memcmp(gid->raw, own.raw, sizeof(own.raw));
}

/**
 * hyv_cmd_add_gid() - handle HYV_CMD_ADD_GID
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_add_gid(void *arg, struct hyv_call *call)
{
	const struct hyv_add_gid_req *req = call->req;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_gids *gids = &vnic->gids;
	u16 vlan_id = le16_to_cpu(req->vlan_id);
	struct hyv_gid_owner owner = {
		.vnic_id = vnic->id,
		.hca_index = hyv_hca_index(vnic->hca),
		.port = le32_to_cpu(req->port),
	};
	struct hyv_vgid *entry;
	union ib_gid gid;
	bool of_hca;
	int ret = 0;

	memcpy(gid.raw, req->gid, sizeof(gid.raw));
	if (hyv_gid_kind(&gid) < HYV_GID_LINK_LOCAL ||
	    req->type != HYV_GID_TYPE_ROCE_V2 ||
	    (vlan_id != HYV_NO_VLAN && vlan_id > HYV_MAX_VLAN))
		return -EINVAL;
	of_hca = hyv_gid_is_of_hca(r, owner.port, &gid);
	if (!of_hca && !hyv_gid_allowed(gids, &gid))
		return -EACCES;

	mutex_lock(&gids->lock);
	entry = hyv_vgid_get(vnic, owner.port, le16_to_cpu(req->index));
	if (!entry) {
		ret = -EINVAL;
	} else if (hyv_vgid_used(entry)) {
		ret = -EBUSY;
	} else {
		/* That of the HCA is nobody's. */
		if (!of_hca)
			ret = hyv_tenant_add(gids->tenant, &gid, &owner);
		if (!ret) {
			entry->gid = gid;
			entry->of_hca = of_hca;
		}
	}
	mutex_unlock(&gids->lock);
	return ret;
}

/**
 * hyv_cmd_del_gid() - handle HYV_CMD_DEL_GID
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_del_gid(void *arg, struct hyv_call *call)
{
	const struct hyv_del_gid_req *req = call->req;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_vgid *entry;
	int ret = 0;

	mutex_lock(&vnic->gids.lock);
	entry = hyv_vgid_get(vnic, le32_to_cpu(req->port),
			     le16_to_cpu(req->index));
	if (!entry)
		ret = -EINVAL;
	else if (!hyv_vgid_used(entry))
		ret = -ENOENT;
	else
		hyv_vgid_empty(vnic, entry);
	mutex_unlock(&vnic->gids.lock);
	return ret;
}

static bool hyv_gids_has(struct hyv_vnic *vnic, u32 port, u32 index)
{
	struct hyv_vgid *entry;
	bool has;

	mutex_lock(&vnic->gids.lock);
	entry = hyv_vgid_get(vnic, port, index);
	has = entry && hyv_vgid_used(entry);
	mutex_unlock(&vnic->gids.lock);
	return has;
}

/* Whether a GID is one that GRHs of UD messages from guests may have. */
static bool hyv_gid_is_in_grh(struct hyv_request *r, u32 port,
			      const union ib_gid *gid)
{
	return hyv_gid_kind(gid) == HYV_GID_LINK_LOCAL &&
	       (hyv_gid_is_of_hca(r, port, gid) ||
		hyv_tenant_has_via(r->vnic->gids.tenant, gid));
}

/*
 * By which GID a guest of this host is reached: of the best kind that both HCAs
 * have. Returns the index of the GID to send from, or a negative errno.
 */
static int hyv_gids_resolve_vnic(struct hyv_request *r, u32 port,
				 const struct hyv_gid_owner *owner, bool ah,
				 union ib_gid *dgid)
{
	enum hyv_gid_kind kind = HYV_GID_IPV4;
	union ib_gid sgid;
	int index;

	if (ah && owner->port == port &&
	    owner->hca_index == hyv_hca_index(r->vnic->hca))
		kind = HYV_GID_LINK_LOCAL;
	for (; kind >= HYV_GID_LINK_LOCAL; kind--) {
		index = hyv_hca_pick_gid(r->ibdev, port, kind, kind, &sgid);
		if (index >= 0 &&
		    !hyv_hca_gid(owner->hca_index, owner->port, kind, dgid))
			return index;
	}
	return -ENETUNREACH;
}

/* The same for any GID. */
static int hyv_gids_resolve(struct hyv_request *r, u32 port,
			    const union ib_gid *gid, bool ah,
			    union ib_gid *dgid)
{
	struct hyv_gid_owner owner;
	enum hyv_gid_kind kind;
	union ib_gid sgid;
	int index;

	if (ah && hyv_gid_is_in_grh(r, port, gid)) {
		*dgid = *gid;
	} else {
		if (hyv_tenant_find(r->vnic->gids.tenant, gid, &owner))
			return -ENETUNREACH;
		if (owner.vnic_id != HYV_GID_STATIC)
			return hyv_gids_resolve_vnic(r, port, &owner, ah, dgid);
		*dgid = owner.via;
	}
	kind = hyv_gid_kind(dgid);
	index = hyv_hca_pick_gid(r->ibdev, port, kind, kind, &sgid);
	return index < 0 ? -ENETUNREACH : index;
}

/* From which GID a group of machines is sent to: its index, or an errno. */
static int hyv_gids_resolve_group(struct hyv_request *r, u32 port, bool ipv4)
{
	union ib_gid sgid;
	int index;

	index = hyv_hca_pick_gid(r->ibdev, port,
				 ipv4 ? HYV_GID_IPV4 : HYV_GID_LINK_LOCAL,
				 ipv4 ? HYV_GID_IPV4 : HYV_GID_IPV6, &sgid);
	return index < 0 ? -ENETUNREACH : index;
}

/**
 * hyv_gids_translate() - from the guest's addresses to those of HCAs
 * @r: the request
 * @in: what the guest wants to reach, and from which of its GIDs
 * @ah: for an address handle, which may be of a group of machines, too
 * @out: what hyv_ah_attr_from_wire() has made of @in
 *
 * Nothing is translated in addressing mode host.
 *
 * Context: As all handlers.
 * Return: 0; -EINVAL if the guest has no such GID, or for a group if not @ah;
 * -ENETUNREACH if there is nobody that it may reach by that address, or no way to
 * get there.
 */
int hyv_gids_translate(struct hyv_request *r, const struct hyv_ah_attr *in,
		       bool ah, struct rdma_ah_attr *out)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(out);
	struct hyv_gids *gids = &r->vnic->gids;
	enum hyv_gid_kind kind;
	union ib_gid dgid;
	int index;

	if (!gids->tenant)
		return 0;
	if (!in->is_global ||
	    !hyv_gids_has(r->vnic, in->port_num, in->sgid_index))
		return -EINVAL;

	dgid = grh->dgid;
	kind = hyv_gid_kind(&dgid);
	switch (kind) {
	case HYV_GID_UNUSABLE:
		return -EINVAL;
	case HYV_GID_MULTICAST4:
	case HYV_GID_MULTICAST6:
		if (!ah)
			return -EINVAL;
		index = hyv_gids_resolve_group(r, in->port_num,
					       kind == HYV_GID_MULTICAST4);
		break;
	default:
		index = hyv_gids_resolve(r, in->port_num, &grh->dgid, ah, &dgid);
		break;
	}
	if (index < 0)
		return index;
	rdma_ah_set_grh(out, &dgid, grh->flow_label, index, HYV_HOP_LIMIT,
			grh->traffic_class);
	return 0;
}
