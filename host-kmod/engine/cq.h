/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_CQ_H
#define ENG_CQ_H

#include "cqe.h"

/*
 * Add a completion, and note for eng_cq_flush() that the CQ may have an event. False
 * if there is no room: the CQ has an error then.
 */
bool eng_cq_push(struct eng_worker *worker, struct eng_cq *cq,
		 struct eng_mlx5_cqe *cqe, bool solicited);
/* Raise the events of CQs that have got completions. */
void eng_cq_flush(struct eng_worker *worker);
/* Let the worker look at all its CQs, if the event of one is due. */
void eng_cq_due(struct eng_worker *worker);
/* Look at the next CQs that may have been armed. */
void eng_cq_scan(struct eng_worker *worker);

/*
 * The entries of a list that is looked at in parts, up to @last, are behind the
 * others from now on.
 */
static inline void eng_list_rotate(struct list_head *list,
				   struct list_head *last)
{
	if (last == list)
		return;
	list_del(list);
	list_add(list, last);
}

#endif /* ENG_CQ_H */
