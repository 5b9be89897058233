// SPDX-License-Identifier: GPL-2.0-only
/*
 * HYV_EXEC: executing one request of a guest.
 */
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "command/dispatch.h"
#include "exec.h"
#include "hca/hca.h"
#include "memory/fault_in.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "vnic.h"

static_assert(HYVH_SCRATCH_UDATA_IN + HYV_MAX_UDATA <= HYVH_SCRATCH_UDATA_OUT);
static_assert(HYVH_SCRATCH_UDATA_OUT + HYV_MAX_UDATA <= HYVH_SCRATCH_SIZE);

#define HYVH_ASSERT_CMD(NAME, name, req, min_req_len, rsp, min_rsp_len, \
			nr_lists, bits)					\
static_assert(sizeof(struct req) % 8 == 0 && (min_req_len) % 8 == 0 &&	\
	      sizeof(struct hyv_req) <= (min_req_len) &&		\
	      (min_req_len) <= sizeof(struct req) &&			\
	      sizeof(struct rsp) % 8 == 0 && (min_rsp_len) % 8 == 0 &&	\
	      sizeof(struct hyv_rsp) <= (min_rsp_len) &&		\
	      (min_rsp_len) <= sizeof(struct rsp) &&			\
	      sizeof(struct rsp) + HYV_MAX_UDATA <= HYV_MAX_RSP_SIZE &&	\
	      (nr_lists) <= HYV_MAX_LISTS &&				\
	      !((bits) & ~(u64)HYV_FEATURES_ALL), #NAME);
HYV_FOR_EACH_COMMAND(HYVH_ASSERT_CMD)

#define HYVH_EXEC_OP(NAME, name, req, min_req, rsp, min_rsp, lists, bits) \
	HYVH_CMD_OP(NAME, req, min_req, rsp, min_rsp, lists, bits,	\
		    hyvh_cmd_##name)

static const struct hyvh_cmd_op hyvh_ops[] = {
	HYV_FOR_EACH_COMMAND(HYVH_EXEC_OP)
};

static const struct hyvh_cmd_reserved hyvh_reserved[] = {
	HYV_FOR_EACH_RESERVED(HYVH_CMD_RESERVED)
};

static const struct hyvh_cmd_table hyvh_cmds = {
	.ops = hyvh_ops,
	.nr_ops = ARRAY_SIZE(hyvh_ops),
	.reserved = hyvh_reserved,
	.nr_reserved = ARRAY_SIZE(hyvh_reserved),
};

static u32 hyvh_exec_locked(struct hyvh_vnic *vnic, const struct hyv_exec *arg,
			    const void *req, void *rsp, u32 rsp_room)
{
	struct hyvh_cmd cmd = {
		.vnic = vnic,
		.vnic_id = vnic->id,
		.scratch = u64_to_user_ptr(arg->scratch),
	};
	u64 start = ktime_get_ns();
	u32 len;

	lockdep_assert_held_read(&vnic->teardown_rwsem);
	if (!vnic->hca) {
		hyvh_dbg(vnic->id, "HCA was removed");
		return hyvh_reply_error(rsp, HYV_S_EIO);
	}
	cmd.ibdev = hyvh_hca_ibdev(vnic->hca);
	cmd.driver = hyvh_hca_driver(vnic->hca);
	len = hyvh_dispatch(&hyvh_cmds, vnic->features, &cmd, req,
			    arg->request_len, rsp, rsp_room);
	trace_hyvh_cmd(vnic->id, cmd.op ? cmd.op->opcode : 0,
		       cmd.op ? cmd.op->name : "UNKNOWN",
		       le32_to_cpu(((struct hyv_rsp *)rsp)->status),
		       ktime_get_ns() - start);
	return len;
}

/**
 * hyvh_exec() - execute one request of the guest
 * @vnic: an attached vNIC
 * @arg: request and reply; out_reply_len is set
 *
 * Copies the request once, so that it cannot change after it was checked. All
 * waits for memory of the VMM can be ended by a fatal signal, which the removal
 * of the HCA relies on; but not for memory that another thread of the VMM maps
 * in place of what was checked (docs/security.md).
 *
 * Context: Process context. May sleep, even for seconds. Runs in the VMM.
 * Return: 0 if there is a reply, or a negative errno of HYV_EXEC.
 */
int hyvh_exec(struct hyvh_vnic *vnic, struct hyv_exec *arg)
{
	u32 room = min_t(u32, arg->reply_len, HYV_MAX_RSP_SIZE);
	void *req, *rsp;
	u32 len;
	int ret;

	if (arg->request_len > HYV_MAX_REQ_SIZE)
		return hyvh_refuse(vnic->id, -EINVAL, "request of %u bytes",
				   arg->request_len);
	if (arg->scratch_len < HYVH_SCRATCH_SIZE || !PAGE_ALIGNED(arg->scratch))
		return hyvh_refuse(vnic->id, -EINVAL, "invalid scratch memory");
	if (room < sizeof(struct hyv_rsp))
		return hyvh_refuse(vnic->id, -EMSGSIZE, "no room for a reply");

	/* A VMM can make the copy wait for its memory, in any number of threads. */
	req = kvmalloc(arg->request_len, GFP_KERNEL_ACCOUNT);
	if (!req)
		return -ENOMEM;
	if (copy_from_user(req, u64_to_user_ptr(arg->request),
			   arg->request_len)) {
		ret = -EFAULT;
		goto out_req;
	}
	rsp = kvzalloc(room, GFP_KERNEL_ACCOUNT);
	if (!rsp) {
		ret = -ENOMEM;
		goto out_req;
	}

	ret = hyvh_vnic_request_begin(vnic);
	if (ret)
		goto out_rsp;
	ret = hyvh_vnic_check_ready(vnic) ?:
	      hyvh_fault_in_check(arg->scratch, HYVH_SCRATCH_SIZE);
	if (!ret)
		len = hyvh_exec_locked(vnic, arg, req, rsp, room);
	hyvh_vnic_request_end(vnic);
	if (ret)
		goto out_rsp;

	atomic64_inc(&vnic->counters.commands);
	if (((struct hyv_rsp *)rsp)->status)
		atomic64_inc(&vnic->counters.errors);
	arg->out_reply_len = len;
	if (copy_to_user(u64_to_user_ptr(arg->reply), rsp, len))
		ret = -EFAULT;
out_rsp:
	kvfree(rsp);
out_req:
	kvfree(req);
	return ret;
}
