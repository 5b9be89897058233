// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests that ask for more than their share: queues that are destroyed but
 * mapped, pages that are named many times, memory that is taken away during a
 * request, and lines in the host's log.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile_vmm.h"
#include "suites.h"

static struct vnic v;
static struct gmem gm;

static long vmalloc_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *f;

	f = fopen("/proc/meminfo", "r");
	REQUIRE(f, "/proc/meminfo");
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmallocUsed:", 12))
			kib = atol(line + 12);
	fclose(f);
	return kib;
}

#define QUEUE_LIMIT (6UL << 20)

/* A queue counts until the guest has unmapped it, and is mapped as a whole. */
static void test_queues(void)
{
	struct hyv_set_limits limits = {.max_queue_bytes = QUEUE_LIMIT};
	uint32_t context, pd;
	struct srq_info srq;
	struct hostile_list list;
	struct mminfo part;
	uint64_t at[64];
	int i, nr = 0, ret = 0;
	long before;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	REQUIRE_EQ(vnic_set_limits(&v, &limits), 0, "SET_LIMITS");
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd), 0, "ALLOC_PD");
	before = vmalloc_kib();
	for (i = 0; i < 64; i++) {
		ret = cmd_create_srq(&v, pd, 4095, &srq);
		if (ret)
			break;
		part = srq.mi;
		part.size = DT_PAGE;
		tap_is(cmd_mmap(&v, context, &part, &at[nr]), HYV_S_EINVAL,
		       "MMAP of a page of a queue");
		part.size = srq.mi.size + DT_PAGE;
		tap_is(cmd_mmap(&v, context, &part, &at[nr]), HYV_S_EINVAL,
		       "MMAP of a page more");
		ret = cmd_mmap(&v, context, &srq.mi, &at[nr]);
		if (ret)
			break;
		nr++;
		REQUIRE_EQ(cmd_destroy(&v, HYV_OBJ_SRQ, srq.handle), 0,
			   "DESTROY");
	}
	tap_is(ret, HYV_S_EDQUOT, "%d queues are destroyed but mapped", nr);
	tap_ok(vmalloc_kib() - before < (long)(2 * QUEUE_LIMIT / 1024),
	       "the host has %ld KiB more in use", vmalloc_kib() - before);
	for (i = 0; i < nr; i++)
		REQUIRE_EQ(cmd_munmap(&v, context, at[i]), 0, "MUNMAP");
	tap_is(cmd_create_srq(&v, pd, 4095, &srq), 0,
	       "another queue when they are unmapped");
	REQUIRE_EQ(cmd_destroy(&v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	tap_ok(hostile_list(&list) && !list.queues, "no queue is charged");
	vnic_close(&v);
}

/* A page may be in a list a few times, as with adjacent small buffers. */
static void test_same_page(void)
{
	static const struct {
		uint32_t pages;
		int status;
	} cases[] = {
		{1, 0},
		{4, 0},
		{5, HYV_S_EINVAL},
		{64, HYV_S_EINVAL},
		{1000, HYV_S_EINVAL},
	};
	struct gbuf buf = {.gm = &gm, .va = 0x7e0000000000};
	uint32_t context, pd, k;
	struct mr_info mr;
	size_t i;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd), 0, "ALLOC_PD");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf.nr_pages = cases[i].pages;
		buf.length = buf.nr_pages * DT_PAGE;
		buf.gpa = calloc(buf.nr_pages, sizeof(*buf.gpa));
		REQUIRE(buf.gpa, "memory");
		for (k = 0; k < buf.nr_pages; k++)
			buf.gpa[k] = GMEM_GPA_BASE;
		tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr),
		       cases[i].status, "REG_MR of a page %u times",
		       buf.nr_pages);
		free(buf.gpa);
	}
	vnic_close(&v);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
}

/* --- Memory that is taken away while it is registered. */

static struct {
	struct hostile_ep h;
	struct gbuf big;
	struct mr_info mr;
	int ret;
} taken;

static void *take_thread(void *arg)
{
	(void)arg;
	taken.ret = cmd_reg_mr(&taken.h.v, taken.h.ep.pd, &taken.big,
			       ACCESS_REMOTE, &taken.mr);
	return NULL;
}

/* The first bytes that the HCA reads through the new region. */
static uint64_t seen_by_hca(void)
{
	struct ep_wr wr = {
		.opcode = IB_UVERBS_WR_RDMA_WRITE,
		.id = 2,
		.local = taken.big.va + taken.big.length - DT_PAGE,
		.lkey = taken.mr.lkey,
		.length = 8,
		.remote = taken.h.buf.va,
		.rkey = taken.h.mr.rkey,
	};
	uint64_t val = 0;

	REQUIRE_EQ(ep_do(&taken.h.ep, &wr), 0, "RDMA write");
	gbuf_read(&taken.h.buf, 0, &val, sizeof(val));
	return val;
}

#define OURS   0x1111111111111111ULL
#define CANARY 0x2222222222222222ULL

/* When SET_MEM returns, the VMM may use the addresses for something else. */
static bool take_once(unsigned int delay_us)
{
	size_t len = GMEM_LINEAR_PAGES * DT_PAGE;
	uint8_t *at = gmem_at(&taken.h.gm, GMEM_GPA_LINEAR);
	struct gmem *mem = &taken.h.gm;
	pthread_t thread;
	bool ok = true;
	uint8_t *was;

	memset(at + len - DT_PAGE, 0x11, DT_PAGE);
	REQUIRE(!pthread_create(&thread, NULL, take_thread, NULL),
		"pthread_create");
	dt_sleep_us(delay_us);
	REQUIRE_EQ(vnic_set_mem(&taken.h.v, NULL, 0), 0, "SET_MEM");
	was = mremap(
		at, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(was != MAP_FAILED, "mremap");
	REQUIRE(mmap(at, len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1,
		     0) == at,
		"mmap");
	memset(at + len - DT_PAGE, 0x22, DT_PAGE);
	pthread_join(thread, NULL);
	if (!taken.ret) {
		ok = seen_by_hca() == OURS;
		REQUIRE_EQ(cmd_destroy(&taken.h.v, HYV_OBJ_MR, taken.mr.handle),
			   0, "DESTROY");
	} else {
		/* The limit of pinned memory depends on the table. */
		ok = taken.ret == HYV_S_EFAULT || taken.ret == HYV_S_EDQUOT;
		if (!ok)
			tap_diag("REG_MR: status %d", taken.ret);
	}
	REQUIRE(mremap(was, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at,
		"mremap back");
	REQUIRE_EQ(vnic_set_mem(&taken.h.v, mem->region, GMEM_REGIONS), 0,
		   "SET_MEM");
	return ok;
}

static void test_taken(void)
{
	static const uint32_t longest[] = {2000, 40000, 200000, 1000000};
	struct dt_rng rng = {6};
	int i, bad = 0, registered = 0;

	hostile_ep_init(&taken.h);
	gbuf_init(&taken.big, &taken.h.gm, GMEM_LINEAR_PAGES * DT_PAGE, 0,
		  GBUF_LINEAR);
	for (i = 0; i < 40; i++) {
		bad += !take_once(dt_below(&rng, longest[i % 4]));
		registered += !taken.ret;
	}
	tap_is(bad, 0,
	       "40 times: memory is taken away during REG_MR, which succeeds %d times",
	       registered);
	vnic_close(&taken.h.v);
}

/* --- Nothing that a guest does fills the host's log. */

static int log_lines(int klog)
{
	char line[1024];
	int n = 0;

	while (read(klog, line, sizeof(line)) > 0)
		n++;
	return n;
}

static void test_log(void)
{
	int klog = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct mminfo mi = {.offset = 0x777000, .size = DT_PAGE};
	uint32_t context, i;
	struct cq_info cq;
	uint64_t at;
	int bad = 0;

	REQUIRE(klog >= 0, "/dev/kmsg opens");
	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_create_cq(&v, context, 15, 0, &cq), 0, "CREATE_CQ");
	REQUIRE(lseek(klog, 0, SEEK_END) >= 0, "lseek");
	for (i = 0; i < 1000; i++) {
		mi.offset += DT_PAGE;
		bad += !cmd_mmap(&v, context, &mi, &at);
		mi.size = i % 2 ? DT_PAGE : 8 * DT_PAGE;
	}
	tap_is(bad, 0, "1000 MMAPs of offsets that are nobody's are refused");
	tap_is(log_lines(klog), 0, "they leave no lines in the log");
	vnic_close(&v);
	close(klog);
}

static const struct hostile_test tests[] = {
	{"queues destroyed but mapped", test_queues, 60},
	{"a page many times", test_same_page, 60},
	{"memory taken away during REG_MR", test_taken, 120},
	{"lines in the log", test_log, 60},
};

void suite_hostile_guest(void)
{
	hostile_run(tests, ARRAY_SIZE(tests));
}
