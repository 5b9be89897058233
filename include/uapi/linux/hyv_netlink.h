/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * Generic netlink family "hyv": what administrators see of hyv.ko, and whom
 * they let guests with addresses of their own reach.
 *
 * All commands need CAP_NET_ADMIN in the initial user namespace. Attributes of
 * the future are to be ignored by receivers.
 */
#ifndef _UAPI_LINUX_HYV_NETLINK_H
#define _UAPI_LINUX_HYV_NETLINK_H

#define HYV_GENL_NAME		"hyv"
#define HYV_GENL_VERSION	1

enum hyv_nl_cmd {
	HYV_NL_CMD_UNSPEC,
	/*
	 * Request: HYV_NL_A_VNIC_ID, or a dump of all, which
	 * HYV_NL_A_VNIC_PID or HYV_NL_A_HCA_NAME may narrow.
	 * Reply: one message a vNIC with HYV_NL_A_VNIC_* attributes.
	 */
	HYV_NL_CMD_VNIC_GET,
	/*
	 * Dump only. Reply: one message an HCA of the host with
	 * HYV_NL_A_HCA_* attributes.
	 */
	HYV_NL_CMD_HCA_GET,
	/*
	 * The map says who has which GID: vNICs of this host have entered
	 * theirs, and static entries name GIDs of guests of other hosts.
	 *
	 * Request: HYV_NL_A_MAP_ENTRY for each static entry to add, with
	 * HYV_NL_A_MAP_GID and HYV_NL_A_MAP_VIA. All of them are added, or
	 * none. HYV_NL_A_MAP_REPLACE is a flag of its own as generic netlink
	 * refuses NLM_F_REPLACE.
	 * Errors: EEXIST if a GID is in the map, except for static entries
	 * with HYV_NL_A_MAP_REPLACE, or twice in the request; EINVAL if one is
	 * no address of one machine; ENOSPC if there were too many. If an entry
	 * is to blame, NLMSGERR_ATTR_OFFS leads to it.
	 */
	HYV_NL_CMD_MAP_ADD,
	/*
	 * Request: HYV_NL_A_MAP_ENTRY for each static entry to delete, with
	 * HYV_NL_A_MAP_GID. All of them are deleted, or none.
	 * Errors: ENOENT if no static entry has a GID, or it is twice in the
	 * request. NLMSGERR_ATTR_OFFS leads to the entry.
	 */
	HYV_NL_CMD_MAP_DEL,
	/*
	 * Request: HYV_NL_A_MAP_GID, or a dump of all in the order of GIDs.
	 * Reply: one message an entry with one HYV_NL_A_MAP_ENTRY. In it are
	 * HYV_NL_A_MAP_GID, and HYV_NL_A_MAP_VIA if it is static, else
	 * HYV_NL_A_VNIC_ID, and HYV_NL_A_HCA_NAME if the HCA is there.
	 */
	HYV_NL_CMD_MAP_GET,

	__HYV_NL_CMD_AFTER_LAST,
	HYV_NL_CMD_MAX = __HYV_NL_CMD_AFTER_LAST - 1
};

enum hyv_nl_attr {
	HYV_NL_A_UNSPEC,
	HYV_NL_A_PAD,
	HYV_NL_A_VNIC_ID,		/* u32, never used twice */
	HYV_NL_A_VNIC_NAME,		/* string, given by the VMM */
	HYV_NL_A_VNIC_PID,		/* u32, of the VMM */
	HYV_NL_A_VNIC_COMM,		/* string, of the VMM */
	HYV_NL_A_VNIC_STATE,		/* u32, enum hyv_nl_vnic_state */
	HYV_NL_A_VNIC_OBJECTS,		/* nest of HYV_NL_A_OBJECT */
	HYV_NL_A_VNIC_PINNED,		/* u64, bytes in memory regions */
	HYV_NL_A_VNIC_PINNED_MAX,	/* u64, bytes */
	HYV_NL_A_VNIC_WINDOW_USED,	/* u64, bytes */
	HYV_NL_A_VNIC_WINDOW_SIZE,	/* u64, bytes */
	HYV_NL_A_VNIC_COUNTERS,		/* nest of HYV_NL_A_COUNTER_* */
	HYV_NL_A_OBJECT,		/* nest of HYV_NL_A_OBJECT_* */
	HYV_NL_A_OBJECT_TYPE,		/* u32, enum hyv_obj_type of wire.h */
	HYV_NL_A_OBJECT_TYPE_NAME,	/* string: "context", "pd", ... */
	HYV_NL_A_OBJECT_COUNT,		/* u32 */
	HYV_NL_A_OBJECT_MAX,		/* u32 */
	HYV_NL_A_COUNTER_COMMANDS,	/* u64, requests executed */
	HYV_NL_A_COUNTER_ERRORS,	/* u64, of these refused or failed */
	HYV_NL_A_COUNTER_DOORBELLS,	/* u64, send doorbells rung */
	HYV_NL_A_COUNTER_ARMS,		/* u64, CQs armed */
	HYV_NL_A_COUNTER_KICKS,		/* u64, notifications by the guest */
	HYV_NL_A_COUNTER_EVENTS,	/* u64, events delivered */
	HYV_NL_A_COUNTER_EVENT_STALLS,	/* u64, no buffer in the event queue */
	HYV_NL_A_COUNTER_INTERRUPTS,	/* u64, guest interrupts raised */
	HYV_NL_A_HCA_NAME,		/* string; also of the HCA of a vNIC */
	HYV_NL_A_HCA_DRIVER_ID,		/* u32, enum rdma_driver_id */
	HYV_NL_A_HCA_USE,		/* u32, enum hyv_nl_hca_use */
	HYV_NL_A_HCA_VNICS,		/* u32, vNICs attached */
	HYV_NL_A_VNIC_QUEUE_BYTES,	/* u64, host memory in queues, bytes */
	HYV_NL_A_VNIC_QUEUE_BYTES_MAX,	/* u64, bytes */
	HYV_NL_A_MAP_ENTRY,		/* nest, any number in a message */
	HYV_NL_A_MAP_GID,		/* 16 bytes, in network order */
	HYV_NL_A_MAP_VIA,		/* 16 bytes, GID of an HCA elsewhere */
	HYV_NL_A_MAP_REPLACE,		/* flag, static entries may be there */

	__HYV_NL_A_AFTER_LAST,
	HYV_NL_A_MAX = __HYV_NL_A_AFTER_LAST - 1
};

enum hyv_nl_vnic_state {
	HYV_NL_VNIC_ATTACHED,		/* set up, guest driver not running */
	HYV_NL_VNIC_RUNNING,		/* an event queue is running */
	HYV_NL_VNIC_HCA_GONE,		/* the HCA has left the host */
};

enum hyv_nl_hca_use {
	HYV_NL_HCA_USABLE,
	HYV_NL_HCA_TRUSTED_ONLY_DENIED,	/* allow_trusted_only_hca is not set */
	HYV_NL_HCA_UNSUPPORTED,		/* HCAs of this driver are not supported */
};

#endif /* _UAPI_LINUX_HYV_NETLINK_H */
