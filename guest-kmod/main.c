// SPDX-License-Identifier: GPL-2.0-only
/*
 * virtio_hyv: the guest driver of HyV.
 *
 * Start: read the configuration, set up virtqueues and the doorbell area, then
 * register with the RDMA core. Stop: unregister first, while the host still
 * executes commands, so that all objects are destroyed in order; then reset the
 * device, after which the host uses no memory of the guest; then free the rest.
 *
 * A device that fails, or whose HCA was removed or has failed, is reset at once
 * and then unregistered, as the HCA itself would be: processes that have it
 * open get a fatal event and errors. It stays unusable until the driver is
 * unbound. The same is done to every device before a reboot or kexec, so that
 * the HCA cannot write to memory of the next kernel.
 */
#include <linux/etherdevice.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

#include "command/cmdq.h"
#include "command/watchdog.h"
#include "compat/virtio_driver.h"
#include "dev.h"
#include "ibdev.h"
#include "native_drivers.h"
#include "notify/doorbell.h"
#include "notify/event.h"
#include "verbs/verbs.h"

/* Protocol versions that this driver supports. */
#define VHYV_PROTO_MIN		1
#define VHYV_PROTO_MAX		HYV_PROTO_VERSION

/* Smallest limit on the request length that allows every command. */
#define VHYV_MIN_MAX_REQUEST	4096

/* Time that a reboot waits for the reset of a device. */
#define VHYV_REBOOT_TIMEOUT	(10 * HZ)

/*
 * Reset the device; after that the host uses no memory of this guest, and processes have
 * nothing of the window.
 */
static void vhyv_dev_stop(struct vhyv_dev *hdev)
{
	mutex_lock(&hdev->stop_lock);
	if (!hdev->stopped) {
		hdev->stopped = true;
		set_bit(VHYV_DEV_FAILED, &hdev->flags);
		vhyv_cmdq_close(hdev->cmdq);
		vhyv_contexts_revoke(hdev);
		virtio_reset_device(hdev->vdev);
		vhyv_cmdq_drain(hdev->cmdq);
		vhyv_contexts_revoke(hdev);
	}
	mutex_unlock(&hdev->stop_lock);
}

static void vhyv_fail_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(work, struct vhyv_dev, fail_work);

	vhyv_dev_stop(hdev);
	/* Processes that have the device open get IB_EVENT_DEVICE_FATAL. */
	vhyv_ibdev_unregister(hdev);
}

/* The host has removed the HCA, or an event queue is broken. */
static void vhyv_config_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(work, struct vhyv_dev,
					     config_work);
	struct virtio_device *vdev = hdev->vdev;

	/* It may have been reset already. */
	if (vhyv_dev_failed(hdev))
		return;
	if (!vhyv_dev_hca_present(vdev))
		vhyv_dev_hca_removed(hdev);
	else if (vhyv_dev_needs_reset(vdev))
		vhyv_dev_fail(hdev, "device needs a reset");
}

/*
 * Called before a reboot, a halt and kexec. Current users see a failed device;
 * nothing is logged.
 *
 * virtio_driver.shutdown cannot be used: on some supported kernels the virtio
 * bus has a shutdown method, which replaces that of the driver.
 */
static int vhyv_reboot_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct vhyv_dev *hdev = container_of(nb, struct vhyv_dev, reboot_nb);

	/* The reset of a broken device may hang, so a work item does it. */
	vhyv_dev_mark_failed(hdev, "reboot");
	if (!wait_for_completion_timeout(&hdev->cmdq->drained,
					 VHYV_REBOOT_TIMEOUT))
		dev_err(&hdev->vdev->dev,
			"device reset timed out; the host may still write to guest memory\n");
	return NOTIFY_DONE;
}

static int vhyv_check_protocol(struct virtio_device *vdev)
{
	u16 min, max;

	virtio_cread_le(vdev, struct hyv_config, proto_min, &min);
	virtio_cread_le(vdev, struct hyv_config, proto_max, &max);
	if (max < VHYV_PROTO_MIN) {
		dev_err(&vdev->dev,
			"host too old: supports protocol %u-%u, driver needs %u-%u; upgrade hyv.ko and QEMU on the host\n",
			min, max, VHYV_PROTO_MIN, VHYV_PROTO_MAX);
		return -EPROTONOSUPPORT;
	}
	if (min > VHYV_PROTO_MAX) {
		dev_err(&vdev->dev,
			"driver too old: supports protocol %u-%u, host needs %u-%u; upgrade virtio_hyv in the guest\n",
			VHYV_PROTO_MIN, VHYV_PROTO_MAX, min, max);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

/* Parts of the configuration space that are only used by vhyv_probe(). */
struct vhyv_probe_config {
	u32 nr_event_queues;
	u32 nr_ports;
	u32 qp_slots;
	u32 cq_slots;
};

static int vhyv_read_config(struct vhyv_dev *hdev,
			    struct vhyv_probe_config *config)
{
	struct virtio_device *vdev = hdev->vdev;
	u32 page_size, node_type;
	u16 val;
	int ret;

	ret = vhyv_check_protocol(vdev);
	if (ret)
		return ret;

	if (!vhyv_dev_hca_present(vdev)) {
		dev_err(&vdev->dev,
			"HCA was removed from the host; only a new vNIC can replace it\n");
		return -ENODEV;
	}

	virtio_cread_le(vdev, struct hyv_config, page_size, &page_size);
	if (!page_size || PAGE_SIZE % page_size) {
		dev_err(&vdev->dev,
			"host page size %u is not supported with guest page size %lu\n",
			page_size, PAGE_SIZE);
		return -EINVAL;
	}
	hdev->host_page_size = page_size;

	virtio_cread_le(vdev, struct hyv_config, nr_event_queues, &val);
	config->nr_event_queues = val;
	virtio_cread_le(vdev, struct hyv_config, nr_comp_vectors, &val);
	hdev->nr_comp_vectors = val;
	virtio_cread_le(vdev, struct hyv_config, max_request,
			&hdev->max_request);
	if (!config->nr_event_queues ||
	    config->nr_event_queues > HYV_MAX_EVENT_QUEUES ||
	    !hdev->nr_comp_vectors ||
	    hdev->max_request < VHYV_MIN_MAX_REQUEST) {
		dev_err(&vdev->dev,
			"invalid configuration: %u event queues, %u completion vectors, requests of %u bytes\n",
			config->nr_event_queues, hdev->nr_comp_vectors,
			hdev->max_request);
		return -EINVAL;
	}
	hdev->max_request = min_t(u32, hdev->max_request, HYV_MAX_REQ_SIZE);

	virtio_cread_le(vdev, struct hyv_config, driver_id, &hdev->driver_id);
	virtio_cread_le(vdev, struct hyv_config, uverbs_abi_ver,
			&hdev->uverbs_abi_ver);
	virtio_cread_le(vdev, struct hyv_config, node_type, &val);
	node_type = val;
	if (node_type != RDMA_NODE_IB_CA) {
		dev_err(&vdev->dev, "HCA of node type %u is not supported\n",
			node_type);
		return -EOPNOTSUPP;
	}
	hdev->ibdev.node_type = node_type;

	hdev->guest_gids = virtio_has_feature(vdev, HYV_F_GUEST_GIDS);
	if (hdev->guest_gids) {
		virtio_cread_bytes(vdev, offsetof(struct hyv_config, mac),
				   hdev->mac, sizeof(hdev->mac));
		if (!is_valid_ether_addr(hdev->mac)) {
			dev_err(&vdev->dev,
				"guest addressing needs a MAC address; set property 'mac' of the device\n");
			return -EINVAL;
		}
	}

	virtio_cread_le(vdev, struct hyv_config, nr_ports, &val);
	config->nr_ports = val;
	virtio_cread_le(vdev, struct hyv_config, qp_slots, &config->qp_slots);
	virtio_cread_le(vdev, struct hyv_config, cq_slots, &config->cq_slots);
	return 0;
}

static int vhyv_claim_window(struct vhyv_dev *hdev)
{
	struct virtio_device *vdev = hdev->vdev;
	struct virtio_shm_region *window = &hdev->window;

	if (!virtio_get_shm_region(vdev, window, HYV_SHM_WINDOW) ||
	    !window->len || !PAGE_ALIGNED(window->addr) ||
	    !PAGE_ALIGNED(window->len)) {
		dev_err(&vdev->dev,
			"shared memory region %u is missing or not page-aligned\n",
			HYV_SHM_WINDOW);
		return -ENODEV;
	}
	if (!request_mem_region(window->addr, window->len,
				dev_name(&vdev->dev))) {
		dev_err(&vdev->dev, "shared memory region %u is in use\n",
			HYV_SHM_WINDOW);
		return -EBUSY;
	}
	return 0;
}

static void vhyv_release_window(struct vhyv_dev *hdev)
{
	release_mem_region(hdev->window.addr, hdev->window.len);
}

/* Allocate what the virtqueues need: the queues' state and the doorbell area. */
static int vhyv_alloc_queues(struct vhyv_dev *hdev,
			     const struct vhyv_probe_config *config)
{
	int ret = -ENOMEM;

	hdev->cmdq = vhyv_cmdq_alloc();
	if (!hdev->cmdq)
		return ret;
	vhyv_watchdog_init(hdev->cmdq);
	hdev->events = vhyv_events_alloc(config->nr_event_queues,
					 vhyv_ibdev_port_event);
	if (!hdev->events)
		goto err_free_cmdq;
	if (virtio_has_feature(hdev->vdev, HYV_F_DOORBELL_AREA)) {
		ret = vhyv_db_init(hdev, config->qp_slots, config->cq_slots);
		if (ret)
			goto err_free_events;
	}
	return 0;

err_free_events:
	vhyv_events_free(hdev->events);
err_free_cmdq:
	kfree(hdev->cmdq);
	return ret;
}

static void vhyv_free_queues(struct vhyv_dev *hdev)
{
	vhyv_db_uninit(hdev);
	vhyv_events_free(hdev->events);
	kfree(hdev->cmdq);
}

static int vhyv_find_vqs(struct vhyv_dev *hdev)
{
	struct virtqueue_info info[HYV_VQ_EVENT0 + HYV_MAX_EVENT_QUEUES] = {
		[HYV_VQ_CONTROL] = { "control", vhyv_cmdq_callback },
		[HYV_VQ_DOORBELL] = { "doorbell" },
	};
	struct virtqueue *vqs[ARRAY_SIZE(info)];
	struct vhyv_events *events = hdev->events;
	u32 i;
	int ret;

	for (i = 0; i < events->nr_queues; i++) {
		info[HYV_VQ_EVENT0 + i].name = "event";
		info[HYV_VQ_EVENT0 + i].callback = vhyv_events_callback;
	}
	ret = virtio_find_vqs(hdev->vdev, HYV_VQ_EVENT0 + events->nr_queues,
			      vqs, info, NULL);
	if (ret)
		return ret;

	ret = vhyv_cmdq_start(hdev->cmdq, vqs[HYV_VQ_CONTROL]);
	if (ret) {
		virtio_reset_device(hdev->vdev);
		hdev->vdev->config->del_vqs(hdev->vdev);
		return ret;
	}
	if (hdev->db)
		hdev->db->vq = vqs[HYV_VQ_DOORBELL];
	for (i = 0; i < events->nr_queues; i++)
		events->queue[i].vq = vqs[HYV_VQ_EVENT0 + i];
	return 0;
}

/* Set up the virtqueues and let the device use them. */
static int vhyv_start_vqs(struct vhyv_dev *hdev)
{
	int ret;

	ret = vhyv_find_vqs(hdev);
	if (ret) {
		dev_err(&hdev->vdev->dev, "cannot set up virtqueues: %pe\n",
			ERR_PTR(ret));
		return ret;
	}
	ret = vhyv_events_start(hdev->events);
	if (ret) {
		virtio_reset_device(hdev->vdev);
		hdev->vdev->config->del_vqs(hdev->vdev);
		return ret;
	}
	virtio_device_ready(hdev->vdev);
	vhyv_events_kick(hdev->events);
	return 0;
}

/* Undo vhyv_start_vqs(); resets the device. */
static void vhyv_stop_vqs(struct vhyv_dev *hdev)
{
	vhyv_dev_stop(hdev);
	vhyv_events_stop(hdev->events);
	vhyv_watchdog_stop(hdev->cmdq);
	/* Finish abandoned commands. */
	drain_workqueue(hdev->undo_wq);
	drain_workqueue(hdev->munmap_wq);
	drain_workqueue(hdev->wq);
	cancel_work_sync(&hdev->fail_work);
	hdev->vdev->config->del_vqs(hdev->vdev);
}

static int vhyv_alloc_wqs(struct vhyv_dev *hdev)
{
	const char *name = dev_name(&hdev->vdev->dev);

	hdev->wq = alloc_workqueue("%s", WQ_UNBOUND, 0, name);
	if (!hdev->wq)
		return -ENOMEM;
	hdev->munmap_wq = alloc_workqueue("%s-munmap", WQ_UNBOUND, 0, name);
	if (!hdev->munmap_wq)
		goto err_destroy_wq;
	hdev->undo_wq = alloc_workqueue("%s-undo", WQ_UNBOUND, 0, name);
	if (!hdev->undo_wq)
		goto err_destroy_munmap_wq;
	return 0;

err_destroy_munmap_wq:
	destroy_workqueue(hdev->munmap_wq);
err_destroy_wq:
	destroy_workqueue(hdev->wq);
	return -ENOMEM;
}

static void vhyv_destroy_wqs(struct vhyv_dev *hdev)
{
	destroy_workqueue(hdev->undo_wq);
	destroy_workqueue(hdev->munmap_wq);
	destroy_workqueue(hdev->wq);
}

/* Also used to restore a device after a freeze or a reset of the PCI function. */
static int vhyv_probe(struct virtio_device *vdev)
{
	struct vhyv_probe_config config;
	struct vhyv_dev *hdev;
	int ret;

	hdev = ib_alloc_device(vhyv_dev, ibdev);
	if (!hdev)
		return -ENOMEM;
	hdev->vdev = vdev;
	mutex_init(&hdev->stop_lock);
	mutex_init(&hdev->maps_lock);
	INIT_LIST_HEAD(&hdev->ucontexts);
	INIT_WORK(&hdev->fail_work, vhyv_fail_work);
	INIT_WORK(&hdev->config_work, vhyv_config_work);
	hdev->reboot_nb.notifier_call = vhyv_reboot_notify;
	vhyv_ibdev_init(hdev);

	ret = vhyv_read_config(hdev, &config);
	if (ret)
		goto err_dealloc;
	ret = vhyv_native_driver_block(&vdev->dev, hdev->driver_id);
	if (ret)
		goto err_dealloc;
	ret = vhyv_claim_window(hdev);
	if (ret)
		goto err_unblock;
	ret = vhyv_ports_alloc(hdev, config.nr_ports);
	if (ret)
		goto err_release_window;
	ret = vhyv_alloc_queues(hdev, &config);
	if (ret)
		goto err_free_ports;
	ret = vhyv_alloc_wqs(hdev);
	if (ret)
		goto err_free_queues;

	vdev->priv = hdev;
	ret = vhyv_start_vqs(hdev);
	if (ret)
		goto err_destroy_wqs;
	ret = register_reboot_notifier(&hdev->reboot_nb);
	if (ret)
		goto err_stop_vqs;
	if (hdev->db) {
		ret = vhyv_db_start(hdev);
		if (ret) {
			dev_err(&vdev->dev,
				"host refused the doorbell area: %pe\n",
				ERR_PTR(ret));
			goto err_unregister_reboot;
		}
	}
	ret = vhyv_ibdev_register(hdev);
	if (ret) {
		dev_err(&vdev->dev, "cannot register an RDMA device: %pe\n",
			ERR_PTR(ret));
		goto err_unregister_reboot;
	}
	return 0;

err_unregister_reboot:
	unregister_reboot_notifier(&hdev->reboot_nb);
err_stop_vqs:
	vhyv_stop_vqs(hdev);
err_destroy_wqs:
	vdev->priv = NULL;
	vhyv_destroy_wqs(hdev);
err_free_queues:
	vhyv_free_queues(hdev);
err_free_ports:
	vhyv_ports_free(hdev);
err_release_window:
	vhyv_release_window(hdev);
err_unblock:
	vhyv_native_driver_unblock(hdev->driver_id);
err_dealloc:
	ib_dealloc_device(&hdev->ibdev);
	return ret;
}

/* Undo vhyv_probe(). */
static void vhyv_stop(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	/* No more configuration interrupts since the virtio core called this. */
	flush_work(&hdev->config_work);
	/* Nothing is returned after a surprise removal. */
	if (virtqueue_is_broken(hdev->cmdq->vq))
		vhyv_dev_mark_failed(hdev, "removed");
	vhyv_ibdev_unregister(hdev);
	/* fail_work may still be unregistering the device. */
	flush_work(&hdev->fail_work);
	unregister_reboot_notifier(&hdev->reboot_nb);
	vhyv_stop_vqs(hdev);
	vdev->priv = NULL;
	vhyv_destroy_wqs(hdev);
	vhyv_free_queues(hdev);
	vhyv_ports_free(hdev);
	vhyv_release_window(hdev);
	vhyv_native_driver_unblock(hdev->driver_id);
	ib_dealloc_device(&hdev->ibdev);
}

static int vhyv_validate(struct virtio_device *vdev)
{
	if (!virtio_has_feature(vdev, VIRTIO_F_VERSION_1)) {
		dev_err(&vdev->dev, "legacy virtio is not supported\n");
		return -EINVAL;
	}
	if (virtio_has_feature(vdev, VIRTIO_F_ACCESS_PLATFORM)) {
		dev_err(&vdev->dev,
			"devices behind an IOMMU are not supported\n");
		return -EOPNOTSUPP;
	}
	__virtio_clear_bit(vdev, VIRTIO_F_RING_PACKED);
	return 0;
}

static void vhyv_remove(struct virtio_device *vdev)
{
	/* priv is NULL if the device could not be restored after a freeze. */
	if (vdev->priv)
		vhyv_stop(vdev);
	else
		virtio_reset_device(vdev);
}

/* In hardirq context, where the configuration space cannot be read. */
static void vhyv_config_changed(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	if (hdev)
		queue_work(system_dfl_wq, &hdev->config_work);
}

static int __maybe_unused vhyv_freeze(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	/* The last restore has failed. */
	if (!hdev)
		return 0;
	/* A process's objects on the host would not survive the reset. */
	if (atomic_read(&hdev->nr_contexts)) {
		dev_notice(&vdev->dev,
			   "cannot suspend: device in use; close all processes that have it open\n");
		return -EBUSY;
	}
	vhyv_stop(vdev);
	return 0;
}

/*
 * Nobody can refuse this: for processes it is as if the vNIC were removed, and commands
 * need not be finished. The virtio core does not exclude probe and remove.
 */
static int vhyv_reset_prepare(struct virtio_device *vdev)
{
	device_lock(&vdev->dev);
	/* The last vhyv_probe() may have failed. */
	if (vdev->priv) {
		vhyv_dev_mark_failed(vdev->priv, "function reset");
		vhyv_stop(vdev);
	}
	device_unlock(&vdev->dev);
	return 0;
}

static int vhyv_reset_done(struct virtio_device *vdev)
{
	int ret = -ENODEV;

	device_lock(&vdev->dev);
	if (vdev->dev.driver && !vdev->priv)
		ret = vhyv_probe(vdev);
	device_unlock(&vdev->dev);
	return ret;
}

static const unsigned int vhyv_features[] = {
	HYV_F_INDIRECT_CHUNKS,
	HYV_F_DOORBELL_AREA,
	HYV_F_GUEST_GIDS,
};

static const struct virtio_device_id vhyv_ids[] = {
	{ HYV_VIRTIO_ID, VIRTIO_DEV_ANY_ID },
	{}
};
MODULE_DEVICE_TABLE(virtio, vhyv_ids);

static struct virtio_driver vhyv_driver = {
	.driver.name = KBUILD_MODNAME,
	.driver.owner = THIS_MODULE,
	.id_table = vhyv_ids,
	.feature_table = vhyv_features,
	.feature_table_size = ARRAY_SIZE(vhyv_features),
	.validate = vhyv_validate,
	.probe = vhyv_probe,
	.remove = vhyv_remove,
	.config_changed = vhyv_config_changed,
#ifdef CONFIG_PM_SLEEP
	.freeze = vhyv_freeze,
	.restore = vhyv_probe,
#endif
};

static int __init vhyv_init(void)
{
	int ret;

	ret = vhyv_native_drivers_init();
	if (ret)
		return ret;
	compat_virtio_set_reset(&vhyv_driver, vhyv_reset_prepare,
				vhyv_reset_done);
	ret = register_virtio_driver(&vhyv_driver);
	if (ret)
		vhyv_native_drivers_exit();
	return ret;
}
module_init(vhyv_init);

static void __exit vhyv_exit(void)
{
	unregister_virtio_driver(&vhyv_driver);
	vhyv_native_drivers_exit();
}
module_exit(vhyv_exit);

MODULE_DESCRIPTION("HyV paravirtual RDMA device");
MODULE_LICENSE("GPL");
