// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults in the kernel, by /proc/thread-self/fail-nth.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failnth.h"
#include "harness.h"

/* Per thread. The number is 0 unless the next ioctl gets a fault. */
static __thread int failnth_fd = -1;
static __thread unsigned int failnth_next;
static __thread bool failnth_was_injected;

static void failnth_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	REQUIRE(fd >= 0 && write(fd, text, 1) == 1, "%s accepts %s", path,
		text);
	close(fd);
}

/*
 * Let no fault hit what kmemleak allocates for itself, once for each allocation
 * of others: it does without, so that no test would see anything of the fault.
 */
static void failnth_choose_caches(void)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	char path[300];
	int fd;

	REQUIRE(dir, "/sys/kernel/slab can be read");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    !strncmp(entry->d_name, "kmemleak_", 9))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab",
			 entry->d_name);
		/* A cache may have been removed by now. */
		fd = open(path, O_WRONLY);
		if (fd < 0)
			continue;
		REQUIRE(write(fd, "1", 1) == 1, "%s accepts 1", path);
		close(fd);
	}
	closedir(dir);
	failnth_write("/sys/kernel/debug/failslab/cache-filter", "Y");
}

/**
 * failnth_init() - prepare for faults in ioctls of this thread
 *
 * Return: false if the kernel has none.
 */
bool failnth_init(void)
{
	static const char *const kinds[] = {"failslab", "fail_page_alloc",
					    "fail_usercopy"};
	char path[80];
	size_t i;

	failnth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (failnth_fd < 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (getenv("FAILNTH_VERBOSE"))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose",
			 kinds[i]);
		failnth_write(path, "0");
	}
	failnth_choose_caches();
	/* Allocations that may wait fail as well, and those of user memory. */
	failnth_write("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	failnth_write("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	failnth_write("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem",
		      "N");
	failnth_write("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	return true;
}

/* In the next ioctl, the call number @n that can fail does. */
void failnth_set(unsigned int n)
{
	failnth_next = n;
	failnth_was_injected = false;
}

/* Check whether the last ioctl with a fault had so many calls. */
bool failnth_injected(void)
{
	return failnth_was_injected;
}

void failnth_begin(void)
{
	char text[16];
	int len;

	if (!failnth_next)
		return;
	len = snprintf(text, sizeof(text), "%u", failnth_next);
	if (pwrite(failnth_fd, text, len, 0) != len)
		abort();
}

/*
 * The number that is left. Reading it copies it to user space, which is a call
 * that can fail as well.
 */
static int failnth_left(void)
{
	char text[16] = "";

	if (pread(failnth_fd, text, sizeof(text) - 1, 0) > 0)
		return atoi(text);
	if (errno != EFAULT)
		abort();
	return 1;
}

void failnth_end(void)
{
	int error = errno, tries;

	if (!failnth_next)
		return;
	failnth_next = 0;
	failnth_was_injected = !failnth_left();
	/* The rest must not hit anything else. This may be what it hits. */
	for (tries = 0; pwrite(failnth_fd, "0", 1, 0) != 1; tries++)
		if (tries)
			abort();
	errno = error;
}
