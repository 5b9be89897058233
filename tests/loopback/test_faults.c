// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation, and every copy of user memory, fails once: in each verb of
 * the guest, in the host's part of it, and while the driver starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failnth.h"
#include "harness.h"
#include "suites.h"
#include "vmm.h"

/* More calls that can fail than any verb has. */
#define FAULT_MAX 2000

static unsigned int total;

/* Which verb gets a fault, and how to find out if one came. */
struct fault_kind {
	void (*set)(unsigned int n);
	bool (*came)(void);
};

static unsigned int host_faults_before;

static void host_set(unsigned int n)
{
	host_faults_before = vmm->host_faults;
	vmm->host_fault = n;
}

static bool host_came(void)
{
	vmm->host_fault = 0;
	return vmm->host_faults != host_faults_before;
}

static const struct fault_kind in_guest = {failnth_set, failnth_injected};
static const struct fault_kind in_host = {host_set, host_came};

/*
 * A fault becomes one of these, or goes unnoticed. EAGAIN is what the RDMA
 * core's part of mmap() makes of a lack of page tables.
 */
static bool clean(int ret)
{
	return !ret || ret == -ENOMEM || ret == -EFAULT || ret == -EAGAIN;
}

/*
 * If a reply was lost, the objects of the command stay on the host until the
 * vNIC is reset.
 */
static bool reset_if_lost(struct uv *uv)
{
	if (!vmm->reply_lost)
		return false;
	vmm->reply_lost = 0;
	uv_close(uv);
	loop_stop();
	loop_start();
	return true;
}

/*
 * Run all steps, and step number @step with faults from number *@n on, until it
 * succeeds. A step that works once gets one fault. Returns false if no fault
 * was left for the last attempt.
 */
static bool fault_life(const struct fault_kind *kind, size_t step,
		       unsigned int *n)
{
	const char *name = uv_steps[step].name;
	bool came = false;
	struct uv uv;
	int ret;

	uv_open(&uv);
	ret = uv_run(&uv, 0, step);
	if (ret)
		tap_ok(false, "%s: %s before fault %u: %d", name, uv_failed(),
		       *n, ret);
	for (; !ret && *n < FAULT_MAX; ++*n) {
		kind->set(*n);
		ret = uv_steps[step].run(&uv);
		came = kind->came();
		if (reset_if_lost(&uv)) {
			total++;
			return ++*n < FAULT_MAX;
		}
		if (!clean(ret))
			tap_ok(false, "%s with fault %u: %d", name, *n, ret);
		if (!ret)
			break;
		if (!came)
			tap_ok(false, "%s without fault %u: %d", name, *n, ret);
		ret = 0;
		total++;
		if (uv_steps[step].once) {
			++*n;
			uv_close(&uv);
			return *n < FAULT_MAX;
		}
	}
	came = came && *n < FAULT_MAX;
	if (came) {
		total++;
		++*n;
	}
	ret = uv_run(&uv, step + 1, uv_nr_steps);
	if (ret)
		tap_ok(false, "%s with fault %u: then %s: %d", name, *n,
		       uv_failed(), ret);
	uv_close(&uv);
	return came;
}

static void fault_steps(const struct fault_kind *kind, unsigned int least)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < uv_nr_steps; i++) {
		n = 1;
		while (fault_life(kind, i, &n))
			;
		tap_ok(n < FAULT_MAX, "%s: %u faults", uv_steps[i].name, n - 1);
		loop_expect_idle(uv_steps[i].name);
	}
	tap_ok(total > least, "%u faults in all", total);
}

static bool faults_begin(void)
{
	if (failnth_init())
		return true;
	tap_skip("the kernel has no FAULT_INJECTION", "faults");
	return false;
}

void suite_faults(void)
{
	if (!faults_begin())
		return;
	loop_start();
	fault_steps(&in_guest, 5 * uv_nr_steps);
	loop_stop();
}

void suite_host_faults(void)
{
	if (!faults_begin())
		return;
	loop_start();
	fault_steps(&in_host, uv_nr_steps);
	loop_stop();
}

static bool bind_with_fault(unsigned int n)
{
	char name[32];
	int fd, len;
	bool done;

	len = snprintf(name, sizeof(name), "virtio%u", vmm->index);
	fd = open("/sys/bus/virtio/drivers/virtio_hyv/bind",
		  O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0, "the driver can be bound");
	failnth_set(n);
	failnth_begin();
	done = write(fd, name, len) == len;
	failnth_end();
	close(fd);
	return done;
}

void suite_probe_faults(void)
{
	unsigned int n, survived = 0;

	if (!faults_begin())
		return;
	loop_start();
	for (n = 1; n < FAULT_MAX; n++) {
		loop_driver("unbind");
		if (!bind_with_fault(n))
			continue;
		if (!failnth_injected())
			break;
		/* The driver may do without what it did not get. */
		survived++;
	}
	tap_ok(n > 1 && n < FAULT_MAX,
	       "%u faults while the driver starts, %u of them unnoticed", n - 1,
	       survived);
	loop_expect_idle("after faults");
	tap_ok(loop_works("after faults"), "every verb works afterwards");
	loop_stop();
}
