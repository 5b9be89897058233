/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients: the processes that send commands, and the kernel; and their users. */
#ifndef VHYV_CLIENT_H
#define VHYV_CLIENT_H

#include <linux/gfp.h>
#include <linux/hashtable.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "command/admission.h"

struct pid;

#define VHYV_CLIENT_HASH_BITS	6

/**
 * struct vhyv_user - a user of processes with commands, or the kernel
 * @node: in vhyv_cmdq.users
 * @uid: user; INVALID_UID for kernel threads
 * @refs: number of its clients
 * @party: its part of each pool
 *
 * Protected by vhyv_cmdq.lock.
 */
struct vhyv_user {
	struct hlist_node node;
	kuid_t uid;
	unsigned int refs;
	struct vhyv_party party[VHYV_CMD_CLASSES];
};

/**
 * struct vhyv_client - a process with commands, or the kernel
 * @node: in vhyv_cmdq.clients
 * @tgid: process; NULL for kernel threads
 * @user: user; a process that changes it is another client
 * @refs: number of its commands and contexts
 * @share: its part of that of the user
 *
 * Protected by vhyv_cmdq.lock.
 */
struct vhyv_client {
	struct hlist_node node;
	struct pid *tgid;
	struct vhyv_user *user;
	unsigned int refs;
	struct vhyv_share share[VHYV_CMD_CLASSES];
};

struct vhyv_cmdq;

struct vhyv_client *vhyv_client_get(struct vhyv_cmdq *q, gfp_t gfp);
void vhyv_client_hold(struct vhyv_cmdq *q, struct vhyv_client *client);
void vhyv_client_put(struct vhyv_cmdq *q, struct vhyv_client *client);

#endif /* VHYV_CLIENT_H */
