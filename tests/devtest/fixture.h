/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vNIC with one object of each type, and a valid request of each opcode.
 */
#ifndef DEVTEST_FIXTURE_H
#define DEVTEST_FIXTURE_H

#include <stdint.h>

#include "cmd.h"

/**
 * struct fixture - what valid requests refer to
 * @gm: guest memory
 * @v: the vNIC
 * @buf: a buffer of several chunks
 * @db: memory of the doorbell area, which is not handed over
 * @context: handle of a context, to which the following belong
 * @pd: handle
 * @cq: a CQ that is mapped
 * @cq_offset: where it is in the window
 * @cq2: a CQ that is not mapped
 * @qp: a QP in state RESET
 * @mr: an MR over @buf
 * @ud: a UD QP, which uses @cq2 and is in one multicast group
 * @srq: an SRQ that no QP uses
 * @ah: an address handle
 * @mw: a memory window
 * @mi: where rxe tells of a new queue of @srq
 * @verbs: HYV_VERB_* that the HCA has
 * @gid: address of the HCA
 */
struct fixture {
	struct gmem gm;
	struct vnic v;
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
	struct gbuf mi;
	uint32_t verbs;
	struct hyv_gid gid;
};

/**
 * struct opcode - an opcode
 * @opcode: HYV_CMD_*
 * @name: its name
 * @fixed_len: bytes of its fixed part
 * @rsp_len: bytes of the reply's fixed part
 * @first_rsp: what it had in the opcode's first version
 * @lists: chunk lists that it takes at most
 * @changes: whether its success changes what the fixture consists of
 * @verb: HYV_VERB_* without which it is refused, 0 if every HCA has it
 */
struct opcode {
	uint16_t opcode;
	const char *name;
	uint16_t fixed_len;
	uint16_t rsp_len;
	uint16_t first_rsp;
	uint16_t lists;
	int changes;
	uint32_t verb;
};

#define NR_OPCODES 25
extern const struct opcode opcodes[NR_OPCODES];

void fixture_init(struct fixture *f);
void fixture_renew(struct fixture *f);
void fixture_free(struct fixture *f);
void fixture_request(struct fixture *f, uint16_t opcode, struct req *r);
int fixture_status(const struct fixture *f, uint16_t opcode);

/* Multicast groups: one that fixture.ud is in, and one that it is not in. */
extern const uint8_t fixture_group[16];
extern const uint8_t fixture_other_group[16];

#endif /* DEVTEST_FIXTURE_H */
