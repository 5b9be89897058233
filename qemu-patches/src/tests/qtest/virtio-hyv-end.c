/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcases of virtio-hyv: reset, stop, unplug, removal of the HCA
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "virtio-hyv.h"

#define ACPI_EJECT      0xae08
#define BUFFER_SIZE     4096

/* A reset ends when the requests do; the guest polls, QEMU does not wait. */
static void test_reset(void)
{
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    hyv_send(&t, OP_STUCK, 60);
    /* Requests start in order: when this one is done, all others run. */
    hyv_echo(&t, 100);
    t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
    g_assert_cmphex(hyv_status(&t), !=, 0);
    /* Neither another reset nor a new driver disturbs it. */
    t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
    g_assert_cmphex(hyv_status(&t), !=, 0);
    t.dev->vdev.bus->set_status(&t.dev->vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
    g_assert_cmphex(hyv_status(&t), !=, VIRTIO_CONFIG_S_ACKNOWLEDGE);
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    g_assert_cmphex(hyv_status(&t), !=, 0);
    hyv_await_reset(&t);
    g_assert_false(hyv_used(&t));
    hyv_release_queues(&t);

    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* The same by the register window in the PCI configuration space */
static void test_reset_by_config(void)
{
    QPCIDevice *pdev;
    uint8_t pos = 0;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    pdev = t.dev->pdev;
    do {
        pos = qpci_find_capability(pdev, PCI_CAP_ID_VNDR, pos);
        g_assert_cmpint(pos, !=, 0);
    } while (qpci_config_readb(pdev, pos + 3) != VIRTIO_PCI_CAP_PCI_CFG);
    hyv_send(&t, OP_STUCK, 1);
    hyv_echo(&t, 100);
    qpci_config_writeb(pdev, pos + 4, t.dev->bar_idx);
    qpci_config_writel(pdev, pos + 8, t.dev->common_cfg_offset +
                                      VIRTIO_PCI_COMMON_STATUS);
    qpci_config_writel(pdev, pos + 12, 1);
    qpci_config_writeb(pdev, pos + 16, 0);
    g_assert_cmphex(hyv_status(&t), !=, 0);
    hyv_await_reset(&t);
    hyv_release_queues(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* A reset interrupts requests even if all threads execute one. */
static void test_reset_interrupts(void)
{
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive_large(&t);
    hyv_send(&t, OP_PIN, 100);
    hyv_reset(&t);
    hyv_drive_large(&t);
    hyv_echo(&t, 100);

    /* A machine reset, which has to wait */
    hyv_send(&t, OP_PIN, 100);
    qtest_qmp_assert_success(t.qts, "{'execute': 'system_reset'}");
    qtest_qmp_eventwait(t.qts, "RESET");
    qpci_device_enable(t.dev->pdev);
    qpci_config_writel(t.dev->pdev, PCI_BASE_ADDRESS_4, t.dev->bar.addr);
    g_assert_cmphex(hyv_status(&t), ==, 0);
    hyv_release_queues(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/*
 * If QEMU cannot create threads, requests wait for each other; neither a reset
 * nor a change of guest RAM waits for a thread.
 */
static void test_few_threads(void)
{
    QPCIDevice *host;
    unsigned int i;
    uint32_t len;
    gint64 start;
    HyvTest t;

    hyv_start(&t, ",x-fail-thread=4");
    hyv_drive(&t);
    host = qpci_device_find(t.bus, 0);
    start = g_get_monotonic_time();
    hyv_send(&t, OP_SLOW, 3);
    for (i = 0; i < 3; i++) {
        hyv_wait(&t, &len);
    }
    g_assert_cmpint(g_get_monotonic_time() - start, >=, 3 * SLOW_US);

    hyv_send(&t, OP_PIN, 10);
    qpci_config_writeb(host, I440FX_PAM, I440FX_PAM_RAM);
    hyv_reset(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    qpci_config_writeb(host, I440FX_PAM, 0);
    hyv_echo(&t, 100);
    g_free(host);
    hyv_end(&t);
}

/* A stopped VM gets no replies; neither stop nor cont waits for requests. */
static void test_stop(void)
{
    uint32_t head;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    head = hyv_send(&t, OP_SLOW, 1);
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    g_usleep(2 * SLOW_US);
    g_assert_false(hyv_used(&t));
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    hyv_expect(&t, head, sizeof(struct hyv_rsp));

    /* This request waits until the VM runs again. */
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    head = hyv_send(&t, OP_SLOW, 1);
    g_assert_cmpint(hyv_in_flight(&t), ==, 0);
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    hyv_expect(&t, head, sizeof(struct hyv_rsp));

    head = hyv_send(&t, OP_STUCK, 1);
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    g_assert_cmpint(hyv_in_flight(&t), ==, 1);
    hyv_expect(&t, head, sizeof(struct hyv_rsp));

    /* Executed before a reset of the stopped VM's device */
    hyv_send(&t, OP_SLOW, 1);
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    g_usleep(2 * SLOW_US);
    hyv_reset(&t);
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* A change of guest RAM delays later requests, but not the VM. */
static void test_memory_map(void)
{
    uint32_t stuck, fast, first, len;
    QPCIDevice *host;
    gint64 start;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    host = qpci_device_find(t.bus, 0);
    start = g_get_monotonic_time();
    stuck = hyv_send(&t, OP_STUCK, 1);
    hyv_echo(&t, 100);
    qpci_config_writeb(host, I440FX_PAM, I440FX_PAM_RAM);
    fast = hyv_send(&t, 0, 1);
    qtest_qmp_assert_success(t.qts, "{'execute': 'query-status'}");
    g_assert_cmpint(g_get_monotonic_time() - start, <, STUCK_US);
    /* Another one while the first is in progress */
    qpci_config_writeb(host, I440FX_PAM, 0);
    /* The last one begins when the first ends, and may overtake its reply. */
    first = hyv_wait(&t, &len);
    g_assert(first == stuck || first == fast);
    g_assert_cmpuint(len, ==, sizeof(struct hyv_rsp));
    hyv_expect(&t, first == stuck ? fast : stuck, sizeof(struct hyv_rsp));
    hyv_echo(&t, 100);

    /* Both end with the device. */
    hyv_send(&t, OP_STUCK, 1);
    qpci_config_writeb(host, I440FX_PAM, I440FX_PAM_RAM);
    g_free(host);
    qtest_qmp_device_del_send(t.qts, "hyv");
    qtest_outl(t.qts, ACPI_EJECT, 1 << SLOT);
    qtest_qmp_eventwait(t.qts, "DEVICE_DELETED");
    hyv_end(&t);
}

/* QEMU ends without waiting for requests. */
static void test_quit(void)
{
    gint64 start;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive_large(&t);
    start = g_get_monotonic_time();
    hyv_send(&t, OP_PIN, 100);
    hyv_end(&t);
    g_assert_cmpint(g_get_monotonic_time() - start, <, TIMEOUT_US);
}

/* Unplug the device during requests: they end later, and so does the device. */
static void test_unplug(void)
{
    gint64 start;
    HyvTest t;
    int i;

    for (i = 0; i < 2; i++) {
        hyv_start(&t, "");
        hyv_drive_large(&t);
        start = g_get_monotonic_time();
        hyv_send(&t, OP_STUCK, 80);
        if (i) {
            t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
        }
        qtest_qmp_device_del_send(t.qts, "hyv");
        qtest_outl(t.qts, ACPI_EJECT, 1 << SLOT);
        g_assert_cmphex(qpci_config_readw(t.dev->pdev, PCI_VENDOR_ID), ==,
                        0xffff);
        qtest_qmp_assert_success(t.qts, "{'execute': 'query-status'}");
        g_assert_cmpint(g_get_monotonic_time() - start, <, STUCK_US);
        qtest_qmp_eventwait(t.qts, "DEVICE_DELETED");
        g_assert_cmpint(g_get_monotonic_time() - start, >=, STUCK_US);
        hyv_expect_freed(t.qts);
        hyv_end(&t);
    }
}

static uint8_t hyv_generation(HyvTest *t)
{
    return qpci_io_readb(t->dev->pdev, t->dev->bar,
                         t->dev->common_cfg_offset +
                         VIRTIO_PCI_COMMON_CFGGENERATION);
}

/* A request of @len bytes fails; the rest of its reply buffer is not written. */
static void hyv_expect_no_reply(HyvTest *t, uint32_t len)
{
    uint64_t req = hyv_request(t, 0);
    uint64_t rsp = guest_alloc(&t->alloc, BUFFER_SIZE);
    uint8_t sent[BUFFER_SIZE], got[BUFFER_SIZE];
    struct hyv_rsp *hdr = (void *)got;
    uint32_t head;

    memset(sent, 0xa5, sizeof(sent));
    qtest_memwrite(t->qts, rsp, sent, sizeof(sent));
    head = hyv_add(t, req, len, rsp, BUFFER_SIZE);
    hyv_kick(t, head);
    hyv_expect(t, head, sizeof(*hdr));
    qtest_memread(t->qts, rsp, got, sizeof(got));
    g_assert_cmpuint(le32_to_cpu(hdr->status), ==, HYV_S_ENODEV);
    g_assert_cmpmem(got + sizeof(*hdr), BUFFER_SIZE - sizeof(*hdr), sent,
                    BUFFER_SIZE - sizeof(*hdr));
    guest_free(&t->alloc, rsp);
    guest_free(&t->alloc, req);
}

/* Requests fail because the HCA was removed. */
static void hyv_expect_no_device(HyvTest *t)
{
    hyv_expect_no_reply(t, sizeof(struct hyv_req));
    /* Without a request, too. */
    hyv_expect_no_reply(t, 0);
}

/* HCA removal interrupts the guest; requests fail from then on. */
static void test_removal(void)
{
    uint8_t generation;
    uint32_t len;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    generation = hyv_generation(&t);
    hyv_send(&t, OP_REMOVE, 1);
    hyv_wait(&t, &len);
    qvirtio_wait_config_isr(&t.dev->vdev, TIMEOUT_US);
    g_assert_cmphex(hyv_generation(&t), !=, generation);
    g_assert_cmphex(qvirtio_config_readl(&t.dev->vdev,
                    offsetof(struct hyv_config, status)), ==, 0);
    g_assert_false(hyv_status(&t) & VIRTIO_CONFIG_S_NEEDS_RESET);
    /* The generation changes only with the configuration. */
    generation = hyv_generation(&t);
    qvirtio_config_readl(&t.dev->vdev, offsetof(struct hyv_config, status));
    g_assert_cmphex(hyv_generation(&t), ==, generation);

    hyv_expect_no_device(&t);
    hyv_reset(&t);

    /* A driver that starts the device again finds nothing else wrong. */
    hyv_drive(&t);
    g_usleep(SLOW_US);
    g_assert_false(hyv_status(&t) & VIRTIO_CONFIG_S_NEEDS_RESET);
    hyv_expect_no_device(&t);
    hyv_reset(&t);
    hyv_end(&t);
}

/* A broken event queue makes the device ask for a reset. */
static void test_broken_queue(void)
{
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    hyv_send(&t, OP_BREAK, 1);
    hyv_expect_failed(&t);
    /* One that is reported during a reset is over with it. */
    hyv_send(&t, OP_BREAK, 1);
    hyv_reset(&t);
    hyv_drive(&t);
    g_usleep(SLOW_US);
    g_assert_false(hyv_status(&t) & VIRTIO_CONFIG_S_NEEDS_RESET);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

void hyv_add_end_tests(void)
{
    qtest_add_func("virtio-hyv/reset", test_reset);
    qtest_add_func("virtio-hyv/reset-by-config", test_reset_by_config);
    qtest_add_func("virtio-hyv/reset-interrupts", test_reset_interrupts);
    qtest_add_func("virtio-hyv/few-threads", test_few_threads);
    qtest_add_func("virtio-hyv/stop", test_stop);
    qtest_add_func("virtio-hyv/memory-map", test_memory_map);
    qtest_add_func("virtio-hyv/quit", test_quit);
    qtest_add_func("virtio-hyv/unplug", test_unplug);
    qtest_add_func("virtio-hyv/removal", test_removal);
    qtest_add_func("virtio-hyv/broken-queue", test_broken_queue);
}
