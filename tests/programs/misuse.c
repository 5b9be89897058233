// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: misuse [remap | file FILE]
 *
 * Wrong and racing use of the verbs on a device of hyvs.ko: what libmlx5 never
 * does, or not from several threads. The second form maps and unmaps a page of
 * doorbells until the device has gone. The third one checks that memory of
 * FILE, whose file system can lock its pages, can be registered for reading
 * only.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../lib/tap.h"
#include "rc.h"

#define ENTRIES	   512
#define GROUP	   64 /* members at most */
#define MOST_PDS   40000
#define XRCDS	   1024 /* of a device */
#define OTHER_USER 3
#define DOORBELL   0x800
#define MAPPINGS   256 /* of a context's pages, with those of libmlx5 */
#define QKEY	   0x11111111
#define SECONDS	   5

/* A command of ib_uverbs, with what the provider adds to it. */
struct resize {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_resize_cq core;
	struct mlx5_ib_resize_cq mlx5;
	uint64_t behind;
};

struct open {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_get_context core;
	struct mlx5_ib_alloc_ucontext_req_v2 mlx5;
};

struct racer {
	struct ibv_cq *cq;
	uint32_t entries;
	void *ring;
};

static int resize(const struct ibv_cq *cq, uint32_t entries, void *ring,
		  uint64_t behind)
{
	size_t size =
		offsetof(struct resize, behind) + (behind ? sizeof(behind) : 0);
	struct ib_uverbs_resize_cq_resp response;
	struct resize command = {
		.hdr = {IB_USER_VERBS_CMD_RESIZE_CQ, (uint16_t)(size / 4),
			sizeof(response) / 4},
		.core = {(uintptr_t)&response, cq->handle, entries - 1},
		.mlx5 = {(uintptr_t)ring, 64},
		.behind = behind,
	};

	return write(cq->context->cmd_fd, &command, size) < 0 ? errno : 0;
}

static struct ibv_cq *create_cq(struct rc *rc)
{
	struct ibv_cq *cq =
		ibv_create_cq(rc->context, ENTRIES - 1, NULL, NULL, 0);

	if (!cq)
		die_errno("cannot create a CQ");
	return cq;
}

static void *resize_loop(void *arg)
{
	const struct racer *racer = arg;
	int error = 0, i;

	for (i = 0; i < ENTRIES && !error; i++)
		error = resize(racer->cq, racer->entries, racer->ring, 0);
	/* Each takes a place of the CQ, which nobody polls. */
	if (error && error != EINVAL)
		die("cannot resize a CQ: %s", strerror(error));
	return NULL;
}

static void race_resize(struct ibv_cq *cq, struct racer racer[2])
{
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++) {
		racer[i].cq = cq;
		if (pthread_create(&thread[i], NULL, resize_loop, &racer[i]))
			die("cannot create a thread");
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void test_resize(struct rc *rc)
{
	struct racer racer[2] = {
		{.entries = ENTRIES, .ring = pages_anonymous(ENTRIES * 64)},
		{.entries = 2 * ENTRIES,
		 .ring = pages_anonymous(2 * ENTRIES * 64)},
	};
	struct ibv_cq *cq = create_cq(rc);
	unsigned int rounds = 0;
	double end;

	tap_ok(resize(cq, 2 * ENTRIES, racer[1].ring, ~0ULL),
	       "no resize with something unknown behind the command");
	ibv_destroy_cq(cq);
	for (end = now() + SECONDS; now() < end; rounds++) {
		cq = create_cq(rc);
		race_resize(cq, racer);
		if (ibv_destroy_cq(cq))
			die("cannot destroy a CQ");
	}
	tap_ok(rounds, "two threads resize a CQ");
}

static void test_pds(struct rc *rc)
{
	struct ibv_device_attr attr;
	struct ibv_pd **pd;
	int most, made, i;

	if (ibv_query_device(rc->context, &attr))
		die("cannot query the device");
	most = attr.max_pd < MOST_PDS ? attr.max_pd : MOST_PDS;
	pd = calloc((size_t)most, sizeof(*pd));
	if (!pd)
		die("no memory");
	for (made = 0; made < most; made++) {
		pd[made] = ibv_alloc_pd(rc->context);
		if (!pd[made])
			break;
	}
	/* One is that of @rc. */
	tap_is(made + 1, attr.max_pd / 4,
	       "a process has half of the PDs of a user, who has half of all");
	for (i = 0; i < made; i++)
		if (ibv_dealloc_pd(pd[i]))
			die("cannot deallocate a PD");
	free(pd);
}

/* That of a file, or one of its own if @fd is -1. */
static struct ibv_xrcd *open_xrcd(struct rc *rc, int fd)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = O_CREAT,
	};

	return ibv_open_xrcd(rc->context, &init);
}

/* The domains that a process has got, and why not more. */
struct taken {
	unsigned int domains;
	int error;
};

/* All domains that there are for a process of the user @uid, until @end ends.
 */
static void take_domains(uid_t uid, int report, int end)
{
	struct taken taken = {};
	struct rc rc;
	char none;

	/* Objects count for the real user, the effective one opens files. */
	if (setresuid(uid, 0, 0))
		_exit(1);
	rc_open(&rc);
	while (open_xrcd(&rc, -1))
		taken.domains++;
	taken.error = errno;
	if (write(report, &taken, sizeof(taken)) != sizeof(taken) ||
	    read(end, &none, 1))
		_exit(1);
	_exit(0);
}

/* Returns false if a process of the user has got none, and sets @error. */
static bool take_more(uid_t uid, int end[2], unsigned int *domains, int *error)
{
	struct taken taken;
	int report[2];
	pid_t pid;

	if (pipe(report))
		die_errno("cannot make a pipe");
	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		close(end[1]);
		take_domains(uid, report[1], end[0]);
	}
	close(report[1]);
	if (read(report[0], &taken, sizeof(taken)) != sizeof(taken))
		die("a process that takes XRC domains has failed");
	close(report[0]);
	*domains += taken.domains;
	*error = taken.error;
	return taken.domains;
}

/* The children end with the other end of the pipe. */
static void test_xrcds(void)
{
	unsigned int alone = 0, all = 0, third = 0;
	int end[2], error, status;
	uid_t user;

	if (pipe(end))
		die_errno("cannot make a pipe");
	for (user = 1; user <= 2; user++) {
		alone = 0;
		take_more(user, end, &alone, &error);
		all += alone;
		while (take_more(user, end, &all, &error))
			;
	}
	tap_is(alone, XRCDS / 4,
	       "a process has half of the XRC domains of a user");
	tap_is(error, EDQUOT, "then the limit of the user is reached");
	tap_is(all, XRCDS, "two users have all of the device");
	take_more(3, end, &third, &error);
	tap_is(third, 0, "a third one has none");
	tap_is(error, ENOMEM, "as the device has no more");
	close(end[1]);
	while (wait(&status) > 0)
		if (status)
			die("a process that took XRC domains has failed");
	close(end[0]);
}

static struct ibv_qp *create_target(struct rc *rc, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	return ibv_create_qp_ex(rc->context, &init);
}

/* All targets that a process of another user can make in a domain. */
static void take_targets(const char *path, int report, int end)
{
	struct ibv_xrcd *xrcd;
	unsigned int made = 0;
	struct rc rc;
	char none;
	int fd;

	if (setresuid(OTHER_USER, 0, 0))
		_exit(1);
	rc_open(&rc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	xrcd = open_xrcd(&rc, fd);
	while (xrcd && create_target(&rc, xrcd))
		made++;
	if (write(report, &made, sizeof(made)) != sizeof(made) ||
	    read(end, &none, 1))
		_exit(1);
	_exit(0);
}

static void test_targets(struct rc *rc)
{
	struct ibv_cq *cq = create_cq(rc);
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = {1, 1, 1, 1, 0},
	};
	char path[] = "/tmp/misuse-XXXXXX";
	int fd = mkstemp(path), report[2], end[2], status;
	struct ibv_device_attr attr;
	struct ibv_xrcd *xrcd;
	unsigned int made;
	struct ibv_qp *qp;
	pid_t pid;

	if (fd < 0 || pipe(report) || pipe(end))
		die_errno("cannot make a file and pipes");
	xrcd = open_xrcd(rc, fd);
	if (!xrcd || ibv_query_device(rc->context, &attr))
		die_errno("cannot open an XRC domain");
	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		close(end[1]);
		take_targets(path, report[1], end[0]);
	}
	close(report[1]);
	if (read(report[0], &made, sizeof(made)) != sizeof(made))
		die("a process that makes XRC targets has failed");
	tap_is(made, (unsigned int)attr.max_qp / 4,
	       "a process makes half of its user's QPs as XRC targets");
	qp = ibv_create_qp(rc->pd, &init);
	tap_ok(qp, "they do not count for who has made the domain");
	close(end[1]);
	if (waitpid(pid, &status, 0) < 0 || status)
		die("a process that makes XRC targets has failed");
	if ((qp && ibv_destroy_qp(qp)) || ibv_close_xrcd(xrcd) ||
	    ibv_destroy_cq(cq) || unlink(path))
		die("cannot destroy objects");
	close(end[0]);
	close(report[0]);
	close(fd);
}

static const union ibv_gid group6 = {.raw = {0xff, 0x0e, [15] = 1}};
static const union ibv_gid group4 = {
	.raw = {[10] = 0xff, [11] = 0xff, [12] = 224, [13] = 1, [15] = 1}};

static void test_lids(struct rc *rc)
{
	struct ibv_cq *cq = create_cq(rc);
	struct ibv_qp *qp = rc_create_ud_qp(rc, cq, QKEY);

	tap_is(ibv_attach_mcast(qp, &group6, 0), 0, "join a group");
	tap_is(ibv_attach_mcast(qp, &group6, 1), 0, "join it by another LID");
	tap_is(ibv_detach_mcast(qp, &group6, 0), 0, "leave it");
	tap_is(ibv_detach_mcast(qp, &group6, 1), 0,
	       "leave it by the other LID");
	tap_is(ibv_destroy_qp(qp), 0, "then the QP can be destroyed");
	ibv_destroy_cq(cq);
}

static void test_places(struct rc *rc)
{
	struct ibv_cq *cq = create_cq(rc);
	struct ibv_qp *qp[GROUP];
	int members, i;

	for (members = 0; members < GROUP; members++) {
		qp[members] = rc_create_ud_qp(rc, cq, QKEY);
		if (ibv_attach_mcast(qp[members], &group6, 0)) {
			ibv_destroy_qp(qp[members]);
			break;
		}
	}
	tap_is(members, GROUP / 4,
	       "a process has half of a user's places in a group");
	for (i = 0; i < members; i++)
		if (ibv_detach_mcast(qp[i], &group6, 0) ||
		    ibv_destroy_qp(qp[i]))
			die("cannot leave a group");
	ibv_destroy_cq(cq);
}

/* Status of the receive request, or -1. */
static int receive_from_group(struct rc *rc, struct ibv_cq *cq,
			      struct ibv_qp *qp, struct ibv_mr *mr)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = {.dgid = group4,
			.sgid_index = (uint8_t)rc->gid_index,
			.hop_limit = 1},
	};
	struct ibv_sge to = {(uintptr_t)mr->addr, 1024, mr->lkey};
	struct ibv_sge from = {(uintptr_t)mr->addr + 2048, 8, mr->lkey};
	struct ibv_recv_wr recv = {.wr_id = 1, .sg_list = &to, .num_sge = 1};
	struct ibv_ah *ah = ibv_create_ah(rc->pd, &attr);
	struct ibv_send_wr send = {
		.sg_list = &from,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.wr.ud = {ah, 0xffffff, QKEY},
	};
	struct ibv_send_wr *bad_send;
	struct ibv_recv_wr *bad_recv;
	struct ibv_wc wc;
	int status = -1;

	if (!ah)
		die_errno("no address handle for a group");
	if (ibv_post_recv(qp, &recv, &bad_recv) ||
	    ibv_post_send(qp, &send, &bad_send))
		die("cannot post");
	while (status < 0 && rc_completion(cq, &wc, hang_seconds()))
		if (wc.wr_id == 1)
			status = wc.status;
	ibv_destroy_ah(ah);
	return status;
}

static void test_group_of_ipv4(struct rc *rc)
{
	struct ibv_mr *mr = rc_register(rc, pages_anonymous(PAGE), PAGE);
	struct ibv_cq *cq = create_cq(rc);
	struct ibv_qp *qp = rc_create_ud_qp(rc, cq, QKEY);

	tap_is(ibv_attach_mcast(qp, &group4, 0), 0, "join a group of IPv4");
	tap_is(receive_from_group(rc, cq, qp, mr), IBV_WC_SUCCESS,
	       "a message to it arrives");
	tap_is(ibv_detach_mcast(qp, &group4, 0), 0, "leave it");
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	rc_deregister(mr);
}

static void test_rereg(struct rc *rc)
{
	struct ibv_mr *to = rc_register(rc, pages_anonymous(PAGE), PAGE);
	uint8_t *page = pages_anonymous(PAGE);
	struct ibv_mr *mr = rc_register(rc, page, PAGE);
	struct rc_pair pair;

	rc_pair_open(&pair, rc, false);
	memset(page, 'A', PAGE);
	if (mmap(page, PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		die_errno("cannot map over a page");
	memset(page, 'B', PAGE);
	tap_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ),
	       0, "change the rights of a region whose pages were replaced");
	rc_transfer(&pair, IBV_WR_RDMA_READ, to, to->addr, (uintptr_t)page,
		    mr->rkey, PAGE);
	tap_is(*(uint8_t *)to->addr, 'A', "it is still the same memory");
	rc_pair_close(&pair);
	rc_deregister(mr);
	rc_deregister(to);

	mr = ibv_reg_mr(rc->pd, page, PAGE, IBV_ACCESS_REMOTE_READ);
	if (!mr)
		die_errno("cannot register a page to be read");
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    RC_ACCESS),
	       "memory that was pinned to be read is not written");
	ibv_dereg_mr(mr);
}

/* Does RTR fail with one attribute changed? */
static bool refuses(struct rc *rc, enum ibv_mtu mtu, uint8_t reads,
		    uint8_t min_rnr)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.path_mtu = mtu,
		.max_dest_rd_atomic = reads,
		.min_rnr_timer = min_rnr,
		.ah_attr = {.is_global = 1,
			    .port_num = 1,
			    .grh = {.dgid = rc->gid,
				    .sgid_index = (uint8_t)rc->gid_index}},
	};
	struct ibv_cq *cq = create_cq(rc);
	struct ibv_qp *qp = rc_create_qp(rc->pd, cq, RC_DEPTH);
	int error;

	if (!qp || ibv_modify_qp(qp, &attr,
				 IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					 IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("cannot bring a QP to INIT");
	attr.qp_state = IBV_QPS_RTR;
	attr.dest_qp_num = qp->qp_num;
	error = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				      IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	return error;
}

static void test_attributes(struct rc *rc)
{
	tap_ok(!refuses(rc, IBV_MTU_1024, 1, 31), "attributes in range");
	tap_ok(refuses(rc, 0, 1, 0), "no path MTU 0");
	tap_ok(refuses(rc, IBV_MTU_4096 + 1, 1, 0), "no path MTU 6");
	tap_ok(refuses(rc, IBV_MTU_1024, 200, 0), "not 200 RDMA reads");
	tap_ok(refuses(rc, IBV_MTU_1024, 1, 32), "no RNR timer 32");
}

/* The status of a page that one QP of a pair writes to or reads from the other.
 */
static int transfer(struct rc_pair *pair, enum ibv_wr_opcode opcode,
		    struct ibv_mr *mr)
{
	struct ibv_wc wc;

	rc_post(pair, opcode, mr, mr->addr, (uintptr_t)mr->addr, mr->rkey,
		PAGE / 2);
	if (!rc_completion(pair->cq, &wc, hang_seconds()))
		die("no completion");
	return wc.status;
}

static void test_reads(struct rc *rc)
{
	struct ibv_mr *mr = rc_register(rc, pages_anonymous(PAGE), PAGE);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_SQD};
	struct rc_pair pair;

	rc_pair_open(&pair, rc, false);
	if (ibv_modify_qp(pair.qp[1], &attr, IBV_QP_STATE))
		die("cannot bring a QP to SQD");
	tap_is(ibv_modify_qp(pair.qp[1], &attr,
			     IBV_QP_STATE | IBV_QP_MAX_DEST_RD_ATOMIC),
	       0, "take a QP's resources for RDMA reads away");
	tap_is(transfer(&pair, IBV_WR_RDMA_WRITE, mr), IBV_WC_SUCCESS,
	       "it can still be written to");
	tap_is(transfer(&pair, IBV_WR_RDMA_READ, mr), IBV_WC_REM_INV_REQ_ERR,
	       "but is not read from");
	rc_pair_close(&pair);
	rc_deregister(mr);
}

static void *map_doorbells(const struct rc *rc)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		    rc->context->cmd_fd, 0);
}

static void test_fork(struct rc *rc)
{
	volatile uint64_t *bell;
	int status = -1;
	uint8_t *page;
	pid_t pid;

	page = map_doorbells(rc);
	if (page == MAP_FAILED)
		die_errno("cannot map doorbells");
	bell = (volatile uint64_t *)(page + DOORBELL);
	*bell = 0;
	pid = fork();
	if (pid < 0)
		die_errno("cannot fork");
	if (!pid) {
		*bell = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	tap_is(status, 0, "a child rings");
	*bell = 0;
	munmap(page, PAGE);
}

static void test_mappings(struct rc *rc)
{
	void *page[MAPPINGS];
	unsigned int n, i;

	for (n = 0; n < MAPPINGS; n++) {
		page[n] = map_doorbells(rc);
		if (page[n] == MAP_FAILED)
			break;
	}
	tap_is(errno, ENOMEM, "a context's pages have few mappings");
	tap_ok(n >= MAPPINGS / 2 && n < MAPPINGS, "%u more", n);
	for (i = 0; i < n; i++)
		munmap(page[i], PAGE);
	page[0] = map_doorbells(rc);
	tap_ok(page[0] != MAP_FAILED, "unmapping makes room");
	if (page[0] != MAP_FAILED) {
		tap_is(remap_file_pages(page[0], PAGE, 0, 1, 0), -1,
		       "no mapping of them is made without the device");
		munmap(page[0], PAGE);
	}
}

/* Without libmlx5, which has pages mapped for as long as the device is open. */
static int open_raw(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct mlx5_ib_alloc_ucontext_resp mlx5;
	struct {
		struct ib_uverbs_get_context_resp core;
		uint8_t mlx5[sizeof(mlx5)];
	} response;
	struct open command = {
		.hdr = {IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(command) / 4,
			sizeof(response) / 4},
		.core = {(uintptr_t)&response},
		.mlx5 = {.total_num_bfregs = 16, .max_cqe_version = 1},
	};
	char path[128] = "";
	int i, fd;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), getenv("IBDEV")))
			snprintf(path, sizeof(path), "/dev/infiniband/%s",
				 list[i]->dev_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, &command, sizeof(command)) < 0)
		die_errno("no context");
	return fd;
}

/* Is the module being unloaded? */
static bool going(int state)
{
	char text[16] = "";

	return pread(state, text, sizeof(text) - 1, 0) > 0 &&
	       !strncmp(text, "going", 5);
}

static int remap(void)
{
	int fd = open_raw(), state;
	unsigned long times = 0;
	void *page;

	state = open("/sys/module/hyvs/initstate", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || state < 0)
		die_errno("cannot open the device and the state of its module");
	for (;; times++) {
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);
		if (page == MAP_FAILED)
			break;
		/* A mapping keeps the module. */
		if (going(state))
			die("mapped a page of a module that is unloaded");
		munmap(page, PAGE);
		if (!times) {
			puts("maps");
			fflush(stdout);
		}
	}
	printf("mapped %lu times: %s\n", times, strerror(errno));
	return 0;
}

static int register_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct ibv_mr *mr;
	struct rc rc;
	char *page;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		die_errno("cannot map %s", path);
	*page = 1;
	rc_open(&rc);
	if (ibv_reg_mr(rc.pd, page, PAGE, IBV_ACCESS_LOCAL_WRITE))
		die("registered for writing");
	printf("cannot register it for writing: %s\n", strerror(errno));
	mr = ibv_reg_mr(rc.pd, page, PAGE, 0);
	if (!mr)
		die_errno("cannot register it for reading");
	rc_deregister(mr);
	rc_close(&rc);
	return 0;
}

int main(int argc, char **argv)
{
	struct rc rc;

	if (argc == 3 && !strcmp(argv[1], "file"))
		return register_file(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "remap"))
		return remap();
	if (argc != 1)
		die("usage: misuse [remap | file FILE]");
	rc_open(&rc);
	tap_plan(35);
	test_attributes(&rc);
	test_reads(&rc);
	test_fork(&rc);
	test_mappings(&rc);
	test_rereg(&rc);
	test_group_of_ipv4(&rc);
	test_places(&rc);
	test_pds(&rc);
	test_xrcds();
	test_targets(&rc);
	test_lids(&rc);
	test_resize(&rc);
	rc_close(&rc);
	return tap_done();
}
