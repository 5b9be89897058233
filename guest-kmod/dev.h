/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's HyV device and the objects of the verbs layer.
 *
 * Layers, each of which calls only those before it:
 *
 *	wire.h		requests, replies, events, doorbell area
 *	mem, cmdq	pinned memory as chunk lists; the control queue
 *	cmd		one function per command, host-order arguments
 *	event_type	which events can happen to what
 *	doorbell, event	the paths that bypass the control queue
 *	roce_pkt, gsi_net, kcq, gsi
 *			connection management of guests with addresses of
 *			their own: packets, the IP stack, CQs and QPs of the
 *			kernel
 *	verbs, verbs_*, mr, mmap, roce
 *			struct ib_device_ops
 *	ibdev, main	registration; life of the virtio device
 */
#ifndef VHYV_DEV_H
#define VHYV_DEV_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/if_ether.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "command/cmdq.h"
#include "notify/doorbell.h"
#include "notify/event.h"
#include "address/gsi.h"
#include "address/hca_netdev.h"

struct vhyv_gsi;
struct vhyv_kcq;
struct vhyv_mem;

/**
 * struct vhyv_port - what is known of a port of the host's HCA
 * @gid_tbl_len: entries of the GID table, at least 1
 * @pkey_tbl_len: entries of @pkeys
 * @link_layer: as the host's HCA says
 * @grh_required: every address must carry a global route
 * @gsi_counters: what its GSI has done
 * @lock: protects the fields below
 * @attr: newest answer of the host
 * @gids: GID table; zero where there is no entry. NULL if the addresses are
 *	the guest's, whose table the core has.
 * @pkeys: P_Key table
 */
struct vhyv_port {
	u32 gid_tbl_len;
	u32 pkey_tbl_len;
	enum rdma_link_layer link_layer;
	bool grh_required;
	atomic64_t gsi_counters[VHYV_GSI_COUNTERS];

	struct mutex lock;	/* protects the fields below */
	struct ib_port_attr attr;
	union ib_gid *gids;
	u16 *pkeys;
};

/* Bits of vhyv_dev.flags. */
enum {
	VHYV_DEV_FAILED,		/* reset is due or done; commands give -EIO */
	VHYV_DEV_REGISTERED,	/* the core may be told of events; who clears
				 * it unregisters the device
				 */
};

/**
 * struct vhyv_dev - a HyV device, from probe or restore to remove or freeze
 * @ibdev: must be first, allocated by ib_alloc_device()
 * @vdev: the virtio device
 * @driver_id: enum rdma_driver_id that user space sees
 * @uverbs_abi_ver: provider ABI that user space sees
 * @nr_comp_vectors: completion vectors
 * @nr_event_queues: event virtqueues
 * @max_request: longest request in bytes
 * @mac: of the network device that the addresses come from, if they are the
 *	guest's
 * @guest_gids: the ports' addresses are the guest's (HYV_F_GUEST_GIDS)
 * @window: where queues of the HCA appear in guest-physical memory
 * @verbs: VHYV_VERB_* bits: what the HCA can do that not every one can
 * @nr_ports: entries of @ports
 * @ports: by port number less 1
 * @cmdq: control queue
 * @db: doorbell area
 * @events: event queues and the objects that events name
 * @wq: work that issues commands
 * @port_events: of all ports, newest first, for @port_work
 * @port_work: tells the core about @port_events
 * @fail_work: resets and unregisters the device, see vhyv_dev_fail()
 * @reboot_nb: has the device reset before the kernel goes
 * @hca_ndev: the HCA's address, if those of the ports are the guest's
 * @flags: VHYV_DEV_* bits
 * @nr_contexts: open user contexts
 * @stop_lock: protects @stopped
 * @stopped: the device has been reset and will not be used any more
 */
struct vhyv_dev {
	struct ib_device ibdev;
	struct virtio_device *vdev;

	/* Constant after probe. */
	u32 driver_id;
	u32 uverbs_abi_ver;
	u32 nr_comp_vectors;
	u32 nr_event_queues;
	u32 max_request;
	u8 mac[ETH_ALEN] __aligned(2);
	bool guest_gids;
	struct virtio_shm_region window;
	u32 verbs;
	u32 nr_ports;
	struct vhyv_port *ports;

	struct vhyv_cmdq cmdq;
	struct vhyv_db db;
	struct vhyv_events events;

	struct workqueue_struct *wq;
	struct llist_head port_events;
	struct work_struct port_work;
	struct work_struct fail_work;
	struct notifier_block reboot_nb;
	struct vhyv_hca_ndev hca_ndev;

	unsigned long flags;
	atomic_t nr_contexts;

	struct mutex stop_lock;	/* protects the field below */
	bool stopped;
};

static inline struct vhyv_dev *to_vhyv_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct vhyv_dev, ibdev);
}

static inline bool vhyv_dev_failed(const struct vhyv_dev *hdev)
{
	return test_bit(VHYV_DEV_FAILED, &hdev->flags);
}

/**
 * struct vhyv_ucontext - a process that has the device open
 * @ibuc: the core's part
 * @handle: the host's name of it
 * @orphans: commands for this context whose caller has gone, and which are
 *	not over yet; see vhyv_cmdq_drain_orphans()
 * @kept: memory of objects which could not be destroyed; released when the
 *	context is
 * @munmaps: mappings which the host is to undo
 * @munmap_work: tells the host about @munmaps
 */
struct vhyv_ucontext {
	struct ib_ucontext ibuc;
	u32 handle;
	atomic_t orphans;
	struct vhyv_mem *kept;
	struct llist_head munmaps;
	struct work_struct munmap_work;
};

/**
 * struct vhyv_pd - protection domain
 * @ibpd: the core's part
 * @uctx: its owner; NULL for one of the kernel, which the host does not know of
 * @handle: the host's name of it
 */
struct vhyv_pd {
	struct ib_pd ibpd;
	struct vhyv_ucontext *uctx;
	u32 handle;
};

/**
 * struct vhyv_cq - completion queue
 * @ibcq: the core's part
 * @kcq: what one of the kernel consists of; NULL for one of user space, and
 *	the fields below are for those only
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 * @slot: arming slot in the doorbell area
 * @arm_lock: one caller arms the CQ at a time
 */
struct vhyv_cq {
	struct ib_cq ibcq;
	struct vhyv_kcq *kcq;
	struct vhyv_ucontext *uctx;
	struct vhyv_evobj evobj;
	u32 slot;
	struct mutex arm_lock;	/* held while the CQ is being armed */
};

/**
 * struct vhyv_qp - queue pair
 * @ibqp: the core's part
 * @gsi: what one of the kernel consists of; NULL for one of user space, and
 *	the fields below are for those only
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 * @slot: send doorbell in the doorbell area
 * @state: what its owner has last changed it to
 */
struct vhyv_qp {
	struct ib_qp ibqp;
	struct vhyv_gsi *gsi;
	struct vhyv_ucontext *uctx;
	struct vhyv_evobj evobj;
	u32 slot;
	enum ib_qp_state state;
};

/**
 * struct vhyv_srq - shared receive queue
 * @ibsrq: the core's part
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 */
struct vhyv_srq {
	struct ib_srq ibsrq;
	struct vhyv_ucontext *uctx;
	struct vhyv_evobj evobj;
};

/**
 * struct vhyv_ah - address handle
 * @ibah: the core's part
 * @uctx: its owner; NULL for one of the kernel, which the host does not know of
 * @handle: the host's name of it
 * @attr: the address, of one of the kernel; without a reference to a GID, which
 *	@ibah has
 */
struct vhyv_ah {
	struct ib_ah ibah;
	struct vhyv_ucontext *uctx;
	u32 handle;
	struct rdma_ah_attr attr;
};

/**
 * struct vhyv_mr - memory region
 * @ibmr: the core's part
 * @uctx: its owner
 * @handle: the host's name of it
 * @access: enum ib_access_flags
 * @mem: pins of the memory, which the host's HCA accesses
 */
struct vhyv_mr {
	struct ib_mr ibmr;
	struct vhyv_ucontext *uctx;
	u32 handle;
	int access;
	struct vhyv_mem *mem;
};

/**
 * struct vhyv_mw - memory window
 * @ibmw: the core's part
 * @uctx: its owner
 * @handle: the host's name of it
 */
struct vhyv_mw {
	struct ib_mw ibmw;
	struct vhyv_ucontext *uctx;
	u32 handle;
};

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

/* main.c */
void vhyv_dev_fail(struct vhyv_dev *hdev, const char *why);
void vhyv_dev_hca_gone(struct vhyv_dev *hdev);
void vhyv_dev_lost(struct vhyv_dev *hdev, const char *why);

/* ibdev.c */
int vhyv_ibdev_alloc_ports(struct vhyv_dev *hdev, u32 nr_ports);
void vhyv_ibdev_free_ports(struct vhyv_dev *hdev);
int vhyv_ibdev_register(struct vhyv_dev *hdev);
void vhyv_ibdev_unregister(struct vhyv_dev *hdev);
void vhyv_ibdev_port_event(struct vhyv_dev *hdev, u32 port,
			   enum ib_event_type code, u32 count);

/* verbs.c */
int vhyv_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void vhyv_dealloc_ucontext(struct ib_ucontext *ibuc);
int vhyv_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int vhyv_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int vhyv_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int vhyv_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int vhyv_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int vhyv_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
int vhyv_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int vhyv_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata);
int vhyv_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int vhyv_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init_attr);
int vhyv_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int vhyv_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr);

/* verbs_ah.c */
int vhyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata);
int vhyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata);
int vhyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int vhyv_destroy_ah(struct ib_ah *ibah, u32 flags);
int vhyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int vhyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* verbs_srq.c */
int vhyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata);
int vhyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int vhyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int vhyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* mr.c */
struct ib_mr *vhyv_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *vhyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_udata *udata);
struct ib_mr *vhyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *ibpd, struct ib_udata *udata);
int vhyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int vhyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int vhyv_dealloc_mw(struct ib_mw *ibmw);

/* mmap.c */
void vhyv_mmap_init(struct vhyv_ucontext *uctx);
void vhyv_mmap_uninit(struct vhyv_ucontext *uctx);
int vhyv_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void vhyv_mmap_free(struct rdma_user_mmap_entry *rdma_entry);

#endif /* VHYV_DEV_H */
