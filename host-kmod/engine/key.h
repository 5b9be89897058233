/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_KEY_H
#define ENG_KEY_H

#include "engine.h"

/*
 * Find the keys of data segments and check them: owner, rights, range. Those who
 * copy must do so again for each step, as keys may go between steps.
 */
bool eng_sge_check(struct eng *eng, struct eng_sge *sge, u32 nr, u32 pdn,
		   u32 access);

#endif /* ENG_KEY_H */
