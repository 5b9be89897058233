// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a VMM may not survive: processes, their end, and the health of the
 * host.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile_vmm.h"
#include "vnics.h"

uint64_t hostile_ms(unsigned int seconds)
{
	return 1000ULL * seconds * dt_timeout_scale();
}

/**
 * hostile_ends() - wait for a child, up to a time limit
 * @pid: the child
 * @seconds: longest time at a timeout scale of 1
 * @status: set if it has ended
 *
 * Return: false if it has not; it may be stuck in the kernel.
 */
bool hostile_ends(pid_t pid, unsigned int seconds, int *status)
{
	uint64_t end = dt_now_ms() + hostile_ms(seconds);

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (dt_now_ms() > end)
			return false;
		dt_sleep_us(5000);
	}
	return true;
}

static void print_file(pid_t pid, const char *name)
{
	char path[300], text[2048];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n > 0) {
		text[n] = '\0';
		tap_diag("%s:\n%s", path, text);
	}
}

/* Where the threads of a process group are in the kernel. */
static void print_group(pid_t group)
{
	struct dirent *entry;
	char name[300];
	DIR *proc, *tasks;
	pid_t pid;

	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = atoi(entry->d_name);
		if (getpgid(pid) != group)
			continue;
		snprintf(name, sizeof(name), "/proc/%d/task", pid);
		tasks = opendir(name);
		while (tasks && (entry = readdir(tasks)))
			if (isdigit((unsigned char)entry->d_name[0]))
				print_file(atoi(entry->d_name), "stack");
		if (tasks)
			closedir(tasks);
	}
	if (proc)
		closedir(proc);
}

pid_t hostile_fork(void (*fn)(void *arg), void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(arg);
		fflush(stdout);
		_exit(0);
	}
	REQUIRE(pid > 0, "fork");
	return pid;
}

static void expect_end(pid_t pid, const char *what, bool killed)
{
	uint64_t began = dt_now_ms();
	bool ended;
	int status = 0;

	ended = hostile_ends(pid, HOSTILE_END_S, &status);
	if (!ended) {
		print_file(pid, "stack");
		print_group(getpgid(pid));
	}
	tap_ok(ended && killed == WIFSIGNALED(status) &&
		       (killed ? WTERMSIG(status) == SIGKILL : !status),
	       "%s: the process has ended after %llu ms, status %#x", what,
	       (unsigned long long)(dt_now_ms() - began), status);
}

/* The process exits by itself, without an error. */
void hostile_expect_end(pid_t pid, const char *what)
{
	expect_end(pid, what, false);
}

/* The process has been, or is now, killed. */
void hostile_expect_killed(pid_t pid, const char *what)
{
	kill(pid, SIGKILL);
	expect_end(pid, what, true);
}

void hostile_pipe(struct hostile_pipe *p)
{
	REQUIRE(!pipe2(p->fd, O_CLOEXEC), "pipe");
}

void hostile_tell(struct hostile_pipe *p)
{
	REQUIRE(write(p->fd[1], "", 1) == 1, "write to a pipe");
}

bool hostile_hear(struct hostile_pipe *p, unsigned int seconds)
{
	struct pollfd pfd = {.fd = p->fd[0], .events = POLLIN};
	char byte;

	return poll(&pfd, 1, hostile_ms(seconds)) == 1 &&
	       read(p->fd[0], &byte, 1) == 1;
}

static void list_child(void *arg)
{
	struct hostile_pipe *p = arg;
	struct hostile_list list = {};
	struct vnics vnics;

	if (!vnics_get(&vnics))
		_exit(1);
	list.vnics = vnics.nr;
	list.pinned = vnics.pinned;
	list.queues = vnics.queues;
	if (write(p->fd[1], &list, sizeof(list)) != sizeof(list))
		_exit(1);
}

/**
 * hostile_list() - ask the host by netlink
 * @list: the answer
 *
 * In a child, so that an answer that never comes does not stop the test.
 *
 * Return: false if there was no answer in time.
 */
bool hostile_list(struct hostile_list *list)
{
	struct hostile_pipe p;
	bool ok = false;
	int status = 1;
	pid_t pid;

	hostile_pipe(&p);
	pid = hostile_fork(list_child, &p);
	/* The time to start a process is not the host's. */
	if (hostile_ends(pid, HOSTILE_ANSWER_S, &status) && !status)
		ok = read(p.fd[0], list, sizeof(*list)) == sizeof(*list);
	else
		print_file(pid, "stack");
	if (status)
		kill(pid, SIGKILL);
	close(p.fd[0]);
	close(p.fd[1]);
	return ok;
}

void hostile_expect_answer(const char *when)
{
	struct hostile_list list;

	tap_ok(hostile_list(&list), "netlink answers within a second %s", when);
}

bool hostile_no_vnics(unsigned int seconds)
{
	uint64_t end = dt_now_ms() + hostile_ms(seconds);
	struct hostile_list list = {.vnics = -1};

	while (!hostile_list(&list) || list.vnics) {
		if (dt_now_ms() > end) {
			tap_diag("%d vNICs are left", list.vnics);
			return false;
		}
		dt_sleep_us(50000);
	}
	return true;
}

/* A new vNIC, from attaching to data. */
static void fresh(void *arg)
{
	struct hostile_ep h;

	(void)arg;
	hostile_ep_init(&h);
	hostile_ep_raise(&h);
	vnic_close(&h.v);
	REQUIRE_EQ(dt_pinned_kib(), 0, "no memory is pinned");
}

static void check_health(const char *name)
{
	struct hostile_list list;
	int status = -1;
	bool ok;
	pid_t pid;

	tap_ok(hostile_list(&list), "%s: netlink answers afterwards", name);
	tap_ok(hostile_no_vnics(HOSTILE_END_S), "%s: no vNIC is left", name);
	pid = hostile_fork(fresh, NULL);
	ok = hostile_ends(pid, 2 * HOSTILE_END_S, &status) && !status;
	if (!ok) {
		print_file(pid, "stack");
		kill(pid, SIGKILL);
	}
	tap_ok(ok, "%s: a new vNIC works afterwards", name);
}

/* Kill what a test has left, and see that all of it ends. */
static void reap(const char *name, pid_t group)
{
	uint64_t end = dt_now_ms() + hostile_ms(HOSTILE_END_S);
	int status;

	kill(-group, SIGKILL);
	while (waitpid(-1, &status, WNOHANG) >= 0 || errno != ECHILD) {
		if (dt_now_ms() > end) {
			print_group(group);
			tap_ok(false, "%s: all of its processes can be killed",
			       name);
			return;
		}
		dt_sleep_us(5000);
	}
}

static void run_one(const struct hostile_test *test)
{
	uint64_t began = dt_now_ms();
	unsigned int failed = tap->failed;
	int status = 0;
	pid_t pid;

	tap_diag("%s", test->name);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		test->fn();
		fflush(stdout);
		_exit(0);
	}
	REQUIRE(pid > 0, "fork");
	setpgid(pid, pid);
	if (!hostile_ends(pid, test->seconds, &status)) {
		print_group(pid);
		tap_ok(false, "%s: ends within %u seconds", test->name,
		       test->seconds * dt_timeout_scale());
	} else if (status && failed == tap->failed) {
		tap_ok(false, "%s: status %#x", test->name, status);
	}
	reap(test->name, pid);
	check_health(test->name);
	tap_diag("%s: %.1f s", test->name, (dt_now_ms() - began) / 1000.0);
}

/**
 * hostile_run() - run tests, and check after each that the host is healthy
 * @test: the tests
 * @nr: how many
 */
void hostile_run(const struct hostile_test *test, size_t nr)
{
	struct dt_counts before = dt_counts();
	size_t i;

	/* Processes that a test leaves behind become children of this one. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tap_ok(hostile_no_vnics(HOSTILE_END_S), "there is no vNIC at first");
	for (i = 0; i < nr; i++)
		run_one(&test[i]);
	dt_expect_counts(&before, "after all of these tests");
}

void hostile_ep_init(struct hostile_ep *h)
{
	memset(h, 0, sizeof(*h));
	gmem_init(&h->gm, GMEM_MEMFD);
	vnic_open(&h->v, &h->gm);
	db_init(&h->db, &h->v, 0);
	REQUIRE_EQ(db_setup(&h->db, &h->v), 0, "SETUP_DOORBELLS");
	ep_init(&h->ep, &h->v, &h->db, 63, 0);
	ep_connect(&h->ep, &h->ep);
	gbuf_init(&h->buf, &h->gm, 2 * DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_reg_mr(&h->v, h->ep.pd, &h->buf, ACCESS_REMOTE, &h->mr),
		   0, "REG_MR");
}

/* Arm the CQ, and cause a completion: an event of queue 0. */
void hostile_ep_raise(struct hostile_ep *h)
{
	struct ep_wr wr = {
		.opcode = IB_UVERBS_WR_RDMA_WRITE,
		.id = 1,
		.local = h->buf.va,
		.lkey = h->mr.lkey,
		.length = 64,
		.remote = h->buf.va + DT_PAGE,
		.rkey = h->mr.rkey,
	};

	REQUIRE(db_arm_wait(&h->db, h->ep.cq.slot, false), "the CQ is armed");
	REQUIRE_EQ(ep_do(&h->ep, &wr), 0, "RDMA write");
}

/* An event queue whose rings are two pages of memory of their own. */
void hostile_rings_at(struct evq *q, struct vnic *v, uint8_t *rings)
{
	evq_init(q, v, 0, 8, false);
	q->desc = (void *)rings;
	q->avail = (void *)(rings + 2048);
	q->used = (void *)(rings + DT_PAGE);
	evq_post_all(q);
}

/* The mapping in which hyv.ko joins pages: the last one, if there are several.
 */
void hostile_find_stitch(char **at, size_t *len)
{
	unsigned long start, end;
	char line[256];
	FILE *f = fopen("/proc/self/maps", "r");

	*at = NULL;
	REQUIRE(f, "/proc/self/maps");
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "hyv-stitch") &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2) {
			*at = (char *)start;
			*len = end - start;
		}
	fclose(f);
	REQUIRE(*at, "the pages are in one mapping");
}
