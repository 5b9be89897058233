/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way to guests for an HCA in software, whose own processes connect to them. It
 * finds the function by symbol_get(hyvh_guest_gid), so that it works without hyv.ko.
 */
#ifndef HYVH_GUEST_GID_H
#define HYVH_GUEST_GID_H

#include <rdma/ib_verbs.h>

int hyvh_guest_gid(const union ib_gid *vgid, const union ib_gid *sgid,
		   union ib_gid *gid);

#endif /* HYVH_GUEST_GID_H */
