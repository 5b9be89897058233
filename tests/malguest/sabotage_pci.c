// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disturbances of the PCI device: interrupts, BARs, bus mastering, power, resets;
 * and of the memory map. All of them are undone at once, so that the rest goes on.
 */
#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/virtio_pci.h>

#include "malguest.h"

#define MAL_WINDOW_BAR		2
#define MAL_NOBODY		254	/* a CPU that there is not */
#define MAL_D3HOT		3	/* in PCI_PM_CTRL */

/* The host bridge of QEMU's q35, and its register for memory at 0xc0000 */
#define MAL_BRIDGE		0x29c0
#define MAL_PAM			0x91
#define MAL_PAM_RAM		0x33

static u32 table_words(struct mal_dev *dev)
{
	return dev->nr_vectors * PCI_MSIX_ENTRY_SIZE / sizeof(u32);
}

int mal_pci_save(struct mal_dev *dev)
{
	struct pci_dev *pdev = dev->pdev;
	unsigned int i;

	dev->table = kcalloc(table_words(dev), sizeof(u32), GFP_KERNEL);
	if (!dev->table)
		return -ENOMEM;
	dev->bridge = pci_get_device(PCI_VENDOR_ID_INTEL, MAL_BRIDGE, NULL);
	if (dev->bridge)
		pci_read_config_byte(dev->bridge, MAL_PAM, &dev->pam);
	for (i = 0; i < table_words(dev); i++)
		dev->table[i] = ioread32(dev->msix + i * sizeof(u32));
	for (i = 0; i < ARRAY_SIZE(dev->header); i++)
		pci_read_config_dword(pdev, i * sizeof(u32), &dev->header[i]);
	pci_read_config_word(pdev, pdev->msix_cap + PCI_MSIX_FLAGS,
			     &dev->msix_control);
	if (pdev->pcie_cap)
		pci_read_config_word(pdev, pdev->pcie_cap + PCI_EXP_DEVCTL,
				     &dev->pcie_control);
	return 0;
}

void mal_pci_forget(struct mal_dev *dev)
{
	pci_dev_put(dev->bridge);
	kfree(dev->table);
}

/* Wait until a function reset is over: nothing can be read until then. */
static void await_function(struct mal_dev *dev)
{
	unsigned long end = jiffies + MAL_RESET_SECONDS * HZ;
	u32 id;

	do {
		pci_read_config_dword(dev->pdev, PCI_VENDOR_ID, &id);
		if (!PCI_POSSIBLE_ERROR(id))
			return;
		usleep_range(100, 1000);
	} while (time_before(jiffies, end));
}

/* Called with pci_lock held, or when only one thread is left */
void mal_pci_restore(struct mal_dev *dev)
{
	/* of a vector: it is to nobody until its data is right */
	static const unsigned int order[] = { 2, 1, 0, 3 };
	struct pci_dev *pdev = dev->pdev;
	unsigned int i, at;

	if (dev->bridge)
		pci_write_config_byte(dev->bridge, MAL_PAM, dev->pam);
	await_function(dev);
	if (pdev->pm_cap)
		pci_write_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, 0);
	if (pdev->pcie_cap)
		pci_write_config_word(pdev, pdev->pcie_cap + PCI_EXP_DEVCTL,
				      dev->pcie_control);
	for (i = PCI_BASE_ADDRESS_0 / sizeof(u32);
	     i <= PCI_BASE_ADDRESS_5 / sizeof(u32); i++)
		pci_write_config_dword(pdev, i * sizeof(u32), dev->header[i]);
	pci_write_config_word(pdev, PCI_COMMAND, dev->header[1]);
	for (i = 0; i < table_words(dev); i++) {
		at = ALIGN_DOWN(i, ARRAY_SIZE(order)) +
		     order[i % ARRAY_SIZE(order)];
		iowrite32(dev->table[at], dev->msix + at * sizeof(u32));
	}
	pci_write_config_word(pdev, pdev->msix_cap + PCI_MSIX_FLAGS,
			      dev->msix_control);
}

/*
 * A vector: masked, or a message of another kind to nobody. KVM takes any address
 * for one of an interrupt; bits 12 to 19 say whose, and no CPU is number 254.
 */
static bool change_vectors(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u32 at = mal_below(t, dev->nr_vectors) * PCI_MSIX_ENTRY_SIZE;
	u32 nr = 1 + mal_below(t, 16);
	u64 addr = mal_once_in(t, 2) ? 0xfee00000 | MAL_NOBODY << 12 :
		   mal_arena(dev, SZ_1M | MAL_NOBODY << 12);

	BUILD_BUG_ON(MAL_MEMORY_AT > (SZ_1M | MAL_NOBODY << 12));
	if (mal_once_in(t, 3)) {
		iowrite32(addr, dev->msix + at + PCI_MSIX_ENTRY_LOWER_ADDR);
		iowrite32(addr >> 32,
			  dev->msix + at + PCI_MSIX_ENTRY_UPPER_ADDR);
		iowrite32(mal_rnd(t), dev->msix + at + PCI_MSIX_ENTRY_DATA);
	}
	while (nr--)
		iowrite32(mal_below(t, 2),
			  dev->msix + at + PCI_MSIX_ENTRY_VECTOR_CTRL);
	return true;
}

static bool change_msix(struct mal_thread *t)
{
	struct pci_dev *pdev = t->dev->pdev;

	pci_write_config_word(pdev, pdev->msix_cap + PCI_MSIX_FLAGS,
			      mal_once_in(t, 2) ? mal_rnd(t) : 0);
	return true;
}

static bool change_command(struct mal_thread *t)
{
	u16 command = t->dev->header[1];

	command &= ~(mal_once_in(t, 2) ? PCI_COMMAND_MASTER :
		     PCI_COMMAND_MEMORY);
	pci_write_config_word(t->dev->pdev, PCI_COMMAND, command);
	return true;
}

/*
 * Not over RAM, which would win, nor over other devices, not even between the two
 * writes: QEMU ends if the registers of two virtio devices are at one address.
 */
static bool move_bar(struct mal_thread *t)
{
	struct pci_dev *pdev = t->dev->pdev;
	int bar = mal_once_in(t, 3) ? 4 : MAL_WINDOW_BAR;
	u32 at = PCI_BASE_ADDRESS_0 + bar * sizeof(u32);
	u32 high = mal_once_in(t, 3) ? U32_MAX :
		   1 << (8 + mal_below(t, 12));
	u32 low = mal_once_in(t, 3) ? U32_MAX : 0;

	pci_write_config_dword(pdev, at + sizeof(u32), high);
	pci_write_config_dword(pdev, at, low);
	if (bar == MAL_WINDOW_BAR && mal_once_in(t, 2))
		pci_write_config_dword(pdev, at, 0);
	return true;
}

static bool reset_function(struct mal_thread *t)
{
	struct pci_dev *pdev = t->dev->pdev;
	u16 command;

	if (!pdev->pcie_cap)
		return false;
	pci_write_config_word(pdev, pdev->pcie_cap + PCI_EXP_DEVCTL,
			      t->dev->pcie_control | PCI_EXP_DEVCTL_BCR_FLR);
	await_function(t->dev);
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return !(command & PCI_COMMAND_MASTER);
}

/* Power off and on, which resets the device, too, with a newer QEMU */
static bool change_power(struct mal_thread *t)
{
	struct pci_dev *pdev = t->dev->pdev;
	u16 control;

	if (!pdev->pm_cap)
		return false;
	pci_write_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, MAL_D3HOT);
	if (mal_once_in(t, 2))
		usleep_range(100, 1000);
	pci_read_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, &control);
	pci_write_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, 0);
	return (control & PCI_PM_CTRL_STATE_MASK) == MAL_D3HOT;
}

/* 32 KiB of the guest's RAM, which nothing uses, become a hole, or are RAM again. */
static bool change_memory(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;
	u8 pam = dev->pam == MAL_PAM_RAM ? 0 : MAL_PAM_RAM, now;

	if (!dev->bridge)
		return false;
	pci_write_config_byte(dev->bridge, MAL_PAM, pam);
	pci_read_config_byte(dev->bridge, MAL_PAM, &now);
	return now == pam;
}

/* Registers of a BAR, by the configuration space */
static bool access_bar(struct mal_thread *t)
{
	struct pci_dev *pdev = t->dev->pdev;
	int cap = t->dev->cfg_cap;
	u32 length = 1 << mal_below(t, 3), value;
	u32 offset = mal_once_in(t, 4) ? mal_rnd(t) :
		     mal_below(t, t->dev->regs_len) & ~(length - 1);

	if (!cap)
		return false;
	pci_write_config_byte(pdev, cap + VIRTIO_PCI_CAP_BAR,
			      mal_once_in(t, 4) ? mal_rnd(t) : 4);
	pci_write_config_dword(pdev, cap + VIRTIO_PCI_CAP_OFFSET, offset);
	pci_write_config_dword(pdev, cap + VIRTIO_PCI_CAP_LENGTH,
			       mal_once_in(t, 4) ? mal_rnd(t) : length);
	cap += sizeof(struct virtio_pci_cap);
	if (mal_once_in(t, 2) || !mal_may_write(t->dev, offset, length))
		pci_read_config_dword(pdev, cap, &value);
	else
		pci_write_config_dword(pdev, cap, mal_rnd(t));
	return true;
}

/*
 * Any register past the header, the capabilities among them, but those that write
 * to a BAR: access_bar() spares addresses of rings.
 */
static bool change_config(struct mal_thread *t)
{
	u32 at = mal_once_in(t, 2) ? mal_below(t, t->dev->pdev->cfg_size) :
		 mal_below(t, SZ_256);
	u32 cap = t->dev->cfg_cap;

	if (at < SZ_64)
		at += SZ_64;
	if (cap && at >= cap && at < cap + sizeof(struct virtio_pci_cfg_cap))
		return false;
	pci_write_config_dword(t->dev->pdev, at & ~3, mal_rnd(t));
	return true;
}

static struct mal_act acts[] = {
	{ "vectors", change_vectors, 2 },
	{ "msix", change_msix, 1 },
	{ "command", change_command, 1 },
	{ "bar", move_bar, 2 },
	{ "bar-access", access_bar, 3 },
	{ "config", change_config, 1 },
	{ "function-reset", reset_function, 1 },
	{ "power", change_power, 1 },
	{ "memory", change_memory, 1 },
};

bool mal_pci_sabotage(struct mal_thread *t)
{
	struct mal_dev *dev = t->dev;

	mutex_lock(&dev->pci_lock);
	mal_commit(t, acts, ARRAY_SIZE(acts));
	if (mal_once_in(t, 2))
		usleep_range(10, 1000);
	mal_pci_restore(dev);
	mutex_unlock(&dev->pci_lock);
	return true;
}

bool mal_pci_done(void)
{
	return mal_acts_done(acts, ARRAY_SIZE(acts));
}

void mal_pci_report(void)
{
	mal_report_acts(acts, ARRAY_SIZE(acts));
}
