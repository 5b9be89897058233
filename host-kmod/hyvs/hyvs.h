/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hyvs.ko: an RDMA device in software, whose work is done by the engine. To user
 * space it is an mlx5 device, so that libmlx5 drives it.
 */
#ifndef HYVS_H
#define HYVS_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "engine/engine.h"
#include "gsi/gsi.h"
#include "hyvs/gids.h"
#include "hyvs/uar.h"

#define HYVS_MAX_QUEUE		32768	/* basic blocks, requests */
#define HYVS_MAX_CQE		((1 << 22) - 1)
#define HYVS_MAX_SGE		32
#define HYVS_MAX_MSG		BIT(30)
#define HYVS_MAX_RD_ATOMIC	128
#define HYVS_BFREGS_PER_UAR	2	/* as libmlx5 counts doorbells */

/* The work of a worker before others have their turn. */
#define HYVS_RUN_WQES		64
#define HYVS_RUN_BYTES		SZ_256K

/* Objects that a device, a user and a process have a limited number of. */
enum hyvs_kind {
	HYVS_PD,
	HYVS_KEY,		/* of memory regions and windows */
	HYVS_CQ,
	HYVS_SRQ,
	HYVS_QP,
	HYVS_MEMBER,		/* of a multicast group; without an ID */
	HYVS_XRCD,
	HYVS_KINDS,
};

/* IDs, given out in turn. */
struct hyvs_ids {
	struct xarray xa;
	u32 next;
	u32 used;
};

struct hyvs_id {
	u32 id;
	struct hyvs_process *process;	/* for which it counts */
};

/* Events that are rare, so that they are counted in one place. */
enum hyvs_stat {
	HYVS_STAT_FAULTS,	/* doorbells of hidden pages */
	HYVS_STAT_ASSISTS,	/* faults that did the work */
	HYVS_STAT_PARKS,	/* pages were hidden */
	HYVS_STAT_SLEEPS,
	HYVS_STATS,
};

struct hyvs_device {
	struct ib_device ib;
	struct list_head link;		/* in the list of link.c */
	/* With a reference: ib_core drops its own before the last port query. */
	struct net_device *ndev;
	bool port_up;			/* as last reported; protected by link.c's lock */
	bool ndev_left;			/* unregistered, or in another namespace; the same */
	struct eng *eng;
	struct hyvs_ids ids[HYVS_KINDS];
	spinlock_t limits_lock;		/* protects users, and ids[].used */
	struct list_head users;
	spinlock_t members_lock;	/* protects members, of groups; inside a QP's */
	struct list_head members;
	struct eng_worker targets;	/* of XRC, which outlive contexts */
	spinlock_t target_lock;		/* protects it; outside the engine's */
	struct work_struct target_work;	/* runs it */
	atomic_t variant;		/* of the next key */
	struct hyvs_gid_hash *gid_hash;
	struct hyvs_gids gids;		/* of the port */
	bool has_gsi;
	struct gsi_port gsi_port;
	atomic64_t stats[HYVS_STATS];
	spinlock_t eng_stats_lock;	/* protects those below */
	u64 eng_stats[ENG_STATS];
	unsigned long eng_stats_until;	/* jiffies; then they are read again */
};

/* A page with doorbell records, which many objects of a context share. */
struct hyvs_record_page {
	struct list_head link;
	struct ib_umem *umem;
	struct mm_struct *mm;		/* compared only */
	unsigned long address;
	unsigned int users;
};

struct hyvs_ucontext {
	struct ib_ucontext ib;
	struct hyvs_process *process;
	struct hyvs_lease *lease;	/* of the guest in guest addressing, or NULL */
	struct hyvs_uars *uars;
	struct task_struct *task;
	spinlock_t run_lock;		/* protects worker; outside the engine's */
	struct eng_worker worker;
	u64 watch;			/* ns; of the thread */
	atomic_t next_uar;		/* of the next QP */
	struct mutex record_lock;	/* protects records */
	struct list_head records;
};

struct hyvs_pd {
	struct ib_pd ib;
	struct hyvs_id id;		/* of no process: of the kernel */
};

/* It may outlive the context that made it, so it counts as one of its process. */
struct hyvs_xrcd {
	struct ib_xrcd ib;
	struct hyvs_id id;
};

/* Memory of a user, pinned, as the engine wants it. */
struct hyvs_mem {
	struct ib_umem *umem;
	struct eng_mem eng;
};

struct hyvs_mr {
	struct ib_mr ib;
	struct hyvs_id id;
	struct hyvs_mem mem;
	int access;
	struct eng_key key;
};

struct hyvs_mw {
	struct ib_mw ib;
	struct hyvs_id id;
	struct eng_key key;
};

struct hyvs_cq {
	struct ib_cq ib;
	struct gsi_cq *gsi;		/* of the kernel; then all below is unused */
	struct eng_cq eng;
	struct mutex resize_lock;	/* the ring of eng is this one, and ib.cqe */
	struct hyvs_mem ring;
	struct hyvs_record_page *record;
	struct hyvs_id id;
};

struct hyvs_srq {
	struct ib_srq ib;
	struct eng_srq eng;
	struct hyvs_mem ring;
	struct hyvs_record_page *record;
	struct ib_srq_attr attr;
	struct hyvs_id id;
};

struct hyvs_qp {
	struct ib_qp ib;
	struct gsi_qp *gsi;		/* of the kernel; then all below is unused */
	struct hyvs_id id;
	struct eng_qp eng;
	struct hyvs_mem ring;
	struct hyvs_record_page *record;
	const struct hyvs_gids *gids;	/* that its datagrams are from */
	struct mutex lock;		/* protects attr, serialises changes and joins */
	struct ib_qp_attr attr;
};

struct hyvs_ah {
	struct ib_ah ib;
	struct rdma_ah_attr attr;	/* of the kernel's */
};

#define HYVS_TO(type, member)						\
static inline struct hyvs_##type *to_hyvs_##type(struct ib_##type *ib)	\
{									\
	return container_of(ib, struct hyvs_##type, member);		\
}

HYVS_TO(device, ib)
HYVS_TO(ucontext, ib)
HYVS_TO(pd, ib)
HYVS_TO(mr, ib)
HYVS_TO(mw, ib)
HYVS_TO(cq, ib)
HYVS_TO(srq, ib)
HYVS_TO(qp, ib)
HYVS_TO(ah, ib)
HYVS_TO(xrcd, ib)

static inline struct hyvs_ucontext *hyvs_udata_ucontext(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct hyvs_ucontext, ib);
}

static inline void hyvs_count(struct hyvs_ucontext *uctx, enum hyvs_stat stat)
{
	atomic64_inc(&to_hyvs_device(uctx->ib.device)->stats[stat]);
}

/* --- device.c: the device, its port and its GIDs --- */

int hyvs_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		      struct ib_udata *udata);
int hyvs_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int hyvs_port_immutable(struct ib_device *ib, u32 port,
			struct ib_port_immutable *immutable);
enum rdma_link_layer hyvs_link_layer(struct ib_device *ib, u32 port);
int hyvs_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int hyvs_add_gid(const struct ib_gid_attr *attr, void **context);
int hyvs_del_gid(const struct ib_gid_attr *attr, void **context);
bool hyvs_ud_path(void *env, const struct eng_qp *qp, const struct eng_av *av,
		  u32 length, struct eng_path *path);

bool hyvs_port_is_up(const struct hyvs_device *dev);

/* --- limits.c: IDs, and limits of devices, users and processes --- */

extern const u32 hyvs_max_objects[HYVS_KINDS];

void hyvs_limits_init(struct hyvs_device *dev);
void hyvs_limits_destroy(struct hyvs_device *dev);
/* Count a context for the calling process. Return: ERR_PTR() of -EDQUOT, -ENOMEM. */
struct hyvs_process *hyvs_process_get(struct hyvs_device *dev);
/* Once more, for what may outlive the context that @process is of. */
int hyvs_process_hold(struct hyvs_device *dev, struct hyvs_process *process);
void hyvs_process_put(struct hyvs_device *dev, struct hyvs_process *process);
/* For hyvh_rescue_begin(), for the workers of all contexts of the process. */
bool *hyvs_process_starved(struct hyvs_process *process);
bool hyvs_same_user(const struct hyvs_process *a, const struct hyvs_process *b);
bool hyvs_may_have(u32 process_used, u32 user_used, u32 user_max);
/* Return: 0, -EDQUOT if process or user have too many, -ENOMEM if the device has. */
int hyvs_charge(struct hyvs_device *dev, struct hyvs_process *process,
		enum hyvs_kind kind);
void hyvs_uncharge(struct hyvs_device *dev, struct hyvs_process *process,
		   enum hyvs_kind kind);
/* The same, and an ID that no other object of the kind has. */
int hyvs_id_alloc_for(struct hyvs_device *dev, struct hyvs_process *process,
		      enum hyvs_kind kind, void *object, struct hyvs_id *id);
/* For the process of a context. */
int hyvs_id_alloc(struct hyvs_ucontext *uctx, enum hyvs_kind kind, void *object,
		  struct hyvs_id *id);
void hyvs_id_free(struct hyvs_device *dev, enum hyvs_kind kind,
		  const struct hyvs_id *id);
/*
 * The same for an XRC target, which counts for the caller: any process that may open the
 * file of a domain can make targets in it, and they may outlive the caller's contexts.
 */
int hyvs_target_id_alloc(struct hyvs_device *dev, void *object,
			 struct hyvs_id *id);
void hyvs_target_id_free(struct hyvs_device *dev, const struct hyvs_id *id);

/* --- events.c --- */

extern const struct eng_ops hyvs_eng_ops;

/* Run those QPs that are of no context. */
void hyvs_run_targets(struct work_struct *work);

/* --- link.c --- */

int hyvs_link_init(void);
void hyvs_link_exit(void);

/* --- lend.c --- */

/* The addresses of the processes that have the context. */
const struct hyvs_gids *hyvs_context_gids(const struct hyvs_ucontext *uctx);
void hyvs_lease_put(struct hyvs_lease *lease);

/* --- ops.c --- */

extern const struct ib_device_ops hyvs_ops;

/* --- memory.c --- */

/* The memory must be pinned by hyvs_mem_pin(), and in no use by the engine. */
int hyvs_mem_pin(struct ib_device *ib, struct hyvs_mem *mem, u64 address,
		 u64 length, int access);
void hyvs_mem_unpin(struct hyvs_mem *mem);
/* A record of 8 bytes; @record is set to its address. */
struct hyvs_record_page *hyvs_record_get(struct hyvs_ucontext *uctx,
					 u64 address, __be32 **record);
void hyvs_record_put(struct hyvs_ucontext *uctx, struct hyvs_record_page *page);
/* Wait until no worker uses what was taken away before. */
void hyvs_retire(struct hyvs_device *dev);

struct ib_mr *hyvs_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata);
struct ib_mr *hyvs_rereg_user_mr(struct ib_mr *ib, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *pd, struct ib_udata *udata);
int hyvs_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
int hyvs_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int hyvs_dealloc_mw(struct ib_mw *ib);

/* --- context.c --- */

/*
 * Read what a provider has sent, at least @needed bytes. -EOPNOTSUPP if there is
 * something behind the request.
 */
int hyvs_request(struct ib_udata *udata, void *req, size_t size, size_t needed);
int hyvs_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata);
void hyvs_dealloc_ucontext(struct ib_ucontext *ib);
void hyvs_disassociate_ucontext(struct ib_ucontext *ib);
int hyvs_alloc_pd(struct ib_pd *ib, struct ib_udata *udata);
int hyvs_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata);
int hyvs_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);
int hyvs_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);
int hyvs_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata);
int hyvs_destroy_ah(struct ib_ah *ib, u32 flags);

/* --- kernel.c --- */

extern const struct ib_device_ops hyvs_kernel_ops;

void hyvs_gsi_start(struct hyvs_device *dev);
void hyvs_gsi_stop(struct hyvs_device *dev);
int hyvs_create_kernel_cq(struct hyvs_cq *cq,
			  const struct ib_cq_init_attr *attr);
int hyvs_create_kernel_qp(struct hyvs_qp *qp,
			  const struct ib_qp_init_attr *attr);

/* --- stats.c --- */

void hyvs_stats_init(struct hyvs_device *dev);
struct rdma_hw_stats *hyvs_alloc_stats(struct ib_device *ib, u32 port);
int hyvs_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		   int index);

/* --- mmap.c --- */

int hyvs_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);

/* --- worker.c --- */

int hyvs_worker_start(struct hyvs_ucontext *uctx);
void hyvs_worker_stop(struct hyvs_ucontext *uctx);
/* From a fault: do the work that there is now. False if this is the thread's. */
bool hyvs_worker_assist(struct hyvs_ucontext *uctx);

/* --- cq.c, srq.c, qp.c --- */

int hyvs_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int hyvs_resize_user_cq(struct ib_cq *ib, unsigned int cqe,
			struct ib_udata *udata);
int hyvs_modify_cq(struct ib_cq *ib, u16 count, u16 period);
int hyvs_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
int hyvs_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata);
int hyvs_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int hyvs_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
int hyvs_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);
int hyvs_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata);
int hyvs_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int hyvs_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);
int hyvs_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);
int hyvs_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
int hyvs_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);

#endif /* HYVS_H */
