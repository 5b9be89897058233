// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that the HCA's driver has created, but whose provider data cannot be
 * copied to the reply, because the VMM's memory is gone by then. Needs what
 * test_mock.c needs.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"
#include "harness.h"
#include "life.h"
#include "mockctl.h"
#include "suites.h"
#include "vnics.h"

/* Provider data of a reply begins here in scratch memory. */
#define SCRATCH_OUT 4096

static struct gmem gm;
static struct gbuf buf;
static struct gbuf mi;

static int exec_with_room(struct life *l, struct req *r)
{
	struct rsp rsp;

	req_udata(r, NULL, 0, 8);
	return vnic_exec(l->v, r, &rsp);
}

static int create_context(struct life *l)
{
	struct req r;

	req_alloc_context(&r);
	return exec_with_room(l, &r);
}

static int create_pd(struct life *l)
{
	struct req r;

	req_alloc_pd(&r, l->context);
	return exec_with_room(l, &r);
}

static int create_mr(struct life *l)
{
	struct hyv_chunk chunk[16];
	struct rsp rsp;
	struct req r;

	REQUIRE(l->buf->nr_pages <= ARRAY_SIZE(chunk), "a small buffer");
	req_reg_mr_head(&r, l->pd, ACCESS_REMOTE, l->buf->va);
	req_udata(&r, NULL, 0, 8);
	req_list(&r, 0, l->buf->va, l->buf->length, chunk,
		 gbuf_chunks(l->buf, 0, l->buf->length, chunk));
	return vnic_exec(l->v, &r, &rsp);
}

static int create_mw(struct life *l)
{
	struct req r;

	req_alloc_mw(&r, l->pd, 2);
	return exec_with_room(l, &r);
}

static int create_xrcd(struct life *l)
{
	struct req r;

	req_alloc_xrcd(&r, l->context);
	return exec_with_room(l, &r);
}

/**
 * struct creation - a command that creates an object
 * @step: the step before which it is sent
 * @run: sends it with room for provider data; NULL if the step does that
 * @undo: verb of the driver that destroys the object; NULL if it cannot fail
 * @held: the mock's counter of such objects
 */
struct creation {
	const char *step;
	int (*run)(struct life *l);
	const char *undo;
	const char *held;
};

static const struct creation creations[] = {
	{"ALLOC_CONTEXT", create_context, NULL, "held.ucontext"},
	{"ALLOC_PD", create_pd, "dealloc_pd", "held.pd"},
	{"CREATE_CQ", NULL, "destroy_cq", "held.cq"},
	{"CREATE_SRQ", NULL, "destroy_srq", "held.srq"},
	{"ALLOC_XRCD", create_xrcd, "dealloc_xrcd", "held.xrcd"},
	{"CREATE_SRQ of XRC", NULL, "destroy_srq", "held.srq"},
	{"CREATE_QP of XRC_INI", NULL, "destroy_qp", "held.qp"},
	{"CREATE_QP", NULL, "destroy_qp", "held.qp"},
	{"CREATE_AH", NULL, "destroy_ah", "held.ah"},
	{"REG_MR", create_mr, "dereg_mr", "held.mr"},
	{"ALLOC_MW", create_mw, "dealloc_mw", "held.mw"},
};

/* Put memory where the mock has unmapped it. */
static void restore_scratch(void)
{
	void *at = (char *)hyv_scratch() + SCRATCH_OUT;

	REQUIRE(mmap(at, DT_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at,
		"mmap");
}

static uint64_t listed_leaks(void)
{
	struct vnics vnics;

	REQUIRE(vnics_get(&vnics), "the host lists vNICs");
	return vnics.leaked;
}

/* The driver refuses to destroy the object, too, if @refuse. */
static void test_creation(const struct creation *c, bool refuse)
{
	const struct life_step *step = life_step(c->step);
	const char *how = refuse ? "refused" : "undone";
	const struct life_step *s;
	struct vnic v;
	struct life l;
	long held, held_before;
	int bad = 0;

	held_before = mock_counter(c->held);
	vnic_open(&v, &gm);
	life_begin(&l, &v, &buf, &mi);
	for (s = life_steps; s < step; s++)
		bad += !!s->run(&l);
	REQUIRE_EQ(bad, 0, "%s: all steps before it", c->step);

	held = mock_counter(c->held);
	mock_rule("%s lose=1", step->verb);
	if (refuse)
		mock_rule("%s error=%d calls=1", c->undo, EIO);
	tap_is((c->run ?: step->run)(&l), HYV_S_EFAULT,
	       "%s (%s) without memory for the reply", c->step, how);
	mock_clear();
	restore_scratch();
	tap_is(mock_counter(c->held), held + refuse, "%s (%s): the object %s",
	       c->step, how, refuse ? "stays" : "is gone");
	tap_is(listed_leaks(), refuse, "%s (%s): leaked objects", c->step, how);
	mock_set("raise", "comp");
	mock_set("raise", "async");

	for (; s < life_steps + life_nr_steps; s++)
		bad += !!s->run(&l);
	tap_is(bad, 0, "%s (%s): it and all steps after it work", c->step, how);
	tap_is(cmd_destroy(&v, HYV_OBJ_CONTEXT, l.context),
	       refuse ? HYV_S_EBUSY : 0, "%s (%s): DESTROY of the context",
	       c->step, how);
	mock_set("raise", "comp");
	mock_set("raise", "async");
	tap_is(vnic_reset(&v), 0, "%s (%s): RESET", c->step, how);
	vnic_close(&v);
	mock_set("raise", "comp");
	mock_set("raise", "async");
	tap_is(mock_counter(c->held), held_before + refuse,
	       "%s (%s): objects at the end", c->step, how);
	mock_check(c->step);
}

/* Refused objects are never destroyed. */
void suite_mockcreate(void)
{
	struct mock_held before;
	size_t i;

	mock_clear();
	mock_set("disassociate", "1");
	gmem_init(&gm, GMEM_MEMFD);
	gbuf_init(&buf, &gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&mi, &gm, sizeof(struct mminfo), DT_PAGE - 8, GBUF_SCATTERED);
	mock_held(&before);
	for (i = 0; i < ARRAY_SIZE(creations); i++)
		test_creation(&creations[i], false);
	mock_expect_held(&before, "after creations that were undone");
	for (i = 0; i < ARRAY_SIZE(creations); i++)
		if (creations[i].undo)
			test_creation(&creations[i], true);
	tap_is(dt_run("hyv -j hcas | grep -q '\"leaked\":[1-9]'"), 0,
	       "hyv hcas shows leaked objects of vNICs that have ended");
}
