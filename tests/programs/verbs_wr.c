// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended QPs for the program verbs: which ones the device refuses. Their work
 * requests end in the same queue entries as those of ibv_post_send();
 * rdma-core's test_qpex has all of them.
 */
#include <errno.h>

#include "verbs.h"

static void refused(const char *what, enum ibv_qp_type type, uint64_t ops,
		    uint32_t mask, uint32_t flags)
{
	struct ibv_cq *cq = ibv_create_cq(dev.context, 8, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = type,
		.cap = {1, 1, 1, 1, 0},
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | mask,
		.pd = dev.pd,
		.send_ops_flags = ops,
		.create_flags = flags,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp_ex(dev.context, &init);
	say("ibv_create_qp_ex %s: %s", what, made(qp));
	if (qp)
		ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
}

void suite_wr(void)
{
	refused("RC with send", IBV_QPT_RC, IBV_QP_EX_WITH_SEND, 0, 0);
	refused("RC with TSO", IBV_QPT_RC, IBV_QP_EX_WITH_TSO, 0, 0);
	refused("UC with read", IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ, 0, 0);
	refused("UD with write", IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE, 0, 0);
	refused("UD that blocks loopback", IBV_QPT_UD, IBV_QP_EX_WITH_SEND,
		IBV_QP_INIT_ATTR_CREATE_FLAGS,
		IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	refused("RC with RSS", IBV_QPT_RC, IBV_QP_EX_WITH_SEND,
		IBV_QP_INIT_ATTR_RX_HASH, 0);
}
