// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: regloop SIZE
 *
 * Register and deregister a scattered buffer of SIZE bytes until killed. Says
 * when the first registration is about to begin.
 */
#include <stdio.h>

#include "rc.h"

int main(int argc, char **argv)
{
	void *buffer;
	size_t size;
	struct rc rc;

	if (argc != 2)
		die("usage: regloop SIZE");
	size = parse_size(argv[1]);
	rc_open(&rc);
	buffer = pages_scattered(size, 1);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		rc_deregister(rc_register(&rc, buffer, size));
}
