/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: addresses of user memory, and mmap offsets, in provider data.
 *
 * Most provider data passes through unchanged. Where a provider puts an address
 * of its process's memory into it, the guest driver sends that memory as a chunk
 * list with the request. The host makes the memory visible to the HCA's driver
 * and replaces the address. Guest and host must agree on where such addresses
 * are; a provider without an entry here has none.
 *
 * Where the HCA's driver puts an mmap offset into provider data, the host notes
 * it: a guest can map only these.
 */
#ifndef HYV_PROVIDER_H
#define HYV_PROVIDER_H

#include <linux/types.h>

/**
 * struct hyv_udata_addr - an address in the provider data of a request
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @slot: slot of the chunk list, see struct hyv_chunk_list
 * @offset: offset of the address in the provider data, in bytes; a __u64 in the
 *	byte order of the guest's CPU
 * @length: length of the user memory at the address, in bytes
 */
struct hyv_udata_addr {
	__u32 driver_id;
	__u16 opcode;
	__u16 slot;
	__u16 offset;
	__u16 length;
};

/*
 * The tables below expand ENTRY to initialisers. Files that expand them include
 * rdma/ib_user_ioctl_verbs.h and hyv/wire.h.
 */

/*
 * Only builds for tests know the mock HCA of tests/mock, whose provider data is
 * that of rdma_rxe.
 */
#ifdef HYV_TEST
#define HYV_DRIVER_MOCK	0x6d6f636b
/* Stands for a driver that is built into the guest's kernel. */
#define HYV_DRIVER_BUILTIN	0x6275696c
#define HYV_FOR_EACH_RXE_LIKE(TABLE, ENTRY)				\
	TABLE(ENTRY, RDMA_DRIVER_RXE)					\
	TABLE(ENTRY, HYV_DRIVER_MOCK)
#else
#define HYV_FOR_EACH_RXE_LIKE(TABLE, ENTRY)				\
	TABLE(ENTRY, RDMA_DRIVER_RXE)
#endif

/*
 * The members of struct hyv_udata_addr. rdma_rxe, MODIFY_SRQ: the driver writes
 * a struct mminfo of rdma/rdma_user_rxe.h there: mmap offset and size of the new
 * queue.
 */
#define HYV_FOR_EACH_RXE_ADDR(ENTRY, id)				\
	ENTRY(id, MODIFY_SRQ, 0, 0, 16)

#define HYV_FOR_EACH_UDATA_ADDR(ENTRY)					\
	HYV_FOR_EACH_RXE_LIKE(HYV_FOR_EACH_RXE_ADDR, ENTRY)

#define HYV_UDATA_ADDR(id, command, list, at, bytes)			\
	{								\
		.driver_id = id,					\
		.opcode = HYV_CMD_##command,				\
		.slot = list,						\
		.offset = at,						\
		.length = bytes,					\
	},

/* hyv_udata_region.source: provider data of the reply. */
#define HYV_UDATA_REPLY	0xffff

/**
 * struct hyv_udata_region - an mmap offset that the HCA's driver returns
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @source: HYV_UDATA_REPLY, or the slot of the buffer in user memory that the
 *	driver writes to
 * @offset: place of the mmap offset there, in bytes; a __u64 in the byte order
 *	of the host's CPU
 * @length: place of the length in bytes there; a __u32 in the same order, 0 if
 *	there is no such memory
 *
 * The memory belongs to the object of the command, goes with it, and is
 * replaced when the driver returns other memory for it. It can be mapped once.
 */
struct hyv_udata_region {
	__u32 driver_id;
	__u16 opcode;
	__u16 source;
	__u16 offset;
	__u16 length;
};

/*
 * The members of struct hyv_udata_region. The length follows the offset in the
 * structures of rdma_rxe, see rdma/rdma_user_rxe.h.
 */
#define HYV_FOR_EACH_RXE_REGION(ENTRY, id)				\
	ENTRY(id, CREATE_CQ, HYV_UDATA_REPLY, 0, 8)			\
	ENTRY(id, RESIZE_CQ, HYV_UDATA_REPLY, 0, 8)			\
	ENTRY(id, CREATE_QP, HYV_UDATA_REPLY, 0, 8)			\
	ENTRY(id, CREATE_QP, HYV_UDATA_REPLY, 16, 24)			\
	ENTRY(id, CREATE_SRQ, HYV_UDATA_REPLY, 0, 8)			\
	ENTRY(id, MODIFY_SRQ, 0, 0, 8)

#define HYV_FOR_EACH_UDATA_REGION(ENTRY)				\
	HYV_FOR_EACH_RXE_LIKE(HYV_FOR_EACH_RXE_REGION, ENTRY)

#define HYV_UDATA_REGION(id, command, place, at, length_at)		\
	{								\
		.driver_id = id,					\
		.opcode = HYV_CMD_##command,				\
		.source = place,					\
		.offset = at,						\
		.length = length_at,					\
	},

#endif /* HYV_PROVIDER_H */
