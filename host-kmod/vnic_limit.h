/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on the vNICs of a user and of a VMM.
 */
#ifndef HYVH_VNIC_LIMIT_H
#define HYVH_VNIC_LIMIT_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct hyvh_quota;
struct hyvh_user_charge;
struct hyvh_vmm;
struct mm_struct;

/* Highest limit of the memory regions (MRs) of a VMM. */
#define HYVH_MAX_VMM_MRS	262144

struct hyvh_user_charge *hyvh_user_charge(void);
void hyvh_user_uncharge(struct hyvh_user_charge *charge);
void hyvh_user_usage(kuid_t uid, u64 *used, u64 *max);

struct hyvh_vmm *hyvh_vmm_get(struct mm_struct *mm);
void hyvh_vmm_put(struct hyvh_vmm *vmm);
struct hyvh_quota *hyvh_vmm_mrs(struct hyvh_vmm *vmm);
struct hyvh_quota *hyvh_vmm_stitch_vmas(struct hyvh_vmm *vmm);
atomic64_t *hyvh_vmm_stitched_pages(struct hyvh_vmm *vmm);

#endif /* HYVH_VNIC_LIMIT_H */
