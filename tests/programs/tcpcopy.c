// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: tcpcopy -l ADDRESS PORT BYTES    wait for a connection, receive, check
 *        tcpcopy ADDRESS PORT BYTES       connect and send
 *
 * A program that knows nothing but TCP, for librspreload.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* The byte at an offset of the stream. */
static uint8_t byte_at(uint64_t at)
{
	return at ^ at >> 8 ^ at >> 16;
}

static void copy_out(int fd, uint64_t bytes)
{
	uint8_t buf[65536];
	uint64_t at = 0;
	ssize_t n;
	size_t i;

	while (at < bytes) {
		for (i = 0; i < sizeof(buf); i++)
			buf[i] = byte_at(at + i);
		n = bytes - at < sizeof(buf) ? bytes - at : sizeof(buf);
		n = send(fd, buf, n, 0);
		if (n <= 0)
			die("send");
		at += n;
	}
	/* The receiver says when it has all. */
	if (recv(fd, buf, 1, 0) != 1)
		die("recv");
}

static void copy_in(int fd, uint64_t bytes)
{
	uint8_t buf[65536];
	uint64_t at = 0;
	ssize_t n, i;

	while (at < bytes) {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n <= 0)
			die("recv");
		for (i = 0; i < n; i++) {
			if (buf[i] != byte_at(at + i)) {
				fprintf(stderr, "byte %llu is wrong\n",
					(unsigned long long)at + i);
				exit(1);
			}
		}
		at += n;
	}
	if (send(fd, buf, 1, 0) != 1)
		die("send");
}

int main(int argc, char **argv)
{
	bool server = argc > 1 && !strcmp(argv[1], "-l");
	struct sockaddr_in addr = {.sin_family = AF_INET};
	int fd, one = 1;

	argv += server;
	argc -= server;
	if (argc != 4 || inet_pton(AF_INET, argv[1], &addr.sin_addr) != 1) {
		fprintf(stderr, "usage: tcpcopy [-l] ADDRESS PORT BYTES\n");
		return 2;
	}
	addr.sin_port = htons(atoi(argv[2]));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		die("socket");
	if (server) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
			die("bind");
		if (listen(fd, 1))
			die("listen");
		fd = accept(fd, NULL, NULL);
		if (fd < 0)
			die("accept");
		copy_in(fd, strtoull(argv[3], NULL, 10));
	} else {
		if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			die("connect");
		copy_out(fd, strtoull(argv[3], NULL, 10));
	}
	printf("all is right\n");
	close(fd);
	return 0;
}
