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

#include "command/dispatch.h"
#include "address/vgid.h"
#include "hca/hca.h"
#include "address/tenant.h"
#include "verbs/verbs.h"
#include "vnic.h"

/*
 * A packet's way through the guest's network says nothing about the HCA's. For
 * addresses of one machine the core takes the route's.
 */
#define HYVH_HOP_LIMIT	64

#define HYVH_MAX_VLAN	4094

/**
 * hyvh_vgids_init() - start in addressing mode host
 * @gids: of a new vNIC
 */
void hyvh_vgids_init(struct hyvh_vgids *gids)
{
	mutex_init(&gids->lock);
}

/**
 * hyvh_vgids_free() - undo hyvh_vgids_init() and hyvh_vgids_set()
 * @gids: of a vNIC that has no GID
 */
void hyvh_vgids_free(struct hyvh_vgids *gids)
{
	kfree(gids->prefix);
	kfree(gids->entry);
	mutex_destroy(&gids->lock);
}

static struct hyv_gid_prefix *hyvh_vgids_get_prefixes(u64 from, u32 nr)
{
	struct hyv_gid_prefix *prefix;
	union ib_gid first;
	u32 i;

	if (nr > HYVH_MAX_GID_PREFIXES)
		return ERR_PTR(-EINVAL);
	if (!nr)
		return NULL;
	prefix = memdup_user(u64_to_user_ptr(from), nr * sizeof(*prefix));
	if (IS_ERR(prefix))
		return prefix;
	for (i = 0; i < nr; i++) {
		memcpy(first.raw, prefix[i].gid, sizeof(first.raw));
		if (prefix[i].length > 128 || prefix[i].reserved ||
		    !hyvh_gid_is_prefix(&first, prefix[i].length)) {
			kfree(prefix);
			return ERR_PTR(-EINVAL);
		}
	}
	return prefix;
}

/* Change the mode, to that of host if @entry is NULL. */
static int hyvh_vgids_replace(struct hyvh_vnic *vnic, struct hyvh_vgid *entry,
			     struct hyv_gid_prefix *prefix, u32 nr_prefixes)
{
	struct hyvh_vgids *gids = &vnic->gids;

	lockdep_assert_held_write(&vnic->teardown_rwsem);
	if (!vnic->hca)
		return -ENODEV;
	/* The guest's driver has been told already. */
	if (vnic->features)
		return -EBUSY;
	if (entry && !hyvh_hca_has_roce(hyvh_hca_ibdev(vnic->hca)))
		return -EOPNOTSUPP;

	swap(gids->entry, entry);
	swap(gids->prefix, prefix);
	gids->nr_prefixes = nr_prefixes;
	gids->tenant = gids->entry ? &hyvh_default_tenant : NULL;
	kfree(prefix);
	kfree(entry);
	return 0;
}

/**
 * hyvh_vgids_set() - whose addresses a guest uses
 * @vnic: an attached vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0 or a negative errno of HYV_SET_ADDRESSING.
 */
int hyvh_vgids_set(struct hyvh_vnic *vnic, const struct hyv_set_addressing *arg)
{
	struct hyvh_vgid *entry = NULL;
	struct hyv_gid_prefix *prefix;
	int ret;

	if (arg->mode > HYV_ADDRESSING_GUEST ||
	    (arg->mode == HYV_ADDRESSING_HOST && arg->nr_prefixes))
		return -EINVAL;
	prefix = hyvh_vgids_get_prefixes(arg->prefixes, arg->nr_prefixes);
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

	down_write(&vnic->teardown_rwsem);
	ret = hyvh_vgids_replace(vnic, entry, prefix, arg->nr_prefixes);
	up_write(&vnic->teardown_rwsem);
	if (ret)
		goto err_entry;
	return 0;

err_entry:
	kfree(entry);
err_prefix:
	kfree(prefix);
	return ret;
}

static bool hyvh_vgid_used(const struct hyvh_vgid *entry)
{
	return hyvh_gid_kind(&entry->gid) != HYVH_GID_UNUSABLE;
}

/* Empty an entry that is used. */
static void hyvh_vgid_empty(struct hyvh_vnic *vnic, struct hyvh_vgid *entry)
{
	if (!entry->of_hca)
		hyvh_tenant_del(vnic->gids.tenant, &entry->gid, vnic->id);
	memset(entry, 0, sizeof(*entry));
}

/**
 * hyvh_vgids_clear() - a guest has no GIDs any more
 * @vnic: the vNIC; gate held for writing
 *
 * Context: process, may sleep.
 */
void hyvh_vgids_clear(struct hyvh_vnic *vnic)
{
	struct hyvh_vgids *gids = &vnic->gids;
	u32 i;

	if (!gids->tenant)
		return;
	mutex_lock(&gids->lock);
	for (i = 0; i < vnic->events.nr_ports * HYV_MAX_GIDS; i++)
		if (hyvh_vgid_used(&gids->entry[i]))
			hyvh_vgid_empty(vnic, &gids->entry[i]);
	mutex_unlock(&gids->lock);
}

/* An entry of the table, NULL if there is no such one. */
static struct hyvh_vgid *hyvh_vgid_get(struct hyvh_vnic *vnic, u32 port, u32 index)
{
	lockdep_assert_held(&vnic->gids.lock);
	if (!port || port > vnic->events.nr_ports || index >= HYV_MAX_GIDS)
		return NULL;
	return &vnic->gids.entry[(port - 1) * HYV_MAX_GIDS + index];
}

static bool hyvh_gid_allowed(const struct hyvh_vgids *gids,
			     const union ib_gid *gid)
{
	u32 i;

	for (i = 0; i < gids->nr_prefixes; i++)
		if (hyvh_gid_in_prefix(gid, gids->prefix[i].gid,
				       gids->prefix[i].length))
			return true;
	return !gids->nr_prefixes;
}

/**
 * hyvh_vgids_hca_gid() - the GID that GRHs of UD messages between guests have
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
int hyvh_vgids_hca_gid(struct hyvh_request *r, u32 port, union ib_gid *gid)
{
	int index;

	if (!rdma_is_port_valid(r->ibdev, port))
		return -ENOENT;
	index = hyvh_hca_pick_gid(r->ibdev, port, HYVH_GID_LINK_LOCAL,
				  HYVH_GID_LINK_LOCAL, gid);
	return min(index, 0);
}

static bool hyvh_gid_is_of_hca(struct hyvh_request *r, u32 port,
			       const union ib_gid *gid)
{
	union ib_gid own;

	return !hyvh_vgids_hca_gid(r, port, &own) &&
	       !memcmp(gid->raw, own.raw, sizeof(own.raw));
}

/**
 * hyvh_cmd_add_gid() - handle HYV_CMD_ADD_GID
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_add_gid(void *arg, struct hyvh_call *call)
{
	const struct hyv_add_gid_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_vgids *gids = &vnic->gids;
	u16 vlan_id = le16_to_cpu(req->vlan_id);
	struct hyvh_gid_owner owner = {
		.vnic_id = vnic->id,
		.hca_index = hyvh_hca_index(vnic->hca),
		.port = le32_to_cpu(req->port),
	};
	struct hyvh_vgid *entry;
	union ib_gid gid;
	bool of_hca;
	int ret = 0;

	memcpy(gid.raw, req->gid, sizeof(gid.raw));
	if (hyvh_gid_kind(&gid) < HYVH_GID_LINK_LOCAL ||
	    req->type != HYV_GID_TYPE_ROCE_V2 ||
	    (vlan_id != HYV_NO_VLAN && vlan_id > HYVH_MAX_VLAN))
		return -EINVAL;
	of_hca = hyvh_gid_is_of_hca(r, owner.port, &gid);
	if (!of_hca && !hyvh_gid_allowed(gids, &gid))
		return -EACCES;

	mutex_lock(&gids->lock);
	entry = hyvh_vgid_get(vnic, owner.port, le16_to_cpu(req->index));
	if (!entry) {
		ret = -EINVAL;
	} else if (hyvh_vgid_used(entry)) {
		ret = -EBUSY;
	} else {
		/* That of the HCA is nobody's. */
		if (!of_hca)
			ret = hyvh_tenant_add(gids->tenant, &gid, &owner);
		if (!ret) {
			entry->gid = gid;
			entry->of_hca = of_hca;
		}
	}
	mutex_unlock(&gids->lock);
	return ret;
}

/**
 * hyvh_cmd_del_gid() - handle HYV_CMD_DEL_GID
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_del_gid(void *arg, struct hyvh_call *call)
{
	const struct hyv_del_gid_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_vgid *entry;
	int ret = 0;

	mutex_lock(&vnic->gids.lock);
	entry = hyvh_vgid_get(vnic, le32_to_cpu(req->port),
			      le16_to_cpu(req->index));
	if (!entry)
		ret = -EINVAL;
	else if (!hyvh_vgid_used(entry))
		ret = -ENOENT;
	else
		hyvh_vgid_empty(vnic, entry);
	mutex_unlock(&vnic->gids.lock);
	return ret;
}

static bool hyvh_vgids_has(struct hyvh_vnic *vnic, u32 port, u32 index)
{
	struct hyvh_vgid *entry;
	bool has;

	mutex_lock(&vnic->gids.lock);
	entry = hyvh_vgid_get(vnic, port, index);
	has = entry && hyvh_vgid_used(entry);
	mutex_unlock(&vnic->gids.lock);
	return has;
}

/* Whether a GID is one that GRHs of UD messages from guests may have. */
static bool hyvh_gid_is_in_grh(struct hyvh_request *r, u32 port,
			       const union ib_gid *gid)
{
	return hyvh_gid_kind(gid) == HYVH_GID_LINK_LOCAL &&
	       (hyvh_gid_is_of_hca(r, port, gid) ||
		hyvh_tenant_has_via(r->vnic->gids.tenant, gid));
}

/*
 * By which GID a guest of this host is reached: of the best kind that both HCAs
 * have. Returns the index of the GID to send from, or a negative errno.
 */
static int hyvh_vgids_resolve_vnic(struct hyvh_request *r, u32 port,
				  const struct hyvh_gid_owner *owner, bool ah,
				  union ib_gid *dgid)
{
	enum hyvh_gid_kind kind = HYVH_GID_IPV4;
	union ib_gid sgid;
	int index;

	if (ah && owner->port == port &&
	    owner->hca_index == hyvh_hca_index(r->vnic->hca))
		kind = HYVH_GID_LINK_LOCAL;
	for (; kind >= HYVH_GID_LINK_LOCAL; kind--) {
		index = hyvh_hca_pick_gid(r->ibdev, port, kind, kind, &sgid);
		if (index >= 0 &&
		    !hyvh_hca_gid(owner->hca_index, owner->port, kind, dgid))
			return index;
	}
	return -ENETUNREACH;
}

/* The same for any GID. */
static int hyvh_vgids_resolve(struct hyvh_request *r, u32 port,
			     const union ib_gid *gid, bool ah,
			     union ib_gid *dgid)
{
	struct hyvh_gid_owner owner;
	enum hyvh_gid_kind kind;
	union ib_gid sgid;
	int index;

	if (ah && hyvh_gid_is_in_grh(r, port, gid)) {
		*dgid = *gid;
	} else {
		if (hyvh_tenant_find(r->vnic->gids.tenant, gid, &owner))
			return -ENETUNREACH;
		if (owner.vnic_id != HYVH_GID_STATIC)
			return hyvh_vgids_resolve_vnic(r, port, &owner, ah, dgid);
		*dgid = owner.via;
	}
	kind = hyvh_gid_kind(dgid);
	index = hyvh_hca_pick_gid(r->ibdev, port, kind, kind, &sgid);
	return index < 0 ? -ENETUNREACH : index;
}

/* From which GID a group of machines is sent to: its index, or an errno. */
static int hyvh_vgids_resolve_group(struct hyvh_request *r, u32 port, bool ipv4)
{
	union ib_gid sgid;
	int index;

	index = hyvh_hca_pick_gid(r->ibdev, port,
				  ipv4 ? HYVH_GID_IPV4 : HYVH_GID_LINK_LOCAL,
				  ipv4 ? HYVH_GID_IPV4 : HYVH_GID_IPV6, &sgid);
	return index < 0 ? -ENETUNREACH : index;
}

/**
 * hyvh_vgids_translate() - from the guest's addresses to those of HCAs
 * @r: the request
 * @in: what the guest wants to reach, and from which of its GIDs
 * @ah: for an address handle, which may be of a group of machines, too
 * @out: what hyvh_ah_attr_from_wire() has made of @in
 *
 * Nothing is translated in addressing mode host.
 *
 * Context: As all handlers.
 * Return: 0; -EINVAL if the guest has no such GID, or for a group if not @ah;
 * -ENETUNREACH if there is nobody that it may reach by that address, or no way to
 * get there.
 */
int hyvh_vgids_translate(struct hyvh_request *r, const struct hyv_ah_attr *in,
			bool ah, struct rdma_ah_attr *out)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(out);
	struct hyvh_vgids *gids = &r->vnic->gids;
	enum hyvh_gid_kind kind;
	union ib_gid dgid;
	int index;

	if (!gids->tenant)
		return 0;
	if (!in->is_global ||
	    !hyvh_vgids_has(r->vnic, in->port_num, in->sgid_index))
		return -EINVAL;

	dgid = grh->dgid;
	kind = hyvh_gid_kind(&dgid);
	switch (kind) {
	case HYVH_GID_UNUSABLE:
		return -EINVAL;
	case HYVH_GID_MULTICAST4:
	case HYVH_GID_MULTICAST6:
		if (!ah)
			return -EINVAL;
		index = hyvh_vgids_resolve_group(r, in->port_num,
						kind == HYVH_GID_MULTICAST4);
		break;
	default:
		index = hyvh_vgids_resolve(r, in->port_num, &grh->dgid, ah, &dgid);
		break;
	}
	if (index < 0)
		return index;
	rdma_ah_set_grh(out, &dgid, grh->flow_label, index, HYVH_HOP_LIMIT,
			grh->traffic_class);
	return 0;
}
