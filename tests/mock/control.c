// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control of the mock HCA by debugfs: what it holds, which calls misbehave, and
 * its callbacks. hyv_mock.h describes the files.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "mock.h"

struct mock_rule {
	u32 first;
	u32 calls;	/* 0: no end */
	u32 error;
	u32 sleep;	/* milliseconds, as late */
	u32 late;
	u32 lose;
};

struct mock_state {
	struct mock_rule rule;
	u32 seen;	/* calls since the rule was made; 0: no rule */
	u64 calls;
	u64 failed;
	u32 running;
};

/* A callback for an object that does not exist any longer. */
struct mock_late {
	struct completion *begun;
	u32 ms;
	void (*comp)(struct ib_cq *cq, void *context);
	void (*event)(struct ib_event *event, void *context);
	void *context;
	enum ib_event_type code;
};

DEFINE_SPINLOCK(mock_lock);
struct list_head mock_objs[MOCK_TYPES];
LIST_HEAD(mock_devices);

static struct mock_state mock_states[MOCK_VERBS];
static s64 mock_held[MOCK_TYPES];
static s64 mock_refused[MOCK_TYPES];
static u64 mock_violations;
static u64 mock_callbacks;
static u32 mock_late_pending;
static u32 mock_rules_made;
static bool mock_rereg;
static bool mock_moves;
static u32 mock_kind;
static bool mock_disassociate;

static DECLARE_WAIT_QUEUE_HEAD(mock_wait);
static struct hrtimer mock_timer;
static u64 mock_period;
static struct dentry *mock_dir;

/* A real one may have been freed; callers look at no more than its context. */
static struct ib_cq mock_dead_cq;

static const char *const mock_verb_names[] = {
#define MOCK_VERB(name) #name,
	HYV_FOR_EACH_MOCK_VERB(MOCK_VERB)
#undef MOCK_VERB
};

static const char *const mock_type_names[] = {
#define MOCK_TYPE(name) #name,
	HYV_FOR_EACH_MOCK_TYPE(MOCK_TYPE)
#undef MOCK_TYPE
};

static bool mock_rule_applies(const struct mock_state *state)
{
	const struct mock_rule *rule = &state->rule;

	return state->seen >= rule->first &&
	       (!rule->calls || state->seen - rule->first < rule->calls);
}

static bool mock_rules_changed(u32 made)
{
	return READ_ONCE(mock_rules_made) != made;
}

static void mock_sleep(struct mock_state *state, u32 ms, u32 made)
{
	spin_lock_irq(&mock_lock);
	state->running++;
	spin_unlock_irq(&mock_lock);
	wait_event_timeout(mock_wait, mock_rules_changed(made),
			   msecs_to_jiffies(ms));
	spin_lock_irq(&mock_lock);
	state->running--;
	spin_unlock_irq(&mock_lock);
}

/*
 * Begin a call: count it and apply the rule of the verb. Returns the error that
 * the call must return, or 0. Sleeps only if the rule says so.
 */
int mock_call(enum mock_verb verb)
{
	struct mock_state *state = &mock_states[verb];
	struct mock_rule rule = {};
	unsigned long flags;
	u32 made;

	spin_lock_irqsave(&mock_lock, flags);
	state->calls++;
	made = mock_rules_made;
	if (state->rule.first) {
		state->seen++;
		if (mock_rule_applies(state))
			rule = state->rule;
	}
	spin_unlock_irqrestore(&mock_lock, flags);

	if (rule.sleep)
		mock_sleep(state, rule.sleep, made);
	if (rule.error) {
		spin_lock_irqsave(&mock_lock, flags);
		state->failed++;
		spin_unlock_irqrestore(&mock_lock, flags);
	}
	return -(int)rule.error;
}

/* End a successful call that has created an object for @udata. */
void mock_created(enum mock_verb verb, struct ib_udata *udata)
{
	unsigned long page;

	if (!READ_ONCE(mock_states[verb].rule.lose) || !udata || !udata->outlen)
		return;
	page = (unsigned long)udata->outbuf & PAGE_MASK;
	if (vm_munmap(page, PAGE_SIZE))
		pr_warn("cannot unmap the page at 0x%lx\n", page);
}

bool mock_rereg_new(void)
{
	return READ_ONCE(mock_rereg);
}

bool mock_rereg_moves(void)
{
	return READ_ONCE(mock_moves);
}

enum hyv_mock_page mock_page_kind(void)
{
	return READ_ONCE(mock_kind) % HYV_MOCK_PAGES;
}

static void mock_disassociate_ucontext(struct ib_ucontext *ib)
{
	container_of(ib->device, struct mock_device, ib)->leaving = true;
}

static void mock_device_set_disassociate(struct mock_device *dev)
{
	dev->ib.ops.disassociate_ucontext =
		mock_disassociate ? mock_disassociate_ucontext : NULL;
}

/* @obj has been created. */
void mock_hold(struct mock_obj *obj, enum mock_type type,
	       struct ib_device *ibdev)
{
	unsigned long flags;

	spin_lock_irqsave(&mock_lock, flags);
	obj->type = type;
	obj->ibdev = ibdev;
	list_add_tail(&obj->node, &mock_objs[type]);
	mock_held[type]++;
	spin_unlock_irqrestore(&mock_lock, flags);
}

/* @obj needs @parent, which may be NULL, as long as it exists. */
void mock_use(struct mock_obj *obj, struct mock_obj *parent)
{
	unsigned long flags;
	unsigned int i;

	if (!parent)
		return;
	spin_lock_irqsave(&mock_lock, flags);
	for (i = 0; i < MOCK_PARENTS; i++) {
		if (obj->parent[i])
			continue;
		obj->parent[i] = parent;
		parent->children++;
		break;
	}
	spin_unlock_irqrestore(&mock_lock, flags);
}

/* @obj needs @parent from now on, in place of its first parent. */
void mock_use_instead(struct mock_obj *obj, struct mock_obj *parent)
{
	unsigned long flags;

	spin_lock_irqsave(&mock_lock, flags);
	obj->parent[0]->children--;
	obj->parent[0] = parent;
	parent->children++;
	spin_unlock_irqrestore(&mock_lock, flags);
}

/* ib_uverbs ends the contexts of a device that leaves, whatever uses them. */
static bool mock_may_leave_children(const struct mock_obj *obj)
{
	return obj->type == MOCK_OBJ_ucontext &&
	       container_of(obj->ibdev, struct mock_device, ib)->leaving;
}

/* @obj is being destroyed. */
void mock_drop(struct mock_obj *obj)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&mock_lock, flags);
	list_del(&obj->node);
	mock_held[obj->type]--;
	if (obj->refused)
		mock_refused[obj->type]--;
	for (i = 0; i < MOCK_PARENTS && obj->parent[i]; i++)
		obj->parent[i]->children--;
	if (obj->children && !mock_may_leave_children(obj)) {
		mock_violations++;
		pr_warn("%s destroyed before %u objects that use it\n",
			mock_type_names[obj->type], obj->children);
	}
	spin_unlock_irqrestore(&mock_lock, flags);
}

/* Begin the destruction of @obj. Returns an error if it is refused. */
int mock_refusable(struct mock_obj *obj, enum mock_verb verb)
{
	int ret = mock_call(verb);
	unsigned long flags;

	spin_lock_irqsave(&mock_lock, flags);
	if (ret && !obj->refused) {
		obj->refused = true;
		mock_refused[obj->type]++;
	}
	spin_unlock_irqrestore(&mock_lock, flags);
	return ret;
}

/* Take an object of a device that is gone away from it; NULL if there is none. */
struct mock_obj *mock_take_left(struct ib_device *ibdev)
{
	struct mock_obj *obj, *found = NULL;
	unsigned int i;

	spin_lock_irq(&mock_lock);
	for (i = 0; i < MOCK_TYPES && !found; i++) {
		list_for_each_entry(obj, &mock_objs[i], node) {
			if (obj->ibdev != ibdev)
				continue;
			obj->ibdev = NULL;
			found = obj;
			break;
		}
	}
	spin_unlock_irq(&mock_lock);
	return found;
}

/* Count what is no struct mock_obj. */
void mock_count(enum mock_type type, int change)
{
	unsigned long flags;

	spin_lock_irqsave(&mock_lock, flags);
	mock_held[type] += change;
	spin_unlock_irqrestore(&mock_lock, flags);
}

void mock_device_add(struct mock_device *dev)
{
	spin_lock_irq(&mock_lock);
	mock_device_set_disassociate(dev);
	list_add_tail(&dev->node, &mock_devices);
	spin_unlock_irq(&mock_lock);
}

void mock_device_del(struct mock_device *dev)
{
	spin_lock_irq(&mock_lock);
	list_del(&dev->node);
	spin_unlock_irq(&mock_lock);
}

/* --- Callbacks --- */

static void mock_raise_comp(void)
{
	struct mock_cq *cq;

	lockdep_assert_held(&mock_lock);
	list_for_each_entry(cq, &mock_objs[MOCK_OBJ_cq], obj.node) {
		if (!cq->ib.comp_handler)
			continue;
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
		mock_callbacks++;
	}
}

/* ib_core has the handler of an XRC_TGT, which needs the device. */
static bool mock_qp_calls_back(const struct mock_qp *qp)
{
	return qp->ib.event_handler &&
	       (qp->obj.ibdev || qp->ib.qp_type != IB_QPT_XRC_TGT);
}

static void mock_raise_async(void)
{
	struct ib_event event = {};
	struct mock_srq *srq;
	struct mock_cq *cq;
	struct mock_qp *qp;

	lockdep_assert_held(&mock_lock);
	list_for_each_entry(cq, &mock_objs[MOCK_OBJ_cq], obj.node) {
		if (!cq->ib.event_handler)
			continue;
		event.device = cq->obj.ibdev;
		event.element.cq = &cq->ib;
		event.event = IB_EVENT_CQ_ERR;
		cq->ib.event_handler(&event, cq->ib.cq_context);
		mock_callbacks++;
	}
	list_for_each_entry(qp, &mock_objs[MOCK_OBJ_qp], obj.node) {
		if (!mock_qp_calls_back(qp))
			continue;
		event.device = qp->obj.ibdev;
		event.element.qp = &qp->ib;
		event.event = IB_EVENT_QP_FATAL;
		qp->ib.event_handler(&event, qp->ib.qp_context);
		mock_callbacks++;
	}
	list_for_each_entry(srq, &mock_objs[MOCK_OBJ_srq], obj.node) {
		if (!srq->ib.event_handler)
			continue;
		event.device = srq->obj.ibdev;
		event.element.srq = &srq->ib;
		event.event = IB_EVENT_SRQ_LIMIT_REACHED;
		srq->ib.event_handler(&event, srq->ib.srq_context);
		mock_callbacks++;
	}
}

static void mock_raise_device(enum ib_event_type code)
{
	struct ib_event event = { .event = code };
	struct mock_device *dev;

	lockdep_assert_held(&mock_lock);
	list_for_each_entry(dev, &mock_devices, node) {
		event.device = &dev->ib;
		event.element.port_num = 1;
		ib_dispatch_event(&event);
		mock_callbacks++;
	}
}

static enum hrtimer_restart mock_tick(struct hrtimer *timer)
{
	unsigned long flags;
	u64 period;

	spin_lock_irqsave(&mock_lock, flags);
	mock_raise_comp();
	mock_raise_async();
	period = mock_period;
	spin_unlock_irqrestore(&mock_lock, flags);
	if (!period)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ms_to_ktime(period));
	return HRTIMER_RESTART;
}

static int mock_late_thread(void *arg)
{
	struct ib_event event = { .element.cq = &mock_dead_cq };
	struct mock_late *late = arg;

	rcu_read_lock();
	complete(late->begun);
	mdelay(late->ms);
	event.event = late->code;
	local_irq_disable();
	if (late->comp)
		late->comp(&mock_dead_cq, late->context);
	if (late->event)
		late->event(&event, late->context);
	local_irq_enable();
	rcu_read_unlock();
	kfree(late);

	spin_lock_irq(&mock_lock);
	mock_callbacks++;
	mock_late_pending--;
	spin_unlock_irq(&mock_lock);
	module_put_and_kthread_exit(0);
}

/*
 * Leave a callback behind if the rule of @verb says so. Like a driver whose
 * tasklet still runs when it returns from destroying an object.
 */
static void mock_late_call(enum mock_verb verb, const struct mock_late *call)
{
	DECLARE_COMPLETION_ONSTACK(begun);
	struct mock_late *late;
	struct task_struct *task;
	u32 ms = READ_ONCE(mock_states[verb].rule.late);

	if (!ms || !call->context)
		return;
	late = kmemdup(call, sizeof(*call), GFP_KERNEL);
	if (!late)
		return;
	late->begun = &begun;
	late->ms = ms;
	__module_get(THIS_MODULE);
	spin_lock_irq(&mock_lock);
	mock_late_pending++;
	spin_unlock_irq(&mock_lock);
	task = kthread_run(mock_late_thread, late, "hyv_mock_late");
	if (!IS_ERR(task)) {
		wait_for_completion(&begun);
		return;
	}
	module_put(THIS_MODULE);
	kfree(late);
	spin_lock_irq(&mock_lock);
	mock_late_pending--;
	spin_unlock_irq(&mock_lock);
}

void mock_late_cq(const struct ib_cq *cq)
{
	struct mock_late call = {
		.comp = cq->comp_handler,
		.event = cq->event_handler,
		.context = cq->cq_context,
		.code = IB_EVENT_CQ_ERR,
	};

	mock_late_call(MOCK_CALL_destroy_cq, &call);
}

void mock_late_event(enum mock_verb verb,
		     void (*handler)(struct ib_event *event, void *context),
		     void *context, enum ib_event_type event)
{
	struct mock_late call = {
		.event = handler,
		.context = context,
		.code = event,
	};

	mock_late_call(verb, &call);
}

/* --- Files --- */

static void mock_rules_clear(void)
{
	unsigned int i;

	lockdep_assert_held(&mock_lock);
	for (i = 0; i < MOCK_VERBS; i++) {
		mock_states[i].rule = (struct mock_rule){};
		mock_states[i].seen = 0;
	}
	mock_rules_made++;
}

static int mock_rule_set(struct mock_rule *rule, char *word)
{
	const struct {
		const char *name;
		u32 *value;
	} keys[] = {
		{ "error", &rule->error },
		{ "first", &rule->first },
		{ "calls", &rule->calls },
		{ "sleep", &rule->sleep },
		{ "late", &rule->late },
		{ "lose", &rule->lose },
	};
	char *name = strsep(&word, "=");
	unsigned int i;

	if (!word)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(name, keys[i].name))
			return kstrtou32(word, 0, keys[i].value);
	return -EINVAL;
}

static int mock_rule_parse(char *text)
{
	struct mock_rule rule = { .first = 1 };
	char *word = strsep(&text, " ");
	int verb, ret;

	if (!strcmp(word, "clear")) {
		spin_lock_irq(&mock_lock);
		mock_rules_clear();
		spin_unlock_irq(&mock_lock);
		wake_up_all(&mock_wait);
		return 0;
	}
	verb = match_string(mock_verb_names, MOCK_VERBS, word);
	if (verb < 0)
		return verb;
	while ((word = strsep(&text, " "))) {
		ret = mock_rule_set(&rule, word);
		if (ret)
			return ret;
	}
	if (!rule.first || rule.error > MAX_ERRNO)
		return -EINVAL;
	spin_lock_irq(&mock_lock);
	mock_states[verb].rule = rule;
	mock_states[verb].seen = 0;
	spin_unlock_irq(&mock_lock);
	return 0;
}

static int mock_raise_parse(char *text)
{
	int ret = 0;

	spin_lock_irq(&mock_lock);
	if (!strcmp(text, "comp"))
		mock_raise_comp();
	else if (!strcmp(text, "async"))
		mock_raise_async();
	else if (!strcmp(text, "port"))
		mock_raise_device(IB_EVENT_PORT_ACTIVE);
	else if (!strcmp(text, "fatal"))
		mock_raise_device(IB_EVENT_DEVICE_FATAL);
	else
		ret = -EINVAL;
	spin_unlock_irq(&mock_lock);
	return ret;
}

static ssize_t mock_write(const char __user *buf, size_t len,
			  int (*parse)(char *text))
{
	char *text;
	int ret;

	if (len > PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(buf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = parse(strim(text));
	kfree(text);
	return ret ?: len;
}

static ssize_t mock_rules_write(struct file *file, const char __user *buf,
				size_t len, loff_t *pos)
{
	return mock_write(buf, len, mock_rule_parse);
}

static const struct file_operations mock_rules_fops = {
	.owner = THIS_MODULE,
	.write = mock_rules_write,
};

static ssize_t mock_raise_write(struct file *file, const char __user *buf,
				size_t len, loff_t *pos)
{
	return mock_write(buf, len, mock_raise_parse);
}

static const struct file_operations mock_raise_fops = {
	.owner = THIS_MODULE,
	.write = mock_raise_write,
};

static int mock_counters_show(struct seq_file *s, void *unused)
{
	unsigned int i, devices = 0;
	struct mock_device *dev;

	spin_lock_irq(&mock_lock);
	for (i = 0; i < MOCK_VERBS; i++)
		seq_printf(s, "calls.%s %llu\nfailed.%s %llu\nrunning.%s %u\n",
			   mock_verb_names[i], mock_states[i].calls,
			   mock_verb_names[i], mock_states[i].failed,
			   mock_verb_names[i], mock_states[i].running);
	for (i = 0; i < MOCK_TYPES; i++)
		seq_printf(s, "held.%s %lld\nrefused.%s %lld\n",
			   mock_type_names[i], mock_held[i],
			   mock_type_names[i], mock_refused[i]);
	list_for_each_entry(dev, &mock_devices, node)
		devices++;
	seq_printf(s, "callbacks %llu\nlate %u\ndevices %u\nviolations %llu\n",
		   mock_callbacks, mock_late_pending, devices, mock_violations);
	spin_unlock_irq(&mock_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mock_counters);

static int mock_period_get(void *data, u64 *value)
{
	*value = READ_ONCE(mock_period);
	return 0;
}

static int mock_period_set(void *data, u64 value)
{
	hrtimer_cancel(&mock_timer);
	WRITE_ONCE(mock_period, value);
	if (value)
		hrtimer_start(&mock_timer, ms_to_ktime(value),
			      HRTIMER_MODE_REL);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(mock_period_fops, mock_period_get, mock_period_set,
			 "%llu\n");

/* The operation of existing devices changes, too. */
static int mock_disassociate_set(void *data, u64 value)
{
	struct mock_device *dev;

	spin_lock_irq(&mock_lock);
	mock_disassociate = value;
	list_for_each_entry(dev, &mock_devices, node)
		mock_device_set_disassociate(dev);
	spin_unlock_irq(&mock_lock);
	return 0;
}

static int mock_disassociate_get(void *data, u64 *value)
{
	*value = READ_ONCE(mock_disassociate);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(mock_disassociate_fops, mock_disassociate_get,
			 mock_disassociate_set, "%llu\n");

int mock_control_init(void)
{
	unsigned int i;

	for (i = 0; i < MOCK_TYPES; i++)
		INIT_LIST_HEAD(&mock_objs[i]);
	hrtimer_setup(&mock_timer, mock_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);

	mock_dir = debugfs_create_dir("hyv_mock", NULL);
	if (IS_ERR(mock_dir))
		return PTR_ERR(mock_dir);
	debugfs_create_file("rules", 0200, mock_dir, NULL, &mock_rules_fops);
	debugfs_create_file("counters", 0400, mock_dir, NULL,
			    &mock_counters_fops);
	debugfs_create_file("raise", 0200, mock_dir, NULL, &mock_raise_fops);
	debugfs_create_file_unsafe("period", 0600, mock_dir, NULL,
				   &mock_period_fops);
	debugfs_create_file_unsafe("disassociate", 0600, mock_dir, NULL,
				   &mock_disassociate_fops);
	debugfs_create_bool("rereg_new", 0600, mock_dir, &mock_rereg);
	debugfs_create_bool("rereg_moves", 0600, mock_dir, &mock_moves);
	debugfs_create_u32("page_kind", 0600, mock_dir, &mock_kind);
	return 0;
}

/* No device and no thread is left. */
void mock_control_exit(void)
{
	debugfs_remove(mock_dir);
	hrtimer_cancel(&mock_timer);
}
