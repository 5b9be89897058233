/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of the mock HCA.
 */
#ifndef MOCK_H
#define MOCK_H

#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

#include "hyv_mock.h"

enum mock_verb {
#define MOCK_VERB(name) MOCK_CALL_##name,
	HYV_FOR_EACH_MOCK_VERB(MOCK_VERB)
#undef MOCK_VERB
	MOCK_VERBS
};

enum mock_type {
#define MOCK_TYPE(name) MOCK_OBJ_##name,
	HYV_FOR_EACH_MOCK_TYPE(MOCK_TYPE)
#undef MOCK_TYPE
	MOCK_TYPES
};

#define MOCK_PARENTS	4

/*
 * Common part of all objects. Its memory stays when its destruction is refused
 * and its device leaves: so do the callbacks.
 */
struct mock_obj {
	enum mock_type type;
	struct list_head node;		/* in mock_objs */
	struct mock_obj *parent[MOCK_PARENTS];
	unsigned int children;
	bool refused;
	struct ib_device *ibdev;	/* NULL once it has left */
};

struct mock_device {
	struct ib_device ib;
	struct list_head node;		/* in mock_devices */
	bool leaving;			/* contexts end before their objects */
};

/* Memory for mmap(). */
struct mock_page {
	struct rdma_user_mmap_entry ib;
	enum hyv_mock_page kind;
	void *mem;			/* NULL: an address without memory */
	unsigned int order;
};

struct mock_ucontext {
	struct ib_ucontext ib;
	struct mock_obj obj;
};

/* A queue: pinned user memory, or memory of the driver, or neither. */
struct mock_queue {
	struct ib_umem *umem;
	struct mock_page *page;
};

struct mock_pd {
	struct ib_pd ib;
	struct mock_obj obj;
};

struct mock_cq {
	struct ib_cq ib;
	struct mock_obj obj;
	struct mock_queue queue;
};

struct mock_qp {
	struct ib_qp ib;
	struct mock_obj obj;
	struct mock_queue sq;
	struct mock_queue rq;
	enum ib_qp_state state;
	struct ib_qp_cap cap;
	unsigned int nr_groups;		/* protected by mock_lock */
};

struct mock_srq {
	struct ib_srq ib;
	struct mock_obj obj;
	struct mock_queue queue;
	struct ib_srq_attr attr;
};

struct mock_xrcd {
	struct ib_xrcd ib;
	struct mock_obj obj;
};

struct mock_ah {
	struct ib_ah ib;
	struct mock_obj obj;
};

struct mock_mr {
	struct ib_mr ib;
	struct mock_obj obj;
	struct ib_umem *umem;
};

struct mock_mw {
	struct ib_mw ib;
	struct mock_obj obj;
};

/* Declared in a private header of ib_core. */
void rdma_restrack_del(struct rdma_restrack_entry *res);

/* control.c */

/* Protects the lists below and all counters. Hardirq-safe; callbacks hold it. */
extern spinlock_t mock_lock;
extern struct list_head mock_objs[MOCK_TYPES];
extern struct list_head mock_devices;

int mock_call(enum mock_verb verb);
void mock_created(enum mock_verb verb, struct ib_udata *udata);
bool mock_rereg_new(void);
/* Does re-registering move the MR to the PD, but fail then, as of rxe? */
bool mock_rereg_moves(void);
enum hyv_mock_page mock_page_kind(void);
void mock_hold(struct mock_obj *obj, enum mock_type type,
	       struct ib_device *ibdev);
void mock_use(struct mock_obj *obj, struct mock_obj *parent);
void mock_use_instead(struct mock_obj *obj, struct mock_obj *parent);
void mock_drop(struct mock_obj *obj);
struct mock_obj *mock_take_left(struct ib_device *ibdev);
int mock_refusable(struct mock_obj *obj, enum mock_verb verb);
void mock_count(enum mock_type type, int change);
void mock_device_add(struct mock_device *dev);
void mock_device_del(struct mock_device *dev);
void mock_late_cq(const struct ib_cq *cq);
void mock_late_event(enum mock_verb verb,
		     void (*handler)(struct ib_event *event, void *context),
		     void *context, enum ib_event_type event);
int mock_control_init(void);
void mock_control_exit(void);

/* memory.c */

int mock_memory_init(void);
void mock_memory_exit(void);
int mock_queue_alloc(struct mock_queue *queue, struct mock_ucontext *uctx,
		     size_t size, struct mminfo *mi);
int mock_queue_init(struct mock_queue *queue, struct ib_device *ibdev,
		    struct ib_udata *udata, size_t size, struct mminfo *mi);
void mock_queue_free(struct mock_queue *queue);
int mock_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);
void mock_mmap_free(struct rdma_user_mmap_entry *entry);
struct ib_mr *mock_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata);
struct ib_mr *mock_rereg_user_mr(struct ib_mr *ib, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *pd, struct ib_udata *udata);
int mock_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
int mock_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int mock_dealloc_mw(struct ib_mw *ib);

/* verbs.c */

extern const struct ib_device_ops mock_ops;

#endif /* MOCK_H */
