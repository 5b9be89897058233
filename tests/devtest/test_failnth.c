// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and every copy of user memory fails once: in each ioctl,
 * each command, and each step of the life and the end of a guest's process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"
#include "failnth.h"
#include "fixture.h"
#include "fuzz_vmm.h"
#include "life.h"
#include "mockctl.h"
#include "suites.h"

/* More calls that can fail than any system call has. */
#define FAILNTH_MAX 2000

static struct gmem gm;
static struct gbuf buf;
static struct gbuf mi;
static struct fixture fix;
static unsigned int faults;

/*
 * A command or an ioctl that has done its work fails if its result cannot be
 * written, and cannot be repeated. How many faults of a sweep were of that
 * kind, and how many may be: the last one or two calls, which are the same for
 * a few faults, because the number of allocations before them varies.
 */
static unsigned int lost;
#define LOST_MAX 5

/* --- A sweep -------------------------------------------------------------- */

/*
 * A fault becomes one of these, or goes unnoticed. rxe and others report a copy
 * that failed as EINVAL; EIO stands for what the protocol has no status for,
 * such as a socket that cannot be made.
 */
static bool clean(int ret)
{
	return !ret || ret == HYV_S_ENOMEM || ret == HYV_S_EFAULT ||
	       ret == HYV_S_EINVAL || ret == HYV_S_EIO || ret == -ENOMEM ||
	       ret == -EFAULT;
}

/*
 * Call @once with fault after fault, until the system call under test has no
 * more that can fail: then it returns false.
 */
static void sweep(const char *name, bool (*once)(size_t arg, unsigned int n),
		  size_t arg)
{
	const char *only = getenv("FAILNTH_ONLY");
	struct dt_counts counts;
	struct mock_held held;
	unsigned int n = 1;

	if (only && !strstr(name, only))
		return;
	counts = dt_counts();
	if (dt_on_mock())
		mock_held(&held);
	lost = 0;
	while (n < FAILNTH_MAX && once(arg, n))
		n++;
	tap_ok(n > 1 && n < FAILNTH_MAX && lost <= LOST_MAX,
	       "%s: %u faults, of which %u lost the result", name, n - 1, lost);
	faults += n - 1;
	dt_expect_counts(&counts, name);
	if (dt_on_mock())
		mock_expect_held(&held, name);
}

/* --- Ioctls --------------------------------------------------------------- */

static int do_get_info(struct vnic *v)
{
	struct hyv_get_info arg = {.size = sizeof(arg)};

	return hyv_ioctl(v->fd, HYV_GET_INFO, &arg);
}

static int do_attach(struct vnic *v)
{
	int uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	int ret = hyv_attach_fd(v->fd, uverbs, "failnth");

	close(uverbs);
	return ret;
}

static int do_set_limits(struct vnic *v)
{
	struct hyv_set_limits arg = {.max_qps = 8};

	return vnic_set_limits(v, &arg);
}

static int do_set_window(struct vnic *v)
{
	struct hyv_set_window arg = {
		.size = sizeof(arg),
		.length = DT_WINDOW,
	};

	return hyv_ioctl(v->fd, HYV_SET_WINDOW, &arg);
}

static int do_set_mem(struct vnic *v)
{
	return vnic_set_mem(v, gm.region, GMEM_REGIONS);
}

static int do_set_addressing(struct vnic *v)
{
	struct hyv_gid_prefix prefix[2] = {{.gid = {0xfe}, .length = 8}};

	return vnic_set_addressing(v, HYV_ADDRESSING_GUEST, prefix,
				   ARRAY_SIZE(prefix));
}

static int do_set_notify(struct vnic *v)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	int ret = vnic_set_notify(v, fd, fd);

	close(fd);
	return ret;
}

static int do_get_config(struct vnic *v)
{
	struct hyv_get_config arg = {
		.size = sizeof(arg),
		.config = (uintptr_t)&v->config,
		.config_len = sizeof(v->config),
	};
	int ret = hyv_ioctl(v->fd, HYV_GET_CONFIG, &arg);

	if (!ret)
		v->offered = arg.out_features;
	return ret;
}

static int do_set_features(struct vnic *v)
{
	return vnic_set_features(v, vnic_features(v));
}

static int do_set_doorbell(struct vnic *v)
{
	struct hyv_set_doorbell arg = {
		.size = sizeof(arg),
		.kick_fd = eventfd(0, EFD_CLOEXEC),
	};
	int ret = hyv_ioctl(v->fd, HYV_SET_DOORBELL, &arg);

	close(arg.kick_fd);
	return ret;
}

static int do_set_event_queue(struct vnic *v)
{
	struct evq q;
	int ret;

	evq_init(&q, v, 0, 8, false);
	evq_post_all(&q);
	ret = evq_start(&q, v, 0);
	evq_free(&q);
	return ret;
}

static int do_exec(struct vnic *v)
{
	struct hyv_query_device_rsp device;

	return cmd_query_device(v, &device);
}

static int do_reset(struct vnic *v)
{
	return vnic_reset(v);
}

static int (*const ioctl_fn[NR_IOCTLS])(struct vnic *v) = {
#define FN(NAME, stem, ...) do_##stem,
	HYV_FOR_EACH_IOCTL(FN)
#undef FN
};

/* A VMM's order, in which each of them works. */
static const uint8_t ioctl_order[] = {
	FUZZ_GET_INFO,	     FUZZ_ATTACH,     FUZZ_SET_LIMITS,
	FUZZ_SET_ADDRESSING, FUZZ_SET_WINDOW, FUZZ_SET_MEM,
	FUZZ_SET_NOTIFY,     FUZZ_GET_CONFIG, FUZZ_SET_FEATURES,
	FUZZ_SET_DOORBELL,   FUZZ_EXEC,	      FUZZ_SET_EVENT_QUEUE,
	FUZZ_RESET,
};

_Static_assert(ARRAY_SIZE(ioctl_order) == NR_IOCTLS, "each ioctl has a place");

/* The ioctls before one, then that one. */
static bool fail_ioctl(size_t at, unsigned int n)
{
	const char *name = fuzz_ioctl_name[ioctl_order[at]];
	struct vnic v = {.fd = hyv_open(), .gm = &gm};
	uint32_t page = gm.next;
	int ret, again;
	bool injected;
	size_t i;

	for (i = 0; i < at; i++)
		REQUIRE_EQ(ioctl_fn[ioctl_order[i]](&v), 0, "%s",
			   fuzz_ioctl_name[ioctl_order[i]]);
	failnth_set(n);
	ret = ioctl_fn[ioctl_order[at]](&v);
	injected = failnth_injected();
	if (!clean(ret))
		tap_ok(false, "%s with fault %u: %d", name, n, ret);
	if (ret) {
		again = ioctl_fn[ioctl_order[at]](&v);
		if ((again == -EBUSY || again == -EISCONN) && ret == -EFAULT)
			lost++;
		else if (again)
			tap_ok(false, "%s works after fault %u: %d", name, n,
			       again);
	}
	close(v.fd);
	gm.next = page;
	return injected;
}

/* --- The file ------------------------------------------------------------- */

static int open_faulty(void)
{
	int fd;

	failnth_begin();
	fd = open("/dev/hyv", O_RDWR | O_CLOEXEC);
	failnth_end();
	return fd;
}

static bool fail_open(size_t arg, unsigned int n)
{
	int fd;

	(void)arg;
	failnth_set(n);
	fd = open_faulty();
	if (fd < 0 && !clean(-errno) && errno != ENFILE)
		tap_ok(false, "open with fault %u: %s", n, strerror(errno));
	if (fd >= 0)
		close(fd);
	return failnth_injected();
}

static void *map_faulty(struct vnic *v)
{
	void *map;

	failnth_begin();
	map = mmap(NULL, DT_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd,
		   0);
	failnth_end();
	return map;
}

static bool fail_map(size_t arg, unsigned int n)
{
	struct vnic v;
	void *map;

	(void)arg;
	vnic_attach(&v, &gm);
	REQUIRE_EQ(do_set_window(&v), 0, "SET_WINDOW");
	failnth_set(n);
	map = map_faulty(&v);
	if (map == MAP_FAILED) {
		if (!clean(-errno))
			tap_ok(false, "mmap with fault %u: %s", n,
			       strerror(errno));
		map = map_faulty(&v);
	}
	if (map == MAP_FAILED)
		tap_ok(false, "mmap works after fault %u", n);
	else
		munmap(map, DT_WINDOW);
	close(v.fd);
	return failnth_injected();
}

/* --- Commands ------------------------------------------------------------- */

/* The valid request of a command, with all objects that it refers to. */
static bool fail_command(size_t at, unsigned int n)
{
	const struct opcode *op = &opcodes[at];
	int want = fixture_status(&fix, op->opcode), ret, again;
	bool injected;
	struct rsp rsp;
	struct req r;

	fixture_request(&fix, op->opcode, &r);
	failnth_set(n);
	ret = vnic_exec(&fix.v, &r, &rsp);
	injected = failnth_injected();
	if (!clean(ret) && ret != want)
		tap_ok(false, "%s with fault %u: status %d", op->name, n, ret);
	if (ret != want) {
		again = vnic_exec(&fix.v, &r, &rsp);
		if (again != want && ret == -EFAULT)
			lost++;
		else if (again != want)
			tap_ok(false, "%s works after fault %u: status %d",
			       op->name, n, again);
	}
	if (opcode_changes(op))
		fixture_renew(&fix);
	return injected;
}

static void test_commands(uint32_t addressing)
{
	char name[64];
	size_t i;

	fixture_readdress(&fix, addressing);
	for (i = 0; i < NR_OPCODES; i++) {
		snprintf(name, sizeof(name), "%s, %s addressing",
			 opcodes[i].name,
			 addressing == HYV_ADDRESSING_HOST ? "host" : "guest");
		sweep(name, fail_command, i);
	}
}

/* --- Processes ------------------------------------------------------------ */

/* All steps of a process, one of them with a fault, and the end. */
static bool fail_step(size_t step, unsigned int n)
{
	bool injected, bad = false;
	struct life l;
	size_t i;
	int ret;

	life_begin(&l, &fix.v, &buf, &mi);
	for (i = 0; i < step; i++)
		bad |= life_take(&l, i);
	failnth_set(n);
	ret = life_take(&l, i);
	injected = failnth_injected();
	if (!clean(ret))
		tap_ok(false, "%s with fault %u: status %d", life_steps[i].name,
		       n, ret);
	if (ret == -EFAULT) {
		/* Perhaps there is an object that nobody knows. */
		fixture_renew(&fix);
		return injected;
	}
	for (i += !ret; i < life_nr_steps; i++)
		bad |= life_take(&l, i);
	bad |= cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, l.context);
	if (bad)
		tap_ok(false, "%s with fault %u: the other commands work",
		       life_steps[step].name, n);
	return injected;
}

static const char *end_name(size_t end)
{
	return end == life_nr_ends ? "a context" : life_ends[end].name;
}

/* The context comes after the ends of all others. */
static int destroy(struct life *l, size_t end)
{
	if (end == life_nr_ends)
		return cmd_destroy(l->v, HYV_OBJ_CONTEXT, l->context);
	return life_has_end(end) ? life_destroy(l, end) : 0;
}

/* All objects of a process are destroyed, one of them with a fault. */
static bool fail_end(size_t end, unsigned int n)
{
	bool injected, bad = false;
	struct life l;
	size_t i;
	int ret;

	life_begin(&l, &fix.v, &buf, &mi);
	bad |= life_create(&l);
	for (i = 0; i < end; i++)
		bad |= destroy(&l, i);
	failnth_set(n);
	ret = destroy(&l, i);
	injected = failnth_injected();
	if (!clean(ret))
		tap_ok(false, "DESTROY of %s with fault %u: status %d",
		       end_name(end), n, ret);
	if (ret == -EFAULT) {
		fixture_renew(&fix);
		return injected;
	}
	for (i += !ret; i <= life_nr_ends; i++)
		bad |= destroy(&l, i);
	if (bad)
		tap_ok(false, "DESTROY of %s with fault %u: the others work",
		       end_name(end), n);
	return injected;
}

static void sweep_end(size_t end)
{
	char name[64];

	snprintf(name, sizeof(name), "DESTROY of %s", end_name(end));
	sweep(name, fail_end, end);
}

/* The context of a process is destroyed with all that is in it. */
static bool fail_end_of_all(size_t arg, unsigned int n)
{
	bool injected;
	struct life l;
	int ret;

	(void)arg;
	life_begin(&l, &fix.v, &buf, &mi);
	REQUIRE_EQ(life_create(&l), 0, "life_create");
	failnth_set(n);
	ret = cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, l.context);
	injected = failnth_injected();
	if (!clean(ret))
		tap_ok(false, "the end of all with fault %u: status %d", n,
		       ret);
	if (ret == -EFAULT)
		fixture_renew(&fix);
	else if (ret && cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, l.context))
		tap_ok(false, "the end of all works after fault %u", n);
	return injected;
}

/* A reset, while all objects exist. */
static bool fail_reset(size_t arg, unsigned int n)
{
	bool injected;
	int ret;

	(void)arg;
	failnth_set(n);
	ret = vnic_reset(&fix.v);
	injected = failnth_injected();
	if (!clean(ret))
		tap_ok(false, "RESET with fault %u: %d", n, ret);
	fixture_renew(&fix);
	return injected;
}

void suite_failnth(void)
{
	size_t i;

	if (!failnth_init()) {
		tap_skip("the kernel has no FAULT_INJECTION", "faults");
		return;
	}
	if (dt_on_mock())
		mock_clear();
	/* A thread maps this once, and must have it before the faults. */
	hyv_scratch();
	gmem_init(&gm, GMEM_MEMFD);
	sweep("open", fail_open, 0);
	for (i = 0; i < NR_IOCTLS; i++)
		sweep(fuzz_ioctl_name[ioctl_order[i]], fail_ioctl, i);
	sweep("mmap", fail_map, 0);
	gmem_free(&gm);

	fixture_init(&fix);
	gbuf_init(&buf, &fix.gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&mi, &fix.gm, sizeof(struct mminfo), DT_PAGE - 8,
		  GBUF_SCATTERED);
	test_commands(HYV_ADDRESSING_GUEST);
	test_commands(HYV_ADDRESSING_HOST);
	for (i = 0; i < life_nr_steps; i++)
		if (life_has(i))
			sweep(life_steps[i].name, fail_step, i);
	for (i = 0; i <= life_nr_ends; i++)
		if (i == life_nr_ends || life_has_end(i))
			sweep_end(i);
	sweep("DESTROY of a context with all objects", fail_end_of_all, 0);
	sweep("RESET with all objects", fail_reset, 0);
	fixture_free(&fix);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	tap_diag("%u faults in all", faults);
	if (dt_on_mock())
		mock_check("faults");
}
