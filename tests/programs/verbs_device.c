// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries of the device and wrong arguments for the program verbs.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "verbs.h"

/* Tell the value of a field of @attr. */
#define NUMBER(value) number(#value, (long long)(value))

static void number(const char *name, long long value)
{
	say("%s %lld", name + strlen("attr->"), value);
}

static void device_attr(const struct ibv_device_attr *attr)
{
	say("max_mr_size 0x%llx", (unsigned long long)attr->max_mr_size);
	say("page_size_cap 0x%llx", (unsigned long long)attr->page_size_cap);
	say("vendor_id 0x%x, part %u, version %u", attr->vendor_id,
	    attr->vendor_part_id, attr->hw_ver);
	say("device_cap_flags 0x%x", attr->device_cap_flags);
	NUMBER(attr->max_qp);
	NUMBER(attr->max_qp_wr);
	NUMBER(attr->max_sge);
	NUMBER(attr->max_sge_rd);
	NUMBER(attr->max_cq);
	NUMBER(attr->max_cqe);
	NUMBER(attr->max_mr);
	NUMBER(attr->max_pd);
	NUMBER(attr->max_qp_rd_atom);
	NUMBER(attr->max_ee_rd_atom);
	NUMBER(attr->max_res_rd_atom);
	NUMBER(attr->max_qp_init_rd_atom);
	NUMBER(attr->max_ee_init_rd_atom);
	NUMBER(attr->atomic_cap);
	NUMBER(attr->max_ee);
	NUMBER(attr->max_rdd);
	NUMBER(attr->max_mw);
	NUMBER(attr->max_raw_ipv6_qp);
	NUMBER(attr->max_raw_ethy_qp);
	NUMBER(attr->max_mcast_grp);
	NUMBER(attr->max_mcast_qp_attach);
	NUMBER(attr->max_total_mcast_qp_attach);
	NUMBER(attr->max_ah);
	NUMBER(attr->max_fmr);
	NUMBER(attr->max_srq);
	NUMBER(attr->max_srq_wr);
	NUMBER(attr->max_srq_sge);
	NUMBER(attr->max_pkeys);
	NUMBER(attr->local_ca_ack_delay);
	NUMBER(attr->phys_port_cnt);
}

static void device_attr_ex(const struct ibv_device_attr_ex *attr)
{
	say("comp_mask 0x%x", attr->comp_mask);
	say("on demand paging: 0x%llx, RC 0x%x, UC 0x%x, UD 0x%x, XRC 0x%x",
	    (unsigned long long)attr->odp_caps.general_caps,
	    attr->odp_caps.per_transport_caps.rc_odp_caps,
	    attr->odp_caps.per_transport_caps.uc_odp_caps,
	    attr->odp_caps.per_transport_caps.ud_odp_caps, attr->xrc_odp_caps);
	say("completion_timestamp_mask 0x%llx",
	    (unsigned long long)attr->completion_timestamp_mask);
	NUMBER(attr->hca_core_clock);
	say("device_cap_flags_ex 0x%llx",
	    (unsigned long long)attr->device_cap_flags_ex);
	NUMBER(attr->tso_caps.max_tso);
	NUMBER(attr->rss_caps.supported_qpts);
	NUMBER(attr->max_wq_type_rq);
	NUMBER(attr->packet_pacing_caps.qp_rate_limit_max);
	NUMBER(attr->raw_packet_caps);
	NUMBER(attr->tm_caps.max_num_tags);
	NUMBER(attr->cq_mod_caps.max_cq_count);
	NUMBER(attr->cq_mod_caps.max_cq_period);
	NUMBER(attr->max_dm_size);
	NUMBER(attr->pci_atomic_caps.fetch_add);
	NUMBER(attr->phys_port_cnt_ex);
}

/* All but the counters, which count what the steps do wrong. */
static void port_attr(const struct ibv_port_attr *attr)
{
	say("port state %s", ibv_port_state_str(attr->state));
	NUMBER(attr->max_mtu);
	NUMBER(attr->active_mtu);
	NUMBER(attr->gid_tbl_len);
	say("port_cap_flags 0x%x, 0x%x", attr->port_cap_flags,
	    attr->port_cap_flags2);
	NUMBER(attr->max_msg_sz);
	NUMBER(attr->pkey_tbl_len);
	NUMBER(attr->lid);
	NUMBER(attr->sm_lid);
	NUMBER(attr->lmc);
	NUMBER(attr->max_vl_num);
	NUMBER(attr->sm_sl);
	NUMBER(attr->subnet_timeout);
	NUMBER(attr->init_type_reply);
	NUMBER(attr->active_width);
	NUMBER(attr->active_speed);
	NUMBER(attr->phys_state);
	NUMBER(attr->link_layer);
	NUMBER(attr->flags);
}

void suite_device(void)
{
	struct ibv_device_attr_ex ex;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	__be16 pkey;
	int err;

	memset(&attr, 0, sizeof(attr));
	err = ibv_query_device(dev.context, &attr);
	say("ibv_query_device: %s", error_name(err));
	memset(&ex, 0, sizeof(ex));
	err = ibv_query_device_ex(dev.context, NULL, &ex);
	say("ibv_query_device_ex: %s", error_name(err));
	device_attr(&ex.orig_attr);
	say("both say the same: %s",
	    yes(attr.max_qp == ex.orig_attr.max_qp &&
		attr.max_srq == ex.orig_attr.max_srq &&
		attr.device_cap_flags == ex.orig_attr.device_cap_flags));
	device_attr_ex(&ex);
	memset(&port, 0, sizeof(port));
	say("ibv_query_port: %s",
	    error_name(ibv_query_port(dev.context, 1, &port)));
	port_attr(&port);
	say("ibv_query_port of port 0: %s",
	    error_name(ibv_query_port(dev.context, 0, &port)));
	say("ibv_query_port of port 2: %s",
	    error_name(ibv_query_port(dev.context, 2, &port)));
	err = ibv_query_pkey(dev.context, 1, 0, &pkey);
	say("ibv_query_pkey: %s, 0x%x", err ? "failed" : "ok", be16toh(pkey));
	err = ibv_query_pkey(dev.context, 1, 1000, &pkey);
	say("ibv_query_pkey beyond the table: %s", err ? "failed" : "ok");
	say("ibv_get_pkey_index of the default: %d",
	    ibv_get_pkey_index(dev.context, 1, htobe16(0xffff)));
}

static void try_cq(const char *what, int cqe, int vector)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = ibv_create_cq(dev.context, cqe, NULL, NULL, vector);
	say("CQ %s: %s, %d", what, made(cq), cq ? cq->cqe : 0);
	if (cq)
		ibv_destroy_cq(cq);
}

static void try_qp(const char *what, struct ibv_cq *cq, enum ibv_qp_type type,
		   const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = type,
		.cap = *cap,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(dev.pd, &init);
	if (!qp) {
		say("QP %s: %s", what, made(qp));
		return;
	}
	say("QP %s: ok, %u and %u requests, %u and %u pieces, %u bytes inline",
	    what, init.cap.max_send_wr, init.cap.max_recv_wr,
	    init.cap.max_send_sge, init.cap.max_recv_sge,
	    init.cap.max_inline_data);
	ibv_destroy_qp(qp);
}

static void try_qps(const struct ibv_device_attr *limits)
{
	static const struct ibv_qp_cap small = {
		.max_send_wr = 1,
		.max_recv_wr = 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
	};
	struct ibv_qp_cap cap = small;
	struct ibv_cq *cq = ibv_create_cq(dev.context, 16, NULL, NULL, 0);

	if (!cq)
		die_errno("cannot create a CQ");
	try_qp("RC", cq, IBV_QPT_RC, &cap);
	try_qp("UC", cq, IBV_QPT_UC, &cap);
	try_qp("UD", cq, IBV_QPT_UD, &cap);
	try_qp("XRC receive", cq, IBV_QPT_XRC_RECV, &cap);
	try_qp("raw packet", cq, IBV_QPT_RAW_PACKET, &cap);
	try_qp("of no type", cq, (enum ibv_qp_type)77, &cap);
	cap.max_send_wr = 100;
	cap.max_recv_wr = 200;
	cap.max_send_sge = 3;
	cap.max_recv_sge = 5;
	cap.max_inline_data = 100;
	try_qp("of odd sizes", cq, IBV_QPT_RC, &cap);
	cap = small;
	cap.max_send_wr = (uint32_t)limits->max_qp_wr + 1;
	try_qp("with too many sends", cq, IBV_QPT_RC, &cap);
	cap = small;
	cap.max_recv_wr = (uint32_t)limits->max_qp_wr + 1;
	try_qp("with too many receives", cq, IBV_QPT_RC, &cap);
	cap = small;
	cap.max_send_sge = (uint32_t)limits->max_sge + 1;
	try_qp("with too many pieces of sends", cq, IBV_QPT_RC, &cap);
	cap = small;
	cap.max_recv_sge = (uint32_t)limits->max_sge + 1;
	try_qp("with too many pieces of receives", cq, IBV_QPT_RC, &cap);
	cap = small;
	cap.max_inline_data = 1U << 20;
	try_qp("with too many bytes inline", cq, IBV_QPT_RC, &cap);
	ibv_destroy_cq(cq);
}

static void try_srq(const char *what, uint32_t wr, uint32_t sge, uint32_t limit)
{
	struct ibv_srq_init_attr init = {
		.attr = {.max_wr = wr, .max_sge = sge, .srq_limit = limit},
	};

	TRY(ibv_create_srq(dev.pd, &init), ibv_destroy_srq, "SRQ %s", what);
}

static void try_ah(const char *what, uint8_t port, uint8_t index, bool global)
{
	struct ibv_ah_attr attr;

	own_ah_attr(&attr);
	attr.port_num = port;
	attr.is_global = global;
	if (index)
		attr.grh.sgid_index = index;
	TRY(ibv_create_ah(dev.pd, &attr), ibv_destroy_ah, "AH %s", what);
}

static void try_mr(const char *what, void *addr, size_t length,
		   unsigned int access)
{
	TRY(ibv_reg_mr(dev.pd, addr, length, access), ibv_dereg_mr, "MR %s",
	    what);
}

static void try_mrs(void)
{
	const unsigned int local = IBV_ACCESS_LOCAL_WRITE;
	char *memory = pages_anonymous(4 * PAGE);

	memset(memory, 1, 4 * PAGE);
	try_mr("that is only read", memory, PAGE, 0);
	try_mr("of one byte", memory + 77, 1, local);
	try_mr("of no bytes", memory, 0, local);
	try_mr("with remote write only", memory, PAGE, IBV_ACCESS_REMOTE_WRITE);
	try_mr("with remote atomics only", memory, PAGE,
	       IBV_ACCESS_REMOTE_ATOMIC);
	try_mr("with remote read only", memory, PAGE, IBV_ACCESS_REMOTE_READ);
	try_mr("on demand", memory, PAGE, local | IBV_ACCESS_ON_DEMAND);
	try_mr("on demand of everything", NULL, SIZE_MAX,
	       local | IBV_ACCESS_ON_DEMAND);
	try_mr("with relaxed ordering", memory, PAGE,
	       local | IBV_ACCESS_RELAXED_ORDERING);
	try_mr("zero based", memory, PAGE, local | IBV_ACCESS_ZERO_BASED);
	try_mr("in huge pages", memory, PAGE, local | IBV_ACCESS_HUGETLB);
	try_mr("with unknown access", memory, PAGE, local | 1U << 19);
	try_mr("that ends behind all addresses", memory, SIZE_MAX - PAGE,
	       local);
	if (mprotect(memory + PAGE, PAGE, PROT_READ) ||
	    munmap(memory + 3 * PAGE, PAGE))
		die_errno("cannot change pages");
	try_mr("of read-only pages, to write", memory, 2 * PAGE, local);
	try_mr("of read-only pages, to read", memory, 2 * PAGE, 0);
	try_mr("of pages that are not there", memory + 2 * PAGE, 2 * PAGE,
	       local);
	pages_free(memory, 3 * PAGE);
}

/* Arguments of verbs that create, of which many are wrong. */
void suite_arguments(void)
{
	struct ibv_device_attr limits;

	memset(&limits, 0, sizeof(limits));
	errno = ibv_query_device(dev.context, &limits);
	if (errno)
		die_errno("cannot query the device");
	try_cq("of 1", 1, 0);
	try_cq("of 100", 100, 0);
	try_cq("of 0", 0, 0);
	try_cq("of less than 0", -1, 0);
	try_cq("of too many", limits.max_cqe + 1, 0);
	try_cq("of a vector that is not there", 1, 100000);
	try_qps(&limits);
	try_srq("of 1", 1, 1, 0);
	try_srq("of 100 with 3 pieces", 100, 3, 10);
	try_srq("of 0", 0, 1, 0);
	try_srq("of too many", (uint32_t)limits.max_srq_wr + 1, 1, 0);
	try_srq("of too many pieces", 1, (uint32_t)limits.max_srq_sge + 1, 0);
	try_ah("to the own GID", 1, 0, true);
	try_ah("of port 2", 2, 0, true);
	try_ah("of port 0", 0, 0, true);
	try_ah("of a GID that is not there", 1, 250, true);
	try_ah("without GRH", 1, 0, false);
	try_mrs();
	TRY(ibv_alloc_mw(dev.pd, (enum ibv_mw_type)3), ibv_dealloc_mw,
	    "MW of no type");
}
