// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate between requests of a vNIC and its teardown.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "gate.h"

void hyvh_gate_init(struct hyvh_gate *gate)
{
	spin_lock_init(&gate->lock);
	gate->users = 0;
	gate->todo = 0;
	gate->doing = 0;
	gate->cancel = false;
	init_waitqueue_head(&gate->wait);
}

static bool hyvh_gate_try_enter(struct hyvh_gate *gate)
{
	bool open;

	spin_lock(&gate->lock);
	open = !gate->todo && !gate->doing;
	if (open)
		gate->users++;
	spin_unlock(&gate->lock);
	return open;
}

/*
 * Enter, when the teardowns that were asked for so far have ended. Returns 0, or
 * -EINTR if a fatal signal is pending. Process context. May sleep.
 */
int hyvh_gate_enter(struct hyvh_gate *gate)
{
	return wait_event_killable(gate->wait, hyvh_gate_try_enter(gate)) ?
	       -EINTR : 0;
}

/* Undo hyvh_gate_enter(). If it returns true, the caller starts the teardown. */
bool hyvh_gate_leave(struct hyvh_gate *gate)
{
	bool ready;

	spin_lock(&gate->lock);
	ready = !--gate->users && gate->todo;
	spin_unlock(&gate->lock);
	return ready;
}

/* Check that a request is inside. */
bool hyvh_gate_in_use(struct hyvh_gate *gate)
{
	bool in_use;

	spin_lock(&gate->lock);
	in_use = gate->users;
	spin_unlock(&gate->lock);
	return in_use;
}

/*
 * Ask for a teardown, with bits that say of what. Requests inside are to give
 * up. If it returns true, the caller starts the teardown.
 */
bool hyvh_gate_close(struct hyvh_gate *gate, unsigned long what)
{
	bool ready;

	spin_lock(&gate->lock);
	gate->todo |= what;
	WRITE_ONCE(gate->cancel, true);
	ready = !gate->users;
	spin_unlock(&gate->lock);
	return ready;
}

/**
 * hyvh_gate_begin() - begin a teardown that was started
 * @gate: the gate
 *
 * One at a time. A start may be one too many: an earlier teardown has done its
 * work, or requests have entered since, the last of which makes another start.
 *
 * Return: the bits of what to do, to be followed by hyvh_gate_end(), or 0.
 */
unsigned long hyvh_gate_begin(struct hyvh_gate *gate)
{
	unsigned long what = 0;

	spin_lock(&gate->lock);
	if (!gate->users && gate->todo) {
		what = gate->todo;
		gate->doing = what;
		gate->todo = 0;
		WRITE_ONCE(gate->cancel, false);
	}
	spin_unlock(&gate->lock);
	return what;
}

void hyvh_gate_end(struct hyvh_gate *gate)
{
	spin_lock(&gate->lock);
	gate->doing = 0;
	spin_unlock(&gate->lock);
	wake_up_all(&gate->wait);
}

/* Check that the teardowns of some bits that were asked for have ended. */
bool hyvh_gate_ended(struct hyvh_gate *gate, unsigned long what)
{
	bool ended;

	spin_lock(&gate->lock);
	ended = !((gate->todo | gate->doing) & what);
	spin_unlock(&gate->lock);
	return ended;
}
