// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs that few HCAs have, for the program verbs.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

static void domains(void)
{
	struct ibv_td_init_attr td_init = {0};
	struct ibv_parent_domain_init_attr init = {.pd = dev.pd};

	TRY(ibv_alloc_td(dev.context, &td_init), ibv_dealloc_td,
	    "ibv_alloc_td");
	TRY(ibv_alloc_parent_domain(dev.context, &init), ibv_dealloc_pd,
	    "ibv_alloc_parent_domain");
}

static void imports(void)
{
	int fd = dup(dev.context->cmd_fd);
	struct ibv_context *context;

	if (fd < 0)
		die_errno("cannot duplicate the file");
	errno = 0;
	context = ibv_import_device(fd);
	say("ibv_import_device: %s", made(context));
	if (context)
		ibv_close_device(context);
	else
		close(fd);
	TRY(ibv_import_pd(dev.context, dev.pd->handle), ibv_unimport_pd,
	    "ibv_import_pd");
	TRY(ibv_import_mr(dev.pd, 0), ibv_unimport_mr, "ibv_import_mr");
	TRY(ibv_import_dm(dev.context, 0), ibv_unimport_dm, "ibv_import_dm");
}

static void memory(void)
{
	struct ibv_alloc_dm_attr dm_init = {.length = 4096};
	char *pages = pages_anonymous(PAGE);
	struct ibv_sge sge = {.addr = (uintptr_t)pages, .length = 100};
	struct ibv_mr *mr;

	TRY(ibv_alloc_null_mr(dev.pd), ibv_dereg_mr, "ibv_alloc_null_mr");
	TRY(ibv_alloc_dm(dev.context, &dm_init), ibv_free_dm, "ibv_alloc_dm");
	TRY(ibv_reg_dmabuf_mr(dev.pd, 0, PAGE, 0, -1, IBV_ACCESS_LOCAL_WRITE),
	    ibv_dereg_mr, "ibv_reg_dmabuf_mr");
	mr = rc_register(&dev, pages, PAGE);
	sge.lkey = mr->lkey;
	say("ibv_advise_mr: %s",
	    error_name(ibv_advise_mr(dev.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				     &sge, 1)));
	rc_deregister(mr);
	pages_free(pages, PAGE);
}

static void queues(void)
{
	struct ibv_cq *cq = ibv_create_cq(dev.context, 8, NULL, NULL, 0);
	struct ibv_xrcd_init_attr xrcd_init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_wq_init_attr wq_init = {
		.wq_type = IBV_WQT_RQ,
		.max_wr = 1,
		.max_sge = 1,
		.pd = dev.pd,
		.cq = cq,
	};
	struct ibv_wq none = {.context = dev.context};
	struct ibv_wq *wq_list[1] = {&none};
	struct ibv_rwq_ind_table_init_attr table_init = {.ind_tbl = wq_list};
	struct ibv_wq *wq;

	TRY(ibv_open_xrcd(dev.context, &xrcd_init), ibv_close_xrcd,
	    "ibv_open_xrcd");
	errno = 0;
	wq = ibv_create_wq(dev.context, &wq_init);
	say("ibv_create_wq: %s", made(wq));
	if (wq)
		ibv_destroy_wq(wq);
	else
		TRY(ibv_create_rwq_ind_table(dev.context, &table_init),
		    ibv_destroy_rwq_ind_table, "ibv_create_rwq_ind_table");
	ibv_destroy_cq(cq);
}

static void of_qp(void)
{
	struct ibv_flow_attr flow_init = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.size = sizeof(flow_init),
		.port = 1,
	};
	struct ibv_qp_rate_limit_attr limit = {.rate_limit = 1000};
	struct ibv_ece ece = {0};
	struct pair p;
	int err;

	pair_open(&p, IBV_QPT_RC, NULL);
	TRY(ibv_create_flow(p.a.qp, &flow_init), ibv_destroy_flow,
	    "ibv_create_flow");
	say("ibv_modify_qp_rate_limit: %s",
	    error_name(ibv_modify_qp_rate_limit(p.a.qp, &limit)));
	err = ibv_query_ece(p.a.qp, &ece);
	say("ibv_query_ece: %s, vendor %u, options %u", error_name(err),
	    ece.vendor_id, ece.options);
	say("ibv_set_ece: %s", error_name(ibv_set_ece(p.a.qp, &ece)));
	err = ibv_query_qp_data_in_order(p.a.qp, IBV_WR_RDMA_WRITE, 0);
	say("ibv_query_qp_data_in_order: %d", err);
	say("ibv_qp_to_qp_ex: %s", yes(ibv_qp_to_qp_ex(p.a.qp)));
	pair_close(&p);
}

void suite_others(void)
{
	struct ibv_counters_init_attr counters_init = {0};
	struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	domains();
	imports();
	memory();
	queues();
	of_qp();
	TRY(ibv_create_counters(dev.context, &counters_init),
	    ibv_destroy_counters, "ibv_create_counters");
	say("ibv_query_rt_values_ex: %s",
	    error_name(ibv_query_rt_values_ex(dev.context, &values)));
}
