/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtio HyV device: RDMA through the host's HCA
 *
 * The guest driver creates RDMA objects (queue pairs, memory regions and so on)
 * with requests in the control queue, which hyv.ko in the host kernel executes.
 * QEMU passes each request on without parsing it, in a separate thread, because
 * registering gigabytes of memory takes long. Only a reset of the machine or of
 * its bus waits for requests: a stopped VM gets its replies when it runs again,
 * a guest that resets the device or its function polls for the end, and an
 * unplugged device lives on until its last request is over.
 *
 * Frequent operations bypass QEMU: the guest accesses the queues of the HCA
 * through the window, KVM signals kicks of the doorbell queue to hyv.ko, and
 * hyv.ko fills the event queues and signals the guest's interrupts to KVM.
 */

#include "qemu/osdep.h"
#include <sys/mman.h>
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "block/aio.h"
#include "hw/virtio/virtio-bus.h"
#include "monitor/monitor.h"
#include "hyv-compat.h"
#include "virtio-hyv.h"
#include "trace.h"

#define VIRTIO_HYV_CONTROL_SIZE     128
#define VIRTIO_HYV_MAX_THREADS      64
/* Carries no buffers */
#define VIRTIO_HYV_DOORBELL_SIZE    2
#define VIRTIO_HYV_EVENT_SIZE       256

#define VIRTIO_HYV_MAX_POLL_US      10000

static void virtio_hyv_check_close(VirtIOHyv *s);

static VirtioBusState *virtio_hyv_bus(VirtIOHyv *s)
{
    return VIRTIO_BUS(qdev_get_parent_bus(DEVICE(s)));
}

static int virtio_hyv_nr_queues(VirtIOHyv *s)
{
    return HYV_VQ_EVENT0 + s->conf.num_event_queues;
}

/* hyv.ko serves these queues and their host notifiers. */
static void virtio_hyv_handle_nothing(VirtIODevice *vdev, VirtQueue *vq)
{
}

/* Event queues */

static int virtio_hyv_start_event_queue(VirtIOHyv *s, unsigned int i)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    VirtIOHyvRing *ring = &s->rings[i];
    int n = HYV_VQ_EVENT0 + i;
    VirtQueue *vq = virtio_get_queue(vdev, n);
    EventNotifier *kick = virtio_queue_get_host_notifier(vq);
    EventNotifier *call = virtio_queue_get_guest_notifier(vq);
    int ret;

    if (!virtio_queue_enabled(vdev, n)) {
        return 0;
    }
    if (ring->used.addr) {
        return -EBUSY;
    }
    ret = virtio_hyv_map_ring(vdev, ring, n);
    if (ret < 0) {
        return ret;
    }
    ret = hyv_backend_start_event_queue(&s->backend, i,
                                        virtio_queue_get_num(vdev, n),
                                        ring->desc.addr, ring->avail.addr,
                                        ring->used.addr,
                                        event_notifier_get_fd(kick),
                                        event_notifier_get_fd(call),
                                        virtio_queue_get_last_avail_idx(vdev,
                                                                        n));
    if (ret < 0) {
        virtio_hyv_unmap_ring(ring);
    }
    return ret;
}

static void virtio_hyv_stop_event_queue(VirtIOHyv *s, unsigned int i)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    VirtIOHyvRing *ring = &s->rings[i];
    int n = HYV_VQ_EVENT0 + i;
    uint16_t avail_index;
    int ret;

    if (!ring->used.addr) {
        return;
    }
    ret = hyv_backend_stop_event_queue(&s->backend, i, &avail_index);
    if (ret < 0) {
        /* hyv.ko may still use the ring: keep it mapped until reset. */
        error_report("virtio-hyv: cannot stop event queue %u: %s", i,
                     strerror(-ret));
        return;
    }
    virtio_queue_set_last_avail_idx(vdev, n, avail_index);
    virtio_queue_invalidate_signalled_used(vdev, n);
    virtio_queue_update_used_idx(vdev, n);
    virtio_hyv_unmap_ring(ring);
}

/* Start and stop */

static void virtio_hyv_unset_host_notifiers(VirtIOHyv *s, int nr)
{
    VirtioBusState *bus = virtio_hyv_bus(s);
    int n;

    /* The ioeventfds must exist until the transaction is committed. */
    memory_region_transaction_begin();
    for (n = 0; n < nr; n++) {
        virtio_bus_set_host_notifier(bus, n, false);
    }
    memory_region_transaction_commit();
    for (n = 0; n < nr; n++) {
        virtio_bus_cleanup_host_notifier(bus, n);
    }
    virtio_device_release_ioeventfd(VIRTIO_DEVICE(s));
}

static int virtio_hyv_set_host_notifiers(VirtIOHyv *s)
{
    int nr = virtio_hyv_nr_queues(s);
    int n, ret;

    ret = virtio_device_grab_ioeventfd(VIRTIO_DEVICE(s));
    if (ret < 0) {
        return ret;
    }
    memory_region_transaction_begin();
    for (n = 0; n < nr; n++) {
        ret = virtio_bus_set_host_notifier(virtio_hyv_bus(s), n, true);
        if (ret < 0) {
            break;
        }
    }
    memory_region_transaction_commit();
    if (ret < 0) {
        virtio_hyv_unset_host_notifiers(s, n);
    }
    return ret;
}

static int virtio_hyv_set_guest_notifiers(VirtIOHyv *s, bool assign)
{
    BusState *bus = BUS(virtio_hyv_bus(s));
    VirtioBusClass *k = VIRTIO_BUS_GET_CLASS(bus);

    if (!k->set_guest_notifiers) {
        return -ENOSYS;
    }
    return k->set_guest_notifiers(bus->parent, virtio_hyv_nr_queues(s), assign);
}

/* Ignore HCA removal: the guest gets an error for each request. */
static int virtio_hyv_ignore_removal(int ret)
{
    return ret == -ENODEV ? 0 : ret;
}

static int virtio_hyv_start_backend(VirtIOHyv *s)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    VirtQueue *doorbell = virtio_get_queue(vdev, HYV_VQ_DOORBELL);
    EventNotifier *kick = virtio_queue_get_host_notifier(doorbell);
    unsigned int i;
    int ret;

    for (i = 0; i < s->conf.num_event_queues; i++) {
        ret = virtio_hyv_start_event_queue(s, i);
        if (virtio_hyv_ignore_removal(ret) < 0) {
            goto err_stop_event_queues;
        }
    }
    ret = hyv_backend_set_doorbell(&s->backend, event_notifier_get_fd(kick),
                                   s->conf.poll_us);
    if (virtio_hyv_ignore_removal(ret) < 0) {
        goto err_stop_event_queues;
    }
    return 0;

err_stop_event_queues:
    while (i-- > 0) {
        virtio_hyv_stop_event_queue(s, i);
    }
    return ret;
}

static void virtio_hyv_stop_backend(VirtIOHyv *s)
{
    unsigned int i;
    int ret;

    ret = hyv_backend_set_doorbell(&s->backend, -1, 0);
    if (virtio_hyv_ignore_removal(ret) < 0) {
        error_report("virtio-hyv: cannot stop the doorbell queue: %s",
                     strerror(-ret));
    }
    for (i = 0; i < s->conf.num_event_queues; i++) {
        virtio_hyv_stop_event_queue(s, i);
    }
}

static EventNotifier *virtio_hyv_control_notifier(VirtIOHyv *s)
{
    VirtQueue *vq = virtio_get_queue(VIRTIO_DEVICE(s), HYV_VQ_CONTROL);

    return virtio_queue_get_host_notifier(vq);
}

static void virtio_hyv_unset_notifiers(VirtIOHyv *s)
{
    if (s->notifiers_set) {
        /* An event that waits is delivered, and may reset the device. */
        s->notifiers_set = false;
        virtio_hyv_set_guest_notifiers(s, false);
        virtio_hyv_unset_host_notifiers(s, virtio_hyv_nr_queues(s));
    }
}

static void virtio_hyv_start(VirtIOHyv *s)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    const char *what;
    int ret;

    /* A reset waits only for what has begun with features set. */
    what = "start without FEATURES_OK";
    ret = -EPROTO;
    if (!s->features_set) {
        goto err;
    }
    /* They decide on the size of rings, which hyv.ko does not check. */
    what = "start with other features";
    if (s->features != vdev->guest_features) {
        goto err;
    }
    what = "set up the host notifiers";
    ret = virtio_hyv_set_host_notifiers(s);
    if (ret < 0) {
        goto err;
    }
    what = "set up the guest notifiers";
    ret = virtio_hyv_set_guest_notifiers(s, true);
    if (ret < 0) {
        goto err_unset_host_notifiers;
    }
    s->notifiers_set = true;
    what = "start the queues of hyv.ko";
    ret = virtio_hyv_start_backend(s);
    if (ret < 0) {
        goto err_unset_notifiers;
    }
    s->started = true;
    trace_virtio_hyv_start(s);

    virtio_hyv_finish_executed(s);
    if (!s->started) {
        return;
    }
    /* Fires at once, for requests that are already queued. */
    event_notifier_set_handler(virtio_hyv_control_notifier(s),
                               virtio_queue_host_notifier_read);
    return;

err_unset_notifiers:
    virtio_hyv_unset_notifiers(s);
    goto err;
err_unset_host_notifiers:
    virtio_hyv_unset_host_notifiers(s, virtio_hyv_nr_queues(s));
err:
    virtio_error(vdev, "virtio-hyv: cannot %s: %s", what, strerror(-ret));
}

/* Accept no more requests; those in flight go on. */
static void virtio_hyv_stop_control(VirtIOHyv *s)
{
    if (s->started) {
        event_notifier_set_handler(virtio_hyv_control_notifier(s), NULL);
        s->started = false;
    }
}

static void virtio_hyv_stop(VirtIOHyv *s)
{
    trace_virtio_hyv_stop(s, s->in_flight);
    virtio_hyv_stop_control(s);
    virtio_hyv_stop_backend(s);
    virtio_hyv_unset_notifiers(s);
}

static int virtio_hyv_set_status(VirtIODevice *vdev, uint8_t status)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);
    bool should_start = virtio_device_should_start(vdev, status) &&
                        !vdev->broken;

    if (s->resetting) {
        return 0;
    }
    if (should_start && !s->started) {
        virtio_hyv_start(s);
    } else if (!should_start && s->started) {
        virtio_hyv_stop(s);
    }
    /* The caller overwrites the status that virtio_error() has set. */
    if (vdev->broken && status && !(status & VIRTIO_CONFIG_S_NEEDS_RESET)) {
        qemu_bh_schedule(s->needs_reset_bh);
    }
    return 0;
}
HYV_DEFINE_SET_STATUS(virtio_hyv_set_status_op, virtio_hyv_set_status)

static void virtio_hyv_needs_reset(void *opaque)
{
    VirtIODevice *vdev = opaque;

    /* Not if the guest has reset the device in between. */
    if (vdev->broken && !(vdev->status & VIRTIO_CONFIG_S_NEEDS_RESET)) {
        vdev->status |= VIRTIO_CONFIG_S_NEEDS_RESET;
        virtio_notify_config(vdev);
    }
}

/*
 * The transport allows a guest to reset a queue even though the device does not
 * offer VIRTIO_F_RING_RESET. The ring must be unused when this returns.
 */
static void virtio_hyv_queue_reset(VirtIODevice *vdev, uint32_t n)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);

    /* A reset of the device ends all use of the rings. */
    if (s->resetting || !s->features_set) {
        return;
    }
    if (s->started) {
        virtio_hyv_stop(s);
    }
    virtio_hyv_abandon(s);
    virtio_error(vdev, "virtio-hyv: guest reset queue %u without "
                 "VIRTIO_F_RING_RESET", n);
}

/* Reset */

static int virtio_hyv_run_reset(HyvJob *job)
{
    VirtIOHyv *s = container_of(job, VirtIOHyv, reset_job);

    return hyv_backend_reset(&s->backend);
}

static void virtio_hyv_reset_ran(HyvJob *job)
{
    VirtIOHyv *s = container_of(job, VirtIOHyv, reset_job);
    unsigned int i;

    trace_virtio_hyv_reset(s, job->ret);
    s->reset_ran = true;
    if (virtio_hyv_ignore_removal(job->ret) < 0) {
        error_report("virtio-hyv: cannot reset the device: %s",
                     strerror(-job->ret));
    } else {
        s->features_set = false;
        for (i = 0; i < s->conf.num_event_queues; i++) {
            virtio_hyv_unmap_ring(&s->rings[i]);
        }
    }
    virtio_hyv_check_reset(s);
}

bool virtio_hyv_begin_reset(VirtIOHyv *s)
{
    s->guest_waits = true;
    if (s->resetting || s->closing || !s->features_set) {
        return s->resetting;
    }
    trace_virtio_hyv_begin_reset(s, s->in_flight);
    s->resetting = true;
    s->reset_ran = false;
    virtio_hyv_stop_control(s);
    virtio_hyv_abandon(s);
    /*
     * At once, as it cancels requests. It stops the event queues, too, which
     * may use their rings and notifiers until then.
     */
    s->reset_job.run = virtio_hyv_run_reset;
    s->reset_job.done = virtio_hyv_reset_ran;
    hyv_workers_submit_urgent(s->workers, &s->reset_job);
    return true;
}

/* End a reset when HYV_RESET and all requests from before it are over. */
void virtio_hyv_check_reset(VirtIOHyv *s)
{
    if (!s->resetting || !s->reset_ran || s->in_flight) {
        return;
    }
    s->resetting = false;
    if (s->closing) {
        virtio_hyv_check_close(s);
        return;
    }
    virtio_hyv_unset_notifiers(s);
    event_notifier_test_and_clear(&s->error_notifier);
    if (s->guest_waits) {
        s->reset_done(s);
    }
}

/*
 * A reset of the machine or its bus, or the end of one that the guest has
 * waited for. The former must not return before the HCA has stopped to access
 * memory, so it waits.
 */
static void virtio_hyv_reset(VirtIODevice *vdev)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);

    if (virtio_hyv_begin_reset(s)) {
        s->guest_waits = false;
        hyv_workers_drain(s->workers);
    }
}

/* Configuration space and features */

static void virtio_hyv_update_config(VirtIOHyv *s)
{
    struct hyv_config config;

    if (hyv_backend_get_config(&s->backend, &config, NULL) < 0) {
        config = s->config;
        config.status &= ~cpu_to_le32(HYV_CONFIG_S_HCA_PRESENT);
    }
    if (memcmp(&config, &s->config, sizeof(config))) {
        s->config = config;
        VIRTIO_DEVICE(s)->generation++;
    }
}

/* The status of the HCA has changed. */
static void virtio_hyv_config_changed(EventNotifier *n)
{
    VirtIOHyv *s = container_of(n, VirtIOHyv, config_notifier);

    if (event_notifier_test_and_clear(n)) {
        virtio_hyv_update_config(s);
        virtio_notify_config(VIRTIO_DEVICE(s));
    }
}

static void virtio_hyv_queue_broken(EventNotifier *n)
{
    VirtIOHyv *s = container_of(n, VirtIOHyv, error_notifier);

    if (event_notifier_test_and_clear(n) && !s->resetting) {
        virtio_error(VIRTIO_DEVICE(s), "virtio-hyv: an event queue is broken");
    }
}

static void virtio_hyv_get_config(VirtIODevice *vdev, uint8_t *data)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);
    struct hyv_config config;

    virtio_hyv_update_config(s);
    config = s->config;
    memcpy(config.mac, s->conf.mac.a, sizeof(config.mac));
    if (s->conf.protocol_version >= 0) {
        config.proto_min = cpu_to_le16(s->conf.protocol_version);
        config.proto_max = cpu_to_le16(s->conf.protocol_version);
    }
    memcpy(data, &config, sizeof(config));
}

static uint64_t virtio_hyv_get_features(VirtIODevice *vdev, uint64_t features,
                                        Error **errp)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);

    if (virtio_has_feature(features, VIRTIO_F_RING_PACKED)) {
        error_setg(errp, "packed=on is not supported");
    } else if (virtio_has_feature(features, VIRTIO_F_IOMMU_PLATFORM)) {
        error_setg(errp, "iommu_platform=on is not supported");
    } else if (virtio_has_feature(features, VIRTIO_F_IN_ORDER)) {
        error_setg(errp, "in_order=on is not supported");
    }
    /* hyv.ko cannot stop a single queue while the device runs. */
    virtio_clear_feature(&features, VIRTIO_F_RING_RESET);
    return features | s->backend_features;
}

/* The guest sets FEATURES_OK. */
static int virtio_hyv_validate_features(VirtIODevice *vdev)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);
    int ret;

    /* hyv.ko would wait for all running requests before it refuses this. */
    if (s->features_set) {
        return -EBUSY;
    }
    ret = hyv_backend_set_features(&s->backend, vdev->guest_features);
    trace_virtio_hyv_features(s, vdev->guest_features, ret);
    ret = virtio_hyv_ignore_removal(ret);
    if (ret == 0) {
        s->features_set = true;
        s->features = vdev->guest_features;
    }
    return ret;
}

/* Realize and unrealize */

static bool virtio_hyv_check_conf(VirtIOHyv *s, Error **errp)
{
    ERRP_GUARD();
    static const MACAddr no_mac;
    VirtIOHyvConf *conf = &s->conf;

    if (!qtest_enabled() &&
        (conf->null_backend || conf->null_fail || conf->fail_thread)) {
        error_setg(errp, "properties x-null-backend, x-null-fail and "
                   "x-fail-thread require -accel qtest");
        return false;
    }
    if (conf->hca && conf->hca_fd) {
        error_setg(errp, "properties 'hca' and 'hca-fd' are mutually "
                   "exclusive");
        return false;
    }
    if (!conf->num_event_queues ||
        conf->num_event_queues > HYV_MAX_EVENT_QUEUES) {
        error_setg(errp, "num-event-queues must be 1 to %u",
                   HYV_MAX_EVENT_QUEUES);
        return false;
    }
    if (conf->guest_addresses && !memcmp(conf->mac.a, no_mac.a, 6)) {
        error_setg(errp, "guest-addresses=on requires property 'mac'");
        error_append_hint(errp, "Set it to the MAC address of the guest's "
                          "network device.\n");
        return false;
    }
    if (conf->allowed_addresses && !conf->guest_addresses) {
        error_setg(errp, "allowed-addresses requires guest-addresses=on");
        return false;
    }
    if (conf->poll_us > VIRTIO_HYV_MAX_POLL_US) {
        error_setg(errp, "poll-us must be 0 to %u", VIRTIO_HYV_MAX_POLL_US);
        return false;
    }
    if (conf->window_size > SIZE_MAX ||
        !QEMU_IS_ALIGNED(conf->window_size, qemu_real_host_page_size())) {
        error_setg(errp, "window-size must be a multiple of the host's page "
                   "size (%zu bytes)", (size_t)qemu_real_host_page_size());
        return false;
    }
    return true;
}

/* Name that hyv.ko reports to the administrator */
static char *virtio_hyv_name(VirtIOHyv *s)
{
    const char *vm = qemu_get_vm_name();
    const char *id = BUS(virtio_hyv_bus(s))->parent->id;

    return g_strdup_printf("%s%s%s", vm ?: "", vm && id ? "/" : "", id ?: "");
}

static bool virtio_hyv_check_event_queues(VirtIOHyv *s, Error **errp)
{
    if (s->conf.num_event_queues > s->backend.max_event_queues) {
        error_setg(errp, "num-event-queues must be 1 to %u with this hyv.ko",
                   s->backend.max_event_queues);
        return false;
    }
    return true;
}

static bool virtio_hyv_attach(VirtIOHyv *s, Error **errp)
{
    VirtIOHyvConf *conf = &s->conf;
    g_autofree char *name = virtio_hyv_name(s);
    int uverbs_fd, hyv_fd = -1;
    bool ok = false;

    if (conf->null_backend) {
        if (!hyv_backend_open_null(&s->backend, conf->null_fail, errp)) {
            return false;
        }
        ok = hyv_backend_attach(&s->backend, -1, name, conf->num_event_queues,
                                errp);
        if (!ok) {
            hyv_backend_close(&s->backend);
        }
        return ok;
    }
    uverbs_fd = conf->hca_fd ?
                monitor_fd_param(monitor_cur(), conf->hca_fd, errp) :
                hyv_hca_open(conf->hca, errp);
    if (uverbs_fd < 0) {
        return false;
    }
    if (conf->hyvfd) {
        hyv_fd = monitor_fd_param(monitor_cur(), conf->hyvfd, errp);
        if (hyv_fd < 0) {
            goto out_close_uverbs;
        }
    }
    if (!hyv_backend_open(&s->backend, hyv_fd, errp)) {
        goto out_close_uverbs;
    }
    if (!virtio_hyv_check_event_queues(s, errp) ||
        !hyv_backend_attach(&s->backend, uverbs_fd, name,
                            conf->num_event_queues, errp)) {
        hyv_backend_close(&s->backend);
        goto out_close_uverbs;
    }
    ok = true;

out_close_uverbs:
    /* hyv.ko has opened the HCA itself. */
    qemu_close(uverbs_fd);
    return ok;
}

static bool virtio_hyv_query(VirtIOHyv *s, Error **errp)
{
    VirtIOHyvConf *conf = &s->conf;
    int ret;

    if (!hyv_backend_set_limits(&s->backend, &conf->limits, errp)) {
        return false;
    }
    if (conf->guest_addresses &&
        !hyv_backend_set_guest_addresses(&s->backend, &conf->mac,
                                         conf->allowed_addresses, errp)) {
        return false;
    }
    ret = hyv_backend_get_config(&s->backend, &s->config,
                                 &s->backend_features);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot query the HCA");
        return false;
    }
    return true;
}

static bool virtio_hyv_create_window(VirtIOHyv *s, Error **errp)
{
    uint64_t size = s->conf.window_size;
    g_autofree char *min = size_to_str(s->backend.min_window);

    if (size < s->backend.min_window) {
        error_setg(errp, "window-size must be at least %s", min);
        return false;
    }
    s->window = hyv_backend_map_window(&s->backend, size, errp);
    return s->window;
}

void virtio_hyv_free_window(VirtIOHyv *s)
{
    if (s->window) {
        munmap(s->window, s->conf.window_size);
        s->window = NULL;
    }
}

static bool virtio_hyv_block_migration(VirtIOHyv *s, Error **errp)
{
    error_setg(&s->migration_blocker, "virtio-hyv: the state of an HCA cannot "
               "be migrated");
    error_append_hint(&s->migration_blocker, "Unplug the device first.\n");
    return migrate_add_blocker(&s->migration_blocker, errp) == 0;
}

/* Have hyv.ko report changes; undone by virtio_hyv_stop_watching(). */
static bool virtio_hyv_watch(VirtIOHyv *s, Error **errp)
{
    int ret;

    ret = event_notifier_init(&s->config_notifier, 0);
    if (ret < 0) {
        goto err;
    }
    ret = event_notifier_init(&s->error_notifier, 0);
    if (ret < 0) {
        goto err_cleanup_config;
    }
    ret = hyv_backend_set_notify(&s->backend,
                                 event_notifier_get_fd(&s->config_notifier),
                                 event_notifier_get_fd(&s->error_notifier));
    if (ret < 0) {
        goto err_cleanup_error;
    }
    event_notifier_set_handler(&s->config_notifier, virtio_hyv_config_changed);
    event_notifier_set_handler(&s->error_notifier, virtio_hyv_queue_broken);
    return true;

err_cleanup_error:
    event_notifier_cleanup(&s->error_notifier);
err_cleanup_config:
    event_notifier_cleanup(&s->config_notifier);
err:
    error_setg_errno(errp, -ret, "cannot watch the HCA");
    return false;
}

static void virtio_hyv_stop_watching(VirtIOHyv *s)
{
    event_notifier_set_handler(&s->error_notifier, NULL);
    event_notifier_set_handler(&s->config_notifier, NULL);
    event_notifier_cleanup(&s->error_notifier);
    event_notifier_cleanup(&s->config_notifier);
}

static void virtio_hyv_unref(void *opaque)
{
    VirtIOHyv *s = opaque;
    Object *transport = s->transport;

    object_unref(OBJECT(s));
    object_unref(transport);
}

/* Close an unrealized device when its last job is over. */
static void virtio_hyv_check_close(VirtIOHyv *s)
{
    if (!s->closing || s->resetting || s->mem.busy) {
        return;
    }
    hyv_workers_free(s->workers);
    hyv_mem_free(&s->mem);
    /* Keep the window: the transport's BAR may still map it. */
    hyv_backend_close(&s->backend);
    migrate_del_blocker(&s->migration_blocker);
    ram_block_discard_disable(false);
    /* The bottom half of the workers still uses the transport. */
    aio_bh_schedule_oneshot(qemu_get_aio_context(), virtio_hyv_unref, s);
}

static void virtio_hyv_mem_idle(HyvMem *mem)
{
    VirtIOHyv *s = container_of(mem, VirtIOHyv, mem);
    VirtIODevice *vdev = VIRTIO_DEVICE(s);

    if (s->closing) {
        virtio_hyv_check_close(s);
    } else {
        virtio_hyv_handle_control(vdev, virtio_get_queue(vdev, HYV_VQ_CONTROL));
    }
}

static void virtio_hyv_device_realize(DeviceState *dev, Error **errp)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(dev);
    VirtIOHyv *s = VIRTIO_HYV(dev);
    DeviceState *transport = BUS(virtio_hyv_bus(s))->parent;
    int i;

    if (!virtio_hyv_check_conf(s, errp) || !hyv_mem_check(errp)) {
        return;
    }
    /* After a discard, the HCA would still access the old pages. */
    if (ram_block_discard_disable(true) < 0) {
        error_setg(errp, "virtio-hyv cannot be used with devices that discard "
                   "guest RAM, such as virtio-mem");
        return;
    }
    if (!virtio_hyv_block_migration(s, errp)) {
        goto err_discard_enable;
    }
    if (!virtio_hyv_attach(s, errp)) {
        goto err_unblock_migration;
    }
    if (!virtio_hyv_query(s, errp) || !virtio_hyv_create_window(s, errp)) {
        goto err_close;
    }
    s->workers = hyv_workers_new(VIRTIO_HYV_MAX_THREADS,
                                 s->conf.fail_thread,
                                 &transport->mem_reentrancy_guard, errp);
    if (!s->workers) {
        goto err_free_window;
    }
    if (!hyv_mem_start(&s->mem, &s->backend, s->workers, virtio_hyv_mem_idle,
                       errp)) {
        goto err_free_workers;
    }
    if (!virtio_hyv_watch(s, errp)) {
        goto err_mem_stop;
    }

    /* Until virtio_hyv_check_close(): requests may outlive an unplug. */
    s->transport = OBJECT(transport);
    object_ref(s->transport);
    object_ref(OBJECT(s));
    QTAILQ_INIT(&s->commands);
    s->closing = false;
    s->needs_reset_bh = qemu_bh_new(virtio_hyv_needs_reset, vdev);
    virtio_init(vdev, HYV_VIRTIO_ID, sizeof(struct hyv_config));
    virtio_add_queue(vdev, VIRTIO_HYV_CONTROL_SIZE, virtio_hyv_handle_control);
    virtio_add_queue(vdev, VIRTIO_HYV_DOORBELL_SIZE, virtio_hyv_handle_nothing);
    for (i = 0; i < s->conf.num_event_queues; i++) {
        virtio_add_queue(vdev, VIRTIO_HYV_EVENT_SIZE,
                         virtio_hyv_handle_nothing);
    }
    return;

err_mem_stop:
    hyv_mem_stop(&s->mem);
    hyv_mem_free(&s->mem);
err_free_workers:
    hyv_workers_free(s->workers);
err_free_window:
    virtio_hyv_free_window(s);
err_close:
    hyv_backend_close(&s->backend);
err_unblock_migration:
    migrate_del_blocker(&s->migration_blocker);
err_discard_enable:
    ram_block_discard_disable(false);
}

static void virtio_hyv_device_unrealize(DeviceState *dev)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(dev);
    VirtIOHyv *s = VIRTIO_HYV(dev);
    int n;

    virtio_hyv_stop_watching(s);
    hyv_mem_stop(&s->mem);
    virtio_hyv_begin_reset(s);
    virtio_hyv_unset_notifiers(s);
    for (n = 0; n < virtio_hyv_nr_queues(s); n++) {
        virtio_del_queue(vdev, n);
    }
    virtio_cleanup(vdev);
    qemu_bh_delete(s->needs_reset_bh);

    s->closing = true;
    virtio_hyv_check_close(s);
}

static const Property virtio_hyv_properties[] = {
    DEFINE_PROP_STRING("hca", VirtIOHyv, conf.hca),
    DEFINE_PROP_STRING("hca-fd", VirtIOHyv, conf.hca_fd),
    DEFINE_PROP_STRING("hyvfd", VirtIOHyv, conf.hyvfd),
    DEFINE_PROP_SIZE("window-size", VirtIOHyv, conf.window_size, 1 * GiB),
    DEFINE_PROP_UINT16("num-event-queues", VirtIOHyv, conf.num_event_queues, 1),
    DEFINE_PROP_UINT32("poll-us", VirtIOHyv, conf.poll_us, 50),
    DEFINE_PROP_MACADDR("mac", VirtIOHyv, conf.mac),
    DEFINE_PROP_BOOL("guest-addresses", VirtIOHyv, conf.guest_addresses,
                     false),
    DEFINE_PROP_STRING("allowed-addresses", VirtIOHyv, conf.allowed_addresses),
    DEFINE_PROP_UINT32("max-contexts", VirtIOHyv, conf.limits.contexts, 0),
    DEFINE_PROP_UINT32("max-pds", VirtIOHyv, conf.limits.pds, 0),
    DEFINE_PROP_UINT32("max-cqs", VirtIOHyv, conf.limits.cqs, 0),
    DEFINE_PROP_UINT32("max-qps", VirtIOHyv, conf.limits.qps, 0),
    DEFINE_PROP_UINT32("max-mrs", VirtIOHyv, conf.limits.mrs, 0),
    DEFINE_PROP_UINT32("max-ahs", VirtIOHyv, conf.limits.ahs, 0),
    DEFINE_PROP_UINT32("max-srqs", VirtIOHyv, conf.limits.srqs, 0),
    DEFINE_PROP_UINT32("max-mws", VirtIOHyv, conf.limits.mws, 0),
    DEFINE_PROP_SIZE("max-pinned", VirtIOHyv, conf.limits.pinned, 0),
    DEFINE_PROP_SIZE("max-queue-memory", VirtIOHyv, conf.limits.queue_memory,
                     0),
    DEFINE_PROP_SIZE("max-mr-bytes", VirtIOHyv, conf.limits.mr_bytes, 0),
    DEFINE_PROP_UINT64("max-mappings", VirtIOHyv, conf.limits.mappings, 0),
    DEFINE_PROP_UINT64("max-doorbell-pages", VirtIOHyv,
                       conf.limits.doorbell_pages, 0),
    DEFINE_PROP_INT32("x-protocol-version", VirtIOHyv, conf.protocol_version,
                       -1),
    DEFINE_PROP_BOOL("x-null-backend", VirtIOHyv, conf.null_backend, false),
    DEFINE_PROP_UINT32("x-null-fail", VirtIOHyv, conf.null_fail, 0),
    DEFINE_PROP_UINT32("x-fail-thread", VirtIOHyv, conf.fail_thread, 0),
};

static const struct {
    const char *property;
    const char *text;
} virtio_hyv_help[] = {
    { "hca", "HCA to use: its name (see 'rdma link') or the path of its "
             "/dev/infiniband/uverbsN" },
    { "hca-fd", "HCA to use: name or number of a file descriptor of its "
                "uverbs device, instead of hca" },
    { "hyvfd", "name or number of a file descriptor of /dev/hyv, instead of "
               "opening it" },
    { "window-size", "size of the window, which bounds the queues of the HCA "
                     "that the guest can map" },
    { "num-event-queues", "number of event queues, each with a completion "
                          "vector (1 to 16)" },
    { "poll-us", "longest time in microseconds to poll for doorbells before "
                 "the guest has to kick again (0 to 10000)" },
    { "mac", "MAC address of the guest's network device that is paired with "
             "this device" },
    { "guest-addresses", "use the IP addresses of the paired network device "
                         "for RDMA, not the HCA's; required for rdma_cm" },
    { "allowed-addresses", "addresses and prefixes that the guest may use, "
                           "separated by semicolons (default: all)" },
    { "max-contexts", "limit of guest processes that have the device open "
                      "(0: default of hyv.ko)" },
    { "max-pds", "limit of protection domains (0: default of hyv.ko)" },
    { "max-cqs", "limit of completion queues (0: default of hyv.ko)" },
    { "max-qps", "limit of queue pairs (0: default of hyv.ko)" },
    { "max-mrs", "limit of memory regions (0: default of hyv.ko)" },
    { "max-ahs", "limit of address handles (0: default of hyv.ko)" },
    { "max-srqs", "limit of shared receive queues (0: default of hyv.ko)" },
    { "max-mws", "limit of memory windows (0: default of hyv.ko)" },
    { "max-pinned", "limit of guest memory in memory regions and, if they are "
                    "there, in queues, in bytes (0: default of hyv.ko)" },
    { "max-queue-memory", "limit of host memory in queues that the HCA's "
                          "driver allocates, in bytes (0: default of hyv.ko)" },
    { "max-mr-bytes", "limit of host memory that describes memory regions and "
                      "queues in guest memory, in bytes (0: default of "
                      "hyv.ko)" },
    { "max-mappings", "limit of mappings in QEMU while memory is registered, "
                      "for all vNICs (0: default of hyv.ko)" },
    { "max-doorbell-pages", "limit of doorbell pages of the HCA; each guest "
                            "process takes 8 to 16 (0: default of hyv.ko)" },
    { "x-protocol-version", "protocol version to report, for tests "
                            "(-1: actual)" },
    { "x-null-backend", "use neither an HCA nor hyv.ko, for tests" },
    { "x-null-fail", "call of the null backend that fails, for tests "
                     "(0: none)" },
    { "x-fail-thread", "first thread that cannot be created, for tests "
                       "(0: none)" },
};

static void virtio_hyv_class_init(ObjectClass *klass, HyvClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    VirtioDeviceClass *vdc = VIRTIO_DEVICE_CLASS(klass);
    size_t i;

    dc->desc = "RDMA through the host's HCA";
    /* Useless on transports without shared memory regions */
    dc->user_creatable = false;
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    device_class_set_props(dc, virtio_hyv_properties);
    for (i = 0; i < ARRAY_SIZE(virtio_hyv_help); i++) {
        object_class_property_set_description(klass,
                                              virtio_hyv_help[i].property,
                                              virtio_hyv_help[i].text);
    }
    vdc->realize = virtio_hyv_device_realize;
    vdc->unrealize = virtio_hyv_device_unrealize;
    vdc->get_features = virtio_hyv_get_features;
    vdc->validate_features = virtio_hyv_validate_features;
    vdc->get_config = virtio_hyv_get_config;
    vdc->set_status = virtio_hyv_set_status_op;
    vdc->reset = virtio_hyv_reset;
    vdc->queue_reset = virtio_hyv_queue_reset;
}

static const TypeInfo virtio_hyv_info = {
    .name = TYPE_VIRTIO_HYV,
    .parent = TYPE_VIRTIO_DEVICE,
    .instance_size = sizeof(VirtIOHyv),
    .class_init = virtio_hyv_class_init,
};

static void virtio_hyv_register_types(void)
{
    type_register_static(&virtio_hyv_info);
}

type_init(virtio_hyv_register_types)
