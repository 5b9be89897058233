/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vNIC with one object of each type, and a valid request of each command.
 */
#ifndef DEVTEST_FIXTURE_H
#define DEVTEST_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd.h"

/**
 * struct fixture - what valid requests refer to
 * @gm: guest memory
 * @v: the vNIC
 * @addressing: HYV_ADDRESSING_*
 * @buf: a buffer of several chunks
 * @db: memory for a doorbell area that the host does not have yet
 * @context: handle of the context of all other objects
 * @pd: handle
 * @cq: a CQ that is mapped
 * @cq_offset: its offset in the window
 * @cq2: a CQ that is not mapped
 * @qp: a QP in state RESET
 * @mr: an MR over @buf
 * @ud: a UD QP, which uses @cq2 and is in one multicast group
 * @srq: an SRQ that no QP uses
 * @ah: an address handle
 * @mw: a memory window
 * @xrcd: an XRC domain, if the HCA has any
 * @mi: where rxe writes the place of a new queue of @srq
 * @verbs: HYV_VERB_* that the HCA has
 * @gid: GID that the vNIC can send from and to; in guest addressing, where it
 *	 has another one at index 1, its own
 */
struct fixture {
	struct gmem gm;
	struct vnic v;
	uint32_t addressing;
	struct gbuf buf;
	struct gbuf db;
	uint32_t context;
	uint32_t pd;
	struct cq_info cq;
	uint64_t cq_offset;
	struct cq_info cq2;
	struct qp_info qp;
	struct mr_info mr;
	struct qp_info ud;
	struct srq_info srq;
	struct ah_info ah;
	struct mw_info mw;
	uint32_t xrcd;
	struct gbuf mi;
	uint32_t verbs;
	struct hyv_gid gid;
};

/* Every command, by its place in the table. */
enum {
#define NUMBER(NAME, ...) OP_##NAME,
	HYV_FOR_EACH_COMMAND(NUMBER)
#undef NUMBER
		NR_OPCODES
};

/**
 * struct opcode - a command
 * @opcode: HYV_CMD_*
 * @name: name in messages
 * @fixed_len: bytes of the fixed part of its request
 * @min_request: bytes of it in the first version
 * @rsp_len: bytes of the fixed part of its reply
 * @min_reply: bytes of it in the first version
 * @lists: the most chunk lists that it takes
 * @features: mask of the virtio features without which it is refused
 * @valid: makes a request that succeeds on a new fixture if the features have
 *	   been negotiated and the HCA has the verb
 */
struct opcode {
	uint16_t opcode;
	const char *name;
	uint16_t fixed_len;
	uint16_t min_request;
	uint16_t rsp_len;
	uint16_t min_reply;
	uint16_t lists;
	uint64_t features;
	void (*valid)(struct fixture *f, struct req *r);
};

extern const struct opcode opcodes[NR_OPCODES];

const struct opcode *opcode_find(uint16_t opcode);
bool opcode_changes(const struct opcode *op);

void fixture_init(struct fixture *f);
void fixture_renew(struct fixture *f);
void fixture_readdress(struct fixture *f, uint32_t addressing);
void fixture_free(struct fixture *f);
void fixture_request(struct fixture *f, uint16_t opcode, struct req *r);
int fixture_status(const struct fixture *f, uint16_t opcode);

/* Multicast groups: one that fixture.ud is in, and one that it is not in. */
extern const uint8_t fixture_group[16];
extern const uint8_t fixture_other_group[16];

#endif /* DEVTEST_FIXTURE_H */
