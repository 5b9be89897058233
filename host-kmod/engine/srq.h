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

bool eng_srq_empty(struct eng_srq *srq);

#endif /* ENG_SRQ_H */
