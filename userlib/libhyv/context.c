// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The connection to hyv.ko: sends requests, receives replies. */
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

/* Bytes that fit into the default send buffer of a netlink socket. */
#define SMALL_MESSAGE 4096

/**
 * struct hyv_context - a connection
 * @sock: generic netlink socket, or NULL after it has failed
 * @family: ID of the family "hyv" at the last lookup
 * @text_err: result of the last request, to which @text belongs
 * @offset: position of the attribute that caused it in the request, or 0
 * @text: the kernel's text, or empty
 */
struct hyv_context {
	struct nl_sock *sock;
	int family;
	int text_err;
	uint32_t offset;
	char text[256];
};

/**
 * struct reply - a reply that is being received
 * @ctx: the connection
 * @take: called with each message
 * @arg: for @take
 * @done: the last message was received
 * @ret: first error
 */
struct reply {
	struct hyv_context *ctx;
	int (*take)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	int done;
	int ret;
};

/* libnl has its own error numbers. */
static int nl_to_errno(int err)
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

static int resolve_family(struct hyv_context *ctx)
{
	int ret = genl_ctrl_resolve(ctx->sock, HYV_GENL_NAME);

	if (ret < 0)
		return nl_to_errno(ret);
	ctx->family = ret;
	return 0;
}

static void close_socket(struct hyv_context *ctx)
{
	nl_socket_free(ctx->sock);
	ctx->sock = NULL;
}

static int open_socket(struct hyv_context *ctx)
{
	int one = 1;
	int ret, fd;

	ctx->sock = nl_socket_alloc();
	if (!ctx->sock)
		return -ENOMEM;
	ret = genl_connect(ctx->sock);
	if (ret < 0) {
		close_socket(ctx);
		return nl_to_errno(ret);
	}
	/* Optional: kernels without these return errors without a text. */
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
	ret = open_socket(ctx);
	if (!ret)
		ret = resolve_family(ctx);
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
		return "hyv.ko is not loaded; run 'modprobe hyv'";
	case -EPERM:
		return "permission denied: requires CAP_NET_ADMIN in the initial user namespace";
	case -EBADMSG:
		return "malformed message from hyv.ko";
	case -EAGAIN:
		return "the data changed during the query; try again";
	case -ENOENT:
		return "no such vNIC or GID";
	case -ENOSPC:
		return "too many entries";
	}
	text = strerrordesc_np(-err);
	return text ? text : "unknown error";
}

static int on_message(struct nl_msg *msg, void *arg)
{
	struct reply *reply = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);

	if (reply->ret)
		return NL_OK;
	if (nlh->nlmsg_type != reply->ctx->family)
		reply->ret = -EBADMSG;
	else
		reply->ret = reply->take(nlh, reply->arg);
	return NL_OK;
}

/* Handle the last message of a reply, which may hold an error. */
static void finish_reply(struct reply *reply, const struct nlmsghdr *nlh)
{
	struct hyv_context *ctx = reply->ctx;
	struct libhyv_error error;
	int ret;

	reply->done = 1;
	ret = libhyv_parse_error(nlh, &error);
	if (!ret || reply->ret)
		return;
	reply->ret = ret;
	ctx->offset = error.offset;
	if (error.text)
		snprintf(ctx->text, sizeof(ctx->text), "%s", error.text);
}

static int on_last(struct nl_msg *msg, void *arg)
{
	finish_reply(arg, nlmsg_hdr(msg));
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	(void)from;
	finish_reply(arg, (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN));
	return NL_STOP;
}

/* sendmsg() rejects messages larger than the send buffer. */
static int grow_send_buffer(struct hyv_context *ctx, size_t size)
{
	int room = size;

	if (size > INT_MAX / 2)
		return -ENOSPC;
	if (size > SMALL_MESSAGE &&
	    setsockopt(nl_socket_get_fd(ctx->sock), SOL_SOCKET, SO_SNDBUFFORCE,
		       &room, sizeof(room)) &&
	    errno == EPERM)
		return -EPERM;
	return 0;
}

static int send_request(struct hyv_context *ctx,
			const struct libhyv_query *query)
{
	size_t size = NLMSG_HDRLEN + GENL_HDRLEN + libhyv_query_size(query);
	int flags = query->dump ? NLM_F_DUMP : 0;
	struct nl_msg *msg;
	int ret;

	ret = grow_send_buffer(ctx, size);
	if (ret)
		return ret;
	msg = nlmsg_alloc_size(size);
	if (!msg)
		return -ENOMEM;
	ret = -ENOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctx->family, 0, flags,
			 query->cmd, HYV_GENL_VERSION))
		goto out;
	ret = libhyv_put_query(msg, query);
	if (ret)
		goto out;

	ret = nl_send_auto(ctx->sock, msg);
	if (ret < 0) {
		/* libnl has counted a request that no reply is for. */
		close_socket(ctx);
		ret = nl_to_errno(ret);
	} else {
		ret = 0;
	}
out:
	nlmsg_free(msg);
	return ret;
}

static int receive_reply(struct hyv_context *ctx, struct reply *reply)
{
	struct nl_cb *cb;
	int ret;

	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_message, reply);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_last, reply);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_last, reply);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, reply);

	do {
		ret = nl_recvmsgs(ctx->sock, cb);
	} while (ret >= 0 && !reply->done);
	nl_cb_put(cb);

	if (!reply->done) {
		/* The next reply must not start with the rest of this one. */
		close_socket(ctx);
		return nl_to_errno(ret);
	}
	if (reply->ret)
		return reply->ret;
	return ret == -NLE_DUMP_INTR ? -EAGAIN : 0;
}

static int request_once(struct hyv_context *ctx,
			const struct libhyv_query *query,
			int (*take)(const struct nlmsghdr *nlh, void *arg),
			void *arg)
{
	struct reply reply = {
		.ctx = ctx,
		.take = take,
		.arg = arg,
	};
	int ret = 0;

	ctx->text[0] = '\0';
	ctx->offset = 0;
	if (!ctx->sock)
		ret = open_socket(ctx);
	if (!ret)
		ret = send_request(ctx, query);
	if (!ret)
		ret = receive_reply(ctx, &reply);
	return ret;
}

int libhyv_request(struct hyv_context *ctx, const struct libhyv_query *query,
		   int (*take)(const struct nlmsghdr *nlh, void *arg),
		   void *arg, uint32_t *offset)
{
	int family = ctx->family;
	int ret, err;

	ret = request_once(ctx, query, take, arg);
	if (ret == -ENOENT) {
		/* hyv.ko may be unloaded, or reloaded with another ID. */
		err = resolve_family(ctx);
		if (err)
			ret = err;
		else if (ctx->family != family)
			ret = request_once(ctx, query, take, arg);
		if (ret != -ENOENT)
			ctx->text[0] = '\0';
	}
	ctx->text_err = ret;
	if (offset)
		*offset = ctx->offset;
	return ret;
}
