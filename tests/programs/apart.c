// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: apart
 *
 * After the end of a device, two processes that had it open must not share what
 * their queues were. Opens the device twice, as two processes would. A system
 * call of the first one does not return for a while, which delays all that the
 * RDMA core does in turn at the end of a device.
 *
 * Prints "waiting" when it waits for that end, and "apart" after it. Needs the
 * right to handle page faults of the kernel. If CQs are not mapped into
 * processes, there is nothing to share.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rc.h"

/* Until the driver knows of the end, the pages may be shared. */
#define SECONDS_SHARED 30.0
#define SECONDS_APART  1.0

#define MAX_MAPS 256
#define DRIVERS	 64 /* more than there are */

static int faults;
static struct ib_uverbs_ioctl_hdr *head;
static uint8_t *missing;

/*
 * Returns how often the device is mapped. Sets @added to the address of the
 * mapping that is not in @before.
 */
static unsigned int find_maps(uintptr_t *maps, const uintptr_t *before,
			      unsigned int nr_before, uintptr_t *added)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned int nr = 0, i;
	uintptr_t start;

	if (!file)
		die_errno("cannot read mappings");
	while (nr < MAX_MAPS && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "/uverbs") ||
		    sscanf(line, "%" SCNxPTR, &start) != 1)
			continue;
		maps[nr++] = start;
		for (i = 0; i < nr_before && before[i] != start; i++)
			;
		if (i == nr_before)
			*added = start;
	}
	fclose(file);
	return nr;
}

/* The queue of a new CQ, or NULL if it is memory of the process. */
static volatile uint64_t *map_queue(struct ibv_context *context)
{
	static uintptr_t before[MAX_MAPS], after[MAX_MAPS];
	uintptr_t queue = 0;
	unsigned int nr;

	nr = find_maps(before, NULL, 0, &queue);
	queue = 0;
	if (!ibv_create_cq(context, RC_DEPTH, NULL, NULL, 0))
		die_errno("cannot create a CQ");
	find_maps(after, before, nr, &queue);
	return (volatile uint64_t *)queue;
}

/* Make a page after @head that is missing until provide_missing(). */
static void make_missing(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {
		.range.len = PAGE,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die_errno("cannot map pages");
	missing = pages + PAGE;
	head = (struct ib_uverbs_ioctl_hdr *)missing - 1;
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0)
		die_errno("cannot handle page faults");
	range.range.start = (uintptr_t)missing;
	if (ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range))
		die_errno("cannot handle page faults");
}

static void provide_missing(void)
{
	struct uffdio_zeropage zero = {
		.range = {(uintptr_t)missing, PAGE},
	};

	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		die_errno("cannot provide a page");
}

/*
 * A command whose attributes are missing. It is refused at once for all drivers
 * but that of the device, whose number is in none of libibverbs's structures.
 */
static void *run_command(void *context)
{
	struct ibv_context *ibv = context;
	unsigned int i;

	for (i = 0; i < DRIVERS; i++) {
		*head = (struct ib_uverbs_ioctl_hdr){
			.length = sizeof(*head) + sizeof(struct ib_uverbs_attr),
			.object_id = UVERBS_OBJECT_DEVICE,
			.method_id = UVERBS_METHOD_QUERY_PORT,
			.num_attrs = 1,
			.driver_id = i,
		};
		ioctl(ibv->cmd_fd, RDMA_VERBS_IOCTL, head);
	}
	return NULL;
}

static void wait_for_end(struct ibv_context *context)
{
	struct ibv_pd *pd;

	while ((pd = ibv_alloc_pd(context))) {
		ibv_dealloc_pd(pd);
		usleep(10000);
	}
}

/* Returns whether what one writes comes to the other. */
static bool are_shared(volatile uint64_t *one, volatile uint64_t *other)
{
	double end = now() + SECONDS_APART;
	uint64_t count = 0;

	do {
		*one = 0x5a5a000000000000 + ++count;
		if (*other == 0x5a5a000000000000 + count)
			return true;
	} while (now() < end);
	return false;
}

static bool stay_shared(volatile uint64_t *one, volatile uint64_t *other)
{
	double end = now() + SECONDS_SHARED;

	while (are_shared(one, other)) {
		if (now() > end)
			return true;
		usleep(10000);
	}
	return false;
}

int main(void)
{
	struct ibv_context *context[2] = {
		rc_open_context(),
		rc_open_context(),
	};
	volatile uint64_t *queue[2];
	struct uffd_msg fault;
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	queue[0] = map_queue(context[0]);
	queue[1] = map_queue(context[1]);
	make_missing();
	errno = pthread_create(&thread, NULL, run_command, context[0]);
	if (errno)
		die_errno("cannot start a thread");
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		die_errno("cannot read a page fault");
	puts("waiting");
	wait_for_end(context[1]);
	if (queue[0] && queue[1] && stay_shared(queue[0], queue[1]))
		die("two processes share a page of the device that has ended");
	provide_missing();
	pthread_join(thread, NULL);
	puts("apart");
	return 0;
}
