/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells a host that is slow from one that no longer responds. */
#ifndef VHYV_WATCHDOG_H
#define VHYV_WATCHDOG_H

struct vhyv_cmdq;

void vhyv_watchdog_init(struct vhyv_cmdq *q);
void vhyv_watchdog_stop(struct vhyv_cmdq *q);

#endif /* VHYV_WATCHDOG_H */
