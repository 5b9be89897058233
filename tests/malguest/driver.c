// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part that keeps the device going: starts it and sends requests. It only
 * gets somewhere because the sabotage takes breaks.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>

#include "malguest.h"

#define MAL_REPLY_US		20000
#define MAL_BATCHES		12
#define MAL_EVENT_BUFFERS	64
#define MAL_PENDING		0xa5	/* in a reply that has not come */

static u8 *slot_at(struct mal_dev *dev, unsigned int slot)
{
	return dev->arena + MAL_SLOTS_AT + slot * MAL_SLOT_STRIDE;
}

static u64 slot_addr(struct mal_dev *dev, unsigned int slot)
{
	return mal_arena(dev, MAL_SLOTS_AT + slot * MAL_SLOT_STRIDE);
}

/* Returns the features that the driver accepts. */
static u64 choose_features(struct mal_thread *t)
{
	void __iomem *common = t->dev->regs + t->dev->common;
	u64 features = 0;
	int i;

	for (i = 1; i >= 0; i--) {
		iowrite32(i, common + VIRTIO_PCI_COMMON_DFSELECT);
		features = features << 32 |
			   ioread32(common + VIRTIO_PCI_COMMON_DF);
	}
	if (mal_once_in(t, 2))
		features &= ~(1ULL << VIRTIO_RING_F_EVENT_IDX);
	if (mal_once_in(t, 16))
		features &= ~(1ULL << mal_below(t, 64));
	if (mal_once_in(t, 32))
		features |= 1ULL << mal_below(t, 64);
	return features;
}

static void set_features(struct mal_dev *dev, u64 features)
{
	void __iomem *common = dev->regs + dev->common;
	int i;

	for (i = 0; i < 2; i++) {
		iowrite32(i, common + VIRTIO_PCI_COMMON_GFSELECT);
		iowrite32(features >> 32 * i, common + VIRTIO_PCI_COMMON_GF);
	}
}

static void read_config(struct mal_dev *dev)
{
	void __iomem *config = dev->regs + dev->config;
	u16 nr = ioread16(config + offsetof(struct hyv_config,
					    nr_event_queues));
	u32 max = ioread32(config + offsetof(struct hyv_config, max_request));

	/* Anything can come while the device is reset or its BAR is off. */
	dev->nr_event_queues = clamp_t(u16, nr, 1, HYV_MAX_EVENT_QUEUES);
	dev->max_request = clamp_t(u32, max, SZ_4K, SZ_64K);
}

/* Make the buffers of an event queue available. */
static void arm_event_queue(struct mal_thread *t, u16 queue)
{
	struct mal_dev *dev = t->dev;
	struct mal_desc *desc = mal_descs(dev, queue);
	struct mal_avail *avail = mal_avail(dev, queue);
	bool bad = mal_once_in(t, 6);
	unsigned int i;

	for (i = 0; i < MAL_EVENT_BUFFERS; i++) {
		desc[i].addr = bad ? mal_address(t) :
			       mal_arena(dev, MAL_MEMORY_AT + i * SZ_1K);
		desc[i].len = bad ? mal_rnd(t) >> mal_below(t, 32) : 32;
		desc[i].flags = bad ? mal_below(t, 8) : VRING_DESC_F_WRITE;
		desc[i].next = bad ? mal_rnd(t) : 0;
		avail->ring[i] = i;
	}
	avail->flags = 0;
	smp_wmb(); /* the index after what it announces */
	WRITE_ONCE(avail->idx, MAL_EVENT_BUFFERS);
}

static void set_up_queue(struct mal_thread *t, u16 queue)
{
	struct mal_dev *dev = t->dev;
	u32 ring = queue * MAL_RING_STRIDE;
	u16 max;

	mal_common16(dev, VIRTIO_PCI_COMMON_Q_SELECT, queue);
	max = ioread16(dev->regs + dev->common + VIRTIO_PCI_COMMON_Q_SIZE);
	memset(dev->arena + ring, 0, MAL_RING_STRIDE);
	if (queue >= HYV_VQ_EVENT0)
		arm_event_queue(t, queue);
	if (mal_once_in(t, 20))
		max = 1 << mal_below(t, 11);
	mal_common16(dev, VIRTIO_PCI_COMMON_Q_SIZE,
		     min_t(u16, max, MAL_RING_SIZE));
	mal_common16(dev, VIRTIO_PCI_COMMON_Q_MSIX,
		     mal_once_in(t, 20) ? mal_rnd(t) :
		     1 + queue % (dev->nr_vectors ?: 1));
	mal_common64(dev, VIRTIO_PCI_COMMON_Q_DESCLO,
		     mal_once_in(t, 40) ? mal_address(t) :
		     mal_arena(dev, ring));
	mal_common64(dev, VIRTIO_PCI_COMMON_Q_AVAILLO,
		     mal_once_in(t, 40) ? mal_address(t) :
		     mal_arena(dev, ring + MAL_AVAIL_AT));
	mal_common64(dev, VIRTIO_PCI_COMMON_Q_USEDLO,
		     mal_once_in(t, 40) ? mal_address(t) :
		     mal_arena(dev, ring + MAL_USED_AT));
	if (!mal_once_in(t, 40))
		mal_common16(dev, VIRTIO_PCI_COMMON_Q_ENABLE, 1);
}

/* Give the device a request in a slot. */
static void submit(struct mal_thread *t, unsigned int slot, u32 len,
		   u32 reply_len)
{
	struct mal_dev *dev = t->dev;
	unsigned int head = slot * MAL_DESCS, nr = 1, i;
	struct mal_desc *desc = mal_descs(dev, HYV_VQ_CONTROL) + head;
	struct mal_avail *avail = mal_avail(dev, HYV_VQ_CONTROL);
	u64 addr = slot_addr(dev, slot);
	u32 first = len;

	if (mal_once_in(t, 3) && len > 1) {
		first = 1 + mal_below(t, len - 1);
		nr = 2;
	}
	desc[0] = (struct mal_desc){ .addr = addr, .len = first };
	desc[1] = (struct mal_desc){
		.addr = addr + first, .len = len - first,
	};
	desc[nr] = (struct mal_desc){
		.addr = addr + MAL_SLOT_REPLY, .len = reply_len,
		.flags = VRING_DESC_F_WRITE,
	};
	for (i = 0; i < nr; i++) {
		desc[i].flags = VRING_DESC_F_NEXT;
		desc[i].next = head + i + 1;
	}
	memset(slot_at(dev, slot) + MAL_SLOT_REPLY, MAL_PENDING,
	       sizeof(struct hyv_rsp));
	spin_lock(&dev->ring_lock);
	avail->ring[dev->avail % MAL_RING_SIZE] = head;
	smp_wmb(); /* the index after what it announces */
	WRITE_ONCE(avail->idx, ++dev->avail);
	spin_unlock(&dev->ring_lock);
	atomic64_inc(&dev->requests);
}

/* Wait a little for the reply in a slot. */
static void await(struct mal_thread *t, unsigned int slot)
{
	u8 *reply = slot_at(t->dev, slot) + MAL_SLOT_REPLY;
	ktime_t end = ktime_add_us(ktime_get(),
				   (u64)MAL_REPLY_US * t->slow_factor);

	while (READ_ONCE(*reply) == MAL_PENDING) {
		if (ktime_after(ktime_get(), end))
			return;
		usleep_range(50, 100);
	}
	smp_rmb(); /* the rest after the status, as far as it matters here */
	mal_reply(t, slot_at(t->dev, slot), reply);
}

static void send(struct mal_thread *t, unsigned int slots)
{
	unsigned int slot;
	u32 len, reply_len;

	for (slot = 0; slot < slots; slot++) {
		len = mal_request(t, slot_at(t->dev, slot), &reply_len);
		submit(t, slot, len, reply_len);
		if (mal_once_in(t, 2))
			mal_notify(t->dev, HYV_VQ_CONTROL);
	}
	mal_notify(t->dev, HYV_VQ_CONTROL);
	for (slot = 0; slot < slots; slot++)
		await(t, slot);
	t->operations += slots;
}

static void start(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u8 status = VIRTIO_CONFIG_S_ACKNOWLEDGE;
	unsigned int i;

	mal_set_status(dev, status);
	status |= VIRTIO_CONFIG_S_DRIVER;
	mal_set_status(dev, status);
	set_features(dev, choose_features(t));
	status |= VIRTIO_CONFIG_S_FEATURES_OK;
	if (!mal_once_in(t, 40))
		mal_set_status(dev, status);
	read_config(dev);
	mal_common16(dev, VIRTIO_PCI_COMMON_MSIX, 0);
	spin_lock(&dev->ring_lock);
	dev->avail = 0;
	spin_unlock(&dev->ring_lock);
	memset(dev->handles, 0, sizeof(dev->handles));
	for (i = 0; i < HYV_VQ_EVENT0 + dev->nr_event_queues; i++)
		set_up_queue(t, i);
	mal_set_status(dev, status | VIRTIO_CONFIG_S_DRIVER_OK);
	atomic_inc(&dev->starts);
	for (i = 0; i < dev->nr_event_queues; i++)
		mal_notify(dev, HYV_VQ_EVENT0 + i);
}

void mal_drive(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	unsigned int i;
	u32 reply_len;

	start(t);
	if (!mal_once_in(t, 4)) {
		memset(dev->arena + MAL_DOORBELLS_AT, 0, MAL_DOORBELLS_SIZE);
		submit(t, 0, mal_request_doorbells(t, slot_at(dev, 0),
						   &reply_len), reply_len);
		mal_notify(dev, HYV_VQ_CONTROL);
		await(t, 0);
	}
	for (i = mal_below(t, MAL_BATCHES); i; i--) {
		if (mal_status(dev) & VIRTIO_CONFIG_S_NEEDS_RESET) {
			atomic_inc(&dev->failures);
			break;
		}
		send(t, mal_once_in(t, 4) ? MAL_SLOTS : 1 + mal_below(t, 4));
	}
	/* Sometimes the next start comes while the reset is under way. */
	mal_reset(dev, !mal_once_in(t, 8));
	t->operations++;
}
