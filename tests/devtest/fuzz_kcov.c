// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coverage of the kernel by KCOV, if it has that, and the recipes that found
 * some.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "fuzz_vmm.h"

#define TRACE_LEN (64u << 10)

/* Recipes to write: what one found first makes many others superfluous. */
#define CORPUS_KEEP 256

#define SECTIONS_DIR "/sys/module/hyv/sections/"

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

static void add_pc(struct fuzz_coverage *cov, uint64_t pc)
{
	unsigned long long old;
	uint32_t i, at = hash(pc);

	for (i = 0; i < KCOV_PCS; i++) {
		atomic_ullong *slot = &cov->pc[(at + i) % KCOV_PCS];

		old = atomic_load_explicit(slot, memory_order_relaxed);
		if (!old && atomic_compare_exchange_strong(slot, &old, pc)) {
			atomic_fetch_add(&cov->pcs, 1);
			return;
		}
		if (old == pc)
			return;
	}
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
		if (atomic_load_explicit(&cov->map[at], memory_order_relaxed))
			continue;
		fresh += !atomic_exchange(&cov->map[at], true);
		add_pc(cov, kcov->trace[i]);
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
	REQUIRE(f, "recipes in %s", path);
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

static int by_fresh(const void *a, const void *b)
{
	const struct fuzz_recipe *x = a, *y = b;

	return (int)y->fresh - x->fresh;
}

/* Write those that found the most, and end the use of the corpus. */
void fuzz_corpus_save(struct fuzz_coverage *cov, const char *path)
{
	uint32_t i, k, nr = atomic_load(&cov->nr_corpus);
	FILE *f = fopen(path, "w");

	if (!f) {
		tap_diag("%s: %s", path, strerror(errno));
		return;
	}
	if (nr > ARRAY_SIZE(cov->corpus))
		nr = ARRAY_SIZE(cov->corpus);
	qsort(cov->corpus, nr, sizeof(cov->corpus[0]), by_fresh);
	fprintf(f, "# SPDX-License-%s: GPL-2.0-only\n", "Identifier");
	for (i = 0; i < nr && i < CORPUS_KEEP; i++) {
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

struct section {
	char name[64];
	uint64_t base;
};

/* Where the code of hyv.ko is; returns the number of sections. */
static size_t text_sections(struct section *section, size_t max)
{
	struct dirent *entry;
	char path[320];
	size_t n = 0;
	DIR *dir;
	FILE *f;

	dir = opendir(SECTIONS_DIR);
	while (dir && n < max && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, ".text", 5))
			continue;
		snprintf(path, sizeof(path), SECTIONS_DIR "%s", entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		snprintf(section[n].name, sizeof(section[n].name), "%.63s",
			 entry->d_name);
		n += fscanf(f, "%" SCNx64, &section[n].base) == 1;
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Write what was reached: "SECTION OFFSET" lines, for tests/fuzz/coverage. */
void fuzz_coverage_save(struct fuzz_coverage *cov, const char *path)
{
	struct section section[16];
	size_t nr = text_sections(section, ARRAY_SIZE(section)), k;
	const struct section *of;
	FILE *f = fopen(path, "w");
	uint32_t i;

	if (!f) {
		tap_diag("%s: %s", path, strerror(errno));
		return;
	}
	for (i = 0; i < KCOV_PCS; i++) {
		uint64_t pc = atomic_load(&cov->pc[i]);

		of = NULL;
		for (k = 0; pc && k < nr; k++)
			if (section[k].base <= pc &&
			    (!of || section[k].base > of->base))
				of = &section[k];
		if (of)
			fprintf(f, "%s %" PRIx64 "\n", of->name, pc - of->base);
	}
	fclose(f);
}
