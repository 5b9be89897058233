// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: datagrams receive [GROUP]
 *        datagrams send QPN|group ADDRESS TEXT [to=ADDRESS] [sgid=INDEX]
 *
 * Receive datagrams on an HCA with mlx5's user ABI, and print their text and
 * the address that they are from, after a line with the number of the QP; the
 * text "end" is the last one. Or send one, with another destination or source
 * than the address handle has, if these are given: a process can write any into
 * its work requests.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc.h"

#define QKEY	  0x11111111
#define GRH	  40
#define TEXT	  64
#define RECEIVES  64
#define MULTICAST 0xffffff

struct end {
	struct rc rc;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char memory[RECEIVES][GRH + TEXT];
};

static union ibv_gid parse_address(const char *text)
{
	union ibv_gid gid = {.raw = {[10] = 0xff, [11] = 0xff}};

	if (inet_pton(AF_INET, text, gid.raw + 12) != 1)
		die("%s is no IPv4 address", text);
	return gid;
}

static void end_open(struct end *e)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap =
			{
				.max_send_wr = 1,
				.max_recv_wr = RECEIVES,
				.max_send_sge = 1,
				.max_recv_sge = 1,
			},
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
	};

	rc_open(&e->rc);
	e->cq = ibv_create_cq(e->rc.context, RECEIVES + 1, NULL, NULL, 0);
	if (!e->cq)
		die_errno("cannot create a CQ");
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->rc.pd, &init);
	if (!e->qp)
		die_errno("cannot create a UD QP");
	errno = ibv_modify_qp(e->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_QKEY);
	if (errno)
		die_errno("cannot bring a QP to INIT");
	e->mr = rc_register(&e->rc, e->memory, sizeof(e->memory));
}

static void to_state(struct end *e, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state};

	errno = ibv_modify_qp(
		e->qp, &attr,
		IBV_QP_STATE | (state == IBV_QPS_RTS ? IBV_QP_SQ_PSN : 0));
	if (errno)
		die_errno("cannot change the state of a QP");
}

static void post_receive(struct end *e, uint64_t i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->memory[i],
		.length = sizeof(e->memory[i]),
		.lkey = e->mr->lkey,
	};
	struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	errno = ibv_post_recv(e->qp, &wr, &bad);
	if (errno)
		die_errno("cannot post a receive");
}

static void receive(struct end *e, const char *group)
{
	char source[INET_ADDRSTRLEN];
	struct ibv_wc wc;
	const char *text;
	union ibv_gid gid;
	uint64_t i;

	for (i = 0; i < RECEIVES; i++)
		post_receive(e, i);
	to_state(e, IBV_QPS_RTR);
	if (group) {
		gid = parse_address(group);
		errno = ibv_attach_mcast(e->qp, &gid, 0);
		if (errno)
			die_errno("cannot join %s", group);
	}
	printf("qpn %u\n", e->qp->qp_num);
	fflush(stdout);
	do {
		if (!rc_completion(e->cq, &wc, 10 * hang_seconds()))
			die("no message");
		if (wc.status)
			die("a receive ends with: %s",
			    ibv_wc_status_str(wc.status));
		if (!(wc.wc_flags & IBV_WC_GRH))
			die("a message without GRH");
		text = e->memory[wc.wr_id] + GRH;
		/* An IPv4 header is at the end. */
		inet_ntop(AF_INET, text - 8, source, sizeof(source));
		printf("%s from %s\n", text, source);
		fflush(stdout);
		i = strcmp(text, "end");
		post_receive(e, wc.wr_id);
	} while (i);
}

/* Change an address handle in the memory of this process. */
static void forge(struct ibv_ah *ah, const char *how)
{
	struct mlx5dv_ah dv;
	struct mlx5dv_obj obj = {.ah = {.in = ah, .out = &dv}};
	union ibv_gid gid;
	uint32_t word;

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH))
		die("not a device of mlx5");
	if (!strncmp(how, "to=", 3)) {
		gid = parse_address(how + 3);
		memcpy(dv.av->rgid, gid.raw, sizeof(gid));
	} else if (!strncmp(how, "sgid=", 5)) {
		word = be32toh(dv.av->grh_gid_fl) & ~(0xffu << 20);
		word |= (uint32_t)strtoul(how + 5, NULL, 0) << 20;
		dv.av->grh_gid_fl = htobe32(word);
	} else {
		die("unknown argument %s", how);
	}
}

static void send_text(struct end *e, uint32_t qpn, const char *address,
		      const char *text, char **how)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh =
			{
				.dgid = parse_address(address),
				.sgid_index = (uint8_t)e->rc.gid_index,
				.hop_limit = 64,
			},
	};
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->memory[0],
		.length = TEXT,
		.lkey = e->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	to_state(e, IBV_QPS_RTR);
	to_state(e, IBV_QPS_RTS);
	snprintf(e->memory[0], TEXT, "%s", text);
	wr.wr.ud.ah = ibv_create_ah(e->rc.pd, &attr);
	if (!wr.wr.ud.ah)
		die_errno("cannot create an address handle for %s", address);
	for (; *how; how++)
		forge(wr.wr.ud.ah, *how);
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = QKEY;
	errno = ibv_post_send(e->qp, &wr, &bad);
	if (errno)
		die_errno("cannot post a send");
	if (!rc_completion(e->cq, &wc, hang_seconds()))
		die("no completion");
	if (wc.status)
		die("the send ends with: %s", ibv_wc_status_str(wc.status));
	ibv_destroy_ah(wr.wr.ud.ah);
}

int main(int argc, char **argv)
{
	static struct end e;
	uint32_t qpn = MULTICAST;

	if (argc >= 2 && argc <= 3 && !strcmp(argv[1], "receive")) {
		end_open(&e);
		receive(&e, argv[2]);
	} else if (argc >= 5 && !strcmp(argv[1], "send")) {
		if (strcmp(argv[2], "group"))
			qpn = (uint32_t)strtoul(argv[2], NULL, 0);
		end_open(&e);
		send_text(&e, qpn, argv[3], argv[4], argv + 5);
	} else {
		die("usage: datagrams receive [GROUP]\n"
		    "       datagrams send QPN|group ADDRESS TEXT "
		    "[to=ADDRESS] [sgid=INDEX]");
	}
	return 0;
}
