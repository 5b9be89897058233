/* SPDX-License-Identifier: GPL-2.0-only */
/* What asynchronous events are about. */
#ifndef VHYV_EVENT_TYPE_H
#define VHYV_EVENT_TYPE_H

#include <linux/types.h>

#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

bool vhyv_event_type_ok(enum hyv_event_type type, enum ib_event_type code);

#endif /* VHYV_EVENT_TYPE_H */
