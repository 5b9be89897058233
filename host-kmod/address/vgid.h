/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vGIDs: the GIDs of a guest in guest addressing, and their translation.
 */
#ifndef HYVH_VGID_H
#define HYVH_VGID_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv.h>

#include "address/tenant.h"

struct hyv_ah_attr;
struct hyvh_events;
struct hyvh_hca;
struct hyvh_lease;

/* An entry of a port's GID table. */
struct hyvh_vgid {
	union ib_gid gid;	/* zero if the entry is empty */
	bool of_hca;		/* from hyvh_vgids_hca_gid(); not in the map */
};

/* What HYV_SET_ADDRESSING sets. */
struct hyvh_addressing {
	/* HYV_MAX_GIDS entries for each port; NULL in host addressing. */
	struct hyvh_vgid *entry;
	struct hyv_gid_prefix *prefix;	/* GIDs that the guest may have */
	u32 nr_prefixes;		/* 0 allows all GIDs */
};

struct hyvh_vgids {
	u32 vnic_id;
	u32 nr_ports;

	/* Change under hyvh_vnic.teardown_rwsem held for writing. */
	struct hyvh_tenant *tenant;	/* NULL in host addressing */
	struct hyvh_addressing mode;
	struct hyvh_lease *lease;	/* has the vGIDs, if the HCA lends; or NULL */

	struct hyvh_gid_waiter waiter;	/* protected by hyvh_tenant.lock */

	struct mutex lock;	/* protects the elements of mode.entry */
};

/*
 * All functions need process context and may sleep. The caller holds
 * hyvh_vnic.teardown_rwsem, for writing if it calls hyvh_vgids_set_mode(),
 * hyvh_vgids_clear() or hyvh_vgids_leave_hca(). hyvh_addressing_*() need no lock.
 */
void hyvh_vgids_init(struct hyvh_vgids *vgids, struct hyvh_events *events);
void hyvh_vgids_free(struct hyvh_vgids *vgids);

int hyvh_addressing_load(struct hyvh_addressing *mode,
			 const struct hyvh_vgids *vgids,
			 const struct hyv_set_addressing *arg);
void hyvh_addressing_free(struct hyvh_addressing *mode);
int hyvh_vgids_set_mode(struct hyvh_vgids *vgids, const struct hyvh_hca *hca,
			struct hyvh_addressing *mode);

static inline bool hyvh_vgids_enabled(const struct hyvh_vgids *vgids)
{
	return vgids->tenant;
}

int hyvh_vgids_add(struct hyvh_vgids *vgids, struct hyvh_hca *hca, u32 port,
		   u32 index, const union ib_gid *gid);
int hyvh_vgids_del(struct hyvh_vgids *vgids, u32 port, u32 index);
void hyvh_vgids_clear(struct hyvh_vgids *vgids);
void hyvh_vgids_leave_hca(struct hyvh_vgids *vgids);
void hyvh_vgids_bind(struct hyvh_vgids *vgids, struct ib_ucontext *context);

int hyvh_vgids_translate(struct hyvh_vgids *vgids, struct hyvh_hca *hca,
			 const struct hyv_ah_attr *in, bool ah,
			 struct rdma_ah_attr *out);
int hyvh_vgids_hca_gid(struct hyvh_hca *hca, u32 port, union ib_gid *gid);

#endif /* HYVH_VGID_H */
