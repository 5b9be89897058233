// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport of GSI packets through the kernel's IP stack.
 *
 * All devices share two sockets bound to the UDP port of RoCE v2, one for IPv4
 * and one for IPv6, if the kernel supports that. They belong to the initial
 * network namespace.
 */
#include <linux/errno.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/route.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "gsi/gsi_net.h"
#include "gsi/gsi_pkt.h"
#include "compat/ipv6.h"
#include "compat/udp_tunnel.h"

static_assert(ROCE_V2_UDP_DPORT == GSI_PKT_UDP_PORT);

/* Any non-zero value makes UDP call encap_rcv. */
#define ENCAP_TYPE	1

static DEFINE_MUTEX(net_lock);

/*
 * net_lock protects @users. The other members change only while there are no
 * users, when no packet is sent or received.
 */
static struct {
	unsigned int users;
	gsi_net_rx_t rx;
	struct socket *sock4;
	struct socket *sock6;
} gsi_net;

/*
 * Called by UDP, which has verified the checksum. Copies the packet: it is
 * short, and the skb may be shared or not linear.
 */
static int gsi_net_encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	u8 pkt[GSI_PKT_MAX_LEN] __aligned(8);
	size_t ip_len = skb_network_header_len(skb);

	/* All GSI packets have this length; drop any other. */
	if (skb->len != GSI_PKT_UDP_LEN ||
	    ip_len + GSI_PKT_UDP_LEN > sizeof(pkt))
		goto drop;
	memcpy(pkt, skb_network_header(skb), ip_len);
	if (skb_copy_bits(skb, 0, pkt + ip_len, GSI_PKT_UDP_LEN))
		goto drop;
	if (!gsi_net.rx(pkt, ip_len + GSI_PKT_UDP_LEN, skb->dev))
		goto drop;
	consume_skb(skb);
	return 0;

drop:
	kfree_skb(skb);
	return 0;
}

static struct socket *gsi_net_open(u8 family)
{
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = cpu_to_be16(GSI_PKT_UDP_PORT),
		/* HCAs send no checksum over IPv6 either. */
		.use_udp6_rx_checksums = 0,
		.ipv6_v6only = 1,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = ENCAP_TYPE,
		.encap_rcv = gsi_net_encap_rcv,
	};
	struct socket *sock;
	int ret;

	ret = udp_sock_create(&init_net, &port, &sock);
	if (ret)
		return ERR_PTR(ret);
	setup_udp_tunnel_sock(&init_net, sock->sk, &tunnel);
	return sock;
}

static int gsi_net_open_all(gsi_net_rx_t rx)
{
	struct socket *sock;

	gsi_net.rx = rx;
	sock = gsi_net_open(AF_INET);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	gsi_net.sock4 = sock;

	sock = gsi_net_open(AF_INET6);
	if (!IS_ERR(sock)) {
		gsi_net.sock6 = sock;
	} else if (PTR_ERR(sock) != -EAFNOSUPPORT &&
		   PTR_ERR(sock) != -EPFNOSUPPORT) {
		udp_tunnel_sock_release(gsi_net.sock4->sk);
		gsi_net.sock4 = NULL;
		synchronize_rcu();
		return PTR_ERR(sock);
	}
	return 0;
}

/**
 * gsi_net_get() - start to receive GSI packets
 * @rx: receives the packets; the same function for all callers
 *
 * Context: Process context. May sleep.
 * Return: 0, -EADDRINUSE if the UDP port is in use, or another negative errno.
 */
int gsi_net_get(gsi_net_rx_t rx)
{
	int ret = 0;

	mutex_lock(&net_lock);
	if (!gsi_net.users)
		ret = gsi_net_open_all(rx);
	if (!ret)
		gsi_net.users++;
	mutex_unlock(&net_lock);
	return ret;
}

/* Undo gsi_net_get(). After the last one no packet is received. */
void gsi_net_put(void)
{
	mutex_lock(&net_lock);
	if (!--gsi_net.users) {
		if (gsi_net.sock6)
			udp_tunnel_sock_release(gsi_net.sock6->sk);
		udp_tunnel_sock_release(gsi_net.sock4->sk);
		gsi_net.sock6 = NULL;
		gsi_net.sock4 = NULL;
		/* Wait for packets that found a socket before it was closed. */
		synchronize_rcu();
	}
	mutex_unlock(&net_lock);
}

static struct dst_entry *gsi_net_route4(const struct gsi_pkt_hdr *hdr, int oif)
{
	struct flowi4 fl = {
		.flowi4_oif = oif,
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = cpu_to_be16(hdr->sport),
		.fl4_dport = cpu_to_be16(GSI_PKT_UDP_PORT),
	};
	struct rtable *rt;

	memcpy(&fl.saddr, hdr->sgid + 12, sizeof(fl.saddr));
	memcpy(&fl.daddr, hdr->dgid + 12, sizeof(fl.daddr));
	rt = ip_route_output_flow(&init_net, &fl, gsi_net.sock4->sk);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	/* A GSI has exactly one peer. */
	if (rt->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST)) {
		ip_rt_put(rt);
		return ERR_PTR(-ENETUNREACH);
	}
	return &rt->dst;
}

static struct dst_entry *gsi_net_route6(const struct gsi_pkt_hdr *hdr, int oif)
{
	struct flowi6 fl = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = cpu_to_be16(hdr->sport),
		.fl6_dport = cpu_to_be16(GSI_PKT_UDP_PORT),
	};

	if (!gsi_net.sock6)
		return ERR_PTR(-EAFNOSUPPORT);
	memcpy(&fl.saddr, hdr->sgid, sizeof(fl.saddr));
	memcpy(&fl.daddr, hdr->dgid, sizeof(fl.daddr));
	return ip6_dst_lookup_flow(&init_net, gsi_net.sock6->sk, &fl, NULL);
}

/* Pass a packet with its route to the stack, which consumes both. */
static int gsi_net_output4(struct sk_buff *skb)
{
	skb_set_transport_header(skb, sizeof(struct iphdr));
	skb->protocol = cpu_to_be16(ETH_P_IP);
	return ip_local_out(&init_net, gsi_net.sock4->sk, skb);
}

static int gsi_net_output6(struct sk_buff *skb)
{
	struct ipv6hdr *ip = ipv6_hdr(skb);

	skb_set_transport_header(skb, sizeof(*ip));
	skb->protocol = cpu_to_be16(ETH_P_IPV6);
	udp6_set_csum(false, skb, &ip->saddr, &ip->daddr, GSI_PKT_UDP_LEN);
	return ip6_local_out(&init_net, gsi_net.sock6->sk, skb);
}

static int gsi_net_send_on(struct net_device *ndev,
			   const struct gsi_pkt_hdr *hdr, const void *mad)
{
	bool ipv4 = gsi_pkt_gid_is_ipv4(hdr->dgid);
	struct dst_entry *dst;
	struct sk_buff *skb;
	int ret;

	dst = ipv4 ? gsi_net_route4(hdr, ndev->ifindex) :
		     gsi_net_route6(hdr, ndev->ifindex);
	if (IS_ERR(dst))
		return PTR_ERR(dst);

	skb = alloc_skb(LL_RESERVED_SPACE(dst->dev) + GSI_PKT_MAX_LEN,
			GFP_ATOMIC);
	if (!skb) {
		dst_release(dst);
		return -ENOMEM;
	}
	skb_reserve(skb, LL_RESERVED_SPACE(dst->dev));
	skb_reset_network_header(skb);
	gsi_pkt_build(skb_put(skb, gsi_pkt_len(hdr)), hdr, mad);
	skb_dst_set(skb, dst);
	ret = ipv4 ? gsi_net_output4(skb) : gsi_net_output6(skb);
	return net_xmit_eval(ret);
}

/**
 * gsi_net_send() - send a packet
 * @sgid_attr: source GID; selects the network device
 * @hdr: headers; both addresses are of the same kind
 * @mad: datagram of GSI_PKT_MAD_LEN bytes
 *
 * The destination may be an address of this kernel.
 *
 * Context: Softirq or process context. Interrupts are enabled, and the caller
 * has a reference from gsi_net_get().
 * Return: 0, or a negative errno if the packet is lost.
 */
int gsi_net_send(const struct ib_gid_attr *sgid_attr,
		 const struct gsi_pkt_hdr *hdr, const void *mad)
{
	struct net_device *ndev;
	int ret;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid_attr);
	if (IS_ERR(ndev))
		ret = PTR_ERR(ndev);
	else if (!net_eq(dev_net(ndev), &init_net))
		ret = -ENETUNREACH;
	else
		ret = gsi_net_send_on(ndev, hdr, mad);
	rcu_read_unlock();
	return ret;
}
