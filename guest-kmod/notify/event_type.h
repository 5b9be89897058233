/* SPDX-License-Identifier: GPL-2.0-only */
/* Valid combinations of event type and code. */
#ifndef VHYV_EVENT_TYPE_H
#define VHYV_EVENT_TYPE_H

#include <linux/types.h>

#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

bool vhyv_event_valid_for(enum hyv_event_type type, enum ib_event_type code);

#endif /* VHYV_EVENT_TYPE_H */
