/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer of /dev/hyv with threads: requests, ioctls and changes of memory
 * race on several vNICs.
 */
#ifndef DEVTEST_FUZZ_VMM_H
#define DEVTEST_FUZZ_VMM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hyv/ioctls.h>

#include "fixture.h"
#include "fuzz.h"

/* --- Requests ------------------------------------------------------------- */

/* A change of a request's bytes. */
struct fuzz_edit {
	uint16_t at;
	uint8_t size;
	uint64_t value;
};

#define FUZZ_EDITS 4

/**
 * struct fuzz_recipe - how to make a request
 * @op: index of the command
 * @nr_edits: elements of @edit
 * @fresh: how many edges were new when it was kept
 * @seed: of all choices, among them those of handles
 * @edit: what to change at the end
 *
 * The same recipe makes the same request, except for the handles, which are
 * those of objects that exist at the moment.
 */
struct fuzz_recipe {
	uint8_t op;
	uint8_t nr_edits;
	uint16_t fresh;
	uint64_t seed;
	struct fuzz_edit edit[FUZZ_EDITS];
};

void fuzz_recipe_new(struct dt_rng *rng, struct fuzz_recipe *recipe);
void fuzz_recipe_vary(struct dt_rng *rng, struct fuzz_recipe *recipe);
void fuzz_change(struct dt_rng *rng, uint8_t *data, uint32_t len);

/* Contexts at a time, and objects of each type in each of them. */
#define FAMILIES 4
#define POOL	 8

/**
 * struct fuzz_family - handles of a context and of objects in it, which may
 * work together
 * @handle: by type; 0 if there is none
 * @next: by type: element of @handle to replace next
 * @queue: a queue that can be mapped: its offset in pages, and 32 bits of
 * length
 * @next_queue: element of @queue to replace next
 * @window: where queues are mapped
 * @next_window: element of @window to replace next
 */
struct fuzz_family {
	atomic_uint handle[HYV_OBJ_TYPES][POOL];
	atomic_uint next[HYV_OBJ_TYPES];
	atomic_ullong queue[POOL];
	atomic_uint next_queue;
	atomic_ullong window[POOL];
	atomic_uint next_window;
};

#define FUZZ_BUFS 6

/**
 * struct fuzz_vnic - a vNIC
 * @v: its file and window
 * @gm: its guest memory
 * @family: handles
 * @buf: buffers to register, of all layouts
 * @db: a doorbell area
 * @mi: where rxe writes the place of a new queue
 * @list: a page for chunks of indirect lists
 * @rings: pages for event rings
 * @kick: eventfd
 * @gid: GID of the HCA
 */
struct fuzz_vnic {
	struct vnic v;
	struct gmem gm;
	struct fuzz_family family[FAMILIES];
	struct gbuf buf[FUZZ_BUFS];
	struct gbuf db;
	struct gbuf mi;
	uint64_t list;
	uint64_t rings[3];
	int kick;
	struct hyv_gid gid;
};

void fuzz_vnic_init(struct fuzz_vnic *n);
void fuzz_vnic_restock(struct fuzz_vnic *n);
void fuzz_request(struct fuzz_vnic *n, const struct fuzz_recipe *recipe,
		  struct req *r);
void fuzz_learn(struct fuzz_vnic *n, const struct fuzz_recipe *recipe,
		const struct req *r, const struct rsp *rsp);

/* --- Everything else ------------------------------------------------------ */

/* Every ioctl, by its place in the table. */
enum {
#define FUZZ_IOCTL_NUMBER(NAME, ...) FUZZ_##NAME,
	HYV_FOR_EACH_IOCTL(FUZZ_IOCTL_NUMBER)
#undef FUZZ_IOCTL_NUMBER
		NR_IOCTLS
};

extern const char *const fuzz_ioctl_name[NR_IOCTLS];

int fuzz_ioctl(struct fuzz_vnic *n, struct dt_rng *rng, int *which);
void fuzz_scribble(struct fuzz_vnic *n, struct dt_rng *rng);
void fuzz_remap(struct fuzz_vnic *n, struct dt_rng *rng);

/* --- Coverage ------------------------------------------------------------- */

#define KCOV_MAP (1u << 20)
#define KCOV_PCS (1u << 16)

/**
 * struct fuzz_coverage - of all processes
 * @map: edges that were taken
 * @edges: how many
 * @pc: places that were reached, a hash table; 0 is an empty slot
 * @pcs: how many
 * @corpus: recipes that took a new one
 * @nr_corpus: how many; may exceed the size of @corpus
 */
struct fuzz_coverage {
	atomic_bool map[KCOV_MAP];
	atomic_uint edges;
	atomic_ullong pc[KCOV_PCS];
	atomic_uint pcs;
	struct fuzz_recipe corpus[4096];
	atomic_uint nr_corpus;
};

/* The calling thread's trace of the kernel; @trace is NULL without KCOV. */
struct fuzz_kcov {
	int fd;
	uint64_t *trace;
};

void fuzz_kcov_start(struct fuzz_kcov *kcov);
void fuzz_kcov_reset(struct fuzz_kcov *kcov);
uint32_t fuzz_kcov_new(struct fuzz_kcov *kcov, struct fuzz_coverage *cov);
void fuzz_corpus_add(struct fuzz_coverage *cov,
		     const struct fuzz_recipe *recipe);
bool fuzz_corpus_pick(struct fuzz_coverage *cov, struct dt_rng *rng,
		      struct fuzz_recipe *recipe);
void fuzz_corpus_load(struct fuzz_coverage *cov, const char *path);
void fuzz_corpus_save(struct fuzz_coverage *cov, const char *path);
void fuzz_coverage_save(struct fuzz_coverage *cov, const char *path);

#endif /* DEVTEST_FUZZ_VMM_H */
