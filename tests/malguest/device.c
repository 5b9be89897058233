// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtio PCI device, without the help of the virtio core.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>

#include "malguest.h"

/* Find the structure of a type; returns its capability, or 0 */
static int find_cap(struct pci_dev *pdev, u8 type, u8 *bar, u32 *offset,
		    u32 *length)
{
	u8 found;
	int pos;

	for (pos = pci_find_capability(pdev, PCI_CAP_ID_VNDR); pos;
	     pos = pci_find_next_capability(pdev, pos, PCI_CAP_ID_VNDR)) {
		pci_read_config_byte(pdev, pos + VIRTIO_PCI_CAP_CFG_TYPE,
				     &found);
		if (found != type)
			continue;
		pci_read_config_byte(pdev, pos + VIRTIO_PCI_CAP_BAR, bar);
		pci_read_config_dword(pdev, pos + VIRTIO_PCI_CAP_OFFSET,
				      offset);
		pci_read_config_dword(pdev, pos + VIRTIO_PCI_CAP_LENGTH,
				      length);
		return pos;
	}
	return 0;
}

/* All structures must be in one BAR, as with QEMU. */
static int map_registers(struct mal_dev *dev)
{
	struct pci_dev *pdev = dev->pdev;
	u8 common, config, isr, notify, any;
	u32 length;
	int cap;

	if (!find_cap(pdev, VIRTIO_PCI_CAP_COMMON_CFG, &common, &dev->common,
		      &length) ||
	    !find_cap(pdev, VIRTIO_PCI_CAP_DEVICE_CFG, &config, &dev->config,
		      &dev->config_len) ||
	    !find_cap(pdev, VIRTIO_PCI_CAP_ISR_CFG, &isr, &dev->isr, &length))
		return -ENODEV;
	cap = find_cap(pdev, VIRTIO_PCI_CAP_NOTIFY_CFG, &notify, &dev->notify,
		       &dev->notify_len);
	if (!cap || config != common || isr != common || notify != common)
		return -ENODEV;
	pci_read_config_dword(pdev, cap + VIRTIO_PCI_NOTIFY_CAP_MULT,
			      &dev->notify_mult);
	dev->cfg_cap = find_cap(pdev, VIRTIO_PCI_CAP_PCI_CFG, &any, &length,
				&length);
	dev->regs_len = pci_resource_len(pdev, common);
	dev->regs = pci_iomap(pdev, common, 0);
	return dev->regs ? 0 : -ENOMEM;
}

static irqreturn_t on_interrupt(int irq, void *data)
{
	struct mal_dev *dev = data;

	atomic_inc(&dev->interrupts);
	return IRQ_HANDLED;
}

static void free_vectors(struct mal_dev *dev, unsigned int nr)
{
	while (nr--)
		free_irq(pci_irq_vector(dev->pdev, nr), dev);
	pci_free_irq_vectors(dev->pdev);
}

static int get_vectors(struct mal_dev *dev)
{
	struct pci_dev *pdev = dev->pdev;
	int nr = pci_alloc_irq_vectors(pdev, 1, MAL_QUEUES + 1, PCI_IRQ_MSIX);
	int i, ret;
	u32 table;

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		ret = request_irq(pci_irq_vector(pdev, i), on_interrupt, 0,
				  KBUILD_MODNAME, dev);
		if (ret)
			goto err_free;
	}
	pci_read_config_dword(pdev, pdev->msix_cap + PCI_MSIX_TABLE, &table);
	dev->msix = pci_iomap_range(pdev, table & PCI_MSIX_TABLE_BIR,
				    table & PCI_MSIX_TABLE_OFFSET,
				    nr * PCI_MSIX_ENTRY_SIZE);
	ret = -ENOMEM;
	if (!dev->msix)
		goto err_free;
	dev->nr_vectors = nr;
	return 0;

err_free:
	free_vectors(dev, i);
	return ret;
}

int mal_dev_open(struct mal_dev *dev, struct pci_dev *pdev)
{
	unsigned int i;
	int ret;

	dev->pdev = pdev;
	spin_lock_init(&dev->ring_lock);
	mutex_init(&dev->pci_lock);
	dev->ram_size = PFN_PHYS((u64)totalram_pages());
	dev->arena = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO,
					      MAL_ARENA_ORDER);
	if (!dev->arena)
		return -ENOMEM;
	dev->arena_addr = virt_to_phys(dev->arena);
	/* With what is allocated for interrupts, which an unbound device keeps. */
	ret = -ENOMEM;
	if (!devres_open_group(&pdev->dev, dev, GFP_KERNEL))
		goto err_free;
	ret = pci_enable_device(pdev);
	if (ret)
		goto err_release;
	pci_set_master(pdev);
	for (i = 0; i < PCI_STD_NUM_BARS; i++)
		dev->bars[i] = pci_resource_start(pdev, i);
	ret = map_registers(dev);
	if (ret)
		goto err_disable;
	ret = get_vectors(dev);
	if (ret)
		goto err_unmap;
	ret = mal_pci_save(dev);
	if (ret)
		goto err_free_vectors;
	return 0;

err_free_vectors:
	pci_iounmap(pdev, dev->msix);
	free_vectors(dev, dev->nr_vectors);
err_unmap:
	pci_iounmap(pdev, dev->regs);
err_disable:
	pci_disable_device(pdev);
err_release:
	devres_release_group(&pdev->dev, dev);
err_free:
	free_pages((unsigned long)dev->arena, MAL_ARENA_ORDER);
	return ret;
}

void mal_dev_close(struct mal_dev *dev)
{
	mal_pci_forget(dev);
	pci_iounmap(dev->pdev, dev->msix);
	free_vectors(dev, dev->nr_vectors);
	pci_iounmap(dev->pdev, dev->regs);
	pci_disable_device(dev->pdev);
	devres_release_group(&dev->pdev->dev, dev);
	free_pages((unsigned long)dev->arena, MAL_ARENA_ORDER);
}

void mal_common16(struct mal_dev *dev, u32 reg, u16 value)
{
	iowrite16(value, dev->regs + dev->common + reg);
}

void mal_common64(struct mal_dev *dev, u32 reg, u64 value)
{
	iowrite32(value, dev->regs + dev->common + reg);
	iowrite32(value >> 32, dev->regs + dev->common + reg + 4);
}

u8 mal_status(struct mal_dev *dev)
{
	return ioread8(dev->regs + dev->common + VIRTIO_PCI_COMMON_STATUS);
}

void mal_set_status(struct mal_dev *dev, u8 status)
{
	iowrite8(status, dev->regs + dev->common + VIRTIO_PCI_COMMON_STATUS);
}

bool mal_reset(struct mal_dev *dev, bool wait)
{
	unsigned long end = jiffies + MAL_RESET_SECONDS * HZ;

	atomic_inc(&dev->resets);
	mal_set_status(dev, 0);
	while (wait && mal_status(dev)) {
		if (time_after(jiffies, end))
			return false;
		usleep_range(500, 1000);
	}
	return true;
}

void mal_notify(struct mal_dev *dev, u16 queue)
{
	u32 offset = queue * dev->notify_mult;

	if (offset <= dev->notify_len - sizeof(u16))
		iowrite16(queue, dev->regs + dev->notify + offset);
}

u64 mal_arena(struct mal_dev *dev, u32 offset)
{
	return dev->arena_addr + offset;
}

struct mal_desc *mal_descs(struct mal_dev *dev, u16 queue)
{
	return (void *)(dev->arena + queue * MAL_RING_STRIDE);
}

struct mal_avail *mal_avail(struct mal_dev *dev, u16 queue)
{
	return (void *)(dev->arena + queue * MAL_RING_STRIDE + MAL_AVAIL_AT);
}

u64 mal_bad_address(struct mal_thread *t)
{
	static const u64 fixed[] = {
		0xa0000,		/* VGA */
		0xafff0000,		/* nothing, with less than 2 GiB */
		0xb0000000,		/* configuration space of PCI */
		0xfec00000, 0xfee00000,	/* interrupt controllers */
		0xfffc0000,		/* firmware */
		0x7ffffffffffff000, 0xfffffffffffff000, U64_MAX - 7, U64_MAX,
	};
	struct mal_dev *dev = t->dev;
	u32 low = mal_arena(dev, mal_below(t, MAL_ARENA_SIZE / 2));
	u64 bar = dev->bars[4] + mal_below(t, dev->regs_len);

	switch (mal_below(t, 4)) {
	case 0:
		/* in the window, whose BAR is aligned to 4 GiB */
		return dev->bars[2] + low;
	case 1:
		return BIT_ULL(mal_below(t, 32) + 32) + low;
	case 2:
		if (bar == (u32)bar)
			return bar;
		fallthrough;
	default:
		return fixed[mal_below(t, ARRAY_SIZE(fixed))];
	}
}

bool mal_may_write(struct mal_dev *dev, u32 at, u32 len)
{
	return at + len <= dev->common + VIRTIO_PCI_COMMON_Q_DESCLO ||
	       at >= dev->common + sizeof(struct virtio_pci_common_cfg);
}

u64 mal_address(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;

	switch (mal_below(t, 4)) {
	case 0:
		return mal_bad_address(t);
	case 1:
		return mal_arena(dev, mal_below(t, MAL_ARENA_SIZE / 2));
	default:
		return mal_arena(dev, ALIGN_DOWN(mal_below(t, MAL_ARENA_SIZE /
							   2), SZ_4K));
	}
}
