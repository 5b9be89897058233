/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: replacement of hyv.ko for tests of the device
 *
 * It accepts every setup call in the order that hyv.ko enforces, except
 * features and addresses that hyv.ko would not accept. The window is a memfd.
 * The reply to a request carries the request; some opcodes have an effect in
 * addition. Starting an event queue interrupts the guest. One call of any kind
 * can be made to fail.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/lockable.h"
#include "qemu/memfd.h"
#include "qemu/thread.h"
#include "qemu/units.h"
#include "standard-headers/linux/virtio_config.h"
#include "hyv-compat.h"
#include "hyv-backend.h"

/* Takes a while, like address resolution; nothing interrupts it */
#define HYV_NULL_OP_SLOW        0xffff
#define HYV_NULL_SLOW_MS        500
/* The same, longer */
#define HYV_NULL_OP_STUCK       0xfffe
#define HYV_NULL_STUCK_MS       3000
/* Takes longer than any test, until a reset interrupts it, like pinning */
#define HYV_NULL_OP_PIN         0xfffd
#define HYV_NULL_PIN_MS         (120 * 1000)
/* Removes the HCA */
#define HYV_NULL_OP_REMOVE      0xfffc
/* Reports a broken event queue */
#define HYV_NULL_OP_BREAK       0xfffb

#define HYV_NULL_MAX_PREFIXES   64

typedef struct HyvNull {
    QemuMutex lock;             /* protects all members below */
    QemuCond changed;           /* @resetting or @running */
    unsigned int running;       /* requests */
    bool resetting;
    bool features_set;
    bool window_set;
    bool removed;
    unsigned int calls;
    unsigned int fail_call;     /* the number of a call that fails, or 0 */
    uint16_t nr_event_queues;
    int config_fd;
    int error_fd;
} HyvNull;

static int hyv_null_get_info(struct hyv_get_info *info)
{
    info->out_abi_version = HYV_ABI_VERSION;
    info->out_max_mem_regions = 64;
    info->out_max_request = HYV_MAX_REQ_SIZE;
    info->out_max_reply = HYV_MAX_RSP_SIZE;
    info->out_min_scratch = 4 * KiB;
    info->out_max_event_queues = HYV_MAX_EVENT_QUEUES;
    info->out_min_window = 1 * MiB;
    return 0;
}

static int hyv_null_set_window(HyvBackend *b, struct hyv_set_window *arg)
{
    HyvNull *null = b->null;

    if (null->window_set) {
        return -EBUSY;
    }
    null->window_set = true;
    return ftruncate(b->fd, arg->length) < 0 ? -errno : 0;
}

/* Wait for requests that may use the old table. */
static int hyv_null_set_mem(HyvNull *null)
{
    QEMU_LOCK_GUARD(&null->lock);
    while (null->running) {
        qemu_cond_wait(&null->changed, &null->lock);
    }
    return 0;
}

static int hyv_null_get_config(HyvNull *null, struct hyv_get_config *arg)
{
    struct hyv_config config = {
        .proto_min = cpu_to_le16(HYV_PROTO_VERSION),
        .proto_max = cpu_to_le16(HYV_PROTO_VERSION),
        .nr_event_queues = cpu_to_le16(null->nr_event_queues),
        .max_request = cpu_to_le32(HYV_MAX_REQ_SIZE),
    };

    QEMU_LOCK_GUARD(&null->lock);
    if (!null->removed) {
        config.status = cpu_to_le32(HYV_CONFIG_S_HCA_PRESENT);
    }
    memcpy((void *)(uintptr_t)arg->config, &config,
           MIN(sizeof(config), arg->config_len));
    arg->out_features = HYV_FEATURES_ALL;
    return 0;
}

static int hyv_null_set_features(HyvNull *null, struct hyv_set_features *arg)
{
    QEMU_LOCK_GUARD(&null->lock);
    /* Like hyv.ko, which may have to wait for nothing */
    while (null->running) {
        qemu_cond_wait(&null->changed, &null->lock);
    }
    if (null->removed) {
        return -ENODEV;
    }
    if (null->features_set) {
        return -EBUSY;
    }
    if (!(arg->features & (1ull << VIRTIO_F_VERSION_1)) ||
        !(arg->features & (1ull << HYV_F_GUEST_GIDS))) {
        return -EOPNOTSUPP;
    }
    null->features_set = true;
    return 0;
}

static int hyv_null_signal(int fd)
{
    const uint64_t one = 1;

    return write(fd, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
}

static int hyv_null_set_event_queue(HyvNull *null,
                                    struct hyv_set_event_queue *arg)
{
    QEMU_LOCK_GUARD(&null->lock);
    if (!arg->num) {
        return 0;
    }
    if (!null->features_set) {
        return null->removed ? -ENODEV : -EPROTO;
    }
    return hyv_null_signal(arg->call_fd);
}

static int hyv_null_set_notify(HyvNull *null, struct hyv_set_notify *arg)
{
    QEMU_LOCK_GUARD(&null->lock);
    null->config_fd = dup(arg->config_fd);
    null->error_fd = dup(arg->error_fd);
    return null->config_fd < 0 || null->error_fd < 0 ? -EBADF : 0;
}

/* As strict as hyv.ko */
static int hyv_null_set_addressing(struct hyv_set_addressing *arg)
{
    const struct hyv_gid_prefix *prefix = (void *)(uintptr_t)arg->prefixes;
    unsigned int i, bit;

    if (arg->flags || arg->mode != HYV_ADDRESSING_GUEST ||
        arg->nr_prefixes > HYV_NULL_MAX_PREFIXES) {
        return -EINVAL;
    }
    for (i = 0; i < arg->nr_prefixes; i++) {
        if (prefix[i].length > 128 || prefix[i].reserved) {
            return -EINVAL;
        }
        for (bit = prefix[i].length; bit < 128; bit++) {
            if (prefix[i].gid[bit / 8] & (0x80 >> bit % 8)) {
                return -EINVAL;
            }
        }
    }
    return 0;
}

/* Called with the lock held, which is released meanwhile */
static void hyv_null_sleep(HyvNull *null, int ms, bool interruptible)
{
    gint64 end = g_get_monotonic_time() + ms * 1000;
    gint64 now;

    while ((now = g_get_monotonic_time()) < end &&
           !(interruptible && null->resetting)) {
        qemu_cond_timedwait(&null->changed, &null->lock,
                            (end - now) / 1000 + 1);
    }
}

static int hyv_null_operate(HyvNull *null, uint16_t opcode)
{
    switch (opcode) {
    case HYV_NULL_OP_SLOW:
        hyv_null_sleep(null, HYV_NULL_SLOW_MS, false);
        return 0;
    case HYV_NULL_OP_STUCK:
        hyv_null_sleep(null, HYV_NULL_STUCK_MS, false);
        return 0;
    case HYV_NULL_OP_PIN:
        hyv_null_sleep(null, HYV_NULL_PIN_MS, true);
        return null->resetting ? -EINTR : 0;
    case HYV_NULL_OP_REMOVE:
        null->removed = true;
        return hyv_null_signal(null->config_fd);
    case HYV_NULL_OP_BREAK:
        return hyv_null_signal(null->error_fd);
    default:
        return 0;
    }
}

static int hyv_null_exec(HyvNull *null, struct hyv_exec *arg)
{
    const struct hyv_req *req = (void *)(uintptr_t)arg->request;
    struct hyv_rsp *rsp = (void *)(uintptr_t)arg->reply;
    uint32_t len = MIN(arg->request_len, arg->reply_len - sizeof(*rsp));
    int ret = 0;

    QEMU_LOCK_GUARD(&null->lock);
    if (null->removed) {
        return -ENODEV;
    }
    if (!null->features_set || null->resetting) {
        return -EPROTO;
    }
    null->running++;
    if (arg->request_len >= sizeof(*req)) {
        ret = hyv_null_operate(null, le16_to_cpu(req->opcode));
    }
    null->running--;
    qemu_cond_broadcast(&null->changed);
    if (ret < 0) {
        return ret;
    }
    *rsp = (struct hyv_rsp) {
        .fixed_len = cpu_to_le16(sizeof(*rsp)),
        .size = cpu_to_le32(sizeof(*rsp) + len),
        .udata_len = cpu_to_le32(len),
    };
    if (len) {
        memcpy(rsp + 1, req, len);
    }
    arg->out_reply_len = sizeof(*rsp) + len;
    return 0;
}

static int hyv_null_reset(HyvNull *null)
{
    QEMU_LOCK_GUARD(&null->lock);
    null->resetting = true;
    qemu_cond_broadcast(&null->changed);
    while (null->running) {
        qemu_cond_wait(&null->changed, &null->lock);
    }
    null->resetting = false;
    null->features_set = false;
    return 0;
}

static bool hyv_null_fails(HyvNull *null)
{
    QEMU_LOCK_GUARD(&null->lock);
    return ++null->calls == null->fail_call;
}

static int hyv_null_ioctl(HyvBackend *b, unsigned long request, void *arg)
{
    HyvNull *null = b->null;

    if (hyv_null_fails(null)) {
        return -ENOMEM;
    }
    switch (request) {
    case HYV_GET_INFO:
        return hyv_null_get_info(arg);
    case HYV_ATTACH:
        null->nr_event_queues = ((struct hyv_attach *)arg)->nr_event_queues;
        return 0;
    case HYV_SET_WINDOW:
        return hyv_null_set_window(b, arg);
    case HYV_SET_MEM:
        return hyv_null_set_mem(null);
    case HYV_GET_CONFIG:
        return hyv_null_get_config(null, arg);
    case HYV_SET_NOTIFY:
        return hyv_null_set_notify(null, arg);
    case HYV_SET_FEATURES:
        return hyv_null_set_features(null, arg);
    case HYV_SET_EVENT_QUEUE:
        return hyv_null_set_event_queue(null, arg);
    case HYV_SET_ADDRESSING:
        return hyv_null_set_addressing(arg);
    case HYV_EXEC:
        return hyv_null_exec(null, arg);
    case HYV_RESET:
        return hyv_null_reset(null);
    default:
        return 0;
    }
}

static void hyv_null_free(HyvBackend *b)
{
    HyvNull *null = b->null;

    g_assert(!null->running);
    close(null->config_fd);
    close(null->error_fd);
    qemu_cond_destroy(&null->changed);
    qemu_mutex_destroy(&null->lock);
    g_free(null);
}

bool hyv_backend_open_null(HyvBackend *b, unsigned int fail_call, Error **errp)
{
    HyvNull *null;

    b->fd = qemu_memfd_create("hyv-null", 0, false, 0, 0, errp);
    if (b->fd < 0) {
        return false;
    }
    null = g_new0(HyvNull, 1);
    null->config_fd = -1;
    null->error_fd = -1;
    null->fail_call = fail_call;
    qemu_mutex_init(&null->lock);
    qemu_cond_init(&null->changed);
    b->null = null;
    b->ioctl = hyv_null_ioctl;
    b->free_null = hyv_null_free;
    if (!hyv_backend_get_info(b, errp)) {
        hyv_backend_close(b);
        return false;
    }
    return true;
}
