// SPDX-License-Identifier: GPL-2.0-only
/* Valid combinations of event type and code. */
#include "notify/event_type.h"

/*
 * Check that an event code belongs to an event type; both can have any value.
 * The RDMA core would pass any code to user space. Completions have no code.
 */
bool vhyv_event_valid_for(enum hyv_event_type type, enum ib_event_type code)
{
	switch (code) {
	case IB_EVENT_CQ_ERR:
		return type == HYV_EVENT_CQ;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
	case IB_EVENT_COMM_EST:
	case IB_EVENT_SQ_DRAINED:
	case IB_EVENT_PATH_MIG:
	case IB_EVENT_PATH_MIG_ERR:
	case IB_EVENT_QP_LAST_WQE_REACHED:
		return type == HYV_EVENT_QP;
	case IB_EVENT_SRQ_ERR:
	case IB_EVENT_SRQ_LIMIT_REACHED:
		return type == HYV_EVENT_SRQ;
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
		return type == HYV_EVENT_PORT;
	case IB_EVENT_DEVICE_FATAL:
		return type == HYV_EVENT_DEVICE;
	default:
		return false;
	}
}
