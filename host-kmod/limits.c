// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a vNIC, and what they follow from.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sizes.h>

#include "debug.h"
#include "memory/stitch_plan.h"
#include "notify/doorbell.h"
#include "verbs/verbs.h"
#include "vnic.h"
#include "vnic_limit.h"

/* Defaults for a VMM that sets no limits. */
#define HYVH_DEFAULT_CONTEXTS	4096
#define HYVH_DEFAULT_PDS	65536
#define HYVH_DEFAULT_MRS	131072
#define HYVH_DEFAULT_AHS	8192
#define HYVH_DEFAULT_SRQS	16384
#define HYVH_DEFAULT_MWS	65536
#define HYVH_DEFAULT_QUEUE_BYTES	SZ_1G
/*
 * Half of what a card has in 32 MiB, or 512 contexts of 8 pages, which is as many
 * contexts as hyvs lets a VMM have.
 */
#define HYVH_DEFAULT_DOORBELL_PAGES	4096
/* Plus the part of the limit of pinned bytes that full use of it needs. */
#define HYVH_DEFAULT_MR_BYTES	SZ_256M

/* Memberships in multicast groups. HCAs support a few thousand. */
#define HYVH_MAX_MCAST		1024
/* Addresses of groups that a vNIC may leave on the HCA's network device. */
#define HYVH_MAX_MCAST_ADDRS	1024

/* Highest limits that a VMM can set. */
#define HYVH_MAX_CONTEXTS	1048576
#define HYVH_MAX_PDS		1048576
#define HYVH_MAX_MRS		262144
#define HYVH_MAX_AHS		1048576
#define HYVH_MAX_SRQS		1048576
#define HYVH_MAX_MWS		16777216

/*
 * All MRs of a VMM may name one page. Each time it is pinned, its reference
 * counter, an int, grows by 1024, and when that overflows, the kernel warns and
 * refuses the page to everybody. So MRs can take half of the counter. An eighth
 * of it is for the doorbell areas of a user's vNICs, and the rest for what is
 * pinned while memory is registered. Pages of large folios share a counter but
 * are counted by 1. The kernel's check is the only one for a page that the VMM
 * has put into its memory table more than once.
 */
#define HYVH_PIN_REFS	1024
static_assert(HYVH_MAX_MRS <= HYVH_MAX_VMM_MRS);
static_assert((u64)HYVH_MAX_VMM_MRS * HYVH_STITCH_MAX_REPEATS *
	      HYVH_PIN_REFS <= (1ULL << 31) / 2);

static void hyvh_limits_set_pinned(struct hyvh_vnic *vnic, u64 max, bool fixed)
{
	struct hyvh_quota *quota = &vnic->quota[HYV_NL_QUOTA_PINNED];

	if (fixed)
		hyvh_quota_set_max(quota, max);
	else
		hyvh_quota_set_default(quota, max);
	hyvh_quota_set_default(&vnic->quota[HYV_NL_QUOTA_MR_BYTES],
			       HYVH_DEFAULT_MR_BYTES +
			       hyvh_mr_page_bytes(hyvh_quota_max(quota)));
}

void hyvh_limits_init(struct hyvh_vnic *vnic)
{
	struct hyvh_objs *objs = &vnic->objs;
	int type;

	hyvh_objs_set_max(objs, HYV_OBJ_CONTEXT, HYVH_DEFAULT_CONTEXTS);
	hyvh_objs_set_max(objs, HYV_OBJ_PD, HYVH_DEFAULT_PDS);
	hyvh_objs_set_max(objs, HYV_OBJ_CQ, HYVH_CQ_SLOTS);
	hyvh_objs_set_max(objs, HYV_OBJ_QP, HYVH_QP_SLOTS);
	hyvh_objs_set_max(objs, HYV_OBJ_MR, HYVH_DEFAULT_MRS);
	hyvh_objs_set_max(objs, HYV_OBJ_AH, HYVH_DEFAULT_AHS);
	hyvh_objs_set_max(objs, HYV_OBJ_SRQ, HYVH_DEFAULT_SRQS);
	hyvh_objs_set_max(objs, HYV_OBJ_MW, HYVH_DEFAULT_MWS);
	hyvh_objs_set_max(objs, HYV_OBJ_XRCD, HYVH_DEFAULT_CONTEXTS);

	for (type = 0; type < HYV_NL_NR_QUOTAS; type++)
		hyvh_quota_init(&vnic->quota[type], 0);
	hyvh_quota_set_default(&vnic->quota[HYV_NL_QUOTA_QUEUE_BYTES],
			       HYVH_DEFAULT_QUEUE_BYTES);
	hyvh_quota_set_default(&vnic->quota[HYV_NL_QUOTA_DOORBELL_PAGES],
			       HYVH_DEFAULT_DOORBELL_PAGES);
	hyvh_quota_set_default(&vnic->quota[HYV_NL_QUOTA_MCAST], HYVH_MAX_MCAST);
	hyvh_quota_set_default(&vnic->quota[HYV_NL_QUOTA_MCAST_ADDRS],
			       HYVH_MAX_MCAST_ADDRS);
	/* Nothing can be pinned before HYV_SET_MEM. */
	hyvh_limits_set_pinned(vnic, 0, false);
}

int hyvh_ioctl_set_limits(struct hyvh_vnic *vnic,
			  const struct hyv_set_limits *arg)
{
	const struct {
		enum hyv_obj_type type;
		u32 limit;
		u32 max;
	} limits[] = {
		{ HYV_OBJ_CONTEXT, arg->max_contexts, HYVH_MAX_CONTEXTS },
		{ HYV_OBJ_PD, arg->max_pds, HYVH_MAX_PDS },
		{ HYV_OBJ_CQ, arg->max_cqs, HYVH_CQ_SLOTS },
		{ HYV_OBJ_QP, arg->max_qps, HYVH_QP_SLOTS },
		{ HYV_OBJ_MR, arg->max_mrs, HYVH_MAX_MRS },
		{ HYV_OBJ_AH, arg->max_ahs, HYVH_MAX_AHS },
		{ HYV_OBJ_SRQ, arg->max_srqs, HYVH_MAX_SRQS },
		{ HYV_OBJ_MW, arg->max_mws, HYVH_MAX_MWS },
		{ HYV_OBJ_XRCD, arg->max_contexts, HYVH_MAX_CONTEXTS },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].limit > limits[i].max)
			return hyvh_refuse(vnic->id, -EINVAL,
					   "limit %u of object type %u is above %u",
					   limits[i].limit, limits[i].type,
					   limits[i].max);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].limit)
			hyvh_objs_set_max(&vnic->objs, limits[i].type,
					  limits[i].limit);
	if (arg->max_queue_bytes)
		hyvh_quota_set_max(&vnic->quota[HYV_NL_QUOTA_QUEUE_BYTES],
				   arg->max_queue_bytes);
	if (arg->max_mr_bytes)
		hyvh_quota_set_max(&vnic->quota[HYV_NL_QUOTA_MR_BYTES],
				   arg->max_mr_bytes);
	if (arg->max_doorbell_pages)
		hyvh_quota_set_max(&vnic->quota[HYV_NL_QUOTA_DOORBELL_PAGES],
				   arg->max_doorbell_pages);
	if (arg->max_pinned)
		hyvh_limits_set_pinned(vnic, arg->max_pinned, true);
	if (arg->max_stitch_vmas)
		hyvh_quota_set_max(vnic->mem.vmas, arg->max_stitch_vmas);
	return 0;
}

/*
 * Waits for requests that pin guest memory by the old table, until they have
 * pinned it or begin again. Not with setup_lock held: HYV_RESET, which ends such
 * requests, takes it.
 */
int hyvh_ioctl_set_mem(struct hyvh_vnic *vnic, const struct hyv_set_mem *arg)
{
	struct hyvh_mem_table *old;
	u64 bytes;
	int ret;

	ret = mutex_lock_killable(&vnic->setup_lock);
	if (ret)
		return ret;
	ret = hyvh_guest_mem_set(&vnic->mem, arg, &bytes, &old);
	/* Enough to register all memory while it is registered once more. */
	if (!ret)
		hyvh_limits_set_pinned(vnic, bytes > U64_MAX / 2 ?
				       U64_MAX : 2 * bytes, false);
	mutex_unlock(&vnic->setup_lock);
	if (ret)
		return ret;
	/* Events may have waited for the memory of their buffers. */
	hyvh_worker_wake(&vnic->worker);
	return old ? hyvh_mem_table_retire(old) : 0;
}
