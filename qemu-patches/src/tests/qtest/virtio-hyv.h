/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the QTest testcases of virtio-hyv
 */

#ifndef VIRTIO_HYV_TEST_H
#define VIRTIO_HYV_TEST_H

#include "qemu/units.h"
#include "libqtest.h"
/* 10.0 */
#if __has_include("qobject/qdict.h")
#include "qobject/qdict.h"
#include "qobject/qjson.h"
#else
#include "qapi/qmp/qdict.h"
#include "qapi/qmp/qjson.h"
#endif
#include "libqos/malloc-pc.h"
#include "libqos/pci-pc.h"
#include "libqos/virtio-pci.h"
#include "hw/pci/pci_regs.h"
#include "standard-headers/linux/virtio_config.h"
#include "standard-headers/linux/virtio_hyv.h"
#include "standard-headers/linux/virtio_pci.h"

#define SLOT            4
#define SLOT_HOTPLUG    6
#define TIMEOUT_US      (30 * 1000 * 1000)
#define MAX_RING        1024
#define CONTROL_RING    128
#define EVENT_RING      256
#define MAX_IN_FLIGHT   128

/* Opcodes of the null backend */
#define OP_SLOW         0xffff  /* takes SLOW_US */
#define OP_STUCK        0xfffe  /* takes STUCK_US */
#define OP_PIN          0xfffd  /* takes minutes, or until a reset */
#define OP_REMOVE       0xfffc  /* removes the HCA */
#define OP_BREAK        0xfffb  /* breaks an event queue */
#define SLOW_US         (500 * 1000)
#define STUCK_US        (3000 * 1000)

#define WINDOW_BAR      PCI_BASE_ADDRESS_2
#define WINDOW_ADDR     (512 * GiB)

/* Memory at 0xc0000: RAM, or registers of devices */
#define I440FX_PAM      0x5a
#define I440FX_PAM_RAM  0x33

/* A PCI Express port with native hotplug */
#define PORT_SLOT       3
#define PORT_OPTIONS    "-global " \
                        "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off " \
                        "-device pcie-root-port,id=rp,addr=" \
                        stringify(PORT_SLOT) ",chassis=1,slot=1 "

#define RAM_SHARED      "-object memory-backend-memfd,id=mem,size=64M,share=on"
#define RAM_PRIVATE     "-object memory-backend-ram,id=mem,size=64M"

typedef struct HyvTest {
    QTestState *qts;
    QGuestAllocator alloc;
    QPCIBus *bus;
    QVirtioPCIDevice *dev;
    QVirtQueue *control;
    QVirtQueue *doorbell;
    QVirtQueue *event;
} HyvTest;

QTestState *start_machine(const char *machine, const char *ram,
                          const char *device);
QTestState *start_qemu(const char *ram, const char *device);
void hyv_find(HyvTest *t, int devfn);
/* Without the device, for plug() and hyv_find() */
void hyv_start_empty(HyvTest *t);
void hyv_start(HyvTest *t, const char *options);
/* Make the window accessible at WINDOW_ADDR. */
void hyv_map_window(HyvTest *t);
uint64_t hyv_register(HyvTest *t, unsigned int reg);
/* Write a register of a queue */
void hyv_set_queue(HyvTest *t, uint16_t queue, unsigned int reg,
                   uint16_t value);
void hyv_setup_queues(HyvTest *t);
/* Set up the device up to DRIVER_OK; 0 is the control queue's default size. */
void hyv_prepare(HyvTest *t, uint16_t control_size);
/* Start the device as a driver does */
void hyv_drive(HyvTest *t);
/* With room for many requests */
void hyv_drive_large(HyvTest *t);
void hyv_release_queues(HyvTest *t);
uint8_t hyv_status(HyvTest *t);
void hyv_await_reset(HyvTest *t);
/* Reset the device as a driver does, and release its queues. */
void hyv_reset(HyvTest *t);
void hyv_end(HyvTest *t);
uint32_t hyv_add(HyvTest *t, uint64_t req, uint32_t req_len,
                 uint64_t rsp, uint32_t rsp_len);
void hyv_kick(HyvTest *t, uint32_t head);
/* Wait for the next completed request; *len is the used length. */
uint32_t hyv_wait(HyvTest *t, uint32_t *len);
void hyv_expect(HyvTest *t, uint32_t head, uint32_t len);
/* Send a request of @size bytes and check the null backend's reply. */
void hyv_echo(HyvTest *t, uint32_t size);
uint64_t hyv_request(HyvTest *t, uint16_t opcode);
/* Send requests of one kind; their replies share a buffer. */
uint32_t hyv_send(HyvTest *t, uint16_t opcode, unsigned int nr);
/* Number of requests that the device has taken but not completed */
int64_t hyv_in_flight(HyvTest *t);
void hyv_add_slow(HyvTest *t, unsigned int nr);
bool hyv_used(HyvTest *t);
/* Acknowledge features, also those that libqos insists on or refuses. */
void hyv_acknowledge(HyvTest *t, uint64_t features);
/* Wait for the device to fail, then recover it by a reset. */
void hyv_expect_failed(HyvTest *t);
/* Plug the device; return the error of device_add, or NULL */
char *plug(QTestState *qts, const char *properties);

/* Wait until QEMU keeps nothing of unplugged devices: their windows are unmapped. */
void hyv_expect_freed(QTestState *qts);

/* Each adds the tests of one subject. */
void hyv_add_end_tests(void);
void hyv_add_guest_tests(void);
void hyv_add_plug_tests(void);

/* No guest runs, so any file will do as firmware. */
extern char *bios;

#endif
