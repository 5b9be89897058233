// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups of UD QPs.
 */
#include <rdma/ib_verbs.h>

#include "hyvs/hyvs.h"

int hyvs_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	int ret;

	if (ib->qp_type != IB_QPT_UD)
		return -EINVAL;
	ret = eng_group_join(&to_hyvs_qp(ib)->eng, gid->raw);
	/* To join twice is no error of verbs. */
	return ret == -EEXIST ? 0 : ret;
}

int hyvs_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	return eng_group_leave(&to_hyvs_qp(ib)->eng, gid->raw) ? -EINVAL : 0;
}
