// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that the HCA's driver does not destroy.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kmemleak.h>
#include <linux/printk.h>
#include <rdma/ib_verbs.h>

#include "hca/hca.h"
#include "verbs/verbs.h"
#include "vnic.h"

/*
 * Count something that the driver keeps for good, and log the first of a vNIC. @stuck:
 * it has an open file of the HCA, for which ib_uverbs waits in the removal of the HCA
 * unless the driver can do without.
 */
void hyvh_leak_count(struct hyvh_vnic *vnic, const char *name, int err,
		     bool stuck)
{
	if (hyvh_hca_ibdev(vnic->hca)->ops.disassociate_ucontext)
		stuck = false;
	hyvh_hca_count_leak(vnic->hca);
	if (atomic_inc_return(&vnic->nr_leaked) == 1)
		pr_warn_ratelimited("%s: driver failed to destroy a %s of vNIC %u: %pe; it stays until the host restarts, and so does what it uses%s\n",
				    vnic->hca_name, name, vnic->id, ERR_PTR(err),
				    stuck ? "; removing the HCA would not end" : "");
}

/*
 * Give up an object that nobody can find. The HCA may still use its memory and
 * call back for it, so it stays until the host restarts, with the use counts and
 * quotas that it holds, and so do its context, the vNIC and this module. The
 * caller frees its handle.
 */
void hyvh_obj_leak(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
		   const struct hyvh_obj_ops *ops, int err)
{
	if (ops->silence)
		ops->silence(vnic, obj);
	/* Commands of other threads may do so at the same time. */
	WRITE_ONCE(hyvh_to_context(obj->owner)->leaked, true);
	/* The log has it. Both refer to all else that stays. */
	kmemleak_not_leak(obj);
	kmemleak_not_leak(vnic);
	hyvh_leak_count(vnic, ops->name, err, true);
}
