// SPDX-License-Identifier: GPL-2.0-only
/*
 * Setting up a vNIC: attach, order of ioctls, features, configuration,
 * eventfds.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>

#include "cmd.h"
#include "suites.h"
#include "harness.h"
#include "vnic.h"

#define V1 (1ULL << VIRTIO_F_VERSION_1)

static struct gmem gm;
static int uverbs;

static struct hyv_attach attach_arg(void)
{
	struct hyv_attach arg = {
		.size = sizeof(arg),
		.uverbs_fd = uverbs,
		.scratch_len = DT_SCRATCH,
		.scratch = (uintptr_t)hyv_scratch(),
		.nr_event_queues = DT_EVENT_QUEUES,
	};

	return arg;
}

static int attach_to(const char *path, int flags)
{
	int other = open(path, flags | O_CLOEXEC), fd = hyv_open(), ret;

	REQUIRE(other >= 0, "%s opens", path);
	ret = hyv_attach_fd(fd, other, "");
	close(other);
	close(fd);
	return ret;
}

static void test_attach_name(void)
{
	static const struct {
		const char *what;
		const char *name;
		size_t len;
		int ret;
	} names[] = {
		{"the longest name",
		 "a name of 63 bytes is the longest that has room: 12345678901234",
		 63, 0},
		{"an empty name", "", 0, 0},
		{"a tab in the name", "tab\there", 8, -EINVAL},
		{"a newline in the name", "line\nbreak", 10, -EINVAL},
		{"DEL in the name", "\x7f", 1, -EINVAL},
		{"a name in UTF-8", "\xc3\xa4", 2, -EINVAL},
		{"a name without NUL",
		 "a name of 64 bytes leaves no room for the NUL: 12345678901234567",
		 64, -EINVAL},
	};
	struct hyv_attach a;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		fd = hyv_open();
		a = attach_arg();
		memcpy(a.name, names[i].name, names[i].len);
		tap_is(hyv_ioctl(fd, HYV_ATTACH, &a), names[i].ret,
		       "ATTACH with %s", names[i].what);
		close(fd);
	}
}

static void test_attach_scratch(void)
{
	static const struct {
		const char *what;
		uint64_t add;
		uint32_t len;
		int ret;
	} cases[] = {
		{"too short", 0, DT_SCRATCH - 1, -EINVAL},
		{"none", 0, 0, -EINVAL},
		{"not page aligned", 8, DT_SCRATCH, -EINVAL},
		{"not mapped", 1ULL << 46, DT_SCRATCH, -EFAULT},
		{"of the kernel", 1ULL << 63, DT_SCRATCH, -EFAULT},
	};
	struct hyv_attach a;
	int fd = hyv_open();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		a = attach_arg();
		a.scratch_len = cases[i].len;
		a.scratch += cases[i].add;
		if (cases[i].ret == -EFAULT)
			a.scratch = cases[i].add;
		tap_is(hyv_ioctl(fd, HYV_ATTACH, &a), cases[i].ret,
		       "ATTACH with scratch memory %s", cases[i].what);
	}
	tap_is(hyv_attach_fd(fd, uverbs, ""), 0, "ATTACH after it has failed");
	close(fd);
}

/* Change a parameter of hyv.ko. Returns the bytes written, or -1. */
static int set_parameter(const char *name, const char *value)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/module/hyv/parameters/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = write(fd, value, strlen(value));
	close(fd);
	return ret;
}

static void test_attach_event_queues(void)
{
	static const struct {
		uint32_t number;
		int ret;
	} cases[] = {
		{0, -EINVAL},
		{HYV_MAX_EVENT_QUEUES + 1, -EINVAL},
		{~0U, -EINVAL},
		{HYV_MAX_EVENT_QUEUES, 0},
	};
	struct hyv_attach a;
	int fd = hyv_open();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		a = attach_arg();
		a.nr_event_queues = cases[i].number;
		tap_is(hyv_ioctl(fd, HYV_ATTACH, &a), cases[i].ret,
		       "ATTACH with %u event queues", cases[i].number);
	}
	close(fd);
}

/* In a process with another user ID, which has no vNICs otherwise. */
static int attach_many(int want)
{
	int fd[3], i, ret = 0;

	for (i = 0; i < 3; i++)
		fd[i] = hyv_open();
	if (setuid(want))
		return -1;
	for (i = 0; i < 2; i++)
		if (hyv_attach_fd(fd[i], uverbs, ""))
			ret |= 1;
	if (hyv_attach_fd(fd[2], uverbs, "") != -EDQUOT)
		ret |= 2;
	/* The end of one makes room. */
	close(fd[0]);
	if (hyv_attach_fd(fd[2], uverbs, ""))
		ret |= 4;
	return ret;
}

static void test_attach_per_user(void)
{
	int status = -1;
	pid_t pid;

	tap_is(set_parameter("max_vnics_per_user", "2"), 1,
	       "max_vnics_per_user=2");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(attach_many(65533));
	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "a user attaches two vNICs, and a third one when one has ended: status %#x",
	       status);
	tap_is(set_parameter("max_vnics_per_user", "1024"), 4,
	       "max_vnics_per_user=1024");
}

/* Give three user IDs to a process in a user namespace of its own. */
static void map_ids(pid_t pid)
{
	static const char map[] = "0 65533 1\n1 165533 2\n";
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0 && write(fd, map, strlen(map)) == (ssize_t)strlen(map),
		"%s is written", path);
	close(fd);
}

/* One vNIC as each of them. */
static int attach_as_subordinates(int ready, int mapped)
{
	int fd[3], i, ret = 0;
	char c = 0;

	for (i = 0; i < 3; i++)
		fd[i] = hyv_open();
	if (setuid(65533) || hyv_attach_fd(fd[0], uverbs, ""))
		return 1;
	if (unshare(CLONE_NEWUSER) || write(ready, &c, 1) != 1 ||
	    read(mapped, &c, 1) != 1)
		return 2;
	if (setresuid(1, 1, 0) || hyv_attach_fd(fd[1], uverbs, ""))
		ret |= 4;
	if (setresuid(-1, 0, -1) || setresuid(2, 2, 0) ||
	    hyv_attach_fd(fd[2], uverbs, "") != -EDQUOT)
		ret |= 8;
	close(fd[1]);
	if (hyv_attach_fd(fd[2], uverbs, ""))
		ret |= 16;
	return ret;
}

/* A user has no more vNICs by means of a user namespace. */
static void test_attach_subordinates(void)
{
	int ready[2], mapped[2], status = -1;
	char c = 0;
	pid_t pid;

	if (access("/proc/self/ns/user", F_OK)) {
		tap_skip("the kernel has none", "user namespaces");
		return;
	}
	tap_is(set_parameter("max_vnics_per_user", "2"), 1,
	       "max_vnics_per_user=2");
	REQUIRE(!pipe(ready) && !pipe(mapped), "pipe");
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid)
		_exit(attach_as_subordinates(ready[1], mapped[0]));
	close(ready[1]);
	if (read(ready[0], &c, 1) == 1) {
		map_ids(pid);
		REQUIRE(write(mapped[1], &c, 1) == 1, "write");
	}
	REQUIRE(waitpid(pid, &status, 0) == pid, "waitpid");
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "a user and two subordinate ones attach two vNICs: status %#x",
	       status);
	close(ready[0]);
	close(mapped[0]);
	close(mapped[1]);
	tap_is(set_parameter("max_vnics_per_user", "1024"), 4,
	       "max_vnics_per_user=1024");
}

/*
 * The node of the HCA is opened for each context, with the rights of the user
 * who opened it for ATTACH.
 */
static void test_attach_permission(void)
{
	struct vnic v = {.fd = hyv_open()};
	const char *path = dt_uverbs();
	uint32_t context;
	struct stat st;
	int fd;

	REQUIRE(!stat(path, &st), "stat of %s", path);
	REQUIRE(!chmod(path, 0666) && !seteuid(65533), "seteuid");
	fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(!seteuid(0) && fd >= 0, "a user opens %s", path);
	REQUIRE_EQ(hyv_attach_fd(v.fd, fd, ""), 0, "ATTACH");
	vnic_get_config(&v);
	REQUIRE_EQ(vnic_set_features(&v, vnic_features(&v)), 0, "SET_FEATURES");
	tap_is(cmd_alloc_context(&v, &context), 0,
	       "ALLOC_CONTEXT while the user may open the HCA");
	REQUIRE(!chmod(path, 0600), "chmod");
	tap_is(cmd_alloc_context(&v, &context), HYV_S_EACCES,
	       "ALLOC_CONTEXT when the user may not open it any longer");
	REQUIRE(!chmod(path, 0666), "chmod");
	tap_is(cmd_alloc_context(&v, &context), 0,
	       "ALLOC_CONTEXT when the user may open it again");
	chmod(path, st.st_mode & 07777);
	close(fd);
	close(v.fd);
}

struct small_mr {
	struct vnic *v;
	uint32_t pd;
	struct mr_info mr;
};

static int register_small(struct small_mr *s, struct gbuf *buf)
{
	return cmd_reg_mr(s->v, s->pd, buf, ACCESS_REMOTE, &s->mr);
}

/* In a process of its own, whose vNICs may have 3 MRs together. */
static int register_many(void)
{
	struct small_mr s[4];
	struct vnic v[2];
	uint32_t context;
	struct gbuf buf;
	int i, ret = 0;

	gbuf_init(&buf, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	for (i = 0; i < 2; i++) {
		vnic_open(&v[i], &gm);
		s[i].v = &v[i];
		if (cmd_alloc_context(&v[i], &context) ||
		    cmd_alloc_pd(&v[i], context, &s[i].pd))
			return 128;
	}
	s[2] = s[0];
	s[3] = s[1];
	for (i = 0; i < 3; i++)
		if (register_small(&s[i], &buf))
			ret |= 1;
	if (register_small(&s[3], &buf) != HYV_S_EDQUOT ||
	    register_small(&s[3], &buf) != HYV_S_EDQUOT)
		ret |= 2;
	if (cmd_destroy(s[0].v, HYV_OBJ_MR, s[0].mr.handle) ||
	    register_small(&s[3], &buf))
		ret |= 4;
	if (register_small(&s[0], &buf) != HYV_S_EDQUOT)
		ret |= 8;
	if (dt_quota("vmm_mrs", false) != 3 || dt_quota("vmm_mrs", true) != 3)
		ret |= 32;
	/* The end of a vNIC makes room. */
	vnic_close(&v[1]);
	if (register_small(&s[0], &buf) || register_small(&s[0], &buf) ||
	    register_small(&s[0], &buf) != HYV_S_EDQUOT)
		ret |= 16;
	vnic_close(&v[0]);
	return ret;
}

static void test_mrs_per_vmm(void)
{
	int status = -1;
	pid_t pid;

	tap_is(set_parameter("max_mrs_per_vmm", "3"), 1, "max_mrs_per_vmm=3");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(register_many());
	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "two vNICs of a VMM share a limit of MRs: status %#x", status);
	tap_is(set_parameter("max_mrs_per_vmm", "262144"), 6,
	       "max_mrs_per_vmm=262144");
}

/* Both count for the user of this process. */
static void test_attach_count(void)
{
	int fd[2] = {hyv_open(), hyv_open()};
	long vnics;

	tap_is(hyv_attach_fd(fd[0], uverbs, ""), 0, "ATTACH");
	vnics = dt_quota("user_vnics", false);
	tap_is(hyv_attach_fd(fd[1], uverbs, ""), 0, "ATTACH of another one");
	tap_is(dt_quota("user_vnics", false), vnics + 1,
	       "hyv show has the vNICs of the user");
	tap_is(dt_quota("user_vnics", true), 1024, "and the limit");
	close(fd[0]);
	tap_is(dt_quota("user_vnics", false), vnics, "one less");
	close(fd[1]);
}

static void test_attach(void)
{
	int fd = hyv_open();

	tap_is(hyv_attach_fd(fd, -1, ""), -EBADF, "ATTACH to fd -1");
	tap_is(hyv_attach_fd(fd, 1000000, ""), -EBADF, "ATTACH to a closed fd");
	tap_is(hyv_attach_fd(fd, fd, ""), -EINVAL, "ATTACH to itself");
	tap_is(attach_to("/dev/null", O_RDWR), -EINVAL, "ATTACH to /dev/null");
	tap_is(attach_to("/dev/infiniband/rdma_cm", O_RDWR), -EINVAL,
	       "ATTACH to rdma_cm");
	tap_is(attach_to("/proc/self/comm", O_RDWR), -EINVAL,
	       "ATTACH to a file");
	tap_is(attach_to(dt_uverbs(), O_RDONLY), -EBADF,
	       "ATTACH to a uverbs device that is open for reading");
	tap_is(attach_to(dt_uverbs(), O_PATH), -EBADF,
	       "ATTACH to an O_PATH file of a uverbs device");

	tap_is(set_parameter("allow_trusted_only_hca", "N"), 1,
	       "allow_trusted_only_hca=N");
	tap_is(hyv_attach_fd(fd, uverbs, ""), -EPERM,
	       "ATTACH fails unless the administrator allows the HCA");
	tap_is(set_parameter("allow_trusted_only_hca", "Y"), 1,
	       "allow_trusted_only_hca=Y");

	tap_is(hyv_attach_fd(fd, uverbs, ""), 0, "ATTACH");
	tap_is(hyv_attach_fd(fd, uverbs, ""), -EISCONN, "ATTACH twice");
	close(fd);
	test_attach_name();
	test_attach_scratch();
	test_attach_event_queues();
	test_attach_per_user();
	test_attach_count();
	test_attach_subordinates();
	test_attach_permission();
}

/* Features offered in host addressing, which is the default. */
#define FEATURES (HYV_FEATURES_ALL & ~(1ULL << HYV_F_GUEST_GIDS))

static void test_features(void)
{
	const struct {
		const char *what;
		uint64_t features;
		int ret;
	} cases[] = {
		{"none", 0, -EOPNOTSUPP},
		{"without VERSION_1", FEATURES, -EOPNOTSUPP},
		{"not offered", V1 | 1 << 7, -EOPNOTSUPP},
		{"packed ring", V1 | 1ULL << VIRTIO_F_RING_PACKED, -EOPNOTSUPP},
		{"addresses of an IOMMU", V1 | 1ULL << VIRTIO_F_ACCESS_PLATFORM,
		 -EOPNOTSUPP},
		{"in order", V1 | 1ULL << 35, -EOPNOTSUPP},
		{"unknown transport bit", V1 | 1ULL << 60, -EOPNOTSUPP},
		{"guest addressing", V1 | HYV_FEATURES_ALL, -EOPNOTSUPP},
		{"VERSION_1 alone", V1, 0},
		{"all", V1 | FEATURES, 0},
		{"event index and indirect descriptors",
		 V1 | 1ULL << VIRTIO_RING_F_EVENT_IDX |
			 1ULL << VIRTIO_RING_F_INDIRECT_DESC,
		 0},
	};
	struct vnic v;
	size_t i;

	vnic_attach(&v, &gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		tap_is(vnic_set_features(&v, cases[i].features), cases[i].ret,
		       "SET_FEATURES %s", cases[i].what);
		if (cases[i].ret)
			continue;
		tap_is(vnic_set_features(&v, cases[i].features), -EBUSY,
		       "SET_FEATURES again");
		tap_is(vnic_reset(&v), 0, "RESET");
	}
	vnic_close(&v);
}

static int exec(struct vnic *v)
{
	struct hyv_query_device_req fixed = {};
	static struct req r;
	static struct rsp rsp;

	req_init(&r, HYV_CMD_QUERY_DEVICE, &fixed, sizeof(fixed));
	return vnic_exec(v, &r, &rsp);
}

static int start_queue(int fd)
{
	struct hyv_set_event_queue arg = {
		.size = sizeof(arg),
		.num = 16,
		.desc = (uintptr_t)gm.base,
		.avail = (uintptr_t)gm.base + 1024,
		.used = (uintptr_t)gm.base + 2048,
		.call_fd = -1,
		.kick_fd = -1,
	};

	return hyv_ioctl(fd, HYV_SET_EVENT_QUEUE, &arg);
}

/* The order of ioctls, at first and after each reset. */
static void test_order(void)
{
	struct vnic v;
	int i;

	vnic_attach(&v, &gm);
	for (i = 0; i < 2; i++) {
		tap_is(exec(&v), -EPROTO, "EXEC before SET_FEATURES");
		tap_is(start_queue(v.fd), -EPROTO,
		       "SET_EVENT_QUEUE before SET_FEATURES");
		tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_HOST, NULL, 0), 0,
		       "SET_ADDRESSING before SET_FEATURES");
		tap_is(vnic_set_features(&v, V1), 0, "SET_FEATURES");
		tap_is(vnic_set_features(&v, V1), -EBUSY, "SET_FEATURES twice");
		tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_HOST, NULL, 0),
		       -EBUSY, "SET_ADDRESSING after SET_FEATURES");
		tap_is(exec(&v), 0, "EXEC");
		tap_is(start_queue(v.fd), 0, "SET_EVENT_QUEUE");
		tap_is(vnic_reset(&v), 0, "RESET");
	}
	vnic_close(&v);
}

static void test_notify(void)
{
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int null = open("/dev/null", O_RDWR);
	const struct {
		const char *what;
		int32_t config_fd;
		int32_t error_fd;
		int ret;
	} cases[] = {
		{"with config fd -2", -2, -1, -EINVAL},
		{"with error fd -2", event, -2, -EINVAL},
		{"with a closed config fd", 1000000, -1, -EBADF},
		{"with a closed error fd", event, 1000000, -EBADF},
		{"with /dev/null", null, -1, -EINVAL},
		{"with /dev/null for errors", -1, null, -EINVAL},
		{"with one eventfd for both", event, event, 0},
		{"with the same again", event, event, 0},
		{"with nothing", -1, -1, 0},
	};
	struct hyv_set_notify arg = {.size = sizeof(arg)};
	struct vnic v;
	uint64_t count;
	size_t i;

	vnic_attach(&v, &gm);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		arg.config_fd = cases[i].config_fd;
		arg.error_fd = cases[i].error_fd;
		tap_is(hyv_ioctl(v.fd, HYV_SET_NOTIFY, &arg), cases[i].ret,
		       "SET_NOTIFY %s", cases[i].what);
	}
	tap_ok(read(event, &count, sizeof(count)) < 0 && errno == EAGAIN,
	       "there was nothing to tell");
	vnic_close(&v);
	close(null);
	close(event);
}

static void test_config(void)
{
	struct hyv_config config;
	struct hyv_get_config arg = {
		.size = sizeof(arg),
		.config = (uintptr_t)&config,
		.config_len = 40,
	};
	struct vnic v;

	vnic_attach(&v, &gm);
	memset(&config, 0xee, sizeof(config));
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &arg), 0, "GET_CONFIG");
	tap_is(config.reserved[17], 0xee, "GET_CONFIG keeps to its room");
	tap_is(le16toh(config.proto_max), HYV_PROTO_VERSION, "protocol");
	tap_is(le16toh(config.nr_event_queues), DT_EVENT_QUEUES,
	       "event queues");
	tap_is(le32toh(config.driver_id), 14, "driver of rxe");
	tap_is(le16toh(config.nr_ports), 1, "ports");
	tap_is(le32toh(config.page_size), DT_PAGE, "page size");
	tap_is(arg.out_features, FEATURES, "features");
	arg.config = 0;
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &arg), -EFAULT,
	       "GET_CONFIG to NULL");
	arg.config_len = 0;
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &arg), 0,
	       "GET_CONFIG of nothing");
	arg.config = (uintptr_t)&config;
	arg.config_len = sizeof(config);
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &arg), 0, "GET_CONFIG of all");
	tap_is(le32toh(config.status), HYV_CONFIG_S_HCA_PRESENT,
	       "the HCA is present");
	tap_is(vnic_set_addressing(&v, HYV_ADDRESSING_GUEST, NULL, 0), 0,
	       "SET_ADDRESSING");
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &arg), 0, "GET_CONFIG");
	tap_is(arg.out_features, HYV_FEATURES_ALL,
	       "features with guest addressing");
	vnic_close(&v);
}

void suite_setup(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	REQUIRE(uverbs >= 0, "%s opens", dt_uverbs());
	test_attach();
	test_mrs_per_vmm();
	test_features();
	test_order();
	test_notify();
	test_config();
	dt_expect_counts(&before, "after all vNICs");
}
