/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HyV: access to the host kernel's hyv.ko
 */

#include "qemu/osdep.h"
#include <arpa/inet.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/memalign.h"
#include "qemu/units.h"
#include "hyv-backend.h"

#define HYV_DEV_PATH        "/dev/hyv"
#define HYV_UVERBS_DIR      "/dev/infiniband"
#define HYV_UVERBS_CLASS    "/sys/class/infiniband_verbs"

/* Sanity limit for the buffer sizes that hyv.ko reports */
#define HYV_MAX_BUFFER      (1 * MiB)

static int hyv_kernel_ioctl(HyvBackend *b, unsigned long request, void *arg)
{
    return ioctl(b->fd, request, arg) < 0 ? -errno : 0;
}

/* Name of the HCA that owns uverbs device @uverbs, or NULL */
static char *hyv_hca_of_uverbs(const char *uverbs)
{
    g_autofree char *path = g_build_filename(HYV_UVERBS_CLASS, uverbs,
                                             "ibdev", NULL);
    char *ibdev = NULL;

    if (!g_file_get_contents(path, &ibdev, NULL, NULL)) {
        return NULL;
    }
    return g_strstrip(ibdev);
}

/* Path of an HCA's uverbs device, or NULL with @errp set */
static char *hyv_hca_find(const char *hca, Error **errp)
{
    ERRP_GUARD();
    g_autoptr(GString) known = g_string_new(NULL);
    GDir *dir = g_dir_open(HYV_UVERBS_CLASS, 0, NULL);
    char *path = NULL;
    const char *entry;

    while (dir && !path && (entry = g_dir_read_name(dir))) {
        g_autofree char *ibdev = hyv_hca_of_uverbs(entry);

        if (!ibdev) {
            continue;
        }
        if (g_strcmp0(ibdev, hca) == 0) {
            path = g_build_filename(HYV_UVERBS_DIR, entry, NULL);
        }
        g_string_append_printf(known, "%s%s", known->len ? ", " : "", ibdev);
    }
    if (dir) {
        g_dir_close(dir);
    }
    if (path) {
        return path;
    }
    if (hca) {
        error_setg(errp, "HCA '%s' not found", hca);
    } else {
        error_setg(errp, "property 'hca' is required");
    }
    if (known->len) {
        error_append_hint(errp, "HCAs of this host: %s\n", known->str);
    } else {
        error_append_hint(errp, "This host has no HCA; load ib_uverbs and the "
                          "driver of the HCA.\n");
    }
    return NULL;
}

int hyv_hca_open(const char *hca, Error **errp)
{
    ERRP_GUARD();
    g_autofree char *path = NULL;
    int fd;

    if (hca && hca[0] == '/') {
        path = g_strdup(hca);
    } else {
        path = hyv_hca_find(hca, errp);
        if (!path) {
            return -1;
        }
    }

    fd = qemu_open_old(path, O_RDWR);
    if (fd >= 0) {
        return fd;
    }
    error_setg_errno(errp, errno, "cannot open HCA '%s'", hca);
    if (errno == EACCES || errno == EPERM) {
        error_append_hint(errp, "The user that runs QEMU needs read and write "
                          "access to %s.\n", path);
    }
    return -1;
}

static int hyv_dev_open(Error **errp)
{
    ERRP_GUARD();
    int fd = qemu_open_old(HYV_DEV_PATH, O_RDWR);

    if (fd >= 0) {
        return fd;
    }
    error_setg_errno(errp, errno, "cannot open " HYV_DEV_PATH);
    if (errno == ENOENT || errno == ENXIO || errno == ENODEV) {
        error_append_hint(errp, "Run 'modprobe hyv'.\n");
    } else if (errno == EACCES || errno == EPERM) {
        error_append_hint(errp, "The user that runs QEMU needs read and write "
                          "access to " HYV_DEV_PATH ".\n");
    }
    return -1;
}

bool hyv_backend_get_info(HyvBackend *b, Error **errp)
{
    ERRP_GUARD();
    struct hyv_get_info info = { .size = sizeof(info) };
    int ret = b->ioctl(b, HYV_GET_INFO, &info);

    if (ret == -ENOTTY) {
        error_setg(errp, "file descriptor is not an open " HYV_DEV_PATH);
        return false;
    }
    if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot query " HYV_DEV_PATH);
        return false;
    }
    if (info.out_abi_version != HYV_ABI_VERSION) {
        error_setg(errp, "hyv.ko is too %s for this QEMU: ABI version %u, "
                   "required %u",
                   info.out_abi_version < HYV_ABI_VERSION ? "old" : "new",
                   info.out_abi_version, HYV_ABI_VERSION);
        error_append_hint(errp, "Install hyv.ko and QEMU from the same HyV "
                          "release.\n");
        return false;
    }
    if (info.out_max_request < sizeof(struct hyv_req) ||
        info.out_max_request > HYV_MAX_BUFFER ||
        info.out_max_reply < sizeof(struct hyv_rsp) ||
        info.out_max_reply > HYV_MAX_BUFFER ||
        info.out_min_scratch > HYV_MAX_BUFFER ||
        !info.out_max_event_queues) {
        error_setg(errp, "invalid limits reported by hyv.ko: request %u, "
                   "reply %u, scratch %u, event queues %u",
                   info.out_max_request, info.out_max_reply,
                   info.out_min_scratch, info.out_max_event_queues);
        return false;
    }
    b->max_mem_regions = info.out_max_mem_regions;
    b->max_request = info.out_max_request;
    b->max_reply = info.out_max_reply;
    b->scratch_len = ROUND_UP(MAX(info.out_min_scratch, 1),
                              qemu_real_host_page_size());
    b->max_event_queues = MIN(info.out_max_event_queues, HYV_MAX_EVENT_QUEUES);
    b->min_window = info.out_min_window;
    return true;
}

bool hyv_backend_open(HyvBackend *b, int fd, Error **errp)
{
    b->fd = fd >= 0 ? fd : hyv_dev_open(errp);
    if (b->fd < 0) {
        return false;
    }
    b->ioctl = hyv_kernel_ioctl;
    if (!hyv_backend_get_info(b, errp)) {
        hyv_backend_close(b);
        return false;
    }
    return true;
}

void hyv_backend_close(HyvBackend *b)
{
    if (b->null) {
        b->free_null(b);
        b->null = NULL;
    }
    qemu_close(b->fd);
    b->fd = -1;
}

bool hyv_backend_attach(HyvBackend *b, int uverbs_fd, const char *name,
                        unsigned int nr_event_queues, Error **errp)
{
    ERRP_GUARD();
    void *scratch = qemu_memalign(qemu_real_host_page_size(), b->scratch_len);
    struct hyv_attach attach = {
        .size = sizeof(attach),
        .uverbs_fd = uverbs_fd,
        .scratch_len = b->scratch_len,
        .scratch = (uintptr_t)scratch,
        .nr_event_queues = nr_event_queues,
    };
    int ret;

    pstrcpy((char *)attach.name, sizeof(attach.name), name);
    for (char *c = (char *)attach.name; *c; c++) {
        if (!g_ascii_isprint(*c)) {
            *c = '?';
        }
    }
    ret = b->ioctl(b, HYV_ATTACH, &attach);
    qemu_vfree(scratch);

    switch (ret) {
    case 0:
        return true;
    case -EPERM:
        error_setg(errp, "cannot attach the HCA: a guest may be able to crash "
                   "the host with it");
        error_append_hint(errp, "To allow it for trusted guests, run 'echo 1 "
                          ">/sys/module/hyv/parameters/"
                          "allow_trusted_only_hca'.\n");
        return false;
    case -EBADF:
        error_setg(errp, "cannot attach the HCA: file not open for reading "
                   "and writing");
        return false;
    case -EINVAL:
        error_setg(errp, "cannot attach the HCA: not a uverbs device");
        return false;
    case -EOPNOTSUPP:
        error_setg(errp, "cannot attach the HCA: driver not supported by "
                   "hyv.ko");
        return false;
    case -EDQUOT:
        error_setg(errp, "cannot attach the HCA: the user has too many vNICs");
        error_append_hint(errp, "The limit is the parameter max_vnics_per_user "
                          "of hyv.ko.\n");
        return false;
    case -EISCONN:
        error_setg(errp, "cannot attach the HCA: " HYV_DEV_PATH " file in use "
                   "by another device");
        return false;
    case -ENODEV:
        error_setg(errp, "cannot attach the HCA: removed from the host");
        return false;
    default:
        error_setg_errno(errp, -ret, "cannot attach the HCA");
        return false;
    }
}

bool hyv_backend_set_limits(HyvBackend *b, const HyvLimits *limits,
                            Error **errp)
{
    struct hyv_set_limits arg = {
        .size = sizeof(arg),
        .max_contexts = limits->contexts,
        .max_pds = limits->pds,
        .max_cqs = limits->cqs,
        .max_qps = limits->qps,
        .max_mrs = limits->mrs,
        .max_pinned = limits->pinned,
        .max_queue_bytes = limits->queue_memory,
        .max_ahs = limits->ahs,
        .max_srqs = limits->srqs,
        .max_mws = limits->mws,
        .max_mr_bytes = limits->mr_bytes,
        .max_stitch_vmas = limits->mappings,
        .max_doorbell_pages = limits->doorbell_pages,
    };
    int ret = b->ioctl(b, HYV_SET_LIMITS, &arg);

    if (ret == -EINVAL) {
        error_setg(errp, "a max-* property is larger than hyv.ko supports");
    } else if (ret == -E2BIG) {
        error_setg(errp, "hyv.ko is too old for one of the max-* properties");
    } else if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot set the max-* properties");
    }
    return ret == 0;
}

/* Parse an address or prefix and convert it to a GID prefix. */
static bool hyv_parse_prefix(const char *text, struct hyv_gid_prefix *prefix,
                             Error **errp)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", 2);
    unsigned int length, offset = 0, i;

    memset(prefix, 0, sizeof(*prefix));
    if (inet_pton(AF_INET, parts[0], prefix->gid + 12) == 1) {
        memset(prefix->gid + 10, 0xff, 2);
        offset = 96;
    } else if (inet_pton(AF_INET6, parts[0], prefix->gid) != 1) {
        error_setg(errp, "allowed-addresses: '%s' is not an IP address",
                   parts[0]);
        return false;
    }
    prefix->length = 128;
    if (parts[1]) {
        if (qemu_strtoui(parts[1], NULL, 10, &length) ||
            length > 128 - offset) {
            error_setg(errp, "allowed-addresses: '%s' is not a valid prefix "
                       "length for '%s'", parts[1], parts[0]);
            return false;
        }
        prefix->length = offset + length;
    }
    for (i = prefix->length; i < 128; i++) {
        if (prefix->gid[i / 8] & (0x80 >> i % 8)) {
            error_setg(errp, "allowed-addresses: '%s' has bits set beyond its "
                       "prefix length", text);
            return false;
        }
    }
    return true;
}

/* fe80::/64 and the modified EUI-64 of RFC 4291 */
static struct hyv_gid_prefix hyv_link_local(const MACAddr *mac)
{
    struct hyv_gid_prefix prefix = {
        .gid = { 0xfe, 0x80, [11] = 0xff, [12] = 0xfe },
        .length = 128,
    };

    memcpy(prefix.gid + 8, mac->a, 3);
    memcpy(prefix.gid + 13, mac->a + 3, 3);
    prefix.gid[8] ^= 2;
    return prefix;
}

bool hyv_backend_set_guest_addresses(HyvBackend *b, const MACAddr *mac,
                                     const char *allowed, Error **errp)
{
    struct hyv_gid_prefix prefix = hyv_link_local(mac);
    struct hyv_set_addressing arg = {
        .size = sizeof(arg),
        .mode = HYV_ADDRESSING_GUEST,
    };
    g_autoptr(GArray) prefixes = g_array_new(false, true, sizeof(prefix));
    int i, ret;

    if (allowed) {
        g_auto(GStrv) texts = g_strsplit_set(allowed, " ;", -1);

        g_array_append_val(prefixes, prefix);
        for (i = 0; texts[i]; i++) {
            if (!*texts[i]) {
                continue;
            }
            if (!hyv_parse_prefix(texts[i], &prefix, errp)) {
                return false;
            }
            g_array_append_val(prefixes, prefix);
        }
        arg.prefixes = (uintptr_t)prefixes->data;
        arg.nr_prefixes = prefixes->len;
    }
    ret = b->ioctl(b, HYV_SET_ADDRESSING, &arg);
    if (ret == -ENOTTY) {
        error_setg(errp, "hyv.ko is too old for guest-addresses=on");
    } else if (ret == -EOPNOTSUPP) {
        error_setg(errp, "guest-addresses=on requires an HCA with RoCE v2");
    } else if (ret == -EINVAL) {
        error_setg(errp, "allowed-addresses: too many entries for hyv.ko: %d",
                   prefixes->len - 1);
    } else if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot set guest-addresses=on");
    }
    return ret == 0;
}

void *hyv_backend_map_window(HyvBackend *b, uint64_t length, Error **errp)
{
    struct hyv_set_window arg = {
        .size = sizeof(arg),
        .length = length,
    };
    int ret = b->ioctl(b, HYV_SET_WINDOW, &arg);
    void *window;

    if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot set the size of the window");
        return NULL;
    }
    window = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
    if (window == MAP_FAILED) {
        error_setg_errno(errp, errno, "cannot map the window of %" PRIu64
                         " bytes", length);
        return NULL;
    }
    return window;
}

bool hyv_backend_set_mem(HyvBackend *b, const struct hyv_mem_region *regions,
                         unsigned int nr_regions, Error **errp)
{
    struct hyv_set_mem arg = {
        .size = sizeof(arg),
        .nr_regions = nr_regions,
        .regions = (uintptr_t)regions,
    };
    int ret;

    if (nr_regions > b->max_mem_regions) {
        error_setg(errp, "guest RAM has %u regions, hyv.ko supports at most "
                   "%u", nr_regions, b->max_mem_regions);
        return false;
    }
    ret = b->ioctl(b, HYV_SET_MEM, &arg);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "cannot set the table of RAM regions");
    }
    return ret == 0;
}

int hyv_backend_get_config(HyvBackend *b, struct hyv_config *config,
                           uint64_t *features)
{
    struct hyv_get_config arg = {
        .size = sizeof(arg),
        .config = (uintptr_t)config,
        .config_len = sizeof(*config),
    };
    int ret = b->ioctl(b, HYV_GET_CONFIG, &arg);

    if (ret == 0 && features) {
        *features = arg.out_features;
    }
    return ret;
}

int hyv_backend_set_notify(HyvBackend *b, int config_fd, int error_fd)
{
    struct hyv_set_notify arg = {
        .size = sizeof(arg),
        .config_fd = config_fd,
        .error_fd = error_fd,
    };

    return b->ioctl(b, HYV_SET_NOTIFY, &arg);
}

int hyv_backend_set_features(HyvBackend *b, uint64_t features)
{
    struct hyv_set_features arg = {
        .size = sizeof(arg),
        .features = features,
    };

    return b->ioctl(b, HYV_SET_FEATURES, &arg);
}

int hyv_backend_set_doorbell(HyvBackend *b, int kick_fd, uint32_t poll_us)
{
    struct hyv_set_doorbell arg = {
        .size = sizeof(arg),
        .kick_fd = kick_fd,
        .poll_us = poll_us,
    };

    return b->ioctl(b, HYV_SET_DOORBELL, &arg);
}

int hyv_backend_start_event_queue(HyvBackend *b, unsigned int index,
                                  unsigned int num, void *desc, void *avail,
                                  void *used, int kick_fd, int call_fd,
                                  uint16_t avail_index)
{
    struct hyv_set_event_queue arg = {
        .size = sizeof(arg),
        .index = index,
        .num = num,
        .desc = (uintptr_t)desc,
        .avail = (uintptr_t)avail,
        .used = (uintptr_t)used,
        .kick_fd = kick_fd,
        .call_fd = call_fd,
        .avail_index = avail_index,
    };

    return b->ioctl(b, HYV_SET_EVENT_QUEUE, &arg);
}

int hyv_backend_stop_event_queue(HyvBackend *b, unsigned int index,
                                 uint16_t *avail_index)
{
    struct hyv_set_event_queue arg = {
        .size = sizeof(arg),
        .index = index,
        .kick_fd = -1,
        .call_fd = -1,
    };
    int ret = b->ioctl(b, HYV_SET_EVENT_QUEUE, &arg);

    if (ret == 0) {
        *avail_index = arg.avail_index;
    }
    return ret;
}

int hyv_backend_reset(HyvBackend *b)
{
    struct hyv_reset arg = { .size = sizeof(arg) };

    return b->ioctl(b, HYV_RESET, &arg);
}

int hyv_backend_exec(HyvBackend *b, const void *request, uint32_t request_len,
                     void *reply, uint32_t *reply_len, void *scratch)
{
    struct hyv_exec arg = {
        .size = sizeof(arg),
        .request = (uintptr_t)request,
        .reply = (uintptr_t)reply,
        .scratch = (uintptr_t)scratch,
        .request_len = request_len,
        .reply_len = *reply_len,
        .scratch_len = b->scratch_len,
    };
    int ret = b->ioctl(b, HYV_EXEC, &arg);

    if (ret == 0) {
        *reply_len = MIN(arg.out_reply_len, *reply_len);
    }
    return ret;
}
