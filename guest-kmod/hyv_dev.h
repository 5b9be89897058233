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
#ifndef HYV_DEV_H
#define HYV_DEV_H

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

#include "cmdq.h"
#include "doorbell.h"
#include "event.h"
#include "gsi.h"
#include "hca_ndev.h"

struct hyv_gsi;
struct hyv_kcq;
struct hyv_mem;

/**
 * struct hyv_port - what is known of a port of the host's HCA
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
struct hyv_port {
	u32 gid_tbl_len;
	u32 pkey_tbl_len;
	enum rdma_link_layer link_layer;
	bool grh_required;
	atomic64_t gsi_counters[HYV_GSI_COUNTERS];

	struct mutex lock;	/* protects the fields below */
	struct ib_port_attr attr;
	union ib_gid *gids;
	u16 *pkeys;
};

/* Bits of hyv_dev.flags. */
enum {
	HYV_DEV_FAILED,		/* reset is due or done; commands give -EIO */
	HYV_DEV_REGISTERED,	/* the core may be told of events; who clears
				 * it unregisters the device
				 */
};

/**
 * struct hyv_dev - a HyV device, from probe or restore to remove or freeze
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
 * @verbs: HYV_VERB_* bits: what the HCA can do that not every one can
 * @nr_ports: entries of @ports
 * @ports: by port number less 1
 * @cmdq: control queue
 * @db: doorbell area
 * @events: event queues and the objects that events name
 * @wq: work that issues commands
 * @port_events: of all ports, newest first, for @port_work
 * @port_work: tells the core about @port_events
 * @fail_work: resets and unregisters the device, see hyv_dev_fail()
 * @reboot_nb: has the device reset before the kernel goes
 * @hca_ndev: the HCA's address, if those of the ports are the guest's
 * @flags: HYV_DEV_* bits
 * @nr_contexts: open user contexts
 * @stop_lock: protects @stopped
 * @stopped: the device has been reset and will not be used any more
 */
struct hyv_dev {
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
	struct hyv_port *ports;

	struct hyv_cmdq cmdq;
	struct hyv_db db;
	struct hyv_events events;

	struct workqueue_struct *wq;
	struct llist_head port_events;
	struct work_struct port_work;
	struct work_struct fail_work;
	struct notifier_block reboot_nb;
	struct hyv_hca_ndev hca_ndev;

	unsigned long flags;
	atomic_t nr_contexts;

	struct mutex stop_lock;	/* protects the field below */
	bool stopped;
};

static inline struct hyv_dev *to_hyv_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct hyv_dev, ibdev);
}

static inline bool hyv_dev_failed(const struct hyv_dev *hdev)
{
	return test_bit(HYV_DEV_FAILED, &hdev->flags);
}

/**
 * struct hyv_ucontext - a process that has the device open
 * @ibuc: the core's part
 * @handle: the host's name of it
 * @orphans: commands for this context whose caller has gone, and which are
 *	not over yet; see hyv_cmdq_drain_orphans()
 * @kept: memory of objects which could not be destroyed; released when the
 *	context is
 * @munmaps: mappings which the host is to undo
 * @munmap_work: tells the host about @munmaps
 */
struct hyv_ucontext {
	struct ib_ucontext ibuc;
	u32 handle;
	atomic_t orphans;
	struct hyv_mem *kept;
	struct llist_head munmaps;
	struct work_struct munmap_work;
};

/**
 * struct hyv_pd - protection domain
 * @ibpd: the core's part
 * @uctx: its owner; NULL for one of the kernel, which the host does not know of
 * @handle: the host's name of it
 */
struct hyv_pd {
	struct ib_pd ibpd;
	struct hyv_ucontext *uctx;
	u32 handle;
};

/**
 * struct hyv_cq - completion queue
 * @ibcq: the core's part
 * @kcq: what one of the kernel consists of; NULL for one of user space, and
 *	the fields below are for those only
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 * @slot: arming slot in the doorbell area
 * @arm_lock: one caller arms the CQ at a time
 */
struct hyv_cq {
	struct ib_cq ibcq;
	struct hyv_kcq *kcq;
	struct hyv_ucontext *uctx;
	struct hyv_evobj evobj;
	u32 slot;
	struct mutex arm_lock;	/* held while the CQ is being armed */
};

/**
 * struct hyv_qp - queue pair
 * @ibqp: the core's part
 * @gsi: what one of the kernel consists of; NULL for one of user space, and
 *	the fields below are for those only
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 * @slot: send doorbell in the doorbell area
 * @state: what its owner has last changed it to
 */
struct hyv_qp {
	struct ib_qp ibqp;
	struct hyv_gsi *gsi;
	struct hyv_ucontext *uctx;
	struct hyv_evobj evobj;
	u32 slot;
	enum ib_qp_state state;
};

/**
 * struct hyv_srq - shared receive queue
 * @ibsrq: the core's part
 * @uctx: its owner
 * @evobj: makes it known to the event queues under the host's handle
 */
struct hyv_srq {
	struct ib_srq ibsrq;
	struct hyv_ucontext *uctx;
	struct hyv_evobj evobj;
};

/**
 * struct hyv_ah - address handle
 * @ibah: the core's part
 * @uctx: its owner; NULL for one of the kernel, which the host does not know of
 * @handle: the host's name of it
 * @attr: the address, of one of the kernel; without a reference to a GID, which
 *	@ibah has
 */
struct hyv_ah {
	struct ib_ah ibah;
	struct hyv_ucontext *uctx;
	u32 handle;
	struct rdma_ah_attr attr;
};

/**
 * struct hyv_mr - memory region
 * @ibmr: the core's part
 * @uctx: its owner
 * @handle: the host's name of it
 * @access: enum ib_access_flags
 * @mem: pins of the memory, which the host's HCA accesses
 */
struct hyv_mr {
	struct ib_mr ibmr;
	struct hyv_ucontext *uctx;
	u32 handle;
	int access;
	struct hyv_mem *mem;
};

/**
 * struct hyv_mw - memory window
 * @ibmw: the core's part
 * @uctx: its owner
 * @handle: the host's name of it
 */
struct hyv_mw {
	struct ib_mw ibmw;
	struct hyv_ucontext *uctx;
	u32 handle;
};

static inline struct hyv_ucontext *to_hyv_ucontext(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct hyv_ucontext, ibuc);
}

static inline struct hyv_pd *to_hyv_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct hyv_pd, ibpd);
}

static inline struct hyv_cq *to_hyv_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct hyv_cq, ibcq);
}

static inline struct hyv_qp *to_hyv_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct hyv_qp, ibqp);
}

static inline struct hyv_srq *to_hyv_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct hyv_srq, ibsrq);
}

static inline struct hyv_ah *to_hyv_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct hyv_ah, ibah);
}

static inline struct hyv_mr *to_hyv_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct hyv_mr, ibmr);
}

static inline struct hyv_mw *to_hyv_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct hyv_mw, ibmw);
}

/* main.c */
void hyv_dev_fail(struct hyv_dev *hdev, const char *why);
void hyv_dev_hca_gone(struct hyv_dev *hdev);
void hyv_dev_lost(struct hyv_dev *hdev, const char *why);

/* ibdev.c */
int hyv_ibdev_alloc_ports(struct hyv_dev *hdev, u32 nr_ports);
void hyv_ibdev_free_ports(struct hyv_dev *hdev);
int hyv_ibdev_register(struct hyv_dev *hdev);
void hyv_ibdev_unregister(struct hyv_dev *hdev);
void hyv_ibdev_port_event(struct hyv_dev *hdev, u32 port,
			  enum ib_event_type code, u32 count);

/* verbs.c */
int hyv_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void hyv_dealloc_ucontext(struct ib_ucontext *ibuc);
int hyv_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int hyv_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int hyv_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs);
int hyv_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int hyv_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int hyv_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
int hyv_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int hyv_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		  struct ib_udata *udata);
int hyv_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int hyv_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr);
int hyv_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int hyv_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);

/* verbs_ah.c */
int hyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		  struct ib_udata *udata);
int hyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			 struct ib_udata *udata);
int hyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int hyv_destroy_ah(struct ib_ah *ibah, u32 flags);
int hyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int hyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* verbs_srq.c */
int hyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		   struct ib_udata *udata);
int hyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata);
int hyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int hyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* mr.c */
struct ib_mr *hyv_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *hyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
struct ib_mr *hyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata);
int hyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int hyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int hyv_dealloc_mw(struct ib_mw *ibmw);

/* mmap.c */
void hyv_mmap_init(struct hyv_ucontext *uctx);
void hyv_mmap_uninit(struct hyv_ucontext *uctx);
int hyv_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void hyv_mmap_free(struct rdma_user_mmap_entry *rdma_entry);

#endif /* HYV_DEV_H */
