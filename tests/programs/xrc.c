// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: xrc FILE
 *
 * An XRC domain that two processes share by FILE: messages of one connection go
 * to SRQs of both. Then everything ends in unusual orders.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rc.h"

#define RECEIVES 8

/* One process's part of the domain. */
struct member {
	struct rc rc;
	struct ibv_xrcd *xrcd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint32_t srqn;
	char *memory;
	struct ibv_mr *mr;
};

static struct ibv_xrcd *xrcd_open(struct rc *rc, int fd, int flags)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = flags,
	};

	return ibv_open_xrcd(rc->context, &init);
}

static void post_recv(struct member *m)
{
	struct ibv_sge sge = {(uintptr_t)m->memory, PAGE, m->mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	errno = ibv_post_srq_recv(m->srq, &wr, &bad);
	if (errno)
		die_errno("cannot post a receive");
}

static void srq_open(struct member *m)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = {.max_wr = RECEIVES, .max_sge = 1},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.xrcd = m->xrcd,
		.cq = m->cq,
		.pd = m->rc.pd,
	};
	int i;

	m->srq = ibv_create_srq_ex(m->rc.context, &init);
	if (!m->srq || ibv_get_srq_num(m->srq, &m->srqn))
		die_errno("cannot create an SRQ of an XRC domain");
	for (i = 0; i < RECEIVES; i++)
		post_recv(m);
}

static void member_open(struct member *m, int fd)
{
	rc_open(&m->rc);
	m->xrcd = xrcd_open(&m->rc, fd, O_CREAT);
	if (!m->xrcd)
		die_errno("cannot open an XRC domain");
	m->cq = ibv_create_cq(m->rc.context, 4 * RECEIVES, NULL, NULL, 0);
	if (!m->cq)
		die_errno("cannot create a CQ");
	m->memory = pages_anonymous(PAGE);
	m->mr = rc_register(&m->rc, m->memory, PAGE);
	srq_open(m);
}

static struct ibv_wc wait_wc(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	if (!rc_completion(cq, &wc, hang_seconds()))
		die("a completion does not come");
	return wc;
}

static void expect_message(struct member *m, uint64_t seed)
{
	struct ibv_wc wc = wait_wc(m->cq);

	if (wc.status != IBV_WC_SUCCESS || wc.byte_len != PAGE)
		die("a message did not arrive: %s",
		    ibv_wc_status_str(wc.status));
	pattern_check("a message", m->memory, PAGE, 0, seed);
	post_recv(m);
}

static struct ibv_qp *create_qp(struct member *m, enum ibv_qp_type type,
				uint32_t receives)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type,
		.comp_mask = type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
						      : IBV_QP_INIT_ATTR_PD,
	};
	struct ibv_qp *qp;

	if (type == IBV_QPT_XRC_RECV) {
		init.xrcd = m->xrcd;
	} else {
		init.pd = m->rc.pd;
		init.send_cq = m->cq;
		init.cap.max_send_wr = RECEIVES;
		init.cap.max_send_sge = 1;
		init.cap.max_recv_wr = receives;
		init.cap.max_recv_sge = 1;
	}
	qp = ibv_create_qp_ex(m->rc.context, &init);
	if (!qp)
		die_errno("cannot create a QP of XRC");
	return qp;
}

static enum ibv_wc_status send_to(struct member *from, struct ibv_qp *qp,
				  uint32_t srqn, uint64_t seed)
{
	struct ibv_sge sge = {(uintptr_t)from->memory, PAGE, from->mr->lkey};
	struct ibv_send_wr *bad, wr = {
					 .sg_list = &sge,
					 .num_sge = 1,
					 .opcode = IBV_WR_SEND,
					 .send_flags = IBV_SEND_SIGNALED,
					 .qp_type.xrc.remote_srqn = srqn,
				 };

	pattern_fill(from->memory, PAGE, 0, seed);
	errno = ibv_post_send(qp, &wr, &bad);
	if (errno)
		die_errno("cannot post a send");
	return wait_wc(from->cq).status;
}

/* Tell the number of its SRQ, receive a message, wait for the end. */
static void child(int fd, int to)
{
	static struct member m;

	member_open(&m, fd);
	if (write(to, &m.srqn, sizeof(m.srqn)) != sizeof(m.srqn))
		die_errno("cannot write");
	expect_message(&m, 2);
	if (write(to, "", 1) != 1)
		die_errno("cannot write");
	pause();
}

static void must(const char *what, int error)
{
	errno = error;
	if (error)
		die_errno("%s", what);
}

static void must_fail(const char *what, int error, int want)
{
	if (error != want)
		die("%s: %s", what, error ? strerror(error) : "no error");
}

/* A QP that only sends can have room for receives, but no CQ for them. */
static void post_unused(struct ibv_qp *qp)
{
	struct ibv_recv_wr wr = {.wr_id = 1}, *bad;

	must("post a receive", ibv_post_recv(qp, &wr, &bad));
}

static void member_close(struct member *m)
{
	must("destroy an SRQ", ibv_destroy_srq(m->srq));
	rc_deregister(m->mr);
	pages_free(m->memory, PAGE);
	must("destroy a CQ", ibv_destroy_cq(m->cq));
	must("close a domain", ibv_close_xrcd(m->xrcd));
	rc_close(&m->rc);
}

int main(int argc, char **argv)
{
	static struct member server, client;
	struct ibv_qp *ini, *tgt;
	int fd, ends[2];
	uint32_t srqn;
	char byte;
	pid_t pid;

	if (argc != 2)
		die("usage: xrc FILE");
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || pipe(ends))
		die_errno("cannot open %s", argv[1]);
	pid = fork();
	if (!pid)
		child(fd, ends[1]);
	close(ends[1]);
	if (pid < 0 || read(ends[0], &srqn, sizeof(srqn)) != sizeof(srqn))
		die("no second process");
	member_open(&server, fd);
	if (xrcd_open(&server.rc, fd, O_CREAT | O_EXCL))
		die("the domain of the other process is not the same");
	/* In another domain: sending needs none. */
	member_open(&client, open("/dev/null", O_RDWR));
	tgt = create_qp(&server, IBV_QPT_XRC_RECV, 0);
	ini = create_qp(&client, IBV_QPT_XRC_SEND, 1);
	rc_connect(&server.rc, tgt, ini->qp_num, client.rc.gid);
	rc_connect(&client.rc, ini, tgt->qp_num, server.rc.gid);
	post_unused(ini);

	must("send", send_to(&client, ini, server.srqn, 1));
	expect_message(&server, 1);
	must("send to the other process", send_to(&client, ini, srqn, 2));
	if (read(ends[0], &byte, 1) != 1)
		die("the other process has received nothing");
	printf("messages to SRQs of two processes\n");

	must_fail("close a domain with a QP", ibv_close_xrcd(server.xrcd),
		  EBUSY);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	must("send after the other's end",
	     send_to(&client, ini, server.srqn, 3));
	expect_message(&server, 3);
	if (send_to(&client, ini, srqn, 4) != IBV_WC_REM_INV_REQ_ERR)
		die("a message to an SRQ that has gone");
	printf("the SRQ of a process that was killed has gone\n");

	must("destroy a target", ibv_destroy_qp(tgt));
	must_fail("close a domain with an SRQ", ibv_close_xrcd(server.xrcd),
		  EBUSY);
	member_close(&server);
	must("destroy an initiator", ibv_destroy_qp(ini));
	member_close(&client);
	unlink(argv[1]);
	printf("the end\n");
	return 0;
}
