// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Encode rare completions in mlx5's format, version 1.
 */
#include "cqe.h"

void eng_mlx5_cqe_recv_error(struct eng_mlx5_cqe *cqe, const struct eng_qp *qp,
			     u16 index, int syndrome)
{
	eng_cqe_init(cqe, qp, ENG_CQE_RESP_ERR, 0, index);
	eng_cqe_set_syndrome(cqe, syndrome);
}

void eng_mlx5_cqe_resize(struct eng_mlx5_cqe *cqe)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->op_own = ENG_CQE_RESIZE << 4;
}
