/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of GSIs and the guest's IP stack. */
#ifndef HYV_GSI_NET_H
#define HYV_GSI_NET_H

#include <linux/types.h>

struct device;
struct hyv_roce_hdr;
struct ib_gid_attr;
struct net_device;

/**
 * typedef hyv_gsi_net_rx_t - takes what has arrived
 * @pkt: from the IP header on, aligned to 8
 * @len: its bytes
 * @ndev: network device on which it has arrived; may be that of loopback
 *
 * Context: softirq, or any with softirqs off; in a read section of RCU.
 * Return: true if it was for somebody.
 */
typedef bool (*hyv_gsi_net_rx_t)(const void *pkt, size_t len,
				 struct net_device *ndev);

int hyv_gsi_net_get(struct device *dev, hyv_gsi_net_rx_t rx);
void hyv_gsi_net_put(void);
int hyv_gsi_net_send(const struct ib_gid_attr *sgid_attr,
		     const struct hyv_roce_hdr *hdr, const void *mad);

#endif /* HYV_GSI_NET_H */
