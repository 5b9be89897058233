// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGIDs, and their translation to the GIDs of HCAs.
 *
 * Packets of an HCA carry GIDs of HCAs only. So guests of different tenants may
 * have the same vGIDs, and the network need not know any. Which GIDs a guest
 * may reach is decided here, once for each QP and address handle.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <hyv/wire.h>

#include "address/gid_map.h"
#include "address/guest_gid.h"
#include "address/tenant.h"
#include "address/vgid.h"
#include "debug.h"
#include "hca/hca.h"
#include "hca/lend.h"

#define HYVH_MAX_GID_PREFIXES	64

/*
 * The hop limit of the guest's network says nothing about the HCA's. For
 * unicast, ib_core takes that of the route.
 */
#define HYVH_HOP_LIMIT	64

/* Start in host addressing. */
void hyvh_vgids_init(struct hyvh_vgids *vgids, struct hyvh_events *events)
{
	mutex_init(&vgids->lock);
	INIT_LIST_HEAD(&vgids->waiter.link);
	vgids->waiter.events = events;
}

void hyvh_vgids_free(struct hyvh_vgids *vgids)
{
	hyvh_addressing_free(&vgids->mode);
	mutex_destroy(&vgids->lock);
}

static bool hyvh_prefix_valid(const struct hyv_gid_prefix *prefix)
{
	union ib_gid first;

	memcpy(first.raw, prefix->gid, sizeof(first.raw));
	return prefix->length <= 128 && !prefix->reserved &&
	       hyvh_gid_is_prefix(&first, prefix->length);
}

static int hyvh_addressing_load_prefixes(struct hyvh_addressing *mode,
					 const struct hyv_set_addressing *arg)
{
	struct hyv_gid_prefix *prefix;
	u32 i;

	if (arg->nr_prefixes > HYVH_MAX_GID_PREFIXES)
		return -EINVAL;
	if (!arg->nr_prefixes)
		return 0;
	prefix = kcalloc(arg->nr_prefixes, sizeof(*prefix), GFP_KERNEL_ACCOUNT);
	if (!prefix)
		return -ENOMEM;
	mode->prefix = prefix;
	mode->nr_prefixes = arg->nr_prefixes;
	if (copy_from_user(prefix, u64_to_user_ptr(arg->prefixes),
			   arg->nr_prefixes * sizeof(*prefix)))
		return -EFAULT;
	for (i = 0; i < arg->nr_prefixes; i++)
		if (!hyvh_prefix_valid(&prefix[i]))
			return -EINVAL;
	return 0;
}

/*
 * Read and check an addressing mode of the VMM. On success, the caller frees it
 * with hyvh_addressing_free(). Errors are those of HYV_SET_ADDRESSING.
 */
int hyvh_addressing_load(struct hyvh_addressing *mode,
			 const struct hyvh_vgids *vgids,
			 const struct hyv_set_addressing *arg)
{
	int ret;

	memset(mode, 0, sizeof(*mode));
	if (arg->mode > HYV_ADDRESSING_GUEST ||
	    (arg->mode == HYV_ADDRESSING_HOST && arg->nr_prefixes))
		return hyvh_refuse(vgids->vnic_id, -EINVAL,
				   "addressing mode %u with %u prefixes",
				   arg->mode, arg->nr_prefixes);
	ret = hyvh_addressing_load_prefixes(mode, arg);
	if (ret) {
		hyvh_dbg(vgids->vnic_id, "invalid GID prefixes: %pe",
			 ERR_PTR(ret));
		goto err_free;
	}
	if (arg->mode == HYV_ADDRESSING_GUEST) {
		mode->entry = kcalloc(vgids->nr_ports * HYV_MAX_GIDS,
				      sizeof(*mode->entry), GFP_KERNEL_ACCOUNT);
		if (!mode->entry) {
			ret = -ENOMEM;
			goto err_free;
		}
	}
	return 0;

err_free:
	hyvh_addressing_free(mode);
	return ret;
}

void hyvh_addressing_free(struct hyvh_addressing *mode)
{
	kfree(mode->prefix);
	kfree(mode->entry);
}

/* The HCA has no more to do with the vGIDs, which are empty. */
void hyvh_vgids_leave_hca(struct hyvh_vgids *vgids)
{
	if (vgids->lease)
		vgids->lease->ops->close(vgids->lease);
	vgids->lease = NULL;
}

/*
 * Change the addressing mode of empty vGIDs. @mode receives the old one.
 * Returns -EOPNOTSUPP if @hca does not support the mode, or an error of
 * hyvh_hca_lend().
 */
int hyvh_vgids_set_mode(struct hyvh_vgids *vgids, const struct hyvh_hca *hca,
			struct hyvh_addressing *mode)
{
	struct hyvh_lease *lease = NULL;

	if (mode->entry && !hyvh_hca_has_roce(hca))
		return hyvh_refuse(vgids->vnic_id, -EOPNOTSUPP,
				   "guest addressing needs RoCE v2 on all ports");
	if (mode->entry)
		lease = hyvh_hca_lend(hca, HYVH_DEFAULT_NET, vgids->vnic_id);
	if (IS_ERR(lease))
		return PTR_ERR(lease);
	hyvh_vgids_leave_hca(vgids);
	vgids->lease = lease;
	swap(vgids->mode, *mode);
	vgids->tenant = vgids->mode.entry ? &hyvh_default_tenant : NULL;
	return 0;
}

static bool hyvh_vgid_used(const struct hyvh_vgid *entry)
{
	return hyvh_gid_kind(&entry->gid) != HYVH_GID_UNUSABLE;
}

/* Let a lease have an entry as well, or no more if @gid is NULL. */
static int hyvh_vgid_lend(struct hyvh_vgids *vgids,
			  const struct hyvh_vgid *entry,
			  const union ib_gid *gid)
{
	struct hyvh_lease *lease = vgids->lease;

	if (!lease)
		return 0;
	return lease->ops->set_gid(lease, entry - vgids->mode.entry, gid);
}

/* In this order: the next owner must be the only one at the HCA, too. */
static void hyvh_vgid_empty(struct hyvh_vgids *vgids, struct hyvh_vgid *entry)
{
	if (!entry->of_hca) {
		hyvh_vgid_lend(vgids, entry, NULL);
		hyvh_tenant_del(vgids->tenant, &entry->gid, vgids->vnic_id);
	}
	memset(entry, 0, sizeof(*entry));
}

/* The guest gets a new context of the HCA. */
void hyvh_vgids_bind(struct hyvh_vgids *vgids, struct ib_ucontext *context)
{
	if (vgids->lease)
		vgids->lease->ops->bind(vgids->lease, context);
}

/* Delete all vGIDs. */
void hyvh_vgids_clear(struct hyvh_vgids *vgids)
{
	u32 i;

	if (!vgids->tenant)
		return;
	hyvh_tenant_stop_waiting(vgids->tenant, &vgids->waiter);
	mutex_lock(&vgids->lock);
	for (i = 0; i < vgids->nr_ports * HYV_MAX_GIDS; i++)
		if (hyvh_vgid_used(&vgids->mode.entry[i]))
			hyvh_vgid_empty(vgids, &vgids->mode.entry[i]);
	mutex_unlock(&vgids->lock);
}

/* The entry of a port's GID table, or NULL if the guest has no such entry. */
static struct hyvh_vgid *hyvh_vgid_get(struct hyvh_vgids *vgids, u32 port,
				       u32 index)
{
	lockdep_assert_held(&vgids->lock);
	if (!port || port > vgids->nr_ports || index >= HYV_MAX_GIDS)
		return NULL;
	return &vgids->mode.entry[(port - 1) * HYV_MAX_GIDS + index];
}

static bool hyvh_vgids_allow(const struct hyvh_vgids *vgids,
			     const union ib_gid *gid)
{
	const struct hyvh_addressing *mode = &vgids->mode;
	u32 i;

	for (i = 0; i < mode->nr_prefixes; i++)
		if (hyvh_gid_in_prefix(gid, mode->prefix[i].gid,
				       mode->prefix[i].length))
			return true;
	return !mode->nr_prefixes;
}

/**
 * hyvh_vgids_hca_gid() - find the GID in the GRH of UD messages between guests
 * @hca: HCA of the vNIC, in guest addressing
 * @port: port number
 * @gid: set to the GID
 *
 * It is the HCA's GID, whichever guest has sent the message, and only UD
 * messages can be sent to it. Guests have it in their GID table so that they
 * can reply.
 *
 * Return: 0 or %-ENOENT.
 */
int hyvh_vgids_hca_gid(struct hyvh_hca *hca, u32 port, union ib_gid *gid)
{
	if (!rdma_is_port_valid(hyvh_hca_ibdev(hca), port))
		return -ENOENT;
	return hyvh_hca_find_gid(hca, port, HYVH_GID_LINK_LOCAL, gid, NULL);
}

static bool hyvh_gid_is_of_hca(struct hyvh_hca *hca, u32 port,
			       const union ib_gid *gid)
{
	union ib_gid own;

	return !hyvh_vgids_hca_gid(hca, port, &own) &&
	       !memcmp(gid->raw, own.raw, sizeof(own.raw));
}

static int hyvh_vgids_add_locked(struct hyvh_vgids *vgids,
				 const struct hyvh_gid_owner *owner, u32 index,
				 const union ib_gid *gid, bool of_hca)
{
	struct hyvh_vgid *entry = hyvh_vgid_get(vgids, owner->port, index);
	int ret;

	if (!entry)
		return -EINVAL;
	if (hyvh_vgid_used(entry))
		return -EBUSY;
	if (!of_hca) {
		ret = hyvh_tenant_add(vgids->tenant, gid, owner,
				      &vgids->waiter);
		if (ret)
			return ret;
		ret = hyvh_vgid_lend(vgids, entry, gid);
		if (ret)
			goto err_tenant;
	}
	entry->gid = *gid;
	entry->of_hca = of_hca;
	return 0;

err_tenant:
	hyvh_tenant_del(vgids->tenant, gid, vgids->vnic_id);
	return ret;
}

/**
 * hyvh_vgids_add() - give a guest a GID
 * @vgids: vGIDs of the vNIC, in guest addressing
 * @hca: HCA of the vNIC
 * @port: port number
 * @index: entry of the port's GID table
 * @gid: any 16 bytes
 *
 * Return: 0, %-EINVAL if there is no such entry or @gid is not unicast,
 * %-EBUSY if the entry is in use, %-EACCES if the VMM does not allow @gid,
 * %-EEXIST if it has another owner, or another negative errno. After %-EEXIST
 * the guest gets an %IB_EVENT_GID_CHANGE when it may try again.
 */
int hyvh_vgids_add(struct hyvh_vgids *vgids, struct hyvh_hca *hca, u32 port,
		   u32 index, const union ib_gid *gid)
{
	struct hyvh_gid_owner owner = {
		.vnic_id = vgids->vnic_id,
		.hca_index = hyvh_hca_index(hca),
		.port = port,
	};
	bool of_hca;
	int ret;

	if (!hyvh_gid_is_unicast(gid))
		return hyvh_refuse(vgids->vnic_id, -EINVAL,
				   "GID %pI6c is not a unicast address",
				   gid->raw);
	of_hca = hyvh_gid_is_of_hca(hca, port, gid);
	if (!of_hca && !hyvh_vgids_allow(vgids, gid))
		return hyvh_refuse(vgids->vnic_id, -EACCES,
				   "GID %pI6c is in no prefix of the VMM",
				   gid->raw);

	mutex_lock(&vgids->lock);
	ret = hyvh_vgids_add_locked(vgids, &owner, index, gid, of_hca);
	mutex_unlock(&vgids->lock);
	if (ret)
		return hyvh_refuse(vgids->vnic_id, ret,
				   "cannot add GID %pI6c as entry %u of port %u",
				   gid->raw, index, port);
	return 0;
}

/* Returns 0, -EINVAL if there is no such entry, or -ENOENT if it is empty. */
int hyvh_vgids_del(struct hyvh_vgids *vgids, u32 port, u32 index)
{
	struct hyvh_vgid *entry;
	int ret = 0;

	mutex_lock(&vgids->lock);
	entry = hyvh_vgid_get(vgids, port, index);
	if (!entry)
		ret = -EINVAL;
	else if (!hyvh_vgid_used(entry))
		ret = -ENOENT;
	else
		hyvh_vgid_empty(vgids, entry);
	mutex_unlock(&vgids->lock);
	if (ret)
		return hyvh_refuse(vgids->vnic_id, ret,
				   "cannot delete GID entry %u of port %u",
				   index, port);
	return 0;
}

/*
 * Check for a GID to send from. The one of the HCA, which any guest can enter, is for UD
 * messages that answer to a GRH; with a lease a GRH has vGIDs.
 */
static bool hyvh_vgids_has(struct hyvh_vgids *vgids, u32 port, u32 index,
			   bool ah)
{
	struct hyvh_vgid *entry;
	bool has;

	mutex_lock(&vgids->lock);
	entry = hyvh_vgid_get(vgids, port, index);
	has = entry && hyvh_vgid_used(entry) &&
	      (!entry->of_hca || (ah && !vgids->lease));
	mutex_unlock(&vgids->lock);
	return has;
}

/* A route in the network of the HCAs. */
struct hyvh_route {
	union ib_gid dgid;	/* to send to */
	u8 sgid_index;		/* of the GID to send from */
};

/* Check for a GID that the GRH of UD messages from other guests can have. */
static bool hyvh_gid_is_in_grh(struct hyvh_vgids *vgids, struct hyvh_hca *hca,
			       u32 port, const union ib_gid *gid)
{
	return hyvh_gid_kind(gid) == HYVH_GID_LINK_LOCAL &&
	       (hyvh_gid_is_of_hca(hca, port, gid) ||
		hyvh_tenant_has_via(vgids->tenant, gid));
}

/* To a guest of this host: use the best kind of GID that both HCAs have. */
static int hyvh_route_to_vnic(struct hyvh_route *route, struct hyvh_hca *hca,
			      u32 port, bool ah,
			      const struct hyvh_gid_owner *owner)
{
	enum hyvh_gid_kind kind = HYVH_GID_IPV4;

	if (ah && owner->port == port &&
	    owner->hca_index == hyvh_hca_index(hca))
		kind = HYVH_GID_LINK_LOCAL;
	for (; kind >= HYVH_GID_LINK_LOCAL; kind--)
		if (!hyvh_hca_find_gid(hca, port, kind, NULL,
				       &route->sgid_index) &&
		    !hyvh_hca_lookup_gid(owner->hca_index, owner->port, kind,
					 &route->dgid))
			return 0;
	return -ENETUNREACH;
}

static int hyvh_route_to_gid(struct hyvh_route *route, struct hyvh_vgids *vgids,
			     struct hyvh_hca *hca, u32 port, bool ah,
			     const union ib_gid *gid)
{
	struct hyvh_gid_owner owner;

	if (ah && !vgids->lease && hyvh_gid_is_in_grh(vgids, hca, port, gid)) {
		route->dgid = *gid;
	} else {
		if (hyvh_tenant_find(vgids->tenant, gid, &owner))
			return -ENETUNREACH;
		if (owner.vnic_id != HYVH_GID_STATIC)
			return hyvh_route_to_vnic(route, hca, port, ah, &owner);
		route->dgid = owner.via;
	}
	if (hyvh_hca_find_gid(hca, port, hyvh_gid_kind(&route->dgid), NULL,
			      &route->sgid_index))
		return -ENETUNREACH;
	return 0;
}

static int hyvh_route_to_group(struct hyvh_route *route, struct hyvh_hca *hca,
			       u32 port, const union ib_gid *gid)
{
	enum hyvh_gid_kind kind = HYVH_GID_IPV4, least = HYVH_GID_IPV4;

	if (hyvh_gid_kind(gid) == HYVH_GID_MULTICAST6) {
		kind = HYVH_GID_IPV6;
		least = HYVH_GID_LINK_LOCAL;
	}
	route->dgid = *gid;
	for (; kind >= least; kind--)
		if (!hyvh_hca_find_gid(hca, port, kind, NULL,
				       &route->sgid_index))
			return 0;
	return -ENETUNREACH;
}

/**
 * hyvh_vgids_translate() - translate vGIDs to GIDs of HCAs
 * @vgids: vGIDs of the vNIC
 * @hca: HCA of the vNIC
 * @in: address as the guest has set it
 * @ah: the address is for an address handle and may be a multicast group
 * @out: @in converted by hyvh_ah_attr_from_wire(); translated in place
 *
 * Does nothing in host addressing.
 *
 * Return: 0, %-EINVAL if the guest lacks the source GID or the destination is
 * invalid, or %-ENETUNREACH if the guest may not or cannot reach it.
 */
int hyvh_vgids_translate(struct hyvh_vgids *vgids, struct hyvh_hca *hca,
			 const struct hyv_ah_attr *in, bool ah,
			 struct rdma_ah_attr *out)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(out);
	struct hyvh_route route;
	int ret;

	if (!vgids->tenant)
		return 0;
	if (!in->is_global ||
	    !hyvh_vgids_has(vgids, in->port_num, in->sgid_index, ah))
		return hyvh_refuse(vgids->vnic_id, -EINVAL,
				   "no GID %u on port %u to send from",
				   in->sgid_index, in->port_num);

	if (hyvh_gid_is_unicast(&grh->dgid))
		ret = hyvh_route_to_gid(&route, vgids, hca, in->port_num, ah,
					&grh->dgid);
	else if (ah && hyvh_gid_kind(&grh->dgid) != HYVH_GID_UNUSABLE)
		ret = hyvh_route_to_group(&route, hca, in->port_num,
					  &grh->dgid);
	else
		ret = -EINVAL;
	if (ret)
		return hyvh_refuse(vgids->vnic_id, ret,
				   "no route from port %u to GID %pI6c",
				   in->port_num, grh->dgid.raw);
	rdma_ah_set_grh(out, &route.dgid, grh->flow_label, route.sgid_index,
			HYVH_HOP_LIMIT, grh->traffic_class);
	return 0;
}

/**
 * hyvh_guest_gid() - find the GID of an HCA that leads to a guest
 * @vgid: vGID of the guest, or the GID of a static entry
 * @sgid: unicast GID to send from
 * @gid: set to a GID of the same kind as @sgid: that which QPs of the guest have as
 *	their own when they are connected to @sgid
 *
 * The caller may hold locks of an HCA's driver that are also taken in its verbs.
 *
 * Return: 0; -ENETUNREACH if no entry leads to @sgid; or another negative errno if
 * there is no such guest.
 */
int hyvh_guest_gid(const union ib_gid *vgid, const union ib_gid *sgid,
		   union ib_gid *gid)
{
	struct hyvh_gid_owner owner;
	int ret;

	ret = hyvh_tenant_find(&hyvh_default_tenant, vgid, &owner);
	if (ret)
		return ret;
	if (owner.vnic_id == HYVH_GID_STATIC) {
		*gid = owner.via;
		return 0;
	}
	/* Without an entry, @sgid neither reaches guests nor is reached by them. */
	if (!hyvh_tenant_has_via(&hyvh_default_tenant, sgid))
		return -ENETUNREACH;
	return hyvh_hca_lookup_gid(owner.hca_index, owner.port,
				   hyvh_gid_kind(sgid), gid);
}
EXPORT_SYMBOL_GPL(hyvh_guest_gid);
