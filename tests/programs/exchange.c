// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: exchange [-p PORT] SIZE[,SIZE]... [HOST]
 *
 * Between two machines, the server, and the client which names its HOST: for
 * each SIZE the server registers a buffer in scattered pages with an odd start,
 * the client writes into it by RDMA and then reads, by RDMA, what the server
 * has put there; each side checks every byte.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rc.h"

#define ODD	   37UL
#define GUARD	   1UL
#define WRITTEN	   2UL
#define TO_BE_READ 3UL

/* Sent by each side, between machines of the same byte order. */
struct endpoint {
	union ibv_gid gid;
	uint32_t qpn;
	uint32_t rkey;
	uint64_t addr;
};

static int connect_to(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *ai;
	int fd = -1, one = 1;

	if (!host) {
		hints.ai_flags = AI_PASSIVE;
		hints.ai_family = AF_INET;
	}
	if (getaddrinfo(host, port, &hints, &list))
		die("no such address: %s", host);
	for (ai = list; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);
		if (fd < 0)
			die_errno("no socket");
		if (!host) {
			setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one,
				   sizeof(one));
			if (bind(fd, ai->ai_addr, ai->ai_addrlen) ||
			    listen(fd, 1))
				die_errno("cannot listen to port %s", port);
			fd = accept(fd, NULL, NULL);
			if (fd < 0)
				die_errno("cannot accept");
			break;
		}
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			break;
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		die_errno("cannot connect to %s", host);
	freeaddrinfo(list);
	return fd;
}

/* Tell the peer as many bytes as it tells us; also a barrier. */
static void swap(int fd, const void *mine, void *theirs, size_t length)
{
	if (send(fd, mine, length, MSG_NOSIGNAL) != (ssize_t)length ||
	    recv(fd, theirs, length, MSG_WAITALL) != (ssize_t)length)
		die("the peer is gone");
}

static void wait_for_peer(int fd)
{
	char byte = 0;

	swap(fd, &byte, &byte, 1);
}

static void serve(int fd, char *buffer, struct ibv_mr *region, size_t whole)
{
	size_t end = ODD + region->length;

	wait_for_peer(fd);
	pattern_check("before the region", buffer, ODD, 0, GUARD);
	pattern_check("RDMA write", region->addr, region->length, ODD, WRITTEN);
	pattern_check("behind the region", buffer + end, whole - end, end,
		      GUARD);
	pattern_fill(buffer, whole, 0, TO_BE_READ);
	wait_for_peer(fd);
	wait_for_peer(fd);
}

static void use(int fd, struct rc_pair *pair, struct ibv_mr *region,
		const struct endpoint *peer)
{
	pattern_fill(region->addr, region->length, ODD, WRITTEN);
	rc_transfer(pair, IBV_WR_RDMA_WRITE, region, region->addr, peer->addr,
		    peer->rkey, region->length);
	wait_for_peer(fd);
	wait_for_peer(fd);
	rc_transfer(pair, IBV_WR_RDMA_READ, region, region->addr, peer->addr,
		    peer->rkey, region->length);
	pattern_check("RDMA read", region->addr, region->length, ODD,
		      TO_BE_READ);
	wait_for_peer(fd);
}

static void exchange(struct rc *rc, int fd, size_t size, bool server)
{
	size_t whole = (ODD + size + PAGE - 1) & ~(PAGE - 1);
	char *buffer = pages_scattered(whole, size + 1);
	struct endpoint mine = {.gid = rc->gid}, theirs;
	struct ibv_mr *region;
	struct rc_pair pair;

	pattern_fill(buffer, whole, 0, GUARD);
	region = rc_register(rc, buffer + ODD, size);
	rc_pair_create(&pair, rc, false);
	mine.qpn = pair.qp[0]->qp_num;
	mine.rkey = region->rkey;
	mine.addr = (uintptr_t)region->addr;
	swap(fd, &mine, &theirs, sizeof(mine));
	rc_connect(rc, pair.qp[0], theirs.qpn, theirs.gid);
	wait_for_peer(fd);
	if (server)
		serve(fd, buffer, region, whole);
	else
		use(fd, &pair, region, &theirs);
	rc_pair_close(&pair);
	rc_deregister(region);
	pages_free(buffer, whole);
	printf("%zu bytes written and read\n", size);
}

int main(int argc, char **argv)
{
	const char *port = "18515";
	char *sizes, *size, *at;
	struct rc rc;
	int opt, fd;

	while ((opt = getopt(argc, argv, "p:")) != -1) {
		if (opt != 'p')
			die("unknown option");
		port = optarg;
	}
	if (optind == argc || optind + 2 < argc)
		die("usage: exchange [-p PORT] SIZE[,SIZE]... [HOST]");
	sizes = argv[optind];
	rc_open(&rc);
	fd = connect_to(argv[optind + 1], port);
	for (size = strtok_r(sizes, ",", &at); size;
	     size = strtok_r(NULL, ",", &at))
		exchange(&rc, fd, parse_size(size), !argv[optind + 1]);
	close(fd);
	rc_close(&rc);
	return 0;
}
