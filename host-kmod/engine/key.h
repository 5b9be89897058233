/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_KEY_H
#define ENG_KEY_H

#include "wqe.h"

/*
 * Find the keys of data segments and check them: owner, rights, range. Those who
 * copy must do so again for each step, as keys may go between steps.
 */
bool eng_sge_check(struct eng *eng, struct eng_sge *sge, u32 nr, u32 pdn,
		   u32 access);
/*
 * The same for what a peer of @qp names, which may be a memory window: @sge is then
 * in the space of the key that it is bound to.
 */
bool eng_remote_check(const struct eng_qp *qp, struct eng_sge *sge, u32 access);
/* Bind or unbind a window, for @qp's owner. False if that is not allowed. */
bool eng_window_change(const struct eng_qp *qp, const struct eng_umr *umr);
/* Unbind the window @lkey, for the peer of @qp. */
bool eng_window_invalidate(const struct eng_qp *qp, u32 lkey);

#endif /* ENG_KEY_H */
