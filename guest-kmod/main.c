// SPDX-License-Identifier: GPL-2.0-only
/*
 * virtio_hyv: the guest's side of HyV.
 *
 * Life of a device. Start: configuration, virtqueues, doorbell area, then the
 * registration with the RDMA core. Stop: the registration goes first, while the
 * host still answers, so that everything is destroyed in order; then the device
 * is reset, after which the host uses no memory of the guest; then the rest.
 * A device that fails, or whose HCA has left the host, is reset at once and then
 * taken from the RDMA core, as the host's own HCA would be: processes which have it
 * open get a fatal event and errors. What is left is useless but safe until the
 * driver is unbound. The same is done to every device before a reboot or kexec, lest
 * the HCA writes to memory of the next kernel.
 */
#include <linux/etherdevice.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
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
#include "native_drivers.h"
#include "notify/doorbell.h"
#include "notify/event.h"
#include "dev.h"

/* Generations of the protocol that this driver speaks. */
#define VHYV_PROTO_MIN		1
#define VHYV_PROTO_MAX		HYV_PROTO_VERSION

/* Shortest limit on requests that leaves room for every command. */
#define VHYV_MIN_MAX_REQUEST	4096

/* How long a reboot waits for the reset of a device. */
#define VHYV_REBOOT_TIMEOUT	(10 * HZ)

/* Reset the device; afterwards the host uses no memory of this guest. */
static void vhyv_dev_stop(struct vhyv_dev *hdev)
{
	mutex_lock(&hdev->stop_lock);
	if (!hdev->stopped) {
		hdev->stopped = true;
		set_bit(VHYV_DEV_FAILED, &hdev->flags);
		vhyv_cmdq_close(&hdev->cmdq);
		virtio_reset_device(hdev->vdev);
		vhyv_cmdq_drain(&hdev->cmdq);
	}
	mutex_unlock(&hdev->stop_lock);
}

static void vhyv_fail_work(struct work_struct *work)
{
	struct vhyv_dev *hdev = container_of(work, struct vhyv_dev, fail_work);

	vhyv_dev_stop(hdev);
	/* Every process that has it open gets IB_EVENT_DEVICE_FATAL by this. */
	vhyv_ibdev_unregister(hdev);
}

static bool vhyv_dev_fail_once(struct vhyv_dev *hdev)
{
	if (test_and_set_bit(VHYV_DEV_FAILED, &hdev->flags))
		return false;
	/* Not hdev->wq, whose work may wait for this. */
	queue_work(system_unbound_wq, &hdev->fail_work);
	return true;
}

/**
 * vhyv_dev_fail() - the device cannot go on
 * @hdev: device
 * @why: for the log
 *
 * The device is reset soon after; vhyv_cmdq_wait_drained() waits for that.
 * Commands fail with -EIO, objects are destroyed without the host.
 *
 * Context: any.
 */
void vhyv_dev_fail(struct vhyv_dev *hdev, const char *why)
{
	if (vhyv_dev_fail_once(hdev))
		dev_err(&hdev->vdev->dev,
			"%s: device is out of service until the driver is bound again\n",
			why);
}

/**
 * vhyv_dev_hca_gone() - the HCA has failed, or the host has taken it away
 * @hdev: device
 *
 * Like vhyv_dev_fail(), but a thing that may happen.
 *
 * Context: any.
 */
void vhyv_dev_hca_gone(struct vhyv_dev *hdev)
{
	if (vhyv_dev_fail_once(hdev))
		dev_notice(&hdev->vdev->dev, "the HCA has failed or left the host\n");
}

/*
 * Called before a reboot, a halt and kexec. To who still uses the device it has
 * failed then; the log says nothing of that.
 *
 * A driver's shutdown method would not do: the virtio bus of some supported
 * kernels has one itself, and then that of a driver is not called.
 */
static int vhyv_reboot_notify(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct vhyv_dev *hdev = container_of(nb, struct vhyv_dev, reboot_nb);

	/* In a work item, as a device that is broken may never be reset. */
	vhyv_dev_fail_once(hdev);
	if (!wait_for_completion_timeout(&hdev->cmdq.drained,
					 VHYV_REBOOT_TIMEOUT))
		dev_err(&hdev->vdev->dev,
			"no reset: the host may still write to memory\n");
	return NOTIFY_DONE;
}

static bool vhyv_hca_present(struct virtio_device *vdev)
{
	u32 status;

	virtio_cread_le(vdev, struct hyv_config, status, &status);
	return status & HYV_CONFIG_S_HCA_PRESENT;
}

/**
 * vhyv_dev_lost() - the host has not done what cannot fail while it has an HCA
 * @hdev: device
 * @why: for the log, if the HCA is still there
 *
 * Context: may sleep.
 */
void vhyv_dev_lost(struct vhyv_dev *hdev, const char *why)
{
	if (vhyv_hca_present(hdev->vdev))
		vhyv_dev_fail(hdev, why);
	else
		vhyv_dev_hca_gone(hdev);
}

static int vhyv_check_protocol(struct virtio_device *vdev)
{
	u16 min, max;

	virtio_cread_le(vdev, struct hyv_config, proto_min, &min);
	virtio_cread_le(vdev, struct hyv_config, proto_max, &max);
	if (max < VHYV_PROTO_MIN) {
		dev_err(&vdev->dev,
			"host is too old: it speaks protocol %u to %u, this driver %u to %u; upgrade hyv.ko and QEMU on the host\n",
			min, max, VHYV_PROTO_MIN, VHYV_PROTO_MAX);
		return -EPROTONOSUPPORT;
	}
	if (min > VHYV_PROTO_MAX) {
		dev_err(&vdev->dev,
			"this driver is too old: it speaks protocol %u to %u, the host %u to %u; upgrade virtio_hyv in the guest\n",
			VHYV_PROTO_MIN, VHYV_PROTO_MAX, min, max);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

static int vhyv_read_config(struct vhyv_dev *hdev, u32 *nr_ports, u32 *qp_slots,
			    u32 *cq_slots)
{
	struct virtio_device *vdev = hdev->vdev;
	u32 page_size, node_type;
	u16 val;
	int ret;

	ret = vhyv_check_protocol(vdev);
	if (ret)
		return ret;

	if (!vhyv_hca_present(vdev)) {
		dev_err(&vdev->dev,
			"the HCA has left the host; only a new device can bring one back\n");
		return -ENODEV;
	}

	virtio_cread_le(vdev, struct hyv_config, page_size, &page_size);
	if (!page_size || PAGE_SIZE % page_size) {
		dev_err(&vdev->dev,
			"host has pages of %u bytes, which a guest with pages of %lu bytes cannot map\n",
			page_size, PAGE_SIZE);
		return -EINVAL;
	}

	virtio_cread_le(vdev, struct hyv_config, nr_event_queues, &val);
	hdev->nr_event_queues = val;
	virtio_cread_le(vdev, struct hyv_config, nr_comp_vectors, &val);
	hdev->nr_comp_vectors = val;
	virtio_cread_le(vdev, struct hyv_config, max_request,
			&hdev->max_request);
	if (!hdev->nr_event_queues ||
	    hdev->nr_event_queues > HYV_MAX_EVENT_QUEUES ||
	    !hdev->nr_comp_vectors ||
	    hdev->max_request < VHYV_MIN_MAX_REQUEST) {
		dev_err(&vdev->dev,
			"impossible configuration: %u event queues, %u completion vectors, requests of %u bytes\n",
			hdev->nr_event_queues, hdev->nr_comp_vectors,
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
		dev_err(&vdev->dev, "HCAs of type %u are not supported\n",
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
				"host gives no MAC address of the network device whose addresses are to be used\n");
			return -EINVAL;
		}
	}

	virtio_cread_le(vdev, struct hyv_config, nr_ports, &val);
	*nr_ports = val;
	virtio_cread_le(vdev, struct hyv_config, qp_slots, qp_slots);
	virtio_cread_le(vdev, struct hyv_config, cq_slots, cq_slots);
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
			"device has no usable shared memory region %u\n",
			HYV_SHM_WINDOW);
		return -ENODEV;
	}
	if (!request_mem_region(window->addr, window->len,
				dev_name(&vdev->dev))) {
		dev_err(&vdev->dev, "shared memory region is in use\n");
		return -EBUSY;
	}
	return 0;
}

static void vhyv_release_window(struct vhyv_dev *hdev)
{
	release_mem_region(hdev->window.addr, hdev->window.len);
}

static int vhyv_find_vqs(struct vhyv_dev *hdev)
{
	struct virtqueue_info info[HYV_VQ_EVENT0 + HYV_MAX_EVENT_QUEUES] = {
		[HYV_VQ_CONTROL] = { "control", vhyv_cmdq_callback },
		[HYV_VQ_DOORBELL] = { "doorbell" },
	};
	struct virtqueue *vqs[ARRAY_SIZE(info)];
	u32 i;
	int ret;

	for (i = 0; i < hdev->nr_event_queues; i++) {
		info[HYV_VQ_EVENT0 + i].name = "event";
		info[HYV_VQ_EVENT0 + i].callback = vhyv_events_callback;
	}
	ret = virtio_find_vqs(hdev->vdev, HYV_VQ_EVENT0 + hdev->nr_event_queues,
			      vqs, info, NULL);
	if (ret)
		return ret;

	hdev->cmdq.vq = vqs[HYV_VQ_CONTROL];
	hdev->db.vq = vqs[HYV_VQ_DOORBELL];
	for (i = 0; i < hdev->nr_event_queues; i++)
		hdev->events.evq[i].vq = vqs[HYV_VQ_EVENT0 + i];
	return 0;
}

/* Virtqueues, with the device ready to take commands and to send events. */
static int vhyv_start_vqs(struct vhyv_dev *hdev)
{
	int ret;

	ret = vhyv_find_vqs(hdev);
	if (ret) {
		dev_err(&hdev->vdev->dev, "cannot set up virtqueues: %d\n",
			ret);
		return ret;
	}
	ret = vhyv_events_start(hdev);
	if (ret) {
		virtio_reset_device(hdev->vdev);
		hdev->vdev->config->del_vqs(hdev->vdev);
		return ret;
	}
	virtio_device_ready(hdev->vdev);
	vhyv_events_kick(hdev);
	return 0;
}

/* Undo vhyv_start_vqs(), and everything else that the host knows about. */
static void vhyv_stop_vqs(struct vhyv_dev *hdev)
{
	vhyv_dev_stop(hdev);
	/* What commands that nobody waits for have left to do. */
	drain_workqueue(hdev->wq);
	cancel_work_sync(&hdev->fail_work);
	hdev->vdev->config->del_vqs(hdev->vdev);
}

static int vhyv_start(struct virtio_device *vdev)
{
	u32 nr_ports, qp_slots, cq_slots;
	struct vhyv_dev *hdev;
	int ret;

	hdev = ib_alloc_device(vhyv_dev, ibdev);
	if (!hdev)
		return -ENOMEM;
	hdev->vdev = vdev;
	vhyv_cmdq_init(&hdev->cmdq);
	mutex_init(&hdev->stop_lock);
	INIT_WORK(&hdev->fail_work, vhyv_fail_work);
	hdev->reboot_nb.notifier_call = vhyv_reboot_notify;

	ret = vhyv_read_config(hdev, &nr_ports, &qp_slots, &cq_slots);
	if (ret)
		goto err_dealloc;
	ret = vhyv_native_driver_block(&vdev->dev, hdev->driver_id);
	if (ret)
		goto err_dealloc;
	ret = vhyv_claim_window(hdev);
	if (ret)
		goto err_release_id;
	ret = vhyv_ibdev_alloc_ports(hdev, nr_ports);
	if (ret)
		goto err_release_window;
	ret = vhyv_events_init(hdev);
	if (ret)
		goto err_free_ports;
	if (virtio_has_feature(vdev, HYV_F_DOORBELL_AREA)) {
		ret = vhyv_db_init(hdev, qp_slots, cq_slots);
		if (ret)
			goto err_uninit_events;
	}
	hdev->wq = alloc_workqueue("%s", WQ_UNBOUND, 0, dev_name(&vdev->dev));
	if (!hdev->wq) {
		ret = -ENOMEM;
		goto err_uninit_db;
	}

	vdev->priv = hdev;
	ret = vhyv_start_vqs(hdev);
	if (ret)
		goto err_destroy_wq;
	ret = register_reboot_notifier(&hdev->reboot_nb);
	if (ret)
		goto err_stop_vqs;
	if (hdev->db.area) {
		ret = vhyv_db_start(hdev);
		if (ret) {
			dev_err(&vdev->dev,
				"host refuses the doorbell area: %d\n", ret);
			goto err_unregister_reboot;
		}
	}
	ret = vhyv_ibdev_register(hdev);
	if (ret) {
		dev_err(&vdev->dev, "cannot register an RDMA device: %d\n",
			ret);
		goto err_unregister_reboot;
	}
	return 0;

err_unregister_reboot:
	unregister_reboot_notifier(&hdev->reboot_nb);
err_stop_vqs:
	vhyv_stop_vqs(hdev);
err_destroy_wq:
	vdev->priv = NULL;
	destroy_workqueue(hdev->wq);
err_uninit_db:
	vhyv_db_uninit(hdev);
err_uninit_events:
	vhyv_events_uninit(hdev);
err_free_ports:
	vhyv_ibdev_free_ports(hdev);
err_release_window:
	vhyv_release_window(hdev);
err_release_id:
	vhyv_native_driver_unblock(hdev->driver_id);
err_dealloc:
	ib_dealloc_device(&hdev->ibdev);
	return ret;
}

static void vhyv_stop(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	vhyv_ibdev_unregister(hdev);
	/* It may be what unregisters the device, and be still at it. */
	flush_work(&hdev->fail_work);
	unregister_reboot_notifier(&hdev->reboot_nb);
	vhyv_stop_vqs(hdev);
	vdev->priv = NULL;
	destroy_workqueue(hdev->wq);
	vhyv_db_uninit(hdev);
	vhyv_events_uninit(hdev);
	vhyv_ibdev_free_ports(hdev);
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
			"the host must access memory by physical addresses\n");
		return -EOPNOTSUPP;
	}
	__virtio_clear_bit(vdev, VIRTIO_F_RING_PACKED);
	return 0;
}

static int vhyv_probe(struct virtio_device *vdev)
{
	return vhyv_start(vdev);
}

static void vhyv_remove(struct virtio_device *vdev)
{
	/* No device is left if it could not be restored after a freeze. */
	if (vdev->priv)
		vhyv_stop(vdev);
	else
		virtio_reset_device(vdev);
}

static void vhyv_config_changed(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	if (hdev &&
	    vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_NEEDS_RESET)
		vhyv_dev_fail(hdev, "device needs a reset");
}

static int __maybe_unused vhyv_freeze(struct virtio_device *vdev)
{
	struct vhyv_dev *hdev = vdev->priv;

	/* Nothing is left if the last restore has failed. */
	if (!hdev)
		return 0;
	/* What a process has at the host would not survive. */
	if (atomic_read(&hdev->nr_contexts)) {
		dev_notice(&vdev->dev,
			   "in use: end the processes which have it open first\n");
		return -EBUSY;
	}
	vhyv_stop(vdev);
	return 0;
}

static int __maybe_unused vhyv_restore(struct virtio_device *vdev)
{
	return vhyv_start(vdev);
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
	.restore = vhyv_restore,
#endif
};

static int __init vhyv_init(void)
{
	int ret;

	ret = vhyv_native_drivers_init();
	if (ret)
		return ret;
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
