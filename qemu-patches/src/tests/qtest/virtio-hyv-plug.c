/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcases of virtio-hyv: configuration and plugging
 */

#include "qemu/osdep.h"
#include "virtio-hyv.h"

/* Calls of the backend for realization, and those of test_failing_calls() */
#define SETUP_CALLS     7
#define FAILING_CALLS   24

static void expect_refusal(QTestState *qts, const char *properties,
                           const char *reason)
{
    g_autofree char *desc = plug(qts, properties);

    g_assert_nonnull(desc);
    if (!strstr(desc, reason)) {
        g_test_message("expected \"%s\", got \"%s\"", reason, desc);
        g_test_fail();
    }
}

/* The action is in a hint, which QMP does not carry. */
static void expect_hint(QTestState *qts, const char *options, const char *hint)
{
    g_autofree char *said = qtest_hmp(qts, "device_add virtio-hyv-pci,%s",
                                      options);

    if (!strstr(said, hint)) {
        g_test_message("expected \"%s\", got \"%s\"", hint, said);
        g_test_fail();
    }
}

/* All capabilities fit into the configuration space of a PCI Express device. */
static void test_modern_pio(void)
{
    QTestState *qts = start_machine("q35", RAM_SHARED, PORT_OPTIONS);
    QDict *rsp;

    rsp = qtest_qmp(qts, "{'execute': 'device_add', 'arguments': {"
                         " 'driver': 'virtio-hyv-pci', 'bus': 'rp',"
                         " 'x-null-backend': true,"
                         " 'modern-pio-notify': true}}");
    g_assert_cmpstr(qdict_get_str(qdict_get_qdict(rsp, "error"), "desc"), ==,
                    "modern-pio-notify=on is not supported");
    qobject_unref(rsp);
    qtest_qmp_device_add(qts, "virtio-hyv-pci", "hyv",
                         "{'bus': 'rp', 'x-null-backend': true}");
    qtest_quit(qts);
}

static void test_errors(void)
{
    static const struct {
        const char *properties;
        const char *reason;
    } errors[] = {
        { "{}", "property 'hca' is required" },
        { "{'hca': 'nosuchhca'}", "HCA 'nosuchhca' not found" },
        { "{'hca': '/dev/nosuchhca'}", "cannot open HCA '/dev/nosuchhca'" },
        { "{'hca': 'x', 'hca-fd': '0'}", "mutually exclusive" },
        { "{'hca-fd': 'nosuchfd'}", "nosuchfd" },
        { "{'num-event-queues': 0}", "num-event-queues must be 1 to 16" },
        { "{'num-event-queues': 17}", "num-event-queues must be 1 to 16" },
        { "{'poll-us': 10001}", "poll-us must be 0 to 10000" },
        { "{'window-size': 5000}", "window-size must be a multiple" },
        { "{'x-null-backend': true, 'window-size': 524288}",
          "window-size must be at least 1 MiB" },
        { "{'x-null-backend': true, 'x-fail-thread': 1}",
          "cannot create threads: Resource temporarily unavailable" },
        { "{'x-null-backend': true, 'x-fail-thread': 3}",
          "cannot create threads" },
        { "{'x-null-backend': true, 'packed': true}", "packed=on" },
        { "{'x-null-backend': true, 'iommu_platform': true}",
          "iommu_platform=on" },
        { "{'x-null-backend': true, 'in_order': true}", "in_order" },
        { "{'x-null-backend': true, 'guest-addresses': true}",
          "guest-addresses=on requires property 'mac'" },
        { "{'x-null-backend': true, 'allowed-addresses': '10.0.0.1'}",
          "allowed-addresses requires guest-addresses=on" },
    };
    const char *no_module = "{'hca': '/dev/null'}";
    QTestState *qts = start_qemu(RAM_SHARED, "");
    size_t i;

    for (i = 0; i < ARRAY_SIZE(errors); i++) {
        expect_refusal(qts, errors[i].properties, errors[i].reason);
    }
    if (access("/dev/hyv", F_OK) < 0) {
        expect_refusal(qts, no_module, "cannot open /dev/hyv: No such file");
        expect_hint(qts, "hca=/dev/null", "Run 'modprobe hyv'.");
    } else if (access("/dev/hyv", R_OK | W_OK) < 0) {
        expect_refusal(qts, no_module, "cannot open /dev/hyv: Permission");
    } else {
        expect_refusal(qts, no_module, "not a uverbs device");
    }
    qtest_quit(qts);

    qts = start_qemu(RAM_PRIVATE, "");
    expect_refusal(qts, "{'x-null-backend': true}",
                   "guest RAM 'mem' is not shared memory");
    expect_hint(qts, "x-null-backend=on",
                "Start QEMU with -object memory-backend-memfd,id=mem,size=64M,"
                "share=on -machine memory-backend=mem");
    qtest_quit(qts);
}

static char *plug_allowed(QTestState *qts, const char *allowed)
{
    g_autofree char *properties = g_strdup_printf(
        "{'x-null-backend': true, 'guest-addresses': true,"
        " 'mac': '52:54:00:12:34:56', 'allowed-addresses': '%s'}", allowed);

    return plug(qts, properties);
}

/* The backend checks the converted addresses as hyv.ko does. */
static void test_allowed_addresses(void)
{
    static const char *good[] = {
        "", "10.0.0.7", "10.0.0.7;fd00:1::/64", " 0.0.0.0/0 ;; ::/0 ",
        "10.128.0.0/9 fd00::8000:0:0:0/65 fe80::5054:ff:fe12:3456/128",
    };
    static const struct {
        const char *allowed;
        const char *reason;
    } bad[] = {
        { "10.0.0", "'10.0.0' is not an IP address" },
        { "10.0.0.7;guest1", "'guest1' is not an IP address" },
        { "fd00::1::2", "'fd00::1::2' is not an IP address" },
        { "10.0.0.0/33", "'33' is not a valid prefix length for '10.0.0.0'" },
        { "fd00::/129", "'129' is not a valid prefix length for 'fd00::'" },
        { "fd00::/", "'' is not a valid prefix length" },
        { "10.0.0.0/8/8", "'8/8' is not a valid prefix length" },
        { "10.0.0.0/-1", "'-1' is not a valid prefix length" },
        { "10.0.0.1/31", "'10.0.0.1/31' has bits set beyond its prefix" },
        { "fd00:0:0:1::/63", "has bits set beyond its prefix" },
    };
    g_autoptr(GString) many = g_string_new("10.0.0.1");
    g_autofree char *error = NULL;
    QTestState *qts = start_qemu(RAM_SHARED, "");
    size_t i;

    for (i = 0; i < ARRAY_SIZE(good); i++) {
        g_assert_cmpstr(plug_allowed(qts, good[i]), ==, NULL);
        qpci_unplug_acpi_device_test(qts, "hyv", SLOT_HOTPLUG);
    }
    for (i = 0; i < ARRAY_SIZE(bad); i++) {
        g_autofree char *desc = plug_allowed(qts, bad[i].allowed);

        g_assert_nonnull(desc);
        g_assert_nonnull(strstr(desc, bad[i].reason));
    }

    /* Together with the guest's link-local address, one too many */
    for (i = 1; i < 64; i++) {
        g_string_append_printf(many, ";10.0.1.%zu", i);
    }
    error = plug_allowed(qts, many->str);
    g_assert_cmpstr(error, ==,
                    "allowed-addresses: too many entries for hyv.ko: 64");
    qtest_quit(qts);
}

/* Plug and unplug repeatedly, after a failure each time. */
static void test_hotplug(void)
{
    QTestState *qts = start_qemu(RAM_SHARED, "");
    QDict *rsp;
    int i;

    for (i = 0; i < 3; i++) {
        expect_refusal(qts, "{'x-null-backend': true, 'packed': true}",
                       "packed=on");
        g_assert_null(plug(qts, "{'x-null-backend': true}"));
        rsp = qtest_qmp(qts, "{'execute': 'migrate', 'arguments': "
                             "{'uri': 'exec:cat>/dev/null'}}");
        g_assert_nonnull(strstr(qdict_get_str(qdict_get_qdict(rsp, "error"),
                                              "desc"),
                                "the state of an HCA cannot be migrated"));
        qobject_unref(rsp);
        qpci_unplug_acpi_device_test(qts, "hyv", SLOT_HOTPLUG);
        hyv_expect_freed(qts);
    }
    qtest_quit(qts);
}

/* Do what a driver does; the device may need a reset at any time. */
static void drive_failing(HyvTest *t)
{
    QPCIDevice *host = qpci_device_find(t->bus, 0);
    uint64_t req, rsp;
    uint32_t head, len;
    unsigned int i;

    qvirtio_start_device(&t->dev->vdev);
    hyv_acknowledge(t, (1ull << VIRTIO_F_VERSION_1) | HYV_FEATURES_ALL);
    t->dev->vdev.features_negotiated = true;
    t->dev->vdev.bus->set_status(&t->dev->vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE |
                                 VIRTIO_CONFIG_S_DRIVER |
                                 VIRTIO_CONFIG_S_FEATURES_OK);
    hyv_setup_queues(t);
    t->dev->vdev.bus->set_status(&t->dev->vdev, hyv_status(t) |
                                 VIRTIO_CONFIG_S_DRIVER_OK);
    req = hyv_request(t, 0);
    rsp = guest_alloc(&t->alloc, sizeof(struct hyv_rsp));
    head = hyv_add(t, req, sizeof(struct hyv_req), rsp,
                   sizeof(struct hyv_rsp));
    hyv_kick(t, head);
    for (i = 0; i < 20; i++) {
        if (qvirtqueue_get_buf(t->qts, t->control, &head, &len) ||
            hyv_status(t) & VIRTIO_CONFIG_S_NEEDS_RESET) {
            break;
        }
        g_usleep(10 * 1000);
    }
    qtest_qmp_assert_success(t->qts, "{'execute': 'stop'}");
    qtest_qmp_assert_success(t->qts, "{'execute': 'cont'}");
    /* Have the table of RAM regions changed, there and back. */
    qpci_config_writeb(host, I440FX_PAM, I440FX_PAM_RAM);
    qpci_config_writeb(host, I440FX_PAM, 0);
    g_free(host);
    hyv_reset(t);
}

/*
 * Each call of the backend fails in turn: the device is refused, or needs a
 * reset, and works after the next.
 */
static void test_failing_calls(void)
{
    unsigned int nr, refused = 0;
    HyvTest t;

    for (nr = 1; nr <= FAILING_CALLS; nr++) {
        g_autofree char *properties = g_strdup_printf(
            "{'x-null-backend': true, 'x-null-fail': %u}", nr);
        g_autofree char *desc = NULL;

        hyv_start_empty(&t);
        desc = plug(t.qts, properties);
        if (desc) {
            refused++;
            g_assert_null(plug(t.qts, "{'x-null-backend': true}"));
        }
        hyv_find(&t, QPCI_DEVFN(SLOT_HOTPLUG, 0));
        if (!desc) {
            drive_failing(&t);
            /* again if that reset has failed, and this one may, too */
            drive_failing(&t);
            t.dev->vdev.bus->set_status(&t.dev->vdev, 0);
            hyv_await_reset(&t);
        }
        hyv_drive(&t);
        hyv_echo(&t, 100);
        hyv_end(&t);
    }
    g_assert_cmpuint(refused, ==, SETUP_CALLS);
}

void hyv_add_plug_tests(void)
{
    qtest_add_func("virtio-hyv/modern-pio", test_modern_pio);
    qtest_add_func("virtio-hyv/errors", test_errors);
    qtest_add_func("virtio-hyv/allowed-addresses", test_allowed_addresses);
    qtest_add_func("virtio-hyv/hotplug", test_hotplug);
    qtest_add_func("virtio-hyv/failing-calls", test_failing_calls);
}
