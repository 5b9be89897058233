// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: attack KIND THREADS [IPV4-ADDRESS]
 *
 * Use as much as possible of something that guests share, until SIGTERM:
 *   burn        CPU time of this guest, and nothing of the host
 *   objects     create objects of all types until that is refused, destroy them
 *   pin         register memory until that is refused, deregister it
 *   commands    the shortest commands
 *   doorbells   doorbells of many QPs and CQs, with and without work
 *   events      completion events
 *   cm          requests of the CM to the address, where nothing listens
 * Prints "attacking" when all threads have begun, and at the end how many
 * operations succeeded and how many were refused.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_cm.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rc.h"

#define MOST 20000
/* attempts after the first refusal, before all is destroyed */
#define INSIST	 200
#define MIB	 (1UL << 20)
#define QPS	 16
#define REQUESTS 32
#define RESOLVE	 2000

/* RDMA_CM_EVENT_* of librdmacm */
#define ADDR_RESOLVED  0
#define ROUTE_RESOLVED 2

struct attacker {
	pthread_t thread;
	void (*attack)(struct attacker *attacker);
	unsigned int number;
	struct rc rc;
	unsigned long done, refused;
};

static volatile sig_atomic_t stop;
static volatile unsigned long burnt;
static struct sockaddr_in victim = {.sin_family = AF_INET};
static unsigned int begun;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static void begin(struct attacker *a, bool device)
{
	if (device)
		rc_open(&a->rc);
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

static void attack_burn(struct attacker *a)
{
	a->done = 1;
	begin(a, false);
	while (!stop)
		burnt++;
}

/* Create as many as possible by @make, then destroy them. */
static void until_refused(struct attacker *a, void *(*make)(struct attacker *),
			  int (*destroy)(void *))
{
	static const unsigned int most = MOST;
	void **object = calloc(most, sizeof(*object));
	unsigned int count, insist;

	if (!object)
		die_errno("no memory");
	while (!stop) {
		count = 0;
		for (insist = 0; insist < INSIST && count < most && !stop;) {
			object[count] = make(a);
			if (object[count]) {
				count++;
				a->done++;
			} else {
				insist++;
				a->refused++;
			}
		}
		while (count)
			if (destroy(object[--count]))
				die("cannot destroy an object");
	}
	free(object);
}

static void *make_pd(struct attacker *a)
{
	return ibv_alloc_pd(a->rc.context);
}

static int destroy_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static void *make_cq(struct attacker *a)
{
	return ibv_create_cq(a->rc.context, 16, NULL, NULL, 0);
}

static int destroy_cq(void *cq)
{
	return ibv_destroy_cq(cq);
}

static struct ibv_cq *own_cq;

static void *make_qp(struct attacker *a)
{
	return rc_create_qp(a->rc.pd, own_cq, RC_DEPTH);
}

static int destroy_qp(void *qp)
{
	return ibv_destroy_qp(qp);
}

static void *memory;

static void *make_mr(struct attacker *a)
{
	return ibv_reg_mr(a->rc.pd, memory, 64, RC_ACCESS);
}

static void *make_large_mr(struct attacker *a)
{
	return ibv_reg_mr(a->rc.pd, memory, MIB, RC_ACCESS);
}

static int destroy_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static void attack_objects(struct attacker *a)
{
	begin(a, true);
	switch (a->number % 4) {
	case 0:
		until_refused(a, make_pd, destroy_pd);
		break;
	case 1:
		until_refused(a, make_cq, destroy_cq);
		break;
	case 2:
		own_cq = make_cq(a);
		if (!own_cq)
			die_errno("cannot create a CQ");
		until_refused(a, make_qp, destroy_qp);
		break;
	case 3:
		until_refused(a, make_mr, destroy_mr);
		break;
	}
}

static void attack_pin(struct attacker *a)
{
	begin(a, true);
	until_refused(a, make_large_mr, destroy_mr);
}

static void attack_commands(struct attacker *a)
{
	struct ibv_pd *pd;

	begin(a, true);
	while (!stop) {
		pd = ibv_alloc_pd(a->rc.context);
		if (!pd) {
			a->refused++;
			continue;
		}
		if (ibv_dealloc_pd(pd))
			die("cannot deallocate a PD");
		a->done++;
	}
}

/* Ring the doorbell of a software HCA's QP, as its provider does. */
static int ring(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp reply;
	struct {
		struct ib_uverbs_cmd_hdr header;
		struct ib_uverbs_post_send body;
	} post = {
		.header.command = IB_USER_VERBS_CMD_POST_SEND,
		.header.in_words = sizeof(post) / 4,
		.header.out_words = sizeof(reply) / 4,
		.body.response = (uintptr_t)&reply,
		.body.qp_handle = qp->handle,
		.body.wqe_size = sizeof(struct ibv_send_wr),
	};

	return write(qp->context->cmd_fd, &post, sizeof(post)) == sizeof(post)
		       ? 0
		       : -1;
}

static void attack_doorbells(struct attacker *a)
{
	struct rc_pair pair[QPS];
	struct ibv_mr *mr;
	unsigned int i;

	begin(a, true);
	mr = rc_register(&a->rc, memory, PAGE);
	for (i = 0; i < QPS; i++)
		rc_pair_open(&pair[i], &a->rc, false);
	for (i = 0; !stop; i++) {
		struct rc_pair *one = &pair[i % QPS];

		/* rings without work, but for a few */
		if (i % 64 == 0)
			rc_transfer(one, IBV_WR_RDMA_WRITE, mr, mr->addr,
				    (uintptr_t)mr->addr, mr->rkey, 8);
		if (ring(one->qp[0]) || ibv_req_notify_cq(one->cq, 0))
			die_errno("cannot ring a doorbell");
		a->done += 2;
	}
}

static void attack_events(struct attacker *a)
{
	struct rc_pair pair;
	struct ibv_mr *mr;

	begin(a, true);
	mr = rc_register(&a->rc, memory, PAGE);
	rc_pair_open(&pair, &a->rc, true);
	while (!stop) {
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, mr, mr->addr,
			    (uintptr_t)mr->addr, mr->rkey, 8);
		a->done++;
	}
}

/* A command of the kernel's connection manager; @in begins with the header. */
static int cm_command(int fd, uint32_t command, void *in, size_t size,
		      size_t out)
{
	struct rdma_ucm_cmd_hdr *header = in;

	header->cmd = command;
	header->in = (uint16_t)(size - sizeof(*header));
	header->out = (uint16_t)out;
	return write(fd, in, size) == (ssize_t)size ? 0 : -1;
}

static void cm_connect_again(int fd)
{
	struct rdma_ucm_create_id_resp id = {0};
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_create_id body;
	} create = {
		/* without it there are no events */
		.body.uid = 1,
		.body.response = (uintptr_t)&id,
		.body.ps = RDMA_PS_TCP,
		.body.qp_type = IBV_QPT_RC,
	};
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_resolve_ip body;
	} resolve = {.body.timeout_ms = RESOLVE};

	if (cm_command(fd, RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof(create),
		       sizeof(id)))
		die_errno("cannot create a CM ID");
	resolve.body.id = id.id;
	memcpy(&resolve.body.dst_addr, &victim, sizeof(victim));
	if (cm_command(fd, RDMA_USER_CM_CMD_RESOLVE_IP, &resolve,
		       sizeof(resolve), 0))
		die_errno("cannot resolve the address");
}

static int cm_route(int fd, uint32_t id)
{
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_resolve_route body;
	} route = {.body.id = id, .body.timeout_ms = RESOLVE};

	return cm_command(fd, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route,
			  sizeof(route), 0);
}

static int cm_connect(int fd, uint32_t id)
{
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_connect body;
	} connect = {
		.body.id = id,
		.body.conn_param = {.qp_num = id, .retry_count = 7, .valid = 1},
	};

	return cm_command(fd, RDMA_USER_CM_CMD_CONNECT, &connect,
			  sizeof(connect), 0);
}

static void cm_destroy(int fd, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp reply;
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_destroy_id body;
	} destroy = {.body.response = (uintptr_t)&reply, .body.id = id};

	if (cm_command(fd, RDMA_USER_CM_CMD_DESTROY_ID, &destroy,
		       sizeof(destroy), sizeof(reply)))
		die_errno("cannot destroy a CM ID");
}

/* Each request that is answered, or not, makes room for another one. */
static void attack_cm(struct attacker *a)
{
	struct rdma_ucm_event_resp event = {0};
	struct {
		struct rdma_ucm_cmd_hdr header;
		struct rdma_ucm_get_event body;
	} get = {.body.response = (uintptr_t)&event};
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC), i;

	if (fd < 0)
		die_errno("cannot open /dev/infiniband/rdma_cm");
	begin(a, false);
	for (i = 0; i < REQUESTS; i++)
		cm_connect_again(fd);
	while (!stop) {
		if (cm_command(fd, RDMA_USER_CM_CMD_GET_EVENT, &get,
			       sizeof(get), sizeof(event))) {
			if (errno == EINTR)
				continue;
			die_errno("cannot get a CM event");
		}
		if (event.event == ADDR_RESOLVED && !cm_route(fd, event.id))
			continue;
		if (event.event == ROUTE_RESOLVED &&
		    !cm_connect(fd, event.id)) {
			a->done++;
			continue;
		}
		cm_destroy(fd, event.id);
		a->refused++;
		cm_connect_again(fd);
	}
	close(fd);
}

static const struct {
	const char *name;
	void (*attack)(struct attacker *attacker);
} kinds[] = {
	{"burn", attack_burn},
	{"objects", attack_objects},
	{"pin", attack_pin},
	{"commands", attack_commands},
	{"doorbells", attack_doorbells},
	{"events", attack_events},
	{"cm", attack_cm},
};

static void *attack(void *arg)
{
	struct attacker *attacker = arg;

	attacker->attack(attacker);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_term};
	unsigned long done = 0, refused = 0;
	struct attacker *attackers;
	unsigned int threads, i;
	size_t kind;

	if (argc < 3 || argc > 4)
		die("usage: attack KIND THREADS [IPV4-ADDRESS]");
	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		if (!strcmp(kinds[kind].name, argv[1]))
			break;
	if (kind == sizeof(kinds) / sizeof(kinds[0]))
		die("'%s' is not a kind of attack", argv[1]);
	threads = (unsigned int)parse_size(argv[2]);
	if (argc == 4 && inet_pton(AF_INET, argv[3], &victim.sin_addr) != 1)
		die("'%s' is not an address", argv[3]);
	victim.sin_port = htons(19999);
	attackers = calloc(threads, sizeof(*attackers));
	if (!attackers || !threads)
		die("no memory, or no threads");
	memory = pages_anonymous(MIB);
	/* Threads must not wait for events any longer: one is interrupted. */
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; i < threads; i++) {
		attackers[i].attack = kinds[kind].attack;
		attackers[i].number = i;
		errno = pthread_create(&attackers[i].thread, NULL, attack,
				       &attackers[i]);
		if (errno)
			die_errno("cannot start a thread");
	}
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < threads)
		usleep(10000);
	puts("attacking");
	fflush(stdout);
	while (!stop)
		pause();
	for (i = 0; i < threads; i++) {
		done += attackers[i].done;
		refused += attackers[i].refused;
	}
	printf("%s: %lu done, %lu refused\n", argv[1], done, refused);
	/* Objects go with the process: that is also a part of the attack. */
	fflush(stdout);
	_exit(0);
}
