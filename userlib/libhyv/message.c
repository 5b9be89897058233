// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * From queries to netlink messages, and from these to snapshots. Attributes and
 * values that are not known come from a newer kernel and do no harm; what is
 * malformed is refused.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/hyv_netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "private.h"

static_assert((int)HYV_VNIC_ATTACHED == HYV_NL_VNIC_ATTACHED, "ABI");
static_assert((int)HYV_VNIC_RUNNING == HYV_NL_VNIC_RUNNING, "ABI");
static_assert((int)HYV_VNIC_HCA_GONE == HYV_NL_VNIC_HCA_GONE, "ABI");
static_assert((int)HYV_HCA_USABLE == HYV_NL_HCA_USABLE, "ABI");
static_assert((int)HYV_HCA_TRUSTED_ONLY_DENIED ==
		      HYV_NL_HCA_TRUSTED_ONLY_DENIED,
	      "ABI");
static_assert((int)HYV_HCA_UNSUPPORTED == HYV_NL_HCA_UNSUPPORTED, "ABI");

#define HYV_GID_LEN (sizeof(struct in6_addr))
#define HYV_POLICY_GID                                     \
	{                                                  \
		.type = NLA_UNSPEC, .minlen = HYV_GID_LEN, \
		.maxlen = HYV_GID_LEN                      \
	}

/* libnl does not change a policy but takes a pointer to non-const. */
static const struct nla_policy hyv_policy[HYV_NL_A_MAX + 1] = {
	[HYV_NL_A_VNIC_ID] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_NAME] = {.type = NLA_STRING},
	[HYV_NL_A_VNIC_PID] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_COMM] = {.type = NLA_STRING},
	[HYV_NL_A_VNIC_STATE] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_OBJECTS] = {.type = NLA_NESTED},
	[HYV_NL_A_VNIC_PINNED] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_PINNED_MAX] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_WINDOW_USED] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_WINDOW_SIZE] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_COUNTERS] = {.type = NLA_NESTED},
	[HYV_NL_A_OBJECT] = {.type = NLA_NESTED},
	[HYV_NL_A_OBJECT_TYPE] = {.type = NLA_U32},
	[HYV_NL_A_OBJECT_TYPE_NAME] = {.type = NLA_STRING},
	[HYV_NL_A_OBJECT_COUNT] = {.type = NLA_U32},
	[HYV_NL_A_OBJECT_MAX] = {.type = NLA_U32},
	[HYV_NL_A_COUNTER_COMMANDS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_ERRORS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_DOORBELLS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_ARMS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_KICKS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_EVENTS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_EVENT_STALLS] = {.type = NLA_U64},
	[HYV_NL_A_COUNTER_INTERRUPTS] = {.type = NLA_U64},
	[HYV_NL_A_HCA_NAME] = {.type = NLA_STRING},
	[HYV_NL_A_HCA_DRIVER_ID] = {.type = NLA_U32},
	[HYV_NL_A_HCA_USE] = {.type = NLA_U32},
	[HYV_NL_A_HCA_VNICS] = {.type = NLA_U32},
	[HYV_NL_A_MAP_ENTRY] = {.type = NLA_NESTED},
	[HYV_NL_A_MAP_GID] = HYV_POLICY_GID,
	[HYV_NL_A_MAP_VIA] = HYV_POLICY_GID,
};

static const int hyv_counter_attrs[HYV_NR_COUNTERS] = {
	[HYV_COUNTER_COMMANDS] = HYV_NL_A_COUNTER_COMMANDS,
	[HYV_COUNTER_ERRORS] = HYV_NL_A_COUNTER_ERRORS,
	[HYV_COUNTER_DOORBELLS] = HYV_NL_A_COUNTER_DOORBELLS,
	[HYV_COUNTER_ARMS] = HYV_NL_A_COUNTER_ARMS,
	[HYV_COUNTER_KICKS] = HYV_NL_A_COUNTER_KICKS,
	[HYV_COUNTER_EVENTS] = HYV_NL_A_COUNTER_EVENTS,
	[HYV_COUNTER_EVENT_STALLS] = HYV_NL_A_COUNTER_EVENT_STALLS,
	[HYV_COUNTER_INTERRUPTS] = HYV_NL_A_COUNTER_INTERRUPTS,
};

/* Attributes one after the other, nothing left over. */
static int hyv_parse_attrs(const struct nlattr *head, int len,
			   struct nlattr **tb)
{
	const struct nlattr *pos = head;
	int rem = len;

	/* nla_parse() is content with garbage after the last attribute. */
	while (nla_ok(pos, rem))
		pos = nla_next(pos, &rem);
	if (rem > 0)
		return -EBADMSG;
	if (nla_parse(tb, HYV_NL_A_MAX, (struct nlattr *)head, len,
		      (struct nla_policy *)hyv_policy))
		return -EBADMSG;
	return 0;
}

static int hyv_parse_nest(const struct nlattr *nest, struct nlattr **tb)
{
	return hyv_parse_attrs(nla_data(nest), nla_len(nest), tb);
}

static int hyv_check_header(const struct nlmsghdr *nlh, int cmd)
{
	if (!genlmsg_valid_hdr((struct nlmsghdr *)nlh, 0) ||
	    genlmsg_hdr((struct nlmsghdr *)nlh)->cmd != cmd)
		return -EBADMSG;
	return 0;
}

static int hyv_parse_message(const struct nlmsghdr *nlh, struct nlattr **tb)
{
	const struct genlmsghdr *hdr = genlmsg_hdr((struct nlmsghdr *)nlh);

	return hyv_parse_attrs(genlmsg_attrdata(hdr, 0),
			       genlmsg_attrlen(hdr, 0), tb);
}

static uint32_t hyv_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint64_t hyv_u64(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static const char *hyv_string(struct nlattr *attr)
{
	return attr ? nla_get_string(attr) : "";
}

static int hyv_parse_object(const struct nlattr *nest,
			    struct hyv_object_type *object)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	int ret;

	ret = hyv_parse_nest(nest, tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_OBJECT_TYPE_NAME])
		return -EBADMSG;
	object->name = nla_get_string(tb[HYV_NL_A_OBJECT_TYPE_NAME]);
	object->count = hyv_u32(tb[HYV_NL_A_OBJECT_COUNT]);
	object->max = hyv_u32(tb[HYV_NL_A_OBJECT_MAX]);
	return 0;
}

static int hyv_parse_objects(struct nlattr *nest, struct hyv_vnic *vnic)
{
	struct nlattr *pos;
	size_t room = 0;
	int rem, ret;

	nla_for_each_nested(pos, nest, rem)
		room++;
	if (rem > 0)
		return -EBADMSG;
	if (!room)
		return 0;
	vnic->objects = calloc(room, sizeof(*vnic->objects));
	if (!vnic->objects)
		return -ENOMEM;
	nla_for_each_nested(pos, nest, rem) {
		if (nla_type(pos) != HYV_NL_A_OBJECT)
			continue;
		ret = hyv_parse_object(pos, &vnic->objects[vnic->nr_objects]);
		if (ret)
			return ret;
		vnic->nr_objects++;
	}
	return 0;
}

static int hyv_parse_counters(const struct nlattr *nest, struct hyv_vnic *vnic)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	size_t i;
	int ret;

	ret = hyv_parse_nest(nest, tb);
	if (ret)
		return ret;
	for (i = 0; i < HYV_NR_COUNTERS; i++)
		vnic->counters[i] = hyv_u64(tb[hyv_counter_attrs[i]]);
	return 0;
}

static int hyv_fill_vnic(struct hyv_vnic *vnic)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	int ret;

	ret = hyv_parse_message(vnic->msg, tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_VNIC_ID])
		return -EBADMSG;
	vnic->id = nla_get_u32(tb[HYV_NL_A_VNIC_ID]);
	vnic->pid = hyv_u32(tb[HYV_NL_A_VNIC_PID]);
	vnic->state = hyv_u32(tb[HYV_NL_A_VNIC_STATE]);
	vnic->name = hyv_string(tb[HYV_NL_A_VNIC_NAME]);
	vnic->comm = hyv_string(tb[HYV_NL_A_VNIC_COMM]);
	vnic->hca = hyv_string(tb[HYV_NL_A_HCA_NAME]);
	vnic->pinned = hyv_u64(tb[HYV_NL_A_VNIC_PINNED]);
	vnic->pinned_max = hyv_u64(tb[HYV_NL_A_VNIC_PINNED_MAX]);
	vnic->queue_bytes = hyv_u64(tb[HYV_NL_A_VNIC_QUEUE_BYTES]);
	vnic->queue_bytes_max = hyv_u64(tb[HYV_NL_A_VNIC_QUEUE_BYTES_MAX]);
	vnic->window_used = hyv_u64(tb[HYV_NL_A_VNIC_WINDOW_USED]);
	vnic->window_size = hyv_u64(tb[HYV_NL_A_VNIC_WINDOW_SIZE]);
	if (tb[HYV_NL_A_VNIC_OBJECTS]) {
		ret = hyv_parse_objects(tb[HYV_NL_A_VNIC_OBJECTS], vnic);
		if (ret)
			return ret;
	}
	if (tb[HYV_NL_A_VNIC_COUNTERS])
		return hyv_parse_counters(tb[HYV_NL_A_VNIC_COUNTERS], vnic);
	return 0;
}

int hyv_parse_vnic(const struct nlmsghdr *nlh, struct hyv_vnic **out)
{
	struct hyv_vnic *vnic;
	int ret;

	ret = hyv_check_header(nlh, HYV_NL_CMD_VNIC_GET);
	if (ret)
		return ret;
	vnic = calloc(1, sizeof(*vnic) + nlh->nlmsg_len);
	if (!vnic)
		return -ENOMEM;
	memcpy(vnic->msg, nlh, nlh->nlmsg_len);
	ret = hyv_fill_vnic(vnic);
	if (ret) {
		hyv_vnic_free(vnic);
		return ret;
	}
	*out = vnic;
	return 0;
}

static int hyv_fill_hca(struct hyv_hca *hca)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	int ret;

	ret = hyv_parse_message(hca->msg, tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_HCA_NAME])
		return -EBADMSG;
	hca->name = nla_get_string(tb[HYV_NL_A_HCA_NAME]);
	hca->driver_id = hyv_u32(tb[HYV_NL_A_HCA_DRIVER_ID]);
	hca->use = hyv_u32(tb[HYV_NL_A_HCA_USE]);
	hca->nr_vnics = hyv_u32(tb[HYV_NL_A_HCA_VNICS]);
	return 0;
}

int hyv_parse_hca(const struct nlmsghdr *nlh, struct hyv_hca **out)
{
	struct hyv_hca *hca;
	int ret;

	ret = hyv_check_header(nlh, HYV_NL_CMD_HCA_GET);
	if (ret)
		return ret;
	hca = calloc(1, sizeof(*hca) + nlh->nlmsg_len);
	if (!hca)
		return -ENOMEM;
	memcpy(hca->msg, nlh, nlh->nlmsg_len);
	ret = hyv_fill_hca(hca);
	if (ret) {
		free(hca);
		return ret;
	}
	*out = hca;
	return 0;
}

int hyv_parse_entry(const struct nlmsghdr *nlh, struct hyv_map_entry **out)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	struct hyv_map_entry *entry;
	const char *hca;
	int ret;

	ret = hyv_check_header(nlh, HYV_NL_CMD_MAP_GET);
	if (!ret)
		ret = hyv_parse_message(nlh, tb);
	if (!ret && !tb[HYV_NL_A_MAP_ENTRY])
		ret = -EBADMSG;
	if (!ret)
		ret = hyv_parse_nest(tb[HYV_NL_A_MAP_ENTRY], tb);
	if (!ret && !tb[HYV_NL_A_MAP_GID])
		ret = -EBADMSG;
	if (ret)
		return ret;

	hca = hyv_string(tb[HYV_NL_A_HCA_NAME]);
	entry = calloc(1, sizeof(*entry) + strlen(hca) + 1);
	if (!entry)
		return -ENOMEM;
	memcpy(&entry->gid, nla_data(tb[HYV_NL_A_MAP_GID]), HYV_GID_LEN);
	if (tb[HYV_NL_A_MAP_VIA]) {
		memcpy(&entry->via, nla_data(tb[HYV_NL_A_MAP_VIA]),
		       HYV_GID_LEN);
		entry->is_static = 1;
	}
	entry->vnic = hyv_u32(tb[HYV_NL_A_VNIC_ID]);
	memcpy(entry->hca, hca, strlen(hca) + 1);
	*out = entry;
	return 0;
}

/* --- Requests --- */

/* Bytes of an entry of a change, which all have the same attributes. */
static size_t hyv_entry_size(const struct hyv_change *change)
{
	size_t gids = change->vias ? 2 : 1;

	return NLA_HDRLEN + gids * (NLA_HDRLEN + HYV_GID_LEN);
}

size_t hyv_query_size(const struct hyv_query *query)
{
	size_t size = 2 * (NLA_HDRLEN + sizeof(uint32_t));

	if (query->hca)
		size += NLA_HDRLEN + NLA_ALIGN(strlen(query->hca) + 1);
	if (query->gid)
		size += NLA_HDRLEN + HYV_GID_LEN;
	if (query->change)
		size += query->change->count * hyv_entry_size(query->change) +
			NLA_HDRLEN;
	return size;
}

static int hyv_put_entry(struct nl_msg *msg, const struct hyv_change *change,
			 size_t index)
{
	struct nlattr *nest;

	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY | NLA_F_NESTED);
	if (!nest ||
	    nla_put(msg, HYV_NL_A_MAP_GID, HYV_GID_LEN, &change->gids[index]))
		return -ENOMEM;
	if (change->vias &&
	    nla_put(msg, HYV_NL_A_MAP_VIA, HYV_GID_LEN, &change->vias[index]))
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

int hyv_put_query(struct nl_msg *msg, const struct hyv_query *query)
{
	const struct hyv_change *change = query->change;
	size_t i;

	/* First, for hyv_entry_at(). */
	for (i = 0; change && i < change->count; i++)
		if (hyv_put_entry(msg, change, i))
			return -ENOMEM;
	if (change && change->replace &&
	    nla_put_flag(msg, HYV_NL_A_MAP_REPLACE))
		return -ENOMEM;

	if (query->cmd == HYV_NL_CMD_VNIC_GET && !query->dump &&
	    nla_put_u32(msg, HYV_NL_A_VNIC_ID, query->id))
		return -ENOMEM;
	if (query->pid && nla_put_u32(msg, HYV_NL_A_VNIC_PID, query->pid))
		return -ENOMEM;
	if (query->hca && nla_put_string(msg, HYV_NL_A_HCA_NAME, query->hca))
		return -ENOMEM;
	if (query->gid &&
	    nla_put(msg, HYV_NL_A_MAP_GID, HYV_GID_LEN, query->gid))
		return -ENOMEM;
	return 0;
}

size_t hyv_entry_at(const struct hyv_change *change, uint32_t offset)
{
	const uint32_t first = NLMSG_HDRLEN + GENL_HDRLEN;
	size_t index;

	if (offset < first)
		return change->count;
	index = (offset - first) / hyv_entry_size(change);
	return index < change->count ? index : change->count;
}

/* --- Errors --- */

/*
 * NLMSG_DONE starts with the error alone. NLMSG_ERROR goes on with the request
 * that failed, which is left out but for its header if NLM_F_CAPPED is set.
 * Then come attributes if NLM_F_ACK_TLVS is set.
 */
int hyv_parse_error(const struct nlmsghdr *nlh, struct hyv_blame *blame)
{
	const char *data = nlmsg_data(nlh);
	int len = nlmsg_datalen(nlh);
	struct nlattr *attr;
	struct nlmsgerr err;
	int skip = sizeof(err.error);

	memset(blame, 0, sizeof(*blame));
	if (len < skip)
		return nlh->nlmsg_type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&err.error, data, sizeof(err.error));
	if (err.error > 0)
		return -EBADMSG;

	if (nlh->nlmsg_type != NLMSG_DONE) {
		skip = sizeof(err);
		if (len < skip)
			return -EBADMSG;
		memcpy(&err, data, sizeof(err));
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
			if (err.msg.nlmsg_len < sizeof(err.msg) ||
			    err.msg.nlmsg_len > (uint32_t)len)
				return err.error;
			skip += NLMSG_ALIGN(err.msg.nlmsg_len) -
				sizeof(err.msg);
		}
	}
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || len <= skip)
		return err.error;

	attr = nla_find((struct nlattr *)(data + skip), len - skip,
			NLMSGERR_ATTR_MSG);
	if (attr && nla_len(attr) > 0 &&
	    !((char *)nla_data(attr))[nla_len(attr) - 1])
		blame->text = nla_get_string(attr);
	attr = nla_find((struct nlattr *)(data + skip), len - skip,
			NLMSGERR_ATTR_OFFS);
	if (attr && nla_len(attr) == sizeof(uint32_t))
		blame->offset = nla_get_u32(attr);
	return err.error;
}
