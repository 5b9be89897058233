/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limit on the vNICs of a user.
 */
#ifndef HYVH_VNIC_LIMIT_H
#define HYVH_VNIC_LIMIT_H

struct hyvh_user;

struct hyvh_user *hyvh_user_charge(void);
void hyvh_user_uncharge(struct hyvh_user *user);

#endif /* HYVH_VNIC_LIMIT_H */
