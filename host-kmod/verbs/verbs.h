/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs on behalf of a guest: the objects of a vNIC and the command handlers.
 *
 * Handlers run in process context in the VMM's address space, with
 * hyvh_vnic.teardown_rwsem held for reading. They may sleep. They return 0 or
 * the negative errno that becomes the status of the reply.
 *
 * hyvh_obj_ops.destroy runs in process context and may sleep. It gets an object
 * that nobody can find, because it is not published, or hyvh_obj_remove() or
 * hyvh_objs_take() has taken it out of the table. It returns 0, or the HCA
 * driver's negative errno if the object still exists, unchanged except that a QP has
 * left multicast groups. The caller frees the handle and the object.
 */
#ifndef HYVH_VERBS_H
#define HYVH_VERBS_H

#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <hyv/commands.h>
#include <hyv/wire.h>

#include "command/dispatch.h"
#include "hca/provider_rules.h"
#include "hca/uctx.h"
#include "memory/mmap_table.h"
#include "memory/window.h"
#include "notify/event_backlog.h"
#include "verbs/obj.h"

struct hyv_queue_size;
struct hyvh_charge;
struct hyvh_quota;
struct hyvh_record;
struct hyvh_udata_mem;
struct hyvh_vnic;

#define HYVH_DECLARE_CMD(NAME, name, ...) \
	int hyvh_cmd_##name(struct hyvh_cmd *cmd);
HYV_FOR_EACH_COMMAND(HYVH_DECLARE_CMD)
#undef HYVH_DECLARE_CMD

/* One open of the vNIC by a guest process. */
struct hyvh_context {
	struct hyvh_obj obj;
	struct hyvh_uctx uctx;
	struct hyvh_mmap_table regions;	/* what may be mapped */
	struct hyvh_doorbell_pages doorbells;	/* pages that may be mapped, too */
	struct mutex own_lock;		/* protects the next two */
	unsigned long own_doorbells;	/* bits of those that it has made */
	u32 nr_doorbells;		/* with these, charged to the vNIC */
	struct hyvh_mappings mappings;	/* in the window */
	/* An object that has leaked uses it; set with a reference to it. */
	bool leaked;
	struct list_head owned[HYV_OBJ_TYPES];	/* see hyvh_obj_own() */
};

/* Memory of the guest that the HCA's driver has pinned for queues. */
struct hyvh_pins {
	u64 bytes;			/* without the record */
	u32 nr;				/* of buffers */
	struct hyvh_record *record;	/* or NULL */
};

/* Queues of an object: in memory of the HCA's driver, or of the guest. */
struct hyvh_queues {
	struct hyvh_vnic *vnic;
	struct hyvh_context *context;	/* of the object */
	struct hyvh_pins pins;
	struct hyvh_charge *charge;	/* for their memory, or NULL */
	struct hyvh_mmap_region regions[HYVH_MAX_REGIONS];
};

struct hyvh_pd {
	struct hyvh_obj obj;
	struct hyvh_context *context;
	struct ib_pd *ib;
};

struct hyvh_cq {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_context *context;	/* owns the CQ */
	struct ib_cq *ib;
	u32 slot;			/* arming slot */
	unsigned int queue;		/* event queue for completions */
	struct hyvh_event_source comp;	/* delivered through that queue */
	struct hyvh_event_source error;	/* delivered through event queue 0 */

	struct mutex lock;	/* serialises resizes; protects queues */
	struct hyvh_queues queues;
};

/*
 * What QPs and SRQs use of an XRC domain. It outlives the guest's handle: SRQs may
 * belong to other contexts than that. It counts as an object for as long.
 */
struct hyvh_xrc {
	refcount_t ref;
	struct hyvh_vnic *vnic;
	struct ib_rdmacg_object cg;	/* once the handle is gone */
	struct ib_xrcd *ib;
};

struct hyvh_xrcd {
	struct hyvh_obj obj;
	struct hyvh_context *context;
	struct hyvh_xrc *xrc;
};

/* Number of async event codes of an SRQ. */
#define HYVH_SRQ_EVENTS	2

/* A shared receive queue; it holds use counts on its PD and its CQ. */
struct hyvh_srq {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_pd *pd;
	struct hyvh_cq *cq;		/* of XRC; otherwise NULL */
	struct hyvh_xrc *xrc;		/* of XRC; otherwise NULL */
	struct ib_srq *ib;
	struct task_struct *creator;	/* see hyvh_restrack_adopt() */
	u32 max_sge;			/* scatter/gather entries per element */
	/* Delivered through event queue 0. */
	struct hyvh_event_source event[HYVH_SRQ_EVENTS];

	struct mutex lock;	/* serialises changes; protects queues */
	struct hyvh_queues queues;
};

/* Number of async event codes of a QP. */
#define HYVH_QP_EVENTS	8

/*
 * A queue pair; it holds use counts on all that it has. An XRC_INI has no receive CQ,
 * an XRC_TGT has an XRC domain only.
 */
struct hyvh_qp {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_context *context;
	struct hyvh_pd *pd;
	struct hyvh_cq *send_cq;
	struct hyvh_cq *recv_cq;
	struct hyvh_srq *srq;		/* or NULL */
	struct hyvh_xrcd *xrcd;
	struct ib_qp *ib;
	/* See hyvh_restrack_adopt(); NULL of an XRC_TGT, which belongs to no process. */
	struct task_struct *creator;
	u32 slot;			/* doorbell slot */
	struct hyvh_queues queues;
	/* Delivered through event queue 0. */
	struct hyvh_event_source event[HYVH_QP_EVENTS];
	struct mutex mcast_lock;	/* see mcast.c */
	struct list_head mcast;

	/* Paths as the guest set them; unused in host addressing. */
	spinlock_t path_lock;	/* protects path and alt_path */
	struct hyv_ah_attr path;
	struct hyv_ah_attr alt_path;
};

struct hyvh_mr {
	struct hyvh_obj obj;

	/* Serialises re-registrations. Create and destroy need no lock. */
	struct mutex lock;	/* protects the rest */
	struct hyvh_pd *pd;	/* the MR holds a use count on it */
	struct ib_mr *ib;
	u64 pinned;		/* bytes; see hyvh_mr_charge() */

	/*
	 * MR of a re-registration that failed, which the driver did not
	 * destroy; or NULL.
	 */
	struct ib_mr *stale;
	struct hyvh_pd *stale_pd;	/* the MR holds a use count on it */
	u64 stale_pinned;
};

/* Host memory for the pages of MRs that pin so many bytes. */
static inline u64 hyvh_mr_page_bytes(u64 pinned)
{
	return pinned / 64;
}

/* A memory window (MW); it holds a use count on its PD. */
struct hyvh_mw {
	struct hyvh_obj obj;
	struct hyvh_pd *pd;
	struct ib_mw *ib;
};

/* An address handle; it holds a use count on its PD. */
struct hyvh_ah {
	struct hyvh_obj obj;
	struct hyvh_pd *pd;
	struct ib_ah *ib;
};

struct hyvh_obj *hyvh_cmd_obj_get(struct hyvh_cmd *cmd, __le32 handle,
				  enum hyv_obj_type type);
void hyvh_cmd_obj_put(struct hyvh_cmd *cmd, struct hyvh_obj *obj);

/*
 * hyvh_to_NAME() converts a struct hyvh_obj. hyvh_NAME_get() looks up an object
 * by its handle and returns it with a short-term reference for hyvh_NAME_put(),
 * or ERR_PTR(-ENOENT).
 */
#define HYVH_OBJ_TYPE(name, TYPE)					\
static_assert(!offsetof(struct hyvh_##name, obj));			\
static inline struct hyvh_##name *hyvh_to_##name(struct hyvh_obj *obj)	\
{									\
	return container_of(obj, struct hyvh_##name, obj);		\
}									\
static inline struct hyvh_##name *					\
hyvh_##name##_get(struct hyvh_cmd *cmd, __le32 handle)			\
{									\
	struct hyvh_obj *obj = hyvh_cmd_obj_get(cmd, handle,		\
						HYV_OBJ_##TYPE);	\
									\
	return IS_ERR(obj) ? ERR_CAST(obj) : hyvh_to_##name(obj);	\
}									\
static inline void hyvh_##name##_put(struct hyvh_cmd *cmd,		\
				     struct hyvh_##name *object)	\
{									\
	hyvh_cmd_obj_put(cmd, &object->obj);				\
}

HYVH_OBJ_TYPE(context, CONTEXT)
HYVH_OBJ_TYPE(pd, PD)
HYVH_OBJ_TYPE(cq, CQ)
HYVH_OBJ_TYPE(qp, QP)
HYVH_OBJ_TYPE(srq, SRQ)
HYVH_OBJ_TYPE(mr, MR)
HYVH_OBJ_TYPE(mw, MW)
HYVH_OBJ_TYPE(ah, AH)
HYVH_OBJ_TYPE(xrcd, XRCD)
#undef HYVH_OBJ_TYPE

/**
 * struct hyvh_obj_ops - a type of objects
 * @type: the type
 * @name: name of the type, for messages
 * @size: size of the object, which begins with its struct hyvh_obj
 * @build: builds the object and fills in the reply, except the handle and
 *	provider data. @obj is zeroed except for its struct hyvh_obj, which has
 *	been reserved; @parent is referenced. After a failure nothing is left
 *	except @obj's memory.
 * @replied: the reply has the provider data; or NULL
 * @destroy: see above
 * @silence: drop all events of the object, now and later; NULL if it has none
 *
 * An object is owned by its parent if that is a context. Otherwise it is owned
 * by the parent's owner and holds a use count on the parent, which @destroy
 * drops.
 */
struct hyvh_obj_ops {
	enum hyv_obj_type type;
	const char *name;
	size_t size;
	int (*build)(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
		     struct hyvh_obj *parent);
	void (*replied)(struct hyvh_cmd *cmd, struct hyvh_obj *obj);
	int (*destroy)(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
	void (*silence)(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
};

extern const struct hyvh_obj_ops hyvh_context_ops;
extern const struct hyvh_obj_ops hyvh_pd_ops;
extern const struct hyvh_obj_ops hyvh_cq_ops;
extern const struct hyvh_obj_ops hyvh_qp_ops;
extern const struct hyvh_obj_ops hyvh_srq_ops;
extern const struct hyvh_obj_ops hyvh_ah_ops;
extern const struct hyvh_obj_ops hyvh_mr_ops;
extern const struct hyvh_obj_ops hyvh_mw_ops;
extern const struct hyvh_obj_ops hyvh_xrcd_ops;

int hyvh_obj_create(struct hyvh_cmd *cmd, const struct hyvh_obj_ops *ops,
		    enum hyv_obj_type parent_type, __le32 parent);
void hyvh_leak_count(struct hyvh_vnic *vnic, const char *name, int err,
		     bool stuck);
void hyvh_obj_leak(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
		   const struct hyvh_obj_ops *ops, int err);
void hyvh_obj_uncharge(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
void hyvh_destroy_all(struct hyvh_vnic *vnic);

int hyvh_cmd_charge_pins(struct hyvh_cmd *cmd, u64 nr, u64 bytes, u64 described);
void hyvh_uncharge_pins(struct hyvh_vnic *vnic, u64 nr, u64 bytes, u64 described);
int hyvh_cmd_check_memlock(struct hyvh_cmd *cmd, u64 bytes);

struct hyvh_charge *hyvh_queues_charge(struct hyvh_cmd *cmd, u64 bytes);
void hyvh_queues_init(struct hyvh_queues *queues, struct hyvh_vnic *vnic,
		      struct hyvh_context *context,
		      struct hyvh_charge *charge);
int hyvh_pins_get(struct hyvh_pins *pins, struct hyvh_cmd *cmd,
		  struct hyvh_context *context,
		  const struct hyv_queue_size *size,
		  struct hyvh_udata_mem *mem);
void hyvh_pins_put(struct hyvh_pins *pins, struct hyvh_vnic *vnic);
void hyvh_queues_free(struct hyvh_queues *queues);
void hyvh_queues_replace(struct hyvh_queues *queues,
			 struct hyvh_charge *charge);
void hyvh_queues_regions(struct hyvh_queues *queues, struct hyvh_cmd *cmd,
			 u16 source, const void *data, u32 len);
void hyvh_queues_reply(struct hyvh_queues *queues, struct hyvh_cmd *cmd);

bool hyvh_cmd_has_ah(const struct hyvh_cmd *cmd);

struct hyvh_xrc *hyvh_xrc_get(struct hyvh_cmd *cmd, __le32 xrcd);
void hyvh_xrc_put(struct hyvh_xrc *xrc);

/* Called by the worker. @slot may be any value. */
void hyvh_qp_ring(struct hyvh_vnic *vnic, u32 slot);
void hyvh_cq_arm(struct hyvh_vnic *vnic, u32 slot, enum ib_cq_notify_flags how);

int hyvh_mcast_leave_all(struct hyvh_qp *qp);
void hyvh_mcast_init(void);

#endif /* HYVH_VERBS_H */
