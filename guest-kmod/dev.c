// SPDX-License-Identifier: GPL-2.0-only
/* The failure of a vNIC. */
#include <linux/virtio_config.h>

#include <hyv/wire.h>

#include "dev.h"
#include "trace.h"

/**
 * vhyv_dev_mark_failed() - let a device fail without logging it
 * @hdev: device
 * @why: reason, for the trace
 *
 * The device is reset soon after; vhyv_cmdq_wait_drained() waits for that.
 * Commands fail with -EIO, objects are destroyed without the host.
 *
 * Context: Any context.
 * Return: true if the device had not failed before.
 */
bool vhyv_dev_mark_failed(struct vhyv_dev *hdev, const char *why)
{
	if (test_and_set_bit(VHYV_DEV_FAILED, &hdev->flags))
		return false;
	trace_vhyv_dev_failed(vhyv_dev_name(hdev), why);
	/* Not on hdev->wq, whose work may wait for this. */
	queue_work(system_dfl_wq, &hdev->fail_work);
	return true;
}

/* As vhyv_dev_mark_failed(), for failures that need an administrator. */
void vhyv_dev_fail(struct vhyv_dev *hdev, const char *why)
{
	if (vhyv_dev_mark_failed(hdev, why))
		dev_err(&hdev->vdev->dev,
			"device failed (%s); rebind the driver to recover\n",
			why);
}

/* As vhyv_dev_mark_failed(), for HCA removal and HCA failure. */
void vhyv_dev_hca_removed(struct vhyv_dev *hdev)
{
	if (vhyv_dev_mark_failed(hdev, "HCA removed or failed"))
		dev_notice(&hdev->vdev->dev,
			   "HCA failed or was removed from the host\n");
}

bool vhyv_dev_hca_present(struct virtio_device *vdev)
{
	u32 status;

	virtio_cread_le(vdev, struct hyv_config, status, &status);
	return status & HYV_CONFIG_S_HCA_PRESENT;
}

bool vhyv_dev_needs_reset(struct virtio_device *vdev)
{
	return vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_NEEDS_RESET;
}

/*
 * Handle the failure of what cannot fail with an HCA. Logs @why if the HCA is
 * still there. May sleep.
 */
void vhyv_dev_lost(struct vhyv_dev *hdev, const char *why)
{
	if (vhyv_dev_hca_present(hdev->vdev))
		vhyv_dev_fail(hdev, why);
	else
		vhyv_dev_hca_removed(hdev);
}
