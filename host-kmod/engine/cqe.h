/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completions, independent of their format. mlx5_cqe.c encodes them.
 */
#ifndef ENG_CQE_H
#define ENG_CQE_H

#include "mlx5_fmt.h"
#include "wqe.h"

/* The send request @op has ended with @syndrome. */
void eng_mlx5_cqe_send(struct eng_mlx5_cqe *cqe, const struct eng_qp *qp,
		       const struct eng_op *op, u64 length, int syndrome);
/* A message was received; @op is the peer's request, @src_qpn the peer. */
void eng_mlx5_cqe_recv(struct eng_mlx5_cqe *cqe, const struct eng_qp *qp,
		       const struct eng_op *op, u16 index, u32 src_qpn);
void eng_mlx5_cqe_recv_error(struct eng_mlx5_cqe *cqe, const struct eng_qp *qp,
			     u16 index, int syndrome);
void eng_mlx5_cqe_resize(struct eng_mlx5_cqe *cqe);

#endif /* ENG_CQE_H */
