// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMM: everything that QEMU does for a device, between /dev/hyv-loopback
 * and /dev/hyv.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_config.h>

#include <hyv/commands.h>

#include "driver.h"
#include "failnth.h"
#include "harness.h"
#include "vmm.h"
#include "vnic.h"
#include "vq.h"

/* More than the guest sends to the smallest queue of a test. */
#define VMM_WORKERS    6
#define VMM_FLOODERS   2
#define VMM_QUEUE_SIZE 64
#define VMM_EVQ_SIZE   16
/* Guest-physical address of memory that only the VMM has. */
#define VMM_OWN_GPA (1ULL << 45)
#define VMM_QUEUES  (HYV_VQ_EVENT0 + DT_EVENT_QUEUES)

struct vmm_ctl *vmm;

/* The VMM's own; threads of one process use it. */
static struct {
	struct vnic vnic;
	int loop;
	uint8_t *ram;
	uint64_t ram_size;
	uint8_t *own; /* memory at VMM_OWN_GPA */
	int kick[VMM_QUEUES];
	int config_fd, error_fd;
	bool old_replies;

	pthread_mutex_t lock; /* protects the fields below */
	bool running;
	struct vq control;
	struct vq event[DT_EVENT_QUEUES]; /* the guest's */
	struct evq evq[DT_EVENT_QUEUES];  /* the host's */
} m;

static void vmm_lock(void)
{
	pthread_mutex_lock(&m.lock);
}

static void vmm_unlock(void)
{
	pthread_mutex_unlock(&m.lock);
}

static void vmm_ioctl(unsigned long cmd, void *arg, const char *name)
{
	REQUIRE(!ioctl(m.loop, cmd, arg), "%s (%s)", name, strerror(errno));
}

static void vmm_interrupt(uint32_t queue)
{
	vmm_ioctl(LOOP_INTERRUPT, (void *)(uintptr_t)queue, "LOOP_INTERRUPT");
}

/* --- Requests --- */

static bool vmm_reply_instead(uint16_t opcode, struct hyv_rsp *rsp)
{
	unsigned int times = vmm->fail_times;

	if (!times || opcode != vmm->fail_opcode)
		return false;
	vmm->fail_times = times - 1;
	rsp->status = htole32(vmm->fail_status);
	return true;
}

static uint32_t vmm_lose_reply(uint16_t opcode, struct hyv_rsp *rsp,
			       uint32_t len)
{
	unsigned int lost = opcode;

	if (!atomic_compare_exchange_strong(&vmm->lose_opcode, &lost, 0))
		return len;
	memset(rsp, 0, sizeof(*rsp));
	rsp->status = htole32(HYV_S_EIO);
	rsp->fixed_len = htole16(sizeof(*rsp));
	rsp->size = htole32(sizeof(*rsp));
	return sizeof(*rsp);
}

static uint32_t vmm_garble(struct hyv_rsp *rsp, uint32_t len, uint32_t room)
{
	static __thread struct dt_rng rng;
	uint32_t kinds = vmm->garble, first = sizeof(*rsp), n;

	if (!rng.state)
		rng.state = vmm->seed + (uintptr_t)&rng;
	if (!kinds || dt_below(&rng, 2))
		return len;
	vmm->garbled++;
	if (kinds & VMM_GARBLE_HEADER)
		first = 0;
	if (kinds & VMM_GARBLE_BYTES && len > first)
		for (n = 1 + dt_below(&rng, 8); n--;)
			((uint8_t *)rsp)[first + dt_below(&rng, len - first)] =
				dt_random(&rng);
	if (kinds & VMM_GARBLE_STATUS && !dt_below(&rng, 4))
		rsp->status = htole32(dt_below(&rng, 140));
	if (kinds & VMM_GARBLE_LENGTH && !dt_below(&rng, 2))
		len = dt_below(&rng, 3) ? dt_below(&rng, room + 1)
					: (uint32_t)dt_random(&rng);
	return len;
}

/* Length of a reply's fixed part in the first version. */
static uint32_t vmm_min_reply(uint16_t opcode)
{
#define VMM_MIN_REPLY(NAME, name, req, req_min, rsp, rsp_min, ...) \
	case HYV_CMD_##NAME:                                       \
		return rsp_min;
	switch (opcode) {
		HYV_FOR_EACH_COMMAND(VMM_MIN_REPLY)
	}
#undef VMM_MIN_REPLY
	return sizeof(struct hyv_rsp);
}

/* Cut a reply, whose provider data follows the fixed part. */
static uint32_t vmm_shorten(uint16_t opcode, struct hyv_rsp *rsp, uint32_t len)
{
	uint32_t fixed = le16toh(rsp->fixed_len), min = vmm_min_reply(opcode);
	uint8_t *bytes = (uint8_t *)rsp;

	if (!m.old_replies || rsp->status || fixed <= min || fixed > len)
		return len;
	memmove(bytes + min, bytes + fixed, len - fixed);
	len -= fixed - min;
	rsp->fixed_len = htole16(min);
	rsp->size = htole32(len);
	return len;
}

static void vmm_be_slow(const struct vq_chain *chain, uint16_t opcode)
{
	const struct hyv_destroy_req *req = (void *)chain->in;
	uint64_t end;

	if (!vmm->slow_ms || opcode != vmm->slow_opcode)
		return;
	if (vmm->slow_type && (chain->in_len < sizeof(*req) ||
			       le32toh(req->type) != vmm->slow_type))
		return;
	end = dt_now_ms() + vmm->slow_ms;
	while (dt_now_ms() < end && vmm->slow_ms &&
	       opcode == vmm->slow_opcode && m.running)
		dt_sleep_us(1000);
}

/* Returns the length of the reply, in which @room bytes may be used. */
static uint32_t vmm_execute(struct vq_chain *chain, struct hyv_rsp *rsp,
			    uint32_t room)
{
	const struct hyv_req *req = (void *)chain->in;
	uint16_t opcode = le16toh(req->opcode);
	uint32_t len = 0;
	int ret;

	if (chain->in_len < sizeof(*req) || room < sizeof(*rsp))
		return 0;
	vmm->commands[opcode % VMM_OPCODES]++;
	memset(rsp, 0, sizeof(*rsp));
	rsp->fixed_len = htole16(sizeof(*rsp));
	rsp->size = htole32(sizeof(*rsp));
	if (vmm_reply_instead(opcode, rsp))
		return sizeof(*rsp);
	vmm_be_slow(chain, opcode);
	failnth_set(atomic_exchange(&vmm->host_fault, 0));
	ret = vnic_exec_raw(&m.vnic, chain->in, chain->in_len, rsp, room, &len);
	if (failnth_injected()) {
		vmm->host_faults++;
		/* A VMM cannot know whether the command was executed. */
		vmm->reply_lost = ret == -EFAULT;
	}
	if (ret) {
		rsp->status = htole32(ret == -ENOMEM   ? HYV_S_ENOMEM
				      : ret == -ENODEV ? HYV_S_ENODEV
						       : HYV_S_EIO);
		len = sizeof(*rsp);
	}
	len = vmm_lose_reply(opcode, rsp, len);
	len = vmm_shorten(opcode, rsp, len);
	return vmm_garble(rsp, len, room);
}

static bool vmm_take(struct vq_chain *chain)
{
	bool took;

	vmm_lock();
	took = m.running && !vmm->dead && vq_pop(&m.control, chain);
	if (took)
		vmm->busy++;
	vmm_unlock();
	return took;
}

static void vmm_return(struct vq_chain *chain, const void *rsp, uint32_t len)
{
	vmm_lock();
	if (m.running) {
		vq_write(chain, rsp, len);
		vq_push(&m.control, chain->head, len);
		vmm_interrupt(HYV_VQ_CONTROL);
	}
	vmm->busy--;
	vmm_unlock();
}

static void *vmm_worker(void *arg)
{
	struct vq_chain *chain = malloc(sizeof(*chain));
	uint32_t room = HYV_MAX_RSP_SIZE, len;
	struct hyv_rsp *rsp = malloc(room);
	struct pollfd pfd = {
		.fd = m.kick[HYV_VQ_CONTROL],
		.events = POLLIN,
	};
	eventfd_t count;

	(void)arg;
	REQUIRE(chain && rsp, "malloc");
	failnth_init();
	for (;;) {
		if (!vmm_take(chain)) {
			poll(&pfd, 1, 5);
			eventfd_read(pfd.fd, &count);
			continue;
		}
		len = vmm_execute(chain, rsp,
				  chain->room < room ? chain->room : room);
		vmm_return(chain, rsp, len);
	}
	return NULL;
}

/* --- Events --- */

/* The caller holds the lock. Returns false if the guest has no buffer. */
static bool vmm_deliver(uint32_t queue, const struct hyv_event *event)
{
	static struct vq_chain chain;
	uint32_t len = sizeof(*event);

	if (!m.running || !vq_pop(&m.event[queue], &chain))
		return false;
	if (vmm->garble & VMM_GARBLE_LENGTH && !(vmm->events % 4))
		len = vmm->events % 40;
	vq_write(&chain, event, sizeof(*event));
	vq_push(&m.event[queue], chain.head, len);
	vmm_interrupt(HYV_VQ_EVENT0 + queue);
	vmm->events++;
	return true;
}

/*
 * One of two: while the interrupt of one takes events, the other one adds more.
 */
static void *vmm_flood(void *arg)
{
	const struct hyv_event event = {.type = htole16(UINT16_MAX)};
	struct vq_chain *chain = malloc(sizeof(*chain));
	bool any;

	(void)arg;
	REQUIRE(chain, "malloc");
	for (;;) {
		if (!vmm->flood)
			dt_sleep_us(10000);
		any = false;
		vmm_lock();
		while (vmm->flood && m.running && vq_pop(&m.event[0], chain)) {
			vq_write(chain, &event, sizeof(event));
			vq_push(&m.event[0], chain->head, sizeof(event));
			vmm->events++;
			any = true;
		}
		vmm_unlock();
		/* Not under the lock; the queue may have gone. */
		if (any)
			ioctl(m.loop, LOOP_INTERRUPT, HYV_VQ_EVENT0);
	}
	return NULL;
}

/* Move what the host has delivered to the guest's buffers. */
static void vmm_relay(uint32_t queue)
{
	struct evq *evq = &m.evq[queue];
	struct hyv_event event;
	uint32_t id;
	int i;

	vmm_lock();
	while (m.running && evq_take(evq, &event, &id)) {
		evq_post(evq, id);
		for (i = 0; i < 1000 && !vmm_deliver(queue, &event); i++) {
			vmm_unlock();
			dt_sleep_us(1000);
			vmm_lock();
		}
	}
	vmm_unlock();
}

static void vmm_config(uint32_t status)
{
	struct loop_config arg = {.status = status};

	memcpy(arg.config, &m.vnic.config, sizeof(arg.config));
	vmm_ioctl(LOOP_CONFIG, &arg, "LOOP_CONFIG");
}

static void vmm_config_changed(void)
{
	struct hyv_config old = m.vnic.config;

	vnic_get_config(&m.vnic);
	old.status = m.vnic.config.status;
	m.vnic.config = old;
	vmm_config(0);
}

static void *vmm_events(void *arg)
{
	struct pollfd pfd[] = {
		{.fd = m.evq[0].call_fd, .events = POLLIN},
		{.fd = m.evq[1].call_fd, .events = POLLIN},
		{.fd = m.config_fd, .events = POLLIN},
		{.fd = m.error_fd, .events = POLLIN},
	};
	eventfd_t count;
	size_t i;

	(void)arg;
	for (;;) {
		poll(pfd, ARRAY_SIZE(pfd), -1);
		for (i = 0; i < ARRAY_SIZE(pfd); i++)
			if (pfd[i].revents)
				eventfd_read(pfd[i].fd, &count);
		if (pfd[2].revents)
			vmm_config_changed();
		if (pfd[3].revents)
			vmm_config(VIRTIO_CONFIG_S_NEEDS_RESET);
		for (i = 0; i < DT_EVENT_QUEUES; i++)
			vmm_relay(i);
	}
	return NULL;
}

/* --- Status --- */

static void vmm_event_queue_start(uint32_t i)
{
	struct evq *q = &m.evq[i];
	uint8_t *page = m.own + i * 3 * DT_PAGE;

	memset(page, 0, 3 * DT_PAGE);
	q->index = i;
	q->num = VMM_EVQ_SIZE;
	q->event_idx = true;
	q->desc = (void *)page;
	q->avail = (void *)(page + 2048);
	q->used = (void *)(page + DT_PAGE);
	q->event = (void *)(page + 2 * DT_PAGE);
	q->event_gpa = VMM_OWN_GPA + (i * 3 + 2) * DT_PAGE;
	q->last_used = 0;
	evq_post_all(q);
	REQUIRE_EQ(evq_start(q, &m.vnic, 0), 0, "HYV_SET_EVENT_QUEUE");
}

static void vmm_queue(uint32_t index, struct vq *q)
{
	struct loop_queue where = {.index = index};

	vmm_ioctl(LOOP_QUEUE, &where, "LOOP_QUEUE");
	REQUIRE(where.num, "queue %u is in use", index);
	vq_init(q, m.ram, m.ram_size, &where);
}

static void vmm_driver_ok(void)
{
	struct hyv_set_doorbell arg = {
		.size = sizeof(arg),
		.kick_fd = m.kick[HYV_VQ_DOORBELL],
		.poll_us = 50,
	};
	uint32_t i;

	if (vmm->unable) {
		vmm_config(VIRTIO_CONFIG_S_NEEDS_RESET);
		return;
	}
	vmm_queue(HYV_VQ_CONTROL, &m.control);
	for (i = 0; i < DT_EVENT_QUEUES; i++) {
		vmm_queue(HYV_VQ_EVENT0 + i, &m.event[i]);
		vmm_event_queue_start(i);
	}
	REQUIRE_EQ(hyv_ioctl(m.vnic.fd, HYV_SET_DOORBELL, &arg), 0,
		   "HYV_SET_DOORBELL");
	vmm_lock();
	m.running = true;
	vmm_unlock();
}

static void vmm_reset(void)
{
	vmm->resetting = true;
	while (vmm->hold_reset)
		dt_sleep_us(1000);
	vmm_lock();
	m.running = false;
	vmm_unlock();
	REQUIRE_EQ(vnic_reset(&m.vnic), 0, "HYV_RESET");
	while (vmm->busy)
		dt_sleep_us(1000);
	vmm->resetting = false;
}

/* The calls of the device's driver. */
static void *vmm_calls(void *arg)
{
	struct loop_call call;
	int ret;

	(void)arg;
	for (;;) {
		vmm_ioctl(LOOP_NEXT, &call, "LOOP_NEXT");
		ret = 0;
		if (call.type == LOOP_CALL_FEATURES)
			ret = vnic_set_features(&m.vnic, call.arg);
		else if (call.type == LOOP_CALL_DRIVER_OK)
			vmm_driver_ok();
		else
			vmm_reset();
		vmm_ioctl(LOOP_DONE, (void *)(uintptr_t)-ret, "LOOP_DONE");
	}
	return NULL;
}

/* --- Set-up --- */

static void vmm_memory(void)
{
	struct hyv_mem_region region[2];
	__u64 end;
	int fd;

	vmm_ioctl(LOOP_RAM, &end, "LOOP_RAM");
	m.ram_size = end;
	m.ram = mmap(NULL, m.ram_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		     m.loop, 0);
	REQUIRE(m.ram != MAP_FAILED, "mmap of guest memory");
	fd = memfd_create("vmm", MFD_CLOEXEC);
	REQUIRE(fd >= 0 && !ftruncate(fd, 3 * DT_EVENT_QUEUES * DT_PAGE),
		"memfd");
	m.own = mmap(NULL, 3 * DT_EVENT_QUEUES * DT_PAGE,
		     PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(m.own != MAP_FAILED, "mmap of a memfd");
	region[0] = (struct hyv_mem_region){
		.length = m.ram_size,
		.addr = (uintptr_t)m.ram,
	};
	region[1] = (struct hyv_mem_region){
		.gpa = VMM_OWN_GPA,
		.length = 3 * DT_EVENT_QUEUES * DT_PAGE,
		.addr = (uintptr_t)m.own,
	};
	REQUIRE_EQ(vnic_set_mem(&m.vnic, region, 2), 0, "HYV_SET_MEM");
}

static void vmm_window(void)
{
	struct hyv_set_window arg = {
		.size = sizeof(arg),
		.length = DT_WINDOW,
	};
	void *window;

	REQUIRE_EQ(hyv_ioctl(m.vnic.fd, HYV_SET_WINDOW, &arg), 0,
		   "HYV_SET_WINDOW");
	window = mmap(NULL, DT_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED,
		      m.vnic.fd, 0);
	REQUIRE(window != MAP_FAILED, "mmap of the window");
}

static int vmm_eventfd(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	REQUIRE(fd >= 0, "eventfd");
	return fd;
}

static void vmm_fds(void)
{
	struct loop_kick arg;
	uint32_t i;

	for (i = 0; i < VMM_QUEUES; i++) {
		m.kick[i] = vmm_eventfd();
		arg.index = i;
		arg.fd = m.kick[i];
		vmm_ioctl(LOOP_KICK, &arg, "LOOP_KICK");
	}
	for (i = 0; i < DT_EVENT_QUEUES; i++) {
		m.evq[i].call_fd = vmm_eventfd();
		m.evq[i].kick_fd = vmm_eventfd();
	}
	m.config_fd = vmm_eventfd();
	m.error_fd = vmm_eventfd();
	REQUIRE_EQ(vnic_set_notify(&m.vnic, m.config_fd, m.error_fd), 0,
		   "HYV_SET_NOTIFY");
}

static void vmm_thread(void *(*fn)(void *))
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, fn, NULL), "pthread_create");
}

static void vmm_obey(void)
{
	switch (vmm->order) {
	case VMM_EVENT:
		vmm_lock();
		vmm_deliver(vmm->arg, &vmm->event);
		vmm_unlock();
		break;
	case VMM_NEEDS_RESET:
		vmm_config(VIRTIO_CONFIG_S_NEEDS_RESET);
		break;
	case VMM_HCA_GONE:
		m.vnic.config.status = 0;
		vmm_config(0);
		break;
	case VMM_INTERRUPT:
		vmm_interrupt(vmm->arg);
		break;
	case VMM_BAD_USED:
		vmm_lock();
		vq_push(&m.control, vmm->arg, 0);
		vmm_interrupt(HYV_VQ_CONTROL);
		vmm_unlock();
		break;
	default:
		return;
	}
	vmm->order = VMM_NONE;
}

static void vmm_main(const struct vmm_options *options)
{
	struct loop_start arg = {
		.nr_queues = VMM_QUEUES,
		.queue_size = options->queue_size ? options->queue_size
						  : VMM_QUEUE_SIZE,
		.window = DT_WINDOW,
	};
	struct hyv_config *config = &m.vnic.config;
	int i;

	pthread_mutex_init(&m.lock, NULL);
	m.loop = open("/dev/hyv-loopback", O_RDWR | O_CLOEXEC);
	REQUIRE(m.loop >= 0, "/dev/hyv-loopback opens (%s)", strerror(errno));
	vnic_attach(&m.vnic, NULL);
	if (options->mac)
		REQUIRE_EQ(vnic_set_addressing(&m.vnic, HYV_ADDRESSING_GUEST,
					       NULL, 0),
			   0, "HYV_SET_ADDRESSING");
	vmm_window();
	vmm_memory();
	vmm_fds();
	vnic_get_config(&m.vnic);
	if (options->mac)
		memcpy(config->mac, options->mac, sizeof(config->mac));
	if (options->max_request)
		config->max_request = htole32(options->max_request);
	m.old_replies = options->old_replies;
	if (options->driver_id)
		config->driver_id = htole32(options->driver_id);

	vmm_thread(vmm_calls);
	vmm_thread(vmm_events);
	for (i = 0; i < VMM_FLOODERS; i++)
		vmm_thread(vmm_flood);
	for (i = 0; i < VMM_WORKERS; i++)
		vmm_thread(vmm_worker);
	arg.features = vnic_features(&m.vnic) |
		       1ULL << VIRTIO_RING_F_INDIRECT_DESC |
		       1ULL << VIRTIO_RING_F_EVENT_IDX;
	arg.features &= ~options->features_off;
	memcpy(arg.config, config, sizeof(arg.config));
	vmm_ioctl(LOOP_START, &arg, "LOOP_START");
	vmm->index = arg.out_index;
	vmm->state = 1;
	for (;;) {
		vmm_obey();
		dt_sleep_us(500);
	}
}

/* --- For tests --- */

/* Start a VMM, and do not wait until the driver has its device. */
void vmm_start_only(const struct vmm_options *options)
{
	pid_t pid;

	if (!vmm) {
		vmm = mmap(NULL, sizeof(*vmm), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		REQUIRE(vmm != MAP_FAILED, "mmap");
	}
	memset(vmm, 0, sizeof(*vmm));
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		vmm_main(options);
	}
	vmm->pid = pid;
}

/* The driver has the device, or the VMM has failed. */
static bool vmm_has_state(void)
{
	if (!vmm->state && waitpid(vmm->pid, NULL, WNOHANG) == vmm->pid)
		vmm->state = -1;
	return vmm->state;
}

bool vmm_wait_ready(void)
{
	return dt_until(vmm_has_state()) && vmm->state == 1;
}

void vmm_start(const struct vmm_options *options)
{
	vmm_start_only(options);
	REQUIRE(vmm_wait_ready(), "the VMM starts");
}

/* Kill the VMM, which unplugs its device by surprise, and wait for its end. */
void vmm_kill(void)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
}

void vmm_do(enum vmm_order order, uint32_t arg)
{
	vmm->arg = arg;
	vmm->order = order;
	REQUIRE(dt_until_every(100, vmm->order == VMM_NONE), "the VMM obeys");
}

/* Deliver an event that the host has not raised. */
void vmm_event(uint32_t queue, uint16_t type, uint16_t code, uint32_t handle,
	       uint32_t count)
{
	vmm->event = (struct hyv_event){
		.type = htole16(type),
		.code = htole16(code),
		.handle = htole32(handle),
		.count = htole32(count),
	};
	vmm_do(VMM_EVENT, queue);
}

/* End all misbehaviour. */
void vmm_behave(void)
{
	vmm->dead = false;
	vmm->unable = false;
	vmm->slow_ms = 0;
	vmm->slow_type = 0;
	vmm->fail_times = 0;
	vmm->hold_reset = false;
	vmm->host_fault = 0;
	vmm->garble = 0;
	vmm->flood = false;
}
