/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the host module. They take plain values only, so that every
 * layer can use them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hyv

#if !defined(HYVH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HYVH_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <hyv/wire.h>

#define HYVH_TRACE_CMD_NAME_LEN	24

TRACE_DEFINE_ENUM(HYV_EVENT_COMP);
TRACE_DEFINE_ENUM(HYV_EVENT_CQ);
TRACE_DEFINE_ENUM(HYV_EVENT_QP);
TRACE_DEFINE_ENUM(HYV_EVENT_PORT);
TRACE_DEFINE_ENUM(HYV_EVENT_DEVICE);
TRACE_DEFINE_ENUM(HYV_EVENT_SRQ);

#define hyvh_show_event_type(type)		\
	__print_symbolic(type,			\
		{ HYV_EVENT_COMP, "COMP" },	\
		{ HYV_EVENT_CQ, "CQ" },		\
		{ HYV_EVENT_QP, "QP" },		\
		{ HYV_EVENT_PORT, "PORT" },	\
		{ HYV_EVENT_DEVICE, "DEVICE" },	\
		{ HYV_EVENT_SRQ, "SRQ" })

/* A command has been executed or refused; @status is enum hyv_status. */
TRACE_EVENT(hyvh_cmd,
	    TP_PROTO(u32 vnic, u16 opcode, const char *name, u32 status, u64 ns),
	    TP_ARGS(vnic, opcode, name, status, ns),
	    TP_STRUCT__entry(__field(u32, vnic)
			     __field(u16, opcode)
			     __array(char, name, HYVH_TRACE_CMD_NAME_LEN)
			     __field(u32, status)
			     __field(u64, ns)),
	    TP_fast_assign(__entry->vnic = vnic;
			   __entry->opcode = opcode;
			   strscpy_pad(__entry->name, name, HYVH_TRACE_CMD_NAME_LEN);
			   __entry->status = status;
			   __entry->ns = ns;),
	    TP_printk("vnic=%u opcode=0x%04x name=%s status=%u ns=%llu",
		      __entry->vnic, __entry->opcode, __entry->name,
		      __entry->status, __entry->ns)
);

/* The worker has acted on @nr doorbells of a software HCA. */
TRACE_EVENT(hyvh_doorbell_drain,
	    TP_PROTO(u32 vnic, unsigned int nr),
	    TP_ARGS(vnic, nr),
	    TP_STRUCT__entry(__field(u32, vnic)
			     __field(unsigned int, nr)),
	    TP_fast_assign(__entry->vnic = vnic;
			   __entry->nr = nr;),
	    TP_printk("vnic=%u nr=%u", __entry->vnic, __entry->nr)
);

/* The HCA has raised an event. */
TRACE_EVENT(hyvh_event_raise,
	    TP_PROTO(u32 vnic, u32 queue, u16 type, u16 code, u32 handle),
	    TP_ARGS(vnic, queue, type, code, handle),
	    TP_STRUCT__entry(__field(u32, vnic)
			     __field(u32, queue)
			     __field(u16, type)
			     __field(u16, code)
			     __field(u32, handle)),
	    TP_fast_assign(__entry->vnic = vnic;
			   __entry->queue = queue;
			   __entry->type = type;
			   __entry->code = code;
			   __entry->handle = handle;),
	    TP_printk("vnic=%u queue=%u type=%s code=%u handle=0x%x",
		      __entry->vnic, __entry->queue,
		      hyvh_show_event_type(__entry->type), __entry->code,
		      __entry->handle)
);

/* An event, raised @count times, has been written to a guest buffer. */
TRACE_EVENT(hyvh_event_deliver,
	    TP_PROTO(u32 vnic, u32 queue, u16 type, u16 code, u32 handle,
		     u32 count),
	    TP_ARGS(vnic, queue, type, code, handle, count),
	    TP_STRUCT__entry(__field(u32, vnic)
			     __field(u32, queue)
			     __field(u16, type)
			     __field(u16, code)
			     __field(u32, handle)
			     __field(u32, count)),
	    TP_fast_assign(__entry->vnic = vnic;
			   __entry->queue = queue;
			   __entry->type = type;
			   __entry->code = code;
			   __entry->handle = handle;
			   __entry->count = count;),
	    TP_printk("vnic=%u queue=%u type=%s code=%u handle=0x%x count=%u",
		      __entry->vnic, __entry->queue,
		      hyvh_show_event_type(__entry->type), __entry->code,
		      __entry->handle, __entry->count)
);

DECLARE_EVENT_CLASS(hyvh_hca,
		    TP_PROTO(u32 index, const char *name),
		    TP_ARGS(index, name),
		    TP_STRUCT__entry(__field(u32, index)
				     __array(char, name, IB_DEVICE_NAME_MAX)),
		    TP_fast_assign(__entry->index = index;
				   strscpy_pad(__entry->name, name, IB_DEVICE_NAME_MAX);),
		    TP_printk("index=%u name=%s", __entry->index, __entry->name)
);

DEFINE_EVENT(hyvh_hca, hyvh_hca_arrive,
	     TP_PROTO(u32 index, const char *name),
	     TP_ARGS(index, name)
);

DEFINE_EVENT(hyvh_hca, hyvh_hca_remove,
	     TP_PROTO(u32 index, const char *name),
	     TP_ARGS(index, name)
);

/* The removal of its HCA has taken all objects from a vNIC. */
TRACE_EVENT(hyvh_vnic_hca_removed,
	    TP_PROTO(u32 vnic, const char *name),
	    TP_ARGS(vnic, name),
	    TP_STRUCT__entry(__field(u32, vnic)
			     __array(char, name, IB_DEVICE_NAME_MAX)),
	    TP_fast_assign(__entry->vnic = vnic;
			   strscpy_pad(__entry->name, name, IB_DEVICE_NAME_MAX);),
	    TP_printk("vnic=%u name=%s", __entry->vnic, __entry->name)
);

DECLARE_EVENT_CLASS(hyvh_window,
		    TP_PROTO(u32 vnic, u64 offset, u64 length),
		    TP_ARGS(vnic, offset, length),
		    TP_STRUCT__entry(__field(u32, vnic)
				     __field(u64, offset)
				     __field(u64, length)),
		    TP_fast_assign(__entry->vnic = vnic;
				   __entry->offset = offset;
				   __entry->length = length;),
		    TP_printk("vnic=%u offset=0x%llx length=0x%llx", __entry->vnic,
			      __entry->offset, __entry->length)
);

DEFINE_EVENT(hyvh_window, hyvh_window_map,
	     TP_PROTO(u32 vnic, u64 offset, u64 length),
	     TP_ARGS(vnic, offset, length)
);

DEFINE_EVENT(hyvh_window, hyvh_window_unmap,
	     TP_PROTO(u32 vnic, u64 offset, u64 length),
	     TP_ARGS(vnic, offset, length)
);

#endif /* HYVH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
