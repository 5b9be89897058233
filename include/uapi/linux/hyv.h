/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause */
/*
 * /dev/hyv: the interface by which a VMM lends an HCA of the host to a guest.
 *
 * One open file is one vNIC of one VM. The process that issues HYV_ATTACH owns
 * it: every later ioctl must come from one of its threads (EPERM otherwise, also
 * for another process that shares the address space), guest memory is memory of
 * that process, and its credentials and limits apply. Closing the file destroys
 * everything that the guest has created.
 *
 * The owner must be the process whose address space backs the VM: addresses in
 * HYV_SET_MEM and HYV_SET_EVENT_QUEUE are addresses in that space. The vNIC ends
 * when the file is closed or the owner's address space is gone, whichever is
 * first, even if another process still has the file open.
 *
 * Order, which is enforced: HYV_ATTACH comes first, except for HYV_GET_INFO.
 * HYV_SET_ADDRESSING comes before HYV_SET_FEATURES (EBUSY). HYV_SET_FEATURES
 * comes before HYV_SET_EVENT_QUEUE with entries and HYV_EXEC (EPROTO), once
 * after HYV_ATTACH and once after each HYV_RESET (EBUSY). HYV_SET_WINDOW comes
 * before mmap(2) of the file. Everything else may come at any time.
 *
 * Every ioctl takes a pointer to a structure that starts with its own size in
 * bytes. If that is less than the size that the kernel knows, the missing
 * fields count as zero; if it is more, the unknown tail must be zero. Reserved
 * fields and unknown flags must be zero. The kernel writes the fields that
 * begin with out_, whatever they were. Lengths are in bytes.
 *
 * All ioctls return 0 on success, and these errors among others:
 *  ENOTTY      unknown ioctl number
 *  E2BIG       the structure is longer than known and its tail is not zero, or it
 *              is longer than a page
 *  EINVAL      the size is less than in the first version, a field is out of
 *              range, a reserved field or an unknown flag is not zero
 *  EFAULT      a pointer does not point to usable memory
 *  EPERM       the caller does not own the file
 *  ENOTCONN    HYV_ATTACH has not been issued
 *  EPROTO      HYV_SET_FEATURES must be issued first
 *  ENODEV      the HCA was removed from the host
 *  ENOMEM      out of memory
 */
#ifndef _UAPI_LINUX_HYV_H
#define _UAPI_LINUX_HYV_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define HYV_IOCTL_TYPE	('y')

/* Incremented when an ioctl changes in a way that its size does not show. */
#define HYV_ABI_VERSION	2

/**
 * struct hyv_get_info - ioctl(HYV_GET_INFO): query properties of the module
 * @size: sizeof(struct hyv_get_info)
 * @flags: must be 0
 * @out_abi_version: HYV_ABI_VERSION
 * @out_max_mem_regions: maximum number of regions in HYV_SET_MEM
 * @out_max_request: maximum length of a guest request
 * @out_max_reply: length of a reply buffer that is enough for every request
 * @out_min_scratch: minimum length of scratch memory in HYV_ATTACH and HYV_EXEC
 * @out_max_event_queues: maximum number of event queues
 * @out_min_window: minimum length of the window
 *
 * Works before HYV_ATTACH.
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
 * struct hyv_attach - ioctl(HYV_ATTACH): bind the vNIC to an HCA
 * @size: sizeof(struct hyv_attach)
 * @flags: must be 0
 * @uverbs_fd: file descriptor of the HCA's /dev/infiniband/uverbsN, open for
 *	writing
 * @scratch_len: length of @scratch, at least hyv_get_info.out_min_scratch
 * @scratch: page-aligned writable memory that the kernel uses during the call
 * @name: name of the vNIC for administrators, NUL terminated, printable ASCII;
 *	may be empty
 * @nr_event_queues: event queues that the VMM offers to the guest, 1 to
 *	hyv_get_info.out_max_event_queues; completion vectors are spread over
 *	them
 * @reserved: must be 0
 *
 * The caller becomes the owner. For every context of the guest the module opens
 * the same device again, with the credentials with which @uverbs_fd was opened.
 * @uverbs_fd may be closed after the call.
 *
 *  EBADF       @uverbs_fd is not open, or not open for writing
 *  EINVAL      @uverbs_fd is not a uverbs device
 *  EDQUOT      the user has attached too many vNICs (parameter
 *              max_vnics_per_user of hyv.ko)
 *  EACCES      the caller may not open the HCA
 *  ENOSPC      the HCA's driver lets the user open it no more often (for hyvs.ko,
 *              the parameter max_contexts_per_user)
 *  EISCONN     the file is already attached
 *  EPERM       the HCA trusts queue contents, so that a guest can crash the
 *              host, and the administrator has not allowed such HCAs (parameter
 *              allow_trusted_only_hca of hyv.ko)
 *  EOPNOTSUPP  HCAs with this driver are not supported, or @scratch is memory
 *              that HYV_EXEC would refuse
 */
struct hyv_attach {
	__u32 size;
	__u32 flags;
	__s32 uverbs_fd;
	__u32 scratch_len;
	__aligned_u64 scratch;
	__u8 name[HYV_NAME_LEN];
	__u32 nr_event_queues;
	__u32 reserved;
};
#define HYV_ATTACH	_IO(HYV_IOCTL_TYPE, 0x01)

/**
 * struct hyv_set_limits - ioctl(HYV_SET_LIMITS): limit the guest's resources
 * @size: sizeof(struct hyv_set_limits)
 * @flags: must be 0
 * @max_contexts: contexts, one per guest process that has the device open; and
 *	as many XRC domains
 * @max_pds: protection domains
 * @max_cqs: completion queues; up to hyv_config.cq_slots
 * @max_qps: queue pairs; up to hyv_config.qp_slots
 * @max_mrs: memory regions
 * @reserved: must be 0
 * @max_pinned: bytes of guest memory that is pinned, in whole pages: by memory
 *	regions, each by itself; by queues, with HCAs that have them in guest
 *	memory; by their doorbell records, each page once for each context; and
 *	by the doorbell area. By default twice the memory of HYV_SET_MEM
 * @max_queue_bytes: bytes of host memory for queues, with HCAs whose driver
 *	allocates them: the most that CQs, QPs and SRQs of their sizes take; a
 *	queue counts until it is destroyed and the guest has unmapped it
 * @max_ahs: address handles
 * @max_srqs: shared receive queues
 * @max_mws: memory windows
 * @reserved2: must be 0
 * @max_mr_bytes: bytes of host memory that describe pinned memory: 1 KiB for
 *	each memory region, and a 64th of what memory regions and queues pin; by
 *	default 256 MiB and a 64th of the limit of pinned bytes
 * @max_stitch_vmas: mappings that requests of all vNICs of the owner make in its
 *	address space while memory is registered; holds until the owner has no
 *	vNIC
 * @max_doorbell_pages: doorbell pages of contexts, with HCAs that have them; a
 *	page counts until the end of its context, mapped or not
 *
 * 0 keeps the present limit, at first the module's default. A limit may be less
 * than what is in use; existing objects are not affected. Commands that would
 * exceed a limit fail with EDQUOT, except those that would exceed
 * @max_stitch_vmas, which take longer. A memory region or queue that is replaced
 * counts in addition to the new one, at least until the command ends.
 *
 *  EINVAL      a limit is greater than the module supports
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
	__aligned_u64 max_mr_bytes;
	__aligned_u64 max_stitch_vmas;
	__aligned_u64 max_doorbell_pages;
};
#define HYV_SET_LIMITS	_IO(HYV_IOCTL_TYPE, 0x02)

/**
 * struct hyv_set_window - ioctl(HYV_SET_WINDOW): set the size of the window
 * @size: sizeof(struct hyv_set_window)
 * @flags: must be 0
 * @length: length of the window, whole pages, at least
 *	hyv_get_info.out_min_window and at most 1 TiB
 *
 * The window is memory of the file: the owner maps all of it with
 * mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) and exposes the
 * mapping to the guest as device memory. Pages in which the guest has mapped
 * nothing contain a page of zeroed memory that all of them share; the guest may
 * read and write it. Pages change under the mapping, which itself never does:
 * no address of it is ever unmapped or replaced by the module, and an access
 * never fails. The mapping stays valid after the vNIC has ended.
 *
 * mmap(2) fails with EINVAL if the mapping is not shared, is executable, or is
 * not the whole window, and with EPERM for others than the owner. The mapping
 * cannot be split, moved or grown, takes no userfaultfd, and is not inherited
 * by fork(2).
 *
 *  EBUSY       the window is already set
 *  ENOSPC      the length is below the minimum
 */
struct hyv_set_window {
	__u32 size;
	__u32 flags;
	__aligned_u64 length;
};
#define HYV_SET_WINDOW	_IO(HYV_IOCTL_TYPE, 0x03)

/**
 * struct hyv_mem_region - a region of guest RAM
 * @gpa: guest-physical address
 * @length: length
 * @addr: address in the owner's address space of a shared mapping of a memfd
 *
 * All three are multiples of the page size. The kind of memory at @addr is not
 * checked here: the guest's commands that register other memory, or a file of
 * hugetlbfs, may fail with HYV_S_EOPNOTSUPP.
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
 * @nr_regions: elements of @regions, may be 0
 * @reserved: must be 0
 * @regions: address of an array of struct hyv_mem_region, in any order
 *
 * Guest-physical ranges must not overlap. When the call returns, nothing uses
 * the old table any longer: requests whose memory the HCA's driver has been given
 * have been executed, others begin again under the new one, and no event is
 * written by it. Memory that is already registered, and the doorbell area, stay
 * pinned.
 *
 *  EINTR       a fatal signal is pending; either table may be in force
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
 * struct hyv_set_doorbell - ioctl(HYV_SET_DOORBELL): set the source of kicks
 * @size: sizeof(struct hyv_set_doorbell)
 * @flags: must be 0
 * @kick_fd: eventfd that is signalled when the guest kicks the doorbell queue;
 *	-1 to listen to none
 * @poll_us: maximum time to poll the doorbell area before the module sleeps and
 *	asks for kicks, 0 to 10000 microseconds
 */
struct hyv_set_doorbell {
	__u32 size;
	__u32 flags;
	__s32 kick_fd;
	__u32 poll_us;
};
#define HYV_SET_DOORBELL	_IO(HYV_IOCTL_TYPE, 0x05)

/**
 * struct hyv_set_event_queue - ioctl(HYV_SET_EVENT_QUEUE): start, stop a queue
 * @size: sizeof(struct hyv_set_event_queue)
 * @flags: must be 0
 * @index: event queue, below hyv_attach.nr_event_queues
 * @num: entries of the split virtqueue, a power of two up to 32768; 0 stops the
 *	queue
 * @desc: address of the descriptor table in the owner's address space
 * @avail: address of the available ring
 * @used: address of the used ring
 * @call_fd: eventfd that the kernel signals to interrupt the guest, or -1
 * @kick_fd: eventfd that is signalled when the guest kicks this queue, or -1
 * @avail_index: start: index at which to begin in the available ring; stop:
 *	written by the kernel, the index at which it stopped
 * @reserved: must be 0
 *
 * The rings and the buffers in them must be anonymous memory or shared memory
 * of a memfd, tmpfs or hugetlbfs: guest RAM, not device memory. A queue whose
 * rings or buffers break the rules of virtio, or are other memory, is broken: it
 * delivers nothing any longer, and hyv_set_notify.error_fd is signalled.
 * Descriptors may be chained and indirect.
 *
 * To stop a queue, @desc, @avail and @used must be 0; the eventfds are ignored.
 *
 *  EBUSY       the queue to start is running
 *  EOPNOTSUPP  a ring is in memory of another kind
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
 * struct hyv_set_features - ioctl(HYV_SET_FEATURES): set negotiated features
 * @size: sizeof(struct hyv_set_features)
 * @flags: must be 0
 * @features: feature bits that the guest has acknowledged: those of
 *	hyv_get_config.out_features, VIRTIO_F_VERSION_1,
 *	VIRTIO_RING_F_EVENT_IDX and VIRTIO_RING_F_INDIRECT_DESC
 *
 * Call it when the guest sets FEATURES_OK, and refuse that if the call fails.
 *
 *  EBUSY       features are set already and HYV_RESET was not called since
 *  EOPNOTSUPP  a bit is set that is not offered, VIRTIO_F_VERSION_1 is clear, or
 *              HYV_F_GUEST_GIDS is offered and clear
 */
struct hyv_set_features {
	__u32 size;
	__u32 flags;
	__aligned_u64 features;
};
#define HYV_SET_FEATURES	_IO(HYV_IOCTL_TYPE, 0x07)

/**
 * struct hyv_get_config - ioctl(HYV_GET_CONFIG): read the configuration space
 * @size: sizeof(struct hyv_get_config)
 * @flags: must be 0
 * @config: address of a buffer for struct hyv_config of hyv/wire.h, little
 *	endian; the VMM fills in the mac
 * @config_len: length of the buffer; the kernel writes no more than that
 * @reserved: must be 0
 * @out_features: the device's own virtio feature bits, for the VMM to offer
 *
 * Never waits for requests or for the HCA. After the removal of the HCA
 * hyv_config.status tells so; everything else stays.
 */
struct hyv_get_config {
	__u32 size;
	__u32 flags;
	__aligned_u64 config;
	__u32 config_len;
	__u32 reserved;
	__aligned_u64 out_features;
};
#define HYV_GET_CONFIG	_IO(HYV_IOCTL_TYPE, 0x08)

/**
 * struct hyv_exec - ioctl(HYV_EXEC): execute a guest request
 * @size: sizeof(struct hyv_exec)
 * @flags: must be 0
 * @request: address of a copy of the request that the guest cannot write to
 * @reply: address of a buffer for the reply that the guest cannot write to
 * @scratch: page-aligned writable memory that the kernel uses during the call;
 *	each thread needs its own, which the guest cannot write to
 * @request_len: length of @request
 * @reply_len: length of @reply, no more than the room that the guest provides
 * @scratch_len: length of @scratch, at least hyv_get_info.out_min_scratch
 * @out_reply_len: length of the reply
 *
 * Blocks while the HCA works, for seconds if the guest registers gigabytes.
 * Returns 0 whenever there is a reply, including one that refuses the request.
 *
 * A thread that waits for memory of the owner can be interrupted by a fatal
 * signal only. If the HCA must leave the host, the module waits for running
 * requests, names the vNIC in the kernel's log after 10 seconds, and kills the
 * owner after 60.
 *
 *  EMSGSIZE    @reply_len is less than a reply header
 *  EOPNOTSUPP  @scratch is in memory of another kind than rings may be in
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
 * struct hyv_reset - ioctl(HYV_RESET): follow a reset of the device
 * @size: sizeof(struct hyv_reset)
 * @flags: must be 0
 *
 * Stops the doorbells and the event queues, cancels requests that pin memory,
 * waits for all requests that are being executed, destroys all objects of the
 * guest, and drops the doorbell area, the features and the events. The window,
 * the memory table, the addressing mode, the limits and the eventfds of
 * HYV_SET_NOTIFY stay. May take seconds: call it from a thread that nothing
 * waits for.
 */
struct hyv_reset {
	__u32 size;
	__u32 flags;
};
#define HYV_RESET	_IO(HYV_IOCTL_TYPE, 0x0a)

/* Host addressing: the guest's ports have the GIDs of the HCA. */
#define HYV_ADDRESSING_HOST	0
/* Guest addressing: the guest driver sets their GIDs (HYV_F_GUEST_GIDS). */
#define HYV_ADDRESSING_GUEST	1

/**
 * struct hyv_gid_prefix - range of GIDs that a guest may have
 * @gid: GID in network order; an IPv4 address is ::ffff:a.b.c.d
 * @length: number of significant bits, 0 to 128; the other bits must be 0
 * @reserved: must be 0
 */
struct hyv_gid_prefix {
	__u8 gid[16];
	__u32 length;
	__u32 reserved;
};

/**
 * struct hyv_set_addressing - ioctl(HYV_SET_ADDRESSING): choose the addressing
 * @size: sizeof(struct hyv_set_addressing)
 * @flags: must be 0
 * @mode: HYV_ADDRESSING_*; HYV_ADDRESSING_HOST if this is never called
 * @nr_prefixes: elements of @prefixes, at most 64, or 0 with
 *	HYV_ADDRESSING_HOST; without any, the guest may have every GID that no
 *	other vNIC has
 * @prefixes: address of an array of struct hyv_gid_prefix, the GIDs that the
 *	guest may have
 *
 * Call it before HYV_GET_CONFIG, since it changes out_features, and before
 * HYV_SET_FEATURES.
 *
 *  EBUSY       features were set and the device was not reset since
 *  EOPNOTSUPP  HYV_ADDRESSING_GUEST, and a port of the HCA lacks RoCE v2
 */
struct hyv_set_addressing {
	__u32 size;
	__u32 flags;
	__u32 mode;
	__u32 nr_prefixes;
	__aligned_u64 prefixes;
};
#define HYV_SET_ADDRESSING	_IO(HYV_IOCTL_TYPE, 0x0b)

/**
 * struct hyv_set_notify - ioctl(HYV_SET_NOTIFY): learn of changes
 * @size: sizeof(struct hyv_set_notify)
 * @flags: must be 0
 * @config_fd: eventfd that is signalled when HYV_GET_CONFIG returns something
 *	new, for which the guest needs a configuration interrupt; -1 for
 *	none
 * @error_fd: eventfd that is signalled when an event queue is broken, after
 *	which the device needs a reset (DEVICE_NEEDS_RESET); -1 for none
 *
 * Replaces both eventfds. If what one of them reports is already the case, it
 * is signalled at once.
 */
struct hyv_set_notify {
	__u32 size;
	__u32 flags;
	__s32 config_fd;
	__s32 error_fd;
};
#define HYV_SET_NOTIFY	_IO(HYV_IOCTL_TYPE, 0x0c)

#endif /* _UAPI_LINUX_HYV_H */
