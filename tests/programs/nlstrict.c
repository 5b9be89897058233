// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: nlstrict [VNIC]
 *
 * Valid and invalid requests to hyv.ko's generic netlink family: the number of
 * messages in the reply, the error, and its text. VNIC is the ID of a vNIC that
 * exists; without it, only requests that need no vNIC are tested. Cases that
 * the hyv command can cause are in tests/cases/map. Does not change the GID
 * map. Needs CAP_NET_ADMIN.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "../../include/uapi/linux/hyv_netlink.h"
#include "../lib/tap.h"

/**
 * struct reply - what came back
 * @messages: number of messages
 * @err: negative errno, or 0
 * @family: CTRL_ATTR_FAMILY_ID of the last message that has one
 * @text: the kernel's text, or empty
 */
struct reply {
	int messages;
	int err;
	uint16_t family;
	char text[128];
};

static int sock;
static uint16_t family;

/* The request that is being built; @used bytes of @data are filled. */
static struct {
	union {
		struct nlmsghdr nlh;
		char data[512];
	};
	size_t used;
} request;

static void start_type(uint16_t type, int flags, uint8_t cmd)
{
	struct genlmsghdr *hdr;

	memset(&request, 0, sizeof(request));
	request.nlh.nlmsg_type = type;
	request.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	hdr = NLMSG_DATA(&request.nlh);
	hdr->cmd = cmd;
	hdr->version = 1;
	request.used = NLMSG_HDRLEN + GENL_HDRLEN;
}

static void start(int flags, uint8_t cmd)
{
	start_type(family, flags, cmd);
}

static void put(uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (struct nlattr *)(request.data + request.used);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy(attr + 1, data, len);
	request.used += NLA_ALIGN(attr->nla_len);
}

static void put_u32(uint16_t type, uint32_t value)
{
	put(type, &value, sizeof(value));
}

/* Returns the payload of the first attribute of this type, or NULL. */
static const char *find(const char *data, int len, uint16_t type)
{
	const struct nlattr *attr = (const struct nlattr *)data;

	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       attr->nla_len <= len) {
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return (const char *)(attr + 1);
		len -= NLA_ALIGN(attr->nla_len);
		data += NLA_ALIGN(attr->nla_len);
		attr = (const struct nlattr *)data;
	}
	return NULL;
}

/* The last message of a reply; attributes follow after @skip bytes. */
static void take_error(struct reply *reply, const struct nlmsghdr *nlh,
		       size_t skip)
{
	const char *data = NLMSG_DATA(nlh), *text;

	memcpy(&reply->err, data, sizeof(reply->err));
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	text = find(data + skip, nlh->nlmsg_len - NLMSG_HDRLEN - skip,
		    NLMSGERR_ATTR_MSG);
	if (text)
		snprintf(reply->text, sizeof(reply->text), "%s", text);
}

static void ask(struct reply *reply)
{
	static union {
		struct nlmsghdr nlh;
		char data[32768];
	} buf;
	struct nlmsghdr *nlh;
	const char *id;
	int len;

	memset(reply, 0, sizeof(*reply));
	request.nlh.nlmsg_len = request.used;
	if (send(sock, request.data, request.used, 0) < 0)
		tap_bail("send: %s", strerror(errno));
	for (;;) {
		len = recv(sock, buf.data, sizeof(buf.data), 0);
		if (len < 0)
			tap_bail("recv: %s", strerror(errno));
		for (nlh = &buf.nlh; NLMSG_OK(nlh, len);
		     nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				take_error(reply, nlh, sizeof(struct nlmsgerr));
				return;
			}
			if (nlh->nlmsg_type == NLMSG_DONE) {
				take_error(reply, nlh, sizeof(int));
				return;
			}
			reply->messages++;
			id = find((char *)NLMSG_DATA(nlh) + GENL_HDRLEN,
				  NLMSG_PAYLOAD(nlh, GENL_HDRLEN),
				  CTRL_ATTR_FAMILY_ID);
			if (id)
				memcpy(&reply->family, id,
				       sizeof(reply->family));
		}
	}
}

/* Any number of messages except 0. */
#define SOME -1

/* @text is the kernel's expected text, "" for any, NULL if not required. */
static void check(const char *what, int err, int messages, const char *text)
{
	struct reply reply;
	bool ok;

	ask(&reply);
	ok = reply.err == err &&
	     (messages == SOME ? reply.messages > 0
			       : reply.messages == messages);
	if (text)
		ok = ok && reply.text[0] &&
		     (!*text || !strcmp(text, reply.text));
	if (!tap_ok(ok, "%s", what))
		tap_diag("got %d messages, %s, '%s'", reply.messages,
			 strerror(-reply.err), reply.text);
}

static void get_one(uint32_t vnic)
{
	const int cmd = HYV_NL_CMD_VNIC_GET;
	uint64_t wide = vnic;
	uint16_t narrow = vnic;

	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	check("get a vNIC", 0, 1, NULL);
	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, UINT32_MAX);
	check("get a vNIC that does not exist", -ENOENT, 0,
	      "No vNIC has this ID");
	start(0, cmd);
	check("get without an ID", -EINVAL, 0, "vNIC ID missing");
	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	put_u32(HYV_NL_A_VNIC_PID, 1);
	check("get with a filter", -EINVAL, 0, "Only a dump can be filtered");

	start(0, cmd);
	put(HYV_NL_A_VNIC_ID, &narrow, sizeof(narrow));
	check("get an ID of 2 bytes", -EINVAL, 0, "");
	start(0, cmd);
	put(HYV_NL_A_VNIC_ID, &wide, sizeof(wide));
	check("get an ID of 8 bytes", -EINVAL, 0, "");
	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	put_u32(HYV_NL_A_VNIC_STATE, 0);
	check("get with an attribute of replies", -EINVAL, 0, "");
	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	put_u32(HYV_NL_A_MAX + 1, 0);
	check("get with an unknown attribute", -EINVAL, 0, "");
	start(0, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	request.used += 2;
	check("get with bytes after the attributes", -EINVAL, 0, "");
	start(NLM_F_EXCL, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	check("get with an undefined flag", -EINVAL, 0, "");
}

static void get_all(uint32_t vnic)
{
	const int cmd = HYV_NL_CMD_VNIC_GET;
	char long_name[65 + 1];

	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';

	start(NLM_F_DUMP, cmd);
	check("dump", 0, SOME, NULL);
	start(NLM_F_DUMP, cmd);
	put_u32(HYV_NL_A_VNIC_PID, INT32_MAX);
	check("dump of a process without vNICs", 0, 0, NULL);
	start(NLM_F_DUMP, cmd);
	put(HYV_NL_A_HCA_NAME, "", 1);
	check("dump of an HCA without a name", 0, 0, NULL);
	start(NLM_F_DUMP, cmd);
	put_u32(HYV_NL_A_VNIC_ID, vnic);
	check("dump of an ID", -EINVAL, 0, "A dump cannot be limited to an ID");
	start(NLM_F_DUMP, cmd);
	put_u32(HYV_NL_A_VNIC_PID, 0);
	check("dump of process 0", -ERANGE, 0, "");
	start(NLM_F_DUMP, cmd);
	put(HYV_NL_A_HCA_NAME, "rxe0", 4);
	check("dump with an HCA name without NUL", -EINVAL, 0, "");
	start(NLM_F_DUMP, cmd);
	put(HYV_NL_A_HCA_NAME, long_name, sizeof(long_name));
	check("dump with too long an HCA name", -EINVAL, 0, "");
}

static void get_hcas(void)
{
	const int cmd = HYV_NL_CMD_HCA_GET;

	start(NLM_F_DUMP, cmd);
	check("dump of HCAs", 0, SOME, NULL);
	start(0, cmd);
	check("get of an HCA", -EOPNOTSUPP, 0, NULL);
	start(NLM_F_DUMP, cmd);
	put(HYV_NL_A_HCA_NAME, "rxe0", 5);
	check("dump of HCAs with a filter", -EINVAL, 0, "");
	start(NLM_F_DUMP, HYV_NL_CMD_MAX + 1);
	check("unknown command", -EOPNOTSUPP, 0, NULL);
	start(NLM_F_DUMP, HYV_NL_CMD_UNSPEC);
	check("command 0", -EOPNOTSUPP, 0, NULL);
}

#define GID_LEN 16

static const char gid[] = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1";
static const char via[] = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2";

/* An entry of the GIDs that are not NULL, each @len bytes long. */
static void put_entry_of(const char *key, const char *host, size_t len)
{
	char *end, *nest = request.data + request.used;

	put(HYV_NL_A_MAP_ENTRY | NLA_F_NESTED, NULL, 0);
	if (key)
		put(HYV_NL_A_MAP_GID, key, len);
	if (host)
		put(HYV_NL_A_MAP_VIA, host, len);
	end = request.data + request.used;
	((struct nlattr *)nest)->nla_len = end - nest;
}

static void put_entry(const char *key, const char *host)
{
	put_entry_of(key, host, GID_LEN);
}

static void add_to_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_ADD;

	start(0, cmd);
	check("add no entry", -EINVAL, 0, "Entry missing");
	start(0, cmd);
	put_entry(NULL, via);
	check("add an entry without a GID", -EINVAL, 0, "GID missing");
	start(0, cmd);
	put_entry(gid, NULL);
	check("add an entry without a via GID", -EINVAL, 0,
	      "GID of a host missing");
	start(0, cmd);
	put_entry_of(gid, via, GID_LEN - 1);
	check("add GIDs of 15 bytes", -ERANGE, 0, "");
	start(0, cmd);
	put_entry_of(gid, via, GID_LEN + 1);
	check("add GIDs of 17 bytes", -ERANGE, 0, "");
	start(0, cmd);
	put(HYV_NL_A_MAP_ENTRY, "", 0);
	check("add an entry without NLA_F_NESTED", -EINVAL, 0, "");
	start(0, cmd);
	put_entry(gid, via);
	put(HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("add a GID outside of an entry", -EINVAL, 0, "");
	start(0, cmd);
	put_entry(gid, via);
	put_u32(HYV_NL_A_MAP_REPLACE, 1);
	check("add with a value of HYV_NL_A_MAP_REPLACE", -ERANGE, 0, "");
	start(NLM_F_REPLACE, cmd);
	put_entry(gid, via);
	check("add with NLM_F_REPLACE", -EINVAL, 0, "");
	start(NLM_F_DUMP, cmd);
	check("dump of HYV_NL_CMD_MAP_ADD", -EOPNOTSUPP, 0, NULL);

	start(0, cmd);
	put_entry(gid, via);
	check("add an entry", 0, 0, NULL);
	start(0, cmd);
	put(HYV_NL_A_MAP_REPLACE, NULL, 0);
	put_entry(gid, via);
	check("replace an entry", 0, 0, NULL);
}

static void get_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_GET;

	start(0, cmd);
	put(HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("get an entry", 0, 1, NULL);
	start(0, cmd);
	check("get an entry without a GID", -EINVAL, 0, "GID missing");
	start(0, cmd);
	put(HYV_NL_A_MAP_GID, gid, GID_LEN - 1);
	check("get a GID of 15 bytes", -ERANGE, 0, "");
	start(NLM_F_DUMP, cmd);
	check("dump of the map", 0, SOME, NULL);
	start(NLM_F_DUMP, cmd);
	put(HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("dump of a GID", -EINVAL, 0, "A dump cannot be limited to a GID");
}

static void delete_from_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_DEL;

	start(0, cmd);
	check("delete no entry", -EINVAL, 0, "Entry missing");
	start(0, cmd);
	put_entry(gid, via);
	check("delete an entry with a via GID", -EINVAL, 0, "");
	start(0, cmd);
	put_entry(gid, NULL);
	check("delete an entry", 0, 0, NULL);
}

int main(int argc, char **argv)
{
	struct reply reply;
	uint32_t vnic;
	int one = 1;

	if (argc > 2) {
		fputs("usage: nlstrict [VNIC]\n", stderr);
		return 2;
	}

	tap_plan(0);
	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0 ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)) ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one)))
		tap_bail("socket: %s", strerror(errno));
	start_type(GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	put(CTRL_ATTR_FAMILY_NAME, HYV_GENL_NAME, sizeof(HYV_GENL_NAME));
	ask(&reply);
	if (reply.err || !reply.family)
		tap_bail("hyv.ko is not loaded");
	family = reply.family;
	if (argc == 2) {
		vnic = strtoul(argv[1], NULL, 10);
		get_one(vnic);
		get_all(vnic);
	}
	get_hcas();
	add_to_map();
	get_map();
	delete_from_map();
	return tap_done();
}
