// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells of a virtual machine: the window as its memory, and one processor
 * that stores there. KVM finds the pages while the HCA takes them away.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "harness.h"
#include "mlx5.h"

#define CODE_GPA   0x1000
#define WINDOW_GPA 0x100000
#define STORES	   20000

/*
 * In real mode, with ES:0x800 at the doorbell, as often as CX says:
 *	mov es:[0x800], ecx; pause loop; then halt
 */
static const uint8_t code[] = {
	0x66, 0x26, 0x89, 0x0e, 0x00, 0x08, /* mov %ecx, %es:0x800 */
	0xba, 0xc8, 0x00,		    /* mov $200, %dx */
	0xf3, 0x90,			    /* pause */
	0x4a,				    /* dec %dx */
	0x75, 0xfb,			    /* jnz -5 */
	0xe2, 0xf0,			    /* loop -16 */
	0xf4,				    /* hlt */
};

struct machine {
	int kvm;
	int vm;
	int vcpu;
	struct kvm_run *run;
	size_t run_size;
	uint8_t *code;
};

static void add_slot(const struct machine *m, uint32_t slot, uint64_t gpa,
		     void *at, size_t size)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = gpa,
		.memory_size = size,
		.userspace_addr = (uintptr_t)at,
	};

	REQUIRE_EQ(ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region), 0,
		   "KVM_SET_USER_MEMORY_REGION");
}

static bool machine_init(struct machine *m)
{
	m->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (m->kvm < 0)
		return false;
	m->vm = ioctl(m->kvm, KVM_CREATE_VM, 0);
	REQUIRE(m->vm >= 0, "KVM_CREATE_VM");
	ioctl(m->vm, KVM_SET_TSS_ADDR, 0xfffbd000UL);
	m->vcpu = ioctl(m->vm, KVM_CREATE_VCPU, 0);
	REQUIRE(m->vcpu >= 0, "KVM_CREATE_VCPU");
	m->run_size = ioctl(m->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	m->run = mmap(NULL, m->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      m->vcpu, 0);
	REQUIRE(m->run != MAP_FAILED, "the processor's state is mapped");
	m->code = mmap(NULL, DT_PAGE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(m->code != MAP_FAILED, "memory for code");
	memcpy(m->code, code, sizeof(code));
	add_slot(m, 0, CODE_GPA, m->code, DT_PAGE);
	return true;
}

static void machine_free(struct machine *m)
{
	munmap(m->run, m->run_size);
	close(m->vcpu);
	close(m->vm);
	close(m->kvm);
	munmap(m->code, DT_PAGE);
}

/*
 * Store @n times to the page of the window at @offset. Returns why it has
 * ended.
 */
static int machine_store(struct machine *m, uint64_t offset, uint32_t n)
{
	struct kvm_regs regs = {.rip = 0, .rcx = n, .rflags = 2};
	struct kvm_sregs sregs;
	int ret;

	REQUIRE_EQ(ioctl(m->vcpu, KVM_GET_SREGS, &sregs), 0, "KVM_GET_SREGS");
	sregs.cs.base = CODE_GPA;
	sregs.cs.selector = CODE_GPA >> 4;
	sregs.es.base = WINDOW_GPA + offset;
	sregs.es.limit = 0xffff;
	REQUIRE_EQ(ioctl(m->vcpu, KVM_SET_SREGS, &sregs), 0, "KVM_SET_SREGS");
	REQUIRE_EQ(ioctl(m->vcpu, KVM_SET_REGS, &regs), 0, "KVM_SET_REGS");
	do {
		ret = ioctl(m->vcpu, KVM_RUN, 0);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : (int)m->run->exit_reason;
}

/* Hides pages of the window all the time, as the HCA does from time to time. */
struct hider {
	struct m5 *m;
	atomic_bool end;
	atomic_bool failed;
};

static void *hide(void *arg)
{
	struct hider *hider = arg;
	struct m5 *m = hider->m;
	uint64_t at;

	while (!hider->end && !hider->failed) {
		if (m5_mmap(m->v, m->context, 1, DT_PAGE, HYV_MMAP_WRITE,
			    &at) ||
		    cmd_munmap(m->v, m->context, at))
			hider->failed = true;
	}
	return NULL;
}

void kvm_doorbells(struct vnic *v)
{
	struct hider hider = {};
	struct machine machine;
	pthread_t thread;
	struct m5 m;
	uint64_t at;
	int i, ret;

	if (!machine_init(&machine)) {
		tap_skip("no /dev/kvm", "doorbells of a VM");
		return;
	}
	add_slot(&machine, 1, WINDOW_GPA, v->window, v->window_size);
	m5_init(&m, v);
	for (i = 0; i < 10; i++) {
		ret = machine_store(&machine, m.uar[0], STORES / 10);
		if (ret != KVM_EXIT_HLT)
			break;
		dt_sleep_us(2000);
	}
	tap_is(ret, KVM_EXIT_HLT, "a VM rings doorbells that the HCA hides");
	m5_expect_write(&m, 0, 1, "after doorbells of a VM");

	/* The page that comes and goes in this test is the same each time. */
	REQUIRE_EQ(m5_mmap(v, m.context, 1, DT_PAGE, HYV_MMAP_WRITE, &at), 0,
		   "MMAP");
	REQUIRE_EQ(cmd_munmap(v, m.context, at), 0, "MUNMAP");
	hider.m = &m;
	REQUIRE_EQ(pthread_create(&thread, NULL, hide, &hider), 0, "thread");
	for (i = 0; i < 256 && ret == KVM_EXIT_HLT; i++)
		ret = machine_store(
			&machine,
			(at + i * DT_PAGE) % (v->window_size - DT_PAGE), 200);
	hider.end = true;
	pthread_join(thread, NULL);
	REQUIRE(!hider.failed, "MMAP and MUNMAP");
	tap_is(ret, KVM_EXIT_HLT, "a VM stores to pages that come and go");
	m5_destroy(&m);
	machine_free(&machine);
}
