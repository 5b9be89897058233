/* SPDX-License-Identifier: GPL-2.0-only */
/* The device as the RDMA core sees it. */
#ifndef VHYV_IBDEV_H
#define VHYV_IBDEV_H

#include <rdma/ib_verbs.h>

struct vhyv_dev;

void vhyv_ibdev_init(struct vhyv_dev *hdev);
int vhyv_ibdev_register(struct vhyv_dev *hdev);
void vhyv_ibdev_unregister(struct vhyv_dev *hdev);
void vhyv_ibdev_port_event(struct vhyv_dev *hdev, u32 port_num,
			   enum ib_event_type code, u32 count);

#endif /* VHYV_IBDEV_H */
