/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * /dev/hyv: how a virtual machine monitor lends a host's HCA to a guest.
 *
 * One open file is one vNIC of one VM. The process that issues HYV_ATTACH owns
 * it: every later ioctl must come from the same address space (EPERM
 * otherwise), guest memory is that process's memory, and its credentials and
 * limits apply. Closing the file destroys all that the guest created.
 *
 * Order: HYV_ATTACH; HYV_SET_ADDRESSING if at all; HYV_SET_LIMITS,
 * HYV_SET_WINDOW, HYV_SET_MEM, HYV_SET_FEATURES, HYV_SET_DOORBELL and
 * HYV_SET_EVENT_QUEUE in any order; then HYV_EXEC, from any number of threads at once.
 *
 * Every ioctl takes a pointer to a structure that starts with its own size in
 * bytes. A smaller size than the kernel's means that the missing fields are
 * zero; a larger one is accepted if the unknown tail is zero. Reserved fields
 * and unknown flags must be zero.
 *
 * Errors common to all of them:
 *  ENOTTY      unknown ioctl number
 *  E2BIG       the structure is longer than known and its tail is not zero
 *  EINVAL      size below the first version's, a field out of range, a
 *              reserved field or unknown flag that is not zero
 *  EFAULT      a pointer does not point to usable memory
 *  EPERM       caller does not own the file
 *  ENOTCONN    HYV_ATTACH has not been done
 *  ENODEV      the HCA has left the host
 *  ENOMEM      out of memory
 */
#ifndef _UAPI_LINUX_HYV_H
#define _UAPI_LINUX_HYV_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define HYV_IOCTL_TYPE	('y')

/* Raised when an ioctl changes in a way that its size does not show. */
#define HYV_ABI_VERSION	1

/**
 * struct hyv_get_info - ioctl(HYV_GET_INFO): what the module can do
 * @size: sizeof(struct hyv_get_info)
 * @flags: must be 0
 * @out_abi_version: HYV_ABI_VERSION
 * @out_max_mem_regions: most regions that HYV_SET_MEM takes
 * @out_max_request: longest guest request in bytes
 * @out_max_reply: reply buffer in bytes that is enough for every request
 * @out_min_scratch: least scratch memory in bytes for HYV_ATTACH and HYV_EXEC
 * @out_max_event_queues: event queues that HYV_SET_EVENT_QUEUE takes
 * @out_min_window: least window in bytes
 *
 * Needs no HYV_ATTACH.
 */
struct hyv_get_info {
	__u32 size;
	__u32 flags;
	__u32 out_abi_version;
	__u32 out_max_mem_regions;
	__u32 out_max_request;
	__u32 out_max_reply;
	__u32 out_min_scratch;
	__u32 out_max_event_queues;
	__aligned_u64 out_min_window;
};
#define HYV_GET_INFO	_IO(HYV_IOCTL_TYPE, 0x00)

#define HYV_NAME_LEN	64

/**
 * struct hyv_attach - ioctl(HYV_ATTACH): choose the HCA
 * @size: sizeof(struct hyv_attach)
 * @flags: must be 0
 * @uverbs_fd: open for writing on the HCA's /dev/infiniband/uverbsN
 * @scratch_len: bytes at @scratch, at least hyv_get_info.out_min_scratch
 * @scratch: writable memory that the kernel uses during the call
 * @name: a name for administrators, NUL terminated, of printable ASCII; may
 *	be empty
 *
 * The caller becomes the owner. The module opens the same device again for
 * every process of the guest; the fd itself may be closed after the call.
 *
 *  EBADF       @uverbs_fd is not open, or not for writing
 *  EINVAL      @uverbs_fd is not an uverbs device
 *  EISCONN     already attached
 *  EPERM       the HCA trusts what user space writes into its queues, so that
 *              a guest can crash the host, and the administrator has not
 *              allowed it (hyv.ko parameter allow_trusted_only_hca)
 *  EOPNOTSUPP  HCAs of this driver are not supported
 */
struct hyv_attach {
	__u32 size;
	__u32 flags;
	__s32 uverbs_fd;
	__u32 scratch_len;
	__aligned_u64 scratch;
	__u8 name[HYV_NAME_LEN];
};
#define HYV_ATTACH	_IO(HYV_IOCTL_TYPE, 0x01)

/**
 * struct hyv_set_limits - ioctl(HYV_SET_LIMITS): what the guest may use
 * @size: sizeof(struct hyv_set_limits)
 * @flags: must be 0
 * @max_contexts: guest processes with the device open
 * @max_pds: protection domains
 * @max_cqs: completion queues; at most the CQ slots of the doorbell area
 * @max_qps: queue pairs; at most the QP slots
 * @max_mrs: memory regions
 * @reserved: must be 0
 * @max_pinned: bytes of guest memory in memory regions
 * @max_queue_bytes: bytes of host memory that queues may take, for HCAs whose
 *	driver allocates them
 * @max_ahs: address handles
 * @max_srqs: shared receive queues
 * @max_mws: memory windows
 * @reserved2: must be 0
 *
 * 0 keeps the module's default. A limit below what is in use takes effect as
 * objects go. A guest that reaches one gets EDQUOT.
 *
 *  EINVAL      a limit above what the module can do
 */
struct hyv_set_limits {
	__u32 size;
	__u32 flags;
	__u32 max_contexts;
	__u32 max_pds;
	__u32 max_cqs;
	__u32 max_qps;
	__u32 max_mrs;
	__u32 reserved;
	__aligned_u64 max_pinned;
	__aligned_u64 max_queue_bytes;
	__u32 max_ahs;
	__u32 max_srqs;
	__u32 max_mws;
	__u32 reserved2;
};
#define HYV_SET_LIMITS	_IO(HYV_IOCTL_TYPE, 0x02)

/**
 * struct hyv_set_window - ioctl(HYV_SET_WINDOW): where HCA queues are mapped
 * @size: sizeof(struct hyv_set_window)
 * @flags: must be 0
 * @addr: start of a page-aligned, readable and writable, anonymous mapping
 * @length: its bytes, whole pages, at least hyv_get_info.out_min_window
 *
 * The module replaces pages of the range by mappings of the HCA and puts
 * anonymous memory back. The caller shows the whole range to the guest and
 * does not map or unmap anything in it while the file is open. Once only.
 *
 *  EBUSY       already set
 *  ENOSPC      shorter than the minimum
 */
struct hyv_set_window {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
};
#define HYV_SET_WINDOW	_IO(HYV_IOCTL_TYPE, 0x03)

/**
 * struct hyv_mem_region - guest memory
 * @gpa: guest-physical address
 * @length: bytes
 * @addr: address in the owner's memory; a shared mapping of a memfd
 *
 * All are multiples of the page size.
 */
struct hyv_mem_region {
	__aligned_u64 gpa;
	__aligned_u64 length;
	__aligned_u64 addr;
};

/**
 * struct hyv_set_mem - ioctl(HYV_SET_MEM): replace the memory table
 * @size: sizeof(struct hyv_set_mem)
 * @flags: must be 0
 * @nr_regions: entries at @regions, may be 0
 * @reserved: must be 0
 * @regions: array of struct hyv_mem_region, in any order
 *
 * Regions must not overlap in guest-physical addresses. What is registered
 * already is not affected.
 */
struct hyv_set_mem {
	__u32 size;
	__u32 flags;
	__u32 nr_regions;
	__u32 reserved;
	__aligned_u64 regions;
};
#define HYV_SET_MEM	_IO(HYV_IOCTL_TYPE, 0x04)

/**
 * struct hyv_set_doorbell - ioctl(HYV_SET_DOORBELL): the guest's kicks
 * @size: sizeof(struct hyv_set_doorbell)
 * @flags: must be 0
 * @kick_fd: eventfd that the guest's notifications of the doorbell queue
 *	signal, or -1 to stop looking at doorbells
 * @poll_us: longest time in microseconds to look at the doorbell area for
 *	before kicks are asked for again, 0..10000
 */
struct hyv_set_doorbell {
	__u32 size;
	__u32 flags;
	__s32 kick_fd;
	__u32 poll_us;
};
#define HYV_SET_DOORBELL	_IO(HYV_IOCTL_TYPE, 0x05)

/**
 * struct hyv_set_event_queue - ioctl(HYV_SET_EVENT_QUEUE): start or stop one
 * @size: sizeof(struct hyv_set_event_queue)
 * @flags: must be 0
 * @index: event queue, 0..out_max_event_queues - 1
 * @num: entries of the split virtqueue, a power of two up to 32768; 0 stops
 *	the queue
 * @desc: address of the descriptor table in the owner's memory
 * @avail: address of the available ring
 * @used: address of the used ring
 * @call_fd: eventfd to signal when the guest is to be interrupted, or -1
 * @kick_fd: eventfd that the guest's notifications of this queue signal, or -1
 * @avail_index: start: first index to take from the available ring; stop:
 *	set by the kernel to where it stopped
 * @reserved: must be 0
 *
 *  EBUSY       start of a queue that runs
 */
struct hyv_set_event_queue {
	__u32 size;
	__u32 flags;
	__u32 index;
	__u32 num;
	__aligned_u64 desc;
	__aligned_u64 avail;
	__aligned_u64 used;
	__s32 call_fd;
	__s32 kick_fd;
	__u32 avail_index;
	__u32 reserved;
};
#define HYV_SET_EVENT_QUEUE	_IO(HYV_IOCTL_TYPE, 0x06)

/**
 * struct hyv_set_features - ioctl(HYV_SET_FEATURES): virtio negotiation
 * @size: sizeof(struct hyv_set_features)
 * @flags: must be 0
 * @features: feature bits that the guest acknowledged. Of the bits below 24
 *	(the device's own) only those in hyv_get_config.out_features may be set;
 *	of the others only VIRTIO_F_VERSION_1 and VIRTIO_RING_F_EVENT_IDX
 *	matter to the module.
 *
 *  EOPNOTSUPP  bits that are not offered, VIRTIO_F_RING_PACKED, or
 *              VIRTIO_F_VERSION_1 missing
 */
struct hyv_set_features {
	__u32 size;
	__u32 flags;
	__aligned_u64 features;
};
#define HYV_SET_FEATURES	_IO(HYV_IOCTL_TYPE, 0x07)

/**
 * struct hyv_get_config - ioctl(HYV_GET_CONFIG): device configuration space
 * @size: sizeof(struct hyv_get_config)
 * @flags: must be 0
 * @config: where to put it; struct hyv_config of hyv/wire.h, little endian,
 *	all but its mac, which is the VMM's to fill
 * @config_len: bytes at @config; the kernel writes at most that many
 * @nr_event_queues: event queues that the VMM offers, 1..out_max_event_queues
 * @out_features: the device's own virtio feature bits to offer
 */
struct hyv_get_config {
	__u32 size;
	__u32 flags;
	__aligned_u64 config;
	__u32 config_len;
	__u32 nr_event_queues;
	__aligned_u64 out_features;
};
#define HYV_GET_CONFIG	_IO(HYV_IOCTL_TYPE, 0x08)

/**
 * struct hyv_exec - ioctl(HYV_EXEC): execute one request of the guest
 * @size: sizeof(struct hyv_exec)
 * @flags: must be 0
 * @request: the guest's bytes, copied to memory that the guest cannot write
 * @reply: where to put the reply; memory that the guest cannot write
 * @scratch: page-aligned writable memory, used during the call
 * @request_len: bytes at @request
 * @reply_len: room at @reply; the room that the guest gave, or less
 * @scratch_len: bytes at @scratch, at least hyv_get_info.out_min_scratch
 * @out_reply_len: bytes of the reply
 *
 * Blocks while the HCA works and may take seconds for gigabytes. Succeeds
 * whenever there is a reply, also one that refuses the request.
 *
 *  EMSGSIZE    @reply_len has no room for a reply header
 *  EINTR       a fatal signal is pending
 */
struct hyv_exec {
	__u32 size;
	__u32 flags;
	__aligned_u64 request;
	__aligned_u64 reply;
	__aligned_u64 scratch;
	__u32 request_len;
	__u32 reply_len;
	__u32 scratch_len;
	__u32 out_reply_len;
};
#define HYV_EXEC	_IO(HYV_IOCTL_TYPE, 0x09)

/**
 * struct hyv_reset - ioctl(HYV_RESET): the guest has reset its device
 * @size: sizeof(struct hyv_reset)
 * @flags: must be 0
 *
 * Stops the doorbells and the event queues, waits for requests that are being
 * executed, destroys all that the guest created and forgets the doorbell area,
 * features and events. Window, memory and limits stay.
 */
struct hyv_reset {
	__u32 size;
	__u32 flags;
};
#define HYV_RESET	_IO(HYV_IOCTL_TYPE, 0x0a)

/* The guest's ports have the GIDs of the HCA. */
#define HYV_ADDRESSING_HOST	0
/* They have those which the guest's driver gives them (HYV_F_GUEST_GIDS). */
#define HYV_ADDRESSING_GUEST	1

/**
 * struct hyv_gid_prefix - addresses that a guest may have
 * @gid: GID; of IPv4 addresses ::ffff:a.b.c.d
 * @length: how many of its bits count, 0..128; the others must be 0
 * @reserved: must be 0
 */
struct hyv_gid_prefix {
	__u8 gid[16];
	__u32 length;
	__u32 reserved;
};

/**
 * struct hyv_set_addressing - ioctl(HYV_SET_ADDRESSING): whose GIDs
 * @size: sizeof(struct hyv_set_addressing)
 * @flags: must be 0
 * @mode: HYV_ADDRESSING_*; HYV_ADDRESSING_HOST if this is never called
 * @nr_prefixes: entries at @prefixes, at most 64; 0 allows the guest all
 *	addresses that no other vNIC has
 * @prefixes: array of struct hyv_gid_prefix: GIDs that the guest may have
 *
 * Before HYV_GET_CONFIG, whose features it changes, and HYV_SET_FEATURES.
 *
 *  EBUSY       features have been set, and the guest has not been reset
 *  EOPNOTSUPP  HYV_ADDRESSING_GUEST, and a port of the HCA has no RoCE v2
 */
struct hyv_set_addressing {
	__u32 size;
	__u32 flags;
	__u32 mode;
	__u32 nr_prefixes;
	__aligned_u64 prefixes;
};
#define HYV_SET_ADDRESSING	_IO(HYV_IOCTL_TYPE, 0x0b)

#endif /* _UAPI_LINUX_HYV_H */
