/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution of a guest's request.
 */
#ifndef HYV_EXEC_H
#define HYV_EXEC_H

struct hyv_exec;
struct hyv_vnic;

int hyv_exec(struct hyv_vnic *vnic, struct hyv_exec *arg);

#endif /* HYV_EXEC_H */
