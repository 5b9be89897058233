// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: exchange [-w] [-p PORT] SIZE[,SIZE]... [HOST]
 *
 * Between two machines, the server, and the client which names its HOST: for
 * each SIZE the server registers a buffer in scattered pages with an odd start,
 * the client writes into it by RDMA and then reads, by RDMA, what the server
 * has put there; each side checks every byte.
 *
 * With -w the client writes messages of that SIZE again and again, for others
 * to count what that costs. It sleeps until SIGUSR1 and then polls for
 * completions, without system calls. Each further SIGUSR1 lets it begin or end
 * to write, and SIGTERM ends it. The server, which sleeps, checks the last
 * messages.
 */
#include <errno.h>
#include <netdb.h>
#include <signal.h>
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

/* Messages under way with -w. */
#define SLOTS 256U

/* Sent by each side, between machines of the same byte order. */
struct endpoint {
	union ibv_gid gid;
	uint32_t qpn;
	uint32_t rkey;
	uint64_t addr;
};

static volatile sig_atomic_t writing, stop;

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

/* A pair whose first QP is connected with the peer's; ends with a barrier. */
static void meet(struct rc_pair *pair, struct rc *rc, int fd,
		 struct ibv_mr *region, unsigned int depth,
		 struct endpoint *theirs)
{
	struct endpoint mine = {
		.gid = rc->gid,
		.rkey = region->rkey,
		.addr = (uintptr_t)region->addr,
	};

	rc_pair_create(pair, rc, depth, false);
	mine.qpn = pair->qp[0]->qp_num;
	swap(fd, &mine, theirs, sizeof(mine));
	rc_connect(rc, pair->qp[0], theirs->qpn, theirs->gid);
	wait_for_peer(fd);
}

static void exchange(struct rc *rc, int fd, size_t size, bool server)
{
	size_t whole = (ODD + size + PAGE - 1) & ~(PAGE - 1);
	char *buffer = pages_scattered(whole, size + 1);
	struct endpoint theirs;
	struct ibv_mr *region;
	struct rc_pair pair;

	pattern_fill(buffer, whole, 0, GUARD);
	region = rc_register(rc, buffer + ODD, size);
	meet(&pair, rc, fd, region, RC_DEPTH, &theirs);
	if (server)
		serve(fd, buffer, region, whole);
	else
		use(fd, &pair, region, &theirs);
	rc_pair_close(&pair);
	rc_deregister(region);
	pages_free(buffer, whole);
	printf("%zu bytes written and read\n", size);
}

static void on_signal(int number)
{
	if (number == SIGTERM)
		stop = 1;
	else
		writing = !writing;
}

/* Sleep until SIGUSR1; from then on signals change what the program does. */
static void wait_for_signal(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	printf("ready\n");
	sigwait(&signals, &number);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/*
 * Returns the number of messages. Each of those under way has a slot of its
 * own, and its number at the start. Makes no system call.
 */
static uint64_t write_on(struct rc_pair *pair, struct ibv_mr *region,
			 size_t size, const struct endpoint *peer)
{
	uint64_t posted = 0, done = 0;
	size_t offset;
	char *slot;

	while (!stop || done < posted) {
		if (writing && !stop && posted - done < SLOTS) {
			offset = posted % SLOTS * size;
			slot = (char *)region->addr + offset;
			memcpy(slot, &posted, sizeof(posted));
			rc_post(pair, IBV_WR_RDMA_WRITE, region, slot,
				peer->addr + offset, peer->rkey, size);
			posted++;
		}
		done += rc_poll(pair);
	}
	return posted;
}

/* Each slot has the last one of @count messages that was written to it. */
static void check_slots(const char *slots, size_t size, uint64_t count)
{
	uint64_t slot, offset, last, found;

	if (count < SLOTS)
		die("only %lu messages", (unsigned long)count);
	for (slot = 0; slot < SLOTS; slot++) {
		last = count - 1 - (count - 1 - slot) % SLOTS;
		offset = slot * size;
		memcpy(&found, slots + offset, sizeof(found));
		if (found != last)
			die("slot %lu has message %lu and not %lu",
			    (unsigned long)slot, (unsigned long)found,
			    (unsigned long)last);
		offset += sizeof(found);
		pattern_check("RDMA write", slots + offset,
			      size - sizeof(found), offset, WRITTEN);
	}
}

static void write_again(struct rc *rc, int fd, size_t size, bool server)
{
	size_t whole = (SLOTS * size + PAGE - 1) & ~(PAGE - 1);
	char *buffer = pages_scattered(whole, size + 1);
	struct endpoint theirs;
	uint64_t count = 0, other;
	struct ibv_mr *region;
	struct rc_pair pair;

	if (size < sizeof(count))
		die("a message has no room for its number");
	pattern_fill(buffer, whole, 0, server ? GUARD : WRITTEN);
	region = rc_register(rc, buffer, whole);
	meet(&pair, rc, fd, region, SLOTS, &theirs);
	if (!server) {
		wait_for_signal();
		count = write_on(&pair, region, size, &theirs);
	}
	swap(fd, &count, &other, sizeof(count));
	if (server)
		check_slots(buffer, size, other);
	rc_pair_close(&pair);
	rc_deregister(region);
	pages_free(buffer, whole);
	printf("%lu messages of %zu bytes\n",
	       (unsigned long)(server ? other : count), size);
}

int main(int argc, char **argv)
{
	const char *port = "18515";
	char *sizes, *size, *at;
	bool again = false;
	struct rc rc;
	int opt, fd;

	while ((opt = getopt(argc, argv, "wp:")) != -1) {
		switch (opt) {
		case 'w':
			again = true;
			break;
		case 'p':
			port = optarg;
			break;
		default:
			die("unknown option");
		}
	}
	if (optind == argc || optind + 2 < argc)
		die("usage: exchange [-w] [-p PORT] SIZE[,SIZE]... [HOST]");
	setvbuf(stdout, NULL, _IOLBF, 0);
	sizes = argv[optind];
	rc_open(&rc);
	fd = connect_to(argv[optind + 1], port);
	for (size = strtok_r(sizes, ",", &at); size;
	     size = strtok_r(NULL, ",", &at)) {
		if (again)
			write_again(&rc, fd, parse_size(size),
				    !argv[optind + 1]);
		else
			exchange(&rc, fd, parse_size(size), !argv[optind + 1]);
	}
	close(fd);
	rc_close(&rc);
	return 0;
}
