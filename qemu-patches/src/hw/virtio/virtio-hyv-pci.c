/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtio HyV PCI binding
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "hw/core/cpu.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/virtio/virtio-pci.h"
#include "standard-headers/linux/virtio_pci.h"
#include "hyv-compat.h"
#include "virtio-hyv.h"

/* BAR 1 is for MSI-X, BARs 2 and 3 for the window. */
#define VIRTIO_HYV_WINDOW_BAR   2
#define VIRTIO_HYV_WINDOW_REG   (PCI_BASE_ADDRESS_0 + 4 * VIRTIO_HYV_WINDOW_BAR)

/*
 * Even a small window must be above 4 GiB, or guests cannot map it cached: the
 * MTRRs, as set by firmware, make the PCI hole below 4 GiB uncached. Firmware
 * places a BAR of this size above 4 GiB. The BAR is empty past the window.
 */
#define VIRTIO_HYV_MIN_BAR_SIZE (4 * GiB)

#define TYPE_VIRTIO_HYV_PCI "virtio-hyv-pci-base"
OBJECT_DECLARE_TYPE(VirtIOHyvPCI, VirtIOHyvPCIClass, VIRTIO_HYV_PCI)

struct VirtIOHyvPCIClass {
    VirtioPCIClass parent_class;
    PCIUnregisterFunc *parent_exit;
};

struct VirtIOHyvPCI {
    VirtIOPCIProxy parent_obj;
    VirtIOHyv vdev;
    MemoryRegion bar;
    MemoryRegion window;
    MemoryRegionOps common_ops;         /* virtio-pci's with another write() */
    const MemoryRegionOps *virtio_common_ops;
    PCIConfigReadFunc *virtio_config_read;
    PCIConfigWriteFunc *virtio_config_write;
    bool function_reset;        /* what the reset that takes time is */
};

static const Property virtio_hyv_pci_properties[] = {
    DEFINE_PROP_UINT32("vectors", VirtIOPCIProxy, nvectors,
                       DEV_NVECTORS_UNSPECIFIED),
};

/*
 * virtio-pci takes a reset for done when the write returns. It is done when the
 * last request is over: until then, keep the status for which the guest polls,
 * and all else.
 *
 * It also lets a guest change a queue and vectors in use, and QEMU aborts later: the
 * caches of the rings keep their size, and the irqfds no longer match the vectors.
 */
static void virtio_hyv_pci_common_write(void *opaque, hwaddr addr,
                                        uint64_t val, unsigned size)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(opaque);
    VirtIODevice *vdev = VIRTIO_DEVICE(&dev->vdev);

    if (dev->vdev.resetting) {
        return;
    }
    switch (addr) {
    case VIRTIO_PCI_COMMON_STATUS:
        if ((val & 0xff) == 0 && virtio_hyv_begin_reset(&dev->vdev)) {
            dev->function_reset = false;
            return;
        }
        /* virtio-pci does not ask the device about legacy features. */
        if (!virtio_vdev_has_feature(vdev, VIRTIO_F_VERSION_1)) {
            val &= ~VIRTIO_CONFIG_S_FEATURES_OK;
        }
        break;
    case VIRTIO_PCI_COMMON_Q_SIZE:
        if (virtio_queue_enabled(vdev, vdev->queue_sel)) {
            return;
        }
        break;
    case VIRTIO_PCI_COMMON_MSIX:
    case VIRTIO_PCI_COMMON_Q_MSIX:
        if (dev->vdev.notifiers_set) {
            return;
        }
        break;
    }
    dev->virtio_common_ops->write(opaque, addr, val, size);
}

static void virtio_hyv_pci_reset_done(VirtIOHyv *s)
{
    VirtIOHyvPCI *dev = container_of(s, VirtIOHyvPCI, vdev);

    if (dev->function_reset) {
        pci_device_reset(PCI_DEVICE(dev));
        return;
    }
    dev->virtio_common_ops->write(&dev->parent_obj, VIRTIO_PCI_COMMON_STATUS,
                                  0, 1);
}

/*
 * KVM refuses memory at addresses that the CPU does not have, and QEMU aborts
 * then. So the BAR is empty there.
 */
static void virtio_hyv_pci_place_window(VirtIOHyvPCI *dev)
{
    PCIDevice *pci_dev = PCI_DEVICE(dev);
    uint64_t bits = object_property_get_uint(OBJECT(first_cpu), "phys-bits",
                                             NULL);
    uint64_t end = bits && bits < 64 ? 1ull << bits : UINT64_MAX;
    uint64_t start = pci_get_quad(pci_dev->config + VIRTIO_HYV_WINDOW_REG) &
                     PCI_BASE_ADDRESS_MEM_MASK;

    memory_region_set_enabled(&dev->window, start < end &&
                              end - start >= dev->vdev.conf.window_size);
}

/* Does the guest reset the function by the PCI Express capability? */
static bool virtio_hyv_pci_resets_function(PCIDevice *pci_dev, uint32_t addr,
                                           uint32_t val, int len)
{
    uint32_t control = pci_dev->exp.exp_cap + PCI_EXP_DEVCTL + 1;

    return pci_is_express(pci_dev) &&
           VIRTIO_PCI(pci_dev)->flags & VIRTIO_PCI_FLAG_INIT_FLR &&
           range_covers_byte(addr, len, control) &&
           val >> 8 * (control - addr) & PCI_EXP_DEVCTL_BCR_FLR >> 8;
}

/*
 * A function that is not ready yet answers nothing: all bits are set, for which
 * operating systems poll.
 */
static bool virtio_hyv_pci_in_function_reset(VirtIOHyvPCI *dev)
{
    return dev->function_reset && dev->vdev.resetting;
}

static uint32_t virtio_hyv_pci_config_read(PCIDevice *pci_dev, uint32_t addr,
                                           int len)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(pci_dev);

    if (virtio_hyv_pci_in_function_reset(dev)) {
        return MAKE_64BIT_MASK(0, 8 * len);
    }
    return dev->virtio_config_read(pci_dev, addr, len);
}

static void virtio_hyv_pci_config_write(PCIDevice *pci_dev, uint32_t addr,
                                        uint32_t val, int len)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(pci_dev);
    uint32_t msix_enable = pci_dev->msix_cap + PCI_MSIX_FLAGS + 1;

    if (virtio_hyv_pci_in_function_reset(dev)) {
        return;
    }
    /* virtio-pci would wait for the last request. */
    if (virtio_hyv_pci_resets_function(pci_dev, addr, val, len) &&
        virtio_hyv_begin_reset(&dev->vdev)) {
        dev->function_reset = true;
        return;
    }
    /*
     * virtio-pci keeps the irqfds of a device that runs when the guest turns
     * MSI-X off, and QEMU aborts when it is turned on again.
     */
    if (dev->vdev.notifiers_set && msix_enabled(pci_dev) &&
        range_covers_byte(addr, len, msix_enable)) {
        val |= (PCI_MSIX_FLAGS_ENABLE >> 8) << 8 * (msix_enable - addr);
    }
    if (!ranges_overlap(addr, len, VIRTIO_HYV_WINDOW_REG, sizeof(uint64_t))) {
        dev->virtio_config_write(pci_dev, addr, val, len);
        return;
    }
    memory_region_transaction_begin();
    dev->virtio_config_write(pci_dev, addr, val, len);
    virtio_hyv_pci_place_window(dev);
    memory_region_transaction_commit();
}

static void virtio_hyv_pci_realize(VirtIOPCIProxy *vpci_dev, Error **errp)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(vpci_dev);
    uint64_t window_size = dev->vdev.conf.window_size;
    uint64_t bar_size;

    if (vpci_dev->nvectors == DEV_NVECTORS_UNSPECIFIED) {
        /* One for each queue and one for configuration changes */
        vpci_dev->nvectors = HYV_VQ_EVENT0 + 1 +
                             dev->vdev.conf.num_event_queues;
    }
    virtio_pci_force_virtio_1(vpci_dev);
    /* A PCI Express device has no room left for another capability. */
    if (vpci_dev->flags & VIRTIO_PCI_FLAG_MODERN_PIO_NOTIFY) {
        error_setg(errp, "modern-pio-notify=on is not supported");
        return;
    }

    dev->vdev.reset_done = virtio_hyv_pci_reset_done;
    if (!qdev_realize(DEVICE(&dev->vdev), BUS(&vpci_dev->bus), errp)) {
        /* If virtio-pci refuses the device, it keeps it. */
        virtio_hyv_free_window(&dev->vdev);
        return;
    }
    dev->virtio_common_ops = vpci_dev->common.mr.ops;
    dev->common_ops = *dev->virtio_common_ops;
    dev->common_ops.write = virtio_hyv_pci_common_write;
    vpci_dev->common.mr.ops = &dev->common_ops;
    dev->virtio_config_read = vpci_dev->pci_dev.config_read;
    vpci_dev->pci_dev.config_read = virtio_hyv_pci_config_read;
    dev->virtio_config_write = vpci_dev->pci_dev.config_write;
    vpci_dev->pci_dev.config_write = virtio_hyv_pci_config_write;

    /*
     * The owner must be the outermost object, of which the device is a part:
     * a memory region keeps its owner alive while it is visible.
     */
    bar_size = pow2ceil(MAX(window_size, VIRTIO_HYV_MIN_BAR_SIZE));
    memory_region_init(&dev->bar, OBJECT(dev), "virtio-hyv-bar", bar_size);
    memory_region_init_ram_device_ptr(&dev->window, OBJECT(dev),
                                      "virtio-hyv-window", window_size,
                                      dev->vdev.window);
    memory_region_add_subregion(&dev->bar, 0, &dev->window);
    pci_register_bar(&vpci_dev->pci_dev, VIRTIO_HYV_WINDOW_BAR,
                     PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_PREFETCH |
                     PCI_BASE_ADDRESS_MEM_TYPE_64, &dev->bar);
    virtio_pci_add_shm_cap(vpci_dev, VIRTIO_HYV_WINDOW_BAR, 0, window_size,
                           HYV_SHM_WINDOW);
}

/*
 * A BAR that contains the window refers to the window's owner, the device, which
 * would never be freed.
 */
static void virtio_hyv_pci_exit(PCIDevice *pci_dev)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(pci_dev);

    memory_region_del_subregion(&dev->bar, &dev->window);
    VIRTIO_HYV_PCI_GET_CLASS(dev)->parent_exit(pci_dev);
}

static void virtio_hyv_pci_class_init(ObjectClass *klass, HyvClassData *data)
{
    VirtIOHyvPCIClass *c = VIRTIO_HYV_PCI_CLASS(klass);
    DeviceClass *dc = DEVICE_CLASS(klass);
    VirtioPCIClass *k = VIRTIO_PCI_CLASS(klass);
    PCIDeviceClass *pcidev_k = PCI_DEVICE_CLASS(klass);

    dc->desc = "RDMA through the host's HCA";
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    device_class_set_props(dc, virtio_hyv_pci_properties);
    k->realize = virtio_hyv_pci_realize;
    c->parent_exit = pcidev_k->exit;
    pcidev_k->exit = virtio_hyv_pci_exit;
    pcidev_k->class_id = PCI_CLASS_NETWORK_OTHER;
}

static void virtio_hyv_pci_instance_init(Object *obj)
{
    VirtIOHyvPCI *dev = VIRTIO_HYV_PCI(obj);

    virtio_instance_init_common(obj, &dev->vdev, sizeof(dev->vdev),
                                TYPE_VIRTIO_HYV);
}

static void virtio_hyv_pci_instance_finalize(Object *obj)
{
    virtio_hyv_free_window(&VIRTIO_HYV_PCI(obj)->vdev);
}

static const VirtioPCIDeviceTypeInfo virtio_hyv_pci_info = {
    .base_name             = TYPE_VIRTIO_HYV_PCI,
    .non_transitional_name = "virtio-hyv-pci",
    .instance_size         = sizeof(VirtIOHyvPCI),
    .class_size            = sizeof(VirtIOHyvPCIClass),
    .instance_init         = virtio_hyv_pci_instance_init,
    .instance_finalize     = virtio_hyv_pci_instance_finalize,
    .class_init            = virtio_hyv_pci_class_init,
};

static void virtio_hyv_pci_register_types(void)
{
    virtio_pci_types_register(&virtio_hyv_pci_info);
}

type_init(virtio_hyv_pci_register_types)
