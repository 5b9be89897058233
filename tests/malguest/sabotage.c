// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disturbances of the virtio device, at any time.
 */
#include <linux/delay.h>
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>

#include "malguest.h"

#define MAL_STORM		200
#define MAL_REST_MS		300
/* An act that is not possible then may never be. */
#define MAL_TRIES		5

static u16 any_queue(struct mal_thread *t)
{
	return mal_once_in(t, 20) ? mal_rnd(t) :
	       mal_below(t, HYV_VQ_EVENT0 + t->dev->nr_event_queues);
}

/* One with memory of its own */
static u16 real_queue(struct mal_thread *t)
{
	return any_queue(t) % MAL_QUEUES;
}

/*
 * Write to memory that the device uses, a few bytes or many. A descriptor stays
 * in the arena, or leads out of RAM.
 */
static bool scribble(struct mal_thread *t)
{
	u32 start = mal_once_in(t, 2) ? real_queue(t) * MAL_RING_STRIDE :
		    MAL_SLOTS_AT + mal_below(t, MAL_SLOTS) * MAL_SLOT_STRIDE;
	u32 at = start + mal_below(t, MAL_RING_STRIDE);
	u32 nr = 1 + mal_below(t, mal_once_in(t, 10) ? 4096 : 8);

	for (; nr; nr--, at++) {
		bool desc = at < MAL_SLOTS_AT &&
			    at % MAL_RING_STRIDE < MAL_AVAIL_AT;
		u32 byte = at % sizeof(struct mal_desc);

		if (!desc || (byte != 2 && byte != 3))
			t->dev->arena[at] = mal_rnd(t);
	}
	return true;
}

/*
 * Links that loop, lead out of the table or nowhere; tables in tables; lengths
 * and addresses out of bounds
 */
static void make_descriptor(struct mal_thread *t, struct mal_desc *desc)
{
	desc->addr = mal_address(t);
	desc->len = mal_once_in(t, 3) ? mal_rnd(t) >> mal_below(t, 32) :
		    sizeof(*desc) * mal_below(t, 64);
	desc->flags = mal_once_in(t, 10) ? mal_rnd(t) : mal_below(t, 8);
	desc->next = mal_once_in(t, 10) ? mal_rnd(t) :
		     mal_below(t, MAL_RING_SIZE);
}

static bool offer_chain(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u16 queue = mal_once_in(t, 3) ? real_queue(t) : HYV_VQ_CONTROL;
	struct mal_avail *avail = mal_avail(dev, queue);
	struct mal_desc *desc = mal_descs(dev, queue), *table;
	u32 at = mal_below(t, SZ_256K) & ~15;
	unsigned int i, nr = 1 + mal_below(t, 40);
	u16 head = mal_below(t, MAL_RING_SIZE);

	table = (void *)(dev->arena + MAL_MEMORY_AT + at);
	for (i = 0; i < nr; i++)
		make_descriptor(t, &table[i]);
	if (mal_once_in(t, 2)) {
		desc[head] = (struct mal_desc){
			.addr = mal_arena(dev, MAL_MEMORY_AT + at),
			.len = nr * sizeof(*table),
			.flags = VRING_DESC_F_INDIRECT,
		};
	} else {
		for (i = 0; i < nr; i++)
			desc[(head + i) % MAL_RING_SIZE] = table[i];
	}
	if (mal_once_in(t, 20))
		head = mal_rnd(t);
	spin_lock(&dev->ring_lock);
	avail->ring[READ_ONCE(avail->idx) % MAL_RING_SIZE] = head;
	smp_wmb(); /* the index after what it announces */
	if (queue == HYV_VQ_CONTROL)
		WRITE_ONCE(avail->idx, ++dev->avail);
	else
		WRITE_ONCE(avail->idx, READ_ONCE(avail->idx) + 1);
	spin_unlock(&dev->ring_lock);
	mal_notify(dev, queue);
	return true;
}

static bool jump(struct mal_thread *t)
{
	u16 queue = real_queue(t);
	struct mal_avail *avail = mal_avail(t->dev, queue);
	u16 by = mal_rnd(t) >> mal_below(t, 16);

	WRITE_ONCE(avail->idx, READ_ONCE(avail->idx) + by);
	mal_notify(t->dev, queue);
	return true;
}

static bool storm(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u32 nr = mal_below(t, MAL_STORM), at;
	u16 queue = any_queue(t);

	while (nr--) {
		mal_notify(dev, queue);
		if (!mal_once_in(t, 8))
			continue;
		at = dev->notify + mal_below(t, dev->notify_len - 4);
		iowrite32(mal_rnd(t), dev->regs + at);
	}
	return true;
}

static bool set_bits(struct mal_thread *t)
{
	u8 *area = t->dev->arena + MAL_DOORBELLS_AT;
	u32 nr = 1 + mal_below(t, 64);
	u32 span = mal_once_in(t, 3) ? MAL_DOORBELLS_SIZE : SZ_4K;

	if (mal_once_in(t, 30))
		memset(area, mal_rnd(t), MAL_DOORBELLS_SIZE);
	while (nr--)
		area[mal_below(t, span)] = mal_rnd(t);
	mal_notify(t->dev, HYV_VQ_DOORBELL);
	return true;
}

/* Any register of the BAR, by any width, aligned or not */
static bool touch(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u32 at = mal_once_in(t, 4) ? mal_below(t, dev->regs_len) :
		 mal_once_in(t, 2) ? dev->config + mal_below(t, 80) :
		 dev->common + mal_below(t, 64);
	u32 width = mal_below(t, 4);
	void __iomem *reg;

	if (!mal_once_in(t, 4))
		at &= ~((1 << width) - 1);
	at = min_t(u32, at, dev->regs_len - sizeof(u64));
	reg = dev->regs + at;
	if (mal_once_in(t, 2) || !mal_may_write(dev, at, sizeof(u64))) {
		ioread8(reg);
		ioread16(reg);
		ioread32(reg);
		readq(reg);
		return true;
	}
	switch (width) {
	case 0:
		iowrite8(mal_rnd(t), reg);
		break;
	case 1:
		iowrite16(mal_rnd(t) >> mal_below(t, 32), reg);
		break;
	case 2:
		iowrite32(mal_rnd(t) >> mal_below(t, 32), reg);
		break;
	default:
		writeq((u64)mal_rnd(t) << 32 | mal_rnd(t), reg);
		break;
	}
	return true;
}

/* Change a queue that may be running. */
static bool change_queue(struct mal_thread *t)
{
	static const u32 addresses[] = {
		VIRTIO_PCI_COMMON_Q_DESCLO, VIRTIO_PCI_COMMON_Q_AVAILLO,
		VIRTIO_PCI_COMMON_Q_USEDLO,
	};
	struct mal_dev *dev = t->dev;
	u16 size = mal_once_in(t, 2) ? 1 << mal_below(t, 16) : mal_rnd(t);

	mal_common16(dev, VIRTIO_PCI_COMMON_Q_SELECT, any_queue(t));
	switch (mal_below(t, 5)) {
	case 0:
		mal_common16(dev, VIRTIO_PCI_COMMON_Q_SIZE, size);
		break;
	case 1:
		mal_common16(dev, mal_once_in(t, 4) ? VIRTIO_PCI_COMMON_MSIX :
			     VIRTIO_PCI_COMMON_Q_MSIX, mal_once_in(t, 2) ?
			     mal_below(t, dev->nr_vectors + 2) : mal_rnd(t));
		break;
	case 2:
		mal_common16(dev, VIRTIO_PCI_COMMON_Q_ENABLE, mal_below(t, 3));
		break;
	default:
		mal_common64(dev, addresses[mal_below(t, 3)], mal_address(t));
		break;
	}
	if (mal_once_in(t, 2))
		mal_common16(dev, VIRTIO_PCI_COMMON_Q_ENABLE, 1);
	return true;
}

static bool reset_queue(struct mal_thread *t)
{
	/* not in the headers of 6.1: queue_reset, the last register */
	const u32 queue_reset = sizeof(struct virtio_pci_common_cfg) + 2;

	mal_common16(t->dev, VIRTIO_PCI_COMMON_Q_SELECT, any_queue(t));
	mal_common16(t->dev, queue_reset, 1);
	mal_common16(t->dev, VIRTIO_PCI_COMMON_Q_ENABLE, 1);
	return true;
}

static bool change_status(struct mal_thread *t)
{
	u8 status = mal_once_in(t, 2) ? mal_rnd(t) :
		    mal_status(t->dev) ^ 1 << mal_below(t, 8);

	mal_set_status(t->dev, status);
	return true;
}

static bool change_features(struct mal_thread *t)
{
	void __iomem *common = t->dev->regs + t->dev->common;

	iowrite32(mal_below(t, 4), common + VIRTIO_PCI_COMMON_GFSELECT);
	iowrite32(mal_rnd(t), common + VIRTIO_PCI_COMMON_GF);
	change_status(t);
	return true;
}

static bool reset(struct mal_thread *t)
{
	mal_reset(t->dev, false);
	return true;
}

void mal_commit(struct mal_thread *t, struct mal_act *acts, unsigned int nr)
{
	struct mal_act *act = NULL;
	unsigned int sum = 0, i;

	if (mal_once_in(t, 2))
		for (i = 0; i < nr && !act; i++)
			if (!atomic_read(&acts[i].count) &&
			    atomic_read(&acts[i].tries) < MAL_TRIES)
				act = &acts[i];
	if (!act) {
		for (i = 0; i < nr; i++)
			sum += acts[i].weight;
		sum = mal_below(t, sum);
		for (act = acts; sum >= act->weight; act++)
			sum -= act->weight;
	}
	atomic_inc(&act->tries);
	if (act->commit(t))
		atomic_inc(&act->count);
}

bool mal_acts_done(const struct mal_act *acts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!atomic_read(&acts[i].count) &&
		    atomic_read(&acts[i].tries) < MAL_TRIES)
			return false;
	return true;
}

void mal_report_acts(const struct mal_act *acts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		pr_info("act %s %d\n", acts[i].name,
			atomic_read(&acts[i].count));
}

static struct mal_act acts[] = {
	{ "scribble", scribble, 20 },
	{ "bits", set_bits, 15 },
	{ "storm", storm, 10 },
	{ "touch", touch, 12 },
	{ "chain", offer_chain, 8 },
	{ "jump", jump, 2 },
	{ "queue", change_queue, 5 },
	{ "queue-reset", reset_queue, 1 },
	{ "status", change_status, 1 },
	{ "features", change_features, 1 },
	{ "reset", reset, 2 },
	{ "pci", mal_pci_sabotage, 10 },
};

void mal_sabotage(struct mal_thread *t)
{
	mal_commit(t, acts, ARRAY_SIZE(acts));
	t->operations++;
	/* Let the driver get somewhere, once in a while with many requests. */
	usleep_range(50, 100 << mal_below(t, 8));
	if (mal_once_in(t, 50))
		msleep_interruptible(MAL_REST_MS);
}

bool mal_sabotage_done(void)
{
	return mal_acts_done(acts, ARRAY_SIZE(acts)) && mal_pci_done();
}

void mal_report(void)
{
	mal_report_acts(acts, ARRAY_SIZE(acts));
	mal_pci_report();
}
