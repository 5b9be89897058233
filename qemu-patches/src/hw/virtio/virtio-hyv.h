/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtio HyV device: RDMA through the host's HCA
 */

#ifndef HW_VIRTIO_HYV_H
#define HW_VIRTIO_HYV_H

#include "hw/virtio/virtio.h"
#include "net/net.h"
#include "qom/object.h"
#include "hyv-backend.h"
#include "hyv-mem.h"
#include "hyv-workers.h"

#define TYPE_VIRTIO_HYV "virtio-hyv-device"
OBJECT_DECLARE_SIMPLE_TYPE(VirtIOHyv, VIRTIO_HYV)

typedef struct VirtIOHyvConf {
    char *hca;
    char *hca_fd;
    char *hyvfd;
    uint64_t window_size;
    uint32_t poll_us;
    uint16_t num_event_queues;
    int32_t protocol_version;   /* negative: as reported by hyv.ko */
    MACAddr mac;
    bool guest_addresses;
    char *allowed_addresses;
    HyvLimits limits;
    bool null_backend;
    uint32_t null_fail;         /* call of the null backend, or 0 */
    uint32_t fail_thread;       /* that cannot be created, or 0 */
} VirtIOHyvConf;

typedef struct VirtIOHyvMapping {
    void *addr;                 /* NULL if not mapped */
    hwaddr size;
} VirtIOHyvMapping;

/* Memory of an event queue while hyv.ko serves it */
typedef struct VirtIOHyvRing {
    VirtIOHyvMapping desc;
    VirtIOHyvMapping avail;
    VirtIOHyvMapping used;
} VirtIOHyvRing;

struct VirtIOHyv {
    VirtIODevice parent_obj;
    VirtIOHyvConf conf;

    /*
     * Mapping of /dev/hyv, made on realize. The transport presents it to the
     * guest as shared memory region HYV_SHM_WINDOW. hyv.ko makes queues of the
     * HCA visible in it; the mapping itself never changes. The transport frees
     * it with virtio_hyv_free_window() when the guest can no longer access it.
     */
    void *window;
    /*
     * Set by the transport: a reset for which virtio_hyv_begin_reset() returned
     * true is over
     */
    void (*reset_done)(VirtIOHyv *s);

    HyvBackend backend;
    HyvMem mem;
    HyvWorkers *workers;
    Object *transport;
    Error *migration_blocker;
    QEMUBH *needs_reset_bh;
    EventNotifier config_notifier;      /* signalled by hyv.ko */
    EventNotifier error_notifier;       /* signalled by hyv.ko */
    struct hyv_config config;   /* last one reported by hyv.ko */
    uint64_t backend_features;

    /* Protected by the BQL */
    bool started;               /* queues are served */
    bool notifiers_set;
    bool features_set;          /* in hyv.ko; HYV_RESET clears them */
    uint64_t features;          /* that are set */
    bool resetting;             /* until HYV_RESET and all requests are over */
    bool reset_ran;             /* HYV_RESET is over */
    bool guest_waits;           /* for the end of the reset */
    bool closing;               /* unrealized; jobs may be unfinished */
    HyvJob reset_job;
    unsigned int in_flight;     /* commands that were not freed */
    /* Commands that the guest waits for */
    QTAILQ_HEAD(, VirtIOHyvCommand) commands;
    VirtIOHyvRing rings[HYV_MAX_EVENT_QUEUES];
};

/* virtio-hyv-control.c */

/* Map the rings of queue @n; -EFAULT if they are not in RAM */
int virtio_hyv_map_ring(VirtIODevice *vdev, VirtIOHyvRing *ring, int n);
void virtio_hyv_unmap_ring(VirtIOHyvRing *ring);
void virtio_hyv_handle_control(VirtIODevice *vdev, VirtQueue *vq);
/* Return the commands that were executed while the device was stopped. */
void virtio_hyv_finish_executed(VirtIOHyv *s);
/* Give up all commands: the guest no longer expects replies. */
void virtio_hyv_abandon(VirtIOHyv *s);

/* virtio-hyv.c */

/* Call this when a command from before a reset is over. */
void virtio_hyv_check_reset(VirtIOHyv *s);

/*
 * virtio_hyv_begin_reset: begin a reset that the guest has requested
 *
 * Returns: true if the reset takes time, without blocking the caller, until
 *          reset_done() is called: the transport must not show it as done
 *          before, and must ignore the guest's changes of the status
 */
bool virtio_hyv_begin_reset(VirtIOHyv *s);
void virtio_hyv_free_window(VirtIOHyv *s);

#endif
