/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that attacks its vNIC. One thread is a driver: it starts the device
 * and sends requests, most of which are well-formed. All others sabotage it, at
 * any time. The device gets no address of this guest's memory for writing but
 * those in the arena, so the guest itself survives.
 */
#ifndef MALGUEST_H
#define MALGUEST_H

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/virtio_ring.h>

#include <hyv/wire.h>

/* Descriptors of a queue, unless sabotaged */
#define MAL_RING_SIZE		128
#define MAL_QUEUES		(HYV_VQ_EVENT0 + HYV_MAX_EVENT_QUEUES)

/* The arena: rings, slots for requests, the doorbell area, memory for MRs */
#define MAL_ARENA_ORDER		10
#define MAL_ARENA_SIZE		(PAGE_SIZE << MAL_ARENA_ORDER)
#define MAL_RING_STRIDE		SZ_32K
#define MAL_SLOTS		(MAL_RING_SIZE / MAL_DESCS)
#define MAL_DESCS		4	/* descriptors of a slot */
#define MAL_SLOTS_AT		(MAL_QUEUES * MAL_RING_STRIDE)
#define MAL_SLOT_STRIDE		SZ_32K
#define MAL_SLOT_REPLY		SZ_16K
#define MAL_DOORBELLS_AT	(MAL_SLOTS_AT + MAL_SLOTS * MAL_SLOT_STRIDE)
#define MAL_DOORBELLS_SIZE	SZ_64K
#define MAL_MEMORY_AT		(MAL_DOORBELLS_AT + MAL_DOORBELLS_SIZE)

#define MAL_HANDLES		8

/* Longest time that a reset may take */
#define MAL_RESET_SECONDS	60

/* Parts of a queue's ring, from its start */
#define MAL_AVAIL_AT		SZ_16K
#define MAL_USED_AT		(SZ_16K + SZ_4K)

/* As in virtio_ring.h, for a little-endian machine: these are all attacked. */
struct mal_desc {
	u64 addr;
	u32 len;
	u16 flags;
	u16 next;
};

struct mal_avail {
	u16 flags;
	u16 idx;
	u16 ring[];
};

struct mal_dev {
	struct pci_dev *pdev;
	struct pci_dev *bridge;		/* the host bridge of QEMU's q35, or NULL */
	void __iomem *regs;		/* of the BAR with virtio's registers */
	resource_size_t regs_len;
	u32 common, config, isr, notify;	/* offsets in regs */
	u32 config_len, notify_len, notify_mult;
	int cfg_cap;			/* access to BARs by configuration space */
	void __iomem *msix;		/* table of vectors */
	unsigned int nr_vectors;
	u64 bars[PCI_STD_NUM_BARS];	/* addresses */

	u8 *arena;
	u64 arena_addr;			/* guest-physical */
	u64 ram_size;			/* about */

	/* Protects the available ring of the control queue. */
	spinlock_t ring_lock;
	u16 avail;			/* under ring_lock */

	/* Held while the PCI device cannot be used as found. */
	struct mutex pci_lock;
	u32 header[16];			/* as found, and so on */
	u16 msix_control, pcie_control;
	u8 pam;				/* a register of bridge */
	u32 *table;			/* copy of msix */

	/* Contents of replies; read and written without a lock */
	u32 handles[HYV_OBJ_TYPES][MAL_HANDLES];
	struct {
		u64 offset;
		u32 length;
	} queues[MAL_HANDLES];		/* of the HCA's driver, to map */
	u32 max_request;
	u16 nr_event_queues;

	atomic64_t requests, replies, successes;
	atomic_t starts, failures, resets, interrupts;
};

struct mal_thread {
	struct mal_dev *dev;
	struct task_struct *task;
	struct rnd_state rnd;
	unsigned long end, last_end;	/* jiffies; the latter for slow machines */
	unsigned int slow_factor;		/* factor for waits */
	u64 operations;
};

/* Something to do to the device */
struct mal_act {
	const char *name;
	bool (*commit)(struct mal_thread *t);	/* was it possible? */
	unsigned int weight;
	atomic_t tries;
	atomic_t count;			/* how often it was done */
};

static inline u32 mal_rnd(struct mal_thread *t)
{
	return prandom_u32_state(&t->rnd);
}

/* below @n, which is not 0 */
static inline u32 mal_below(struct mal_thread *t, u32 n)
{
	return mal_rnd(t) % n;
}

static inline bool mal_once_in(struct mal_thread *t, u32 n)
{
	return !mal_below(t, n);
}

/* device.c */
int mal_dev_open(struct mal_dev *dev, struct pci_dev *pdev);
void mal_dev_close(struct mal_dev *dev);
/* Write 0 to the status; wait until it reads as 0 if @wait. */
bool mal_reset(struct mal_dev *dev, bool wait);
void mal_notify(struct mal_dev *dev, u16 queue);
u64 mal_arena(struct mal_dev *dev, u32 offset);
struct mal_desc *mal_descs(struct mal_dev *dev, u16 queue);
struct mal_avail *mal_avail(struct mal_dev *dev, u16 queue);
/*
 * An address that is not RAM, even if another thread has written one half of the
 * register.
 */
u64 mal_bad_address(struct mal_thread *t);
/* Not if it changes part of the address of a ring */
bool mal_may_write(struct mal_dev *dev, u32 at, u32 len);
/* An address for a ring or a buffer that the device may write */
u64 mal_address(struct mal_thread *t);
/* Common: registers of virtio's common configuration, by offset */
void mal_common16(struct mal_dev *dev, u32 reg, u16 value);
void mal_common64(struct mal_dev *dev, u32 reg, u64 value);
u8 mal_status(struct mal_dev *dev);
void mal_set_status(struct mal_dev *dev, u8 status);

/* driver.c */
void mal_drive(struct mal_thread *t);

/* request.c: make a request of @t's choice; returns its length */
u32 mal_request(struct mal_thread *t, u8 *buf, u32 *reply_len);
/* A request for the doorbell area */
u32 mal_request_doorbells(struct mal_thread *t, u8 *buf, u32 *reply_len);
/* Learn from a reply to a request */
void mal_reply(struct mal_thread *t, const u8 *request, const u8 *reply);

/* sabotage.c: do one thing */
void mal_sabotage(struct mal_thread *t);
/* One of @nr acts: at first often one that was not done yet; by weight */
void mal_commit(struct mal_thread *t, struct mal_act *acts, unsigned int nr);
/* Was each act done, or tried so often that it is not possible? */
bool mal_acts_done(const struct mal_act *acts, unsigned int nr);
bool mal_sabotage_done(void);
/* Log the acts and their counts. */
void mal_report_acts(const struct mal_act *acts, unsigned int nr);
void mal_report(void);

/* sabotage_pci.c: the same below virtio */
int mal_pci_save(struct mal_dev *dev);
void mal_pci_forget(struct mal_dev *dev);
void mal_pci_restore(struct mal_dev *dev);
bool mal_pci_sabotage(struct mal_thread *t);
bool mal_pci_done(void);
void mal_pci_report(void);

#endif /* MALGUEST_H */
