// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: verbs [GROUP...]
 *
 * Use every verb, rightly and wrongly, on both ends of connections within this
 * device, and say what came of it: one line for each step, the same in each
 * run. So a diff tells how two devices differ, like an HCA and what a guest has
 * of it.
 *
 * A step that waits in vain says "timeout". What VERBS_PATIENCE says is how
 * many seconds that takes; a group of steps has 24 times as many.
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

static const struct group {
	const char *name;
	void (*run)(void);
} groups[] = {
	{"device", group_device},
	{"arguments", group_arguments},
	{"qp", group_qp},
	{"rc", group_rc},
	{"uc", group_uc},
	{"ud", group_ud},
	{"mcast", group_mcast},
	{"cq", group_cq},
	{"overrun", group_overrun},
	{"events", group_events},
	{"srq", group_srq},
	{"async", group_async},
	{"wr", group_wr},
	{"mr", group_mr},
	{"rereg", group_rereg},
	{"mw", group_mw},
	{"mwerrors", group_mwerrors},
	{"errors", group_errors},
	{"flush", group_flush},
	{"contexts", group_contexts},
	{"others", group_others},
	{"fork", group_fork},
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

static void run(const struct group *group)
{
	double limit = 24 * patience(), end = now() + limit + 10;
	int status;
	pid_t pid;

	running = group->name;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		alarm(limit);
		rc_open(&dev);
		group->run();
		rc_close(&dev);
		say("end");
		exit(0);
	}
	/* it may be in a system call that no signal ends */
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

static const struct group *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(groups[i].name, name))
			return &groups[i];
	die("there is no group %s", name);
}

int main(int argc, char **argv)
{
	size_t i;
	int j;

	for (j = 1; j < argc; j++)
		find(argv[j]);
	for (j = 1; j < argc; j++)
		run(find(argv[j]));
	if (argc > 1)
		return 0;
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		run(&groups[i]);
	return 0;
}
