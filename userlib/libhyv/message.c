// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Netlink messages: attributes, requests, errors. */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/hyv_netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "private.h"

/* libnl does not modify a policy, but takes a non-const pointer. */
static const struct nla_policy policy[HYV_NL_A_MAX + 1] = {
	[HYV_NL_A_VNIC_ID] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_NAME] = {.type = NLA_STRING},
	[HYV_NL_A_VNIC_PID] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_COMM] = {.type = NLA_STRING},
	[HYV_NL_A_VNIC_STATE] = {.type = NLA_U32},
	[HYV_NL_A_VNIC_OBJECTS] = {.type = NLA_NESTED},
	[HYV_NL_A_VNIC_QUOTAS] = {.type = NLA_NESTED},
	[HYV_NL_A_VNIC_WINDOW_USED] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_WINDOW_SIZE] = {.type = NLA_U64},
	[HYV_NL_A_VNIC_COUNTERS] = {.type = NLA_NESTED},
	[HYV_NL_A_OBJECT] = {.type = NLA_NESTED},
	[HYV_NL_A_OBJECT_TYPE] = {.type = NLA_U32},
	[HYV_NL_A_OBJECT_TYPE_NAME] = {.type = NLA_STRING},
	[HYV_NL_A_OBJECT_COUNT] = {.type = NLA_U32},
	[HYV_NL_A_OBJECT_MAX] = {.type = NLA_U32},
	[HYV_NL_A_QUOTA] = {.type = NLA_NESTED},
	[HYV_NL_A_QUOTA_TYPE] = {.type = NLA_U32},
	[HYV_NL_A_QUOTA_USED] = {.type = NLA_U64},
	[HYV_NL_A_QUOTA_MAX] = {.type = NLA_U64},
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
	[HYV_NL_A_VNIC_LEAKED] = {.type = NLA_U32},
	[HYV_NL_A_HCA_LEAKED] = {.type = NLA_U32},
	[HYV_NL_A_MAP_ENTRY] = {.type = NLA_NESTED},
	[HYV_NL_A_MAP_GID] = {.type = NLA_UNSPEC,
			      .minlen = LIBHYV_GID_LEN,
			      .maxlen = LIBHYV_GID_LEN},
	[HYV_NL_A_MAP_VIA] = {.type = NLA_UNSPEC,
			      .minlen = LIBHYV_GID_LEN,
			      .maxlen = LIBHYV_GID_LEN},
};

static int parse_attrs(const struct nlattr *head, int len, struct nlattr **tb)
{
	const struct nlattr *pos = head;
	int rem = len;

	/* nla_parse() accepts garbage after the last attribute. */
	while (nla_ok(pos, rem))
		pos = nla_next(pos, &rem);
	if (rem > 0)
		return -EBADMSG;
	if (nla_parse(tb, HYV_NL_A_MAX, (struct nlattr *)head, len,
		      (struct nla_policy *)policy))
		return -EBADMSG;
	return 0;
}

int libhyv_parse_nest(const struct nlattr *nest, struct nlattr **tb)
{
	return parse_attrs(nla_data(nest), nla_len(nest), tb);
}

int libhyv_check_message(const struct nlmsghdr *nlh, int cmd)
{
	if (!genlmsg_valid_hdr((struct nlmsghdr *)nlh, 0) ||
	    genlmsg_hdr((struct nlmsghdr *)nlh)->cmd != cmd)
		return -EBADMSG;
	return 0;
}

int libhyv_parse_message(const struct nlmsghdr *nlh, struct nlattr **tb)
{
	const struct genlmsghdr *hdr = genlmsg_hdr((struct nlmsghdr *)nlh);

	return parse_attrs(genlmsg_attrdata(hdr, 0), genlmsg_attrlen(hdr, 0),
			   tb);
}

uint32_t libhyv_get_u32(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

uint64_t libhyv_get_u64(const struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

const char *libhyv_get_string(const struct nlattr *attr)
{
	return attr ? nla_get_string(attr) : "";
}

/* --- Requests --- */

/* Bytes of one entry; all entries of a change have the same attributes. */
static size_t entry_size(const struct libhyv_change *change)
{
	size_t gids = change->vias ? 2 : 1;

	return NLA_HDRLEN + gids * (NLA_HDRLEN + LIBHYV_GID_LEN);
}

size_t libhyv_query_size(const struct libhyv_query *query)
{
	size_t size = 2 * (NLA_HDRLEN + sizeof(uint32_t));

	if (query->hca)
		size += NLA_HDRLEN + NLA_ALIGN(strlen(query->hca) + 1);
	if (query->gid)
		size += NLA_HDRLEN + LIBHYV_GID_LEN;
	if (query->change)
		size += query->change->count * entry_size(query->change) +
			NLA_HDRLEN;
	return size;
}

static int put_entry(struct nl_msg *msg, const struct libhyv_change *change,
		     size_t index)
{
	struct nlattr *nest;

	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY | NLA_F_NESTED);
	if (!nest || nla_put(msg, HYV_NL_A_MAP_GID, LIBHYV_GID_LEN,
			     &change->gids[index]))
		return -ENOMEM;
	if (change->vias && nla_put(msg, HYV_NL_A_MAP_VIA, LIBHYV_GID_LEN,
				    &change->vias[index]))
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

int libhyv_put_query(struct nl_msg *msg, const struct libhyv_query *query)
{
	const struct libhyv_change *change = query->change;
	size_t i;

	/* Entries come first: libhyv_entry_at() relies on it. */
	for (i = 0; change && i < change->count; i++)
		if (put_entry(msg, change, i))
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
	    nla_put(msg, HYV_NL_A_MAP_GID, LIBHYV_GID_LEN, query->gid))
		return -ENOMEM;
	return 0;
}

size_t libhyv_entry_at(const struct libhyv_change *change, uint32_t offset)
{
	const uint32_t first = NLMSG_HDRLEN + GENL_HDRLEN;
	size_t index;

	if (offset < first)
		return change->count;
	index = (offset - first) / entry_size(change);
	return index < change->count ? index : change->count;
}

/* --- Errors --- */

/*
 * NLMSG_DONE starts with the error alone. NLMSG_ERROR continues with the
 * request that failed, or only its header if NLM_F_CAPPED is set. Attributes
 * follow if NLM_F_ACK_TLVS is set.
 */
int libhyv_parse_error(const struct nlmsghdr *nlh, struct libhyv_error *error)
{
	const char *data = nlmsg_data(nlh);
	int len = nlmsg_datalen(nlh);
	struct nlattr *attr;
	struct nlmsgerr err;
	int skip = sizeof(err.error);

	memset(error, 0, sizeof(*error));
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
		error->text = nla_get_string(attr);
	attr = nla_find((struct nlattr *)(data + skip), len - skip,
			NLMSGERR_ATTR_OFFS);
	if (attr && nla_len(attr) == sizeof(uint32_t))
		error->offset = nla_get_u32(attr);
	return err.error;
}
