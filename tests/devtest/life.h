/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest process, step by step: every verb that creates or changes an object.
 */
#ifndef DEVTEST_LIFE_H
#define DEVTEST_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd.h"

/* A process and the objects that it has created so far. */
struct life {
	struct vnic *v;
	struct gbuf *buf;
	struct gbuf *mi;
	struct hyv_gid gid;
	uint32_t context;
	uint32_t pd;
	struct cq_info cq;
	uint64_t cq_offset;
	uint32_t xrcd;
	struct srq_info srq;
	struct srq_info xrc_srq;
	struct qp_info qp;
	struct qp_info initiator;
	uint32_t target;
	struct ah_info ah;
	struct mr_info mr;
	struct mw_info mw;
};

/**
 * struct life_step - a step
 * @name: of the command, for messages
 * @verb: verb of the HCA's driver that the host calls
 * @run: takes the step; returns the status of the reply
 * @mock: only the mock HCA can do this
 */
struct life_step {
	const char *name;
	const char *verb;
	int (*run)(struct life *l);
	bool mock;
};

extern const struct life_step life_steps[];
extern const size_t life_nr_steps;

/**
 * struct life_end - how an object ends
 * @type: HYV_OBJ_*
 * @handle: where the object's handle is in struct life
 * @name: for messages
 * @verb: verb whose failure makes its destruction fail
 * @held: the mock's counter of objects that are left when it fails
 * @mock: only the mock HCA has such objects
 * @again: the next end is that of the same object
 * @hidden: ib_core does not tell that the verb fails
 */
struct life_end {
	uint32_t type;
	size_t handle;
	const char *name;
	const char *verb;
	const char *held;
	bool mock;
	bool again;
	bool hidden;
};

extern const struct life_end life_ends[];
extern const size_t life_nr_ends;

const struct life_step *life_step(const char *name);
void life_begin(struct life *l, struct vnic *v, struct gbuf *buf,
		struct gbuf *mi);
bool life_has(size_t step);
bool life_has_end(size_t end);
int life_take(struct life *l, size_t step);
int life_create(struct life *l);
int life_destroy(struct life *l, size_t end);

#endif /* DEVTEST_LIFE_H */
