/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest process: user verbs as system calls, without a library, so that a
 * verb is one call, which can get a fault.
 */
#ifndef LOOPBACK_UV_H
#define LOOPBACK_UV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>

/* Numbers of events in the ABI. */
enum uv_event {
	EVENT_CQ_ERR = 0,
	EVENT_QP_FATAL = 1,
	EVENT_DEVICE_FATAL = 8,
	EVENT_PORT_ACTIVE = 9,
	EVENT_LID_CHANGE = 11,
	EVENT_SRQ_LIMIT = 15,
	EVENT_CLIENT_REREGISTER = 17,
	EVENT_GID_CHANGE = 18,
};

/* More chunks than fit into a request of 4096 bytes. */
#define UV_BIG_PAGES 260

/**
 * struct uv - an open device, and one object of each type
 * @fd: the device
 * @async_fd: asynchronous events
 * @channel: completion channel
 * @gid: a GID of the port, whose index is @gid_index
 * @buf: memory for MRs, UV_BIG_PAGES pages
 * @info: memory that the HCA's driver writes to
 * @cq_info: place of the CQ's queue, for mmap
 * @queue: the CQ's queue, or NULL
 * @has_srq: @srq exists
 * @xrcd: not one of the steps, as is @target, a QP in it
 */
struct uv {
	int fd;
	int async_fd;
	int channel;
	uint8_t gid[16];
	uint8_t gid_index;
	uint8_t *buf;
	struct mminfo *info;
	struct mminfo cq_info;
	void *queue;
	bool has_srq;
	uint32_t pd, pd2, cq, srq, mr, big_mr, qp, rc_qp, ah, mw;
	uint32_t xrcd, target;
};

/*
 * Verbs in the order in which they work; 0 or a negative errno. One that works
 * once may have taken effect although it fails: the host has mapped the queue,
 * or the RDMA core could not copy the reply of the verb that has destroyed an
 * object.
 */
struct uv_step {
	const char *name;
	int (*run)(struct uv *uv);
	bool once;
};

extern const struct uv_step uv_steps[];
extern const size_t uv_nr_steps;
/* Number of the first step that destroys an object. */
extern const size_t uv_first_destroy;

bool uv_find(char *ibdev, size_t len, char *path, size_t path_len);
bool uv_find_gid(const char *ibdev, const uint8_t *want, uint8_t *gid,
		 uint8_t *index);
void uv_open(struct uv *uv);
bool uv_try_open(struct uv *uv);
void uv_close(struct uv *uv);
int uv_run(struct uv *uv, size_t from, size_t to);
const char *uv_failed(void);

int uv_get_context(struct uv *uv);
int uv_alloc_pd(struct uv *uv);
int uv_create_cq(struct uv *uv);
int uv_mmap(struct uv *uv);
int uv_munmap(struct uv *uv);
int uv_destroy_cq(struct uv *uv);
int uv_req_notify(struct uv *uv);
int uv_query_device(struct uv *uv);
int uv_ex_query_device(struct uv *uv);
int uv_dealloc_pd(struct uv *uv);
int uv_reg_mr(struct uv *uv);
int uv_rereg_mr(struct uv *uv);
int uv_dereg_mr(struct uv *uv);
int uv_alloc_mw(struct uv *uv);
int uv_create_qp(struct uv *uv);
int uv_destroy_qp(struct uv *uv);
int uv_create_srq_in_buf(struct uv *uv);
int uv_destroy_srq(struct uv *uv);
int uv_open_xrcd(struct uv *uv, int file);
int uv_create_target(struct uv *uv);
int uv_target_init(struct uv *uv);
bool uv_comp_event(struct uv *uv);
int uv_async_event(struct uv *uv);

#endif /* LOOPBACK_UV_H */
