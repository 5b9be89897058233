/* SPDX-License-Identifier: GPL-2.0-only */
/* What asynchronous events are about. */
#ifndef HYV_EVENT_TYPE_H
#define HYV_EVENT_TYPE_H

#include <linux/types.h>

#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

bool hyv_event_type_ok(enum hyv_event_type type, enum ib_event_type code);

#endif /* HYV_EVENT_TYPE_H */
