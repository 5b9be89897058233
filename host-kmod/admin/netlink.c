// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family "hyv": tells administrators about vNICs and HCAs. What
 * it does with the map of GIDs is in netlink_map.c.
 *
 * The contract is in uapi/linux/hyv_netlink.h. Nothing here keeps state: every
 * message is made of a snapshot (info.h), and the cursor of a dump is the next
 * ID, which stays right however the lists change between two messages.
 */
#include <linux/pid.h>
#include <net/genetlink.h>

#include "admin/info.h"
#include "admin/netlink.h"
#include "admin/netlink_map.h"

static const char * const hyvh_nl_obj_names[HYV_OBJ_TYPES] = {
	[HYV_OBJ_CONTEXT]	= "context",
	[HYV_OBJ_PD]		= "pd",
	[HYV_OBJ_CQ]		= "cq",
	[HYV_OBJ_QP]		= "qp",
	[HYV_OBJ_MR]		= "mr",
	[HYV_OBJ_AH]		= "ah",
	[HYV_OBJ_SRQ]		= "srq",
	[HYV_OBJ_MW]		= "mw",
};

static const struct nla_policy hyvh_nl_vnic_get_policy[] = {
	[HYV_NL_A_VNIC_ID]	= { .type = NLA_U32 },
	[HYV_NL_A_VNIC_PID]	= NLA_POLICY_MIN(NLA_U32, 1),
	[HYV_NL_A_HCA_NAME]	= { .type = NLA_NUL_STRING,
				    .len = IB_DEVICE_NAME_MAX - 1 },
};

/**
 * struct hyvh_nl_cursor - where a dump goes on, kept in netlink_callback.ctx
 * @next: least ID to show
 * @done: there is none left
 */
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

static int hyvh_nl_put_counters(struct sk_buff *skb,
				const struct hyvh_vnic_counters *c)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, HYV_NL_A_VNIC_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	if (hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_COMMANDS, c->commands) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_ERRORS, c->errors) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_DOORBELLS, c->doorbells) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_ARMS, c->arms) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_KICKS, c->kicks) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_EVENTS, c->events) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_EVENT_STALLS,
			    c->event_stalls) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_COUNTER_INTERRUPTS, c->interrupts))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Add one whole message or, on -EMSGSIZE, nothing. */
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
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_PINNED, info->pinned) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_PINNED_MAX, info->pinned_max) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_QUEUE_BYTES, info->queue_bytes) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_QUEUE_BYTES_MAX,
			    info->queue_bytes_max) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_WINDOW_USED, info->window_used) ||
	    hyvh_nl_put_u64(skb, HYV_NL_A_VNIC_WINDOW_SIZE, info->window_size) ||
	    hyvh_nl_put_counters(skb, &info->counters)) {
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
	    nla_put_u32(skb, HYV_NL_A_HCA_VNICS, info->nr_vnics)) {
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
 * Add the first message with an ID that is not below *@id and set *@id to it;
 * -ENOENT when there is none, -EMSGSIZE when there is no room for it.
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
		/* A full message goes out; this one starts the next. */
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
	/* Not in a start callback: 6.1 gives that no extack. */
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
		/* Takes no attribute: without a policy all are refused. */
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

struct genl_family hyvh_nl_family __ro_after_init = {
	.name		= HYV_GENL_NAME,
	.version	= HYV_GENL_VERSION,
	.module		= THIS_MODULE,
	/* GENL_ADMIN_PERM asks for the initial user namespace in any of them. */
	.netnsok	= true,
	/* A snapshot may wait for a lock of its vNIC: not under genl_mutex. */
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
