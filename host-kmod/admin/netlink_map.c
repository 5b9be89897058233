// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family "hyv": administrators see the map of who has which
 * GID, and make its static entries.
 *
 * A request becomes a map of its own first (the batch), which finds what is in
 * it twice, and allocates all that is needed; then the tenant takes it in one
 * step. The lock of a tenant is held in tenant.c only, never while a message is
 * read or written.
 */
#include <linux/sched.h>
#include <net/genetlink.h>

#include "address/gid_map.h"
#include "admin/info.h"
#include "admin/netlink_map.h"
#include "address/tenant.h"

static const struct nla_policy hyvh_nl_entry_policy[HYV_NL_A_MAP_VIA + 1] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
	[HYV_NL_A_MAP_VIA]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

static const struct nla_policy hyvh_nl_key_policy[HYV_NL_A_MAP_GID + 1] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

const struct nla_policy hyvh_nl_map_add_policy[HYV_NL_A_MAP_REPLACE + 1] = {
	[HYV_NL_A_MAP_ENTRY]	= NLA_POLICY_NESTED(hyvh_nl_entry_policy),
	[HYV_NL_A_MAP_REPLACE]	= { .type = NLA_FLAG },
};

const struct nla_policy hyvh_nl_map_del_policy[HYV_NL_A_MAP_ENTRY + 1] = {
	[HYV_NL_A_MAP_ENTRY]	= NLA_POLICY_NESTED(hyvh_nl_key_policy),
};

const struct nla_policy hyvh_nl_map_get_policy[HYV_NL_A_MAP_GID + 1] = {
	[HYV_NL_A_MAP_GID]	= NLA_POLICY_EXACT_LEN(sizeof(union ib_gid)),
};

static void hyvh_nl_get_gid(union ib_gid *gid, const struct nlattr *attr)
{
	memcpy(gid->raw, nla_data(attr), sizeof(gid->raw));
}

/* --- From requests to batches --- */

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
	if (hyvh_gid_kind(gid) < HYVH_GID_LINK_LOCAL) {
		NL_SET_ERR_MSG_ATTR(extack, tb[HYV_NL_A_MAP_GID],
				    "This GID is no address of one machine");
		return -EINVAL;
	}
	hyvh_nl_get_gid(&owner->via, tb[HYV_NL_A_MAP_VIA]);
	if (hyvh_gid_kind(&owner->via) < HYVH_GID_LINK_LOCAL) {
		NL_SET_ERR_MSG_ATTR(extack, tb[HYV_NL_A_MAP_VIA],
				    "No other host is reached by this GID");
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

/* Fill a batch, which is for the caller to clear in any case. */
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
					    "This GID is in the request twice");
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

/* The entry of a request that is about @gid. */
static struct nlattr *hyvh_nl_entry_of(struct genl_info *info,
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

/**
 * hyvh_nl_map_add_doit() - answer HYV_NL_CMD_MAP_ADD
 * @skb: the request
 * @info: the same, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno of the command.
 */
int hyvh_nl_map_add_doit(struct sk_buff *skb, struct genl_info *info)
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
		NL_SET_BAD_ATTR(info->extack, hyvh_nl_entry_of(info, &bad));
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

/**
 * hyvh_nl_map_del_doit() - answer HYV_NL_CMD_MAP_DEL
 * @skb: the request
 * @info: the same, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno of the command.
 */
int hyvh_nl_map_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hyvh_gid_map batch;
	union ib_gid bad;
	int ret;

	ret = hyvh_nl_read_batch(info, &batch, hyvh_nl_read_key);
	/* As if one after the other was deleted. */
	if (ret == -EEXIST)
		ret = -ENOENT;
	if (ret)
		goto out;
	ret = hyvh_tenant_subtract(&hyvh_default_tenant, &batch, &bad);
	if (ret == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, hyvh_nl_entry_of(info, &bad),
				    "No static entry has this GID");
out:
	hyvh_gid_map_clear(&batch);
	return ret;
}

/* --- From the map to replies --- */

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

/* Add one whole message or, on -EMSGSIZE, nothing. */
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

/**
 * hyvh_nl_map_get_doit() - answer HYV_NL_CMD_MAP_GET of one GID
 * @skb: the request
 * @info: the same, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno of the command.
 */
int hyvh_nl_map_get_doit(struct sk_buff *skb, struct genl_info *info)
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

/**
 * hyvh_nl_map_get_dumpit() - answer HYV_NL_CMD_MAP_GET of all
 * @skb: the next part of the answer
 * @cb: its @ctx keeps the last GID that was told, zero at first
 *
 * Context: process, may sleep.
 * Return: bytes in @skb, 0 at the end, or a negative errno of the command.
 */
int hyvh_nl_map_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	union ib_gid *told = (void *)cb->ctx, gid = *told;
	struct hyvh_gid_owner owner;

	BUILD_BUG_ON(sizeof(*told) > sizeof(cb->ctx));

	/* Not in a start callback: 6.1 gives that no extack. */
	if (genl_info_dump(cb)->attrs[HYV_NL_A_MAP_GID]) {
		NL_SET_ERR_MSG(cb->extack, "A dump cannot be limited to a GID");
		return -EINVAL;
	}
	while (!hyvh_tenant_next(&hyvh_default_tenant, &gid, &owner)) {
		/* A full message goes out; this one starts the next. */
		if (hyvh_nl_put_entry(skb, NETLINK_CB(cb->skb).portid,
				      cb->nlh->nlmsg_seq, NLM_F_MULTI, &gid,
				      &owner))
			return skb->len ?: -EMSGSIZE;
		*told = gid;
	}
	return skb->len;
}
