/* SPDX-License-Identifier: GPL-2.0-only */
/* Transport of GSI packets through the kernel's IP stack. */
#ifndef GSI_NET_H
#define GSI_NET_H

#include <linux/types.h>

struct gsi_pkt_hdr;
struct ib_gid_attr;
struct net_device;

/* Receives a packet: see gsi_receive(). @pkt is aligned to 8. */
typedef bool (*gsi_net_rx_t)(const void *pkt, size_t len,
			     struct net_device *ndev);

int gsi_net_get(gsi_net_rx_t rx);
void gsi_net_put(void);
int gsi_net_send(const struct ib_gid_attr *sgid_attr,
		 const struct gsi_pkt_hdr *hdr, const void *mad);

#endif /* GSI_NET_H */
