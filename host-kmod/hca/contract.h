/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVH_CONTRACT_H
#define HYVH_CONTRACT_H

int hyvh_contract_check(void);

#endif /* HYVH_CONTRACT_H */
