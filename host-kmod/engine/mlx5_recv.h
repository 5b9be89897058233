/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decode requests for receives in mlx5's format, from private memory.
 */
#ifndef ENG_MLX5_RECV_H
#define ENG_MLX5_RECV_H

#include "mlx5_fmt.h"
#include "wqe.h"

/* Decode up to @max data segments of a receive request. */
static inline void eng_mlx5_decode_recv(const void *wqe, u32 max,
					struct eng_recv *recv,
					struct eng_sge *sge)
{
	const struct eng_mlx5_data *data = wqe;
	u64 length = 0;
	u32 nr = 0;

	for (; nr < max; nr++, data++, sge++) {
		u32 bytes = be32_to_cpu(data->byte_count) & ~ENG_INLINE;

		if (!data->byte_count &&
		    be32_to_cpu(data->lkey) == ENG_LKEY_END)
			break;
		sge->lkey = be32_to_cpu(data->lkey);
		sge->addr = be64_to_cpu(data->addr);
		sge->length = bytes ? bytes : ENG_MAX_MSG;
		length += sge->length;
	}
	recv->nr_sge = nr;
	recv->length = length;
}

#endif /* ENG_MLX5_RECV_H */
