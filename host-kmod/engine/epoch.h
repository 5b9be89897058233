/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef ENG_EPOCH_H
#define ENG_EPOCH_H

#include "engine.h"

void eng_enter(struct eng_worker *worker);
void eng_leave(struct eng_worker *worker);

#endif /* ENG_EPOCH_H */
