// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: apart [children]
 *
 * After the end of a device, two processes that had it open must not share what
 * their queues were, or their doorbell pages if queues are memory of the
 * process. Opens the device twice, as two processes would. A system call of the
 * first one does not return for a while, which delays all that the RDMA core
 * does in turn at the end of a device.
 *
 * Prints "waiting" when it waits for that end, and "apart" after it. Needs the
 * right to handle page faults of the kernel.
 *
 * With "children", it forks children while the device ends instead, and prints
 * "forking" when it begins. They have copies of the mappings of both, of which
 * the RDMA core does not know all.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rc.h"

/* Until the driver knows of the end, the pages may be shared. */
#define SECONDS_SHARED 30.0
#define SECONDS_APART  1.0

#define MAX_MAPS 256
#define DRIVERS	 64 /* more than there are */

/* So that the end of a device takes long enough to fork some children. */
#define MORE_QUEUES 100
#define CHILDREN    200 /* that are alive */

#define PATTERN 0x5a5a000000000000

static int faults;
static struct ib_uverbs_ioctl_hdr *head;
static uint8_t *missing;

/* How the device was mapped. */
static uintptr_t before[MAX_MAPS];
static unsigned int nr_before;

/*
 * Returns how often the device is mapped to be written. Sets @added to the
 * address of a mapping that is not in @before.
 */
static unsigned int find_maps(uintptr_t *maps, uintptr_t *added)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512], writable;
	unsigned int nr = 0, i;
	uintptr_t start;

	if (!file)
		die_errno("cannot read mappings");
	while (nr < MAX_MAPS && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "/uverbs") ||
		    sscanf(line, "%" SCNxPTR "-%*x %*c%c", &start, &writable) !=
			    2 ||
		    writable != 'w')
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

static void maps_begin(void)
{
	uintptr_t last;

	nr_before = 0;
	nr_before = find_maps(before, &last);
}

/* Returns a mapping that was added since then, or NULL. */
static volatile uint64_t *maps_end(void)
{
	static uintptr_t after[MAX_MAPS];
	uintptr_t added = 0;

	find_maps(after, &added);
	return (volatile uint64_t *)added;
}

/* The queue of a new CQ, or NULL if it is memory of the process. */
static volatile uint64_t *map_queue(struct ibv_context *context)
{
	maps_begin();
	if (!ibv_create_cq(context, RC_DEPTH, NULL, NULL, 0))
		die_errno("cannot create a CQ");
	return maps_end();
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
		*one = PATTERN + ++count;
		if (*other == PATTERN + count)
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

static void test_processes(struct ibv_context **context,
			   volatile uint64_t **queue)
{
	struct uffd_msg fault;
	pthread_t thread;

	make_missing();
	errno = pthread_create(&thread, NULL, run_command, context[0]);
	if (errno)
		die_errno("cannot start a thread");
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		die_errno("cannot read a page fault");
	puts("waiting");
	wait_for_end(context[1]);
	if (stay_shared(queue[0], queue[1]))
		die("two processes share a page of the device that has ended");
	provide_missing();
	pthread_join(thread, NULL);
}

/* How a child ends. */
enum { CHILD_APART, CHILD_WITHOUT, CHILD_SHARED, CHILD_FAILED };

/* The parent closes one end of a pipe when children may go on. */
static int go_on[2], written[2];

static sigjmp_buf no_page;

static void on_no_page(int signal)
{
	(void)signal;
	siglongjmp(no_page, 1);
}

static void wait_for_parent(const int *pipe)
{
	char byte;

	if (read(pipe[0], &byte, sizeof(byte)) < 0)
		_exit(CHILD_FAILED);
}

/* Writes to one mapping, and looks at the other when all have done that. */
static void be_child(volatile uint64_t **queue)
{
	volatile int result = CHILD_APART;

	close(go_on[1]);
	close(written[1]);
	signal(SIGBUS, on_no_page);
	wait_for_parent(go_on);
	if (sigsetjmp(no_page, 1))
		result = CHILD_WITHOUT;
	else
		*queue[0] = PATTERN;
	wait_for_parent(written);
	if (sigsetjmp(no_page, 1))
		result = CHILD_WITHOUT;
	else if (*queue[1] == PATTERN)
		result = CHILD_SHARED;
	_exit(result);
}

/* Fork children until the device is gone. The last ones stay alive. */
static void fork_until_end(const char *path, volatile uint64_t **queue,
			   pid_t *child)
{
	unsigned int i;
	pid_t *at;

	for (i = 0; !access(path, F_OK); i++) {
		at = &child[i % CHILDREN];
		if (*at) {
			kill(*at, SIGKILL);
			waitpid(*at, NULL, 0);
		}
		*at = fork();
		if (*at < 0)
			die_errno("cannot fork");
		if (!*at)
			be_child(queue);
	}
}

static void test_children(struct ibv_context **context,
			  volatile uint64_t **queue)
{
	unsigned int count[CHILD_FAILED] = {0}, i;
	pid_t child[CHILDREN] = {0};
	char path[128];
	int status;

	for (i = 0; i < MORE_QUEUES; i++)
		map_queue(context[i % 2]);
	if (pipe(go_on) || pipe(written))
		die_errno("cannot make a pipe");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s",
		 ibv_get_device_name(context[0]->device));
	puts("forking");
	fork_until_end(path, queue, child);
	close(go_on[1]);
	sleep(2);
	close(written[1]);
	for (i = 0; i < CHILDREN && child[i]; i++) {
		if (waitpid(child[i], &status, 0) < 0 || !WIFEXITED(status) ||
		    WEXITSTATUS(status) >= CHILD_FAILED)
			die("a child has ended with status 0x%x", status);
		count[WEXITSTATUS(status)]++;
	}
	printf("%u children have no page, %u one of their own\n",
	       count[CHILD_WITHOUT], count[CHILD_APART]);
	if (count[CHILD_SHARED])
		die("%u children share a page of the device that has ended",
		    count[CHILD_SHARED]);
	if (!count[CHILD_WITHOUT])
		die("the device has ended before a child could be forked");
}

int main(int argc, char **argv)
{
	struct ibv_context *context[2];
	volatile uint64_t *queue[2], *doorbells;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < 2; i++) {
		maps_begin();
		context[i] = rc_open_context();
		doorbells = maps_end();
		queue[i] = map_queue(context[i]);
		if (!queue[i])
			queue[i] = doorbells;
		if (!queue[i])
			die("the device is not mapped");
	}
	if (argc > 1 && !strcmp(argv[1], "children"))
		test_children(context, queue);
	else
		test_processes(context, queue);
	puts("apart");
	return 0;
}
