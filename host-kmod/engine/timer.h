/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_TIMER_H
#define ENG_TIMER_H

#include "engine.h"

/* Caller holds worker->lock; @qp has no timer, and there is room for it. */
void eng_timer_add(struct eng_worker *worker, struct eng_qp *qp, u64 due);
/* Caller holds worker->lock; @qp has a timer. */
void eng_timer_del(struct eng_worker *worker, struct eng_qp *qp);
/* Make room for @max timers. May sleep. */
int eng_timer_grow(struct eng_worker *worker, u32 max);

#endif /* ENG_TIMER_H */
