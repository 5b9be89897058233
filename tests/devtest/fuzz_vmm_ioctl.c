// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMM's part: ioctls of all kinds, and what a VMM does to its own memory.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "fuzz_vmm.h"

/* The argument of any ioctl. */
union any_arg {
	uint32_t size;
#define MEMBER(NAME, stem, ...) struct hyv_##stem stem;
	HYV_FOR_EACH_IOCTL(MEMBER)
#undef MEMBER
	uint8_t data[256];
};

const char *const fuzz_ioctl_name[NR_IOCTLS] = {
#define NAME_OF(NAME, ...) #NAME,
	HYV_FOR_EACH_IOCTL(NAME_OF)
#undef NAME_OF
};

static const struct {
	unsigned long cmd;
	uint32_t size;
} ioctls[NR_IOCTLS] = {
#define NUMBER(NAME, stem, ...) {HYV_##NAME, sizeof(struct hyv_##stem)},
	HYV_FOR_EACH_IOCTL(NUMBER)
#undef NUMBER
};

static uint64_t some_address(struct fuzz_vnic *n, struct dt_rng *rng)
{
	switch (dt_below(rng, 4)) {
	case 0:
		return fuzz_odd_value(rng);
	case 1:
		return (uintptr_t)n->v.window;
	default:
		return (uintptr_t)n->gm.base +
		       dt_below(rng, GMEM_PAGES) * DT_PAGE;
	}
}

static void fill_set_mem(struct fuzz_vnic *n, struct dt_rng *rng,
			 struct hyv_set_mem *arg)
{
	static __thread struct hyv_mem_region region[GMEM_REGIONS];
	uint32_t i, nr;

	memcpy(region, n->gm.region, sizeof(region));
	arg->regions = (uintptr_t)region;
	arg->nr_regions = GMEM_REGIONS;
	switch (dt_below(rng, 8)) {
	case 0:
		arg->nr_regions = 0;
		break;
	case 1:
		arg->nr_regions = dt_below(rng, GMEM_REGIONS);
		break;
	case 2:
		for (nr = dt_below(rng, 3); nr; nr--) {
			i = dt_below(rng, GMEM_REGIONS);
			region[i].addr = some_address(n, rng);
			region[i].length -= dt_below(rng, 3) * DT_PAGE;
		}
		break;
	}
}

static void fill_set_event_queue(struct fuzz_vnic *n, struct dt_rng *rng,
				 struct hyv_set_event_queue *arg)
{
	arg->index = dt_below(rng, 3);
	arg->call_fd = dt_below(rng, 4) ? n->kick : -1;
	arg->kick_fd = dt_below(rng, 4) ? n->kick : -1;
	if (!dt_below(rng, 3))
		return;
	arg->num = 1u << dt_below(rng, 8);
	arg->desc = (uintptr_t)gmem_at(&n->gm, n->rings[0]);
	arg->avail = (uintptr_t)gmem_at(&n->gm, n->rings[1]);
	arg->used = (uintptr_t)gmem_at(&n->gm, n->rings[2]);
	arg->avail_index = dt_below(rng, 2) ? 0 : dt_below(rng, 65536);
	if (!dt_below(rng, 8))
		arg->used = some_address(n, rng);
}

static void fill_set_limits(struct dt_rng *rng, struct hyv_set_limits *arg)
{
	switch (dt_below(rng, 6)) {
	case 0:
		arg->max_pinned = dt_below(rng, 1 << 20);
		break;
	case 1:
		arg->max_queue_bytes = dt_below(rng, 1 << 20);
		break;
	case 2:
		arg->max_mr_bytes = dt_below(rng, 1 << 20);
		break;
	case 3:
		arg->max_stitch_vmas = dt_below(rng, 4096);
		arg->max_doorbell_pages = dt_below(rng, 64);
		arg->max_mrs = dt_below(rng, 64);
		arg->max_qps = dt_below(rng, 64);
		break;
	default:
		arg->max_pinned = 128 << 20;
		arg->max_queue_bytes = 64 << 20;
		arg->max_mr_bytes = 64 << 20;
		arg->max_stitch_vmas = 8192;
		arg->max_doorbell_pages = 4096;
		arg->max_mrs = 1000;
		arg->max_qps = 1000;
	}
}

static void fill_set_addressing(struct dt_rng *rng,
				struct hyv_set_addressing *arg)
{
	static __thread struct hyv_gid_prefix prefix[2];

	arg->mode =
		dt_below(rng, 3) ? HYV_ADDRESSING_HOST : HYV_ADDRESSING_GUEST;
	if (dt_below(rng, 2))
		return;
	prefix[0].length = dt_below(rng, 130);
	prefix[1].gid[0] = 0xfe;
	prefix[1].length = 8;
	arg->nr_prefixes = dt_below(rng, 3);
	arg->prefixes = (uintptr_t)prefix;
}

static void fill(struct fuzz_vnic *n, struct dt_rng *rng, int which,
		 union any_arg *arg)
{
	switch (which) {
	case FUZZ_ATTACH:
		arg->attach.uverbs_fd = dt_below(rng, 32);
		arg->attach.scratch = (uintptr_t)hyv_scratch();
		arg->attach.scratch_len = DT_SCRATCH;
		arg->attach.nr_event_queues = dt_below(rng, 20);
		break;
	case FUZZ_SET_LIMITS:
		fill_set_limits(rng, &arg->set_limits);
		break;
	case FUZZ_SET_WINDOW:
		arg->set_window.length = DT_WINDOW << dt_below(rng, 24);
		break;
	case FUZZ_SET_MEM:
		fill_set_mem(n, rng, &arg->set_mem);
		break;
	case FUZZ_SET_DOORBELL:
		arg->set_doorbell.kick_fd = dt_below(rng, 4) ? n->kick : -1;
		arg->set_doorbell.poll_us = dt_below(rng, 10001);
		break;
	case FUZZ_SET_EVENT_QUEUE:
		fill_set_event_queue(n, rng, &arg->set_event_queue);
		break;
	case FUZZ_SET_FEATURES:
		arg->set_features.features = vnic_features(&n->v);
		break;
	case FUZZ_GET_CONFIG:
		arg->get_config.config = (uintptr_t)gmem_at(&n->gm, n->list);
		arg->get_config.config_len = dt_below(rng, 256);
		break;
	case FUZZ_SET_ADDRESSING:
		fill_set_addressing(rng, &arg->set_addressing);
		break;
	case FUZZ_SET_NOTIFY:
		arg->set_notify.config_fd = dt_below(rng, 3) ? n->kick : -1;
		arg->set_notify.error_fd = dt_below(rng, 3) ? n->kick : -1;
		break;
	}
}

/* Spoil the argument, its size, or the number. */
static int odd_ioctl(struct fuzz_vnic *n, struct dt_rng *rng, int which,
		     union any_arg *arg)
{
	unsigned long cmd = ioctls[which].cmd;
	uint32_t at, size;
	uint64_t value;

	switch (dt_below(rng, 8)) {
	case 0:
		arg->size = fuzz_odd_value(rng);
		break;
	case 1:
		cmd = dt_random(rng);
		break;
	case 2:
		return hyv_ioctl(n->v.fd, cmd,
				 (void *)(uintptr_t)some_address(n, rng));
	default:
		/*
		 * Not four bytes of a pointer: the host would write to other
		 * memory of this process, not only to that of the guest.
		 */
		size = (const uint32_t[]){1, 2, 8}[dt_below(rng, 3)];
		at = dt_below(rng, ioctls[which].size) & ~(size - 1);
		value = fuzz_odd_value(rng);
		memcpy(arg->data + at, &value, size);
	}
	return hyv_ioctl(n->v.fd, cmd, arg);
}

static void fuzz_offered(struct fuzz_vnic *n)
{
	struct hyv_get_config arg = {.size = sizeof(arg)};

	if (!hyv_ioctl(n->v.fd, HYV_GET_CONFIG, &arg))
		n->v.offered = arg.out_features;
}

/* After a reset, the guest begins again. */
static void after_reset(struct fuzz_vnic *n, struct dt_rng *rng)
{
	vnic_set_addressing(&n->v,
			    dt_below(rng, 2) ? HYV_ADDRESSING_GUEST
					     : HYV_ADDRESSING_HOST,
			    NULL, 0);
	/* The features on offer depend on it. */
	fuzz_offered(n);
	memset(n->family, 0, sizeof(n->family));
	vnic_set_features(&n->v, vnic_features(&n->v));
	vnic_set_mem(&n->v, n->gm.region, GMEM_REGIONS);
	fuzz_vnic_restock(n);
}

/* Issue an ioctl; @which is set to its place in the table. */
int fuzz_ioctl(struct fuzz_vnic *n, struct dt_rng *rng, int *which)
{
	union any_arg arg;
	int ret;

	memset(&arg, 0, sizeof(arg));
	*which = dt_below(rng, NR_IOCTLS);
	/* Resets are rare: they end all that the requests have made. */
	if (*which == FUZZ_RESET && dt_below(rng, 4))
		*which = FUZZ_GET_CONFIG;
	arg.size = ioctls[*which].size;
	fill(n, rng, *which, &arg);
	if (!dt_below(rng, 4))
		return odd_ioctl(n, rng, *which, &arg);
	ret = hyv_ioctl(n->v.fd, ioctls[*which].cmd, &arg);
	if (*which == FUZZ_RESET)
		after_reset(n, rng);
	return ret;
}

static void scribble_page(struct fuzz_vnic *n, uint64_t gpa, struct dt_rng *rng,
			  bool plausible)
{
	uint8_t *page = gmem_at(&n->gm, gpa);
	uint32_t at = dt_below(rng, DT_PAGE) & ~7u;
	uint64_t value = plausible ? dt_below(rng, 256) : fuzz_odd_value(rng);

	memcpy(page + at, &value, sizeof(value));
}

/* Descriptors that point to guest memory, so that events are delivered. */
static void scribble_ring(struct fuzz_vnic *n, struct dt_rng *rng)
{
	struct vring_desc *desc = (void *)gmem_at(&n->gm, n->rings[0]);
	struct vring_avail *avail = (void *)gmem_at(&n->gm, n->rings[1]);
	uint32_t i;

	for (i = 0; i < 128; i++) {
		desc[i].addr = htole64(n->buf[0].gpa[0] + 32 * i);
		desc[i].len = htole32(32);
		desc[i].flags = htole16(VRING_DESC_F_WRITE);
		avail->ring[i] = htole16(i);
	}
	avail->idx = htole16(le16toh(avail->idx) + dt_below(rng, 64));
}

/*
 * Write where a guest can at any time, but not to the HCA's queues: rxe trusts
 * their content.
 */
void fuzz_scribble(struct fuzz_vnic *n, struct dt_rng *rng)
{
	switch (dt_below(rng, 5)) {
	case 0:
		scribble_page(n, n->db.gpa[dt_below(rng, DB_PAGES)], rng,
			      false);
		break;
	case 1:
		scribble_page(n, n->rings[dt_below(rng, 3)], rng,
			      dt_below(rng, 2));
		break;
	case 2:
		scribble_ring(n, rng);
		break;
	case 3:
		scribble_page(n, n->list, rng, false);
		break;
	default:
		scribble_page(n, n->buf[0].gpa[0], rng, false);
	}
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid) {
		dt_sleep_us(1000);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void another_vnic(void)
{
	struct hyv_get_info info = {.size = sizeof(info)};
	int fd = open("/dev/hyv", O_RDWR | O_CLOEXEC);
	int uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);

	hyv_ioctl(fd, HYV_GET_INFO, &info);
	hyv_attach_fd(fd, uverbs, "another");
	close(uverbs);
	close(fd);
}

/* Change a VMM's own memory and files. */
void fuzz_remap(struct fuzz_vnic *n, struct dt_rng *rng)
{
	size_t len = (1 + dt_below(rng, 64)) * DT_PAGE;
	uint8_t *at = n->gm.base + dt_below(rng, GMEM_PAGES - 64) * DT_PAGE;
	volatile uint8_t *page;

	switch (dt_below(rng, 8)) {
	case 0:
		mprotect(at, len, PROT_NONE);
		dt_sleep_us(dt_below(rng, 500));
		mprotect(at, len, PROT_READ | PROT_WRITE);
		break;
	case 1:
		madvise(at, len, MADV_DONTNEED);
		break;
	case 2:
		madvise(at, len, MADV_REMOVE);
		break;
	case 3:
		munmap(n->v.window, n->v.window_size);
		n->v.window =
			mmap(NULL, n->v.window_size, PROT_READ | PROT_WRITE,
			     MAP_SHARED, n->v.fd, 0);
		break;
	case 4:
		fork_once();
		break;
	case 5:
		another_vnic();
		break;
	default:
		/* Only this thread reads the window. */
		if (n->v.window == MAP_FAILED)
			break;
		page = n->v.window + dt_below(rng, n->v.window_size);
		*page;
	}
}
