// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds of what a vNIC takes from others: rights, time, memberships, CPU time,
 * lines in the kernel's log.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_config.h>

#include "fixture.h"
#include "harness.h"
#include "suites.h"

#define NOBODY 65534

static struct fixture fix;

/* --- Rights: of the opener of the HCA, for each context. */

static void test_permissions(void)
{
	struct stat st;
	struct vnic v = {.gm = &fix.gm};
	uint32_t context;
	int uverbs;

	REQUIRE(!stat(dt_uverbs(), &st) && !chmod(dt_uverbs(), 0666), "chmod");
	REQUIRE(!seteuid(NOBODY), "seteuid");
	uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	REQUIRE(!seteuid(0), "seteuid");
	REQUIRE(uverbs >= 0, "%s opens", dt_uverbs());
	v.fd = hyv_open();
	REQUIRE_EQ(hyv_attach_fd(v.fd, uverbs, ""), 0, "ATTACH");
	close(uverbs);
	REQUIRE_EQ(vnic_set_features(&v, 1ULL << VIRTIO_F_VERSION_1), 0,
		   "SET_FEATURES");

	tap_is(cmd_alloc_context(&v, &context), 0,
	       "ALLOC_CONTEXT with the rights of another user");
	REQUIRE(!chmod(dt_uverbs(), 0600), "chmod");
	tap_is(cmd_alloc_context(&v, &context), HYV_S_EACCES,
	       "ALLOC_CONTEXT when that user has lost them");
	REQUIRE(!chmod(dt_uverbs(), 0666), "chmod");
	tap_is(cmd_alloc_context(&v, &context), 0,
	       "ALLOC_CONTEXT when it has them again");
	REQUIRE(!chmod(dt_uverbs(), st.st_mode & 07777), "chmod");
	close(v.fd);
}

/* --- Time: others do not wait for slow requests. */

#define SLOW_THREADS 2
/* ib_core looks for an address that nobody has for a second. */
#define SLOW_MS 700

static struct {
	struct vnic v;
	uint32_t pd;
	struct hyv_gid gid;
	atomic_bool stop;
	atomic_uint slow;
} taker;

/* Create address handles to an address of the HCA's network without an owner.
 */
static void *slow_thread(void *arg)
{
	struct hyv_gid gid = taker.gid;
	struct ah_info ah;
	uint64_t began;

	gid.raw[15] = 200 + (uintptr_t)arg;
	while (!atomic_load(&taker.stop)) {
		began = dt_now_ms();
		cmd_create_ah(&taker.v, taker.pd, &gid, &ah);
		if (dt_now_ms() - began > SLOW_MS)
			atomic_fetch_add(&taker.slow, 1);
	}
	return NULL;
}

/* A round of most verbs, in milliseconds. */
static uint64_t round_ms(struct vnic *v)
{
	uint64_t at, began = dt_now_ms();
	uint32_t context, pd;
	struct cq_info cq;
	struct qp_info qp;
	struct mr_info mr;

	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(v, context, 15, 0, &cq), 0, "CREATE_CQ");
	REQUIRE_EQ(cmd_mmap(v, context, &cq.mi, &at), 0, "MMAP");
	REQUIRE_EQ(cmd_create_qp(v, pd, cq.handle, cq.handle, 7, &qp), 0,
		   "CREATE_QP");
	REQUIRE_EQ(cmd_reg_mr(v, pd, &fix.buf, ACCESS_REMOTE, &mr), 0,
		   "REG_MR");
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_QP, qp.handle), 0, "DESTROY");
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	return dt_now_ms() - began;
}

/* The slowest round when nothing else runs. */
static uint64_t alone_ms(struct vnic *v)
{
	uint64_t ms, most = 0;
	int i;

	for (i = 0; i < 20; i++) {
		ms = round_ms(v);
		most = ms > most ? ms : most;
	}
	return most;
}

/*
 * With a lock that slow requests hold, each command of each round would wait
 * for one. On a busy machine some rounds are slow anyway.
 */
static void expect_fast(struct vnic *v, uint64_t alone, const char *who)
{
	int i, slow = 0;

	for (i = 0; i < 20 && slow < 5; i++)
		slow += round_ms(v) >= alone + SLOW_MS / 2;
	tap_ok(slow < 5, "%s does not wait: %d of %d rounds, %llu ms alone",
	       who, i - slow, i, (unsigned long long)alone);
}

static void test_slow(void)
{
	pthread_t thread[SLOW_THREADS];
	uint64_t alone = alone_ms(&fix.v);
	uint32_t context;
	size_t i;

	vnic_open(&taker.v, &fix.gm);
	REQUIRE_EQ(cmd_query_gid(&taker.v, &taker.gid), 0, "a GID");
	REQUIRE_EQ(cmd_alloc_context(&taker.v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&taker.v, context, &taker.pd), 0, "ALLOC_PD");
	for (i = 0; i < SLOW_THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, slow_thread,
					(void *)i),
			"pthread_create");
	while (!atomic_load(&taker.slow))
		dt_sleep_us(10000);

	expect_fast(&fix.v, alone, "another vNIC");
	expect_fast(&taker.v, alone, "another context");
	atomic_store(&taker.stop, true);
	for (i = 0; i < SLOW_THREADS; i++)
		pthread_join(thread[i], NULL);
	tap_ok(taker.slow > SLOW_THREADS, "%u requests were slow", taker.slow);
	vnic_close(&taker.v);
}

/* --- Memberships in multicast groups. */

#define MAX_MEMBERSHIPS 1024

/* The low bytes, which make the MAC address, stay the same. */
static int join(uint32_t n)
{
	uint8_t gid[16];

	memcpy(gid, fixture_group, sizeof(gid));
	n++;
	memcpy(gid + 4, &n, sizeof(n));
	return cmd_mcast(&fix.v, HYV_CMD_ATTACH_MCAST, fix.ud.handle, 0, gid);
}

static void test_memberships(void)
{
	/* The fixture has one. */
	uint32_t n = 1;

	fixture_renew(&fix);
	while (n < MAX_MEMBERSHIPS && !join(n))
		n++;
	tap_is(n, MAX_MEMBERSHIPS, "memberships up to the limit");
	tap_is(join(n), HYV_S_EDQUOT, "one more");
	tap_is(dt_quota("mcast", false), MAX_MEMBERSHIPS,
	       "hyv show has the memberships");
	tap_is(dt_quota("mcast", true), MAX_MEMBERSHIPS, "and the limit");
	tap_is(cmd_mcast(&fix.v, HYV_CMD_DETACH_MCAST, fix.ud.handle, 0,
			 fixture_group),
	       0, "DETACH_MCAST");
	tap_is(join(n), 0, "one when the QP has left a group");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_QP, fix.ud.handle), 0,
	       "DESTROY of a QP in all these groups");
	fixture_renew(&fix);
	tap_is(join(n), 0, "after a reset");
}

/* Groups whose MAC addresses differ. */
static int change_group(uint16_t opcode, uint32_t n)
{
	uint8_t gid[16] = {0xff, 0x12, [12] = 0x77};

	n = htobe32(0x77000000 | n);
	memcpy(gid + 12, &n, sizeof(n));
	return cmd_mcast(&fix.v, opcode, fix.ud.handle, 0, gid);
}

static int visit(uint32_t n)
{
	int ret = change_group(HYV_CMD_ATTACH_MCAST, n);

	return ret ? ret : change_group(HYV_CMD_DETACH_MCAST, n);
}

/* Multicast addresses of all network devices. */
static long count_addresses(void)
{
	FILE *f = fopen("/proc/net/dev_mcast", "re");
	char line[256];
	long nr = 0;

	REQUIRE(f, "/proc/net/dev_mcast");
	while (fgets(line, sizeof(line), f))
		nr++;
	fclose(f);
	return nr;
}

/* rdma_rxe leaves the address of each group on the network device. */
static void test_group_addresses(void)
{
	/* The fixture has one. */
	long before = count_addresses(), grown;
	uint32_t n = 1;

	while (n < 2 * MAX_MEMBERSHIPS && !visit(n))
		n++;
	tap_is(n, MAX_MEMBERSHIPS, "groups that a vNIC can visit one by one");
	tap_is(visit(n), HYV_S_EDQUOT, "one more");
	grown = count_addresses() - before;
	tap_ok(grown <= MAX_MEMBERSHIPS,
	       "%ld addresses are left on network devices", grown);
	tap_is(visit(1), 0, "a group that was visited before");
	fixture_renew(&fix);
	tap_is(visit(n), HYV_S_EDQUOT, "after a reset: one more");
	tap_is(visit(1), 0, "after a reset: one that was visited before");
}

/* --- CPU time: the thread of a vNIC is in the control group of its owner. */

#define CG_MOUNT "/tmp/devtest-isolation"
#define CG_DIR	 CG_MOUNT "/devtest"

/* Read the path of a process's group; false if there is no such process. */
static bool group_of(const char *pid, char *path, size_t len)
{
	char name[300], line[256];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%s/cgroup", pid);
	file = fopen(name, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "0::", 3);
	if (found)
		snprintf(path, len, "%s", line + 3);
	if (file)
		fclose(file);
	return found;
}

static bool has_name(const char *pid, const char *want)
{
	char name[300], comm[32] = "";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%s/comm", pid);
	file = fopen(name, "re");
	if (!file)
		return false;
	if (fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
	return !strcmp(comm, want);
}

/*
 * Count the threads of this process's vNICs, and those that have its group and
 * its nice value. Returns the ID of one.
 */
static int count_workers(int *all, int *same)
{
	char own[256] = "", path[256], want[32];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int id = 0;

	*all = 0;
	*same = 0;
	snprintf(want, sizeof(want), "hyv-%d", getpid());
	REQUIRE(proc && group_of("self", own, sizeof(own)), "/proc");
	while ((entry = readdir(proc)))
		if (has_name(entry->d_name, want) &&
		    group_of(entry->d_name, path, sizeof(path))) {
			++*all;
			id = atoi(entry->d_name);
			*same += !strcmp(path, own) &&
				 getpriority(PRIO_PROCESS, id) ==
					 getpriority(PRIO_PROCESS, 0);
		}
	closedir(proc);
	return id;
}

static void enter_group(const char *dir)
{
	char path[64];
	int fd;

	REQUIRE(!mkdir(dir, 0755) || errno == EEXIST, "a control group");
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0 && write(fd, "0", 1) == 1, "the group is entered");
	close(fd);
}

static void mount_groups(void)
{
	mkdir(CG_MOUNT, 0755);
	REQUIRE(!unshare(CLONE_NEWNS) &&
			!mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
			!mount("devtest", CG_MOUNT, "cgroup2", 0, NULL),
		"control groups");
}

static void expect_workers(struct vnic *v, const char *what)
{
	struct hyv_set_doorbell arg = {.size = sizeof(arg), .kick_fd = -1};
	int all, same;

	REQUIRE_EQ(hyv_ioctl(v->fd, HYV_SET_DOORBELL, &arg), 0, "SET_DOORBELL");
	count_workers(&all, &same);
	if (all)
		tap_is(same, all, "%s", what);
	else
		tap_ok(false, "the vNIC has a thread");
}

/* A new thread would have to be moved, for which forks and exits wait. */
static void expect_kept(struct vnic *v)
{
	int all, same, id = count_workers(&all, &same);

	REQUIRE_EQ(vnic_reset(v), 0, "RESET");
	tap_ok(id && count_workers(&all, &same) == id && all == 1,
	       "a reset keeps the thread");
}

static void worker_child(void)
{
	struct gmem gm;
	struct vnic v;

	mount_groups();
	enter_group(CG_DIR);
	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	expect_workers(&v, "the vNIC's thread is in its owner's group");
	expect_kept(&v);
	enter_group(CG_DIR "2");
	REQUIRE(!setpriority(PRIO_PROCESS, 0, 5), "setpriority");
	expect_workers(&v, "the thread follows its owner to another one");
	vnic_close(&v);
	_exit(0);
}

static void test_worker_group(void)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		worker_child();
	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid, "fork");
	tap_is(status, 0, "the process in the group has ended");
	/* It was mounted in the child's namespace only. */
	rmdir(CG_MOUNT);
}

/* --- The kernel's log. */

/* Lines since the last call: of hyv.ko, which are not for debugging, and all.
 */
static int log_lines(int klog, int *all)
{
	char line[1024];
	int n = 0, level;
	ssize_t len;

	*all = 0;
	while ((len = read(klog, line, sizeof(line) - 1)) > 0) {
		line[len] = '\0';
		level = atoi(line) & 7;
		++*all;
		if (level < 7 && strstr(line, ";hyv: ")) {
			tap_diag("%s", line);
			n++;
		}
	}
	return n;
}

/* Set each 32-bit word of the fixed part, after the header, to a bad value. */
static int spoil(const struct opcode *op)
{
	static const uint32_t values[] = {0, 1, 0x7fffffff, 0xffffffff};
	struct rsp rsp;
	struct req r;
	size_t i, at;
	int n = 0;

	for (at = sizeof(struct hyv_req); at < op->fixed_len; at += 4)
		for (i = 0; i < ARRAY_SIZE(values); i++, n++) {
			fixture_request(&fix, op->opcode, &r);
			*(uint32_t *)(r.data + at) = htole32(values[i]);
			if (!vnic_exec(&fix.v, &r, &rsp) && opcode_changes(op))
				fixture_renew(&fix);
		}
	return n;
}

/* Without a check, rdma_rxe of Linux 6.1 logs a line for each of these. */
static int spoil_srqs(void)
{
	static const struct {
		uint32_t mask, wr, limit;
	} cases[] = {
		{SRQ_MAX_WR, 0, 0},
		{SRQ_MAX_WR, 8, 0},
		{SRQ_LIMIT, 0, 1000},
		{SRQ_LIMIT, 0, ~0U},
		{SRQ_MAX_WR | SRQ_LIMIT, 31, 31},
	};
	struct rsp rsp;
	struct req r;
	int i, bad;
	size_t n;

	fixture_renew(&fix);
	bad = !!cmd_modify_srq(&fix.v, fix.srq.handle, SRQ_LIMIT, 0, 9,
			       &fix.mi);
	for (i = 0; i < 100; i++) {
		for (n = 0; n < ARRAY_SIZE(cases); n++)
			bad += cmd_modify_srq(&fix.v, fix.srq.handle,
					      cases[n].mask, cases[n].wr,
					      cases[n].limit,
					      &fix.mi) != HYV_S_EINVAL;
		req_create_srq(&r, fix.pd, 0, 1);
		bad += vnic_exec(&fix.v, &r, &rsp) != HYV_S_EINVAL;
	}
	return bad;
}

static void test_log(void)
{
	int klog = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int all, i, n = 0;

	REQUIRE(klog >= 0, "/dev/kmsg opens");
	fixture_renew(&fix);
	REQUIRE(lseek(klog, 0, SEEK_END) >= 0, "lseek");
	for (i = 0; i < NR_OPCODES; i++)
		n += spoil(&opcodes[i]);
	tap_ok(n > 500, "%d requests with bad fields", n);
	tap_is(log_lines(klog, &all), 0, "no line of hyv.ko is in the log");
	tap_diag("%d lines of the HCA's driver", all);
	tap_is(spoil_srqs(), 0, "bad sizes and limits of SRQs are refused");
	log_lines(klog, &all);
	tap_is(all, 0, "and leave no line of the HCA's driver");
	close(klog);
}

void suite_isolation(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_permissions();
	test_slow();
	test_memberships();
	test_group_addresses();
	test_worker_group();
	test_log();
	fixture_free(&fix);
	dt_expect_counts(&before, "after all of them");
}
