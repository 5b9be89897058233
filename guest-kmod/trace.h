/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the guest driver. They take plain values only, so that every
 * layer can use them. @dev is the name of the virtio device.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM virtio_hyv

#if !defined(VHYV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VHYV_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#include <hyv/wire.h>

#define VHYV_TRACE_NAME_LEN	24
#define VHYV_TRACE_REASON_LEN	48

TRACE_DEFINE_ENUM(HYV_EVENT_COMP);
TRACE_DEFINE_ENUM(HYV_EVENT_CQ);
TRACE_DEFINE_ENUM(HYV_EVENT_QP);
TRACE_DEFINE_ENUM(HYV_EVENT_PORT);
TRACE_DEFINE_ENUM(HYV_EVENT_DEVICE);
TRACE_DEFINE_ENUM(HYV_EVENT_SRQ);

#define vhyv_show_event_type(type)		\
	__print_symbolic(type,			\
		{ HYV_EVENT_COMP, "COMP" },	\
		{ HYV_EVENT_CQ, "CQ" },		\
		{ HYV_EVENT_QP, "QP" },		\
		{ HYV_EVENT_PORT, "PORT" },	\
		{ HYV_EVENT_DEVICE, "DEVICE" },	\
		{ HYV_EVENT_SRQ, "SRQ" })

/* A request of @len bytes has been put into the control queue. */
TRACE_EVENT(vhyv_cmd_submit,
	    TP_PROTO(const char *dev, u16 opcode, const char *name, u32 len),
	    TP_ARGS(dev, opcode, name, len),
	    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
			     __field(u16, opcode)
			     __array(char, name, VHYV_TRACE_NAME_LEN)
			     __field(u32, len)),
	    TP_fast_assign(strscpy_pad(__entry->dev, dev, VHYV_TRACE_NAME_LEN);
			   __entry->opcode = opcode;
			   strscpy_pad(__entry->name, name, VHYV_TRACE_NAME_LEN);
			   __entry->len = len;),
	    TP_printk("dev=%s opcode=0x%04x name=%s len=%u", __entry->dev,
		      __entry->opcode, __entry->name, __entry->len)
);

/*
 * The device has returned a command @ns after its submission, with @status of
 * enum hyv_status; HYV_S_EIO if it was reset or its reply has no header.
 */
TRACE_EVENT(vhyv_cmd_return,
	    TP_PROTO(const char *dev, u16 opcode, const char *name, u32 status,
		     u64 ns),
	    TP_ARGS(dev, opcode, name, status, ns),
	    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
			     __field(u16, opcode)
			     __array(char, name, VHYV_TRACE_NAME_LEN)
			     __field(u32, status)
			     __field(u64, ns)),
	    TP_fast_assign(strscpy_pad(__entry->dev, dev, VHYV_TRACE_NAME_LEN);
			   __entry->opcode = opcode;
			   strscpy_pad(__entry->name, name, VHYV_TRACE_NAME_LEN);
			   __entry->status = status;
			   __entry->ns = ns;),
	    TP_printk("dev=%s opcode=0x%04x name=%s status=%u ns=%llu",
		      __entry->dev, __entry->opcode, __entry->name,
		      __entry->status, __entry->ns)
);

/* A bit of the doorbell area has been set: @map is "send", "arm", ... */
TRACE_EVENT(vhyv_doorbell_ring,
	    TP_PROTO(const char *dev, const char *map, u32 slot, bool kick),
	    TP_ARGS(dev, map, slot, kick),
	    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
			     __array(char, map, VHYV_TRACE_NAME_LEN)
			     __field(u32, slot)
			     __field(bool, kick)),
	    TP_fast_assign(strscpy_pad(__entry->dev, dev, VHYV_TRACE_NAME_LEN);
			   strscpy_pad(__entry->map, map, VHYV_TRACE_NAME_LEN);
			   __entry->slot = slot;
			   __entry->kick = kick;),
	    TP_printk("dev=%s map=%s slot=%u kick=%d", __entry->dev,
		      __entry->map, __entry->slot, __entry->kick)
);

/* The host has delivered an event, which it has raised @count times. */
TRACE_EVENT(vhyv_event_deliver,
	    TP_PROTO(const char *dev, u32 queue, u16 type, u16 code, u32 handle,
		     u32 count),
	    TP_ARGS(dev, queue, type, code, handle, count),
	    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
			     __field(u32, queue)
			     __field(u16, type)
			     __field(u16, code)
			     __field(u32, handle)
			     __field(u32, count)),
	    TP_fast_assign(strscpy_pad(__entry->dev, dev, VHYV_TRACE_NAME_LEN);
			   __entry->queue = queue;
			   __entry->type = type;
			   __entry->code = code;
			   __entry->handle = handle;
			   __entry->count = count;),
	    TP_printk("dev=%s queue=%u type=%s code=%u handle=0x%x count=%u",
		      __entry->dev, __entry->queue,
		      vhyv_show_event_type(__entry->type), __entry->code,
		      __entry->handle, __entry->count)
);

/* The device has failed, or its HCA was removed or has failed. */
TRACE_EVENT(vhyv_dev_failed,
	    TP_PROTO(const char *dev, const char *reason),
	    TP_ARGS(dev, reason),
	    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
			     __array(char, reason, VHYV_TRACE_REASON_LEN)),
	    TP_fast_assign(strscpy_pad(__entry->dev, dev, VHYV_TRACE_NAME_LEN);
			   strscpy_pad(__entry->reason, reason,
				       VHYV_TRACE_REASON_LEN);),
	    TP_printk("dev=%s reason=%s", __entry->dev, __entry->reason)
);

DECLARE_EVENT_CLASS(vhyv_mapping,
		    TP_PROTO(const char *dev, u32 context, u64 window_offset,
			     u64 length, int ret),
		    TP_ARGS(dev, context, window_offset, length, ret),
		    TP_STRUCT__entry(__array(char, dev, VHYV_TRACE_NAME_LEN)
				     __field(u32, context)
				     __field(u64, window_offset)
				     __field(u64, length)
				     __field(int, ret)),
		    TP_fast_assign(strscpy_pad(__entry->dev, dev,
					       VHYV_TRACE_NAME_LEN);
				   __entry->context = context;
				   __entry->window_offset = window_offset;
				   __entry->length = length;
				   __entry->ret = ret;),
		    TP_printk("dev=%s context=0x%x window_offset=0x%llx length=0x%llx ret=%d",
			      __entry->dev, __entry->context,
			      __entry->window_offset, __entry->length,
			      __entry->ret)
);

/* A process has mapped a range of the window, or failed to with @ret. */
DEFINE_EVENT(vhyv_mapping, vhyv_mmap,
	     TP_PROTO(const char *dev, u32 context, u64 window_offset,
		      u64 length, int ret),
	     TP_ARGS(dev, context, window_offset, length, ret)
);

/* The host was asked to undo a mapping that no process uses any longer. */
DEFINE_EVENT(vhyv_mapping, vhyv_munmap,
	     TP_PROTO(const char *dev, u32 context, u64 window_offset,
		      u64 length, int ret),
	     TP_ARGS(dev, context, window_offset, length, ret)
);

#endif /* VHYV_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
