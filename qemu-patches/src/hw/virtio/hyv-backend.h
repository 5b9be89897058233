/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: access to the host kernel's hyv.ko
 *
 * A thin layer over the ioctls of /dev/hyv (linux-headers/linux/hyv.h). It
 * fills in their structures and converts errors of the setup calls into
 * messages with a hint for the user.
 */

#ifndef HW_VIRTIO_HYV_BACKEND_H
#define HW_VIRTIO_HYV_BACKEND_H

#include <linux/hyv.h>
#include "net/net.h"
#include "standard-headers/linux/virtio_hyv.h"

typedef struct HyvBackend HyvBackend;

struct HyvBackend {
    int fd;
    /* Returns 0 or a negative errno */
    int (*ioctl)(HyvBackend *b, unsigned long request, void *arg);
    struct HyvNull *null;       /* NULL if this is hyv.ko */
    void (*free_null)(HyvBackend *b);
    /* As reported by hyv.ko, set by hyv_backend_open() */
    uint32_t max_mem_regions;
    uint32_t max_request;
    uint32_t max_reply;
    uint32_t scratch_len;       /* whole pages */
    uint32_t max_event_queues;
    uint64_t min_window;
};

/* Limits for one guest; 0 selects the default of hyv.ko. */
typedef struct HyvLimits {
    uint32_t contexts;
    uint32_t pds;
    uint32_t cqs;
    uint32_t qps;
    uint32_t mrs;
    uint32_t ahs;
    uint32_t srqs;
    uint32_t mws;
    uint64_t pinned;            /* bytes */
    uint64_t queue_memory;      /* bytes */
    uint64_t mr_bytes;
    uint64_t mappings;          /* of all vNICs of this process */
    uint64_t doorbell_pages;
} HyvLimits;

/*
 * hyv_hca_open: open the uverbs device of an HCA
 * @hca: name of an HCA of the host, or path of its uverbs device; NULL fails
 *       with a hint that lists the HCAs
 *
 * Returns: file descriptor, to be closed by the caller, or -1 with @errp set
 */
int hyv_hca_open(const char *hca, Error **errp);

/*
 * hyv_backend_open: connect to hyv.ko
 * @fd: an open /dev/hyv, or -1 to open it; the backend takes ownership, even
 *      on failure
 *
 * Returns: true, or false with @errp set
 */
bool hyv_backend_open(HyvBackend *b, int fd, Error **errp);
/*
 * For tests: use a backend that needs no hyv.ko. The call with number
 * @fail_call fails; 0: none does.
 */
bool hyv_backend_open_null(HyvBackend *b, unsigned int fail_call, Error **errp);
void hyv_backend_close(HyvBackend *b);

/* Setup calls. All return true, or false with @errp set. */
bool hyv_backend_get_info(HyvBackend *b, Error **errp);
bool hyv_backend_attach(HyvBackend *b, int uverbs_fd, const char *name,
                        unsigned int nr_event_queues, Error **errp);
bool hyv_backend_set_limits(HyvBackend *b, const HyvLimits *limits,
                            Error **errp);
/*
 * hyv_backend_set_guest_addresses: select guest addressing
 * @mac: MAC address of the guest's network device; the link-local address
 *       derived from it is always allowed
 * @allowed: IP addresses and prefixes ("10.0.0.0/8", "fd00::1"), separated by
 *           spaces or semicolons, or NULL for all
 */
bool hyv_backend_set_guest_addresses(HyvBackend *b, const MACAddr *mac,
                                     const char *allowed, Error **errp);
bool hyv_backend_set_mem(HyvBackend *b, const struct hyv_mem_region *regions,
                         unsigned int nr_regions, Error **errp);

/*
 * hyv_backend_map_window: set the size of the window and map it
 *
 * The mapping keeps the vNIC alive even after hyv_backend_close().
 *
 * Returns: the mapping, to be unmapped by the caller, or NULL with @errp set
 */
void *hyv_backend_map_window(HyvBackend *b, uint64_t length, Error **errp);

/* Calls for a device after setup. All return 0 or a negative errno. */

/* Does not wait for requests or for the HCA. */
int hyv_backend_get_config(HyvBackend *b, struct hyv_config *config,
                           uint64_t *features);
/*
 * hyv_backend_set_notify: have changes reported
 * @config_fd: eventfd for a change of the configuration space, or -1
 * @error_fd: eventfd for an event queue that broke, or -1
 */
int hyv_backend_set_notify(HyvBackend *b, int config_fd, int error_fd);
/* Once before event queues and requests, and once after each reset */
int hyv_backend_set_features(HyvBackend *b, uint64_t features);
int hyv_backend_set_doorbell(HyvBackend *b, int kick_fd, uint32_t poll_us);
int hyv_backend_start_event_queue(HyvBackend *b, unsigned int index,
                                  unsigned int num, void *desc, void *avail,
                                  void *used, int kick_fd, int call_fd,
                                  uint16_t avail_index);
int hyv_backend_stop_event_queue(HyvBackend *b, unsigned int index,
                                 uint16_t *avail_index);
/* May take seconds, because it waits for requests that are being executed. */
int hyv_backend_reset(HyvBackend *b);

/*
 * hyv_backend_exec: execute one request of the guest
 * @request: the request, in memory that the guest cannot change
 * @request_len: size of @request in bytes, up to max_request
 * @reply: buffer for the reply, in memory that the guest cannot change
 * @reply_len: size of @reply; on return, size of the reply in it
 * @scratch: scratch_len bytes of page-aligned memory
 *
 * May block for a long time. Threads may call it concurrently, without the BQL.
 *
 * Returns: 0 if there is a reply, whose status may be an error, or a negative
 *          errno
 */
int hyv_backend_exec(HyvBackend *b, const void *request, uint32_t request_len,
                     void *reply, uint32_t *reply_len, void *scratch);

#endif
