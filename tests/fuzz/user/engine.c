// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small coverage-guided engine for compilers without libFuzzer: inputs that
 * reach a new edge are kept and mutated further. The same seed and number of
 * runs give the same inputs.
 *
 * usage: FUZZER [-s SEED] [-t SECONDS] [-r RUNS] [-c CORPUS] [-k CORPUS]
 * [FILE]...
 *
 * With files, only runs these. -c reads inputs to begin with, -k writes the
 * smallest ones that reach all that was reached: a line of hexadecimal digits
 * each. An input that fails is written to crash-FUZZER in the working
 * directory.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define MAP_SIZE   (1u << 16)
#define INPUT_MAX  4096
#define CORPUS_MAX 8192
#define KEPT_MAX   300
#define PAIRS	   64

struct input {
	size_t len;
	u8 data[];
};

static struct engine {
	u64 rng;
	u8 hit[MAP_SIZE];      /* in this run */
	u8 seen[MAP_SIZE];     /* by counts in powers of two */
	u32 touched[MAP_SIZE]; /* entries of hit that are not 0 */
	u32 nr_touched;
	u32 prev;
	u32 edges;
	struct input *corpus[CORPUS_MAX];
	u32 nr_corpus;
	u64 pair[PAIRS][2]; /* of unequal operands of comparisons */
	u32 nr_pairs;
	u8 data[INPUT_MAX];
	size_t len;
	const char *name;
} e;

/* Called by the instrumented code for each basic block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	u32 pc = (u32)(uintptr_t)__builtin_return_address(0);
	u32 at = (pc * 2654435761u >> 16 ^ e.prev) % MAP_SIZE;

	e.prev = pc * 2654435761u >> 17;
	if (!e.hit[at])
		e.touched[e.nr_touched++] = at;
	if (e.hit[at] < 255)
		e.hit[at]++;
}

static void compared(u64 a, u64 b)
{
	u32 i;

	if (a == b)
		return;
	i = e.nr_pairs++ % PAIRS;
	e.pair[i][0] = a;
	e.pair[i][1] = b;
}

#define TRACE_CMP(name, type)      \
	void name(type a, type b); \
	void name(type a, type b)  \
	{                          \
		compared(a, b);    \
	}
TRACE_CMP(__sanitizer_cov_trace_cmp1, u8)
TRACE_CMP(__sanitizer_cov_trace_cmp2, u16)
TRACE_CMP(__sanitizer_cov_trace_cmp4, u32)
TRACE_CMP(__sanitizer_cov_trace_cmp8, uint64_t)
TRACE_CMP(__sanitizer_cov_trace_const_cmp1, u8)
TRACE_CMP(__sanitizer_cov_trace_const_cmp2, u16)
TRACE_CMP(__sanitizer_cov_trace_const_cmp4, u32)
TRACE_CMP(__sanitizer_cov_trace_const_cmp8, uint64_t)

/* @cases: how many, their width in bits, then their values. */
void __sanitizer_cov_trace_switch(uint64_t val, void *cases);
void __sanitizer_cov_trace_switch(uint64_t val, void *cases)
{
	u64 *n = cases;

	if (n[0])
		compared(val, n[2 + val % n[0]]);
}

static u64 rnd(void)
{
	u64 z = e.rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static u32 below(u32 n)
{
	return (rnd() >> 32) % n;
}

static void save(const char *path, const u8 *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		perror(path);
	if (fd >= 0)
		close(fd);
}

static void save_crash(void)
{
	char path[256];

	snprintf(path, sizeof(path), "crash-%s", e.name);
	save(path, e.data, e.len);
	fprintf(stderr, "%s: the input is in %s\n", e.name, path);
}

static void on_signal(int sig)
{
	signal(sig, SIG_DFL);
	save_crash();
	raise(sig);
}

/* In the sanitizers' run-time library. */
void __sanitizer_set_death_callback(void (*fn)(void));

/* Power of two that a count is rounded to, as a bit. */
static u8 bucket(u8 count)
{
	return 1u << (31 - __builtin_clz(count));
}

/* Run e.data; returns how many edges, or counts of them, are new. */
static u32 run(void)
{
	/* The exact size, so that reading beyond it is noticed. */
	u8 *data = malloc(e.len ? e.len : 1);
	u32 i, fresh = 0;

	memcpy(data, e.data, e.len);
	e.nr_touched = 0;
	e.prev = 0;
	LLVMFuzzerTestOneInput(data, e.len);
	free(data);
	for (i = 0; i < e.nr_touched; i++) {
		u32 at = e.touched[i];
		u8 bit = bucket(e.hit[at]);

		e.hit[at] = 0;
		if (e.seen[at] & bit)
			continue;
		e.edges += !e.seen[at];
		e.seen[at] |= bit;
		fresh++;
	}
	return fresh;
}

static void keep(void)
{
	struct input *in;

	if (e.nr_corpus == CORPUS_MAX)
		return;
	in = malloc(sizeof(*in) + e.len);
	in->len = e.len;
	memcpy(in->data, e.data, e.len);
	e.corpus[e.nr_corpus++] = in;
}

static bool load(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, e.data, INPUT_MAX);

	if (n < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
	e.len = n < 0 ? 0 : n;
	return n >= 0;
}

/* A digit, or -1. */
static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Run the inputs of a corpus. */
static void load_corpus(const char *path)
{
	static char line[2 * INPUT_MAX + 16];
	FILE *f = fopen(path, "r");
	const char *at;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		e.len = 0;
		for (at = line; e.len < INPUT_MAX && digit(at[0]) >= 0 &&
				digit(at[1]) >= 0;
		     at += 2)
			e.data[e.len++] = digit(at[0]) << 4 | digit(at[1]);
		if (e.len && run())
			keep();
	}
	fclose(f);
}

static int by_len(const void *a, const void *b)
{
	const struct input *const *ia = a, *const *ib = b;

	return ((*ia)->len > (*ib)->len) - ((*ia)->len < (*ib)->len);
}

static void save_corpus(const char *path)
{
	FILE *f = fopen(path, "w");
	u32 i;
	size_t k;

	if (!f) {
		perror(path);
		return;
	}
	fprintf(f, "# SPDX-License-%s: GPL-2.0-only\n", "Identifier");
	memset(e.seen, 0, sizeof(e.seen));
	qsort(e.corpus, e.nr_corpus, sizeof(e.corpus[0]), by_len);
	for (i = 0; i < e.nr_corpus; i++) {
		e.len = e.corpus[i]->len;
		memcpy(e.data, e.corpus[i]->data, e.len);
		if (!e.len || e.len > KEPT_MAX || !run())
			continue;
		for (k = 0; k < e.len; k++)
			fprintf(f, "%02x", e.data[k]);
		fputc('\n', f);
	}
	fclose(f);
}

static u64 odd_value(void)
{
	static const u64 values[] = {
		0,	    1,
		2,	    7,
		8,	    15,
		16,	    24,
		32,	    63,
		64,	    255,
		256,	    4095,
		4096,	    65535,
		65536,	    1 << 20,
		1u << 31,   0x7fffffff,
		0xffffffff, 1ULL << 32,
		1ULL << 63, ~0ULL,
		-4096ULL,   0x7fffffffffffffffULL,
	};

	return values[below(ARRAY_SIZE(values))] + below(3) - 1;
}

static void put(size_t at, u64 val, size_t width)
{
	if (at + width > INPUT_MAX)
		return;
	memcpy(e.data + at, &val, width);
	if (e.len < at + width)
		e.len = at + width;
}

/* Replace an operand of a comparison that is in the input by the other one. */
static void mutate_compared(void)
{
	u32 n = min(e.nr_pairs, PAIRS), side = below(2);
	size_t width = 1u << below(4), at, from;
	u64 *pair, want;

	if (!n || e.len < width)
		return;
	pair = e.pair[below(n)];
	want = pair[side];
	from = below(e.len);
	for (at = 0; at + width <= e.len; at++) {
		size_t pos = (from + at) % (e.len - width + 1);

		if (!memcmp(e.data + pos, &want, width)) {
			put(pos, pair[!side], width);
			return;
		}
	}
	put(below(e.len), pair[side], width);
}

static void mutate_move(void)
{
	size_t from = below(e.len), to = below(e.len);
	size_t n = 1 + below(64);

	n = min(n, e.len - max(from, to));
	memmove(e.data + to, e.data + from, n);
}

static void mutate_insert(void)
{
	size_t at = below(e.len + 1), n = 1 + below(32), i;

	if (e.len + n > INPUT_MAX)
		return;
	memmove(e.data + at + n, e.data + at, e.len - at);
	for (i = 0; i < n; i++)
		e.data[at + i] = below(2) ? rnd() : 0;
	e.len += n;
}

static void mutate_remove(void)
{
	size_t at = below(e.len), n = 1 + below(32);

	n = min(n, e.len - at);
	memmove(e.data + at, e.data + at + n, e.len - at - n);
	e.len -= n;
}

/* Continue with the tail of another input. */
static void mutate_splice(void)
{
	const struct input *in = e.corpus[below(e.nr_corpus)];
	size_t at = in->len ? below(in->len) : 0;
	size_t n = min(in->len - at, INPUT_MAX - at);

	memcpy(e.data + at, in->data + at, n);
	e.len = max(e.len, at + n);
}

static void mutate(void)
{
	u32 n = 1 + below(1u << below(5));

	while (n--) {
		if (!e.len) {
			mutate_insert();
			continue;
		}
		switch (below(10)) {
		case 0:
			e.data[below(e.len)] ^= 1u << below(8);
			break;
		case 1:
			e.data[below(e.len)] = rnd();
			break;
		case 2:
			e.data[below(e.len)] += below(9) - 4;
			break;
		case 3:
		case 4:
			put(below(e.len), odd_value(), 1u << below(4));
			break;
		case 5:
		case 6:
			mutate_compared();
			break;
		case 7:
			mutate_insert();
			break;
		case 8:
			below(2) ? mutate_remove() : mutate_move();
			break;
		case 9:
			mutate_splice();
			break;
		}
	}
}

static void choose(void)
{
	const struct input *in;

	/* The newest inputs more often: they are the least explored. */
	in = e.corpus[below(2) ? below(e.nr_corpus)
			       : e.nr_corpus - 1 - below(min(e.nr_corpus, 8u))];
	e.len = in->len;
	memcpy(e.data, in->data, in->len);
}

/* Time of the processor: others may leave little of it. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void fuzz(double seconds, u64 runs, const char *corpus, const char *kept)
{
	double began = now(), spent;
	u64 n = 0;

	e.len = 0;
	run();
	keep();
	if (corpus)
		load_corpus(corpus);
	do {
		choose();
		mutate();
		if (run())
			keep();
		n++;
		spent = n % 256 ? 0 : now() - began;
	} while ((!runs || n < runs) && (runs || spent < seconds));
	spent = now() - began;
	printf("%s: %llu runs, %u edges, %u inputs kept, %.1f s, %.0f a second\n",
	       e.name, (unsigned long long)n, e.edges, e.nr_corpus, spent,
	       n / (spent + 1e-9));
	if (kept)
		save_corpus(kept);
}

int main(int argc, char **argv)
{
	const char *corpus = NULL, *kept = NULL;
	double seconds = 10;
	u64 runs = 0;
	int opt, i;

	e.name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	e.rng = 1;
	while ((opt = getopt(argc, argv, "s:t:r:c:k:")) != -1) {
		switch (opt) {
		case 's':
			e.rng = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 'r':
			runs = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			corpus = optarg;
			break;
		case 'k':
			kept = optarg;
			break;
		default:
			return 2;
		}
	}
	signal(SIGABRT, on_signal);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_set_death_callback(save_crash);
#endif
	for (i = optind; i < argc; i++)
		if (load(argv[i]))
			run();
	if (optind == argc)
		fuzz(seconds, runs, corpus, kept);
	return 0;
}
