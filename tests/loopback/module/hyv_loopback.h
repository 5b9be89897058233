/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/hyv-loopback: a virtio transport between the guest driver and a VMM that
 * run on the same kernel. Each open file is one device.
 *
 * The VMM sets up the device with LOOP_START, answers its driver's calls with
 * LOOP_NEXT and LOOP_DONE, and works on the rings in memory. Closing the file
 * unplugs the device by surprise.
 *
 * Guest memory is the kernel's: a shared mapping at an offset below LOOP_ARENA
 * shows the physical memory at this address. A mapping at LOOP_ARENA shows a pool
 * of pages for the buffers of guest processes, whose memory the VMM could not map
 * otherwise. Guest processes use the pool without an agreement on who has which
 * part.
 *
 * In guest addressing, the guest takes its addresses from the network device
 * hyvloop.
 */
#ifndef HYV_LOOPBACK_H
#define HYV_LOOPBACK_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define LOOP_CONFIG_LEN	64
#define LOOP_MAX_QUEUES	18

/* Offset of the pool, whose neighbours are no neighbours in physical memory. */
#define LOOP_ARENA		0x400000000000ULL	/* 64 TiB */
#define LOOP_ARENA_PAGES	4096

/**
 * struct loop_start - ioctl(LOOP_START): make the device known to its driver
 * @features: virtio features to offer
 * @window: length of the shared memory region, whole pages
 * @nr_queues: virtqueues
 * @queue_size: entries of each
 * @config: configuration space
 * @out_index: N in the name of the device, virtioN
 */
struct loop_start {
	__u64 features;
	__u64 window;
	__u32 nr_queues;
	__u32 queue_size;
	__u8 config[LOOP_CONFIG_LEN];
	__u32 out_index;
	__u32 reserved;
};

enum loop_call_type {
	LOOP_CALL_FEATURES,	/* FEATURES_OK is set; arg: features */
	LOOP_CALL_DRIVER_OK,
	LOOP_CALL_RESET,
};

/* ioctl(LOOP_NEXT): wait for a call of the driver, which waits for LOOP_DONE. */
struct loop_call {
	__u32 type;
	__u32 reserved;
	__u64 arg;
};

/* ioctl(LOOP_QUEUE): the rings of a queue; num is 0 if it is not in use. */
struct loop_queue {
	__u32 index;
	__u32 num;
	__u64 desc;
	__u64 avail;
	__u64 used;
};

/* ioctl(LOOP_KICK): an eventfd for the notifications of a queue. */
struct loop_kick {
	__u32 index;
	__s32 fd;
};

/* ioctl(LOOP_CONFIG): change the configuration space, and interrupt. */
struct loop_config {
	__u8 config[LOOP_CONFIG_LEN];
	__u32 status;		/* bits to set in the device status */
	__u32 reserved;
};

#define LOOP_START	_IOWR('l', 0, struct loop_start)
#define LOOP_NEXT	_IOR('l', 1, struct loop_call)
#define LOOP_DONE	_IO('l', 2)	/* argument: 0, or an errno */
#define LOOP_QUEUE	_IOWR('l', 3, struct loop_queue)
#define LOOP_KICK	_IOW('l', 4, struct loop_kick)
#define LOOP_INTERRUPT	_IO('l', 5)	/* argument: index of a queue */
#define LOOP_CONFIG	_IOW('l', 6, struct loop_config)
#define LOOP_RAM	_IOR('l', 7, __u64)	/* end of physical memory */

#endif /* HYV_LOOPBACK_H */
