/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the QTest testcases of virtio-hyv
 *
 * The device runs with x-null-backend=on (hw/virtio/hyv-backend-null.c) and so
 * needs neither an HCA nor hyv.ko.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qapi/error.h"
#include "virtio-hyv.h"

char *bios;

QTestState *start_machine(const char *machine, const char *ram,
                          const char *device)
{
    return qtest_initf("-nodefaults -machine %s,memory-backend=mem -m 64M "
                       "%s -bios %s %s",
                       machine, ram, bios, device);
}

QTestState *start_qemu(const char *ram, const char *device)
{
    return start_machine("pc", ram, device);
}

void hyv_find(HyvTest *t, int devfn)
{
    QPCIAddress addr = { .devfn = devfn };

    t->dev = virtio_pci_new(t->bus, &addr);
    g_assert_nonnull(t->dev);
    g_assert_cmpint(t->dev->vdev.device_type, ==, HYV_VIRTIO_ID);
    qvirtio_pci_device_enable(t->dev);
}

static void hyv_start_qemu(HyvTest *t, const char *device)
{
    memset(t, 0, sizeof(*t));
    t->qts = start_qemu(RAM_SHARED, device);
    pc_alloc_init(&t->alloc, t->qts, ALLOC_NO_FLAGS);
    t->bus = qpci_new_pc(t->qts, &t->alloc);
}

void hyv_start_empty(HyvTest *t)
{
    hyv_start_qemu(t, "");
}

void hyv_start(HyvTest *t, const char *options)
{
    g_autofree char *device = g_strdup_printf("-device virtio-hyv-pci,id=hyv,"
                                              "addr=%d,x-null-backend=on%s",
                                              SLOT, options);

    hyv_start_qemu(t, device);
    hyv_find(t, QPCI_DEVFN(SLOT, 0));
}

void hyv_map_window(HyvTest *t)
{
    qpci_config_writel(t->dev->pdev, WINDOW_BAR, 0);
    qpci_config_writel(t->dev->pdev, WINDOW_BAR + 4, WINDOW_ADDR >> 32);
}

uint64_t hyv_register(HyvTest *t, unsigned int reg)
{
    return t->dev->bar.addr + t->dev->common_cfg_offset + reg;
}

void hyv_set_queue(HyvTest *t, uint16_t queue, unsigned int reg,
                   uint16_t value)
{
    uint64_t common = t->dev->common_cfg_offset;

    qpci_io_writew(t->dev->pdev, t->dev->bar,
                   common + VIRTIO_PCI_COMMON_Q_SELECT, queue);
    qpci_io_writew(t->dev->pdev, t->dev->bar, common + reg, value);
}

void hyv_setup_queues(HyvTest *t)
{
    QVirtioDevice *vdev = &t->dev->vdev;

    t->control = qvirtqueue_setup(vdev, &t->alloc, HYV_VQ_CONTROL);
    t->doorbell = qvirtqueue_setup(vdev, &t->alloc, HYV_VQ_DOORBELL);
    t->event = qvirtqueue_setup(vdev, &t->alloc, HYV_VQ_EVENT0);
}

void hyv_prepare(HyvTest *t, uint16_t control_size)
{
    QVirtioDevice *vdev = &t->dev->vdev;
    uint64_t features;

    qvirtio_start_device(vdev);
    features = qvirtio_get_features(vdev);
    g_assert_cmphex(features & HYV_FEATURES_ALL, ==, HYV_FEATURES_ALL);
    g_assert_false(features & (1ull << VIRTIO_F_RING_PACKED));
    g_assert_false(features & (1ull << VIRTIO_F_RING_RESET));
    qvirtio_set_features(vdev, features & ~((1ull << VIRTIO_RING_F_EVENT_IDX) |
                                            QVIRTIO_F_BAD_FEATURE));
    /* Some versions of QEMU offer larger rings than the device asks for. */
    hyv_set_queue(t, HYV_VQ_CONTROL, VIRTIO_PCI_COMMON_Q_SIZE,
                  control_size ?: CONTROL_RING);
    hyv_set_queue(t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_SIZE, EVENT_RING);
    hyv_setup_queues(t);
}

void hyv_drive(HyvTest *t)
{
    hyv_prepare(t, 0);
    qvirtio_set_driver_ok(&t->dev->vdev);
}

void hyv_drive_large(HyvTest *t)
{
    hyv_prepare(t, MAX_RING);
    qvirtio_set_driver_ok(&t->dev->vdev);
}

void hyv_release_queues(HyvTest *t)
{
    const QVirtioBus *bus = t->dev->vdev.bus;

    qvirtqueue_cleanup(bus, t->event, &t->alloc);
    qvirtqueue_cleanup(bus, t->doorbell, &t->alloc);
    qvirtqueue_cleanup(bus, t->control, &t->alloc);
    t->control = NULL;
}

uint8_t hyv_status(HyvTest *t)
{
    return t->dev->vdev.bus->get_status(&t->dev->vdev);
}

void hyv_await_reset(HyvTest *t)
{
    gint64 end = g_get_monotonic_time() + TIMEOUT_US;

    while (hyv_status(t)) {
        g_assert(g_get_monotonic_time() < end);
        g_usleep(1000);
    }
    t->dev->vdev.features_negotiated = false;
}

void hyv_reset(HyvTest *t)
{
    t->dev->vdev.bus->set_status(&t->dev->vdev, 0);
    hyv_await_reset(t);
    hyv_release_queues(t);
}

void hyv_end(HyvTest *t)
{
    if (t->control) {
        hyv_release_queues(t);
    }
    qvirtio_pci_device_disable(t->dev);
    qvirtio_pci_destructor(&t->dev->obj);
    g_free(t->dev);
    qpci_free_pc(t->bus);
    alloc_destroy(&t->alloc);
    qtest_quit(t->qts);
}

uint32_t hyv_add(HyvTest *t, uint64_t req, uint32_t req_len,
                 uint64_t rsp, uint32_t rsp_len)
{
    uint32_t head;

    if (!req_len) {
        return qvirtqueue_add(t->qts, t->control, rsp, rsp_len, true, false);
    }
    head = qvirtqueue_add(t->qts, t->control, req, req_len, false, rsp_len);
    if (rsp_len) {
        qvirtqueue_add(t->qts, t->control, rsp, rsp_len, true, false);
    }
    return head;
}

void hyv_kick(HyvTest *t, uint32_t head)
{
    qvirtqueue_kick(t->qts, &t->dev->vdev, t->control, head);
}

uint32_t hyv_wait(HyvTest *t, uint32_t *len)
{
    gint64 end = g_get_monotonic_time() + TIMEOUT_US;
    uint32_t head;

    while (!qvirtqueue_get_buf(t->qts, t->control, &head, len)) {
        g_assert(g_get_monotonic_time() < end);
        g_usleep(1000);
    }
    return head;
}

void hyv_expect(HyvTest *t, uint32_t head, uint32_t len)
{
    uint32_t got_len;

    g_assert_cmpuint(hyv_wait(t, &got_len), ==, head);
    g_assert_cmpuint(got_len, ==, len);
}

void hyv_echo(HyvTest *t, uint32_t size)
{
    uint32_t reply_size = sizeof(struct hyv_rsp) + size;
    uint64_t req = guest_alloc(&t->alloc, size);
    uint64_t rsp = guest_alloc(&t->alloc, reply_size);
    g_autofree uint8_t *sent = g_malloc(size);
    g_autofree uint8_t *got = g_malloc(reply_size);
    struct hyv_rsp *hdr = (void *)got;
    uint32_t i, head;

    for (i = 0; i < size; i++) {
        sent[i] = i * 7;
    }
    qtest_memwrite(t->qts, req, sent, size);
    head = hyv_add(t, req, size, rsp, reply_size);
    hyv_kick(t, head);
    qvirtio_wait_queue_isr(t->qts, &t->dev->vdev, t->control, TIMEOUT_US);
    hyv_expect(t, head, reply_size);

    qtest_memread(t->qts, rsp, got, reply_size);
    g_assert_cmpuint(le32_to_cpu(hdr->status), ==, HYV_OK);
    g_assert_cmpuint(le32_to_cpu(hdr->size), ==, reply_size);
    g_assert_cmpmem(got + sizeof(*hdr), size, sent, size);
    guest_free(&t->alloc, rsp);
    guest_free(&t->alloc, req);
}

uint64_t hyv_request(HyvTest *t, uint16_t opcode)
{
    struct hyv_req hdr = { .opcode = cpu_to_le16(opcode) };
    uint64_t req = guest_alloc(&t->alloc, sizeof(hdr));

    qtest_memwrite(t->qts, req, &hdr, sizeof(hdr));
    return req;
}

uint32_t hyv_send(HyvTest *t, uint16_t opcode, unsigned int nr)
{
    uint64_t req = hyv_request(t, opcode);
    uint64_t rsp = guest_alloc(&t->alloc, sizeof(struct hyv_rsp));
    uint32_t head = 0;

    while (nr--) {
        head = hyv_add(t, req, sizeof(struct hyv_req), rsp,
                       sizeof(struct hyv_rsp));
        hyv_kick(t, head);
    }
    return head;
}

int64_t hyv_in_flight(HyvTest *t)
{
    QDict *rsp = qtest_qmp(t->qts, "{'execute': 'x-query-virtio-queue-status',"
                           " 'arguments': {'queue': %d, 'path':"
                           " '/machine/peripheral/hyv/virtio-backend'}}",
                           HYV_VQ_CONTROL);
    int64_t n = qdict_get_int(qdict_get_qdict(rsp, "return"), "inuse");

    qobject_unref(rsp);
    return n;
}

void hyv_add_slow(HyvTest *t, unsigned int nr)
{
    hyv_send(t, OP_SLOW, nr);
}

bool hyv_used(HyvTest *t)
{
    uint32_t head, len;

    return qvirtqueue_get_buf(t->qts, t->control, &head, &len);
}

void hyv_expect_failed(HyvTest *t)
{
    qvirtio_wait_config_isr(&t->dev->vdev, TIMEOUT_US);
    g_assert_true(hyv_status(t) & VIRTIO_CONFIG_S_NEEDS_RESET);

    hyv_reset(t);
    hyv_drive(t);
    hyv_echo(t, 100);
}

void hyv_acknowledge(HyvTest *t, uint64_t features)
{
    int i;

    for (i = 0; i < 2; i++) {
        qtest_writel(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_GFSELECT), i);
        qtest_writel(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_GF),
                     features >> 32 * i);
    }
}

char *plug(QTestState *qts, const char *properties)
{
    QDict *args = qobject_to(QDict, qobject_from_json(properties,
                                                      &error_abort));
    char *desc = NULL;
    QDict *rsp;

    qdict_put_str(args, "driver", "virtio-hyv-pci");
    qdict_put_str(args, "id", "hyv");
    qdict_put_str(args, "addr", stringify(SLOT_HOTPLUG));
    rsp = qtest_qmp(qts, "{'execute': 'device_add', 'arguments': %p}", args);
    if (qdict_haskey(rsp, "error")) {
        desc = g_strdup(qdict_get_str(qdict_get_qdict(rsp, "error"), "desc"));
    }
    qobject_unref(rsp);
    return desc;
}

/* QEMU, the only child of this process */
static int hyv_qemu_pid(void)
{
    g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children",
                                            (int)getpid());
    g_autofree char *children = NULL;

    g_assert_true(g_file_get_contents(path, &children, NULL, NULL));
    return atoi(children);
}

static bool hyv_has_window(void)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/maps", hyv_qemu_pid());
    g_autofree char *maps = NULL;

    g_assert_true(g_file_get_contents(path, &maps, NULL, NULL));
    return strstr(maps, "memfd:hyv-null");
}

void hyv_expect_freed(QTestState *qts)
{
    gint64 end = g_get_monotonic_time() + TIMEOUT_US;

    /* Memory regions are freed when QEMU's threads do not use them any longer. */
    while (hyv_has_window()) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        qtest_qmp_assert_success(qts, "{'execute': 'query-status'}");
        g_usleep(1000);
    }
}
