// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Failures of the hyv command. */
#include <errno.h>
#include <stdlib.h>

#include "command.h"

void quit(int code)
{
	fputs(code == EXIT_USAGE ? " (see hyv --help)\n" : "\n", stderr);
	exit(code);
}

int exit_code(int err)
{
	switch (err) {
	case -ENOENT:
		return EXIT_NOT_FOUND;
	case -ENXIO:
		return EXIT_NOT_LOADED;
	case -EPERM:
		return EXIT_NO_PERMISSION;
	}
	return EXIT_OTHER;
}

void fail_errno(struct hyv_context *ctx, int err)
{
	fail(exit_code(err), "%s", hyv_strerror(ctx, err));
}
