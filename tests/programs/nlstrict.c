// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: nlstrict [VNIC]
 *
 * Right and wrong requests to hyv.ko's generic netlink family: what it answers,
 * which error it gives, and that the error comes with a text. VNIC is the ID of
 * a vNIC that exists; without it only what needs none is asked for. The map
 * ends as it was. Needs CAP_NET_ADMIN.
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

/**
 * struct message - a request
 * @used: bytes of @data that are filled
 */
struct message {
	union {
		struct nlmsghdr nlh;
		char data[512];
	};
	size_t used;
};

/**
 * struct answer - what came back
 * @messages: how many
 * @err: negative errno, or 0
 * @family: CTRL_ATTR_FAMILY_ID of the last message, if it is there
 * @text: the kernel's text, or empty
 */
struct answer {
	int messages;
	int err;
	uint16_t family;
	char text[128];
};

static int sock;
static uint16_t family;
static int failed;

static void start(struct message *msg, uint16_t type, int flags, uint8_t cmd)
{
	struct genlmsghdr *hdr;

	memset(msg, 0, sizeof(*msg));
	msg->nlh.nlmsg_type = type;
	msg->nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	hdr = NLMSG_DATA(&msg->nlh);
	hdr->cmd = cmd;
	hdr->version = 1;
	msg->used = NLMSG_HDRLEN + GENL_HDRLEN;
}

static void put(struct message *msg, uint16_t type, const void *data,
		size_t len)
{
	struct nlattr *attr = (struct nlattr *)(msg->data + msg->used);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy(attr + 1, data, len);
	msg->used += NLA_ALIGN(attr->nla_len);
}

static void put_u32(struct message *msg, uint16_t type, uint32_t value)
{
	put(msg, type, &value, sizeof(value));
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

/* The end of an answer; @skip bytes are in front of the attributes. */
static void take_error(struct answer *answer, const struct nlmsghdr *nlh,
		       size_t skip)
{
	const char *data = NLMSG_DATA(nlh), *text;

	memcpy(&answer->err, data, sizeof(answer->err));
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	text = find(data + skip, nlh->nlmsg_len - NLMSG_HDRLEN - skip,
		    NLMSGERR_ATTR_MSG);
	if (text)
		snprintf(answer->text, sizeof(answer->text), "%s", text);
}

static void ask(struct message *msg, struct answer *answer)
{
	static union {
		struct nlmsghdr nlh;
		char data[32768];
	} buf;
	struct nlmsghdr *nlh;
	const char *id;
	int len;

	memset(answer, 0, sizeof(*answer));
	msg->nlh.nlmsg_len = msg->used;
	if (send(sock, msg->data, msg->used, 0) < 0) {
		perror("nlstrict: send");
		exit(1);
	}
	for (;;) {
		len = recv(sock, buf.data, sizeof(buf.data), 0);
		if (len < 0) {
			perror("nlstrict: recv");
			exit(1);
		}
		for (nlh = &buf.nlh; NLMSG_OK(nlh, len);
		     nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				take_error(answer, nlh,
					   sizeof(struct nlmsgerr));
				return;
			}
			if (nlh->nlmsg_type == NLMSG_DONE) {
				take_error(answer, nlh, sizeof(int));
				return;
			}
			answer->messages++;
			id = find((char *)NLMSG_DATA(nlh) + GENL_HDRLEN,
				  NLMSG_PAYLOAD(nlh, GENL_HDRLEN),
				  CTRL_ATTR_FAMILY_ID);
			if (id)
				memcpy(&answer->family, id,
				       sizeof(answer->family));
		}
	}
}

/* Number of messages of an answer of any length, but not 0. */
#define SOME -1

/* @text is what the kernel has to say, "" for anything but nothing. */
static void check(const char *what, struct message *msg, int err, int messages,
		  const char *text)
{
	struct answer answer;
	int ok;

	ask(msg, &answer);
	ok = answer.err == err &&
	     (messages == SOME ? answer.messages > 0
			       : answer.messages == messages);
	if (text)
		ok = ok && answer.text[0] &&
		     (!*text || !strcmp(text, answer.text));
	printf("%s - %s: %d messages, %s, \"%s\"\n", ok ? "ok" : "not ok", what,
	       answer.messages, strerror(-answer.err), answer.text);
	failed |= !ok;
}

static void get_one(uint32_t vnic)
{
	const int cmd = HYV_NL_CMD_VNIC_GET;
	struct message msg;
	uint64_t wide = vnic;
	uint16_t narrow = vnic;

	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	check("get", &msg, 0, 1, NULL);
	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, UINT32_MAX);
	check("get what does not exist", &msg, -ENOENT, 0,
	      "No vNIC has this ID");
	start(&msg, family, 0, cmd);
	check("get nothing", &msg, -EINVAL, 0, "vNIC ID missing");
	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	put_u32(&msg, HYV_NL_A_VNIC_PID, 1);
	check("get with a filter", &msg, -EINVAL, 0,
	      "Only a dump can be filtered");

	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_VNIC_ID, &narrow, sizeof(narrow));
	check("ID of 2 bytes", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_VNIC_ID, &wide, sizeof(wide));
	check("ID of 8 bytes", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	put_u32(&msg, HYV_NL_A_VNIC_STATE, 0);
	check("attribute of replies", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	put_u32(&msg, HYV_NL_A_MAX + 1, 0);
	check("unknown attribute", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	msg.used += 2;
	check("bytes after the attributes", &msg, -EINVAL, 0, "");
	start(&msg, family, NLM_F_EXCL, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	check("flag without a meaning", &msg, -EINVAL, 0, "");
}

static void get_all(uint32_t vnic)
{
	const int cmd = HYV_NL_CMD_VNIC_GET;
	char long_name[65 + 1];
	struct message msg;

	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';

	start(&msg, family, NLM_F_DUMP, cmd);
	check("dump", &msg, 0, SOME, NULL);
	start(&msg, family, NLM_F_DUMP, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_PID, INT32_MAX);
	check("dump of a process without vNICs", &msg, 0, 0, NULL);
	start(&msg, family, NLM_F_DUMP, cmd);
	put(&msg, HYV_NL_A_HCA_NAME, "", 1);
	check("dump of an HCA without a name", &msg, 0, 0, NULL);
	start(&msg, family, NLM_F_DUMP, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_ID, vnic);
	check("dump of an ID", &msg, -EINVAL, 0,
	      "A dump cannot be limited to an ID");
	start(&msg, family, NLM_F_DUMP, cmd);
	put_u32(&msg, HYV_NL_A_VNIC_PID, 0);
	check("dump of process 0", &msg, -ERANGE, 0, "");
	start(&msg, family, NLM_F_DUMP, cmd);
	put(&msg, HYV_NL_A_HCA_NAME, "rxe0", 4);
	check("name that does not end", &msg, -EINVAL, 0, "");
	start(&msg, family, NLM_F_DUMP, cmd);
	put(&msg, HYV_NL_A_HCA_NAME, long_name, sizeof(long_name));
	check("name that is too long", &msg, -EINVAL, 0, "");
}

static void get_hcas(void)
{
	const int cmd = HYV_NL_CMD_HCA_GET;
	struct message msg;

	start(&msg, family, NLM_F_DUMP, cmd);
	check("dump of HCAs", &msg, 0, SOME, NULL);
	start(&msg, family, 0, cmd);
	check("get of an HCA", &msg, -EOPNOTSUPP, 0, NULL);
	start(&msg, family, NLM_F_DUMP, cmd);
	put(&msg, HYV_NL_A_HCA_NAME, "rxe0", 5);
	check("dump of HCAs with a filter", &msg, -EINVAL, 0, "");
	start(&msg, family, NLM_F_DUMP, HYV_NL_CMD_MAX + 1);
	check("unknown command", &msg, -EOPNOTSUPP, 0, NULL);
	start(&msg, family, NLM_F_DUMP, HYV_NL_CMD_UNSPEC);
	check("command 0", &msg, -EOPNOTSUPP, 0, NULL);
}

#define GID_LEN 16

static const char gid[] = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1";
static const char via[] = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2";
static const char multicast[] = "\xff\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\1";

/* An entry of what is not NULL, each @len bytes long. */
static void put_entry_of(struct message *msg, const char *key, const char *host,
			 size_t len)
{
	struct nlattr *nest = (struct nlattr *)(msg->data + msg->used);

	put(msg, HYV_NL_A_MAP_ENTRY | NLA_F_NESTED, NULL, 0);
	if (key)
		put(msg, HYV_NL_A_MAP_GID, key, len);
	if (host)
		put(msg, HYV_NL_A_MAP_VIA, host, len);
	nest->nla_len = msg->data + msg->used - (char *)nest;
}

static void put_entry(struct message *msg, const char *key, const char *host)
{
	put_entry_of(msg, key, host, GID_LEN);
}

static void add_to_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_ADD;
	struct message msg;

	start(&msg, family, 0, cmd);
	check("add nothing", &msg, -EINVAL, 0, "Entry missing");
	start(&msg, family, 0, cmd);
	put_entry(&msg, NULL, via);
	check("add no GID", &msg, -EINVAL, 0, "GID missing");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, NULL);
	check("add via nothing", &msg, -EINVAL, 0, "GID of a host missing");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	put_entry(&msg, multicast, via);
	check("add a multicast group", &msg, -EINVAL, 0,
	      "This GID is no address of one machine");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, multicast);
	check("add via a multicast group", &msg, -EINVAL, 0,
	      "No other host is reached by this GID");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	put_entry(&msg, gid, via);
	check("add twice", &msg, -EEXIST, 0,
	      "This GID is in the request twice");
	start(&msg, family, 0, cmd);
	put_entry_of(&msg, gid, via, GID_LEN - 1);
	check("GIDs of 15 bytes", &msg, -ERANGE, 0, "");
	start(&msg, family, 0, cmd);
	put_entry_of(&msg, gid, via, GID_LEN + 1);
	check("GIDs of 17 bytes", &msg, -ERANGE, 0, "");
	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_MAP_ENTRY, "", 0);
	check("nest without its flag", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	put(&msg, HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("GID outside of an entry", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	put_u32(&msg, HYV_NL_A_MAP_REPLACE, 1);
	check("flag with a value", &msg, -ERANGE, 0, "");
	start(&msg, family, NLM_F_REPLACE, cmd);
	put_entry(&msg, gid, via);
	check("flag of old families", &msg, -EINVAL, 0, "");
	start(&msg, family, NLM_F_DUMP, cmd);
	check("dump of what adds", &msg, -EOPNOTSUPP, 0, NULL);

	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	check("add", &msg, 0, 0, NULL);
	start(&msg, family, 0, cmd);
	put_entry(&msg, via, via);
	put_entry(&msg, gid, via);
	check("add what is there", &msg, -EEXIST, 0,
	      "This GID is in the map already");
	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_MAP_REPLACE, NULL, 0);
	put_entry(&msg, gid, via);
	check("replace", &msg, 0, 0, NULL);
}

static void get_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_GET;
	struct message msg;

	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("get an entry", &msg, 0, 1, NULL);
	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_MAP_GID, via, GID_LEN);
	check("get what is not in the map", &msg, -ENOENT, 0,
	      "This GID is not in the map");
	start(&msg, family, 0, cmd);
	check("get no entry", &msg, -EINVAL, 0, "GID missing");
	start(&msg, family, 0, cmd);
	put(&msg, HYV_NL_A_MAP_GID, gid, GID_LEN - 1);
	check("get a GID of 15 bytes", &msg, -ERANGE, 0, "");
	start(&msg, family, NLM_F_DUMP, cmd);
	check("dump of the map", &msg, 0, SOME, NULL);
	start(&msg, family, NLM_F_DUMP, cmd);
	put(&msg, HYV_NL_A_MAP_GID, gid, GID_LEN);
	check("dump of a GID", &msg, -EINVAL, 0,
	      "A dump cannot be limited to a GID");
}

static void delete_from_map(void)
{
	const int cmd = HYV_NL_CMD_MAP_DEL;
	struct message msg;

	start(&msg, family, 0, cmd);
	check("delete nothing", &msg, -EINVAL, 0, "Entry missing");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, via);
	check("delete with a host", &msg, -EINVAL, 0, "");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, NULL);
	put_entry(&msg, gid, NULL);
	check("delete twice", &msg, -ENOENT, 0,
	      "This GID is in the request twice");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, NULL);
	put_entry(&msg, via, NULL);
	check("delete what is not there", &msg, -ENOENT, 0,
	      "No static entry has this GID");
	start(&msg, family, 0, cmd);
	put_entry(&msg, gid, NULL);
	check("delete", &msg, 0, 0, NULL);
}

int main(int argc, char **argv)
{
	struct answer answer;
	struct message msg;
	uint32_t vnic;
	int one = 1;

	if (argc > 2) {
		fputs("usage: nlstrict [VNIC]\n", stderr);
		return 2;
	}

	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0 ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)) ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one))) {
		perror("nlstrict: socket");
		return 1;
	}
	start(&msg, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	put(&msg, CTRL_ATTR_FAMILY_NAME, HYV_GENL_NAME, sizeof(HYV_GENL_NAME));
	ask(&msg, &answer);
	if (answer.err || !answer.family) {
		fputs("nlstrict: hyv.ko is not loaded\n", stderr);
		return 1;
	}
	family = answer.family;
	if (argc == 2) {
		vnic = strtoul(argv[1], NULL, 10);
		get_one(vnic);
		get_all(vnic);
	}
	get_hcas();
	add_to_map();
	get_map();
	delete_from_map();
	return failed;
}
