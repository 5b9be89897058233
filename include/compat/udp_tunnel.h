/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 7.2 the functions for a tunnel's socket take its struct sock. Stable kernels
 * have changed that, too, so the type of a function decides.
 */
#ifndef HYV_COMPAT_UDP_TUNNEL_H
#define HYV_COMPAT_UDP_TUNNEL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

/* The socket of @sk, in the type that the functions take. */
#define compat_tunnel_sock(sk)						\
	__builtin_choose_expr(						\
		__builtin_types_compatible_p(				\
			typeof(udp_tunnel_sock_release),		\
			void (struct sock *)),				\
		(sk), (sk)->sk_socket)

#define setup_udp_tunnel_sock(net, sk, cfg) \
	setup_udp_tunnel_sock(net, compat_tunnel_sock(sk), cfg)

#define udp_tunnel_sock_release(sk) \
	udp_tunnel_sock_release(compat_tunnel_sock(sk))

#endif /* HYV_COMPAT_UDP_TUNNEL_H */
