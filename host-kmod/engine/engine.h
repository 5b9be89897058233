/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine of a software HCA: executes work requests that processes write into
 * their own memory, and writes completions there.
 *
 * The engine knows queues, keys and messages. Its environment, a kernel module,
 * a device model or a test, gives it memory that is resolved to pointers, time
 * and wake-ups, and creates and destroys objects. eng_port.h, found by include
 * path, has what differs between environments.
 *
 * Trust: everything in queues and records is written by somebody malicious, at any
 * time. It is read once, into private memory, and checked there. Positions and
 * states are private, and what is in a queue is never used as state.
 *
 * Functions called *_add, *_del, *_join and *_leave may sleep. No other function
 * sleeps or allocates memory. All are called in process context.
 *
 * Locks, outermost first. At most one of each class is held, so two QPs that send
 * to each other, and a QP that sends to itself, cannot deadlock:
 *
 *	worker->cq_lock	list of CQs
 *	qp->send	a QP's send queue and its requester
 *	eng->group_lock	multicast groups
 *	qp->recv	a QP's receive queue, its responder and its state
 *	srq->lock
 *	cq->lock
 *	worker->lock	lists of QPs, time of the next late event of a CQ
 *	table->lock
 *	key->lock	a memory window
 *	eng->lock	list of workers, epochs
 *
 * Lifetime: objects are part of the environment's structures. eng_*_del() takes
 * an object away from those who come later. Its memory, and that of its queues,
 * may go when eng_retired() is true for an eng_retire() after it. Until then
 * workers may still use it.
 */
#ifndef ENG_ENGINE_H
#define ENG_ENGINE_H

#include "eng_port.h"

#define ENG_ID_BITS	24
#define ENG_MAX_IDS	BIT(ENG_ID_BITS)
#define ENG_MAX_SGE	63	/* data segments of a work request */
#define ENG_MAX_WQE	1024	/* bytes of a send work request */
#define ENG_MAX_MSG	BIT(31)
#define ENG_STEP	65536	/* bytes copied under a lock */
#define ENG_MAX_MEMBERS	64	/* of a multicast group */
#define ENG_MAX_GROUPS	65536
#define ENG_GROUP_BITS	12

struct eng_cq;
struct eng_qp;
struct eng_srq;
struct eng_worker;

/*
 * Memory of a queue or key, as runs of equal size: byte i is in run[(first + i) >>
 * shift]. The pointers must be valid until the object that uses them is retired.
 */
struct eng_mem {
	void **run;
	u64 first;		/* place of byte 0 in run[0] */
	u64 length;
	u64 mask;		/* (1 << shift) - 1 */
	u32 count;
	u8 shift;
};

enum eng_event {
	ENG_EVENT_CQ_ERROR,	/* overrun */
	ENG_EVENT_QP_FATAL,	/* broken queue, or a CQ that is full */
	ENG_EVENT_QP_ACCESS,	/* a peer violated access rights */
	ENG_EVENT_QP_REQUEST,	/* a peer sent what the QP does not support */
	ENG_EVENT_QP_ESTABLISHED, /* first message in RTR */
	ENG_EVENT_QP_LAST_WQE,	/* QP with SRQ in error state is done with it */
	ENG_EVENT_QP_DRAINED,	/* SQD: the send queue has stopped */
	ENG_EVENT_SRQ_ERROR,
	ENG_EVENT_SRQ_LIMIT,
};

/* Address vector of a UD work request. */
struct eng_av {
	u8 dgid[16];
	u32 sgid_index;
	u32 flow_label;
	u8 tclass;
	u8 hop_limit;
};

#define ENG_GRH_SIZE	40

/* Where a datagram goes. */
struct eng_path {
	u8 grh[ENG_GRH_SIZE];	/* as it is in front of a received message */
	bool group;		/* the address is that of a group */
	u32 owner;		/* of another address: only its QPs get the message */
};

/* Functions of the environment. None may sleep or call the engine. */
struct eng_ops {
	/* Nanoseconds of a clock that never goes back. */
	u64 (*now)(void *env);
	/* @worker has work: make it call eng_run() soon. Called with locks held. */
	void (*wake)(void *env, struct eng_worker *worker);
	/* A completion event. Called with locks held. */
	void (*cq_event)(void *env, struct eng_cq *cq);
	/* Called with locks held; @object is the CQ, QP or SRQ. */
	void (*async)(void *env, enum eng_event event, void *object);
	/* May @qp send to this address? Fills in @path. */
	bool (*ud_path)(void *env, const struct eng_qp *qp,
			const struct eng_av *av, u32 length,
			struct eng_path *path);
};

/* IDs to objects: two loads, no lock for readers. See table.c. */
#define ENG_CHUNK_BITS	12

#define ENG_CHUNKS	(1 << (ENG_ID_BITS - ENG_CHUNK_BITS))

struct eng_table {
	eng_lock_t lock;		/* protects all */
	void **chunk[ENG_CHUNKS];	/* written with it, read without */
	u16 used[ENG_CHUNKS];		/* objects in it */
	u32 nr_empty;			/* chunks without objects */
	void **stale;			/* one that was taken out */
	u64 stale_epoch;		/* when nobody uses it any more */
};

/* Counters. */
enum eng_stat {
	ENG_STAT_REQUESTS,	/* that were executed */
	ENG_STAT_BYTES,		/* of them */
	ENG_STAT_RNR_WAITS,	/* for a receive request of the peer */
	ENG_STAT_RETRIES,	/* no answer */
	ENG_STAT_ERRORS,	/* requests that ended with an error */
	ENG_STATS,
};

struct eng {
	const struct eng_ops *ops;
	void *env;
	eng_lock_t lock;	/* protects workers, stats; see epoch.c: */
	u64 epoch;		/* written with it, read without */
	u64 retired;		/* epoch that all have reached; the same */
	u64 look_epoch;		/* of the current look at workers */
	struct list_head *looked; /* the last one in it; or workers */
	struct list_head workers;
	u64 stats[ENG_STATS];	/* of workers that have gone; under lock */
	struct eng_table keys;
	struct eng_table qps;
	struct eng_table srqs;	/* of XRC domains */
	eng_lock_t group_lock;	/* protects groups and nr_groups */
	struct list_head groups[1 << ENG_GROUP_BITS];	/* by hash of their names */
	u32 nr_groups;
	u64 group_hash[6];	/* random: nobody chooses who shares a list */
};

void eng_init(struct eng *eng, const struct eng_ops *ops, void *env);
/* The engine has no objects and no workers. */
void eng_destroy(struct eng *eng);
void eng_stats(struct eng *eng, u64 stats[ENG_STATS]);

/* --- Retirement --- */

u64 eng_retire(struct eng *eng);
/*
 * Does nobody use any more what was taken away before eng_retire() has returned
 * @epoch? Looks at up to ENG_SCAN workers, in which others who wait have a part. If
 * not, and *@more is set, there are more to look at; otherwise one must end its run.
 */
bool eng_retire_look(struct eng *eng, u64 epoch, bool *more);
/* For those who ask again later. */
bool eng_retired(struct eng *eng, u64 epoch);

/* --- Workers --- */

/* Bytes of a decoded data segment; addresses are of the key's space. */
struct eng_sge {
	u64 addr;
	u64 length;
	u32 lkey;
	/* Once checked: */
	struct eng_key *key;
	u64 offset;		/* in the key's memory */
};

#define ENG_TOUCHED	16	/* CQs between two looks at their arming records */
#define ENG_SCAN	64	/* queues, CQs, workers between releases of locks */

/*
 * Runs the send queues of the QPs that were created with it. Several workers run
 * in parallel, but each in one thread at a time: the caller of eng_run(),
 * eng_scan(), eng_ring_qp() and eng_arm() sees to that.
 */
struct eng_worker {
	struct eng *eng;
	struct list_head link;		/* in eng->workers */
	u64 epoch;			/* of the run; 0 while idle */
	u64 now;
	u64 stats[ENG_STATS];		/* written by the worker only */

	eng_lock_t lock;		/* protects the lists and the QPs' places */
	struct list_head qps;		/* all, by qp->all */
	struct list_head ready;		/* to be run, by qp->entry */
	struct list_head rnr;		/* waiting, for a receive of the peer */
	struct list_head error;		/* in error state */
	struct eng_timer *timers;	/* of those that wait, see timer.c */
	u32 nr_timers;
	u32 max_timers;			/* at least nr_qps */
	u32 nr_qps;
	u32 nr_rnr;
	u32 nr_error;
	u64 cq_due;			/* of the next late event; 0: none */
	u64 error_period;		/* between looks at queues in error state */
	u64 error_due;

	eng_lock_t cq_lock;		/* protects cqs */
	struct list_head cqs;		/* that can have events, by cq->link */
	u32 nr_cqs;

	struct eng_cq *touched[ENG_TOUCHED];
	u32 nr_touched;

	/* Yet to be looked at, from the head of their list. */
	u32 scan_left;			/* of qps */
	u32 arm_left;			/* of cqs */
	u32 error_left;			/* of error */

	/* Private copies of what is being executed. */
	u8 wqe[ENG_MAX_WQE] __aligned(64);
	u8 rwqe[ENG_MAX_WQE] __aligned(64);
	struct eng_sge sge[ENG_MAX_SGE];	/* of the send request */
	struct eng_sge rsge[ENG_MAX_SGE];	/* of the receive request */
	struct eng_qp *members[ENG_MAX_MEMBERS];	/* of the group */
};

/* The next time to look at a QP that waits. */
struct eng_timer {
	u64 due;
	struct eng_qp *qp;
};

struct eng_looked {
	bool work;		/* there is something to run */
	bool more;		/* this was not the last part */
	u64 deadline;		/* run at this time; 0: no need */
};

void eng_worker_add(struct eng *eng, struct eng_worker *worker);
/* The worker has no QPs and CQs, and does not run. */
void eng_worker_del(struct eng_worker *worker);

/*
 * Execute about @wqes work requests and @bytes bytes: no more than one step, or
 * one datagram for all members of a group, is begun when they are almost used up.
 * Returns true if there is work left: run again.
 */
bool eng_run(struct eng_worker *worker, u32 wqes, u32 bytes);

/*
 * Look at the records of up to ENG_SCAN queues, and of as many CQs. With @begin,
 * that is the first part of a look at all; without, it is the next one. Doorbells
 * are hints: when there is no more, none is missed that was rung before the begin.
 * Callers release their locks between the parts.
 */
struct eng_looked eng_scan(struct eng_worker *worker, bool begin);

/* Somebody has rung: run the QP of this number, if it is @worker's. */
void eng_ring_qp(struct eng_worker *worker, u32 qpn);

/*
 * A CQ was armed, but it is not known which: look at those of @worker. If there are
 * many, eng_run() goes on.
 */
void eng_arm(struct eng_worker *worker);

/* --- Keys --- */

#define ENG_LOCAL_WRITE		BIT(0)
#define ENG_REMOTE_WRITE	BIT(1)
#define ENG_REMOTE_READ		BIT(2)
#define ENG_REMOTE_ATOMIC	BIT(3)
#define ENG_BIND		BIT(4)	/* of a memory window */

#define ENG_ANY_QPN		0xffffffU

/*
 * A memory window is a key without memory. A work request binds it to a part of the
 * memory of another key, which is looked up for each use.
 */
struct eng_key {
	u32 key;		/* index << 8 | variant */
	u32 pdn;
	bool window;
	bool dead;		/* or suspended; written under no lock */
	u32 access;		/* ENG_LOCAL_WRITE and so on */
	u64 start;
	struct eng_mem mem;

	eng_lock_t lock;
	/* protected by lock, with key, access and start; of a window */
	bool bound;
	u32 qpn;		/* that may use it; or ENG_ANY_QPN */
	u32 target;		/* the other key */
	u64 target_start;	/* address in its space */
	u64 length;
};

/* The caller has filled in @key, up to mem; a window has key and pdn only. */
int eng_key_add(struct eng *eng, struct eng_key *key);
void eng_key_del(struct eng *eng, struct eng_key *key);
/*
 * No worker uses @key from the next epoch on. Then pdn and access may change,
 * until it is used again.
 */
void eng_key_suspend(struct eng_key *key);
void eng_key_resume(struct eng_key *key);

/* --- Completion queues --- */

struct eng_cq_attr {
	struct eng_mem ring;	/* aligned to its entries */
	__be32 *record;		/* {consumer index, arming}; 8 B aligned */
	u32 entries;		/* a power of 2 */
	u8 entry_shift;		/* 6 or 7 */
	bool events;		/* it can be armed */
};

struct eng_cq {
	struct eng_worker *worker;
	struct list_head link;	/* in worker->cqs */

	eng_lock_t lock;	/* protects all below */
	struct eng_cq_attr attr;
	u64 produced;
	u64 consumed;		/* as last read from the record */
	u64 solicited;		/* produced, after the last solicited entry */
	u64 reported;		/* produced, at the last event */
	/* reported, if the next event may be for any completion */
	u64 any_after;
	u64 armed_at;		/* produced, where the consumer was for @armed */
	u64 completed;		/* produced, after the last entry of a completion */
	struct eng_worker *touched; /* who has it in its list, at least */
	u32 least;		/* completions that an event is for, */
	u64 period;		/* or nanoseconds that it comes late; 0: neither */
	u64 due;		/* of the event that waits for either; 0: none */
	u32 armed;		/* word of the record, as last read */
	u8 sequence;		/* events so far, modulo 4 */
	bool overrun;
	bool dead;
};

void eng_cq_add(struct eng_worker *worker, struct eng_cq *cq,
		const struct eng_cq_attr *attr);
/*
 * Move to another ring. The last entry of the old one says so.
 * Return: 0, or -EINVAL if the entries that were not consumed do not fit.
 */
int eng_cq_resize(struct eng_cq *cq, const struct eng_mem *ring, u32 entries,
		  u8 entry_shift);
/*
 * Raise events for @least completions, or @period nanoseconds after the first one was
 * seen; at once if either is 0.
 */
void eng_cq_moderate(struct eng_cq *cq, u32 least, u64 period);
void eng_cq_del(struct eng_cq *cq);

/* --- Shared receive queues --- */

struct eng_srq_attr {
	struct eng_mem ring;
	__be32 *record;		/* {number of requests posted} */
	u32 entries;		/* a power of 2, at most 32768 */
	u8 entry_shift;
	u32 pdn;
	/* If it is of an XRC domain: */
	struct eng_cq *cq;	/* otherwise NULL */
	u32 srqn;
	u32 xrcdn;
	u32 user_index;		/* in completions */
};

struct eng_srq {
	struct eng *eng;
	struct eng_srq_attr attr;

	eng_lock_t lock;	/* protects all below */
	u16 popped;
	u16 head;		/* index of the next request */
	u16 limit;		/* event if fewer are left; 0: none */
	bool broken;
};

/* -EINVAL or -ENOMEM, if it is of an XRC domain. */
int eng_srq_add(struct eng *eng, struct eng_srq *srq,
		const struct eng_srq_attr *attr);
void eng_srq_arm(struct eng_srq *srq, u16 limit);
u16 eng_srq_limit(struct eng_srq *srq);
void eng_srq_del(struct eng_srq *srq);

/* --- Queue pairs --- */

/*
 * An XRC_INI has a send queue only, an XRC_TGT none at all: each of its peer's
 * requests names an SRQ of the same XRC domain, which gives PD and CQ, too.
 */
enum eng_qp_type { ENG_RC, ENG_XRC_INI, ENG_XRC_TGT, ENG_UC, ENG_UD };

enum eng_qp_state {
	ENG_RESET,
	ENG_INIT,
	ENG_RTR,
	ENG_RTS,
	ENG_SQD,
	ENG_SQE,
	ENG_ERR,
};

/* Fixed at creation. */
struct eng_qp_init {
	enum eng_qp_type type;
	u32 qpn;
	u32 pdn;
	u32 user_index;		/* in completions */
	struct eng_mem ring;	/* receive queue, then send queue */
	__be32 *record;		/* {receive, send} producers; 8 B aligned */
	u64 sq_offset;		/* in ring */
	u32 sq_entries;		/* basic blocks; a power of 2 up to 32768, or 0 */
	u32 rq_entries;		/* a power of 2 up to 32768, or 0 */
	u8 rq_shift;
	bool sig_all;		/* signal each send request */
	struct eng_cq *send_cq;
	struct eng_cq *recv_cq;
	struct eng_srq *srq;	/* or NULL */
	u32 xrcdn;		/* of an XRC_TGT */
	u32 net;		/* whose groups a UD joins and sends to */
	u32 owner;		/* of the addresses at which a UD can be reached */
};

#define ENG_QP_STATE		BIT(0)
#define ENG_QP_PEER		BIT(1)	/* dest_qpn, sgid and dgid */
#define ENG_QP_ACCESS		BIT(2)
#define ENG_QP_QKEY		BIT(3)
#define ENG_QP_SQ_PSN		BIT(4)
#define ENG_QP_RQ_PSN		BIT(5)
#define ENG_QP_MTU		BIT(6)
#define ENG_QP_TIMEOUT		BIT(7)
#define ENG_QP_RETRY		BIT(8)
#define ENG_QP_RNR_RETRY	BIT(9)
#define ENG_QP_MIN_RNR		BIT(10)
#define ENG_QP_DRAIN_EVENT	BIT(11)

struct eng_qp_attr {
	enum eng_qp_state state;
	u32 dest_qpn;
	u64 sgid[2];		/* compared only */
	u64 dgid[2];
	u32 access;		/* ENG_REMOTE_*, for a peer's requests */
	u32 qkey;
	u32 sq_psn;
	u32 rq_psn;
	u32 mtu;		/* bytes */
	u8 timeout;		/* 4.096 us << timeout; 0: never */
	u8 retry;
	u8 rnr_retry;		/* 7: forever */
	u8 min_rnr;		/* code of the time that a sender waits */
	bool drain_event;
	bool draining;		/* result of a query */
};

#define ENG_NO_RETRY	0xff

enum eng_qp_place {
	ENG_PLACE_NONE,
	ENG_PLACE_READY,
	ENG_PLACE_WAITING,	/* for qp->deadline */
	ENG_PLACE_RNR,		/* the same, or for a receive of the peer */
	ENG_PLACE_ERROR,
};

struct eng_qp {
	struct eng *eng;
	struct eng_worker *worker;
	struct eng_qp_init init;
	enum eng_qp_type peer_type;

	eng_lock_t send;
	/* protected by send: */
	u16 sq_head;		/* blocks consumed */
	u64 done;		/* bytes of the current message */
	u64 peer_life;		/* of the peer that has had them */
	u64 begun_length;	/* of a request that is not complete */
	u8 begun_code;		/* its operation */
	__be32 begun_imm;	/* with the key to invalidate */
	u8 retries;		/* left, or ENG_NO_RETRY after the last one */
	u8 rnr_retries;		/* left */
	u64 deadline;		/* of a wait; 0: none */
	u64 retiring;		/* epoch that the current request waits for */
	bool rnr_wait;

	eng_lock_t recv;
	/* protected by recv, read under either: */
	enum eng_qp_state state;
	bool dead;
	/* protected by both, read under either: */
	struct eng_qp_attr attr;
	/* protected by recv: */
	u64 life;		/* epoch of the last reset, unique */
	u16 rq_head;
	u32 srqn;		/* of an XRC_TGT: that was named last */
	u16 srq_index;		/* of the request in use */
	bool srq_busy;		/* srq_index is valid */
	bool communicated;	/* a message arrived in RTR */
	bool last_wqe;		/* the event was raised */

	/* protected by worker->lock, without which eng_ring_qp() reads place: */
	struct list_head all;
	struct list_head entry;
	u32 timer;		/* index in worker->timers + 1, or 0 */
	enum eng_qp_place place;
	u64 error_life;		/* in which it was last seen in error state */
};

/* -EINVAL for a number that no QP can have, or -ENOMEM. */
int eng_qp_add(struct eng_worker *worker, struct eng_qp *qp,
	       const struct eng_qp_init *init);
/*
 * @mask has the members of @attr to be set. The caller has checked the transition
 * from the state @from; -EAGAIN if the state is another one by now.
 */
int eng_qp_modify(struct eng_qp *qp, enum eng_qp_state from,
		  const struct eng_qp_attr *attr, u32 mask);
void eng_qp_query(struct eng_qp *qp, struct eng_qp_attr *attr);
/* @qp is in no multicast group. */
void eng_qp_del(struct eng_qp *qp);

/* --- Multicast --- */

#define ENG_MULTICAST_QPN	0xffffffU

/*
 * Let a UD QP have what is sent to a group of its network: -EEXIST, -ENOSPC or
 * -ENOMEM.
 */
int eng_group_join(struct eng_qp *qp, const u8 gid[16]);
/* Return: 0, or -ENOENT if it has not joined. */
int eng_group_leave(struct eng_qp *qp, const u8 gid[16]);

#endif /* ENG_ENGINE_H */
