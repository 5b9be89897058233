/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conversions between types of the wire protocol and of ib_core, with all range
 * checks. Uses only types and inline functions of <rdma/ib_verbs.h>.
 */
#ifndef HYVH_CONVERT_H
#define HYVH_CONVERT_H

#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

enum hyv_status hyvh_status_from_errno(int err);

int hyvh_qp_cap_from_wire(const struct hyv_qp_cap *in,
			  const struct ib_device_attr *limits,
			  struct ib_qp_cap *out);
void hyvh_qp_cap_to_wire(const struct ib_qp_cap *in, struct hyv_qp_cap *out);

u32 hyvh_qp_query_mask(u32 mask);
int hyvh_qp_attr_from_wire(struct ib_device *dev, const struct hyv_qp_attr *in,
			   u32 mask, struct ib_qp_attr *out);
void hyvh_qp_attr_to_wire(const struct ib_qp_attr *in, struct hyv_qp_attr *out);

int hyvh_ah_attr_from_wire(struct ib_device *dev, const struct hyv_ah_attr *in,
			   struct rdma_ah_attr *out);
void hyvh_ah_attr_to_wire(const struct rdma_ah_attr *in,
			  struct hyv_ah_attr *out);

void hyvh_device_attr_to_wire(const struct ib_device *dev,
			      const struct ib_device_attr *in,
			      struct hyv_query_device_rsp *out);
void hyvh_port_attr_to_wire(const struct ib_device *dev, u32 port,
			    const struct ib_port_attr *in,
			    enum rdma_link_layer link_layer,
			    struct hyv_query_port_rsp *out);

int hyvh_srq_attr_from_wire(const struct hyv_create_srq_req *in,
			    const struct ib_device_attr *limits,
			    struct ib_srq_attr *out);
int hyvh_access_check(u32 access);

#endif /* HYVH_CONVERT_H */
