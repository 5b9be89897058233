/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a vNIC and its failure: the bottom of the driver. The layers
 * above keep their own state in structures of their own, see
 * docs/architecture.md.
 */
#ifndef VHYV_DEV_H
#define VHYV_DEV_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "notify/port_queue.h"

struct net_device;
struct vhyv_cmdq;
struct vhyv_db;
struct vhyv_events;
struct vhyv_port;

/* Bits of vhyv_dev.flags. */
enum {
	VHYV_DEV_FAILED,	/* reset is due or done; commands fail with -EIO */
	VHYV_DEV_REGISTERED,	/* events may be dispatched to the RDMA core;
				 * clearing it obliges to unregister the device
				 */
	VHYV_DEV_GID_MISSING,	/* the host must be asked for a GID again */
};

/**
 * struct vhyv_dev - a vNIC, from probe or restore to remove or freeze
 * @ibdev: must be first, allocated by ib_alloc_device()
 * @vdev: the virtio device
 * @driver_id: enum rdma_driver_id that user space sees
 * @uverbs_abi_ver: provider ABI that user space sees
 * @nr_comp_vectors: number of completion vectors
 * @max_request: maximum length of a request in bytes
 * @host_page_size: page of the host in bytes
 * @mac: MAC address of the network device that @guest_gids are taken from
 * @guest_gids: guest addressing (HYV_F_GUEST_GIDS)
 * @has_gsi: guest addressing, with GSIs, the only kernel objects
 * @window: shared memory region that HCA queues are mapped into
 * @verbs: HYV_VERB_* bits: optional verbs that the HCA supports
 * @nr_ports: entries of @ports
 * @ports: ports, by port number minus 1
 * @cmdq: control queue
 * @db: doorbell area; NULL if the HCA has its own doorbells
 * @events: event queues
 * @wq: runs work that issues commands of the guest's kernel; never waits for processes
 * @munmap_wq: undoes mappings, each in the turn of its process
 * @undo_wq: runs abandoned commands' work, and the ends of contexts, which may wait
 *	for slow processes
 * @fail_work: resets and unregisters the device, see vhyv_dev_fail()
 * @config_work: looks for a change of the configuration space
 * @reboot_nb: resets the device before a reboot
 * @port_lock: protects @port_events and vhyv_port.own_event
 * @port_events: events of ports that @port_work has yet to take
 * @port_current: what it has taken, if @port_busy; used by @port_work only
 * @port_busy: @port_current is not handled yet
 * @port_tries: how often that was tried
 * @port_work: dispatches events of ports to the RDMA core, later if there is no memory
 * @gid_retry: lets the RDMA core look for missing GIDs
 * @hca_netdev: has the HCA's address, in guest addressing; or NULL
 * @flags: VHYV_DEV_* bits
 * @nr_contexts: number of open contexts
 * @stop_lock: protects @stopped
 * @stopped: the device has been reset and will not be used again
 * @maps_lock: protects @ucontexts and @revoked; inner to the mmap_lock
 * @ucontexts: struct vhyv_ucontext
 * @revoked: the window is not mapped into processes any longer
 */
struct vhyv_dev {
	struct ib_device ibdev;
	struct virtio_device *vdev;

	/* Constant after probe. */
	u32 driver_id;
	u32 uverbs_abi_ver;
	u32 nr_comp_vectors;
	u32 max_request;
	u32 host_page_size;
	u8 mac[ETH_ALEN] __aligned(2);
	bool guest_gids;
	bool has_gsi;
	struct virtio_shm_region window;
	u32 verbs;
	u32 nr_ports;
	struct vhyv_port *ports;
	struct vhyv_cmdq *cmdq;
	struct vhyv_db *db;
	struct vhyv_events *events;
	struct workqueue_struct *wq;
	struct workqueue_struct *munmap_wq;
	struct workqueue_struct *undo_wq;

	struct work_struct fail_work;
	struct work_struct config_work;
	struct notifier_block reboot_nb;
	spinlock_t port_lock;	/* protects port_events; hardirq-safe */
	struct vhyv_port_queue port_events;
	struct vhyv_port_event port_current;
	bool port_busy;
	unsigned int port_tries;
	struct delayed_work port_work;
	struct delayed_work gid_retry;
	struct net_device *hca_netdev;

	unsigned long flags;
	atomic_t nr_contexts;

	struct mutex stop_lock;	/* protects the field below */
	bool stopped;

	struct mutex maps_lock;	/* protects the fields below */
	struct list_head ucontexts;
	bool revoked;
};

static inline struct vhyv_dev *to_vhyv_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct vhyv_dev, ibdev);
}

static inline bool vhyv_dev_failed(const struct vhyv_dev *hdev)
{
	return test_bit(VHYV_DEV_FAILED, &hdev->flags);
}

/* Name of the device in log lines and traces. */
static inline const char *vhyv_dev_name(const struct vhyv_dev *hdev)
{
	return dev_name(&hdev->vdev->dev);
}

/* Debug message of a device that may not be registered with the RDMA core. */
#define vhyv_dbg(hdev, fmt, ...)					\
do {									\
	struct vhyv_dev *__hdev = (hdev);				\
									\
	if (test_bit(VHYV_DEV_REGISTERED, &__hdev->flags))		\
		ibdev_dbg(&__hdev->ibdev, fmt, ##__VA_ARGS__);		\
	else								\
		dev_dbg(&__hdev->vdev->dev, fmt, ##__VA_ARGS__);	\
} while (0)

bool vhyv_dev_mark_failed(struct vhyv_dev *hdev, const char *why);
void vhyv_dev_fail(struct vhyv_dev *hdev, const char *why);
void vhyv_dev_hca_removed(struct vhyv_dev *hdev);
void vhyv_dev_lost(struct vhyv_dev *hdev, const char *why);
bool vhyv_dev_hca_present(struct virtio_device *vdev);
bool vhyv_dev_needs_reset(struct virtio_device *vdev);

#endif /* VHYV_DEV_H */
