// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suites of tests in TAP, and what every suite needs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* Wait for a child; its status, or -1 when it had to be killed. */
static int dt_wait(pid_t pid, unsigned int timeout)
{
	uint64_t end = dt_now_ms() + 1000ULL * timeout;
	int status;

	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		if (dt_now_ms() > end)
			break;
		dt_sleep_us(5000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/**
 * dt_suite_run() - run a suite in a process of its own
 * @suite: the suite
 */
void dt_suite_run(const struct dt_suite *suite)
{
	unsigned int failed = tap->failed;
	unsigned int timeout = suite->timeout * dt_timeout_scale();
	uint64_t began = dt_now_ms();
	int status;
	pid_t pid;

	tap_diag("%s: %s", suite->name, suite->about);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		suite->fn();
		fflush(stdout);
		_exit(0);
	}
	REQUIRE(pid > 0, "%s: fork", suite->name);
	status = dt_wait(pid, timeout);
	if (status == -1)
		tap_ok(false, "%s: ends within %u seconds", suite->name,
		       timeout);
	else if (WIFSIGNALED(status))
		tap_ok(false, "%s: killed by signal %d", suite->name,
		       WTERMSIG(status));
	else if (WEXITSTATUS(status) && failed == tap->failed)
		tap_ok(false, "%s: exit status %d", suite->name,
		       WEXITSTATUS(status));
	tap_diag("%s: %.1f s", suite->name, (dt_now_ms() - began) / 1000.0);
}

uint64_t dt_random(struct dt_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint32_t dt_below(struct dt_rng *rng, uint32_t n)
{
	return (dt_random(rng) >> 32) % n;
}

uint64_t dt_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

void dt_sleep_us(unsigned int us)
{
	struct timespec ts = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000,
	};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

unsigned int dt_timeout_scale(void)
{
	const char *text = getenv("DEVTEST_TIMEOUT_SCALE");

	return text ? strtoul(text, NULL, 0) : 1;
}

unsigned int dt_hang_ms(void)
{
	return 1000 * DT_HANG_S * dt_timeout_scale();
}

const char *dt_ibdev(void)
{
	const char *name = getenv("IBDEV");

	return name ? name : "rxe0";
}

/* Is it the mock HCA (tests/mock)? */
bool dt_on_mock(void)
{
	return !strncmp(dt_ibdev(), "mock", 4);
}

static bool dt_uverbs_is(const char *entry, const char *ibdev)
{
	char path[512], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/%s/ibdev",
		 entry);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, ibdev);
}

const char *dt_uverbs(void)
{
	static char path[300];
	struct dirent *entry;
	DIR *dir;

	dir = opendir("/sys/class/infiniband_verbs");
	REQUIRE(dir, "/sys/class/infiniband_verbs exists");
	path[0] = '\0';
	while ((entry = readdir(dir)))
		if (dt_uverbs_is(entry->d_name, dt_ibdev()))
			snprintf(path, sizeof(path), "/dev/infiniband/%s",
				 entry->d_name);
	closedir(dir);
	REQUIRE(path[0], "%s has a uverbs device", dt_ibdev());
	return path;
}

/* The number that follows " NAME " in a line. */
static int dt_field(const char *line, const char *name)
{
	char word[16];
	const char *at;

	snprintf(word, sizeof(word), " %s ", name);
	at = strstr(line, word);
	return at ? atoi(at + strlen(word)) : -1;
}

struct dt_counts dt_counts(void)
{
	struct dt_counts c = {-1, -1, -1, -1, -1, -1};
	char line[512], name[80];
	FILE *f;

	snprintf(name, sizeof(name), ": %s: ", dt_ibdev());
	f = popen("rdma resource show", "r");
	REQUIRE(f, "the rdma command runs");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = ' ';
		if (!strstr(line, name))
			continue;
		c.pd = dt_field(line, "pd");
		c.cq = dt_field(line, "cq");
		c.qp = dt_field(line, "qp");
		c.mr = dt_field(line, "mr");
		c.srq = dt_field(line, "srq");
		c.ctx = dt_field(line, "ctx");
	}
	pclose(f);
	REQUIRE(c.pd >= 0 && c.ctx >= 0, "rdma resource shows %s", dt_ibdev());
	return c;
}

void dt_expect_counts(const struct dt_counts *want, const char *when)
{
	struct dt_counts got;
	bool same;

	same = dt_until_every(
		50000, (got = dt_counts(), !memcmp(&got, want, sizeof(got))));
	tap_ok(same,
	       "%s: pd %d cq %d qp %d mr %d srq %d ctx %d are left of %d %d %d %d %d %d",
	       when, got.pd, got.cq, got.qp, got.mr, got.srq, got.ctx, want->pd,
	       want->cq, want->qp, want->mr, want->srq, want->ctx);
}

long dt_pinned_kib(void)
{
	char line[256];
	long kib = -1;
	FILE *f;

	f = fopen("/proc/self/status", "r");
	REQUIRE(f, "/proc/self/status opens");
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmPin:", 6))
			kib = atol(line + 6);
	fclose(f);
	REQUIRE(kib >= 0, "/proc/self/status has VmPin");
	return kib;
}

/* Longest line of the kernel's log. */
#define KLOG_LINE 1024

int dt_klog_open(void)
{
	int klog = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	REQUIRE(klog >= 0 && lseek(klog, 0, SEEK_END) >= 0, "/dev/kmsg opens");
	return klog;
}

/* Read on to a line that has all three words, and wait for it. */
bool dt_klog_has(int klog, const char *const word[3], unsigned int seconds)
{
	uint64_t end = dt_now_ms() + 1000ULL * seconds * dt_timeout_scale();
	char line[KLOG_LINE + 1];
	ssize_t n;

	while (dt_now_ms() < end) {
		n = read(klog, line, KLOG_LINE);
		if (n < 0) {
			dt_sleep_us(50000);
			continue;
		}
		line[n] = '\0';
		if (strstr(line, word[0]) && strstr(line, word[1]) &&
		    strstr(line, word[2])) {
			tap_diag("%s", line);
			return true;
		}
	}
	return false;
}

long dt_quota(const char *name, bool limit)
{
	char line[256], key[64];
	long used, max, found = -1;
	FILE *f;

	snprintf(line, sizeof(line), "hyv show pid %d", getpid());
	fflush(stdout);
	f = popen(line, "r");
	REQUIRE(f, "popen");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %63s %ld of %ld", key, &used, &max) == 3 &&
		    !strcmp(key, name))
			found = limit ? max : used;
	pclose(f);
	return found;
}

int dt_run(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fflush(stdout);
	return system(text);
}
