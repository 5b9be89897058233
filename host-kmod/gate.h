/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate between requests of a vNIC and its teardown. Requests enter and
 * leave. A teardown closes the gate, and begins when the last request has left.
 * No kernel thread waits for that: the last one to leave starts it.
 */
#ifndef HYVH_GATE_H
#define HYVH_GATE_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct hyvh_gate {
	spinlock_t lock;	/* protects the others */
	unsigned int users;	/* requests that are inside */
	unsigned long todo;	/* bits of teardowns that have not begun */
	unsigned long doing;	/* bits of the teardown that runs */
	/* Read at any time: requests that take long are to give up. */
	bool cancel;
	wait_queue_head_t wait;	/* woken when a teardown has ended */
};

void hyvh_gate_init(struct hyvh_gate *gate);
int hyvh_gate_enter(struct hyvh_gate *gate);
bool hyvh_gate_leave(struct hyvh_gate *gate);
bool hyvh_gate_in_use(struct hyvh_gate *gate);

bool hyvh_gate_close(struct hyvh_gate *gate, unsigned long what);
unsigned long hyvh_gate_begin(struct hyvh_gate *gate);
void hyvh_gate_end(struct hyvh_gate *gate);
bool hyvh_gate_ended(struct hyvh_gate *gate, unsigned long what);

#endif /* HYVH_GATE_H */
