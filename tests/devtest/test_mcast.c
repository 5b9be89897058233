// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups in guest addressing, where the host's IP stack joins groups,
 * too: its network may be slow, or leave. Uses an rxe device of its own.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>

#include "cmd.h"
#include "driver.h"
#include "hostile_vmm.h"
#include "suites.h"

unsigned int if_nametoindex(const char *name);

#define IB_DEVICE  "dtmcast"
#define NET_DEVICE "dtmc0"
#define NET_PEER   "dtmc1"

#define EVENT_DEVICE_FATAL 8

/* Longest time of a command or ioctl that must not wait for others. */
#define PROMPT_S 5

static struct gmem gm;

/* A vNIC with QPs that can join groups. */
struct member {
	struct vnic v;
	uint32_t context;
	uint32_t pd;
	struct cq_info cq;
	struct qp_info qp[2];
};

static void member_init(struct member *m)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(QPS_INIT),
		.port_num = 1,
		.qkey = htole32(0x1234),
	};
	int i;

	vnic_open_guest_gids(&m->v, &gm, NULL, 0);
	REQUIRE_EQ(cmd_alloc_context(&m->v, &m->context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&m->v, m->context, &m->pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(&m->v, m->context, 15, 0, &m->cq), 0,
		   "CREATE_CQ");
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(cmd_create_qp_type(&m->v, QPT_UD, m->pd,
					      m->cq.handle, 0, 7, &m->qp[i]),
			   0, "CREATE_QP");
		/* State, P_Key index, port, Q_Key. */
		REQUIRE_EQ(cmd_modify_qp(&m->v, m->qp[i].handle,
					 1 << 0 | 1 << 4 | 1 << 5 | 1 << 6,
					 &attr),
			   0, "MODIFY_QP");
	}
}

/* Groups are 239.77.1.N. */
static int change(struct member *m, uint16_t opcode, int qp, uint8_t n)
{
	uint8_t gid[16] = {[10] = 0xff, [11] = 0xff, 239, 77, 1, n};

	return cmd_mcast(&m->v, opcode, m->qp[qp].handle, 0, gid);
}

static int join(struct member *m, int qp, uint8_t n)
{
	return change(m, HYV_CMD_ATTACH_MCAST, qp, n);
}

static int leave(struct member *m, int qp, uint8_t n)
{
	return change(m, HYV_CMD_DETACH_MCAST, qp, n);
}

/* Is a process's network a member of a group at any device? */
static bool host_is_member(pid_t pid, uint8_t n)
{
	uint8_t addr[4] = {239, 77, 1, n};
	char path[64], line[256], text[16];
	bool found = false;
	uint32_t raw;
	FILE *f;

	memcpy(&raw, addr, sizeof(raw));
	snprintf(text, sizeof(text), "%08X ", raw);
	snprintf(path, sizeof(path), "/proc/%d/net/igmp", pid);
	f = fopen(path, "r");
	REQUIRE(f, "%s opens", path);
	while (fgets(line, sizeof(line), f))
		found |= !!strstr(line, text);
	fclose(f);
	return found;
}

static bool host_becomes(pid_t pid, uint8_t n, bool member)
{
	uint64_t end = dt_now_ms() + hostile_ms(PROMPT_S);

	while (host_is_member(pid, n) != member) {
		if (dt_now_ms() > end)
			return false;
		dt_sleep_us(10000);
	}
	return true;
}

static void add_net(void)
{
	if (if_nametoindex(NET_PEER))
		dt_run("ip link del " NET_PEER);
	REQUIRE_EQ(dt_run("ip link add " NET_DEVICE
			  " type veth peer name " NET_PEER),
		   0, "a pair of network devices");
	REQUIRE_EQ(dt_run("ip link set " NET_PEER " up"), 0, "the peer is up");
}

static int set_up_hca(void)
{
	return dt_run("ip link set " NET_DEVICE " up") ||
	       dt_run("ip addr add 10.77.1.1/24 dev " NET_DEVICE) ||
	       dt_run("rdma link add " IB_DEVICE
		      " type rxe netdev " NET_DEVICE);
}

/* --- Membership --- */

static void test_membership(void)
{
	pid_t self = getpid();
	struct member m;

	member_init(&m);
	tap_ok(!host_is_member(self, 1), "the host is in no group");
	tap_is(join(&m, 0, 1), 0, "ATTACH_MCAST");
	tap_ok(host_becomes(self, 1, true), "the host is in the group");
	tap_is(join(&m, 1, 1), 0, "ATTACH_MCAST of another QP");
	tap_is(leave(&m, 0, 1), 0, "DETACH_MCAST of the first");
	dt_sleep_us(200000);
	tap_ok(host_is_member(self, 1), "the host stays in the group");
	tap_is(leave(&m, 1, 1), 0, "DETACH_MCAST of the last");
	tap_ok(host_becomes(self, 1, false), "the host leaves the group");
	tap_is(join(&m, 0, 2), 0, "ATTACH_MCAST");
	tap_ok(host_becomes(self, 2, true), "the host is in the group");
	vnic_close(&m.v);
	tap_ok(host_becomes(self, 2, false), "the host leaves it at the end");
}

/* --- A slow network --- */

/* A thread that holds the lock of the host's network configuration. */
struct rtnl {
	int uffd;
	char *mem;
	pthread_t thread;
};

/*
 * The number of this command is read before the lock is taken, and the rest
 * when it is held.
 */
static void *rtnl_thread(void *arg)
{
	struct rtnl *r = arg;
	uint32_t cmd = ETHTOOL_PERQUEUE;
	struct ifreq ifr = {
		.ifr_name = "lo",
		.ifr_data = r->mem + DT_PAGE - sizeof(cmd),
	};
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(ifr.ifr_data, &cmd, sizeof(cmd));
	ioctl(sock, SIOCETHTOOL, &ifr);
	close(sock);
	return NULL;
}

static bool rtnl_hold(struct rtnl *r)
{
	struct pollfd fd;

	r->uffd = hostile_uffd(0);
	if (r->uffd < 0)
		return false;
	r->mem = mmap(NULL, 2 * DT_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(r->mem != MAP_FAILED, "mmap");
	REQUIRE(hostile_uffd_register(r->uffd, r->mem + DT_PAGE, DT_PAGE),
		"UFFDIO_REGISTER");
	REQUIRE(!pthread_create(&r->thread, NULL, rtnl_thread, r),
		"pthread_create");
	fd = (struct pollfd){.fd = r->uffd, .events = POLLIN};
	REQUIRE(poll(&fd, 1, dt_hang_ms()) == 1, "the lock is held");
	return true;
}

static void rtnl_release(struct rtnl *r)
{
	static const char zero[DT_PAGE];

	REQUIRE(hostile_uffd_copy(r->uffd, r->mem + DT_PAGE, zero, DT_PAGE),
		"UFFDIO_COPY");
	pthread_join(r->thread, NULL);
	close(r->uffd);
	munmap(r->mem, 2 * DT_PAGE);
}

static void expect_prompt(uint64_t began, const char *what)
{
	uint64_t ms = dt_now_ms() - began;

	tap_ok(ms < hostile_ms(PROMPT_S), "%s: %llu ms", what,
	       (unsigned long long)ms);
}

/* Nobody waits for the lock of the network without bound. */
static void test_slow_network(void)
{
	struct member m, other;
	struct rtnl rtnl;
	uint64_t began;
	int i, bad = 0;

	member_init(&m);
	member_init(&other);
	REQUIRE_EQ(join(&m, 1, 9), 0, "ATTACH_MCAST");
	if (!rtnl_hold(&rtnl)) {
		tap_diag("no userfaultfd: a slow network is not tested");
		goto out;
	}
	began = dt_now_ms();
	tap_is(join(&m, 0, 3), 0, "ATTACH_MCAST while the network is slow");
	expect_prompt(began, "ATTACH_MCAST");
	began = dt_now_ms();
	for (i = 0; i < 8; i++)
		bad += !!leave(&m, 0, 3 + i) + !!join(&m, 0, 4 + i);
	tap_is(bad, 0, "groups are left and joined while it is slow");
	tap_ok(dt_now_ms() - began < 8 * hostile_ms(PROMPT_S), "%llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	tap_ok(!host_is_member(getpid(), 11), "the host is not in the group");

	began = dt_now_ms();
	tap_is(cmd_destroy(&other.v, HYV_OBJ_QP, other.qp[0].handle), 0,
	       "DESTROY of a QP of another vNIC");
	tap_is(cmd_destroy(&m.v, HYV_OBJ_QP, m.qp[1].handle), 0,
	       "DESTROY of a QP that is in a group");
	expect_prompt(began, "DESTROY");
	began = dt_now_ms();
	tap_is(vnic_reset(&m.v), 0, "RESET while the network is slow");
	expect_prompt(began, "RESET");
	began = dt_now_ms();
	vnic_close(&m.v);
	expect_prompt(began, "close");

	rtnl_release(&rtnl);
	tap_ok(host_becomes(getpid(), 11, false) &&
		       host_becomes(getpid(), 9, false),
	       "the host is in no group when the network works again");
	member_init(&m);
	tap_is(join(&m, 0, 3), 0, "ATTACH_MCAST when the network works again");
	tap_ok(host_becomes(getpid(), 3, true), "the host is in the group");
out:
	vnic_close(&m.v);
	vnic_close(&other.v);
}

static bool removal_raised(struct evq *q)
{
	uint64_t end = dt_now_ms() + hostile_ms(PROMPT_S);
	struct hyv_event ev;

	while (dt_now_ms() < end)
		if (evq_get(q, &ev, 50) &&
		    le16toh(ev.type) == HYV_EVENT_DEVICE &&
		    le16toh(ev.code) == EVENT_DEVICE_FATAL)
			return true;
	return false;
}

static void remove_hca(void *arg)
{
	(void)arg;
	_exit(!!dt_run("rdma link del " IB_DEVICE));
}

/* The HCA leaves vNICs that are in groups, while the network is slow. */
static void test_removal(void)
{
	struct rtnl rtnl;
	struct member m;
	struct evq q;
	int status;
	pid_t pid;

	member_init(&m);
	evq_init(&q, &m.v, 0, 16, false);
	evq_post_all(&q);
	REQUIRE_EQ(evq_start(&q, &m.v, 0), 0, "SET_EVENT_QUEUE");
	REQUIRE_EQ(join(&m, 0, 5), 0, "ATTACH_MCAST");
	if (rtnl_hold(&rtnl)) {
		REQUIRE_EQ(join(&m, 1, 6), 0, "ATTACH_MCAST");
		pid = hostile_fork(remove_hca, NULL);
		tap_ok(removal_raised(&q),
		       "the removal does not wait for the network");
		rtnl_release(&rtnl);
	} else {
		pid = hostile_fork(remove_hca, NULL);
	}
	tap_ok(hostile_ends(pid, DT_HANG_S, &status) && !status,
	       "the HCA is removed");
	tap_ok(host_becomes(getpid(), 5, false) &&
		       host_becomes(getpid(), 6, false),
	       "the host leaves the groups");
	vnic_close(&m.v);
	evq_free(&q);
}

/* --- A network that leaves --- */

struct container {
	struct hostile_pipe made;
	struct hostile_pipe moved;
	struct hostile_pipe ready;
	struct hostile_pipe end;
};

/* In a child: a network namespace with the HCA's network device. */
static void container_main(void *arg)
{
	struct container *c = arg;

	REQUIRE(!unshare(CLONE_NEWNET), "a network namespace");
	hostile_tell(&c->made);
	if (!hostile_hear(&c->moved, DT_HANG_S) || set_up_hca())
		_exit(1);
	hostile_tell(&c->ready);
	hostile_hear(&c->end, 2 * DT_HANG_S);
}

static bool peer_vanishes(void)
{
	return dt_until_every(20000, !if_nametoindex(NET_PEER));
}

/* A membership keeps neither the namespace nor its network device. */
static void test_namespace(void)
{
	struct container c;
	struct member m;
	int status;
	pid_t pid;

	add_net();
	hostile_pipe(&c.made);
	hostile_pipe(&c.moved);
	hostile_pipe(&c.ready);
	hostile_pipe(&c.end);
	pid = hostile_fork(container_main, &c);
	REQUIRE(hostile_hear(&c.made, DT_HANG_S), "a network namespace");
	REQUIRE_EQ(dt_run("ip link set " NET_DEVICE " netns %d", pid), 0,
		   "the network device moves");
	hostile_tell(&c.moved);
	REQUIRE(hostile_hear(&c.ready, DT_HANG_S),
		"an HCA in a network namespace");
	member_init(&m);
	tap_is(join(&m, 0, 7), 0, "ATTACH_MCAST in another namespace");
	tap_ok(host_becomes(pid, 7, true), "the namespace is in the group");
	tap_ok(!host_is_member(getpid(), 7), "this namespace is not");
	hostile_tell(&c.end);
	tap_ok(hostile_ends(pid, DT_HANG_S, &status) && !status,
	       "the process ends");
	tap_ok(peer_vanishes(), "the namespace and its device go");
	tap_is(vnic_reset(&m.v), 0, "RESET after that");
	vnic_close(&m.v);
}

void suite_mcast(void)
{
	gmem_init(&gm, GMEM_MEMFD);
	REQUIRE(!setenv("IBDEV", IB_DEVICE, 1), "setenv");
	add_net();
	REQUIRE(!set_up_hca(), "an HCA");
	test_membership();
	test_slow_network();
	test_removal();
	dt_run("ip link del " NET_DEVICE);
	test_namespace();
}
