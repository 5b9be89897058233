// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: verbs [SUITE...]
 *        verbs -l
 *
 * Use every verb, correctly and wrongly, on both ends of connections within
 * this device, and print the result of each step: a line that is the same in
 * each run. A diff then shows how two devices differ, such as an HCA and the
 * vNIC of a guest. -l lists the suites; the last line of one that has not
 * failed is "SUITE: end".
 *
 * A step that waits for something that does not happen prints "timeout", after
 * hang_seconds(); a suite has 10 times as long.
 *
 * Some work requests are left out although a process may post them: stock rxe
 * crashes on opcodes beyond its table, on registrations by user space, and when
 * a memory window of type 2 that is not bound is invalidated. Its 6.1 also
 * loses an SRQ's queue if a new size is too small for what is posted.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs.h"

static const struct suite {
	const char *name;
	void (*run)(void);
} suites[] = {
	{"device", suite_device},
	{"arguments", suite_arguments},
	{"qp", suite_qp},
	{"rc", suite_rc},
	{"uc", suite_uc},
	{"ud", suite_ud},
	{"mcast", suite_mcast},
	{"cq", suite_cq},
	{"overrun", suite_overrun},
	{"events", suite_events},
	{"srq", suite_srq},
	{"async", suite_async},
	{"wr", suite_wr},
	{"mr", suite_mr},
	{"rereg", suite_rereg},
	{"mw", suite_mw},
	{"mwerrors", suite_mwerrors},
	{"errors", suite_errors},
	{"flush", suite_flush},
	{"contexts", suite_contexts},
	{"others", suite_others},
	{"fork", suite_fork},
};

static const char *running;

void say(const char *format, ...)
{
	va_list args;

	printf("%s: ", running);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static void run(const struct suite *suite)
{
	double limit = 10 * hang_seconds(), end = now() + limit + 10;
	int status;
	pid_t pid;

	running = suite->name;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		alarm(limit);
		rc_open(&dev);
		suite->run();
		rc_close(&dev);
		say("end");
		exit(0);
	}
	/* It may be in a system call that no signal interrupts. */
	while (!waitpid(pid, &status, WNOHANG)) {
		if (now() > end) {
			say("hangs");
			return;
		}
		usleep(10000);
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		say("timeout");
	else if (WIFSIGNALED(status))
		say("killed by signal %d", WTERMSIG(status));
	else if (status)
		say("ended with status %d", WEXITSTATUS(status));
}

static const struct suite *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	die("unknown suite '%s'", name);
}

int main(int argc, char **argv)
{
	size_t i;
	int j;

	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
			puts(suites[i].name);
		return 0;
	}
	for (j = 1; j < argc; j++)
		find(argv[j]);
	for (j = 1; j < argc; j++)
		run(find(argv[j]));
	if (argc > 1)
		return 0;
	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		run(&suites[i]);
	return 0;
}
