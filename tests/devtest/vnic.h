/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vNIC: /dev/hyv as a VMM uses it, and requests as a guest sends them.
 */
#ifndef DEVTEST_VNIC_H
#define DEVTEST_VNIC_H

#include <stdint.h>
#include <linux/hyv.h>
#include <hyv/wire.h>

#include "gmem.h"

#define DT_WINDOW  (16UL << 20)
#define DT_SCRATCH 8192UL

/* Event queues that all vNICs offer. */
#define DT_EVENT_QUEUES 2

/**
 * struct vnic - an open file of /dev/hyv
 * @fd: the file
 * @gm: the guest's memory; several vNICs may share it
 * @window: start of the window
 * @window_size: bytes
 * @config: device configuration space
 * @offered: features that the host offers
 */
struct vnic {
	int fd;
	struct gmem *gm;
	uint8_t *window;
	size_t window_size;
	struct hyv_config config;
	uint64_t offered;
};

int hyv_open(void);
int hyv_ioctl(int fd, unsigned long cmd, void *arg);
void *hyv_scratch(void);
int uverbs_open(void);
int hyv_attach_fd(int fd, int uverbs_fd, const char *name);

void vnic_open(struct vnic *v, struct gmem *gm);
void vnic_open_features(struct vnic *v, struct gmem *gm, uint64_t transport);
void vnic_attach(struct vnic *v, struct gmem *gm);
void vnic_close(struct vnic *v);
size_t vnic_window_used(struct vnic *v);
void vnic_open_guest_gids(struct vnic *v, struct gmem *gm,
			  const struct hyv_gid_prefix *prefix, uint32_t nr);
int vnic_set_addressing(struct vnic *v, uint32_t mode,
			const struct hyv_gid_prefix *prefix, uint32_t nr);
void vnic_get_config(struct vnic *v);
int vnic_set_mem(struct vnic *v, const struct hyv_mem_region *region,
		 uint32_t nr);
int vnic_set_features(struct vnic *v, uint64_t features);
int vnic_set_notify(struct vnic *v, int config_fd, int error_fd);
int vnic_set_limits(struct vnic *v, const struct hyv_set_limits *limits);
int vnic_reset(struct vnic *v);
uint64_t vnic_features(const struct vnic *v);

/**
 * struct req - a request
 * @len: bytes in @data
 * @data: the request
 */
struct req {
	uint32_t len;
	union {
		struct hyv_req hdr;
		uint8_t data[HYV_MAX_REQ_SIZE + 4096];
	};
};

/**
 * struct rsp - a reply
 * @len: bytes in @data
 * @data: the reply
 */
struct rsp {
	uint32_t len;
	union {
		struct hyv_rsp hdr;
		struct hyv_create_rsp create;
		struct hyv_create_cq_rsp create_cq;
		struct hyv_create_qp_rsp create_qp;
		struct hyv_reg_mr_rsp reg_mr;
		struct hyv_mmap_rsp mmap;
		struct hyv_query_device_rsp device;
		struct hyv_query_port_rsp port;
		struct hyv_query_gids_rsp gids;
		struct hyv_query_pkeys_rsp pkeys;
		struct hyv_query_qp_rsp qp;
		struct hyv_resize_cq_rsp resize_cq;
		struct hyv_create_srq_rsp create_srq;
		struct hyv_query_srq_rsp srq;
		struct hyv_alloc_mw_rsp alloc_mw;
		uint8_t data[HYV_MAX_RSP_SIZE];
	};
};

void req_init(struct req *r, uint16_t opcode, const void *fixed,
	      uint16_t fixed_len);
void req_udata(struct req *r, const void *in, uint32_t in_len,
	       uint32_t out_len);
struct hyv_chunk_list *req_list(struct req *r, uint16_t slot, uint64_t addr,
				uint64_t length, const struct hyv_chunk *chunk,
				uint32_t nr);
void req_seal(struct req *r);

int vnic_exec_raw(struct vnic *v, const void *req, uint32_t req_len, void *rsp,
		  uint32_t room, uint32_t *rsp_len);
int vnic_exec_room(struct vnic *v, struct req *r, struct rsp *rsp,
		   uint32_t room);
int vnic_exec(struct vnic *v, struct req *r, struct rsp *rsp);

#endif /* DEVTEST_VNIC_H */
