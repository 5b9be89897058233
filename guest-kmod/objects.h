/* SPDX-License-Identifier: GPL-2.0-only */
/* The objects of the verbs, for the layers that implement them. */
#ifndef VHYV_OBJECTS_H
#define VHYV_OBJECTS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "command/cmdq.h"
#include "dev.h"
#include "gsi/gsi.h"
#include "notify/event.h"
#include "notify/port_queue.h"

struct address_space;
struct vhyv_mem;

/* One past the highest event code that vhyv_event_valid_for() allows for ports. */
#define VHYV_PORT_CODES	(IB_EVENT_GID_CHANGE + 1)

/**
 * struct vhyv_port - a port of the HCA
 * @gid_tbl_len: entries of the GID table, at least 1
 * @pkey_tbl_len: entries of @pkeys
 * @link_layer: link layer of the HCA's port
 * @grh_required: every address must have a GRH
 * @gsi: what the port has for its GSI
 * @own_event: by event code, for a full vhyv_dev.port_events
 * @lock: protects the fields below
 * @attr: attributes, as last read from the host
 * @gids: GID table, empty entries are zero; NULL in guest addressing, where the
 *	RDMA core has the table
 * @pkeys: P_Key table
 */
struct vhyv_port {
	u32 gid_tbl_len;
	u32 pkey_tbl_len;
	enum rdma_link_layer link_layer;
	bool grh_required;
	struct gsi_port gsi;
	struct vhyv_port_event own_event[VHYV_PORT_CODES];

	struct mutex lock;	/* protects the fields below */
	struct ib_port_attr attr;
	union ib_gid *gids;
	u16 *pkeys;
};

/**
 * struct vhyv_host_context - what the host has of a context
 * @hdev: device
 * @client: the process that opened it; what kernel threads send for the context
 *	counts for it
 * @handle: handle
 * @users: the process, and XRC domains that it has made for others, too
 * @orphans: abandoned commands; the last of them and of the context destroys it
 * @shared: the same for XRC domains: any process that has them gives these, so that
 *	nothing but the end of the context waits for them
 * @nr_mws: memory windows, which may be bound to MRs
 * @leaving: the process exits without waiting for @orphans; objects that it has
 *	not destroyed yet end with the context
 * @stuck: the host has refused to destroy an object
 * @end_work: ends the context after the last of @users
 * @lock: protects @kept
 * @kept: memory that the HCA may still access, freed with the context or, unless
 *	@stuck, with the process
 */
struct vhyv_host_context {
	struct vhyv_dev *hdev;
	struct vhyv_client *client;
	u32 handle;
	refcount_t users;
	struct vhyv_orphans orphans;
	struct vhyv_orphans shared;
	atomic_t nr_mws;
	bool leaving;
	bool stuck;
	struct work_struct end_work;

	spinlock_t lock;	/* protects the field below */
	struct vhyv_mem *kept;
};

/**
 * struct vhyv_ucontext - one open of the vNIC by a process
 * @ibuc: the RDMA core's part
 * @host: the host's part
 * @munmaps: mappings that @munmap_work has yet to undo
 * @munmap_work: sends MUNMAP for @munmaps
 * @link: in vhyv_dev.ucontexts; protected by vhyv_dev.maps_lock, as @mapping
 * @mapping: of the file through which the process maps the window; NULL before
 */
struct vhyv_ucontext {
	struct ib_ucontext ibuc;
	struct vhyv_host_context *host;
	struct llist_head munmaps;
	struct work_struct munmap_work;
	struct list_head link;
	struct address_space *mapping;
};

/**
 * struct vhyv_pd - protection domain
 * @ibpd: the RDMA core's part
 * @host: owner; NULL for a kernel PD, which exists only in the guest
 * @handle: handle
 */
struct vhyv_pd {
	struct ib_pd ibpd;
	struct vhyv_host_context *host;
	u32 handle;
};

/**
 * struct vhyv_cq - completion queue
 * @ibcq: the RDMA core's part
 * @gsi_cq: state of a kernel CQ, which uses no field below; NULL for a user CQ
 * @host: owner
 * @target: handle, and target of events
 * @slot: arming slot in the doorbell area
 * @arm_lock: one caller arms the CQ at a time
 * @resize_lock: one caller resizes the CQ at a time; protects @mem
 * @mem: pinned memory that the HCA accesses, or NULL; a list
 */
struct vhyv_cq {
	struct ib_cq ibcq;
	struct gsi_cq *gsi_cq;
	struct vhyv_host_context *host;
	struct vhyv_event_target target;
	u32 slot;
	struct mutex arm_lock;	/* held while the CQ is being armed */
	struct mutex resize_lock;	/* protects mem */
	struct vhyv_mem *mem;
};

/**
 * struct vhyv_qp - queue pair
 * @ibqp: the RDMA core's part
 * @gsi: state of a kernel QP, which uses no field below; NULL for a user QP
 * @host: owner
 * @target: handle, and target of events
 * @slot: send doorbell in the doorbell area
 * @state: state that the owner has last set
 * @mem: pinned memory that the HCA accesses, or NULL; a list
 */
struct vhyv_qp {
	struct ib_qp ibqp;
	struct gsi_qp *gsi;
	struct vhyv_host_context *host;
	struct vhyv_event_target target;
	u32 slot;
	enum ib_qp_state state;
	struct vhyv_mem *mem;
};

/* A shared receive queue; its fields are as in struct vhyv_qp. */
struct vhyv_srq {
	struct ib_srq ibsrq;
	struct vhyv_host_context *host;
	struct vhyv_event_target target;
	struct vhyv_mem *mem;
};

/**
 * struct vhyv_ah - address handle
 * @ibah: the RDMA core's part
 * @host: owner; NULL for a kernel AH, which exists only in the guest
 * @handle: handle
 * @attr: address of a kernel AH; @ibah has the reference to its source GID
 */
struct vhyv_ah {
	struct ib_ah ibah;
	struct vhyv_host_context *host;
	u32 handle;
	struct rdma_ah_attr attr;
};

/**
 * struct vhyv_mr - memory region
 * @ibmr: the RDMA core's part
 * @host: owner
 * @handle: handle
 * @access: enum ib_access_flags
 * @mem: pinned memory, which the HCA accesses
 * @unclear: the caller of a REREG_MR was killed, or its reply was lost, so it is
 *	not known if @access and @mem are still those of the MR
 */
struct vhyv_mr {
	struct ib_mr ibmr;
	struct vhyv_host_context *host;
	u32 handle;
	int access;
	struct vhyv_mem *mem;
	bool unclear;
};

/* A memory window. */
struct vhyv_mw {
	struct ib_mw ibmw;
	struct vhyv_host_context *host;	/* owner */
	u32 handle;
};

/* An XRC domain, which may outlive the process that has made it. */
struct vhyv_xrcd {
	struct ib_xrcd ibxrcd;
	struct vhyv_host_context *host;	/* owner */
	u32 handle;
};

/* Return the port of a number that may come from user space or the host. */
static inline struct vhyv_port *vhyv_port(struct vhyv_dev *hdev, u32 port)
{
	return port && port <= hdev->nr_ports ? &hdev->ports[port - 1] : NULL;
}

static inline struct vhyv_ucontext *to_vhyv_ucontext(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct vhyv_ucontext, ibuc);
}

static inline struct vhyv_pd *to_vhyv_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct vhyv_pd, ibpd);
}

static inline struct vhyv_cq *to_vhyv_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct vhyv_cq, ibcq);
}

static inline struct vhyv_qp *to_vhyv_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct vhyv_qp, ibqp);
}

static inline struct vhyv_srq *to_vhyv_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct vhyv_srq, ibsrq);
}

static inline struct vhyv_ah *to_vhyv_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct vhyv_ah, ibah);
}

static inline struct vhyv_mr *to_vhyv_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct vhyv_mr, ibmr);
}

static inline struct vhyv_mw *to_vhyv_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct vhyv_mw, ibmw);
}

static inline struct vhyv_xrcd *to_vhyv_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct vhyv_xrcd, ibxrcd);
}

#endif /* VHYV_OBJECTS_H */
