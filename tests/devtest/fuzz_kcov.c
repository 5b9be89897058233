// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage of the kernel by KCOV, if it has that, and the recipes that found
 * some.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "fuzz_vmm.h"

#define TRACE_LEN (64u << 10)

void fuzz_kcov_start(struct fuzz_kcov *kcov)
{
	kcov->trace = NULL;
	kcov->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov->fd < 0)
		return;
	REQUIRE(!ioctl(kcov->fd, KCOV_INIT_TRACE, TRACE_LEN),
		"KCOV_INIT_TRACE");
	kcov->trace = mmap(NULL, TRACE_LEN * sizeof(*kcov->trace),
			   PROT_READ | PROT_WRITE, MAP_SHARED, kcov->fd, 0);
	REQUIRE(kcov->trace != MAP_FAILED, "mmap of KCOV");
	REQUIRE(!ioctl(kcov->fd, KCOV_ENABLE, KCOV_TRACE_PC), "KCOV_ENABLE");
}

void fuzz_kcov_reset(struct fuzz_kcov *kcov)
{
	if (kcov->trace)
		__atomic_store_n(kcov->trace, 0, __ATOMIC_RELAXED);
}

static uint32_t hash(uint64_t pc)
{
	return (pc * 0x9e3779b97f4a7c15ULL) >> 40;
}

/* Number of edges since the last reset that nobody has taken before. */
uint32_t fuzz_kcov_new(struct fuzz_kcov *kcov, struct fuzz_coverage *cov)
{
	uint64_t i, n;
	uint32_t prev = 0, at, fresh = 0;

	if (!kcov->trace)
		return 0;
	n = __atomic_load_n(kcov->trace, __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < TRACE_LEN; i++) {
		at = (hash(kcov->trace[i]) ^ prev >> 1) % KCOV_MAP;
		prev = hash(kcov->trace[i]);
		if (!atomic_load_explicit(&cov->map[at],
					  memory_order_relaxed) &&
		    !atomic_exchange(&cov->map[at], true))
			fresh++;
	}
	atomic_fetch_add(&cov->edges, fresh);
	return fresh;
}

void fuzz_corpus_add(struct fuzz_coverage *cov,
		     const struct fuzz_recipe *recipe)
{
	uint32_t i = atomic_fetch_add(&cov->nr_corpus, 1);

	cov->corpus[i % ARRAY_SIZE(cov->corpus)] = *recipe;
}

/* Returns false if there is none. */
bool fuzz_corpus_pick(struct fuzz_coverage *cov, struct dt_rng *rng,
		      struct fuzz_recipe *recipe)
{
	uint32_t nr = atomic_load(&cov->nr_corpus);

	if (nr > ARRAY_SIZE(cov->corpus))
		nr = ARRAY_SIZE(cov->corpus);
	if (!nr)
		return false;
	*recipe = cov->corpus[dt_below(rng, nr)];
	/* Another thread may be writing it. */
	if (recipe->nr_edits > FUZZ_EDITS)
		recipe->nr_edits = FUZZ_EDITS;
	return true;
}

/* A line for each recipe: the command's name, the seed, then changes. */
void fuzz_corpus_load(struct fuzz_coverage *cov, const char *path)
{
	struct fuzz_recipe recipe;
	char line[256], name[32];
	struct fuzz_edit *edit;
	const char *at;
	int used;
	FILE *f;

	f = fopen(path, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		memset(&recipe, 0, sizeof(recipe));
		if (line[0] == '#' || sscanf(line, "%31s %" SCNx64 "%n", name,
					     &recipe.seed, &used) != 2)
			continue;
		while (recipe.op < NR_OPCODES &&
		       strcmp(opcodes[recipe.op].name, name))
			recipe.op++;
		if (recipe.op == NR_OPCODES)
			continue;
		for (at = line + used; recipe.nr_edits < FUZZ_EDITS;
		     at += used) {
			edit = &recipe.edit[recipe.nr_edits];
			if (sscanf(at, " %" SCNu16 ":%" SCNu8 "=%" SCNx64 "%n",
				   &edit->at, &edit->size, &edit->value,
				   &used) != 3 ||
			    edit->size > 8)
				break;
			recipe.nr_edits++;
		}
		fuzz_corpus_add(cov, &recipe);
	}
	fclose(f);
}

void fuzz_corpus_save(struct fuzz_coverage *cov, const char *path)
{
	uint32_t i, k, nr = atomic_load(&cov->nr_corpus);
	FILE *f = fopen(path, "w");

	if (!f) {
		tap_diag("%s: %s", path, strerror(errno));
		return;
	}
	fprintf(f, "# SPDX-License-%s: GPL-2.0-only\n", "Identifier");
	for (i = 0; i < nr && i < ARRAY_SIZE(cov->corpus); i++) {
		const struct fuzz_recipe *r = &cov->corpus[i];

		fprintf(f, "%s %" PRIx64, opcodes[r->op % NR_OPCODES].name,
			r->seed);
		for (k = 0; k < r->nr_edits; k++)
			fprintf(f, " %u:%u=%" PRIx64, r->edit[k].at,
				r->edit[k].size, r->edit[k].value);
		fputc('\n', f);
	}
	fclose(f);
}
