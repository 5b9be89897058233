/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcase for virtio-hyv
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "virtio-hyv.h"

static void test_pci(void)
{
    struct virtio_pci_cap64 cap;
    QPCIDevice *pdev;
    HyvTest t;
    uint8_t pos = 0;
    int i;

    hyv_start(&t, ",window-size=2M");
    pdev = t.dev->pdev;
    g_assert_cmphex(qpci_config_readw(pdev, PCI_DEVICE_ID), ==, 0x107f);
    g_assert_cmphex(qpci_config_readw(pdev, PCI_CLASS_DEVICE), ==, 0x0280);

    do {
        pos = qpci_find_capability(pdev, PCI_CAP_ID_VNDR, pos);
        g_assert_cmpint(pos, !=, 0);
        for (i = 0; i < sizeof(cap); i++) {
            ((uint8_t *)&cap)[i] = qpci_config_readb(pdev, pos + i);
        }
    } while (cap.cap.cfg_type != VIRTIO_PCI_CAP_SHARED_MEMORY_CFG);
    g_assert_cmpint(cap.cap.cap_len, ==, sizeof(cap));
    g_assert_cmpint(cap.cap.bar, ==, 2);
    g_assert_cmpint(cap.cap.id, ==, HYV_SHM_WINDOW);
    g_assert_cmpuint(le32_to_cpu(cap.cap.offset), ==, 0);
    g_assert_cmpuint(le32_to_cpu(cap.offset_hi), ==, 0);
    g_assert_cmpuint(le32_to_cpu(cap.cap.length), ==, 2 * MiB);
    g_assert_cmpuint(le32_to_cpu(cap.length_hi), ==, 0);

    /* 64 bit, prefetchable, and 4 GiB in spite of the small window */
    qpci_config_writel(pdev, WINDOW_BAR, ~0u);
    qpci_config_writel(pdev, WINDOW_BAR + 4, ~0u);
    g_assert_cmphex(qpci_config_readl(pdev, WINDOW_BAR), ==,
                    PCI_BASE_ADDRESS_MEM_PREFETCH |
                    PCI_BASE_ADDRESS_MEM_TYPE_64);
    g_assert_cmphex(qpci_config_readl(pdev, WINDOW_BAR + 4), ==, ~0u);

    /* The window is memory up to its end; the BAR is empty past it. */
    qpci_config_writel(pdev, WINDOW_BAR, 0);
    qpci_config_writel(pdev, WINDOW_BAR + 4, WINDOW_ADDR >> 32);
    qtest_writel(t.qts, WINDOW_ADDR, 0x12345678);
    qtest_writel(t.qts, WINDOW_ADDR + 2 * MiB - 4, 0x9abcdef0);
    g_assert_cmphex(qtest_readl(t.qts, WINDOW_ADDR), ==, 0x12345678);
    g_assert_cmphex(qtest_readl(t.qts, WINDOW_ADDR + 2 * MiB - 4), ==,
                    0x9abcdef0);
    qtest_writel(t.qts, WINDOW_ADDR + 2 * MiB, 0x12345678);
    g_assert_cmphex(qtest_readl(t.qts, WINDOW_ADDR + 2 * MiB), !=, 0x12345678);
    hyv_end(&t);
}

static void test_config(void)
{
    QVirtioDevice *vdev;
    HyvTest t;
    int i;

    hyv_start(&t, ",num-event-queues=3,mac=52:54:00:12:34:56,"
                  "x-protocol-version=77");
    /* Sets up one of the event queues and leaves the others unused. */
    hyv_drive(&t);
    vdev = &t.dev->vdev;
    g_assert_cmpuint(qvirtio_config_readw(vdev,
                     offsetof(struct hyv_config, proto_min)), ==, 77);
    g_assert_cmpuint(qvirtio_config_readw(vdev,
                     offsetof(struct hyv_config, proto_max)), ==, 77);
    g_assert_cmpuint(qvirtio_config_readw(vdev,
                     offsetof(struct hyv_config, nr_event_queues)), ==, 3);
    g_assert_cmphex(qvirtio_config_readl(vdev,
                    offsetof(struct hyv_config, status)), ==,
                    HYV_CONFIG_S_HCA_PRESENT);
    for (i = 0; i < 6; i++) {
        static const uint8_t mac[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };

        g_assert_cmphex(qvirtio_config_readb(vdev,
                        offsetof(struct hyv_config, mac) + i), ==, mac[i]);
    }
    hyv_end(&t);
}

static void test_control(void)
{
    uint64_t req, rsp;
    uint32_t head;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    hyv_echo(&t, sizeof(struct hyv_req));
    hyv_echo(&t, 5);
    hyv_echo(&t, HYV_MAX_RSP_SIZE - sizeof(struct hyv_rsp));

    /* A request that is too long, a reply buffer too small, and none */
    req = guest_alloc(&t.alloc, HYV_MAX_REQ_SIZE + 1);
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    head = hyv_add(&t, req, HYV_MAX_REQ_SIZE + 1, rsp, sizeof(struct hyv_rsp));
    hyv_kick(&t, head);
    hyv_expect(&t, head, 0);
    head = hyv_add(&t, req, 64, rsp, sizeof(struct hyv_rsp) - 1);
    hyv_kick(&t, head);
    hyv_expect(&t, head, 0);
    head = hyv_add(&t, req, 64, 0, 0);
    hyv_kick(&t, head);
    hyv_expect(&t, head, 0);

    /* The longest request; the reply is truncated. */
    head = hyv_add(&t, req, HYV_MAX_REQ_SIZE, rsp, sizeof(struct hyv_rsp));
    hyv_kick(&t, head);
    hyv_expect(&t, head, sizeof(struct hyv_rsp));
    hyv_end(&t);
}

static uint64_t hyv_slow_request(HyvTest *t)
{
    return hyv_request(t, OP_SLOW);
}

/* Slow requests delay neither each other nor fast ones. */
static void test_concurrent(void)
{
    const unsigned int nr_slow = 16;
    uint64_t slow, fast, rsp;
    uint32_t head, len;
    gint64 start;
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    slow = hyv_slow_request(&t);
    fast = guest_alloc(&t.alloc, sizeof(struct hyv_req));
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    qtest_memset(t.qts, fast, 0, sizeof(struct hyv_req));

    start = g_get_monotonic_time();
    for (i = 0; i < nr_slow; i++) {
        head = hyv_add(&t, slow, sizeof(struct hyv_req), rsp,
                       sizeof(struct hyv_rsp));
        hyv_kick(&t, head);
    }
    head = hyv_add(&t, fast, sizeof(struct hyv_req), rsp,
                   sizeof(struct hyv_rsp));
    hyv_kick(&t, head);
    hyv_expect(&t, head, sizeof(struct hyv_rsp));
    for (i = 0; i < nr_slow; i++) {
        hyv_wait(&t, &len);
        g_assert_cmpuint(len, ==, sizeof(struct hyv_rsp));
    }
    /* In sequence they would have taken longer. */
    g_assert_cmpint(g_get_monotonic_time() - start, <, nr_slow * SLOW_US);
    hyv_end(&t);
}

/* Make a request available without a kick */
static void hyv_offer(HyvTest *t, uint32_t head)
{
    QVirtQueue *vq = t->control;
    uint16_t idx = qtest_readw(t->qts, vq->avail + 2);

    qtest_writew(t->qts, vq->avail + 4 + 2 * (idx % vq->size), head);
    qtest_writew(t->qts, vq->avail + 2, idx + 1);
}

/* Two requests of one kick do not share the one idle thread. */
static void test_batch(void)
{
    int64_t in_flight = 0;
    uint64_t slow, fast, rsp;
    uint32_t head, len;
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    hyv_echo(&t, 100);
    slow = hyv_slow_request(&t);
    fast = guest_alloc(&t.alloc, sizeof(struct hyv_req));
    rsp = guest_alloc(&t.alloc, sizeof(struct hyv_rsp));
    qtest_memset(t.qts, fast, 0, sizeof(struct hyv_req));

    /* Try several times: a busy host may delay this test itself. */
    for (i = 0; i < 5 && !in_flight; i++) {
        hyv_offer(&t, hyv_add(&t, slow, sizeof(struct hyv_req), rsp,
                              sizeof(struct hyv_rsp)));
        head = hyv_add(&t, fast, sizeof(struct hyv_req), rsp,
                       sizeof(struct hyv_rsp));
        hyv_kick(&t, head);
        hyv_expect(&t, head, sizeof(struct hyv_rsp));
        in_flight = hyv_in_flight(&t);
        hyv_wait(&t, &len);
    }
    g_assert_cmpint(in_flight, ==, 1);
    hyv_end(&t);
}

/* Excess requests stay in the ring, whatever size the guest sets. */
static void test_in_flight(void)
{
    const unsigned int nr_slow = 2 * MAX_IN_FLIGHT;
    uint32_t head, len;
    unsigned int i;
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive_large(&t);
    g_assert_cmpint(t.control->size, ==, MAX_RING);
    hyv_add_slow(&t, nr_slow);
    for (i = 0; i < nr_slow; i++) {
        g_assert_cmpint(hyv_in_flight(&t), <=, MAX_IN_FLIGHT);
        hyv_wait(&t, &len);
        g_assert_cmpuint(len, ==, sizeof(struct hyv_rsp));
    }
    g_assert_cmpint(hyv_in_flight(&t), ==, 0);

    /* The same across a stop of the VM */
    hyv_add_slow(&t, nr_slow - 32);
    qtest_qmp_assert_success(t.qts, "{'execute': 'stop'}");
    for (i = 0; qvirtqueue_get_buf(t.qts, t.control, &head, &len); i++) {
        g_assert_cmpuint(len, ==, sizeof(struct hyv_rsp));
    }
    g_assert_cmpint(hyv_in_flight(&t), <=, MAX_IN_FLIGHT);
    g_usleep(4 * SLOW_US);
    g_assert_false(hyv_used(&t));
    qtest_qmp_assert_success(t.qts, "{'execute': 'cont'}");
    for (; i < nr_slow - 32; i++) {
        g_assert_cmpint(hyv_in_flight(&t), <=, MAX_IN_FLIGHT);
        hyv_wait(&t, &len);
        g_assert_cmpuint(len, ==, sizeof(struct hyv_rsp));
    }
    hyv_reset(&t);

    /* And across a reset */
    hyv_drive_large(&t);
    hyv_add_slow(&t, nr_slow);
    hyv_reset(&t);
    hyv_drive(&t);
    hyv_echo(&t, 100);
    hyv_end(&t);
}

/* The backend can interrupt the guest by the eventfd. */
static void test_event(void)
{
    HyvTest t;

    hyv_start(&t, "");
    hyv_drive(&t);
    qvirtio_wait_queue_isr(t.qts, &t.dev->vdev, t.event, TIMEOUT_US);
    hyv_end(&t);
}

#ifdef CONFIG_SECCOMP
/* Requests are executed in the strictest sandbox. */
static void test_sandbox(void)
{
    HyvTest t;

    hyv_start(&t, " -sandbox on,obsolete=deny,elevateprivileges=deny,"
                  "spawn=deny,resourcecontrol=deny");
    hyv_drive_large(&t);
    hyv_echo(&t, 100);
    hyv_add_slow(&t, 70);
    hyv_reset(&t);
    hyv_end(&t);
}
#endif

int main(int argc, char **argv)
{
    static const uint8_t firmware[64 * KiB];
    g_autoptr(GError) err = NULL;
    int fd, ret;

    g_test_init(&argc, &argv, NULL);

    fd = g_file_open_tmp("virtio-hyv-test-XXXXXX", &bios, &err);
    g_assert_no_error(err);
    g_assert_cmpint(write(fd, firmware, sizeof(firmware)), ==,
                    sizeof(firmware));
    close(fd);

    qtest_add_func("virtio-hyv/pci", test_pci);
    qtest_add_func("virtio-hyv/config", test_config);
    qtest_add_func("virtio-hyv/control", test_control);
    qtest_add_func("virtio-hyv/concurrent", test_concurrent);
    qtest_add_func("virtio-hyv/batch", test_batch);
    qtest_add_func("virtio-hyv/in-flight", test_in_flight);
    qtest_add_func("virtio-hyv/event", test_event);
#ifdef CONFIG_SECCOMP
    qtest_add_func("virtio-hyv/sandbox", test_sandbox);
#endif
    hyv_add_end_tests();
    hyv_add_guest_tests();
    hyv_add_plug_tests();
    ret = g_test_run();

    unlink(bios);
    g_free(bios);
    return ret;
}
