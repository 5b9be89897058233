// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the object table.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/kunit.h>

#include "verbs/obj.h"

#define MAX_OBJS	8

static int obj_test_init(struct kunit *test)
{
	struct hyvh_objs *objs;
	unsigned int type;

	objs = kunit_kzalloc(test, sizeof(*objs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, objs);
	hyvh_objs_init(objs);
	for (type = HYV_OBJ_CONTEXT; type < HYV_OBJ_TYPES; type++)
		hyvh_objs_set_max(objs, type, MAX_OBJS);
	test->priv = objs;
	return 0;
}

static void obj_test_exit(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	unsigned int type;

	for (type = HYV_OBJ_CONTEXT; type < HYV_OBJ_TYPES; type++)
		KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, type), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&objs->xa));
	hyvh_objs_fini(objs);
}

static struct hyvh_obj *new_obj(struct kunit *test, enum hyv_obj_type type,
				struct hyvh_obj *owner)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *obj;

	obj = kunit_kzalloc(test, sizeof(*obj), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	KUNIT_ASSERT_EQ(test, hyvh_obj_reserve(objs, obj, type, owner), 0);
	hyvh_obj_publish(objs, obj);
	return obj;
}

/* An object that may own others */
static struct hyvh_obj *new_owner(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct list_head *owned;
	struct hyvh_obj *obj;

	obj = kunit_kzalloc(test, sizeof(*obj), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	owned = kunit_kcalloc(test, HYV_OBJ_TYPES, sizeof(*owned), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, owned);
	KUNIT_ASSERT_EQ(test, hyvh_obj_reserve(objs, obj, HYV_OBJ_CONTEXT,
					       NULL), 0);
	hyvh_obj_own(obj, owned);
	hyvh_obj_publish(objs, obj);
	return obj;
}

static void end_obj(struct kunit *test, struct hyvh_obj *obj)
{
	struct hyvh_objs *objs = test->priv;

	KUNIT_ASSERT_PTR_EQ(test, hyvh_obj_get(objs, obj->handle, obj->type),
			    obj);
	KUNIT_ASSERT_EQ(test, hyvh_obj_remove(objs, obj), 0);
	hyvh_obj_erase(objs, obj);
}

static void obj_life(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj obj = {};
	u32 handle;

	KUNIT_ASSERT_EQ(test, hyvh_obj_reserve(objs, &obj, HYV_OBJ_CQ, NULL), 0);
	handle = obj.handle;
	KUNIT_EXPECT_NE(test, handle, 0);
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_CQ), 1);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, HYV_OBJ_CQ));

	hyvh_obj_publish(objs, &obj);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, HYV_OBJ_QP));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, 0));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, U32_MAX));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle + 1, HYV_OBJ_CQ));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, 0, HYV_OBJ_CQ));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, U32_MAX, HYV_OBJ_CQ));
	KUNIT_EXPECT_PTR_EQ(test, hyvh_obj_get(objs, handle, HYV_OBJ_CQ), &obj);

	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, &obj), 0);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, HYV_OBJ_CQ));
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_CQ), 1);

	hyvh_obj_erase(objs, &obj);
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_CQ), 0);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, handle, HYV_OBJ_CQ));
}

static void obj_slots(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj obj = {};
	struct xarray slots;
	u32 slot;

	xa_init_flags(&slots, XA_FLAGS_ALLOC);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, 0));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, U32_MAX));

	KUNIT_ASSERT_EQ(test, hyvh_obj_reserve(objs, &obj, HYV_OBJ_QP, NULL), 0);
	KUNIT_ASSERT_EQ(test, xa_alloc(&slots, &slot, &obj, XA_LIMIT(0, 63),
				       GFP_KERNEL), 0);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, slot));

	hyvh_obj_publish(objs, &obj);
	KUNIT_EXPECT_PTR_EQ(test, hyvh_obj_get_slot(&slots, slot), &obj);
	KUNIT_EXPECT_EQ(test, refcount_read(&obj.refs), 2);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, slot + 1));

	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, &obj), 0);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, slot));
	xa_erase(&slots, slot);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, slot));
	hyvh_obj_erase(objs, &obj);
	xa_destroy(&slots);
}

static void obj_handles_are_not_reused_soon(struct kunit *test)
{
	u32 last = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		struct hyvh_obj *obj = new_obj(test, HYV_OBJ_MR, NULL);

		KUNIT_ASSERT_GT(test, obj->handle, last);
		last = obj->handle;
		end_obj(test, obj);
	}
}

static void obj_handles_wrap(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *first, *last, *next;

	first = new_obj(test, HYV_OBJ_MR, NULL);
	KUNIT_EXPECT_EQ(test, first->handle, 1);
	objs->next_handle = INT_MAX;
	last = new_obj(test, HYV_OBJ_MR, NULL);
	KUNIT_EXPECT_EQ(test, last->handle, INT_MAX);
	next = new_obj(test, HYV_OBJ_MR, NULL);
	KUNIT_EXPECT_EQ(test, next->handle, 2);
	end_obj(test, next);
	end_obj(test, last);
	end_obj(test, first);
}

static void obj_limits(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *obj[MAX_OBJS], over = {};
	int i;

	KUNIT_EXPECT_EQ(test, hyvh_objs_max(objs, HYV_OBJ_QP), MAX_OBJS);
	for (i = 0; i < MAX_OBJS; i++)
		obj[i] = new_obj(test, HYV_OBJ_QP, NULL);
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_QP, NULL),
			-EDQUOT);
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_QP), MAX_OBJS);

	/* Other types are not affected. */
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_CQ, NULL), 0);
	hyvh_obj_abort(objs, &over);
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_CQ), 0);

	/* A removed object counts until it is erased. */
	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, obj[0]->handle,
						 HYV_OBJ_QP));
	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, obj[0]), 0);
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_QP, NULL),
			-EDQUOT);
	hyvh_obj_erase(objs, obj[0]);
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_QP, NULL), 0);
	hyvh_obj_abort(objs, &over);

	/* The HCA's object counts on, whichever of them goes first. */
	for (i = 0; i < 2; i++) {
		obj[0] = new_obj(test, HYV_OBJ_QP, NULL);
		KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, obj[0]->handle,
							 HYV_OBJ_QP));
		KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, obj[0]), 0);
		obj[0]->counts_on = true;
		if (i)
			hyvh_objs_uncount(objs, HYV_OBJ_QP);
		hyvh_obj_erase(objs, obj[0]);
		KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_QP),
				MAX_OBJS - i);
		if (!i)
			hyvh_objs_uncount(objs, HYV_OBJ_QP);
		KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_QP),
				MAX_OBJS - 1);
	}

	/* A limit below the current count affects new objects. */
	hyvh_objs_set_max(objs, HYV_OBJ_QP, 1);
	for (i = 1; i < MAX_OBJS; i++) {
		KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_QP,
						       NULL), -EDQUOT);
		end_obj(test, obj[i]);
	}
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_QP, NULL), 0);
	hyvh_obj_abort(objs, &over);
}

static void obj_in_use_stays(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *pd = new_obj(test, HYV_OBJ_PD, NULL);

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, pd->handle, HYV_OBJ_PD));
	hyvh_obj_use(pd);
	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, pd), -EBUSY);
	/* The caller still has its reference. */
	KUNIT_EXPECT_EQ(test, refcount_read(&pd->refs), 2);
	KUNIT_EXPECT_PTR_EQ(test, hyvh_obj_get(objs, pd->handle, HYV_OBJ_PD),
			    pd);
	hyvh_obj_put(objs, pd);
	hyvh_obj_unuse(pd);
	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, pd), 0);
	hyvh_obj_erase(objs, pd);
}

static void obj_restore(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *cq = new_obj(test, HYV_OBJ_CQ, NULL);

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, cq->handle, HYV_OBJ_CQ));
	KUNIT_ASSERT_EQ(test, hyvh_obj_remove(objs, cq), 0);
	hyvh_obj_restore(objs, cq);
	KUNIT_EXPECT_EQ(test, refcount_read(&cq->refs), 1);
	end_obj(test, cq);
}

/* A thread that removes an object, or takes one by type and owner. */
struct remover {
	struct hyvh_objs *objs;
	struct hyvh_obj *obj;
	bool take;
	int ret;
	struct hyvh_obj *taken;
	struct completion done;
};

static int remover_fn(void *arg)
{
	struct remover *r = arg;

	if (r->take)
		r->taken = hyvh_objs_take(r->objs, r->obj->type, r->obj->owner);
	else
		r->ret = hyvh_obj_remove(r->objs, r->obj);
	complete(&r->done);
	return 0;
}

static void remover_start(struct kunit *test, struct remover *r)
{
	struct task_struct *task;

	r->objs = test->priv;
	init_completion(&r->done);
	task = kthread_run(remover_fn, r, "hyv-remover");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	/* Let the thread run until it waits. */
	schedule_timeout_uninterruptible(2);
}

static void remover_expect_waiting(struct kunit *test, struct remover *r)
{
	schedule_timeout_uninterruptible(2);
	KUNIT_ASSERT_FALSE(test, completion_done(&r->done));
}

static void remover_expect_done(struct kunit *test, struct remover *r)
{
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&r->done, 10 * HZ),
			0);
}

static void obj_remove_waits(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *qp = new_obj(test, HYV_OBJ_QP, NULL);
	struct remover r = { .obj = qp };
	struct xarray slots;
	int i;

	xa_init(&slots);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&slots, 7, qp, GFP_KERNEL)), 0);
	/* One reference for the remover, two for this test. */
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, qp->handle,
							 HYV_OBJ_QP));
	remover_start(test, &r);
	remover_expect_waiting(test, &r);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, qp->handle, HYV_OBJ_QP));
	KUNIT_EXPECT_NULL(test, hyvh_obj_get_slot(&slots, 7));
	/* A second removal fails. */
	KUNIT_EXPECT_EQ(test, hyvh_obj_remove(objs, qp), -ENOENT);
	hyvh_obj_put(objs, qp);
	remover_expect_waiting(test, &r);

	hyvh_obj_put(objs, qp);
	remover_expect_done(test, &r);
	KUNIT_EXPECT_EQ(test, r.ret, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&qp->refs), 0);
	hyvh_obj_erase(objs, qp);
	xa_destroy(&slots);
}

static void obj_child_appears_while_removed(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *pd = new_obj(test, HYV_OBJ_PD, NULL);
	struct remover r = { .obj = pd };

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, pd->handle, HYV_OBJ_PD));
	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, pd->handle, HYV_OBJ_PD));
	remover_start(test, &r);
	remover_expect_waiting(test, &r);
	hyvh_obj_use(pd);
	hyvh_obj_put(objs, pd);
	remover_expect_done(test, &r);

	KUNIT_EXPECT_EQ(test, r.ret, -EBUSY);
	KUNIT_EXPECT_EQ(test, refcount_read(&pd->refs), 2);
	hyvh_obj_put(objs, pd);
	hyvh_obj_unuse(pd);
	end_obj(test, pd);
}

static void obj_take(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *ctx[2], *qp[2], *pd[2], *got;
	int i;

	for (i = 0; i < 2; i++) {
		ctx[i] = new_owner(test);
		pd[i] = new_obj(test, HYV_OBJ_PD, ctx[i]);
		qp[i] = new_obj(test, HYV_OBJ_QP, ctx[i]);
		hyvh_obj_use(pd[i]);
	}

	/* All objects of the second context, even those with users. */
	KUNIT_EXPECT_NULL(test, hyvh_objs_take(objs, HYV_OBJ_MR, ctx[1]));
	got = hyvh_objs_take(objs, HYV_OBJ_PD, ctx[1]);
	KUNIT_ASSERT_PTR_EQ(test, got, pd[1]);
	KUNIT_EXPECT_NULL(test, hyvh_obj_get(objs, got->handle, HYV_OBJ_PD));
	hyvh_obj_erase(objs, got);
	KUNIT_EXPECT_NULL(test, hyvh_objs_take(objs, HYV_OBJ_PD, ctx[1]));
	got = hyvh_objs_take(objs, HYV_OBJ_QP, ctx[1]);
	KUNIT_ASSERT_PTR_EQ(test, got, qp[1]);
	hyvh_obj_erase(objs, got);
	KUNIT_EXPECT_NULL(test, hyvh_objs_take(objs, HYV_OBJ_QP, ctx[1]));
	end_obj(test, ctx[1]);

	/* The remaining objects of any owner. */
	got = hyvh_objs_take(objs, HYV_OBJ_QP, NULL);
	KUNIT_ASSERT_PTR_EQ(test, got, qp[0]);
	/* A restored object can be taken again. */
	hyvh_obj_restore(objs, got);
	KUNIT_ASSERT_PTR_EQ(test, hyvh_objs_take(objs, HYV_OBJ_QP, NULL), got);
	hyvh_obj_erase(objs, got);
	KUNIT_EXPECT_NULL(test, hyvh_objs_take(objs, HYV_OBJ_QP, NULL));
	got = hyvh_objs_take(objs, HYV_OBJ_PD, NULL);
	KUNIT_ASSERT_PTR_EQ(test, got, pd[0]);
	hyvh_obj_erase(objs, got);
	got = hyvh_objs_take(objs, HYV_OBJ_CONTEXT, NULL);
	KUNIT_ASSERT_PTR_EQ(test, got, ctx[0]);
	hyvh_obj_erase(objs, got);
}

static void obj_take_waits_for_refs(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *cq = new_obj(test, HYV_OBJ_CQ, NULL);
	struct remover r = { .obj = cq, .take = true };

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, cq->handle, HYV_OBJ_CQ));
	remover_start(test, &r);
	remover_expect_waiting(test, &r);
	hyvh_obj_put(objs, cq);
	remover_expect_done(test, &r);
	KUNIT_EXPECT_PTR_EQ(test, r.taken, cq);
	hyvh_obj_erase(objs, cq);
}

/* Removing a context waits for objects that are being created in it. */
static void obj_owner_waits_for_reserved(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *ctx = new_owner(test);
	struct remover r = { .obj = ctx };
	struct hyvh_obj mr[3] = {}, late = {}, over = {};
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, 0, hyvh_obj_reserve(objs, &mr[i],
							  HYV_OBJ_MR, ctx));
	/* A failed reservation does not delay the removal. */
	hyvh_objs_set_max(objs, HYV_OBJ_MR, 3);
	KUNIT_ASSERT_EQ(test, hyvh_obj_reserve(objs, &over, HYV_OBJ_MR, ctx),
			-EDQUOT);

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, ctx->handle,
						 HYV_OBJ_CONTEXT));
	remover_start(test, &r);
	remover_expect_waiting(test, &r);
	KUNIT_EXPECT_EQ(test, hyvh_obj_reserve(objs, &late, HYV_OBJ_CQ, ctx),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_objs_count(objs, HYV_OBJ_CQ), 0);
	hyvh_obj_publish(objs, &mr[0]);
	remover_expect_waiting(test, &r);
	hyvh_obj_abort(objs, &mr[1]);
	remover_expect_waiting(test, &r);
	hyvh_obj_publish(objs, &mr[2]);
	remover_expect_done(test, &r);
	KUNIT_EXPECT_EQ(test, r.ret, 0);

	KUNIT_EXPECT_PTR_EQ(test, hyvh_objs_take(objs, HYV_OBJ_MR, ctx), &mr[0]);
	hyvh_obj_erase(objs, &mr[0]);
	KUNIT_EXPECT_PTR_EQ(test, hyvh_objs_take(objs, HYV_OBJ_MR, ctx), &mr[2]);
	hyvh_obj_erase(objs, &mr[2]);
	KUNIT_EXPECT_NULL(test, hyvh_objs_take(objs, HYV_OBJ_MR, ctx));
	hyvh_obj_erase(objs, ctx);
}

/* Parameters: undo the removal that take waits for, or complete it. */
static const bool take_outcomes[] = { false, true };

static void take_outcome_desc(const bool *restored, char *desc)
{
	strscpy(desc, *restored ? "restored" : "erased",
		KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(take_outcome, take_outcomes, take_outcome_desc);

static void obj_take_waits_for_other_removal(struct kunit *test)
{
	const bool *restored = test->param_value;
	struct hyvh_objs *objs = test->priv;
	struct hyvh_obj *ctx = new_owner(test);
	struct hyvh_obj *qp = new_obj(test, HYV_OBJ_QP, ctx);
	struct remover r = { .obj = qp, .take = true };

	KUNIT_ASSERT_NOT_NULL(test, hyvh_obj_get(objs, qp->handle, HYV_OBJ_QP));
	KUNIT_ASSERT_EQ(test, hyvh_obj_remove(objs, qp), 0);
	remover_start(test, &r);
	remover_expect_waiting(test, &r);
	if (*restored)
		hyvh_obj_restore(objs, qp);
	else
		hyvh_obj_erase(objs, qp);
	remover_expect_done(test, &r);
	KUNIT_EXPECT_PTR_EQ(test, r.taken, *restored ? qp : NULL);
	if (*restored)
		hyvh_obj_erase(objs, qp);
	end_obj(test, ctx);
}

/* Threads that use all functions concurrently on a few handles. */
#define STORM_THREADS	4
#define STORM_ROUNDS	3000

struct storm {
	struct hyvh_objs *objs;
	u32 seed;
	unsigned int removed;
	unsigned int errors;
	struct completion done;
};

static void storm_create(struct storm *s)
{
	struct hyvh_obj *obj = kzalloc(sizeof(*obj), GFP_KERNEL);

	if (!obj)
		return;
	if (hyvh_obj_reserve(s->objs, obj, HYV_OBJ_MR, NULL)) {
		kfree(obj);
		return;
	}
	schedule();
	hyvh_obj_publish(s->objs, obj);
}

static void storm_access(struct storm *s, u32 handle, bool remove)
{
	struct hyvh_obj *obj = hyvh_obj_get(s->objs, handle, HYV_OBJ_MR);
	int ret;

	if (!obj)
		return;
	if (obj->handle != handle)
		s->errors++;
	schedule();
	if (!remove) {
		hyvh_obj_put(s->objs, obj);
		return;
	}
	ret = hyvh_obj_remove(s->objs, obj);
	if (ret) {
		s->errors += ret != -ENOENT;
		hyvh_obj_put(s->objs, obj);
		return;
	}
	schedule();
	if (refcount_read(&obj->refs))
		s->errors++;
	hyvh_obj_erase(s->objs, obj);
	s->removed++;
	/* The poison reveals a use after free. */
	kfree(obj);
}

static int storm_fn(void *arg)
{
	struct storm *s = arg;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, s->seed);
	for (i = 0; i < STORM_ROUNDS; i++) {
		u32 r = prandom_u32_state(&rnd);
		u32 last = READ_ONCE(s->objs->next_handle);

		if (r % 4 == 0)
			storm_create(s);
		else
			storm_access(s, last - (r >> 8) % (2 * MAX_OBJS),
				     r % 4 == 1);
		cond_resched();
	}
	complete(&s->done);
	return 0;
}

static void obj_storm(struct kunit *test)
{
	struct hyvh_objs *objs = test->priv;
	struct storm *s;
	struct hyvh_obj *obj;
	unsigned int removed = 0;
	int i;

	s = kunit_kcalloc(test, STORM_THREADS, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < STORM_THREADS; i++) {
		s[i].objs = objs;
		s[i].seed = 1000 + i;
		init_completion(&s[i].done);
	}
	for (i = 0; i < STORM_THREADS; i++)
		if (IS_ERR(kthread_run(storm_fn, &s[i], "hyv-storm"))) {
			KUNIT_FAIL(test, "no thread");
			complete(&s[i].done);
		}
	for (i = 0; i < STORM_THREADS; i++) {
		wait_for_completion(&s[i].done);
		KUNIT_EXPECT_EQ(test, s[i].errors, 0);
		removed += s[i].removed;
	}
	KUNIT_EXPECT_GT(test, removed, 100);
	KUNIT_EXPECT_LE(test, hyvh_objs_count(objs, HYV_OBJ_MR), MAX_OBJS);
	while ((obj = hyvh_objs_take(objs, HYV_OBJ_MR, NULL))) {
		hyvh_obj_erase(objs, obj);
		kfree(obj);
	}
}

static struct kunit_case obj_cases[] = {
	KUNIT_CASE(obj_life),
	KUNIT_CASE(obj_slots),
	KUNIT_CASE(obj_handles_are_not_reused_soon),
	KUNIT_CASE(obj_handles_wrap),
	KUNIT_CASE(obj_limits),
	KUNIT_CASE(obj_in_use_stays),
	KUNIT_CASE(obj_restore),
	KUNIT_CASE(obj_remove_waits),
	KUNIT_CASE(obj_child_appears_while_removed),
	KUNIT_CASE(obj_take),
	KUNIT_CASE(obj_take_waits_for_refs),
	KUNIT_CASE(obj_owner_waits_for_reserved),
	KUNIT_CASE_PARAM(obj_take_waits_for_other_removal,
			 take_outcome_gen_params),
	KUNIT_CASE(obj_storm),
	{}
};

static struct kunit_suite obj_suite = {
	.name = "hyvh_obj",
	.init = obj_test_init,
	.exit = obj_test_exit,
	.test_cases = obj_cases,
};

kunit_test_suite(obj_suite);

MODULE_DESCRIPTION("Tests of HyV's object table");
MODULE_LICENSE("GPL");
