/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The GIDs of a vNIC whose guest has addresses of its own.
 */
#ifndef HYVH_VGID_H
#define HYVH_VGID_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv.h>

struct hyv_ah_attr;
struct hyvh_request;
struct hyvh_tenant;
struct hyvh_vnic;

#define HYVH_MAX_GID_PREFIXES	64

/**
 * struct hyvh_vgid - an entry of a port's GID table
 * @gid: the GID, zero if the entry is empty
 * @of_hca: it is that of hyvh_vgids_hca_gid(), and not in the tenant's map
 */
struct hyvh_vgid {
	union ib_gid gid;
	bool of_hca;
};

/**
 * struct hyvh_vgids - the guest's addresses
 * @tenant: whom it may reach; NULL if it uses the addresses of the HCA
 * @prefix: what it may have; anything if there is none
 * @nr_prefixes: how many
 * @lock: protects @entry; taken under hyvh_vnic.teardown_rwsem, before hyvh_tenant.lock
 * @entry: HYV_MAX_GIDS for each port
 *
 * All but @entry change under hyvh_vnic.teardown_rwsem held for writing.
 */
struct hyvh_vgids {
	struct hyvh_tenant *tenant;
	struct hyv_gid_prefix *prefix;
	u32 nr_prefixes;

	struct mutex lock;	/* see above */
	struct hyvh_vgid *entry;
};

void hyvh_vgids_init(struct hyvh_vgids *gids);
void hyvh_vgids_free(struct hyvh_vgids *gids);
int hyvh_vgids_set(struct hyvh_vnic *vnic, const struct hyv_set_addressing *arg);
void hyvh_vgids_clear(struct hyvh_vnic *vnic);
int hyvh_vgids_translate(struct hyvh_request *r, const struct hyv_ah_attr *in,
			bool ah, struct rdma_ah_attr *out);
int hyvh_vgids_hca_gid(struct hyvh_request *r, u32 port, union ib_gid *gid);

#endif /* HYVH_VGID_H */
