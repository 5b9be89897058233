/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_SRQ_H
#define ENG_SRQ_H

#include "mlx5_fmt.h"
#include "wqe.h"

enum eng_get {
	ENG_GET_OK,
	ENG_GET_EMPTY,
	ENG_GET_BROKEN,
};

/* Take the next request: set @index to it and copy it to @buf. */
enum eng_get eng_srq_pop(struct eng_srq *srq, u16 *index, void *buf);
/* Copy one that was taken once more; false if memory was bad. */
bool eng_srq_read(struct eng_srq *srq, u16 index, void *buf);
/* Decode the copy of a request. */
static inline void eng_srq_decode(const struct eng_srq *srq, const void *buf,
				  struct eng_recv *recv, struct eng_sge *sge)
{
	const struct eng_mlx5_srq_next *header = buf;
	u32 bytes = (1U << srq->attr.entry_shift) - sizeof(*header);

	recv->pdn = srq->attr.pdn;
	eng_mlx5_decode_recv(header + 1, bytes / ENG_DS, recv, sge);
}

bool eng_srq_empty(struct eng_srq *srq);

#endif /* ENG_SRQ_H */
