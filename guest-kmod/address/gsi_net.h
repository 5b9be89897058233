/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of GSIs and the guest's IP stack. */
#ifndef VHYV_GSI_NET_H
#define VHYV_GSI_NET_H

#include <linux/types.h>

struct device;
struct vhyv_roce_hdr;
struct ib_gid_attr;
struct net_device;

/**
 * typedef vhyv_gsi_net_rx_t - takes what has arrived
 * @pkt: from the IP header on, aligned to 8
 * @len: its bytes
 * @ndev: network device on which it has arrived; may be that of loopback
 *
 * Context: softirq, or any with softirqs off; in a read section of RCU.
 * Return: true if it was for somebody.
 */
typedef bool (*vhyv_gsi_net_rx_t)(const void *pkt, size_t len,
				  struct net_device *ndev);

int vhyv_gsi_net_get(struct device *dev, vhyv_gsi_net_rx_t rx);
void vhyv_gsi_net_put(void);
int vhyv_gsi_net_send(const struct ib_gid_attr *sgid_attr,
		      const struct vhyv_roce_hdr *hdr, const void *mad);

#endif /* VHYV_GSI_NET_H */
