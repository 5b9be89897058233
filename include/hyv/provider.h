/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: addresses of user memory in the private data of providers.
 *
 * Most provider data is passed through. Where a provider puts an address of its
 * process's memory into it, the guest driver sends the memory as a chunk list
 * beside the request, and the host puts an address at which the HCA's driver
 * finds that memory in the place of the guest's. Guest and host have to agree
 * on where such addresses are; a provider that is not here has none.
 */
#ifndef HYV_PROVIDER_H
#define HYV_PROVIDER_H

#include <linux/types.h>

/**
 * struct hyv_udata_addr - an address in the private data of a request
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @slot: of the chunk list, see struct hyv_chunk_list
 * @offset: bytes from the start of the provider data to a __u64 in the byte
 *	order of the guest's processor
 * @length: bytes of user memory from there on
 */
struct hyv_udata_addr {
	__u32 driver_id;
	__u16 opcode;
	__u16 slot;
	__u16 offset;
	__u16 length;
};

/*
 * Initialisers of a table of struct hyv_udata_addr. Whoever expands it includes
 * rdma/ib_user_ioctl_verbs.h and hyv/wire.h.
 *
 * rdma_rxe, MODIFY_SRQ: the driver writes the new queue's place, a struct
 * mminfo of rdma/rdma_user_rxe.h, to this address.
 */
#define HYV_UDATA_ADDRS							\
	{								\
		.driver_id = RDMA_DRIVER_RXE,				\
		.opcode = HYV_CMD_MODIFY_SRQ,				\
		.slot = 0,						\
		.offset = 0,						\
		.length = 16,						\
	},

#endif /* HYV_PROVIDER_H */
