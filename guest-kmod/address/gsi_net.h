/* SPDX-License-Identifier: GPL-2.0-only */
/* Transport of GSI packets through the guest's IP stack. */
#ifndef VHYV_GSI_NET_H
#define VHYV_GSI_NET_H

#include <linux/types.h>

struct device;
struct ib_gid_attr;
struct net_device;
struct vhyv_roce_hdr;

/* Receives a packet: see vhyv_gsi_receive(). @pkt is aligned to 8. */
typedef bool (*vhyv_gsi_net_rx_t)(const void *pkt, size_t len,
				  struct net_device *ndev);

int vhyv_gsi_net_get(struct device *dev, vhyv_gsi_net_rx_t rx);
void vhyv_gsi_net_put(void);
int vhyv_gsi_net_send(const struct ib_gid_attr *sgid_attr,
		      const struct vhyv_roce_hdr *hdr, const void *mad);

#endif /* VHYV_GSI_NET_H */
