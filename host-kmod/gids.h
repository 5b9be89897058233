/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The GIDs of a vNIC whose guest has addresses of its own.
 */
#ifndef HYV_GIDS_H
#define HYV_GIDS_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv.h>

struct hyv_ah_attr;
struct hyv_request;
struct hyv_tenant;
struct hyv_vnic;

#define HYV_MAX_GID_PREFIXES	64

/**
 * struct hyv_vgid - an entry of a port's GID table
 * @gid: the GID, zero if the entry is empty
 * @of_hca: it is that of hyv_gids_of_hca(), and not in the tenant's map
 */
struct hyv_vgid {
	union ib_gid gid;
	bool of_hca;
};

/**
 * struct hyv_gids - the guest's addresses
 * @tenant: whom it may reach; NULL if it uses the addresses of the HCA
 * @prefix: what it may have; anything if there is none
 * @nr_prefixes: how many
 * @lock: protects @entry; taken under hyv_vnic.gate, before hyv_tenant.lock
 * @entry: HYV_MAX_GIDS for each port
 *
 * All but @entry change under hyv_vnic.gate held for writing.
 */
struct hyv_gids {
	struct hyv_tenant *tenant;
	struct hyv_gid_prefix *prefix;
	u32 nr_prefixes;

	struct mutex lock;	/* see above */
	struct hyv_vgid *entry;
};

void hyv_gids_init(struct hyv_gids *gids);
void hyv_gids_free(struct hyv_gids *gids);
int hyv_gids_set(struct hyv_vnic *vnic, const struct hyv_set_addressing *arg);
void hyv_gids_clear(struct hyv_vnic *vnic);
int hyv_gids_translate(struct hyv_request *r, const struct hyv_ah_attr *in,
		       bool ah, struct rdma_ah_attr *out);
int hyv_gids_of_hca(struct hyv_request *r, u32 port, union ib_gid *gid);

#endif /* HYV_GIDS_H */
