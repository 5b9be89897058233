// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells a host that is slow from one that no longer responds.
 *
 * A command may take any time: pinning terabytes takes minutes. But a host that
 * is alive returns some commands, and at least a query that does nothing. If it
 * does not return that either for minutes, the device fails, which ends all
 * waits. A device that is unplugged or asks for a reset fails at once.
 */
#include <linux/err.h>
#include <linux/moduleparam.h>
#include <linux/virtio.h>
#include <linux/workqueue.h>

#include <hyv/wire.h>

#include "command/cmd.h"
#include "command/cmdq.h"
#include "command/watchdog.h"
#include "dev.h"

/* Periods without a reply, not even to the query, after which the host is dead. */
#define VHYV_WATCH_LIMIT	10

#ifdef HYV_TEST
unsigned int vhyv_watch_ms = 30 * MSEC_PER_SEC;
module_param_named(watch_ms, vhyv_watch_ms, uint, 0600);

/* So many queries find no memory. */
static unsigned int vhyv_watch_faults;
module_param_named(watch_faults, vhyv_watch_faults, uint, 0600);

static bool vhyv_watchdog_fault(void)
{
	return vhyv_watch_faults && vhyv_watch_faults--;
}
#else
static bool vhyv_watchdog_fault(void)
{
	return false;
}
#endif

/* Nobody needs the reply: that there is one is enough. If it fails, try again. */
static void vhyv_watchdog_send_query(struct vhyv_dev *hdev)
{
	struct hyv_query_pkeys_req *req;
	struct vhyv_cmd *cmd;

	if (vhyv_watchdog_fault())
		return;
	cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_PKEYS, NULL);
	if (IS_ERR(cmd))
		return;
	req = cmd->req;
	req->port = cpu_to_le32(1);
	vhyv_cmdq_send_query(cmd);
}

static void vhyv_watchdog_work(struct work_struct *work)
{
	struct vhyv_cmdq *q = container_of(to_delayed_work(work),
					   struct vhyv_cmdq, watch);
	struct vhyv_dev *hdev = q->vq->vdev->priv;
	bool send = false, dead = false;

	if (virtqueue_is_broken(q->vq)) {
		vhyv_dev_fail(hdev, "control queue is broken");
		return;
	}
	/* While the driver starts or is removed, nothing else looks. */
	if (vhyv_dev_needs_reset(q->vq->vdev)) {
		vhyv_dev_fail(hdev, "device needs a reset");
		return;
	}

	spin_lock_irq(&q->lock);
	if (q->closed || (!q->queued && !q->suspect)) {
		q->silent = 0;
		spin_unlock_irq(&q->lock);
		return;
	}
	if (q->returns != q->seen_returns) {
		q->seen_returns = q->returns;
		q->silent = 0;
		q->suspect = false;
	} else if (q->querying) {
		dead = ++q->silent >= VHYV_WATCH_LIMIT;
	} else {
		send = true;
	}
	queue_delayed_work(system_percpu_wq, &q->watch, VHYV_WATCH_PERIOD);
	spin_unlock_irq(&q->lock);

	if (send)
		vhyv_watchdog_send_query(hdev);
	if (dead)
		vhyv_dev_fail(hdev, "host does not reply");
}

void vhyv_watchdog_init(struct vhyv_cmdq *q)
{
	INIT_DELAYED_WORK(&q->watch, vhyv_watchdog_work);
}

/* Stop to watch a queue that is closed. */
void vhyv_watchdog_stop(struct vhyv_cmdq *q)
{
	cancel_delayed_work_sync(&q->watch);
}
