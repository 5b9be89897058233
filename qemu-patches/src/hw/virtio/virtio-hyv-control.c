/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtio HyV device: control queue and access to guest memory
 */

#include "qemu/osdep.h"
#include "qemu/iov.h"
#include "qemu/memalign.h"
#include "hyv-compat.h"
#include "virtio-hyv.h"
#include "trace.h"

/*
 * Bounds the memory that a guest's requests take. The ring size does not, as
 * the guest may set it to VIRTQUEUE_MAX_SIZE.
 */
#define VIRTIO_HYV_MAX_IN_FLIGHT    128

typedef struct VirtIOHyvCommand {
    VirtQueueElement elem;      /* first: allocated by virtqueue_pop() */
    VirtIOHyv *s;
    HyvJob job;
    bool executed;              /* waits until the device is started */
    bool abandoned;             /* not in s->commands, @elem was detached */
    void *request;
    void *reply;                /* NULL: the chain is no request */
    void *scratch;
    uint32_t request_len;
    uint32_t reply_len;         /* size of @reply, then of the reply in it */
    QTAILQ_ENTRY(VirtIOHyvCommand) next;
} VirtIOHyvCommand;

/* Guest memory */

static void virtio_hyv_unmap(VirtIOHyvMapping *map, hwaddr access_len)
{
    if (map->addr) {
        dma_memory_unmap(&address_space_memory, map->addr, map->size,
                         DMA_DIRECTION_FROM_DEVICE, access_len);
        map->addr = NULL;
    }
}

/* Not QEMU's bounce buffer, which stands for device memory */
static bool virtio_hyv_is_ram(void *addr)
{
    ram_addr_t offset;

    return memory_region_from_host(addr, &offset);
}

/*
 * Map guest RAM. Refuse device memory, where an access can have any effect, and
 * the window; hyv.ko needs RAM. Store the size, as the guest may change that of
 * a queue at any time.
 */
static int virtio_hyv_map(VirtIOHyvMapping *map, hwaddr addr, hwaddr size)
{
    *map = (VirtIOHyvMapping) { .size = size };
    map->addr = dma_memory_map(&address_space_memory, addr, &map->size,
                               DMA_DIRECTION_FROM_DEVICE,
                               MEMTXATTRS_UNSPECIFIED);
    if (map->addr && (map->size < size || !virtio_hyv_is_ram(map->addr))) {
        virtio_hyv_unmap(map, 0);
    }
    return map->addr ? 0 : -EFAULT;
}

void virtio_hyv_unmap_ring(VirtIOHyvRing *ring)
{
    virtio_hyv_unmap(&ring->used, ring->used.size);
    virtio_hyv_unmap(&ring->avail, 0);
    virtio_hyv_unmap(&ring->desc, 0);
}

int virtio_hyv_map_ring(VirtIODevice *vdev, VirtIOHyvRing *ring, int n)
{
    int ret;

    ret = virtio_hyv_map(&ring->desc, virtio_queue_get_desc_addr(vdev, n),
                         virtio_queue_get_desc_size(vdev, n));
    if (ret < 0) {
        return ret;
    }
    ret = virtio_hyv_map(&ring->avail, virtio_queue_get_avail_addr(vdev, n),
                         virtio_queue_get_avail_size(vdev, n));
    if (ret < 0) {
        goto err_unmap;
    }
    ret = virtio_hyv_map(&ring->used, virtio_queue_get_used_addr(vdev, n),
                         virtio_queue_get_used_size(vdev, n));
    if (ret < 0) {
        goto err_unmap;
    }
    return 0;

err_unmap:
    virtio_hyv_unmap_ring(ring);
    return ret;
}

/* Control queue */

/*
 * Check that the rings are in RAM. The guest can map device memory over them at
 * any time, and a write to that may even unplug this device.
 */
static bool virtio_hyv_check_control(VirtIOHyv *s)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    VirtIOHyvRing ring = {};

    if (vdev->broken) {
        return false;
    }
    if (!virtio_queue_enabled(vdev, HYV_VQ_CONTROL)) {
        return true;
    }
    if (virtio_hyv_map_ring(vdev, &ring, HYV_VQ_CONTROL) < 0) {
        virtio_error(vdev, "virtio-hyv: the control queue is not in RAM");
        return false;
    }
    virtio_hyv_unmap(&ring.used, 0);
    virtio_hyv_unmap_ring(&ring);
    return true;
}

static bool virtio_hyv_buffers_in_ram(const VirtQueueElement *elem)
{
    unsigned int i;

    for (i = 0; i < elem->out_num; i++) {
        if (!virtio_hyv_is_ram(elem->out_sg[i].iov_base)) {
            return false;
        }
    }
    for (i = 0; i < elem->in_num; i++) {
        if (!virtio_hyv_is_ram(elem->in_sg[i].iov_base)) {
            return false;
        }
    }
    return true;
}

/* Return an element to the guest, without an interrupt. */
static void virtio_hyv_push(VirtIOHyvCommand *cmd, const void *reply,
                            uint32_t reply_len)
{
    VirtIODevice *vdev = VIRTIO_DEVICE(cmd->s);
    VirtQueue *vq = virtio_get_queue(vdev, HYV_VQ_CONTROL);

    iov_from_buf(cmd->elem.in_sg, cmd->elem.in_num, 0, reply, reply_len);
    virtqueue_push(vq, &cmd->elem, reply_len);
}

/* Reply to a request for which HYV_EXEC itself failed. */
static void virtio_hyv_push_error(VirtIOHyvCommand *cmd, int err)
{
    struct hyv_rsp rsp = {
        .fixed_len = cpu_to_le16(sizeof(rsp)),
        .size = cpu_to_le32(sizeof(rsp)),
    };

    switch (err) {
    case ECANCELED:
    case EINTR:
        rsp.status = cpu_to_le32(HYV_S_EINTR);
        break;
    case ENOMEM:
        rsp.status = cpu_to_le32(HYV_S_ENOMEM);
        break;
    case ENODEV:
        rsp.status = cpu_to_le32(HYV_S_ENODEV);
        break;
    default:
        rsp.status = cpu_to_le32(HYV_S_EIO);
        break;
    }
    virtio_hyv_push(cmd, &rsp, sizeof(rsp));
}

static void virtio_hyv_free_command(VirtIOHyvCommand *cmd)
{
    cmd->s->in_flight--;
    g_free(cmd->request);
    g_free(cmd->reply);
    qemu_vfree(cmd->scratch);
    g_free(cmd);
}

/* Runs in a worker thread, without the BQL */
static int virtio_hyv_execute(HyvJob *job)
{
    VirtIOHyvCommand *cmd = container_of(job, VirtIOHyvCommand, job);

    return hyv_backend_exec(&cmd->s->backend, cmd->request, cmd->request_len,
                            cmd->reply, &cmd->reply_len, cmd->scratch);
}

/* The same for a chain that is no request. */
static int virtio_hyv_refuse(HyvJob *job)
{
    return 0;
}

/*
 * Return an executed command to the guest. Its interrupt is a write to an address of
 * the guest's choice, which may be a register of a bridge: this device may have been
 * reset when this returns, and all commands be gone.
 */
static void virtio_hyv_finish(VirtIOHyvCommand *cmd)
{
    VirtIOHyv *s = cmd->s;
    VirtIODevice *vdev = VIRTIO_DEVICE(s);

    if (!virtio_hyv_check_control(s)) {
        /* It waits for the reset. */
        return;
    }
    QTAILQ_REMOVE(&s->commands, cmd, next);
    if (cmd->job.ret < 0 && cmd->reply) {
        virtio_hyv_push_error(cmd, -cmd->job.ret);
    } else {
        virtio_hyv_push(cmd, cmd->reply, cmd->reply_len);
    }
    virtio_hyv_free_command(cmd);
    virtio_notify(vdev, virtio_get_queue(vdev, HYV_VQ_CONTROL));
}

static VirtIOHyvCommand *virtio_hyv_first_executed(VirtIOHyv *s)
{
    VirtIOHyvCommand *cmd;

    QTAILQ_FOREACH(cmd, &s->commands, next) {
        if (cmd->executed) {
            return cmd;
        }
    }
    return NULL;
}

void virtio_hyv_finish_executed(VirtIOHyv *s)
{
    VirtIOHyvCommand *cmd;

    while (s->started && !VIRTIO_DEVICE(s)->broken &&
           (cmd = virtio_hyv_first_executed(s))) {
        virtio_hyv_finish(cmd);
    }
}

void virtio_hyv_abandon(VirtIOHyv *s)
{
    VirtQueue *vq = virtio_get_queue(VIRTIO_DEVICE(s), HYV_VQ_CONTROL);
    VirtIOHyvCommand *cmd, *next;

    QTAILQ_FOREACH_SAFE(cmd, &s->commands, next, next) {
        QTAILQ_REMOVE(&s->commands, cmd, next);
        virtqueue_detach_element(vq, &cmd->elem, 0);
        if (cmd->executed) {
            virtio_hyv_free_command(cmd);
        } else {
            cmd->abandoned = true;
        }
    }
    hyv_workers_cancel(s->workers);
}

static void virtio_hyv_executed(HyvJob *job)
{
    VirtIOHyvCommand *cmd = container_of(job, VirtIOHyvCommand, job);
    VirtIOHyv *s = cmd->s;
    VirtIODevice *vdev = VIRTIO_DEVICE(s);
    bool full = s->in_flight == VIRTIO_HYV_MAX_IN_FLIGHT;

    trace_virtio_hyv_command_done(s, cmd->elem.index, job->ret, cmd->reply_len);
    if (cmd->abandoned) {
        virtio_hyv_free_command(cmd);
        virtio_hyv_check_reset(s);
        return;
    }
    cmd->executed = true;
    if (!s->started) {
        /* The guest's memory must not change. */
        return;
    }
    virtio_hyv_finish(cmd);
    if (full) {
        virtio_hyv_handle_control(vdev, virtio_get_queue(vdev, HYV_VQ_CONTROL));
    }
}

static void virtio_hyv_prepare(VirtIOHyv *s, VirtIOHyvCommand *cmd)
{
    size_t out = iov_size(cmd->elem.out_sg, cmd->elem.out_num);
    size_t in = iov_size(cmd->elem.in_sg, cmd->elem.in_num);

    trace_virtio_hyv_command(s, cmd->elem.index, out, in);
    if (in < sizeof(struct hyv_rsp) || out > s->backend.max_request ||
        !virtio_hyv_buffers_in_ram(&cmd->elem)) {
        /*
         * Not returned here: the guest could add such chains as fast as this
         * takes them, and the main loop would not go on.
         */
        cmd->job.run = virtio_hyv_refuse;
        return;
    }

    /* Copy it, so that the guest cannot change it while hyv.ko checks it. */
    cmd->request = g_malloc(out);
    cmd->request_len = out;
    iov_to_buf(cmd->elem.out_sg, cmd->elem.out_num, 0, cmd->request, out);
    cmd->reply_len = MIN(in, s->backend.max_reply);
    cmd->reply = g_malloc(cmd->reply_len);
    cmd->scratch = qemu_memalign(qemu_real_host_page_size(),
                                 s->backend.scratch_len);
    cmd->job.run = virtio_hyv_execute;
}

static void virtio_hyv_submit(VirtIOHyv *s, VirtIOHyvCommand *cmd)
{
    cmd->s = s;
    cmd->request = NULL;
    cmd->reply = NULL;
    cmd->reply_len = 0;
    cmd->scratch = NULL;
    cmd->executed = false;
    cmd->abandoned = false;
    cmd->job.done = virtio_hyv_executed;
    virtio_hyv_prepare(s, cmd);
    QTAILQ_INSERT_TAIL(&s->commands, cmd, next);
    s->in_flight++;
    hyv_workers_submit(s->workers, &cmd->job);
}

void virtio_hyv_handle_control(VirtIODevice *vdev, VirtQueue *vq)
{
    VirtIOHyv *s = VIRTIO_HYV(vdev);
    VirtIOHyvCommand *cmd;

    /*
     * virtio_hyv_start() handles requests that arrive before it, and
     * virtio_hyv_mem_idle() those that are for the next table of RAM regions.
     */
    if (!s->started || s->mem.busy || !virtio_hyv_check_control(s)) {
        return;
    }
    do {
        virtio_queue_set_notification(vq, 0);
        while (s->in_flight < VIRTIO_HYV_MAX_IN_FLIGHT) {
            cmd = virtqueue_pop(vq, sizeof(*cmd));
            if (!cmd) {
                break;
            }
            virtio_hyv_submit(s, cmd);
        }
        if (s->in_flight >= VIRTIO_HYV_MAX_IN_FLIGHT) {
            /* virtio_hyv_executed() calls this function again. */
            return;
        }
        virtio_queue_set_notification(vq, 1);
    } while (!virtio_queue_empty(vq));
}
