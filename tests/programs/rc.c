// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections of the test programs, see rc.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rc.h"

static const char *program_name(void)
{
	return program_invocation_short_name;
}

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_name());
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void die_errno(const char *format, ...)
{
	int err = errno;
	va_list args;

	fprintf(stderr, "%s: ", program_name());
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(err));
	exit(1);
}

/* Seconds on a clock that only runs forwards. */
double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/*
 * Seconds after which what must happen has not happened. This finds hangs: it
 * is long, because an emulated machine can be slow. LAB_TIMEOUT_SCALE is a
 * factor.
 */
double hang_seconds(void)
{
	const char *scale = getenv("LAB_TIMEOUT_SCALE");

	return 60 * (scale ? strtod(scale, NULL) : 1);
}

/* A number of bytes with an optional K, M or G. */
unsigned long parse_size(const char *text)
{
	char *end;
	unsigned long size = strtoul(text, &end, 0);

	switch (*end) {
	case 'G':
		size <<= 10;
		/* fall through */
	case 'M':
		size <<= 10;
		/* fall through */
	case 'K':
		size <<= 10;
		end++;
	}
	if (end == text || *end)
		die("'%s' is not a size", text);
	return size;
}

/* xorshift64*; the state must not be 0. */
uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* The device that the variable IBDEV names, or the first one. */
struct ibv_context *rc_open_context(void)
{
	const char *wanted = getenv("IBDEV");
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int i, count;

	list = ibv_get_device_list(&count);
	if (!list)
		die_errno("cannot list RDMA devices");
	for (i = 0; i < count; i++)
		if (!wanted || !strcmp(ibv_get_device_name(list[i]), wanted))
			break;
	if (i == count)
		die("there is no RDMA device %s", wanted ? wanted : "at all");
	context = ibv_open_device(list[i]);
	if (!context)
		die_errno("cannot open %s", ibv_get_device_name(list[i]));
	ibv_free_device_list(list);
	return context;
}

/* The last IPv4 address of the GID table, or the first entry if there is none.
 */
static void rc_choose_gid(struct rc *rc, int entries)
{
	static const uint8_t ipv4[12] = {[10] = 0xff, [11] = 0xff};
	static const union ibv_gid none;
	union ibv_gid gid;
	int i;

	rc->gid_index = -1;
	for (i = 0; i < entries; i++) {
		if (ibv_query_gid(rc->context, 1, i, &gid) ||
		    !memcmp(&gid, &none, sizeof(gid)))
			continue;
		if (rc->gid_index >= 0 && memcmp(&gid, ipv4, sizeof(ipv4)))
			continue;
		rc->gid_index = i;
		rc->gid = gid;
	}
	if (rc->gid_index < 0)
		die("the port has no GID");
}

void rc_open(struct rc *rc)
{
	struct ibv_port_attr port;

	rc->context = rc_open_context();
	if (ibv_query_port(rc->context, 1, &port))
		die_errno("cannot query port 1");
	rc->mtu = port.active_mtu;
	rc_choose_gid(rc, port.gid_tbl_len);
	rc->pd = ibv_alloc_pd(rc->context);
	if (!rc->pd)
		die_errno("cannot allocate a PD");
}

void rc_close(struct rc *rc)
{
	errno = ibv_dealloc_pd(rc->pd);
	if (errno)
		die_errno("cannot deallocate the PD");
	if (ibv_close_device(rc->context))
		die_errno("cannot close the device");
}

/* A queue pair, or NULL and errno. */
struct ibv_qp *rc_create_qp(struct ibv_pd *pd, struct ibv_cq *cq,
			    unsigned int depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap =
			{
				.max_send_wr = depth,
				.max_recv_wr = depth,
				.max_send_sge = 1,
				.max_recv_sge = 1,
			},
	};

	return ibv_create_qp(pd, &init);
}

/* A queue pair for datagrams, in RTS, with room for one request each way. */
struct ibv_qp *rc_create_ud_qp(struct rc *rc, struct ibv_cq *cq, uint32_t qkey)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_UD,
		.cap = {1, 1, 1, 1, 0},
	};
	struct ibv_qp_attr attr = {.port_num = 1, .qkey = qkey};
	struct ibv_qp *qp = ibv_create_qp(rc->pd, &init);

	if (!qp)
		die_errno("cannot create a UD QP");
	attr.qp_state = IBV_QPS_INIT;
	errno = ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_QKEY);
	attr.qp_state = IBV_QPS_RTR;
	if (!errno)
		errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (!errno)
		errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	if (errno)
		die_errno("cannot bring a UD QP to RTS");
	return qp;
}

/* Bring a queue pair to RTS, connected with @peer at @gid. */
void rc_connect(struct rc *rc, struct ibv_qp *qp, uint32_t peer,
		union ibv_gid gid)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		/* Not all HCAs register memory for atomics. */
		.qp_access_flags = RC_ACCESS | IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = rc->mtu,
		.dest_qp_num = peer,
		.rq_psn = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr =
			{
				.is_global = 1,
				.port_num = 1,
				.grh =
					{
						.dgid = gid,
						.sgid_index =
							(uint8_t)rc->gid_index,
						.hop_limit = 1,
					},
			},
	};
	/* Patient: under emulation an answer can take long. */
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 1,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	errno = ibv_modify_qp(qp, &init,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS);
	if (errno)
		die_errno("cannot bring a QP to INIT");
	errno = ibv_modify_qp(qp, &rtr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				      IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
	if (errno)
		die_errno("cannot bring a QP to RTR");
	errno = ibv_modify_qp(qp, &rts,
			      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				      IBV_QP_MAX_QP_RD_ATOMIC);
	if (errno)
		die_errno("cannot bring a QP to RTS");
}

struct ibv_mr *rc_register(struct rc *rc, void *addr, size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(rc->pd, addr, length, RC_ACCESS);

	if (!mr)
		die_errno("cannot register %zu bytes", length);
	return mr;
}

void rc_deregister(struct ibv_mr *mr)
{
	errno = ibv_dereg_mr(mr);
	if (errno)
		die_errno("cannot deregister memory");
}

/* Wait for a completion; false: none comes in that time. */
bool rc_completion(struct ibv_cq *cq, struct ibv_wc *wc, double seconds)
{
	double end = now() + seconds;
	bool last;
	int found;

	do {
		last = now() > end;
		memset(wc, 0, sizeof(*wc));
		found = ibv_poll_cq(cq, 1, wc);
		if (found < 0)
			die("cannot poll a CQ");
		if (found)
			return true;
		usleep(200);
	} while (!last);
	return false;
}

/* Two queue pairs of a CQ of their own, connected with nothing yet. */
void rc_pair_create(struct rc_pair *pair, struct rc *rc, unsigned int depth,
		    bool events)
{
	int i;

	pair->rc = rc;
	pair->channel = NULL;
	if (events) {
		pair->channel = ibv_create_comp_channel(rc->context);
		if (!pair->channel)
			die_errno("cannot create a completion channel");
	}
	pair->cq = ibv_create_cq(rc->context, 4 * (int)depth, NULL,
				 pair->channel, 0);
	if (!pair->cq)
		die_errno("cannot create a CQ");
	for (i = 0; i < 2; i++) {
		pair->qp[i] = rc_create_qp(rc->pd, pair->cq, depth);
		if (!pair->qp[i])
			die_errno("cannot create a QP");
	}
}

/* Two queue pairs of a CQ of their own, connected with each other. */
void rc_pair_open(struct rc_pair *pair, struct rc *rc, bool events)
{
	int i;

	rc_pair_create(pair, rc, RC_DEPTH, events);
	for (i = 0; i < 2; i++)
		rc_connect(rc, pair->qp[i], pair->qp[!i]->qp_num, rc->gid);
}

void rc_pair_close(struct rc_pair *pair)
{
	int i;

	for (i = 0; i < 2; i++) {
		errno = ibv_destroy_qp(pair->qp[i]);
		if (errno)
			die_errno("cannot destroy a QP");
	}
	errno = ibv_destroy_cq(pair->cq);
	if (errno)
		die_errno("cannot destroy a CQ");
	if (pair->channel && ibv_destroy_comp_channel(pair->channel))
		die_errno("cannot destroy a completion channel");
}

/* Take one completion if there is one. */
bool rc_poll(struct rc_pair *pair)
{
	struct ibv_wc wc;
	int found = ibv_poll_cq(pair->cq, 1, &wc);

	if (found < 0)
		die("cannot poll the CQ");
	if (found && wc.status != IBV_WC_SUCCESS)
		die("a transfer failed: %s", ibv_wc_status_str(wc.status));
	return found;
}

static void rc_wait(struct rc_pair *pair)
{
	struct ibv_cq *cq;
	void *context;

	while (!rc_poll(pair)) {
		if (!pair->channel)
			continue;
		errno = ibv_req_notify_cq(pair->cq, 0);
		if (errno)
			die_errno("cannot arm the CQ");
		/* A completion before the arming raises no event. */
		if (rc_poll(pair))
			return;
		if (ibv_get_cq_event(pair->channel, &cq, &context))
			die_errno("cannot wait for a completion event");
		if (cq != pair->cq)
			die("an event of another CQ");
		ibv_ack_cq_events(cq, 1);
	}
}

/*
 * Post one message of rc_transfer(). Makes no system call if the provider makes
 * none.
 */
void rc_post(struct rc_pair *pair, enum ibv_wr_opcode opcode,
	     struct ibv_mr *local, void *at, uint64_t to, uint32_t rkey,
	     size_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)at,
		.length = (uint32_t)length,
		.lkey = local->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma =
			{
				.remote_addr = to,
				.rkey = rkey,
			},
	};
	struct ibv_send_wr *bad;

	errno = ibv_post_send(pair->qp[0], &wr, &bad);
	if (errno)
		die_errno("cannot post a send");
}

/*
 * RDMA write or read of any length between memory of @local and memory that the
 * peer knows as @to, by the pair's first QP, in messages of at most RC_MESSAGE
 * bytes.
 */
void rc_transfer(struct rc_pair *pair, enum ibv_wr_opcode opcode,
		 struct ibv_mr *local, void *at, uint64_t to, uint32_t rkey,
		 size_t length)
{
	size_t done, piece;

	for (done = 0; done < length; done += piece) {
		piece = length - done < RC_MESSAGE ? length - done : RC_MESSAGE;
		rc_post(pair, opcode, local, (char *)at + done, to + done, rkey,
			piece);
		rc_wait(pair);
	}
}
