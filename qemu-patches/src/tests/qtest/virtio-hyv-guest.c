/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcases of virtio-hyv: a guest that breaks the rules
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "virtio-hyv.h"

/* The device in the port */
#define PORT_DEVFN      QPCI_DEVFN(PORT_SLOT, 0)
#define PORT_BUS        1
/* libqos assigns memory BARs from here on */
#define PORT_MEMORY     0xe0000000
#define Q35_ECAM        0xb0000000
#define Q35_PCIEXBAR    0x60

static void test_failed_start(void)
{
    const uint8_t status = VIRTIO_CONFIG_S_ACKNOWLEDGE |
                           VIRTIO_CONFIG_S_DRIVER | VIRTIO_CONFIG_S_DRIVER_OK;
    QVirtioDevice *vdev;
    HyvTest t;

    hyv_start(&t, "");
    vdev = &t.dev->vdev;
    /* The driver acknowledges no feature at all. */
    qvirtio_start_device(vdev);
    vdev->features_negotiated = true;
    hyv_setup_queues(&t);
    vdev->bus->set_status(vdev, status);
    qvirtio_wait_config_isr(vdev, TIMEOUT_US);
    g_assert_cmphex(hyv_status(&t), ==, status | VIRTIO_CONFIG_S_NEEDS_RESET);
    /* Only a reset clears it. */
    vdev->bus->set_status(vdev, status);
    hyv_expect_failed(&t);
    hyv_end(&t);
}

/* Features that the backend refuses */
static void test_features(void)
{
    const uint64_t all = (1ull << VIRTIO_F_VERSION_1) | HYV_FEATURES_ALL;
    const uint64_t bad[] = {
        all & ~(1ull << HYV_F_GUEST_GIDS), HYV_FEATURES_ALL, 0,
    };
    const uint8_t status = VIRTIO_CONFIG_S_ACKNOWLEDGE |
                           VIRTIO_CONFIG_S_DRIVER;
    QVirtioDevice *vdev;
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    vdev = &t.dev->vdev;
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        qvirtio_start_device(vdev);
        /* libqos refuses to do without VIRTIO_F_VERSION_1 */
        hyv_acknowledge(&t, bad[i]);
        vdev->bus->set_status(vdev, status | VIRTIO_CONFIG_S_FEATURES_OK);
        g_assert_cmphex(hyv_status(&t), ==, status);
    }
    /* A driver that goes on has a device that needs a reset. */
    vdev->features_negotiated = true;
    hyv_setup_queues(&t);
    vdev->bus->set_status(vdev, status | VIRTIO_CONFIG_S_DRIVER_OK);
    hyv_expect_failed(&t);

    /* Set once, whatever else changes in the status */
    vdev->bus->set_status(vdev, hyv_status(&t));
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* A guest that negotiates again during a request gets nothing from it. */
static void test_features_again(void)
{
    const uint8_t status = VIRTIO_CONFIG_S_ACKNOWLEDGE |
                           VIRTIO_CONFIG_S_DRIVER | VIRTIO_CONFIG_S_DRIVER_OK;
    QVirtioDevice *vdev;
    gint64 start;
    uint32_t head;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    vdev = &t.dev->vdev;
    start = g_get_monotonic_time();
    head = hyv_send(&t, OP_STUCK, 1);
    vdev->bus->set_status(vdev, status);
    vdev->bus->set_status(vdev, status | VIRTIO_CONFIG_S_FEATURES_OK);
    /* Neither the vCPU nor the monitor has waited for the request. */
    qtest_qmp_assert_success(t.qts, "{'execute': 'query-status'}");
    g_assert_cmpint(g_get_monotonic_time() - start, <, STUCK_US);
    g_assert_cmphex(hyv_status(&t) & VIRTIO_CONFIG_S_FEATURES_OK, ==, 0);
    hyv_expect(&t, head, sizeof(struct hyv_rsp));
    hyv_reset(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* Nothing runs before FEATURES_OK, though hyv.ko has no queue to refuse. */
static void test_no_features(void)
{
    const uint8_t status = VIRTIO_CONFIG_S_ACKNOWLEDGE |
                           VIRTIO_CONFIG_S_DRIVER | VIRTIO_CONFIG_S_DRIVER_OK;
    QVirtioDevice *vdev;
    HyvTest t;

    hyv_start(&t, "");
    vdev = &t.dev->vdev;
    qvirtio_start_device(vdev);
    hyv_acknowledge(&t, (1ull << VIRTIO_F_VERSION_1) | HYV_FEATURES_ALL);
    vdev->features_negotiated = true;
    t.control = qvirtqueue_setup(vdev, &t.alloc, HYV_VQ_CONTROL);
    vdev->bus->set_status(vdev, status);
    qvirtio_wait_config_isr(vdev, TIMEOUT_US);
    g_assert_cmphex(hyv_status(&t), ==, status | VIRTIO_CONFIG_S_NEEDS_RESET);
    hyv_send(&t, OP_STUCK, 1);
    g_assert_cmpint(hyv_in_flight(&t), ==, 0);
    g_assert_false(hyv_used(&t));
    vdev->bus->set_status(vdev, 0);
    hyv_await_reset(&t);
    qvirtqueue_cleanup(vdev->bus, t.control, &t.alloc);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* After FEATURES_OK the device knows its features, whatever the transport accepts. */
static void test_other_features(void)
{
    const uint64_t features = (1ull << VIRTIO_F_VERSION_1) | HYV_FEATURES_ALL;
    const uint8_t status = VIRTIO_CONFIG_S_ACKNOWLEDGE | VIRTIO_CONFIG_S_DRIVER;
    QVirtioDevice *vdev;
    HyvTest t;

    hyv_start(&t, "");
    vdev = &t.dev->vdev;
    qvirtio_start_device(vdev);
    hyv_acknowledge(&t, features | 1ull << VIRTIO_RING_F_EVENT_IDX);
    vdev->bus->set_status(vdev, status | VIRTIO_CONFIG_S_FEATURES_OK);
    vdev->bus->set_status(vdev, status);
    hyv_acknowledge(&t, features);
    vdev->features_negotiated = true;
    t.control = qvirtqueue_setup(vdev, &t.alloc, HYV_VQ_CONTROL);
    vdev->bus->set_status(vdev, status | VIRTIO_CONFIG_S_DRIVER_OK);
    qvirtio_wait_config_isr(vdev, TIMEOUT_US);
    g_assert_cmphex(hyv_status(&t), ==, status | VIRTIO_CONFIG_S_DRIVER_OK |
                                        VIRTIO_CONFIG_S_NEEDS_RESET);
    vdev->bus->set_status(vdev, 0);
    hyv_await_reset(&t);
    qvirtqueue_cleanup(vdev->bus, t.control, &t.alloc);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* Queue reset is not offered; a guest that uses it must reset the device. */
static void test_queue_reset(void)
{
    static const int queues[] = { HYV_VQ_CONTROL, HYV_VQ_EVENT0, 100 };
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    for (i = 0; i < ARRAY_SIZE(queues); i++) {
        hyv_send(&t, OP_PIN, 10);
        hyv_set_queue(&t, queues[i], VIRTIO_PCI_COMMON_Q_RESET, 1);
        g_assert_cmpint(hyv_in_flight(&t), ==, 0);
        hyv_add_slow(&t, 1);
        g_assert_cmpint(hyv_in_flight(&t), ==, 0);
        g_usleep(2 * SLOW_US);
        g_assert_false(hyv_used(&t));
        hyv_expect_failed(&t);
    }
    hyv_end(&t);
}

static uint16_t hyv_get_queue(HyvTest *t, uint16_t queue, unsigned int reg)
{
    qtest_writew(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_Q_SELECT), queue);
    return qtest_readw(t->qts, hyv_register(t, reg));
}

/* A queue in use keeps its size and its vector, and the device that of changes. */
static void test_queue_in_use(void)
{
    uint64_t req, rsp;
    unsigned int i;
    uint32_t head;
    HyvTest t;

    hyv_start(&t, "");
    hyv_prepare(&t, 0);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_MSIX, 1);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_MSIX, 1);
    qvirtio_set_driver_ok(&t.dev->vdev);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_MSIX, 2);
    g_assert_cmphex(hyv_get_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_MSIX),
                    ==, 1);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_MSIX, 2);
    g_assert_cmphex(hyv_get_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_MSIX),
                    ==, 1);

    req = hyv_request(&t, 0);
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    head = hyv_add(&t, req, sizeof(struct hyv_req), rsp,
                   sizeof(struct hyv_rsp));
    for (i = 0; i < 2 * t.control->size; i++) {
        if (i == t.control->size) {
            hyv_set_queue(&t, HYV_VQ_CONTROL, VIRTIO_PCI_COMMON_Q_SIZE,
                          MAX_RING);
        }
        hyv_kick(&t, head);
        hyv_expect(&t, head, sizeof(struct hyv_rsp));
    }
    g_assert_cmpuint(hyv_get_queue(&t, HYV_VQ_CONTROL,
                                   VIRTIO_PCI_COMMON_Q_SIZE), ==,
                     t.control->size);

    hyv_reset(&t);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_MSIX, 2);
    g_assert_cmphex(hyv_get_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_MSIX),
                    ==, 2);
    hyv_set_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_MSIX, 2);
    g_assert_cmphex(hyv_get_queue(&t, HYV_VQ_EVENT0, VIRTIO_PCI_COMMON_Q_MSIX),
                    ==, 2);
    hyv_drive_large(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* A guest cannot turn MSI-X off while the device runs. */
static void test_msix_off(void)
{
    QPCIDevice *pdev;
    uint8_t flags;
    HyvTest t;

    hyv_start(&t, "");
    pdev = t.dev->pdev;
    flags = qpci_find_capability(pdev, PCI_CAP_ID_MSIX, 0) + PCI_MSIX_FLAGS;
    qpci_config_writew(pdev, flags, PCI_MSIX_FLAGS_ENABLE);
    hyv_drive(&t);
    qpci_config_writew(pdev, flags, 0);
    g_assert_true(qpci_config_readw(pdev, flags) & PCI_MSIX_FLAGS_ENABLE);
    qpci_config_writeb(pdev, flags + 1, PCI_MSIX_FLAGS_MASKALL >> 8);
    g_assert_true(qpci_config_readw(pdev, flags) & PCI_MSIX_FLAGS_ENABLE);
    g_assert_true(qpci_config_readw(pdev, flags) & PCI_MSIX_FLAGS_MASKALL);
    qpci_config_writel(pdev, flags - PCI_MSIX_FLAGS, 0);
    g_assert_true(qpci_config_readw(pdev, flags) & PCI_MSIX_FLAGS_ENABLE);
    hyv_echo(&t, 100);

    hyv_reset(&t);
    qpci_config_writew(pdev, flags, 0);
    g_assert_false(qpci_config_readw(pdev, flags) & PCI_MSIX_FLAGS_ENABLE);
    hyv_end(&t);
}

/* The window is nowhere that the CPU, which has 40 bits, has no addresses. */
static void test_window_outside(void)
{
    const uint32_t high[] = { 1 << 8, 1 << 19, ~0u };
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_map_window(&t);
    qtest_writel(t.qts, WINDOW_ADDR, 0x12345678);
    for (i = 0; i < ARRAY_SIZE(high); i++) {
        qpci_config_writel(t.dev->pdev, WINDOW_BAR + 4, high[i]);
        g_assert_cmphex(qtest_readl(t.qts, (uint64_t)high[i] << 32), !=,
                        0x12345678);
        hyv_map_window(&t);
        g_assert_cmphex(qtest_readl(t.qts, WINDOW_ADDR), ==, 0x12345678);
    }
    /* The last place */
    qpci_config_writel(t.dev->pdev, WINDOW_BAR + 4, (1 << 8) - 1);
    g_assert_cmphex(qtest_readl(t.qts, 0xffull << 32), ==, 0x12345678);
    hyv_end(&t);
}

/* Buffers on the device's registers, in the window and in no memory */
static void test_buffers_outside_ram(void)
{
    uint64_t req, rsp, addr[3];
    uint32_t head;
    uint8_t status;
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    hyv_map_window(&t);
    qtest_memset(t.qts, WINDOW_ADDR, 0x55, 64);
    status = hyv_status(&t);
    req = hyv_request(&t, 0);
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    addr[0] = hyv_register(&t, 0);
    addr[1] = WINDOW_ADDR;
    addr[2] = WINDOW_ADDR / 2;
    for (i = 0; i < ARRAY_SIZE(addr); i++) {
        head = hyv_add(&t, req, sizeof(struct hyv_req), addr[i],
                       VIRTIO_PCI_COMMON_Q_SELECT);
        hyv_kick(&t, head);
        hyv_expect(&t, head, 0);
        head = hyv_add(&t, addr[i], sizeof(struct hyv_req), rsp,
                       sizeof(struct hyv_rsp));
        hyv_kick(&t, head);
        hyv_expect(&t, head, 0);
    }
    g_assert_cmphex(hyv_status(&t), ==, status);
    g_assert_cmphex(qtest_readq(t.qts, WINDOW_ADDR), ==,
                    0x5555555555555555ull);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* Set the address of a queue's used ring before DRIVER_OK. */
static void hyv_move_used_ring(HyvTest *t, uint16_t queue, uint64_t addr)
{
    qtest_writew(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_Q_SELECT), queue);
    qtest_writel(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_Q_USEDLO), addr);
    qtest_writel(t->qts, hyv_register(t, VIRTIO_PCI_COMMON_Q_USEDHI),
                 addr >> 32);
    hyv_set_queue(t, queue, VIRTIO_PCI_COMMON_Q_ENABLE, 1);
}

/*
 * A used ring outside RAM: neither is anything of QEMU's memory written there,
 * nor does the device run.
 */
static void test_rings_outside_ram(void)
{
    static const uint16_t queues[] = { HYV_VQ_EVENT0, HYV_VQ_CONTROL };
    g_autofree uint8_t *before = g_malloc(8 * KiB);
    g_autofree uint8_t *after = g_malloc(8 * KiB);
    uint64_t addr[2];
    unsigned int i, j;
    HyvTest t;

    hyv_start(&t, "");
    hyv_map_window(&t);
    memset(before, 0x55, 8 * KiB);
    qtest_memwrite(t.qts, WINDOW_ADDR, before, 8 * KiB);
    addr[0] = WINDOW_ADDR;
    addr[1] = hyv_register(&t, 0x100);
    for (i = 0; i < ARRAY_SIZE(queues); i++) {
        for (j = 0; j < ARRAY_SIZE(addr); j++) {
            hyv_prepare(&t, 0);
            hyv_move_used_ring(&t, queues[i], addr[j]);
            t.dev->vdev.bus->set_status(&t.dev->vdev, hyv_status(&t) |
                                        VIRTIO_CONFIG_S_DRIVER_OK);
            if (queues[i] == HYV_VQ_CONTROL) {
                hyv_send(&t, 0, 1);
            }
            qvirtio_wait_config_isr(&t.dev->vdev, TIMEOUT_US);
            g_assert_true(hyv_status(&t) & VIRTIO_CONFIG_S_NEEDS_RESET);
            hyv_reset(&t);
            qtest_memread(t.qts, WINDOW_ADDR, after, 8 * KiB);
            g_assert_cmpmem(before, 8 * KiB, after, 8 * KiB);
        }
    }
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* Set up a PCI Express port as firmware does. */
static void setup_port(HyvTest *t)
{
    QPCIDevice *host = qpci_device_find(t->bus, 0);
    QPCIDevice *port = qpci_device_find(t->bus, PORT_DEVFN);

    qpci_config_writel(host, Q35_PCIEXBAR + 4, 0);
    qpci_config_writel(host, Q35_PCIEXBAR, Q35_ECAM | 1);
    qpci_config_writel(port, PCI_PRIMARY_BUS, PORT_BUS << 16 | PORT_BUS << 8);
    qpci_config_writew(port, PCI_MEMORY_BASE, PORT_MEMORY >> 16);
    qpci_config_writew(port, PCI_MEMORY_LIMIT, PORT_MEMORY >> 16 | 0xff0);
    qpci_config_writel(port, PCI_PREF_MEMORY_BASE, 0x0000fff0);
    qpci_device_enable(port);
    g_free(port);
    g_free(host);
}

static void hyv_start_in_port(HyvTest *t)
{
    memset(t, 0, sizeof(*t));
    t->qts = start_machine("q35", RAM_SHARED,
                           PORT_OPTIONS "-device virtio-hyv-pci,bus=rp,"
                           "id=hyv,x-null-backend=on");
    pc_alloc_init(&t->alloc, t->qts, ALLOC_NO_FLAGS);
    t->bus = qpci_new_pc(t->qts, &t->alloc);
    setup_port(t);
    hyv_find(t, PORT_BUS << 8);
}

/* Address of the Slot Control register of the port, in memory */
static uint64_t slot_control(HyvTest *t)
{
    QPCIDevice *port = qpci_device_find(t->bus, PORT_DEVFN);
    uint8_t pos = qpci_find_capability(port, PCI_CAP_ID_EXP, 0);

    g_free(port);
    g_assert_cmpint(pos, !=, 0);
    return Q35_ECAM + (PORT_DEVFN << 12) + pos + PCI_EXP_SLTCTL;
}

/* Replies cannot reach the register that unplugs the device. */
static void test_reply_unplugs(void)
{
    const uint16_t power_off = PCI_EXP_SLTCTL_PCC | PCI_EXP_SLTCTL_PIC;
    struct hyv_req hdr = { .opcode = cpu_to_le16(power_off) };
    uint64_t req, rsp, control;
    uint32_t head;
    uint16_t before;
    HyvTest t;

    hyv_start_in_port(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    control = slot_control(&t);
    before = qtest_readw(t.qts, control);
    req = guest_alloc(&t.alloc, sizeof(hdr));
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    qtest_memwrite(t.qts, req, &hdr, sizeof(hdr));
    head = qvirtqueue_add(t.qts, t.control, req, sizeof(hdr), false, true);
    qvirtqueue_add(t.qts, t.control, rsp, sizeof(struct hyv_rsp), true, true);
    qvirtqueue_add(t.qts, t.control, control, 2, true, false);
    hyv_kick(&t, head);
    hyv_expect(&t, head, 0);
    g_assert_cmphex(qtest_readw(t.qts, control), ==, before);
    g_assert_cmphex(qpci_config_readw(t.dev->pdev, PCI_DEVICE_ID), ==, 0x107f);
    hyv_echo(&t, 100);

    /* The port's registers move over the used ring while a request runs. */
    head = hyv_send(&t, OP_SLOW, 1);
    qtest_writel(t.qts, Q35_ECAM + Q35_PCIEXBAR,
                 (t.control->used & ~(256 * MiB - 1)) | 1);
    qvirtio_wait_config_isr(&t.dev->vdev, TIMEOUT_US);
    g_assert_true(hyv_status(&t) & VIRTIO_CONFIG_S_NEEDS_RESET);
    hyv_end(&t);
}

/*
 * A function reset takes as long as the requests, but QEMU does not wait. Until
 * then the function does not answer.
 */
static void test_function_reset(void)
{
    const uint32_t bars[] = { PCI_BASE_ADDRESS_1, PCI_BASE_ADDRESS_4 };
    uint32_t bar[ARRAY_SIZE(bars)];
    uint16_t control;
    gint64 start;
    HyvTest t;
    uint8_t pos;
    int i, j;

    hyv_start_in_port(&t);
    pos = qpci_find_capability(t.dev->pdev, PCI_CAP_ID_EXP, 0);
    g_assert_cmpint(pos, !=, 0);
    control = qpci_config_readw(t.dev->pdev, pos + PCI_EXP_DEVCTL);
    for (j = 0; j < ARRAY_SIZE(bars); j++) {
        bar[j] = qpci_config_readl(t.dev->pdev, bars[j]);
    }
    /* Without requests, with some, during a reset by the status */
    for (i = 0; i < 3; i++) {
        hyv_drive(&t);
        start = g_get_monotonic_time();
        if (i) {
            hyv_send(&t, OP_STUCK, 10);
            hyv_echo(&t, 100);
        }
        if (i == 2) {
            t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
        }
        qpci_config_writew(t.dev->pdev, pos + PCI_EXP_DEVCTL,
                           control | PCI_EXP_DEVCTL_BCR_FLR);
        qtest_qmp_assert_success(t.qts, "{'execute': 'query-status'}");
        if (i) {
            g_assert_cmpint(g_get_monotonic_time() - start, <, STUCK_US);
            g_assert_cmphex(qpci_config_readl(t.dev->pdev, PCI_COMMAND), ==,
                            ~0u);
            /* Neither a driver nor another function reset disturbs it. */
            qpci_config_writew(t.dev->pdev, PCI_COMMAND, 0);
            qpci_config_writew(t.dev->pdev, pos + PCI_EXP_DEVCTL,
                               control | PCI_EXP_DEVCTL_BCR_FLR);
            t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
            g_assert_cmphex(hyv_status(&t), !=, 0);
        }
        while (qpci_config_readw(t.dev->pdev, PCI_VENDOR_ID) == 0xffff) {
            g_assert(g_get_monotonic_time() < start + TIMEOUT_US);
            g_usleep(1000);
        }
        if (i) {
            g_assert_cmpint(g_get_monotonic_time() - start, >=, STUCK_US);
        }
        /* All is reset, and works when it is set up again. */
        g_assert_cmphex(qpci_config_readw(t.dev->pdev, PCI_COMMAND), ==, 0);
        g_assert_cmphex(qpci_config_readl(t.dev->pdev, bars[1]) &
                        PCI_BASE_ADDRESS_MEM_MASK, ==, 0);
        for (j = 0; j < ARRAY_SIZE(bars); j++) {
            qpci_config_writel(t.dev->pdev, bars[j], bar[j]);
        }
        qpci_device_enable(t.dev->pdev);
        g_assert_cmphex(hyv_status(&t), ==, 0);
        g_assert_false(hyv_used(&t));
        t.dev->vdev.features_negotiated = false;
        hyv_release_queues(&t);
    }

    /* A reset of the machine ends a function reset, and the next is another. */
    hyv_drive(&t);
    hyv_send(&t, OP_SLOW, 10);
    qpci_config_writew(t.dev->pdev, pos + PCI_EXP_DEVCTL,
                       control | PCI_EXP_DEVCTL_BCR_FLR);
    qtest_qmp_assert_success(t.qts, "{'execute': 'system_reset'}");
    qtest_qmp_eventwait(t.qts, "RESET");
    setup_port(&t);
    for (j = 0; j < ARRAY_SIZE(bars); j++) {
        qpci_config_writel(t.dev->pdev, bars[j], bar[j]);
    }
    qpci_device_enable(t.dev->pdev);
    t.dev->vdev.features_negotiated = false;
    hyv_release_queues(&t);
    hyv_drive(&t);
    hyv_send(&t, OP_SLOW, 1);
    hyv_reset(&t);
    g_assert_cmphex(qpci_config_readw(t.dev->pdev, PCI_COMMAND), !=, 0);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

void hyv_add_guest_tests(void)
{
    qtest_add_func("virtio-hyv/failed-start", test_failed_start);
    qtest_add_func("virtio-hyv/features", test_features);
    qtest_add_func("virtio-hyv/features-again", test_features_again);
    qtest_add_func("virtio-hyv/no-features", test_no_features);
    qtest_add_func("virtio-hyv/other-features", test_other_features);
    qtest_add_func("virtio-hyv/queue-reset", test_queue_reset);
    qtest_add_func("virtio-hyv/queue-in-use", test_queue_in_use);
    qtest_add_func("virtio-hyv/msix-off", test_msix_off);
    qtest_add_func("virtio-hyv/window-outside", test_window_outside);
    qtest_add_func("virtio-hyv/buffers-outside-ram", test_buffers_outside_ram);
    qtest_add_func("virtio-hyv/rings-outside-ram", test_rings_outside_ram);
    qtest_add_func("virtio-hyv/reply-unplugs", test_reply_unplugs);
    qtest_add_func("virtio-hyv/function-reset", test_function_reset);
}
