/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: differences between versions of QEMU
 *
 * The device uses the interfaces of the newest version. This header includes those
 * headers that have moved, and gives older versions the same interfaces. QEMU 7.2
 * and those since 10.0 are supported.
 */

#ifndef HW_VIRTIO_HYV_COMPAT_H
#define HW_VIRTIO_HYV_COMPAT_H

#include "hw/virtio/virtio.h"
#include "migration/blocker.h"
#include "qapi/error.h"

/* 11.0 */
#if __has_include("hw/core/qdev-properties.h")
#include "hw/core/boards.h"
#include "hw/core/qdev.h"
#include "hw/core/qdev-properties.h"
#include "hw/core/qdev-properties-system.h"
#else
#include "hw/boards.h"
#include "hw/qdev-core.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#endif

/* 10.1 */
#if __has_include("system/memory.h")
#include "system/address-spaces.h"
#include "system/memory.h"

typedef const void HyvClassData;

#define HYV_DEFINE_SET_STATUS(name, set_status)                         \
    static int name(VirtIODevice *vdev, uint8_t status)                 \
    {                                                                   \
        return set_status(vdev, status);                                \
    }
#else
#include "exec/address-spaces.h"
#include "exec/memory.h"

typedef void HyvClassData;

#define HYV_DEFINE_SET_STATUS(name, set_status)                         \
    static void name(VirtIODevice *vdev, uint8_t status)                \
    {                                                                   \
        set_status(vdev, status);                                       \
    }

/* The newer one chooses itself whether the notifier is needed. */
#define virtio_notify virtio_notify_irqfd
#endif

/* 10.0 */
#if __has_include("system/system.h")
#include "system/dma.h"
#include "system/qtest.h"
#include "system/system.h"
#else
#include "sysemu/dma.h"
#include "sysemu/qtest.h"
#include "sysemu/sysemu.h"

/* These take the address of the reason, which they free and clear. */
static inline int hyv_migrate_add_blocker(Error **reasonp, Error **errp)
{
    int ret = migrate_add_blocker(*reasonp, errp);

    if (ret < 0) {
        error_free(*reasonp);
        *reasonp = NULL;
    }
    return ret;
}
#define migrate_add_blocker hyv_migrate_add_blocker

static inline void hyv_migrate_del_blocker(Error **reasonp)
{
    migrate_del_blocker(*reasonp);
    error_free(*reasonp);
    *reasonp = NULL;
}
#define migrate_del_blocker hyv_migrate_del_blocker

/* The array has no end marker. The class keeps a copy with one. */
static inline void hyv_class_set_props(DeviceClass *dc, const Property *props,
                                       size_t n)
{
    Property *copy = g_new0(Property, n + 1);

    memcpy(copy, props, n * sizeof(*props));
    device_class_set_props(dc, copy);
}
#define device_class_set_props(dc, props) \
    hyv_class_set_props(dc, props, ARRAY_SIZE(props))
#endif

#endif
