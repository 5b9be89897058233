/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVH_EXEC_H
#define HYVH_EXEC_H

struct hyv_exec;
struct hyvh_vnic;

int hyvh_exec(struct hyvh_vnic *vnic, struct hyv_exec *arg);

#endif /* HYVH_EXEC_H */
