/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: what guest and host must know of provider data: addresses of user memory,
 * what a host lets pass, and mmap offsets.
 *
 * Most provider data passes through unchanged. Where a provider puts an address
 * of its process's memory into it, the guest driver sends that memory as a chunk
 * list with the request. The host makes the memory visible to the HCA's driver
 * and replaces the address. Guest and host must agree on where such addresses
 * are, and how long the memory is; a provider without an entry here has none.
 *
 * Where the HCA's driver puts an mmap offset into provider data, the host notes
 * it: a guest can map only these.
 */
#ifndef HYV_PROVIDER_H
#define HYV_PROVIDER_H

#include <linux/types.h>

/* How the length of user memory follows from a request. */
enum hyv_udata_rule {
	HYV_RULE_FIXED,		/* as in the table; an address of 0 is none */
	HYV_RULE_RECORD,	/* 8 bytes, aligned; the whole page is registered */
	HYV_RULE_MLX5_CQ,
	HYV_RULE_MLX5_RESIZE_CQ,
	HYV_RULE_MLX5_QP,
	HYV_RULE_MLX5_SRQ,
};

/* How long the HCA uses memory, if the command succeeds. */
enum hyv_udata_life {
	HYV_LIFE_CALL,		/* not after the command */
	HYV_LIFE_OBJECT,	/* as long as the object, or until it is replaced */
};

/**
 * struct hyv_udata_addr - an address in the provider data of a request
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @slot: slot of the chunk list, see struct hyv_chunk_list
 * @offset: offset of the address in the provider data, in bytes; a __u64 in the
 *	byte order of the guest's CPU
 * @length: length of the user memory at the address in bytes, if it is fixed
 * @rule: enum hyv_udata_rule
 * @life: enum hyv_udata_life
 */
struct hyv_udata_addr {
	__u32 driver_id;
	__u16 opcode;
	__u16 slot;
	__u16 offset;
	__u16 length;
	__u8 rule;
	__u8 life;
};

/**
 * struct hyv_queue_size - what a rule needs of the fixed part of a request
 * @entries: CREATE_CQ and RESIZE_CQ: cqe; CREATE_SRQ: max_wr; CREATE_QP:
 *	cap.max_recv_wr; 0 if the QP has an SRQ; or 1 for an XRC_INI, for which
 *	libmlx5 may leave room although it does not receive
 * @max_sge: CREATE_SRQ: max_sge
 */
struct hyv_queue_size {
	__u32 entries;
	__u32 max_sge;
};

/* User memory; a chunk list has the same address and length. */
struct hyv_udata_range {
	__u64 addr;
	__u64 length;
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
	ENTRY(id, MODIFY_SRQ, 0, 0, 16, FIXED, CALL)

/*
 * mlx5, see rdma/mlx5-abi.h: a queue, and the doorbell record of the queue. The
 * driver finds records by the page that they are in.
 */
#define HYV_FOR_EACH_MLX5_ADDR(ENTRY, id)				\
	ENTRY(id, CREATE_CQ, 0, 0, 0, MLX5_CQ, OBJECT)			\
	ENTRY(id, CREATE_CQ, 1, 8, 0, RECORD, OBJECT)			\
	ENTRY(id, RESIZE_CQ, 0, 0, 0, MLX5_RESIZE_CQ, OBJECT)		\
	ENTRY(id, CREATE_QP, 0, 0, 0, MLX5_QP, OBJECT)			\
	ENTRY(id, CREATE_QP, 1, 8, 0, RECORD, OBJECT)			\
	ENTRY(id, CREATE_SRQ, 0, 0, 0, MLX5_SRQ, OBJECT)		\
	ENTRY(id, CREATE_SRQ, 1, 8, 0, RECORD, OBJECT)

/* The mock pins as much as its provider data says, whatever the length here is. */
#ifdef HYV_TEST
#define HYV_FOR_EACH_MOCK_ADDR(ENTRY, id)				\
	ENTRY(id, CREATE_SRQ, 0, 0, 4096, FIXED, OBJECT)

#define HYV_FOR_EACH_UDATA_ADDR(ENTRY)					\
	HYV_FOR_EACH_RXE_LIKE(HYV_FOR_EACH_RXE_ADDR, ENTRY)		\
	HYV_FOR_EACH_MOCK_ADDR(ENTRY, HYV_DRIVER_MOCK)			\
	HYV_FOR_EACH_MLX5_ADDR(ENTRY, RDMA_DRIVER_MLX5)
#else
#define HYV_FOR_EACH_UDATA_ADDR(ENTRY)					\
	HYV_FOR_EACH_RXE_LIKE(HYV_FOR_EACH_RXE_ADDR, ENTRY)		\
	HYV_FOR_EACH_MLX5_ADDR(ENTRY, RDMA_DRIVER_MLX5)
#endif

#define HYV_UDATA_ADDR(id, command, list, at, bytes, how, how_long)	\
	{								\
		.driver_id = id,					\
		.opcode = HYV_CMD_##command,				\
		.slot = list,						\
		.offset = at,						\
		.length = bytes,					\
		.rule = HYV_RULE_##how,					\
		.life = HYV_LIFE_##how_long,				\
	},

/* --- Length rules --- */

/* Limits that keep lengths far from an overflow; HCAs have lower ones. */
#define HYV_RULE_MAX_SHIFT	16
#define HYV_RULE_MAX_SGE	4096

static inline __u64 hyv_roundup_pow2(__u64 n)
{
	__u64 power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

/* Read a field of @size bytes; the driver takes what is missing as 0. */
static inline __u64 hyv_udata_get(const void *udata, __u32 udata_len,
				  __u32 offset, __u32 size)
{
	const char *at = (const char *)udata + offset;
	__u64 value64;
	__u32 value32;
	__u16 value16;
	__u8 value8;

	if (udata_len < offset + size)
		return 0;
	switch (size) {
	case 1:
		__builtin_memcpy(&value8, at, 1);
		return value8;
	case 2:
		__builtin_memcpy(&value16, at, 2);
		return value16;
	case 4:
		__builtin_memcpy(&value32, at, 4);
		return value32;
	default:
		__builtin_memcpy(&value64, at, 8);
		return value64;
	}
}

/* All rules return 0 if the request is invalid. */
static inline __u64 hyv_mlx5_cq_length(__u32 cqe, __u64 cqe_size)
{
	if (cqe_size != 64 && cqe_size != 128)
		return 0;
	return hyv_roundup_pow2((__u64)cqe + 1) * cqe_size;
}

static inline __u64 hyv_mlx5_srq_length(__u32 max_wr, __u32 max_sge)
{
	__u64 size = hyv_roundup_pow2(16 + 16 * (__u64)max_sge);

	if (max_sge > HYV_RULE_MAX_SGE)
		return 0;
	return hyv_roundup_pow2((__u64)max_wr + 1) * (size < 32 ? 32 : size);
}

/* A QP may have no queues of its own. */
#define HYV_RULE_NO_MEMORY	(~0ULL)

static inline __u64 hyv_mlx5_qp_length(__u32 max_recv_wr, const void *udata,
				       __u32 udata_len)
{
	__u64 sq_count = hyv_udata_get(udata, udata_len, 16, 4);
	__u64 rq_count = hyv_udata_get(udata, udata_len, 20, 4);
	__u64 rq_shift = hyv_udata_get(udata, udata_len, 24, 4);

	if (!max_recv_wr)
		rq_count = 0;
	if (rq_count && rq_shift > HYV_RULE_MAX_SHIFT)
		return 0;
	if (!rq_count && !sq_count)
		return HYV_RULE_NO_MEMORY;
	return (rq_count ? rq_count << rq_shift : 0) + (sq_count << 6);
}

static inline __u64 hyv_udata_length(const struct hyv_udata_addr *where,
				     const struct hyv_queue_size *size,
				     const void *udata, __u32 udata_len)
{
	switch (where->rule) {
	case HYV_RULE_FIXED:
		return where->length;
	case HYV_RULE_MLX5_CQ:
		return hyv_mlx5_cq_length(size->entries,
					  hyv_udata_get(udata, udata_len, 16, 4));
	case HYV_RULE_MLX5_RESIZE_CQ:
		return hyv_mlx5_cq_length(size->entries,
					  hyv_udata_get(udata, udata_len, 8, 2));
	case HYV_RULE_MLX5_QP:
		return hyv_mlx5_qp_length(size->entries, udata, udata_len);
	case HYV_RULE_MLX5_SRQ:
		return hyv_mlx5_srq_length(size->entries, size->max_sge);
	default:
		return 0;
	}
}

/**
 * hyv_udata_find() - find user memory that provider data points to
 * @where: the address
 * @size: sizes in the fixed part of the request
 * @udata: provider data of the request
 * @udata_len: bytes of @udata
 * @page_size: pages of the host, in bytes
 * @range: set to the memory
 *
 * Return: 1; 0 if there is no memory; or -1 if the request is invalid.
 */
static inline int hyv_udata_find(const struct hyv_udata_addr *where,
				 const struct hyv_queue_size *size,
				 const void *udata, __u32 udata_len,
				 __u32 page_size, struct hyv_udata_range *range)
{
	/* Provider data that ends before the field has no address. */
	if (udata_len <= where->offset)
		return where->rule == HYV_RULE_FIXED ? 0 : -1;
	if (udata_len < where->offset + 8U)
		return -1;
	range->addr = hyv_udata_get(udata, udata_len, where->offset, 8);
	if (!range->addr && where->rule == HYV_RULE_FIXED)
		return 0;
	if (where->rule == HYV_RULE_RECORD) {
		if (!range->addr || range->addr % 8)
			return -1;
		range->length = page_size;
		range->addr -= range->addr % page_size;
		return 1;
	}
	range->length = hyv_udata_length(where, size, udata, udata_len);
	/* libmlx5 has an address anyway. */
	if (range->length == HYV_RULE_NO_MEMORY)
		return 0;
	return range->addr && range->length ? 1 : -1;
}

/* --- What a host lets pass --- */

/**
 * struct hyv_udata_request - provider data that the driver knows
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @length: bytes; what follows must be 0
 *
 * A driver that is in the table knows none of opcodes that are not.
 */
struct hyv_udata_request {
	__u32 driver_id;
	__u16 opcode;
	__u16 length;
};

enum hyv_udata_check {
	HYV_CHECK_BITS,		/* only these bits may be set */
	HYV_CHECK_KEEP,		/* other bits are cleared */
	HYV_CHECK_CAP,		/* what is greater becomes this */
	HYV_CHECK_MAX,		/* what is greater is refused */
	HYV_CHECK_POW2,		/* 0, or a power of two of at most this */
};

/**
 * struct hyv_udata_field - a field of the provider data of a request
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @offset: in bytes
 * @size: 1, 2, 4 or 8 bytes, in the byte order of the host's CPU
 * @check: enum hyv_udata_check
 * @value: its parameter
 *
 * Fields that are not in the table may have any value.
 */
struct hyv_udata_field {
	__u32 driver_id;
	__u16 opcode;
	__u16 offset;
	__u8 size;
	__u8 check;
	__u64 value;
};

/*
 * Doorbell pages that a context has, two doorbells each; and as many that it makes by
 * mapping them, for thread domains.
 */
#define HYV_MLX5_MAX_UARS	8

#define HYV_FOR_EACH_MLX5_REQUEST(ENTRY, id)				\
	ENTRY(id, ALLOC_CONTEXT, 32)					\
	ENTRY(id, CREATE_CQ, 32)					\
	ENTRY(id, RESIZE_CQ, 16)					\
	ENTRY(id, CREATE_QP, 56)					\
	ENTRY(id, MODIFY_QP, 16)					\
	ENTRY(id, CREATE_SRQ, 32)					\
	ENTRY(id, ALLOC_MW, 8)

/*
 * Firmware objects (DEVX), doorbell pages that are objects (dynamic UARs), QPs of types
 * that ib_core does not know (DCI, DCT) and doorbell pages by their index on the HCA would
 * evade HyV. What a provider may ask for and not get is cleared: the driver's
 * answer says so. Sizes are checked because the driver of a card logs what it
 * refuses.
 *
 * ALLOC_CONTEXT: total_num_bfregs, num_low_latency_bfregs, flags, comp_mask,
 * reserved0 to 2, lib_caps (4K_UAR).
 * CREATE_CQ: cqe_comp_en, flags (CQE_128B_PAD, REAL_TIME_TS), uar_page_index,
 * reserved0 and 1.
 * RESIZE_CQ: reserved0 and 1.
 * CREATE_QP: sq_wqe_count, rq_wqe_count, rq_wqe_shift, flags (SIGNATURE,
 * SCATTER_CQE, BFREG_INDEX, ALLOW_SCATTER_CQE, PACKET_BASED_CREDIT_MODE),
 * bfreg_index, sq_buf_addr, reserved.
 * CREATE_SRQ: flags (SIGNATURE), reserved0 and 1.
 */
#define HYV_FOR_EACH_MLX5_FIELD(ENTRY, id)				\
	ENTRY(id, ALLOC_CONTEXT, 0, 4, CAP, 2 * HYV_MLX5_MAX_UARS)	\
	ENTRY(id, ALLOC_CONTEXT, 4, 4, CAP, 2 * HYV_MLX5_MAX_UARS - 1)	\
	ENTRY(id, ALLOC_CONTEXT, 8, 4, BITS, 0)				\
	ENTRY(id, ALLOC_CONTEXT, 12, 4, BITS, 0)			\
	ENTRY(id, ALLOC_CONTEXT, 17, 1, BITS, 0)			\
	ENTRY(id, ALLOC_CONTEXT, 18, 2, BITS, 0)			\
	ENTRY(id, ALLOC_CONTEXT, 20, 4, BITS, 0)			\
	ENTRY(id, ALLOC_CONTEXT, 24, 8, KEEP, 1)			\
	ENTRY(id, CREATE_CQ, 20, 1, MAX, 1)				\
	ENTRY(id, CREATE_CQ, 22, 2, BITS, 5)				\
	ENTRY(id, CREATE_CQ, 24, 2, BITS, 0)				\
	ENTRY(id, CREATE_CQ, 26, 2, BITS, 0)				\
	ENTRY(id, CREATE_CQ, 28, 4, BITS, 0)				\
	ENTRY(id, RESIZE_CQ, 10, 2, BITS, 0)				\
	ENTRY(id, RESIZE_CQ, 12, 4, BITS, 0)				\
	ENTRY(id, CREATE_QP, 16, 4, POW2, 32768)			\
	ENTRY(id, CREATE_QP, 20, 4, POW2, 32768)			\
	ENTRY(id, CREATE_QP, 24, 4, MAX, 9)				\
	ENTRY(id, CREATE_QP, 28, 4, BITS, 0x30b)			\
	ENTRY(id, CREATE_QP, 36, 4, MAX, 2 * HYV_MLX5_MAX_UARS - 1)	\
	ENTRY(id, CREATE_QP, 40, 8, BITS, 0)				\
	ENTRY(id, CREATE_QP, 52, 4, BITS, 0)				\
	ENTRY(id, CREATE_SRQ, 16, 4, BITS, 1)				\
	ENTRY(id, CREATE_SRQ, 20, 4, BITS, 0)				\
	ENTRY(id, CREATE_SRQ, 28, 4, BITS, 0)

#define HYV_FOR_EACH_UDATA_REQUEST(ENTRY)				\
	HYV_FOR_EACH_MLX5_REQUEST(ENTRY, RDMA_DRIVER_MLX5)

#define HYV_FOR_EACH_UDATA_FIELD(ENTRY)					\
	HYV_FOR_EACH_MLX5_FIELD(ENTRY, RDMA_DRIVER_MLX5)

#define HYV_UDATA_REQUEST(id, command, bytes)				\
	{								\
		.driver_id = id,					\
		.opcode = HYV_CMD_##command,				\
		.length = bytes,					\
	},

#define HYV_UDATA_FIELD(id, command, at, bytes, what, parameter)	\
	{								\
		.driver_id = id,					\
		.opcode = HYV_CMD_##command,				\
		.offset = at,						\
		.size = bytes,						\
		.check = HYV_CHECK_##what,				\
		.value = parameter,					\
	},

/* --- What can be mapped --- */

enum hyv_mmap_kind {
	HYV_MMAP_INFO,		/* a single page, which can only be read */
	HYV_MMAP_DOORBELLS,	/* pages that the context has */
	HYV_MMAP_OWN_DOORBELLS,	/* pages that are made by mapping them, once */
};

/**
 * struct hyv_mmap_command - a kind of memory that a context may map
 * @driver_id: enum rdma_driver_id
 * @command: what the mmap offset names
 * @kind: enum hyv_mmap_kind
 *
 * A mapping is one page. The page lives as long as the context.
 */
struct hyv_mmap_command {
	__u32 driver_id;
	__u8 command;
	__u8 kind;
};

/*
 * Doorbell pages: regular, write-combining, uncached, new; clock, clock information.
 */
#define HYV_FOR_EACH_MLX5_MMAP(ENTRY, id)				\
	ENTRY(id, 0, DOORBELLS)						\
	ENTRY(id, 2, DOORBELLS)						\
	ENTRY(id, 3, DOORBELLS)						\
	ENTRY(id, 6, OWN_DOORBELLS)					\
	ENTRY(id, 5, INFO)						\
	ENTRY(id, 7, INFO)

#define HYV_FOR_EACH_MMAP_COMMAND(ENTRY)				\
	HYV_FOR_EACH_MLX5_MMAP(ENTRY, RDMA_DRIVER_MLX5)

#define HYV_MMAP_COMMAND(id, number, what)				\
	{								\
		.driver_id = id,					\
		.command = number,					\
		.kind = HYV_MMAP_##what,				\
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
