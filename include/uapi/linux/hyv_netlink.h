/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * Generic netlink family "hyv": administrators query vNICs and HCAs, and manage
 * the GID map, which decides whom guests in guest addressing mode can reach.
 *
 * All commands require CAP_NET_ADMIN in the initial user namespace. Receivers
 * must ignore unknown attributes.
 */
#ifndef _UAPI_LINUX_HYV_NETLINK_H
#define _UAPI_LINUX_HYV_NETLINK_H

#define HYV_GENL_NAME		"hyv"
#define HYV_GENL_VERSION	1

enum hyv_nl_cmd {
	HYV_NL_CMD_UNSPEC,
	/*
	 * Request: HYV_NL_A_VNIC_ID, or a dump, which HYV_NL_A_VNIC_PID and
	 * HYV_NL_A_HCA_NAME filter.
	 * Reply: one message per vNIC with HYV_NL_A_VNIC_* attributes.
	 * Errors: ENOENT if no vNIC has this ID.
	 */
	HYV_NL_CMD_VNIC_GET,
	/*
	 * Dump only. Reply: one message per HCA of the host with
	 * HYV_NL_A_HCA_* attributes.
	 */
	HYV_NL_CMD_HCA_GET,
	/*
	 * Add static entries to the GID map, which holds the owner of each GID:
	 * vNICs of this host add and delete their own; static entries are for
	 * GIDs of guests of other hosts.
	 *
	 * Request: HYV_NL_A_MAP_ENTRY for each static entry to add, with
	 * HYV_NL_A_MAP_GID and HYV_NL_A_MAP_VIA. The request is atomic.
	 * HYV_NL_A_MAP_REPLACE lets them replace existing ones; it is needed
	 * because generic netlink rejects NLM_F_REPLACE.
	 * Errors: EEXIST if a GID is in the map, except for static entries with
	 * HYV_NL_A_MAP_REPLACE, or appears twice in the request; EINVAL if a GID
	 * is not a usable unicast address; ENOSPC if the limit of static
	 * entries would be exceeded. If one entry caused the error,
	 * NLMSGERR_ATTR_OFFS points into it.
	 */
	HYV_NL_CMD_MAP_ADD,
	/*
	 * Request: HYV_NL_A_MAP_ENTRY for each static entry to delete, with
	 * HYV_NL_A_MAP_GID. The request is atomic.
	 * Errors: ENOENT if no static entry has a GID, or a GID appears
	 * twice in the request. NLMSGERR_ATTR_OFFS points into the entry.
	 */
	HYV_NL_CMD_MAP_DEL,
	/*
	 * Request: HYV_NL_A_MAP_GID, or a dump, sorted by GID.
	 * Reply: one message per entry with one HYV_NL_A_MAP_ENTRY, which has
	 * HYV_NL_A_MAP_GID and, if it is static, HYV_NL_A_MAP_VIA; otherwise
	 * HYV_NL_A_VNIC_ID and, unless the HCA was removed, HYV_NL_A_HCA_NAME.
	 * Errors: ENOENT if the GID is not in the map.
	 */
	HYV_NL_CMD_MAP_GET,

	__HYV_NL_CMD_AFTER_LAST,
	HYV_NL_CMD_MAX = __HYV_NL_CMD_AFTER_LAST - 1
};

enum hyv_nl_attr {
	HYV_NL_A_UNSPEC,
	HYV_NL_A_PAD,
	HYV_NL_A_VNIC_ID,		/* u32, given out in turn */
	HYV_NL_A_VNIC_NAME,		/* string, chosen by the VMM */
	HYV_NL_A_VNIC_PID,		/* u32, of the VMM */
	HYV_NL_A_VNIC_COMM,		/* string, of the VMM */
	HYV_NL_A_VNIC_STATE,		/* u32, enum hyv_nl_vnic_state */
	HYV_NL_A_VNIC_OBJECTS,		/* nest of HYV_NL_A_OBJECT */
	HYV_NL_A_VNIC_QUOTAS,		/* nest of HYV_NL_A_QUOTA */
	HYV_NL_A_VNIC_WINDOW_USED,	/* u64, bytes */
	HYV_NL_A_VNIC_WINDOW_SIZE,	/* u64, bytes */
	HYV_NL_A_VNIC_COUNTERS,		/* nest of HYV_NL_A_COUNTER_* */
	HYV_NL_A_OBJECT,		/* nest of HYV_NL_A_OBJECT_* */
	HYV_NL_A_OBJECT_TYPE,		/* u32, enum hyv_obj_type of wire.h */
	HYV_NL_A_OBJECT_TYPE_NAME,	/* string: "context", "pd", ... */
	HYV_NL_A_OBJECT_COUNT,		/* u32 */
	HYV_NL_A_OBJECT_MAX,		/* u32 */
	HYV_NL_A_QUOTA,			/* nest of HYV_NL_A_QUOTA_* */
	HYV_NL_A_QUOTA_TYPE,		/* u32, enum hyv_nl_quota */
	HYV_NL_A_QUOTA_USED,		/* u64 */
	HYV_NL_A_QUOTA_MAX,		/* u64 */
	HYV_NL_A_COUNTER_COMMANDS,	/* u64, requests executed */
	HYV_NL_A_COUNTER_ERRORS,	/* u64, requests that failed */
	HYV_NL_A_COUNTER_DOORBELLS,	/* u64, send doorbells rung */
	HYV_NL_A_COUNTER_ARMS,		/* u64, CQs armed */
	HYV_NL_A_COUNTER_KICKS,		/* u64, doorbell kicks */
	HYV_NL_A_COUNTER_EVENTS,	/* u64, events delivered */
	HYV_NL_A_COUNTER_EVENT_STALLS,	/* u64, events that waited */
	HYV_NL_A_COUNTER_INTERRUPTS,	/* u64, guest interrupts raised */
	HYV_NL_A_HCA_NAME,		/* string, also in vNICs and entries */
	HYV_NL_A_HCA_DRIVER_ID,		/* u32, enum rdma_driver_id */
	HYV_NL_A_HCA_USE,		/* u32, enum hyv_nl_hca_use */
	HYV_NL_A_HCA_VNICS,		/* u32, vNICs attached */
	HYV_NL_A_MAP_ENTRY,		/* nest, repeatable */
	HYV_NL_A_MAP_GID,		/* 16 bytes, network byte order */
	HYV_NL_A_MAP_VIA,		/* 16 bytes, GID of a remote HCA */
	HYV_NL_A_MAP_REPLACE,		/* flag, replace static entries */
	/*
	 * Objects that the HCA's driver failed to destroy. They stay until the
	 * host restarts, and so does what they use.
	 */
	HYV_NL_A_VNIC_LEAKED,		/* u32, since the vNIC was attached */
	HYV_NL_A_HCA_LEAKED,		/* u32, also of vNICs that have ended */

	__HYV_NL_A_AFTER_LAST,
	HYV_NL_A_MAX = __HYV_NL_A_AFTER_LAST - 1
};

/* Resources of the host that a vNIC uses, apart from objects. */
enum hyv_nl_quota {
	/*
	 * bytes of guest memory pinned by MRs, by queues in guest memory and
	 * their doorbell records, and by the doorbell area
	 */
	HYV_NL_QUOTA_PINNED,
	/* bytes of host memory in queues of the HCA's driver, at most */
	HYV_NL_QUOTA_QUEUE_BYTES,
	/*
	 * bytes of host memory that describe MRs, and queues in guest memory,
	 * at most
	 */
	HYV_NL_QUOTA_MR_BYTES,
	/*
	 * mappings in the VMM, for all of its vNICs, while memory is
	 * registered; if they do not suffice, it is registered in a slower way
	 */
	HYV_NL_QUOTA_STITCH_VMAS,
	/* memberships of QPs in multicast groups */
	HYV_NL_QUOTA_MCAST,
	/*
	 * addresses of groups that the vNIC has joined in its life, if the
	 * HCA's driver leaves them on the network device
	 */
	HYV_NL_QUOTA_MCAST_ADDRS,
	/*
	 * MRs of all vNICs of the VMM, with their queues in guest memory and
	 * pages of doorbell records
	 */
	HYV_NL_QUOTA_VMM_MRS,
	/* vNICs of the user who has attached this one */
	HYV_NL_QUOTA_USER_VNICS,
	/* doorbell pages of contexts, with HCAs that have them */
	HYV_NL_QUOTA_DOORBELL_PAGES,

	HYV_NL_NR_QUOTAS
};

/* X(NAME, name) for each quota */
#define HYV_FOR_EACH_QUOTA(X) \
	X(PINNED, pinned) \
	X(QUEUE_BYTES, queue_bytes) \
	X(MR_BYTES, mr_bytes) \
	X(STITCH_VMAS, stitch_vmas) \
	X(MCAST, mcast) \
	X(MCAST_ADDRS, mcast_addrs) \
	X(VMM_MRS, vmm_mrs) \
	X(USER_VNICS, user_vnics) \
	X(DOORBELL_PAGES, doorbell_pages)

enum hyv_nl_vnic_state {
	HYV_NL_VNIC_ATTACHED,		/* guest driver not running */
	HYV_NL_VNIC_RUNNING,		/* guest driver running */
	HYV_NL_VNIC_HCA_GONE,		/* HCA removed from the host */
};

enum hyv_nl_hca_use {
	HYV_NL_HCA_USABLE,
	HYV_NL_HCA_TRUSTED_ONLY_DENIED,	/* needs allow_trusted_only_hca */
	HYV_NL_HCA_UNSUPPORTED,		/* no support for this driver */
};

#endif /* _UAPI_LINUX_HYV_NETLINK_H */
