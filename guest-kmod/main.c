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

#include "cmdq.h"
#include "coexist.h"
#include "doorbell.h"
#include "event.h"
#include "hyv_dev.h"

/* Generations of the protocol that this driver speaks. */
#define HYV_PROTO_MIN		1
#define HYV_PROTO_MAX		HYV_PROTO_VERSION

/* Shortest limit on requests that leaves room for every command. */
#define HYV_MIN_MAX_REQUEST	4096

/* How long a reboot waits for the reset of a device. */
#define HYV_REBOOT_TIMEOUT	(10 * HZ)

/* Reset the device; afterwards the host uses no memory of this guest. */
static void hyv_dev_stop(struct hyv_dev *hdev)
{
	mutex_lock(&hdev->stop_lock);
	if (!hdev->stopped) {
		hdev->stopped = true;
		set_bit(HYV_DEV_FAILED, &hdev->flags);
		hyv_cmdq_close(&hdev->cmdq);
		virtio_reset_device(hdev->vdev);
		hyv_cmdq_drain(&hdev->cmdq);
	}
	mutex_unlock(&hdev->stop_lock);
}

static void hyv_fail_work(struct work_struct *work)
{
	struct hyv_dev *hdev = container_of(work, struct hyv_dev, fail_work);

	hyv_dev_stop(hdev);
	/* Every process that has it open gets IB_EVENT_DEVICE_FATAL by this. */
	hyv_ibdev_unregister(hdev);
}

static bool hyv_dev_fail_once(struct hyv_dev *hdev)
{
	if (test_and_set_bit(HYV_DEV_FAILED, &hdev->flags))
		return false;
	/* Not hdev->wq, whose work may wait for this. */
	queue_work(system_unbound_wq, &hdev->fail_work);
	return true;
}

/**
 * hyv_dev_fail() - the device cannot go on
 * @hdev: device
 * @why: for the log
 *
 * The device is reset soon after; hyv_cmdq_wait_drained() waits for that.
 * Commands fail with -EIO, objects are destroyed without the host.
 *
 * Context: any.
 */
void hyv_dev_fail(struct hyv_dev *hdev, const char *why)
{
	if (hyv_dev_fail_once(hdev))
		dev_err(&hdev->vdev->dev,
			"%s: device is out of service until the driver is bound again\n",
			why);
}

/**
 * hyv_dev_hca_gone() - the HCA has failed, or the host has taken it away
 * @hdev: device
 *
 * Like hyv_dev_fail(), but a thing that may happen.
 *
 * Context: any.
 */
void hyv_dev_hca_gone(struct hyv_dev *hdev)
{
	if (hyv_dev_fail_once(hdev))
		dev_notice(&hdev->vdev->dev, "the HCA has failed or left the host\n");
}

/*
 * Called before a reboot, a halt and kexec. To who still uses the device it has
 * failed then; the log says nothing of that.
 *
 * A driver's shutdown method would not do: the virtio bus of some supported
 * kernels has one itself, and then that of a driver is not called.
 */
static int hyv_reboot_notify(struct notifier_block *nb, unsigned long action,
			     void *data)
{
	struct hyv_dev *hdev = container_of(nb, struct hyv_dev, reboot_nb);

	/* In a work item, as a device that is broken may never be reset. */
	hyv_dev_fail_once(hdev);
	if (!wait_for_completion_timeout(&hdev->cmdq.drained,
					 HYV_REBOOT_TIMEOUT))
		dev_err(&hdev->vdev->dev,
			"no reset: the host may still write to memory\n");
	return NOTIFY_DONE;
}

static bool hyv_hca_present(struct virtio_device *vdev)
{
	u32 status;

	virtio_cread_le(vdev, struct hyv_config, status, &status);
	return status & HYV_CONFIG_S_HCA_PRESENT;
}

/**
 * hyv_dev_lost() - the host has not done what cannot fail while it has an HCA
 * @hdev: device
 * @why: for the log, if the HCA is still there
 *
 * Context: may sleep.
 */
void hyv_dev_lost(struct hyv_dev *hdev, const char *why)
{
	if (hyv_hca_present(hdev->vdev))
		hyv_dev_fail(hdev, why);
	else
		hyv_dev_hca_gone(hdev);
}

static int hyv_check_protocol(struct virtio_device *vdev)
{
	u16 min, max;

	virtio_cread_le(vdev, struct hyv_config, proto_min, &min);
	virtio_cread_le(vdev, struct hyv_config, proto_max, &max);
	if (max < HYV_PROTO_MIN) {
		dev_err(&vdev->dev,
			"host is too old: it speaks protocol %u to %u, this driver %u to %u; upgrade hyv.ko and QEMU on the host\n",
			min, max, HYV_PROTO_MIN, HYV_PROTO_MAX);
		return -EPROTONOSUPPORT;
	}
	if (min > HYV_PROTO_MAX) {
		dev_err(&vdev->dev,
			"this driver is too old: it speaks protocol %u to %u, the host %u to %u; upgrade virtio_hyv in the guest\n",
			HYV_PROTO_MIN, HYV_PROTO_MAX, min, max);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

static int hyv_read_config(struct hyv_dev *hdev, u32 *nr_ports, u32 *qp_slots,
			   u32 *cq_slots)
{
	struct virtio_device *vdev = hdev->vdev;
	u32 page_size, node_type;
	u16 val;
	int ret;

	ret = hyv_check_protocol(vdev);
	if (ret)
		return ret;

	if (!hyv_hca_present(vdev)) {
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
	    hdev->max_request < HYV_MIN_MAX_REQUEST) {
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

static int hyv_claim_window(struct hyv_dev *hdev)
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

static void hyv_release_window(struct hyv_dev *hdev)
{
	release_mem_region(hdev->window.addr, hdev->window.len);
}

static int hyv_find_vqs(struct hyv_dev *hdev)
{
	struct virtqueue_info info[HYV_VQ_EVENT0 + HYV_MAX_EVENT_QUEUES] = {
		[HYV_VQ_CONTROL] = { "control", hyv_cmdq_callback },
		[HYV_VQ_DOORBELL] = { "doorbell" },
	};
	struct virtqueue *vqs[ARRAY_SIZE(info)];
	u32 i;
	int ret;

	for (i = 0; i < hdev->nr_event_queues; i++) {
		info[HYV_VQ_EVENT0 + i].name = "event";
		info[HYV_VQ_EVENT0 + i].callback = hyv_events_callback;
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
static int hyv_start_vqs(struct hyv_dev *hdev)
{
	int ret;

	ret = hyv_find_vqs(hdev);
	if (ret) {
		dev_err(&hdev->vdev->dev, "cannot set up virtqueues: %d\n",
			ret);
		return ret;
	}
	ret = hyv_events_start(hdev);
	if (ret) {
		virtio_reset_device(hdev->vdev);
		hdev->vdev->config->del_vqs(hdev->vdev);
		return ret;
	}
	virtio_device_ready(hdev->vdev);
	hyv_events_kick(hdev);
	return 0;
}

/* Undo hyv_start_vqs(), and everything else that the host knows about. */
static void hyv_stop_vqs(struct hyv_dev *hdev)
{
	hyv_dev_stop(hdev);
	/* What commands that nobody waits for have left to do. */
	drain_workqueue(hdev->wq);
	cancel_work_sync(&hdev->fail_work);
	hdev->vdev->config->del_vqs(hdev->vdev);
}

static int hyv_start(struct virtio_device *vdev)
{
	u32 nr_ports, qp_slots, cq_slots;
	struct hyv_dev *hdev;
	int ret;

	hdev = ib_alloc_device(hyv_dev, ibdev);
	if (!hdev)
		return -ENOMEM;
	hdev->vdev = vdev;
	hyv_cmdq_init(&hdev->cmdq);
	mutex_init(&hdev->stop_lock);
	INIT_WORK(&hdev->fail_work, hyv_fail_work);
	hdev->reboot_nb.notifier_call = hyv_reboot_notify;

	ret = hyv_read_config(hdev, &nr_ports, &qp_slots, &cq_slots);
	if (ret)
		goto err_dealloc;
	ret = hyv_coexist_claim(&vdev->dev, hdev->driver_id);
	if (ret)
		goto err_dealloc;
	ret = hyv_claim_window(hdev);
	if (ret)
		goto err_release_id;
	ret = hyv_ibdev_alloc_ports(hdev, nr_ports);
	if (ret)
		goto err_release_window;
	ret = hyv_events_init(hdev);
	if (ret)
		goto err_free_ports;
	if (virtio_has_feature(vdev, HYV_F_DOORBELL_AREA)) {
		ret = hyv_db_init(hdev, qp_slots, cq_slots);
		if (ret)
			goto err_uninit_events;
	}
	hdev->wq = alloc_workqueue("%s", WQ_UNBOUND, 0, dev_name(&vdev->dev));
	if (!hdev->wq) {
		ret = -ENOMEM;
		goto err_uninit_db;
	}

	vdev->priv = hdev;
	ret = hyv_start_vqs(hdev);
	if (ret)
		goto err_destroy_wq;
	ret = register_reboot_notifier(&hdev->reboot_nb);
	if (ret)
		goto err_stop_vqs;
	if (hdev->db.area) {
		ret = hyv_db_start(hdev);
		if (ret) {
			dev_err(&vdev->dev,
				"host refuses the doorbell area: %d\n", ret);
			goto err_unregister_reboot;
		}
	}
	ret = hyv_ibdev_register(hdev);
	if (ret) {
		dev_err(&vdev->dev, "cannot register an RDMA device: %d\n",
			ret);
		goto err_unregister_reboot;
	}
	return 0;

err_unregister_reboot:
	unregister_reboot_notifier(&hdev->reboot_nb);
err_stop_vqs:
	hyv_stop_vqs(hdev);
err_destroy_wq:
	vdev->priv = NULL;
	destroy_workqueue(hdev->wq);
err_uninit_db:
	hyv_db_uninit(hdev);
err_uninit_events:
	hyv_events_uninit(hdev);
err_free_ports:
	hyv_ibdev_free_ports(hdev);
err_release_window:
	hyv_release_window(hdev);
err_release_id:
	hyv_coexist_release(hdev->driver_id);
err_dealloc:
	ib_dealloc_device(&hdev->ibdev);
	return ret;
}

static void hyv_stop(struct virtio_device *vdev)
{
	struct hyv_dev *hdev = vdev->priv;

	hyv_ibdev_unregister(hdev);
	/* It may be what unregisters the device, and be still at it. */
	flush_work(&hdev->fail_work);
	unregister_reboot_notifier(&hdev->reboot_nb);
	hyv_stop_vqs(hdev);
	vdev->priv = NULL;
	destroy_workqueue(hdev->wq);
	hyv_db_uninit(hdev);
	hyv_events_uninit(hdev);
	hyv_ibdev_free_ports(hdev);
	hyv_release_window(hdev);
	hyv_coexist_release(hdev->driver_id);
	ib_dealloc_device(&hdev->ibdev);
}

static int hyv_validate(struct virtio_device *vdev)
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

static int hyv_probe(struct virtio_device *vdev)
{
	return hyv_start(vdev);
}

static void hyv_remove(struct virtio_device *vdev)
{
	/* No device is left if it could not be restored after a freeze. */
	if (vdev->priv)
		hyv_stop(vdev);
	else
		virtio_reset_device(vdev);
}

static void hyv_config_changed(struct virtio_device *vdev)
{
	struct hyv_dev *hdev = vdev->priv;

	if (hdev &&
	    vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_NEEDS_RESET)
		hyv_dev_fail(hdev, "device needs a reset");
}

static int __maybe_unused hyv_freeze(struct virtio_device *vdev)
{
	struct hyv_dev *hdev = vdev->priv;

	/* Nothing is left if the last restore has failed. */
	if (!hdev)
		return 0;
	/* What a process has at the host would not survive. */
	if (atomic_read(&hdev->nr_contexts)) {
		dev_notice(&vdev->dev,
			   "in use: end the processes which have it open first\n");
		return -EBUSY;
	}
	hyv_stop(vdev);
	return 0;
}

static int __maybe_unused hyv_restore(struct virtio_device *vdev)
{
	return hyv_start(vdev);
}

static const unsigned int hyv_features[] = {
	HYV_F_INDIRECT_CHUNKS,
	HYV_F_DOORBELL_AREA,
	HYV_F_GUEST_GIDS,
};

static const struct virtio_device_id hyv_ids[] = {
	{ HYV_VIRTIO_ID, VIRTIO_DEV_ANY_ID },
	{}
};
MODULE_DEVICE_TABLE(virtio, hyv_ids);

static struct virtio_driver hyv_driver = {
	.driver.name = KBUILD_MODNAME,
	.driver.owner = THIS_MODULE,
	.id_table = hyv_ids,
	.feature_table = hyv_features,
	.feature_table_size = ARRAY_SIZE(hyv_features),
	.validate = hyv_validate,
	.probe = hyv_probe,
	.remove = hyv_remove,
	.config_changed = hyv_config_changed,
#ifdef CONFIG_PM_SLEEP
	.freeze = hyv_freeze,
	.restore = hyv_restore,
#endif
};

static int __init hyv_init(void)
{
	int ret;

	ret = hyv_coexist_init();
	if (ret)
		return ret;
	ret = register_virtio_driver(&hyv_driver);
	if (ret)
		hyv_coexist_exit();
	return ret;
}
module_init(hyv_init);

static void __exit hyv_exit(void)
{
	unregister_virtio_driver(&hyv_driver);
	hyv_coexist_exit();
}
module_exit(hyv_exit);

MODULE_DESCRIPTION("HyV paravirtual RDMA device");
MODULE_LICENSE("GPL");
