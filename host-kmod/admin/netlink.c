// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family "hyv", see uapi/linux/hyv_netlink.h: administrators
 * query vNICs, HCAs and the GID map, and change the static entries of the map.
 *
 * No state is kept here. Messages are made from snapshots. A dump continues at
 * the next ID or GID, which is right however the lists change in between.
 *
 * A request with GID map entries is first turned into a map of its own, the
 * batch. This finds duplicates and allocates all memory, so that the tenant can
 * apply the batch in one step. The lock of a tenant is never held while a
 * message is read or written.
 */
#include <linux/sched.h>
#include <net/genetlink.h>
#include <uapi/linux/hyv_netlink.h>

#include "address/gid_map.h"
#include "address/tenant.h"
#include "admin/netlink.h"
#include "hca/hca.h"
#include "vnic.h"

static struct genl_family hyvh_nl_family;

static const char * const hyvh_nl_obj_names[HYV_OBJ_TYPES] = {
	[HYV_OBJ_CONTEXT]	= "context",
	[HYV_OBJ_PD]		= "pd",
	[HYV_OBJ_CQ]		= "cq",
	[HYV_OBJ_QP]		= "qp",
	[HYV_OBJ_MR]		= "mr",
	[HYV_OBJ_AH]		= "ah",
	[HYV_OBJ_SRQ]		= "srq",
	[HYV_OBJ_MW]		= "mw",
	[HYV_OBJ_XRCD]		= "xrcd",
};

static const struct nla_policy hyvh_nl_vnic_get_policy[] = {
	[HYV_NL_A_VNIC_ID]	= { .type = NLA_U32 },
	[HYV_NL_A_VNIC_PID]	= NLA_POLICY_MIN(NLA_U32, 1),
	[HYV_NL_A_HCA_NAME]	= { .type = NLA_NUL_STRING,
				    .len = IB_DEVICE_NAME_MAX - 1 },
};

/* Where a dump continues; kept in netlink_callback.ctx. */
struct hyvh_nl_cursor {
	u32 next;
	bool done;
};

static int hyvh_nl_put_object(struct sk_buff *skb,
			      const struct hyvh_vnic_info *info, u32 type)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, HYV_NL_A_OBJECT);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, HYV_NL_A_OBJECT_TYPE, type) ||
	    nla_put_string(skb, HYV_NL_A_OBJECT_TYPE_NAME,
			   hyvh_nl_obj_names[type]) ||
	    nla_put_u32(skb, HYV_NL_A_OBJECT_COUNT, info->obj_count[type]) ||
	    nla_put_u32(skb, HYV_NL_A_OBJECT_MAX, info->obj_max[type]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int hyvh_nl_put_objects(struct sk_buff *skb,
			       const struct hyvh_vnic_info *info)
{
	struct nlattr *nest;
	u32 type;
	int ret;

	nest = nla_nest_start(skb, HYV_NL_A_VNIC_OBJECTS);
	if (!nest)
		return -EMSGSIZE;
	for (type = HYV_OBJ_CONTEXT; type < HYV_OBJ_TYPES; type++) {
		ret = hyvh_nl_put_object(skb, info, type);
		if (ret)
			return ret;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int hyvh_nl_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, HYV_NL_A_PAD);
}

static int hyvh_nl_put_quota(struct sk_buff *skb,
			     const struct hyvh_vnic_info *info, u32 type)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, HYV_NL_A_QUOTA);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, HYV_NL_A_QUOTA_TYPE, type) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_QUOTA_USED, info->quota_used[type]) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_QUOTA_MAX, info->quota_max[type]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int hyvh_nl_put_quotas(struct sk_buff *skb,
			      const struct hyvh_vnic_info *info)
{
	struct nlattr *nest;
	u32 type;
	int ret;

	nest = nla_nest_start(skb, HYV_NL_A_VNIC_QUOTAS);
	if (!nest)
		return -EMSGSIZE;
	for (type = 0; type < HYV_NL_NR_QUOTAS; type++) {
		ret = hyvh_nl_put_quota(skb, info, type);
		if (ret)
			return ret;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int hyvh_nl_put_counters(struct sk_buff *skb,
				const struct hyvh_vnic_info *info)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, HYV_NL_A_VNIC_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	if (hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_COMMANDS, info->commands) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_ERRORS, info->errors) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_DOORBELLS, info->doorbells) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_ARMS, info->arms) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_KICKS, info->kicks) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_EVENTS, info->events) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_EVENT_STALLS,
			    info->event_stalls) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_INTERRUPTS, info->interrupts))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Functions named hyvh_nl_put_* that fail with -EMSGSIZE add no message. */
static int hyvh_nl_put_vnic(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			    const struct hyvh_vnic_info *info)
{
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &hyvh_nl_family, flags,
			  HYV_NL_CMD_VNIC_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, HYV_NL_A_VNIC_ID, info->id) ||
	    nla_put_string(skb, HYV_NL_A_VNIC_NAME, info->name) ||
	    nla_put_u32(skb, HYV_NL_A_VNIC_PID, info->pid) ||
	    nla_put_string(skb, HYV_NL_A_VNIC_COMM, info->comm) ||
	    nla_put_u32(skb, HYV_NL_A_VNIC_STATE, info->state) ||
	    nla_put_string(skb, HYV_NL_A_HCA_NAME, info->hca) ||
	    hyvh_nl_put_objects(skb, info) ||
	    hyvh_nl_put_quotas(skb, info) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_WINDOW_USED, info->window_used) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_WINDOW_SIZE, info->window_size) ||
	    hyvh_nl_put_counters(skb, info) ||
	    nla_put_u32(skb, HYV_NL_A_VNIC_LEAKED, info->nr_leaked)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int hyvh_nl_put_hca(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			   const struct hyvh_hca_info *info)
{
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &hyvh_nl_family, flags,
			  HYV_NL_CMD_HCA_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, HYV_NL_A_HCA_NAME, info->name) ||
	    nla_put_u32(skb, HYV_NL_A_HCA_DRIVER_ID, info->driver_id) ||
	    nla_put_u32(skb, HYV_NL_A_HCA_USE, info->use) ||
	    nla_put_u32(skb, HYV_NL_A_HCA_VNICS, info->nr_vnics) ||
	    nla_put_u32(skb, HYV_NL_A_HCA_LEAKED, info->nr_leaked)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int hyvh_nl_vnic_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct hyvh_vnic_info vnic;
	struct sk_buff *reply;
	u32 want, id;
	int ret;

	if (attrs[HYV_NL_A_VNIC_PID] || attrs[HYV_NL_A_HCA_NAME]) {
		GENL_SET_ERR_MSG(info, "Only a dump can be filtered");
		return -EINVAL;
	}
	if (!attrs[HYV_NL_A_VNIC_ID]) {
		GENL_SET_ERR_MSG(info, "vNIC ID missing");
		return -EINVAL;
	}

	want = nla_get_u32(attrs[HYV_NL_A_VNIC_ID]);
	id = want;
	ret = hyvh_vnic_info_next(&id, &vnic);
	if (!ret && id != want)
		ret = -ENOENT;
	if (ret) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[HYV_NL_A_VNIC_ID],
				    "No vNIC has this ID");
		return ret;
	}

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	ret = hyvh_nl_put_vnic(reply, info->snd_portid, info->snd_seq, 0, &vnic);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	return genlmsg_reply(reply, info);
}

static bool hyvh_nl_vnic_matches(const struct hyvh_vnic_info *info,
				 struct nlattr **attrs)
{
	const struct nlattr *pid = attrs[HYV_NL_A_VNIC_PID];
	const struct nlattr *hca = attrs[HYV_NL_A_HCA_NAME];

	return (!pid || nla_get_u32(pid) == info->pid) &&
	       (!hca || !nla_strcmp(hca, info->hca));
}

/*
 * Add the first message with an ID not below *@id and set *@id to that ID.
 * Returns -ENOENT if there is none, -EMSGSIZE if there is no room for it.
 */
static int hyvh_nl_put_next_vnic(struct sk_buff *skb,
				 struct netlink_callback *cb, u32 *id)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct hyvh_vnic_info info;
	int ret;

	ret = hyvh_vnic_info_next(id, &info);
	if (ret || !hyvh_nl_vnic_matches(&info, attrs))
		return ret;
	return hyvh_nl_put_vnic(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, NLM_F_MULTI, &info);
}

static int hyvh_nl_put_next_hca(struct sk_buff *skb,
				struct netlink_callback *cb, u32 *index)
{
	struct hyvh_hca_info info;
	int ret;

	ret = hyvh_hca_info_next(index, &info);
	if (ret)
		return ret;
	return hyvh_nl_put_hca(skb, NETLINK_CB(cb->skb).portid,
			       cb->nlh->nlmsg_seq, NLM_F_MULTI, &info);
}

static int hyvh_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
			int (*put_next)(struct sk_buff *skb,
					struct netlink_callback *cb, u32 *id))
{
	struct hyvh_nl_cursor *cursor = (void *)cb->ctx;
	u32 id = cursor->next;
	int ret;

	BUILD_BUG_ON(sizeof(*cursor) > sizeof(cb->ctx));

	while (!cursor->done) {
		ret = put_next(skb, cb, &id);
		/* Send the full buffer; this message starts the next. */
		if (ret == -EMSGSIZE && skb->len)
			break;
		if (ret && ret != -ENOENT)
			return ret;
		cursor->done = ret || id == U32_MAX;
		cursor->next = ++id;
	}
	return skb->len;
}

static int hyvh_nl_vnic_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	/* Linux 6.1 passes no extack to a start callback. */
	if (genl_info_dump(cb)->attrs[HYV_NL_A_VNIC_ID]) {
		NL_SET_ERR_MSG(cb->extack, "A dump cannot be limited to an ID");
		return -EINVAL;
	}
	return hyvh_nl_dump(skb, cb, hyvh_nl_put_next_vnic);
}

static int hyvh_nl_hca_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return hyvh_nl_dump(skb, cb, hyvh_nl_put_next_hca);
}

static const struct nla_policy hyvh_nl_entry_policy[HYV_NL_A_MAP_VIA + 1] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
	[HYV_NL_A_MAP_VIA]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

static const struct nla_policy hyvh_nl_key_policy[HYV_NL_A_MAP_GID + 1] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

static const struct nla_policy hyvh_nl_map_add_policy[] = {
	[HYV_NL_A_MAP_ENTRY]	= NLA_POLICY_NESTED(hyvh_nl_entry_policy),
	[HYV_NL_A_MAP_REPLACE]	= { .type = NLA_FLAG },
};

static const struct nla_policy hyvh_nl_map_del_policy[] = {
	[HYV_NL_A_MAP_ENTRY]	= NLA_POLICY_NESTED(hyvh_nl_key_policy),
};

static const struct nla_policy hyvh_nl_map_get_policy[] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

static void hyvh_nl_get_gid(union ib_gid *gid, const struct nlattr *attr)
{
	memcpy(gid->raw, nla_data(attr), sizeof(gid->raw));
}

/* --- GID map: from requests to batches --- */

static int hyvh_nl_read_entry(struct nlattr *nest, union ib_gid *gid,
			      struct hyvh_gid_owner *owner,
			      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[ARRAY_SIZE(hyvh_nl_entry_policy)];
	int ret;

	ret = nla_parse_nested(tb, ARRAY_SIZE(tb) - 1, nest,
			       hyvh_nl_entry_policy, extack);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_MAP_GID]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "GID missing");
		return -EINVAL;
	}
	if (!tb[HYV_NL_A_MAP_VIA]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "GID of a host missing");
		return -EINVAL;
	}
	hyvh_nl_get_gid(gid, tb[HYV_NL_A_MAP_GID]);
	if (!hyvh_gid_is_unicast(gid)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[HYV_NL_A_MAP_GID],
				    "GID is not a usable unicast address");
		return -EINVAL;
	}
	hyvh_nl_get_gid(&owner->via, tb[HYV_NL_A_MAP_VIA]);
	if (!hyvh_gid_is_unicast(&owner->via)) {
		NL_SET_ERR_MSG_ATTR(extack, tb[HYV_NL_A_MAP_VIA],
				    "Via GID is not a usable unicast address");
		return -EINVAL;
	}
	return 0;
}

static int hyvh_nl_read_key(struct nlattr *nest, union ib_gid *gid,
			    struct hyvh_gid_owner *owner,
			    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[ARRAY_SIZE(hyvh_nl_key_policy)];
	int ret;

	ret = nla_parse_nested(tb, ARRAY_SIZE(tb) - 1, nest, hyvh_nl_key_policy,
			       extack);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_MAP_GID]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "GID missing");
		return -EINVAL;
	}
	hyvh_nl_get_gid(gid, tb[HYV_NL_A_MAP_GID]);
	return 0;
}

/* Fill a batch. The caller clears it, also after an error. */
static int hyvh_nl_read_batch(struct genl_info *info, struct hyvh_gid_map *batch,
			      int (*read)(struct nlattr *nest,
					  union ib_gid *gid,
					  struct hyvh_gid_owner *owner,
					  struct netlink_ext_ack *extack))
{
	struct hyvh_gid_owner owner = { .vnic_id = HYVH_GID_STATIC };
	struct nlattr *nest;
	union ib_gid gid;
	int ret, rem;

	hyvh_gid_map_init(batch, HYVH_TENANT_MAX_STATIC);
	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nest) != HYV_NL_A_MAP_ENTRY)
			continue;
		ret = read(nest, &gid, &owner, info->extack);
		if (ret)
			return ret;
		ret = hyvh_gid_map_add(batch, &gid, &owner);
		if (ret == -EEXIST)
			NL_SET_ERR_MSG_ATTR(info->extack, nest,
					    "Duplicate GID in request");
		if (ret)
			return ret;
		cond_resched();
	}
	if (!batch->count) {
		GENL_SET_ERR_MSG(info, "Entry missing");
		return -EINVAL;
	}
	return 0;
}

/* Find the entry of a request with this GID. */
static struct nlattr *hyvh_nl_find_entry(struct genl_info *info,
					 const union ib_gid *gid)
{
	struct nlattr *nest, *attr;
	int rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nest) != HYV_NL_A_MAP_ENTRY)
			continue;
		attr = nla_find_nested(nest, HYV_NL_A_MAP_GID);
		if (attr && !nla_memcmp(attr, gid->raw, sizeof(gid->raw)))
			return nest;
	}
	return NULL;
}

static int hyvh_nl_map_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	bool replace = nla_get_flag(info->attrs[HYV_NL_A_MAP_REPLACE]);
	struct hyvh_gid_map batch;
	union ib_gid bad;
	int ret;

	ret = hyvh_nl_read_batch(info, &batch, hyvh_nl_read_entry);
	if (ret)
		goto out;
	ret = hyvh_tenant_merge(&hyvh_default_tenant, &batch, replace, &bad);
	if (ret == -EEXIST) {
		NL_SET_BAD_ATTR(info->extack, hyvh_nl_find_entry(info, &bad));
		if (replace)
			GENL_SET_ERR_MSG(info, "A vNIC has this GID");
		else
			GENL_SET_ERR_MSG(info, "This GID is in the map already");
	}
out:
	if (ret == -ENOSPC)
		GENL_SET_ERR_MSG(info, "Too many static entries");
	hyvh_gid_map_clear(&batch);
	return ret;
}

static int hyvh_nl_map_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hyvh_gid_map batch;
	union ib_gid bad;
	int ret;

	ret = hyvh_nl_read_batch(info, &batch, hyvh_nl_read_key);
	/* The second deletion of a GID would not find it. */
	if (ret == -EEXIST)
		ret = -ENOENT;
	if (ret)
		goto out;
	ret = hyvh_tenant_subtract(&hyvh_default_tenant, &batch, &bad);
	if (ret == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, hyvh_nl_find_entry(info, &bad),
				    "No static entry has this GID");
out:
	hyvh_gid_map_clear(&batch);
	return ret;
}

/* --- GID map: replies --- */

static int hyvh_nl_put_owner(struct sk_buff *skb,
			     const struct hyvh_gid_owner *owner)
{
	u32 index = owner->hca_index;
	struct hyvh_hca_info hca;

	if (owner->vnic_id == HYVH_GID_STATIC)
		return nla_put(skb, HYV_NL_A_MAP_VIA, sizeof(owner->via.raw),
			       owner->via.raw);
	if (nla_put_u32(skb, HYV_NL_A_VNIC_ID, owner->vnic_id))
		return -EMSGSIZE;
	if (hyvh_hca_info_next(&index, &hca) || index != owner->hca_index)
		return 0;
	return nla_put_string(skb, HYV_NL_A_HCA_NAME, hca.name);
}

static int hyvh_nl_put_entry(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			     const union ib_gid *gid,
			     const struct hyvh_gid_owner *owner)
{
	struct nlattr *nest;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &hyvh_nl_family, flags,
			  HYV_NL_CMD_MAP_GET);
	if (!hdr)
		return -EMSGSIZE;
	nest = nla_nest_start(skb, HYV_NL_A_MAP_ENTRY);
	if (!nest ||
	    nla_put(skb, HYV_NL_A_MAP_GID, sizeof(gid->raw), gid->raw) ||
	    hyvh_nl_put_owner(skb, owner)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	genlmsg_end(skb, hdr);
	return 0;
}

static int hyvh_nl_map_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HYV_NL_A_MAP_GID];
	struct hyvh_gid_owner owner;
	struct sk_buff *reply;
	union ib_gid gid;
	int ret;

	if (!attr) {
		GENL_SET_ERR_MSG(info, "GID missing");
		return -EINVAL;
	}
	hyvh_nl_get_gid(&gid, attr);
	ret = hyvh_tenant_find(&hyvh_default_tenant, &gid, &owner);
	if (ret) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "This GID is not in the map");
		return ret;
	}

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	ret = hyvh_nl_put_entry(reply, info->snd_portid, info->snd_seq, 0, &gid,
				&owner);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	return genlmsg_reply(reply, info);
}

static int hyvh_nl_map_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	union ib_gid *last = (void *)cb->ctx, gid = *last;
	struct hyvh_gid_owner owner;

	BUILD_BUG_ON(sizeof(*last) > sizeof(cb->ctx));

	/* Linux 6.1 passes no extack to a start callback. */
	if (genl_info_dump(cb)->attrs[HYV_NL_A_MAP_GID]) {
		NL_SET_ERR_MSG(cb->extack, "A dump cannot be limited to a GID");
		return -EINVAL;
	}
	while (!hyvh_tenant_next(&hyvh_default_tenant, &gid, &owner)) {
		/* Send the full buffer; this message starts the next. */
		if (hyvh_nl_put_entry(skb, NETLINK_CB(cb->skb).portid,
				      cb->nlh->nlmsg_seq, NLM_F_MULTI, &gid,
				      &owner))
			return skb->len ?: -EMSGSIZE;
		*last = gid;
	}
	return skb->len;
}

/* --- The family --- */

static const struct genl_ops hyvh_nl_ops[] = {
	{
		.cmd		= HYV_NL_CMD_VNIC_GET,
		.flags		= GENL_ADMIN_PERM,
		.policy		= hyvh_nl_vnic_get_policy,
		.maxattr	= ARRAY_SIZE(hyvh_nl_vnic_get_policy) - 1,
		.doit		= hyvh_nl_vnic_get_doit,
		.dumpit		= hyvh_nl_vnic_get_dumpit,
	},
	{
		/* Takes no attributes: without a policy all are refused. */
		.cmd		= HYV_NL_CMD_HCA_GET,
		.flags		= GENL_ADMIN_PERM,
		.dumpit		= hyvh_nl_hca_get_dumpit,
	},
	{
		.cmd		= HYV_NL_CMD_MAP_ADD,
		.flags		= GENL_ADMIN_PERM,
		.policy		= hyvh_nl_map_add_policy,
		.maxattr	= ARRAY_SIZE(hyvh_nl_map_add_policy) - 1,
		.doit		= hyvh_nl_map_add_doit,
	},
	{
		.cmd		= HYV_NL_CMD_MAP_DEL,
		.flags		= GENL_ADMIN_PERM,
		.policy		= hyvh_nl_map_del_policy,
		.maxattr	= ARRAY_SIZE(hyvh_nl_map_del_policy) - 1,
		.doit		= hyvh_nl_map_del_doit,
	},
	{
		.cmd		= HYV_NL_CMD_MAP_GET,
		.flags		= GENL_ADMIN_PERM,
		.policy		= hyvh_nl_map_get_policy,
		.maxattr	= ARRAY_SIZE(hyvh_nl_map_get_policy) - 1,
		.doit		= hyvh_nl_map_get_doit,
		.dumpit		= hyvh_nl_map_get_dumpit,
	},
};

static struct genl_family hyvh_nl_family __ro_after_init = {
	.name		= HYV_GENL_NAME,
	.version	= HYV_GENL_VERSION,
	.module		= THIS_MODULE,
	/* GENL_ADMIN_PERM requires the initial user namespace anyway. */
	.netnsok	= true,
	/* Avoid genl_mutex: vNICs and map have locks of their own. */
	.parallel_ops	= true,
	.ops		= hyvh_nl_ops,
	.n_ops		= ARRAY_SIZE(hyvh_nl_ops),
};

int hyvh_netlink_init(void)
{
	return genl_register_family(&hyvh_nl_family);
}

void hyvh_netlink_exit(void)
{
	genl_unregister_family(&hyvh_nl_family);
}
