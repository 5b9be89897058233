// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of all ioctls of /dev/hyv, and of each.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <hyv/ioctls.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>

#include "cmd.h"
#include "suites.h"
#include "harness.h"
#include "vnic.h"

/* Room for the longest structure, and a tail after it. */
union ioctl_arg {
	struct {
		uint32_t size;
		uint32_t flags;
	};
	struct hyv_get_info get_info;
	struct hyv_attach attach;
	struct hyv_set_limits set_limits;
	struct hyv_set_window set_window;
	struct hyv_set_mem set_mem;
	struct hyv_set_doorbell set_doorbell;
	struct hyv_set_event_queue set_event_queue;
	struct hyv_set_features set_features;
	struct hyv_get_config get_config;
	struct hyv_exec exec;
	struct hyv_reset reset;
	struct hyv_set_addressing set_addressing;
	struct hyv_set_notify set_notify;
	uint8_t bytes[512];
};

/* Bytes of the queue of a CQ that is mapped. */
#define QUEUE_SIZE (2 * DT_PAGE)

/* Objects that the valid arguments below refer to. */
static struct {
	struct gmem gm;
	void *device; /* memory that is not guest RAM */
	void *queue;  /* memory of a device whose pages are ordinary ones */
	uint8_t config[64];
	struct hyv_alloc_context_req request;
	uint8_t reply[256];
	int uverbs;
} fix;

/*
 * Arguments with which an ioctl succeeds on an attached vNIC, or an open file
 * for those that need none; their size is filled in elsewhere. Some need no
 * more.
 */
#define fill_get_info	NULL
#define fill_set_limits NULL
#define fill_reset	NULL

static void fill_attach(union ioctl_arg *a)
{
	a->attach.uverbs_fd = fix.uverbs;
	a->attach.scratch_len = DT_SCRATCH;
	a->attach.scratch = (uintptr_t)hyv_scratch();
	a->attach.nr_event_queues = 1;
}

static void fill_set_window(union ioctl_arg *a)
{
	a->set_window.length = DT_WINDOW;
}

static void fill_set_mem(union ioctl_arg *a)
{
	a->set_mem.nr_regions = GMEM_REGIONS;
	a->set_mem.regions = (uintptr_t)fix.gm.region;
}

static void fill_set_doorbell(union ioctl_arg *a)
{
	a->set_doorbell.kick_fd = -1;
	a->set_doorbell.poll_us = 100;
}

static void fill_set_event_queue(union ioctl_arg *a)
{
	a->set_event_queue.call_fd = -1;
	a->set_event_queue.kick_fd = -1;
}

static void fill_set_features(union ioctl_arg *a)
{
	a->set_features.features = 1ULL << VIRTIO_F_VERSION_1;
}

static void fill_get_config(union ioctl_arg *a)
{
	a->get_config.config = (uintptr_t)fix.config;
	a->get_config.config_len = sizeof(fix.config);
}

static void fill_exec(union ioctl_arg *a)
{
	struct hyv_req *hdr = &fix.request.hdr;

	hdr->opcode = htole16(HYV_CMD_QUERY_DEVICE);
	hdr->fixed_len = htole16(sizeof(fix.request));
	hdr->size = htole32(sizeof(fix.request));
	a->exec.request = (uintptr_t)&fix.request;
	a->exec.request_len = sizeof(fix.request);
	a->exec.reply = (uintptr_t)fix.reply;
	a->exec.reply_len = sizeof(fix.reply);
	a->exec.scratch = (uintptr_t)hyv_scratch();
	a->exec.scratch_len = DT_SCRATCH;
}

static void fill_set_addressing(union ioctl_arg *a)
{
	/* Every GID is in it. */
	static const struct hyv_gid_prefix prefix;

	a->set_addressing.mode = HYV_ADDRESSING_GUEST;
	a->set_addressing.nr_prefixes = 1;
	a->set_addressing.prefixes = (uintptr_t)&prefix;
}

static void fill_set_notify(union ioctl_arg *a)
{
	a->set_notify.config_fd = -1;
	a->set_notify.error_fd = -1;
}

/**
 * struct ioctl_case - an ioctl
 * @name: name in messages
 * @cmd: its number
 * @size: bytes of its argument
 * @min_size: bytes of it in the first version
 * @attached: needs an attached vNIC
 * @fill: makes its argument valid, if it is not with zeroes
 */
static const struct ioctl_case {
	const char *name;
	unsigned long cmd;
	uint32_t size;
	uint32_t min_size;
	bool attached;
	void (*fill)(union ioctl_arg *a);
} ioctls[] = {
/* An ioctl without its fill_*() does not build. */
#define IOCTL(NAME, stem, min, flags)      \
	{                                  \
		#NAME,                     \
		HYV_##NAME,                \
		sizeof(struct hyv_##stem), \
		min,                       \
		(flags) & HYV_IOCTL_OWNER, \
		fill_##stem,               \
	},
	HYV_FOR_EACH_IOCTL(IOCTL)};

/* Reserved members of arguments. */
static const struct {
	const char *name;
	unsigned long cmd;
	size_t offset;
	size_t len;
} reserved_members[] = {
#define RESERVED(NAME, stem, member)                      \
	{                                                 \
		#NAME "." #member,                        \
		HYV_##NAME,                               \
		offsetof(struct hyv_##stem, member),      \
		sizeof(((struct hyv_##stem *)0)->member), \
	},
	HYV_FOR_EACH_IOCTL_RESERVED(RESERVED)};

/* It succeeds only once on a file. */
static bool only_once(const struct ioctl_case *c)
{
	return c->cmd == HYV_ATTACH || c->cmd == HYV_SET_WINDOW ||
	       c->cmd == HYV_SET_FEATURES;
}

static void fill(const struct ioctl_case *c, union ioctl_arg *a)
{
	memset(a, 0, sizeof(*a));
	if (c->fill)
		c->fill(a);
	a->size = c->size;
}

#define V1 (1ULL << VIRTIO_F_VERSION_1)

/* A file that @c succeeds on. */
static int open_for(const struct ioctl_case *c)
{
	struct vnic v;

	if (!c->attached)
		return hyv_open();
	vnic_attach(&v, &fix.gm);
	if (c->cmd == HYV_EXEC)
		REQUIRE_EQ(vnic_set_features(&v, V1), 0, "SET_FEATURES");
	return v.fd;
}

static void test_size_rules(const struct ioctl_case *c)
{
	union ioctl_arg a;
	int fd = open_for(c);

	fill(c, &a);
	if (c->min_size < c->size && !only_once(c)) {
		a.size = c->min_size;
		tap_is(hyv_ioctl(fd, c->cmd, &a), 0, "%s: first version",
		       c->name);
	}
	a.size = c->min_size - 1;
	tap_is(hyv_ioctl(fd, c->cmd, &a), -EINVAL, "%s: one byte short",
	       c->name);
	a.size = 0;
	tap_is(hyv_ioctl(fd, c->cmd, &a), -EINVAL, "%s: no size", c->name);

	fill(c, &a);
	a.size += 8;
	a.bytes[c->size + 7] = 1;
	tap_is(hyv_ioctl(fd, c->cmd, &a), -E2BIG, "%s: unknown tail", c->name);

	fill(c, &a);
	a.flags = 1;
	tap_is(hyv_ioctl(fd, c->cmd, &a), -EINVAL, "%s: flags", c->name);
	a.flags = 0x80000000;
	tap_is(hyv_ioctl(fd, c->cmd, &a), -EINVAL, "%s: high flag", c->name);

	tap_is(hyv_ioctl(fd, c->cmd, NULL), -EFAULT, "%s: NULL", c->name);

	fill(c, &a);
	a.size += 8;
	tap_is(hyv_ioctl(fd, c->cmd, &a), 0, "%s: zero tail", c->name);
	tap_is(a.size, c->size + 8, "%s: size stays", c->name);
	if (only_once(c)) {
		close(fd);
		fd = open_for(c);
	}
	fill(c, &a);
	tap_is(hyv_ioctl(fd, c->cmd, &a), 0, "%s: as known now", c->name);
	close(fd);
}

static void test_reserved(const struct ioctl_case *c)
{
	int fd = open_for(c);
	union ioctl_arg a;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(reserved_members); i++) {
		if (reserved_members[i].cmd != c->cmd)
			continue;
		for (j = 0; j < reserved_members[i].len; j++) {
			fill(c, &a);
			a.bytes[reserved_members[i].offset + j] = 0x40;
			tap_is(hyv_ioctl(fd, c->cmd, &a), -EINVAL,
			       "%s, byte %zu", reserved_members[i].name, j);
		}
	}
	close(fd);
}

/* A structure that ends where its memory ends, and one that does not fit. */
static void test_memory_rules(const struct ioctl_case *c)
{
	uint8_t *page = mmap(NULL, 2 * DT_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union ioctl_arg a;
	int fd = open_for(c);

	REQUIRE(page != MAP_FAILED, "mmap");
	munmap(page + DT_PAGE, DT_PAGE);
	fill(c, &a);
	memcpy(page + DT_PAGE - c->size + 4, &a, c->size - 4);
	tap_is(hyv_ioctl(fd, c->cmd, page + DT_PAGE - c->size + 4), -EFAULT,
	       "%s: half mapped", c->name);
	memcpy(page + DT_PAGE - c->size, &a, c->size);
	tap_is(hyv_ioctl(fd, c->cmd, page + DT_PAGE - c->size), 0,
	       "%s: just mapped", c->name);
	munmap(page, DT_PAGE);
	close(fd);
}

/* In a process that shares the file but not the memory. */
static int other_process(int fd, const struct ioctl_case *c)
{
	union ioctl_arg a;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		fill(c, &a);
		_exit(-hyv_ioctl(fd, c->cmd, &a));
	}
	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	return -WEXITSTATUS(status);
}

static void test_owner_rules(const struct ioctl_case *c)
{
	union ioctl_arg a;
	int fd;

	if (!c->attached)
		return;
	fd = hyv_open();
	fill(c, &a);
	tap_is(hyv_ioctl(fd, c->cmd, &a), -ENOTCONN, "%s: not attached",
	       c->name);
	close(fd);
	fd = open_for(c);
	tap_is(other_process(fd, c), -EPERM, "%s: another process", c->name);
	fill(c, &a);
	tap_is(hyv_ioctl(fd, c->cmd, &a), 0, "%s: the owner", c->name);
	close(fd);
}

static void test_unknown(void)
{
	const struct ioctl_case *last = &ioctls[ARRAY_SIZE(ioctls) - 1];
	const unsigned long cmds[] = {
		_IO(HYV_IOCTL_TYPE, _IOC_NR(last->cmd) + 1),
		_IO(HYV_IOCTL_TYPE, 0xff),
		_IO('z', 0x00),
		_IOR(HYV_IOCTL_TYPE, 0x00, struct hyv_get_info),
		_IOWR(HYV_IOCTL_TYPE, 0x09, struct hyv_exec),
		0,
		~0UL,
	};
	union ioctl_arg a = {.size = sizeof(a)};
	int fd = hyv_open();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		tap_is(hyv_ioctl(fd, cmds[i], &a), -ENOTTY,
		       "ioctl %#lx is unknown", cmds[i]);
	close(fd);
}

static void test_get_info(void)
{
	struct hyv_get_info info = {.size = sizeof(info)};
	int fd = hyv_open();

	tap_is(hyv_ioctl(fd, HYV_GET_INFO, &info), 0, "GET_INFO");
	tap_is(info.out_abi_version, HYV_ABI_VERSION, "ABI version");
	tap_ok(info.out_max_mem_regions >= GMEM_REGIONS, "memory regions: %u",
	       info.out_max_mem_regions);
	tap_is(info.out_max_request, HYV_MAX_REQ_SIZE, "longest request");
	tap_is(info.out_max_reply, HYV_MAX_RSP_SIZE, "longest reply");
	tap_ok(info.out_min_scratch <= DT_SCRATCH, "scratch: %u",
	       info.out_min_scratch);
	tap_ok(info.out_max_event_queues >= 1 &&
		       info.out_max_event_queues <= HYV_MAX_EVENT_QUEUES,
	       "event queues: %u", info.out_max_event_queues);
	tap_ok(info.out_min_window && info.out_min_window <= DT_WINDOW,
	       "least window: %llu", (unsigned long long)info.out_min_window);
	close(fd);
}

static void test_limits(void)
{
	struct hyv_set_limits ok = {.max_contexts = 1, .max_pinned = 4096};
	struct hyv_set_limits none = {};
#define TOO_MANY(member, value)         \
	{                               \
		#member " " #value,     \
		{                       \
			.member = value \
		}                       \
	}
	const struct {
		const char *what;
		struct hyv_set_limits limits;
	} bad[] = {
		TOO_MANY(max_contexts, ~0U), TOO_MANY(max_pds, ~0U),
		TOO_MANY(max_cqs, 1 << 20),  TOO_MANY(max_qps, 1 << 20),
		TOO_MANY(max_mrs, 262145),   TOO_MANY(max_ahs, ~0U),
		TOO_MANY(max_srqs, ~0U),     TOO_MANY(max_mws, ~0U),
	};
	struct vnic v;
	size_t i;

	vnic_attach(&v, &fix.gm);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tap_is(vnic_set_limits(&v, &bad[i].limits), -EINVAL,
		       "SET_LIMITS rejects %s", bad[i].what);
	tap_is(vnic_set_limits(&v, &ok), 0, "SET_LIMITS");
	tap_is(vnic_set_limits(&v, &none), 0, "SET_LIMITS to the defaults");
	vnic_close(&v);
}

static void test_window(void)
{
	static const struct {
		const char *what;
		uint64_t length;
		int ret;
	} cases[] = {
		{"of an odd length", DT_WINDOW - 8, -EINVAL},
		{"that is too large", (1ULL << 40) + DT_PAGE, -EINVAL},
		{"of more pages than an unsigned int", 1ULL << 45, -EINVAL},
		{"that is far too large", -DT_PAGE, -EINVAL},
		{"that is empty", 0, -ENOSPC},
		{"that is too small", DT_PAGE, -ENOSPC},
	};
	struct hyv_set_window arg = {.size = sizeof(arg)};
	struct vnic v;
	size_t i;

	vnic_attach(&v, &fix.gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg.length = cases[i].length;
		tap_is(hyv_ioctl(v.fd, HYV_SET_WINDOW, &arg), cases[i].ret,
		       "SET_WINDOW %s", cases[i].what);
	}
	arg.length = DT_WINDOW;
	tap_is(hyv_ioctl(v.fd, HYV_SET_WINDOW, &arg), 0, "SET_WINDOW");
	tap_is(hyv_ioctl(v.fd, HYV_SET_WINDOW, &arg), -EBUSY,
	       "SET_WINDOW twice");
	tap_is(vnic_reset(&v), 0, "RESET");
	tap_is(hyv_ioctl(v.fd, HYV_SET_WINDOW, &arg), -EBUSY,
	       "SET_WINDOW after a reset");
	vnic_close(&v);
}

static void test_mem(void)
{
	static const uint64_t P = DT_PAGE;
	static const struct {
		const char *what;
		uint32_t nr;
		struct hyv_mem_region region[2];
		int ret;
	} cases[] = {
		{"with an odd guest address", 1, {{8, P, P}}, -EINVAL},
		{"with an odd length", 1, {{0, 8, P}}, -EINVAL},
		{"with an odd address", 1, {{0, P, 8}}, -EINVAL},
		{"that is empty", 1, {{0, 0, P}}, -EINVAL},
		{"that wraps in the guest", 1, {{-P, 2 * P, P}}, -EINVAL},
		{"that wraps in the owner", 1, {{P, 2 * P, -P}}, -EINVAL},
		{"twice", 2, {{P, P, P}, {P, P, 4 * P}}, -EINVAL},
		{"that overlaps", 2, {{2 * P, P, P}, {P, 2 * P, P}}, -EINVAL},
		{"of which two adjoin",
		 2,
		 {{2 * P, P, 8 * P}, {P, P, 4 * P}},
		 0},
		{"in two places", 2, {{9 * P, P, P}, {P, P, P}}, 0},
	};
	struct hyv_mem_region many[1024] = {};
	struct vnic v;
	size_t i;

	vnic_attach(&v, &fix.gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(vnic_set_mem(&v, cases[i].region, cases[i].nr),
		       cases[i].ret, "SET_MEM %s", cases[i].what);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		many[i].gpa = 2 * i * P;
		many[i].length = P;
		many[i].addr = P;
	}
	tap_is(vnic_set_mem(&v, many, 512), 0, "SET_MEM with all regions");
	tap_is(vnic_set_mem(&v, many, 513), -EINVAL,
	       "SET_MEM with one too many");
	tap_is(vnic_set_mem(&v, NULL, 1), -EFAULT, "SET_MEM at NULL");
	tap_is(vnic_set_mem(&v, NULL, 0), 0, "SET_MEM with nothing");
	vnic_close(&v);
}

static void test_doorbell(void)
{
	int event = eventfd(0, EFD_CLOEXEC), null = open("/dev/null", O_RDWR);
	const struct {
		const char *what;
		int32_t fd;
		uint32_t poll_us;
		int ret;
	} cases[] = {
		{"with a closed fd", 1000000, 0, -EBADF},
		{"with fd -2", -2, 0, -EINVAL},
		{"with /dev/null", null, 0, -EINVAL},
		{"polling too long", event, 10001, -EINVAL},
		{"polling longest", event, 10000, 0},
		{"once more", event, 0, 0},
		{"off", -1, 0, 0},
	};
	struct hyv_set_doorbell arg = {.size = sizeof(arg)};
	struct vnic v;
	size_t i;

	vnic_attach(&v, &fix.gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg.kick_fd = cases[i].fd;
		arg.poll_us = cases[i].poll_us;
		tap_is(hyv_ioctl(v.fd, HYV_SET_DOORBELL, &arg), cases[i].ret,
		       "SET_DOORBELL %s", cases[i].what);
	}
	arg.kick_fd = event;
	tap_is(hyv_ioctl(v.fd, HYV_SET_DOORBELL, &arg), 0,
	       "SET_DOORBELL before the eventfd is closed");
	close(event);
	vnic_close(&v);
	close(null);
}

static void spoil_index(struct hyv_set_event_queue *a)
{
	a->index = DT_EVENT_QUEUES;
}

static void spoil_num(struct hyv_set_event_queue *a)
{
	a->num = 24;
}

static void spoil_num_big(struct hyv_set_event_queue *a)
{
	a->num = 65536;
}

static void spoil_desc(struct hyv_set_event_queue *a)
{
	a->desc += 8;
}

static void spoil_avail(struct hyv_set_event_queue *a)
{
	a->avail += 1;
}

static void spoil_used(struct hyv_set_event_queue *a)
{
	a->used += 2;
}

static void spoil_kernel(struct hyv_set_event_queue *a)
{
	a->used = 1ULL << 63;
}

static void spoil_call(struct hyv_set_event_queue *a)
{
	a->call_fd = 1000000;
}

static void spoil_call_negative(struct hyv_set_event_queue *a)
{
	a->call_fd = -2;
}

static void spoil_kick(struct hyv_set_event_queue *a)
{
	a->kick_fd = 1000000;
}

static void spoil_avail_index(struct hyv_set_event_queue *a)
{
	a->avail_index = 65536;
}

static void spoil_unmapped(struct hyv_set_event_queue *a)
{
	a->used = 1ULL << 46;
}

static void spoil_device(struct hyv_set_event_queue *a)
{
	a->desc = (uintptr_t)fix.device;
}

static void spoil_queue(struct hyv_set_event_queue *a)
{
	/* The first page has the indices of the queue. */
	a->desc = (uintptr_t)fix.queue + DT_PAGE;
}

static void spoil_not_mapped(struct hyv_set_event_queue *a)
{
	a->desc = 1ULL << 46;
}

/* Map the queue of a CQ as any process may, without HyV. */
static void *map_queue(int file)
{
	struct ib_uverbs_get_context_resp context_rsp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context core;
	} context = {
		.hdr = {IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(context) / 4,
			sizeof(context_rsp) / 4},
		.core.response = (uintptr_t)&context_rsp,
	};
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct mminfo mi;
	} cq_rsp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_cq core;
	} cq = {
		.hdr = {IB_USER_VERBS_CMD_CREATE_CQ, sizeof(cq) / 4,
			sizeof(cq_rsp) / 4},
		.core.response = (uintptr_t)&cq_rsp,
		.core.cqe = 255,
		.core.comp_channel = -1,
	};
	void *queue;

	REQUIRE(write(file, &context, sizeof(context)) == sizeof(context),
		"GET_CONTEXT of %s", dt_uverbs());
	close(context_rsp.async_fd);
	REQUIRE(write(file, &cq, sizeof(cq)) == sizeof(cq), "CREATE_CQ of %s",
		dt_uverbs());
	queue = mmap(NULL, QUEUE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file,
		     cq_rsp.mi.offset);
	REQUIRE(queue != MAP_FAILED, "the queue of a CQ is mapped");
	return queue;
}

static void test_event_queue(void)
{
	static const struct {
		const char *what;
		void (*spoil)(struct hyv_set_event_queue *arg);
		int ret;
	} cases[] = {
		{"index", spoil_index, -EINVAL},
		{"number", spoil_num, -EINVAL},
		{"number too big", spoil_num_big, -EINVAL},
		{"descriptors", spoil_desc, -EINVAL},
		{"available ring", spoil_avail, -EINVAL},
		{"used ring", spoil_used, -EINVAL},
		{"used ring in the kernel", spoil_kernel, -EFAULT},
		{"used ring not mapped", spoil_unmapped, -EFAULT},
		{"call fd", spoil_call, -EBADF},
		{"call fd -2", spoil_call_negative, -EINVAL},
		{"kick fd", spoil_kick, -EBADF},
		{"available index", spoil_avail_index, -EINVAL},
		{"descriptors not mapped", spoil_not_mapped, -EFAULT},
		{"descriptors in the window", spoil_device, -EOPNOTSUPP},
		{"descriptors in a queue of the HCA", spoil_queue, -EOPNOTSUPP},
	};
	struct hyv_set_event_queue
		good =
			{
				.size = sizeof(good),
				.num = 16,
				.desc = (uintptr_t)fix.gm.base,
				.avail = (uintptr_t)fix.gm.base + 1024,
				.used = (uintptr_t)fix.gm.base + 2048,
				.call_fd = -1,
				.kick_fd = -1,
				.avail_index = 5,
			},
		arg;
	int file = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	struct vnic v;
	size_t i;

	vnic_open(&v, &fix.gm);
	fix.device = v.window;
	fix.queue = map_queue(file);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg = good;
		cases[i].spoil(&arg);
		tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), cases[i].ret,
		       "SET_EVENT_QUEUE: %s", cases[i].what);
	}
	arg = good;
	tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), 0,
	       "SET_EVENT_QUEUE");
	tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), -EBUSY,
	       "SET_EVENT_QUEUE of one that runs");
	arg.num = 0;
	arg.avail_index = 0;
	tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), -EINVAL,
	       "SET_EVENT_QUEUE to stop, with addresses");
	arg.desc = 0;
	arg.avail = 0;
	arg.used = 0;
	tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), 0,
	       "SET_EVENT_QUEUE stops it");
	tap_is(arg.avail_index, 5, "avail_index is where it started");
	tap_is(hyv_ioctl(v.fd, HYV_SET_EVENT_QUEUE, &arg), 0,
	       "SET_EVENT_QUEUE stops it again");
	vnic_close(&v);
	munmap(fix.queue, QUEUE_SIZE);
	close(file);
}

static void test_exec(void)
{
	static const struct {
		const char *what;
		uint64_t request;
		uint64_t reply;
		uint32_t request_len;
		uint32_t reply_len;
		uint32_t scratch_len;
		uint64_t scratch_add;
		int ret;
	} cases[] = {
		{"valid", 1, 1, 24, 256, DT_SCRATCH, 0, 0},
		{"request at NULL", 0, 1, 24, 256, DT_SCRATCH, 0, -EFAULT},
		{"reply at NULL", 1, 0, 24, 256, DT_SCRATCH, 0, -EFAULT},
		{"request too long", 1, 1, HYV_MAX_REQ_SIZE + 1, 256,
		 DT_SCRATCH, 0, -EINVAL},
		{"request far too long", 1, 1, ~0U, 256, DT_SCRATCH, 0,
		 -EINVAL},
		{"no room for a reply", 1, 1, 24, 15, DT_SCRATCH, 0, -EMSGSIZE},
		{"room for a status", 1, 1, 24, 16, DT_SCRATCH, 0, 0},
		{"no request", 1, 1, 0, 256, DT_SCRATCH, 0, 0},
		{"scratch too short", 1, 1, 24, 256, DT_SCRATCH - 1, 0,
		 -EINVAL},
		{"scratch off page", 1, 1, 24, 256, DT_SCRATCH, 64, -EINVAL},
	};
	union ioctl_arg a;
	struct vnic v;
	size_t i;

	vnic_attach(&v, &fix.gm);
	REQUIRE_EQ(vnic_set_features(&v, V1), 0, "SET_FEATURES");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&a, 0, sizeof(a));
		fill_exec(&a);
		a.size = sizeof(a.exec);
		if (!cases[i].request)
			a.exec.request = 0;
		if (!cases[i].reply)
			a.exec.reply = 0;
		a.exec.request_len = cases[i].request_len;
		a.exec.reply_len = cases[i].reply_len;
		a.exec.scratch_len = cases[i].scratch_len;
		a.exec.scratch += cases[i].scratch_add;
		tap_is(hyv_ioctl(v.fd, HYV_EXEC, &a), cases[i].ret, "EXEC: %s",
		       cases[i].what);
	}
	vnic_close(&v);

	vnic_open(&v, &fix.gm);
	memset(&a, 0, sizeof(a));
	fill_exec(&a);
	a.size = sizeof(a.exec);
	a.exec.scratch = (uintptr_t)v.window;
	tap_is(hyv_ioctl(v.fd, HYV_EXEC, &a), -EOPNOTSUPP,
	       "EXEC: scratch in the window");
	a.exec.scratch = 1ULL << 46;
	tap_is(hyv_ioctl(v.fd, HYV_EXEC, &a), -EFAULT,
	       "EXEC: scratch that is not mapped");
	vnic_close(&v);
}

void suite_ioctl(void)
{
	struct dt_counts before = dt_counts();
	size_t i;

	gmem_init(&fix.gm, GMEM_MEMFD);
	fix.uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	REQUIRE(fix.uverbs >= 0, "%s opens", dt_uverbs());

	for (i = 0; i < ARRAY_SIZE(ioctls); i++) {
		test_size_rules(&ioctls[i]);
		test_reserved(&ioctls[i]);
		test_memory_rules(&ioctls[i]);
		test_owner_rules(&ioctls[i]);
	}
	test_unknown();
	test_get_info();
	test_limits();
	test_window();
	test_mem();
	test_doorbell();
	test_event_queue();
	test_exec();
	dt_expect_counts(&before, "after all ioctls");
}
