/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VMM for the loopback transport, in a process of its own, and how tests make
 * it misbehave.
 */
#ifndef LOOPBACK_VMM_H
#define LOOPBACK_VMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <hyv/wire.h>

/* Orders to the VMM; see vmm_do(). */
enum vmm_order {
	VMM_NONE,
	VMM_EVENT, /* deliver @event to queue @arg, if it has a buffer */
	VMM_NEEDS_RESET,
	VMM_HCA_GONE,  /* say so in the configuration */
	VMM_INTERRUPT, /* of virtqueue @arg */
	VMM_BAD_USED,  /* return chain @arg of the control queue */
};

#define VMM_OPCODES 1024

/* Ways to garble replies; see vmm_ctl.garble. */
#define VMM_GARBLE_BYTES  (1 << 0) /* some bytes are random */
#define VMM_GARBLE_LENGTH (1 << 1) /* used lengths, of events as well */
#define VMM_GARBLE_STATUS (1 << 2) /* a random status */
#define VMM_GARBLE_HEADER (1 << 3) /* bytes of the header, too */

/**
 * struct vmm_ctl - memory that test and VMM share
 * @pid: the VMM
 * @index: N of its device, virtioN
 * @state: 0 before the driver has the device, 1 after that, -1 on failure
 * @dead: take nothing from the control queue
 * @unable: to start: use no queue, and say that the device needs a reset
 * @slow_opcode: delay the execution of these commands
 * @slow_type: of DESTROY, only those of this type; 0 for all
 * @slow_ms: by so much; ends early if it becomes 0
 * @fail_opcode: do not execute these commands,
 * @fail_status: but return this status,
 * @fail_times: so many times
 * @lose_opcode: execute the next of these commands, but reply EIO; then 0
 * @flood: send events that the driver ignores as fast as it takes them
 * @hold_reset: do not reset the vNIC,
 * @resetting: although the driver waits for it
 * @host_fault: fault number in the next HYV_EXEC, see failnth.h; 0 for none
 * @garble: VMM_GARBLE_*
 * @seed: of random numbers
 * @busy: commands that are being executed
 * @commands: commands that were taken, by opcode modulo VMM_OPCODES
 * @host_faults: faults that came
 * @reply_lost: a fault made HYV_EXEC fail with EFAULT
 * @garbled: replies that were garbled
 * @events: events that were delivered
 * @order: what to do; VMM_NONE when it is done
 * @arg: for @order
 * @event: for @order
 */
struct vmm_ctl {
	pid_t pid;
	uint32_t index;
	atomic_int state;
	atomic_bool dead, unable;
	atomic_uint slow_opcode, slow_type, slow_ms;
	atomic_uint fail_opcode, fail_status, fail_times;
	atomic_uint lose_opcode;
	atomic_bool flood;
	atomic_bool hold_reset, resetting;
	atomic_uint host_fault;
	atomic_uint garble;
	atomic_ullong seed;
	atomic_uint busy;
	atomic_uint commands[VMM_OPCODES];
	atomic_uint host_faults, reply_lost, garbled, events;
	atomic_int order;
	uint32_t arg;
	struct hyv_event event;
};

/**
 * struct vmm_options - how a VMM sets its device up
 * @mac: guest addressing, NULL for host addressing
 * @max_request: 0 for that of the host
 * @driver_id: 0 for that of the host
 * @queue_size: entries of each queue, 0 for VMM_QUEUE_SIZE
 * @features_off: bits that are not offered
 * @old_replies: reply as the first version of the protocol does
 */
struct vmm_options {
	const uint8_t *mac;
	uint32_t max_request;
	uint32_t driver_id;
	uint32_t queue_size;
	uint64_t features_off;
	bool old_replies;
};

extern struct vmm_ctl *vmm;

void vmm_start(const struct vmm_options *options);
void vmm_start_only(const struct vmm_options *options);
bool vmm_wait_ready(void);
void vmm_kill(void);
void vmm_do(enum vmm_order order, uint32_t arg);
void vmm_event(uint32_t queue, uint16_t type, uint16_t code, uint32_t handle,
	       uint32_t count);
void vmm_behave(void);

#endif /* LOOPBACK_VMM_H */
