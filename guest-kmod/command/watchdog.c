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

/* Periods without a reply, to the query either, after which the host is dead. */
#define VHYV_WATCH_LIMIT	10

#ifdef HYV_TEST
unsigned int vhyv_watch_ms = 30 * MSEC_PER_SEC;
module_param_named(watch_ms, vhyv_watch_ms, uint, 0600);
#endif

/* Nobody needs the reply: that there is one is enough. */
static void vhyv_watchdog_send_query(struct vhyv_dev *hdev)
{
	struct hyv_query_pkeys_req *req;
	struct vhyv_cmd *cmd;

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_PKEYS, NULL);
	if (IS_ERR(cmd))
		return;
	req = cmd->req;
	req->port = cpu_to_le32(1);
	vhyv_cmdq_send_abandoned(cmd);
}

static void vhyv_watchdog_work(struct work_struct *work)
{
	struct vhyv_cmdq *q = container_of(to_delayed_work(work),
					   struct vhyv_cmdq, watch);
	struct vhyv_dev *hdev = q->vq->vdev->priv;
	unsigned int silent;

	if (virtqueue_is_broken(q->vq)) {
		vhyv_dev_fail(hdev, "control queue is broken");
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
	} else {
		q->silent++;
	}
	silent = q->silent;
	queue_delayed_work(system_wq, &q->watch, VHYV_WATCH_PERIOD);
	spin_unlock_irq(&q->lock);

	if (silent == 1)
		vhyv_watchdog_send_query(hdev);
	else if (silent > VHYV_WATCH_LIMIT)
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
