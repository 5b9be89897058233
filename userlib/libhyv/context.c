// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The connection to hyv.ko: requests, answers, errors. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/hyv_netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "private.h"

/* Bytes that any netlink socket has room for. */
#define HYV_SMALL_MESSAGE 4096

/**
 * struct hyv_context - a connection
 * @sock: generic netlink socket, or NULL after it has failed
 * @family: ID of the family "hyv" when it was last looked up
 * @text: the kernel's own text for @text_err, or empty
 * @text_err: what the last call returned, if negative
 * @offset: where in the request its reason is, or 0
 */
struct hyv_context {
	struct nl_sock *sock;
	int family;
	int text_err;
	uint32_t offset;
	char text[256];
};

/**
 * struct hyv_answer - an answer that is being received
 * @ctx: where it comes from
 * @take: gets each message
 * @arg: for @take
 * @done: the last message has come
 * @ret: first error
 */
struct hyv_answer {
	struct hyv_context *ctx;
	int (*take)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	int done;
	int ret;
};

/* libnl has numbers of its own. */
static int hyv_nl_to_errno(int err)
{
	switch (-err) {
	case NLE_SUCCESS:
		return 0;
	case NLE_INTR:
		return -EINTR;
	case NLE_AGAIN:
	case NLE_DUMP_INTR:
		return -EAGAIN;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OBJ_NOTFOUND:
		return -ENXIO;
	case NLE_MSG_TRUNC:
	case NLE_MSG_TOOSHORT:
	case NLE_SEQ_MISMATCH:
	case NLE_MSG_OVERFLOW:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

static int hyv_resolve(struct hyv_context *ctx)
{
	int ret = genl_ctrl_resolve(ctx->sock, HYV_GENL_NAME);

	if (ret < 0)
		return hyv_nl_to_errno(ret);
	ctx->family = ret;
	return 0;
}

static void hyv_disconnect(struct hyv_context *ctx)
{
	nl_socket_free(ctx->sock);
	ctx->sock = NULL;
}

static int hyv_connect(struct hyv_context *ctx)
{
	int one = 1;
	int ret, fd;

	ctx->sock = nl_socket_alloc();
	if (!ctx->sock)
		return -ENOMEM;
	ret = genl_connect(ctx->sock);
	if (ret < 0) {
		hyv_disconnect(ctx);
		return hyv_nl_to_errno(ret);
	}
	/* Kernels without these give errors with no text: no harm. */
	fd = nl_socket_get_fd(ctx->sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	return 0;
}

int hyv_open(struct hyv_context **out)
{
	struct hyv_context *ctx;
	int ret;

	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ret = hyv_connect(ctx);
	if (!ret)
		ret = hyv_resolve(ctx);
	if (ret) {
		hyv_close(ctx);
		return ret;
	}
	*out = ctx;
	return 0;
}

void hyv_close(struct hyv_context *ctx)
{
	if (!ctx)
		return;
	nl_socket_free(ctx->sock);
	free(ctx);
}

const char *hyv_strerror(const struct hyv_context *ctx, int err)
{
	const char *text;

	if (ctx && ctx->text[0] && err == ctx->text_err)
		return ctx->text;
	switch (err) {
	case -ENXIO:
		return "hyv.ko is not loaded: modprobe hyv";
	case -EPERM:
		return "CAP_NET_ADMIN in the initial user namespace is needed";
	case -EBADMSG:
		return "malformed message from hyv.ko";
	case -EAGAIN:
		return "changed while it was read, try again";
	case -ENOENT:
		return "no such vNIC or GID";
	case -ENOSPC:
		return "too many entries";
	}
	text = strerrordesc_np(-err);
	return text ? text : "unknown error";
}

static int hyv_on_message(struct nl_msg *msg, void *arg)
{
	struct hyv_answer *answer = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	if (answer->ret)
		return NL_OK;
	if (nlh->nlmsg_type != answer->ctx->family)
		answer->ret = -EBADMSG;
	else
		answer->ret = answer->take(nlh, answer->arg);
	return NL_OK;
}

/* The last message of an answer, with or without an error. */
static void hyv_finish(struct hyv_answer *answer, const struct nlmsghdr *nlh)
{
	struct hyv_context *ctx = answer->ctx;
	struct hyv_blame blame;
	int ret;

	answer->done = 1;
	ret = hyv_parse_error(nlh, &blame);
	if (!ret || answer->ret)
		return;
	answer->ret = ret;
	ctx->offset = blame.offset;
	if (blame.text)
		snprintf(ctx->text, sizeof(ctx->text), "%s", blame.text);
}

static int hyv_on_last(struct nl_msg *msg, void *arg)
{
	hyv_finish(arg, nlmsg_hdr(msg));
	return NL_STOP;
}

static int hyv_on_error(struct sockaddr_nl *from, struct nlmsgerr *err,
			void *arg)
{
	(void)from;
	hyv_finish(arg, (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN));
	return NL_STOP;
}

/* A socket refuses messages that its buffer has no room for. */
static int hyv_make_room(struct hyv_context *ctx, size_t size)
{
	int room = size;

	if (size > INT_MAX / 2)
		return -ENOSPC;
	if (size > HYV_SMALL_MESSAGE &&
	    setsockopt(nl_socket_get_fd(ctx->sock), SOL_SOCKET, SO_SNDBUFFORCE,
		       &room, sizeof(room)) &&
	    errno == EPERM)
		return -EPERM;
	return 0;
}

static int hyv_send(struct hyv_context *ctx, const struct hyv_query *query)
{
	size_t size = NLMSG_HDRLEN + GENL_HDRLEN + hyv_query_size(query);
	int flags = query->dump ? NLM_F_DUMP : 0;
	struct nl_msg *msg;
	int ret;

	ret = hyv_make_room(ctx, size);
	if (ret)
		return ret;
	msg = nlmsg_alloc_size(size);
	if (!msg)
		return -ENOMEM;
	ret = -ENOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctx->family, 0, flags,
			 query->cmd, HYV_GENL_VERSION))
		goto out;
	ret = hyv_put_query(msg, query);
	if (ret)
		goto out;

	ret = nl_send_auto(ctx->sock, msg);
	ret = ret < 0 ? hyv_nl_to_errno(ret) : 0;
out:
	nlmsg_free(msg);
	return ret;
}

static int hyv_receive(struct hyv_context *ctx, struct hyv_answer *answer)
{
	struct nl_cb *cb;
	int ret;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, hyv_on_message, answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, hyv_on_last, answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, hyv_on_last, answer);
	nl_cb_err(cb, NL_CB_CUSTOM, hyv_on_error, answer);

	do {
		ret = nl_recvmsgs(ctx->sock, cb);
	} while (ret >= 0 && !answer->done);
	nl_cb_put(cb);

	if (!answer->done) {
		/* The rest of the answer must not be taken for the next one. */
		hyv_disconnect(ctx);
		return hyv_nl_to_errno(ret);
	}
	if (answer->ret)
		return answer->ret;
	return ret == -NLE_DUMP_INTR ? -EAGAIN : 0;
}

static int hyv_ask_once(struct hyv_context *ctx, const struct hyv_query *query,
			int (*take)(const struct nlmsghdr *nlh, void *arg),
			void *arg)
{
	struct hyv_answer answer = {
		.ctx = ctx,
		.take = take,
		.arg = arg,
	};
	int ret = 0;

	ctx->text[0] = '\0';
	ctx->offset = 0;
	if (!ctx->sock)
		ret = hyv_connect(ctx);
	if (!ret)
		ret = hyv_send(ctx, query);
	if (!ret)
		ret = hyv_receive(ctx, &answer);
	return ret;
}

int hyv_ask(struct hyv_context *ctx, const struct hyv_query *query,
	    int (*take)(const struct nlmsghdr *nlh, void *arg), void *arg,
	    uint32_t *offset)
{
	int family = ctx->family;
	int ret, err;

	ret = hyv_ask_once(ctx, query, take, arg);
	if (ret == -ENOENT) {
		/* Also when the module was unloaded, and perhaps loaded again.
		 */
		err = hyv_resolve(ctx);
		if (err)
			ret = err;
		else if (ctx->family != family)
			ret = hyv_ask_once(ctx, query, take, arg);
		if (ret != -ENOENT)
			ctx->text[0] = '\0';
	}
	ctx->text_err = ret;
	if (offset)
		*offset = ctx->offset;
	return ret;
}
