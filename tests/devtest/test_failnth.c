// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and every copy of user memory fails once, in each command on
 * the mock HCA and in the ioctls that set up a vNIC.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "failnth.h"
#include "harness.h"
#include "life.h"
#include "mockctl.h"
#include "suites.h"

/* More calls that can fail than any ioctl has. */
#define FAILNTH_MAX 2000

static struct gmem gm;
static struct gbuf buf;
static struct gbuf mi;

/* A fault becomes one of these, or goes unnoticed. */
static bool clean(int ret)
{
	return !ret || ret == HYV_S_ENOMEM || ret == HYV_S_EFAULT ||
	       ret == -ENOMEM || ret == -EFAULT;
}

/* All steps before a step, the step with fault @n, the rest. */
static bool fail_step(struct vnic *v, size_t step, unsigned int n)
{
	struct life l;
	int ret;
	size_t i;
	int bad = 0;

	life_begin(&l, v, &buf, &mi);
	for (i = 0; i < step; i++)
		bad += !!life_steps[i].run(&l);
	failnth_set(n);
	ret = life_steps[i].run(&l);
	if (!clean(ret))
		tap_ok(false, "%s with fault %u: status %d", life_steps[i].name,
		       n, ret);
	for (i += !ret; i < life_nr_steps; i++)
		bad += !!life_steps[i].run(&l);
	bad += !!cmd_destroy(v, HYV_OBJ_CONTEXT, l.context);
	if (bad)
		tap_ok(false, "%s with fault %u: the other commands work",
		       life_steps[step].name, n);
	return failnth_injected();
}

static void test_commands(struct vnic *v)
{
	struct mock_held before;
	unsigned int n;
	size_t i;

	for (i = 0; i < life_nr_steps; i++) {
		mock_held(&before);
		for (n = 1; n < FAILNTH_MAX && fail_step(v, i, n); n++)
			;
		tap_ok(n > 1 && n < FAILNTH_MAX, "%s: %u faults",
		       life_steps[i].name, n - 1);
		mock_expect_held(&before, life_steps[i].name);
	}
}

static int do_window(struct vnic *v)
{
	struct hyv_set_window arg = {
		.size = sizeof(arg),
		.length = DT_WINDOW,
	};

	return hyv_ioctl(v->fd, HYV_SET_WINDOW, &arg);
}

static int do_mem(struct vnic *v)
{
	return vnic_set_mem(v, gm.region, GMEM_REGIONS);
}

static int do_features(struct vnic *v)
{
	return vnic_set_features(v, vnic_features(v));
}

static int do_limits(struct vnic *v)
{
	struct hyv_set_limits arg = {.max_qps = 8};

	return vnic_set_limits(v, &arg);
}

static int do_queue(struct vnic *v)
{
	struct evq q;
	int ret;

	evq_init(&q, v, 0, 8, false);
	evq_post_all(&q);
	ret = evq_start(&q, v, 0);
	evq_free(&q);
	return ret;
}

static int do_reset(struct vnic *v)
{
	return vnic_reset(v);
}

static const struct {
	const char *name;
	int (*run)(struct vnic *v);
} setup[] = {
	{"SET_WINDOW", do_window},     {"SET_MEM", do_mem},
	{"SET_LIMITS", do_limits},     {"SET_FEATURES", do_features},
	{"SET_EVENT_QUEUE", do_queue}, {"RESET", do_reset},
};

static bool fail_attach(unsigned int n)
{
	int uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	int fd = hyv_open(), ret;

	failnth_set(n);
	ret = hyv_attach_fd(fd, uverbs, "failnth");
	if (!clean(ret))
		tap_ok(false, "ATTACH with fault %u: %d", n, ret);
	if (ret && hyv_attach_fd(fd, uverbs, "failnth"))
		tap_ok(false, "ATTACH works after fault %u", n);
	close(uverbs);
	close(fd);
	return failnth_injected();
}

static bool fail_setup(size_t step, unsigned int n)
{
	struct vnic v;
	size_t i;
	int ret;

	vnic_attach(&v, &gm);
	for (i = 0; i < step; i++)
		REQUIRE_EQ(setup[i].run(&v), 0, "%s", setup[i].name);
	failnth_set(n);
	ret = setup[i].run(&v);
	if (!clean(ret))
		tap_ok(false, "%s with fault %u: %d", setup[i].name, n, ret);
	if (ret && setup[i].run(&v))
		tap_ok(false, "%s works after fault %u", setup[i].name, n);
	close(v.fd);
	return failnth_injected();
}

static void test_setup(void)
{
	struct mock_held before;
	unsigned int n;
	size_t i;

	mock_held(&before);
	for (n = 1; n < FAILNTH_MAX && fail_attach(n); n++)
		;
	tap_ok(n > 1 && n < FAILNTH_MAX, "ATTACH: %u faults", n - 1);
	for (i = 0; i < ARRAY_SIZE(setup); i++) {
		gm.next = 0;
		for (n = 1; n < FAILNTH_MAX && fail_setup(i, n); n++)
			;
		tap_ok(n < FAILNTH_MAX, "%s: %u faults", setup[i].name, n - 1);
	}
	mock_expect_held(&before, "after faults in ioctls");
}

void suite_failnth(void)
{
	struct vnic v;

	if (!failnth_init()) {
		tap_skip("the kernel has no FAULT_INJECTION", "faults");
		return;
	}
	mock_clear();
	gmem_init(&gm, GMEM_MEMFD);
	test_setup();
	gm.next = 0;
	gbuf_init(&buf, &gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&mi, &gm, sizeof(struct mminfo), DT_PAGE - 8, GBUF_SCATTERED);
	vnic_open(&v, &gm);
	test_commands(&v);
	vnic_close(&v);
	mock_check("faults");
}
