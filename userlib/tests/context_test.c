// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests and replies, with a simulated kernel: the linker's --wrap puts the
 * functions below between libhyv and libnl, so that libnl's own receive loop
 * runs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hyv_netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/handlers.h>
#include <netlink/netlink.h>

#include "test.h"

#define MAX_MESSAGES 40

/**
 * struct step - result of the next receive
 * @msgs: the messages of a datagram, ended by NULL
 * @fail: error of libnl, or 0
 */
struct step {
	struct nl_msg *msgs[MAX_MESSAGES + 1];
	int fail;
};

static struct step steps[8];
static size_t nr_steps, next_step;

/* State of the simulated kernel. */
static int family;
static int connects, requests, send_error;
static struct nlmsghdr *request;

int __wrap_genl_connect(struct nl_sock *sock);
int __wrap_genl_ctrl_resolve(struct nl_sock *sock, const char *name);
int __wrap_nl_send_auto(struct nl_sock *sock, struct nl_msg *msg);
struct nl_cb *__wrap_nl_cb_alloc(enum nl_cb_kind kind);
struct nl_cb *__real_nl_cb_alloc(enum nl_cb_kind kind);

int __wrap_genl_connect(struct nl_sock *sock)
{
	(void)sock;
	connects++;
	return 0;
}

int __wrap_genl_ctrl_resolve(struct nl_sock *sock, const char *name)
{
	(void)sock;
	EXPECT_STR(name, "hyv");
	return family;
}

int __wrap_nl_send_auto(struct nl_sock *sock, struct nl_msg *msg)
{
	nl_complete_msg(sock, msg);
	free(request);
	request = malloc(nlmsg_hdr(msg)->nlmsg_len);
	if (!request)
		abort();
	memcpy(request, nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len);
	requests++;
	return send_error ? -send_error : (int)request->nlmsg_len;
}

static int receive(struct nl_sock *sock, struct sockaddr_nl *from,
		   unsigned char **buf, struct ucred **creds)
{
	struct step *step = &steps[next_step];
	struct nlmsghdr *nlh;
	size_t len = 0;
	int i;

	(void)sock;
	(void)from;
	(void)creds;
	if (!EXPECT(next_step < nr_steps))
		return -NLE_FAILURE;
	next_step++;
	if (step->fail)
		return -step->fail;
	*buf = malloc(16384);
	for (i = 0; step->msgs[i]; i++) {
		nlh = nlmsg_hdr(step->msgs[i]);
		memcpy(*buf + len, nlh, nlh->nlmsg_len);
		nlh = (struct nlmsghdr *)(*buf + len);
		nlh->nlmsg_seq = request->nlmsg_seq;
		nlh->nlmsg_pid = request->nlmsg_pid;
		len += NLMSG_ALIGN(nlh->nlmsg_len);
		nlmsg_free(step->msgs[i]);
		step->msgs[i] = NULL;
	}
	return len;
}

struct nl_cb *__wrap_nl_cb_alloc(enum nl_cb_kind kind)
{
	struct nl_cb *cb = __real_nl_cb_alloc(kind);

	nl_cb_overwrite_recv(cb, receive);
	return cb;
}

/* --- The script of a test --- */

static struct hyv_context *start(void)
{
	struct hyv_context *ctx = NULL;

	memset(steps, 0, sizeof(steps));
	nr_steps = 0;
	next_step = 0;
	connects = 0;
	requests = 0;
	send_error = 0;
	family = SAMPLE_FAMILY;
	if (hyv_open(&ctx))
		abort();
	return ctx;
}

static void stop(struct hyv_context *ctx)
{
	EXPECT_EQ(next_step, nr_steps);
	hyv_close(ctx);
	free(request);
	request = NULL;
}

static void receives(struct nl_msg *a, struct nl_msg *b, struct nl_msg *c)
{
	steps[nr_steps++] = (struct step){.msgs = {a, b, c}};
}

static void fails(int err)
{
	steps[nr_steps++] = (struct step){.fail = err};
}

static struct nl_msg *vnic(uint32_t id, int flags)
{
	const struct sample sample = {
		.id = id, .name = "", .comm = "", .hca = "rxe0"};
	struct nl_msg *msg = vnic_message(&sample);

	nlmsg_hdr(msg)->nlmsg_flags |= flags;
	return msg;
}

/* The last message of a reply. */
static struct nl_msg *end(int type, int flags, int err, const char *text)
{
	struct nlmsgerr body = {
		.error = err,
		.msg.nlmsg_len = NLMSG_HDRLEN,
	};
	struct nl_msg *msg = nlmsg_alloc();

	flags |= type == NLMSG_DONE ? NLM_F_MULTI : NLM_F_CAPPED;
	if (text)
		flags |= NLM_F_ACK_TLVS;
	if (!msg || !nlmsg_put(msg, 1, 1, type, 0, flags))
		abort();
	nlmsg_append(msg, &body,
		     type == NLMSG_DONE ? sizeof(body.error) : sizeof(body),
		     NLMSG_ALIGNTO);
	if (text)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, text);
	return msg;
}

/* --- Tests --- */

static void no_module(void)
{
	struct hyv_context *ctx = NULL;

	family = -NLE_OBJ_NOTFOUND;
	EXPECT_EQ(hyv_open(&ctx), -ENXIO);
	EXPECT(!ctx);
	EXPECT_STR(hyv_strerror(NULL, -ENXIO),
		   "hyv.ko is not loaded; run 'modprobe hyv'");
	hyv_close(NULL);
}

static void get(void)
{
	struct hyv_context *ctx = start();
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	struct hyv_vnic *one = NULL;

	receives(vnic(7, 0), NULL, NULL);
	receives(end(NLMSG_ERROR, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), 0);
	EXPECT_EQ(hyv_vnic_id(one), 7);
	hyv_vnic_free(one);

	EXPECT_EQ(request->nlmsg_type, SAMPLE_FAMILY);
	EXPECT_EQ(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_VNIC_GET);
	EXPECT_EQ(genlmsg_hdr(request)->version, HYV_GENL_VERSION);
	EXPECT_EQ(genlmsg_parse(request, 0, tb, HYV_NL_A_MAX, NULL), 0);
	EXPECT_EQ(nla_get_u32(tb[HYV_NL_A_VNIC_ID]), 7);
	EXPECT(!tb[HYV_NL_A_VNIC_PID] && !tb[HYV_NL_A_HCA_NAME]);
	stop(ctx);
}

static void send_fails(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic *one = NULL;

	send_error = NLE_NOMEM;
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -ENOMEM);
	send_error = 0;
	receives(vnic(7, 0), end(NLMSG_ERROR, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), 0);
	hyv_vnic_free(one);
	stop(ctx);
}

static void get_bad_answers(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic *one = NULL;
	struct nl_msg *other;

	/* Only an acknowledgment. */
	receives(end(NLMSG_ERROR, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -EBADMSG);
	/* Two vNICs. */
	receives(vnic(7, 0), vnic(8, 0), end(NLMSG_ERROR, 0, 0, NULL));
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -EBADMSG);
	/* A message of another family. */
	other = vnic(7, 0);
	nlmsg_hdr(other)->nlmsg_type = SAMPLE_FAMILY + 1;
	receives(other, end(NLMSG_ERROR, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -EBADMSG);
	EXPECT_STR(hyv_strerror(ctx, -EBADMSG),
		   "malformed message from hyv.ko");
	EXPECT(!one);
	stop(ctx);
}

static void get_refused(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic *one = NULL;

	receives(end(NLMSG_ERROR, 0, -ENOENT, "No vNIC has this ID"), NULL,
		 NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -ENOENT);
	EXPECT_STR(hyv_strerror(ctx, -ENOENT), "No vNIC has this ID");
	/* The text is for that error only, until the next call. */
	EXPECT_STR(hyv_strerror(ctx, -ENOMEM), "Cannot allocate memory");
	EXPECT_STR(hyv_strerror(NULL, -ENOENT), "no such vNIC or GID");
	EXPECT_STR(hyv_strerror(NULL, -123456), "unknown error");

	receives(end(NLMSG_ERROR, 0, -EPERM, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_get(ctx, 7, &one), -EPERM);
	EXPECT_STR(
		hyv_strerror(ctx, -EPERM),
		"permission denied: requires CAP_NET_ADMIN in the initial user namespace");
	EXPECT(!one);
	EXPECT_EQ(requests, 2);
	stop(ctx);
}

static void dump(void)
{
	struct hyv_context *ctx = start();
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	struct hyv_vnic **all = NULL;

	receives(vnic(1, NLM_F_MULTI), vnic(2, NLM_F_MULTI), NULL);
	receives(vnic(5, NLM_F_MULTI), NULL, NULL);
	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 42, "rxe0", &all), 3);
	EXPECT_EQ(hyv_vnic_id(all[0]), 1);
	EXPECT_EQ(hyv_vnic_id(all[1]), 2);
	EXPECT_EQ(hyv_vnic_id(all[2]), 5);
	EXPECT(!all[3]);
	hyv_vnic_list_free(all);

	EXPECT_EQ(request->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	EXPECT_EQ(genlmsg_parse(request, 0, tb, HYV_NL_A_MAX, NULL), 0);
	EXPECT(!tb[HYV_NL_A_VNIC_ID]);
	EXPECT_EQ(nla_get_u32(tb[HYV_NL_A_VNIC_PID]), 42);
	EXPECT_STR(nla_get_string(tb[HYV_NL_A_HCA_NAME]), "rxe0");

	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), 0);
	EXPECT(!all[0]);
	hyv_vnic_list_free(all);
	EXPECT_EQ(genlmsg_parse(request, 0, tb, HYV_NL_A_MAX, NULL), 0);
	EXPECT(!tb[HYV_NL_A_VNIC_PID] && !tb[HYV_NL_A_HCA_NAME]);
	stop(ctx);
}

/* More than fit into the first allocation of a list. */
static void dump_of_hcas(void)
{
	struct hyv_context *ctx = start();
	struct step *step = &steps[nr_steps++];
	struct hyv_hca **all = NULL;
	size_t i;

	for (i = 0; i < MAX_MESSAGES; i++) {
		step->msgs[i] = hca_message("mlx5_0", 1, 0, i);
		nlmsg_hdr(step->msgs[i])->nlmsg_flags |= NLM_F_MULTI;
	}
	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	if (EXPECT_EQ(hyv_hca_list(ctx, &all), MAX_MESSAGES)) {
		for (i = 0; i < MAX_MESSAGES; i++)
			EXPECT_EQ(hyv_hca_nr_vnics(all[i]), i);
		EXPECT_STR(hyv_hca_name(all[0]), "mlx5_0");
		EXPECT(!all[i]);
		hyv_hca_list_free(all);
	}
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_HCA_GET);
	EXPECT_EQ(request->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	stop(ctx);
}

static void dump_refused(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic **all = NULL;

	/* Before the first vNIC, and after it. */
	receives(end(NLMSG_ERROR, 0, -EINVAL, "bad filter"), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -EINVAL);
	EXPECT_STR(hyv_strerror(ctx, -EINVAL), "bad filter");
	receives(vnic(1, NLM_F_MULTI),
		 end(NLMSG_DONE, 0, -EINVAL, "dump ended"), NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -EINVAL);
	EXPECT_STR(hyv_strerror(ctx, -EINVAL), "dump ended");
	EXPECT(!all);
	stop(ctx);
}

static void dump_interrupted(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic **all = NULL;

	receives(vnic(1, NLM_F_MULTI), vnic(2, NLM_F_MULTI | NLM_F_DUMP_INTR),
		 NULL);
	receives(vnic(3, NLM_F_MULTI), end(NLMSG_DONE, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -EAGAIN);
	/* That reply was received to its end. */
	receives(vnic(4, NLM_F_MULTI), end(NLMSG_DONE, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), 1);
	EXPECT_EQ(hyv_vnic_id(all[0]), 4);
	hyv_vnic_list_free(all);
	EXPECT_EQ(connects, 1);
	stop(ctx);
}

static void malformed_in_dump(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic **all = NULL;
	struct nl_msg *bad = new_message(HYV_NL_CMD_VNIC_GET);

	nlmsg_hdr(bad)->nlmsg_flags |= NLM_F_MULTI;
	receives(vnic(1, NLM_F_MULTI), bad, vnic(2, NLM_F_MULTI));
	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -EBADMSG);
	EXPECT(!all);
	EXPECT_EQ(connects, 1);
	stop(ctx);
}

static void socket_fails(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic **all = NULL;

	receives(vnic(1, NLM_F_MULTI), NULL, NULL);
	fails(NLE_NOMEM);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -ENOMEM);
	EXPECT_EQ(connects, 1);
	/* The rest of the old reply is dropped with the socket. */
	receives(vnic(4, NLM_F_MULTI), end(NLMSG_DONE, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), 1);
	hyv_vnic_list_free(all);
	EXPECT_EQ(connects, 2);
	stop(ctx);
}

static void module_unloaded(void)
{
	struct hyv_context *ctx = start();
	struct hyv_vnic **all = NULL;

	family = -NLE_OBJ_NOTFOUND;
	receives(end(NLMSG_ERROR, 0, -ENOENT, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), -ENXIO);
	EXPECT_STR(hyv_strerror(ctx, -ENXIO),
		   "hyv.ko is not loaded; run 'modprobe hyv'");
	EXPECT_EQ(requests, 1);

	/* Loaded again, with another family ID. */
	family = SAMPLE_FAMILY + 1;
	receives(end(NLMSG_ERROR, 0, -ENOENT, NULL), NULL, NULL);
	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_vnic_list(ctx, 0, NULL, &all), 0);
	hyv_vnic_list_free(all);
	EXPECT_EQ(request->nlmsg_type, SAMPLE_FAMILY + 1);
	EXPECT_EQ(requests, 3);
	stop(ctx);
}

/* --- The GID map --- */

static struct nl_msg *entry(const char *gid, int flags)
{
	struct nl_msg *msg = entry_message(gid, "192.168.0.1", 0, NULL);

	nlmsg_hdr(msg)->nlmsg_flags |= flags;
	return msg;
}

/* The last message of a reply: the attribute at @offset is invalid. */
static struct nl_msg *invalid_at(int err, const char *text, uint32_t offset)
{
	struct nl_msg *msg = end(NLMSG_ERROR, 0, err, text);

	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, offset);
	return msg;
}

static void list_map(void)
{
	struct hyv_context *ctx = start();
	struct hyv_map_entry **all = NULL, *one = NULL;
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	char text[HYV_GID_TEXT];
	struct in6_addr gid;

	receives(entry("10.0.0.1", NLM_F_MULTI), entry("fd00::1", NLM_F_MULTI),
		 NULL);
	receives(end(NLMSG_DONE, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_map_list(ctx, &all), 2);
	EXPECT_STR(hyv_gid_str(hyv_map_entry_gid(all[0]), text), "10.0.0.1");
	EXPECT_STR(hyv_gid_str(hyv_map_entry_gid(all[1]), text), "fd00::1");
	EXPECT(!all[2]);
	hyv_map_list_free(all);
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_MAP_GET);
	EXPECT_EQ(request->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	EXPECT_EQ(genlmsg_attrlen(genlmsg_hdr(request), 0), 0);

	hyv_gid_parse("fd00::1", &gid);
	receives(entry("fd00::1", 0), end(NLMSG_ERROR, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_map_get(ctx, &gid, &one), 0);
	EXPECT_STR(hyv_gid_str(hyv_map_entry_gid(one), text), "fd00::1");
	hyv_map_entry_free(one);
	EXPECT_EQ(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	EXPECT_EQ(genlmsg_parse(request, 0, tb, HYV_NL_A_MAX, NULL), 0);
	EXPECT_EQ(nla_len(tb[HYV_NL_A_MAP_GID]), sizeof(gid));
	EXPECT(!memcmp(nla_data(tb[HYV_NL_A_MAP_GID]), &gid, sizeof(gid)));
	EXPECT(!tb[HYV_NL_A_VNIC_ID]);

	one = NULL;
	receives(end(NLMSG_ERROR, 0, -ENOENT, "not there"), NULL, NULL);
	EXPECT_EQ(hyv_map_get(ctx, &gid, &one), -ENOENT);
	EXPECT_STR(hyv_strerror(ctx, -ENOENT), "not there");
	EXPECT(!one);
	stop(ctx);
}

#define MANY 10000

static struct in6_addr gids[MANY], vias[MANY];

static void fill_gids(void)
{
	uint32_t i, number;

	for (i = 0; i < MANY; i++) {
		number = htonl(i);
		hyv_gid_parse("fd00::", &gids[i]);
		hyv_gid_parse("192.168.0.0", &vias[i]);
		memcpy(&gids[i].s6_addr[12], &number, sizeof(number));
		memcpy(&vias[i].s6_addr[14], (char *)&number + 2, 2);
	}
}

/*
 * The last request has the first @count of gids, with vias if @via is set.
 * Returns the position of entry @index in it.
 */
static uint32_t expect_entries(size_t count, bool via, bool replace,
			       size_t index)
{
	const struct genlmsghdr *hdr = genlmsg_hdr(request);
	struct nlattr *tb[HYV_NL_A_MAX + 1], *pos;
	size_t seen = 0, wrong = 0, flags = 0;
	uint32_t offset = 0;
	int rem;

	nla_for_each_attr(pos, genlmsg_attrdata(hdr, 0),
			  genlmsg_attrlen(hdr, 0), rem)
	{
		if (nla_type(pos) == HYV_NL_A_MAP_REPLACE) {
			flags++;
			continue;
		}
		if (!EXPECT_EQ(nla_type(pos), HYV_NL_A_MAP_ENTRY) ||
		    !EXPECT(seen < count))
			break;
		if (seen == index)
			offset = (char *)pos - (char *)request;
		/* The kernel requires the flag. */
		wrong += !(pos->nla_type & NLA_F_NESTED);
		wrong += !!nla_parse_nested(tb, HYV_NL_A_MAX, pos, NULL);
		wrong += !tb[HYV_NL_A_MAP_GID] ||
			 memcmp(nla_data(tb[HYV_NL_A_MAP_GID]), &gids[seen],
				sizeof(gids[seen]));
		if (via)
			wrong += !tb[HYV_NL_A_MAP_VIA] ||
				 memcmp(nla_data(tb[HYV_NL_A_MAP_VIA]),
					&vias[seen], sizeof(vias[seen]));
		else
			wrong += !!tb[HYV_NL_A_MAP_VIA];
		seen++;
	}
	EXPECT_EQ(rem, 0);
	EXPECT_EQ(seen, count);
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(flags, replace);
	return offset;
}

static void change_map(void)
{
	struct hyv_context *ctx = start();
	size_t bad = 0;

	fill_gids();
	receives(end(NLMSG_ERROR, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_map_add(ctx, gids, vias, MANY, &bad), 0);
	EXPECT_EQ(bad, MANY);
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_MAP_ADD);
	EXPECT_EQ(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	expect_entries(MANY, true, false, 0);

	receives(end(NLMSG_ERROR, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_map_replace(ctx, gids, vias, 3, NULL), 0);
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_MAP_ADD);
	expect_entries(3, true, true, 0);

	receives(end(NLMSG_ERROR, 0, 0, NULL), NULL, NULL);
	EXPECT_EQ(hyv_map_del(ctx, gids, MANY, &bad), 0);
	EXPECT_EQ(genlmsg_hdr(request)->cmd, HYV_NL_CMD_MAP_DEL);
	expect_entries(MANY, false, false, 0);

	/* An empty change sends no request. */
	EXPECT_EQ(hyv_map_del(ctx, gids, 0, &bad), 0);
	EXPECT_EQ(bad, 0);
	EXPECT_EQ(requests, 3);
	stop(ctx);
}

static void change_refused(void)
{
	struct hyv_context *ctx = start();
	size_t bad = 0;
	uint32_t at;

	fill_gids();
	receives(end(NLMSG_ERROR, 0, -ENOSPC, "too many"), NULL, NULL);
	EXPECT_EQ(hyv_map_add(ctx, gids, vias, MANY, &bad), -ENOSPC);
	EXPECT_EQ(bad, MANY);
	EXPECT_STR(hyv_strerror(ctx, -ENOSPC), "too many");

	/* The offset of the entry, or of an attribute in it. */
	at = expect_entries(MANY, true, false, 4321);
	receives(invalid_at(-EEXIST, "there", at), NULL, NULL);
	EXPECT_EQ(hyv_map_replace(ctx, gids, vias, MANY, &bad), -EEXIST);
	EXPECT_EQ(bad, 4321);
	EXPECT_STR(hyv_strerror(ctx, -EEXIST), "there");
	receives(invalid_at(-EINVAL, "bad", at + 24), NULL, NULL);
	EXPECT_EQ(hyv_map_add(ctx, gids, vias, MANY, &bad), -EINVAL);
	EXPECT_EQ(bad, 4321);

	receives(invalid_at(-ENOENT, NULL, 0), NULL, NULL);
	EXPECT_EQ(hyv_map_del(ctx, gids, MANY, &bad), -ENOENT);
	EXPECT_EQ(bad, MANY);
	at = expect_entries(MANY, false, false, MANY - 1);
	receives(invalid_at(-ENOENT, "none", at), NULL, NULL);
	EXPECT_EQ(hyv_map_del(ctx, gids, MANY, &bad), -ENOENT);
	EXPECT_EQ(bad, MANY - 1);
	EXPECT_STR(hyv_strerror(ctx, -ENOENT), "none");
	receives(invalid_at(-ENOENT, "none", 4000000000U), NULL, NULL);
	EXPECT_EQ(hyv_map_del(ctx, gids, MANY, &bad), -ENOENT);
	EXPECT_EQ(bad, MANY);

	/* A reply to a change must not contain an entry. */
	receives(entry("10.0.0.1", 0), end(NLMSG_ERROR, 0, 0, NULL), NULL);
	EXPECT_EQ(hyv_map_del(ctx, gids, 1, &bad), -EBADMSG);
	EXPECT_EQ(bad, 1);
	stop(ctx);
}

const struct test tests[] = {
	{"hyv.ko is not loaded", no_module},
	{"one vNIC is requested by ID", get},
	{"a request that cannot be sent", send_fails},
	{"inconsistent replies are rejected", get_bad_answers},
	{"errors come with the kernel's text", get_refused},
	{"a list in several parts, with filters", dump},
	{"a long list of HCAs", dump_of_hcas},
	{"a list that fails", dump_refused},
	{"a list that changed during the query", dump_interrupted},
	{"one malformed message in a list", malformed_in_dump},
	{"a socket error is not fatal", socket_fails},
	{"hyv.ko is unloaded and loaded again", module_unloaded},
	{"the GID map, and one entry of it", list_map},
	{"many entries go in one request", change_map},
	{"the index of an invalid entry is reported", change_refused},
	{NULL, NULL},
};
