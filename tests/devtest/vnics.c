// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's list of vNICs, by generic netlink.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/hyv_netlink.h>

#include "harness.h"
#include "vnics.h"

/* Handles a message; returns false to stop. */
typedef void (*nl_fn)(const struct nlmsghdr *nlh, void *arg);

/* Attributes: of a message, or inside another one. */
struct nl_attrs {
	const char *at;
	const char *end;
};

static struct nl_attrs nl_attrs(const struct nlmsghdr *nlh)
{
	return (struct nl_attrs){
		.at = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN,
		.end = (const char *)nlh + nlh->nlmsg_len,
	};
}

/* Take the next attribute of a type; false if there is none. */
static bool nl_next(struct nl_attrs *attrs, uint16_t type,
		    struct nl_attrs *inside)
{
	while (attrs->at + NLA_HDRLEN <= attrs->end) {
		const struct nlattr *attr = (const void *)attrs->at;

		if (attr->nla_len < NLA_HDRLEN ||
		    attrs->at + attr->nla_len > attrs->end)
			return false;
		inside->at = attrs->at + NLA_HDRLEN;
		inside->end = attrs->at + attr->nla_len;
		attrs->at += NLA_ALIGN(attr->nla_len);
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return true;
	}
	return false;
}

/* A number of up to 8 bytes; 0 if there is none. */
static uint64_t nl_number(struct nl_attrs attrs, uint16_t type)
{
	struct nl_attrs inside;
	uint64_t val = 0;

	if (nl_next(&attrs, type, &inside) && inside.end - inside.at <= 8)
		memcpy(&val, inside.at, inside.end - inside.at);
	return val;
}

/* Send a request with at most one attribute; @fn gets each message. */
static bool nl_ask(int sock, uint16_t type, uint16_t flags, uint8_t cmd,
		   const char *name, nl_fn fn, void *arg)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		struct nlattr attr;
		char name[GENL_NAMSIZ];
	} req = {
		.nlh.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
		.nlh.nlmsg_type = type,
		.nlh.nlmsg_flags = NLM_F_REQUEST | flags,
		.genl.cmd = cmd,
		.genl.version = 1,
	};
	static union {
		struct nlmsghdr nlh;
		char data[65536];
	} buf;
	struct nlmsghdr *nlh;
	ssize_t n;

	if (name) {
		req.attr.nla_type = CTRL_ATTR_FAMILY_NAME;
		req.attr.nla_len = sizeof(req.attr) + sizeof(req.name);
		snprintf(req.name, sizeof(req.name), "%s", name);
		req.nlh.nlmsg_len = sizeof(req);
	}
	if (send(sock, &req, req.nlh.nlmsg_len, 0) < 0)
		return false;
	for (;;) {
		n = recv(sock, &buf, sizeof(buf), 0);
		if (n <= 0)
			return false;
		for (nlh = &buf.nlh; NLMSG_OK(nlh, (size_t)n);
		     nlh = NLMSG_NEXT(nlh, n)) {
			if (nlh->nlmsg_type == NLMSG_ERROR)
				return false;
			if (nlh->nlmsg_type == NLMSG_DONE)
				return true;
			fn(nlh, arg);
			if (!(nlh->nlmsg_flags & NLM_F_MULTI))
				return true;
		}
	}
}

static void nl_family(const struct nlmsghdr *nlh, void *arg)
{
	*(uint16_t *)arg = nl_number(nl_attrs(nlh), CTRL_ATTR_FAMILY_ID);
}

static void nl_vnic(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs attrs = nl_attrs(nlh), quotas, quota;
	struct vnics *vnics = arg;

	vnics->nr++;
	vnics->leaked += nl_number(attrs, HYV_NL_A_VNIC_LEAKED);
	if (!nl_next(&attrs, HYV_NL_A_VNIC_QUOTAS, &quotas))
		return;
	while (nl_next(&quotas, HYV_NL_A_QUOTA, &quota)) {
		uint64_t used = nl_number(quota, HYV_NL_A_QUOTA_USED);

		switch (nl_number(quota, HYV_NL_A_QUOTA_TYPE)) {
		case HYV_NL_QUOTA_PINNED:
			vnics->pinned += used;
			break;
		case HYV_NL_QUOTA_QUEUE_BYTES:
		case HYV_NL_QUOTA_DOORBELL_PAGES:
			vnics->queues += used;
			break;
		}
	}
}

/**
 * vnics_get() - list all vNICs
 * @vnics: the answer
 *
 * Return: false if there is none.
 */
bool vnics_get(struct vnics *vnics)
{
	struct timeval timeout = {.tv_sec = dt_hang_ms() / 1000};
	uint16_t family = 0;
	bool ok;
	int sock;

	memset(vnics, 0, sizeof(*vnics));
	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (sock < 0)
		return false;
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	ok = nl_ask(sock, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, HYV_GENL_NAME,
		    nl_family, &family) &&
	     family &&
	     nl_ask(sock, family, NLM_F_DUMP, HYV_NL_CMD_VNIC_GET, NULL,
		    nl_vnic, vnics);
	close(sock);
	return ok;
}
