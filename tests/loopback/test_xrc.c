// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that share an XRC domain: the commands of one do not delay another
 * one, and one that is killed leaves nothing. The end of a domain takes its
 * turn.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "suites.h"
#include "vmm.h"

/* A queue in which one process gets one credit for DESTROY. */
#define FEW_ENTRIES 16
#define FEW_CREDITS 1

/* The file that names the domain. */
static int file;

static int new_file(void)
{
	int fd = memfd_create("xrcd", MFD_CLOEXEC);

	REQUIRE(fd >= 0, "memfd_create");
	return fd;
}

static void open_device(struct uv *uv)
{
	uv_open(uv);
	REQUIRE(!uv_get_context(uv) && !uv_alloc_pd(uv), "a PD");
}

static void open_domain(struct uv *uv)
{
	open_device(uv);
	REQUIRE_EQ(uv_open_xrcd(uv, file), 0, "OPEN_XRCD");
}

static void modify_target(struct uv *uv)
{
	open_domain(uv);
	REQUIRE_EQ(uv_create_target(uv), 0, "CREATE_QP of a target");
	uv_target_init(uv);
}

/* The domain's maker does not wait for a command of another one. */
static void test_user_killed(void)
{
	struct uv maker, user;
	uint64_t took;
	pid_t pid;

	open_domain(&maker);
	pid = loop_slow_start(modify_target, &user, HYV_CMD_MODIFY_QP);
	loop_slow_kill(pid, "MODIFY_QP of a target");
	took = dt_now_ms();
	tap_is(uv_dealloc_pd(&maker), 0, "DEALLOC_PD of the domain's maker");
	took = dt_now_ms() - took;
	tap_ok(vmm->busy && took < LOOP_SLOW_MS * dt_timeout_scale() / 2,
	       "it does not wait for the other one: %llu ms",
	       (unsigned long long)took);
	vmm->slow_ms = 0;
	uv_close(&maker);
	loop_expect_idle("after a command for a target");
}

static void register_again(struct uv *uv)
{
	open_domain(uv);
	REQUIRE_EQ(uv_reg_mr(uv), 0, "REG_MR");
	uv_rereg_mr(uv);
}

/* The memory of the maker is free although its domain stays for another one. */
static void test_maker_killed(void)
{
	long before = loop_pinned();
	struct uv maker, user;
	pid_t pid;

	pid = loop_slow_start(register_again, &maker, HYV_CMD_REREG_MR);
	open_domain(&user);
	kill(pid, SIGKILL);
	vmm->slow_ms = 0;
	waitpid(pid, NULL, 0);
	tap_ok(dt_until(loop_pinned() == before),
	       "nothing of the domain's maker stays pinned");
	tap_is(mock_counter("held.mr"), started.mr, "its MR is gone");
	tap_is(mock_counter("held.xrcd"), started.xrcd + 1, "the domain stays");
	tap_is(uv_create_target(&user), 0, "and can be used");
	uv_close(&user);
	loop_expect_idle("after the end of the domain");
	tap_is(loop_pinned(), before, "nothing stays pinned");
}

static void register_beside_domain(struct uv *uv)
{
	open_device(uv);
	REQUIRE(!uv_open_xrcd(uv, -1) && !uv_create_target(uv) &&
			!uv_reg_mr(uv),
		"a domain without a file");
	uv_rereg_mr(uv);
}

/* Nobody else can have the domain, so nobody needs what is left of its maker.
 */
static void test_private_killed(void)
{
	long before = loop_pinned();
	struct uv maker;
	pid_t pid;

	pid = loop_slow_start(register_beside_domain, &maker, HYV_CMD_REREG_MR);
	loop_slow_kill(pid, "REREG_MR, with an XRC domain of its own");
	vmm->slow_ms = 0;
	loop_expect_idle("after a domain without a file");
	tap_is(loop_pinned(), before, "nothing stays pinned");
}

void suite_xrc(void)
{
	loop_start();
	file = new_file();
	test_user_killed();
	test_maker_killed();
	test_private_killed();
	close(file);
	tap_ok(loop_works("XRC"), "every verb works after that");
	loop_stop();
}

static void *destroy_pds(void *arg)
{
	struct uv uv;
	int i;

	(void)arg;
	open_device(&uv);
	for (i = 0; i < 100; i++)
		REQUIRE(!uv_dealloc_pd(&uv) && !uv_alloc_pd(&uv), "a PD");
	uv_close(&uv);
	return NULL;
}

static void *destroy_domains(void *arg)
{
	struct uv uv;
	int i;

	(void)arg;
	for (i = 0; i < 25; i++) {
		open_domain(&uv);
		REQUIRE_EQ(uv_create_target(&uv), 0, "CREATE_QP of a target");
		uv_close(&uv);
	}
	return NULL;
}

static void destroy_much(void)
{
	pthread_t thread[10];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(thread); i++)
		REQUIRE(!pthread_create(&thread[i], NULL,
					i < 4 ? destroy_domains : destroy_pds,
					NULL),
			"a thread");
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
}

/* Threads that wait for credits of two classes at once all get them. */
static void test_classes(void)
{
	bool ended;
	int status;
	pid_t pid;

	vmm->slow_opcode = HYV_CMD_DESTROY;
	vmm->slow_ms = 5;
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid) {
		destroy_much();
		_exit(0);
	}
	ended = dt_until(waitpid(pid, &status, WNOHANG) == pid);
	vmm->slow_ms = 0;
	tap_ok(ended && !status, "no thread waits forever");
	REQUIRE(ended, "nobody would get a credit any more");
	loop_expect_idle("after many ends");
}

static void register_memory(struct uv *uv)
{
	open_device(uv);
	REQUIRE_EQ(uv_reg_mr(uv), 0, "REG_MR");
}

static void *deregister(void *arg)
{
	tap_is(uv_dereg_mr(arg), 0, "DEREG_MR that takes long");
	return NULL;
}

static void *close_device(void *arg)
{
	uv_close(arg);
	return NULL;
}

/*
 * The last user of a domain is the last of its maker's context, too. The end of
 * that waits for slow commands of the process, but others open domains.
 */
static void test_last_user(void)
{
	struct uv holder[FEW_CREDITS], maker, user, other;
	pthread_t thread[FEW_CREDITS], closer;
	unsigned int before;
	uint64_t took;
	size_t i;
	int fd;

	open_domain(&maker);
	open_domain(&user);
	open_device(&other);
	for (i = 0; i < FEW_CREDITS; i++)
		register_memory(&holder[i]);
	uv_close(&maker);

	vmm->slow_opcode = HYV_CMD_DESTROY;
	vmm->slow_type = HYV_OBJ_MR;
	vmm->slow_ms = LOOP_SLOW_MS * dt_timeout_scale();
	for (i = 0; i < FEW_CREDITS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, deregister,
					&holder[i]),
			"a thread");
	REQUIRE(dt_until(vmm->busy == FEW_CREDITS), "commands take long");
	before = vmm->commands[HYV_CMD_DESTROY];
	REQUIRE(!pthread_create(&closer, NULL, close_device, &user),
		"a thread");
	REQUIRE(dt_until(vmm->commands[HYV_CMD_DESTROY] > before &&
			 vmm->busy == FEW_CREDITS),
		"the domain ends");

	fd = new_file();
	took = dt_now_ms();
	tap_is(uv_open_xrcd(&other, fd), 0, "another domain");
	took = dt_now_ms() - took;
	tap_ok(vmm->busy == FEW_CREDITS &&
		       took < LOOP_SLOW_MS * dt_timeout_scale() / 2,
	       "it does not wait for the slow commands: %llu ms",
	       (unsigned long long)took);
	vmm->slow_ms = 0;
	vmm->slow_type = 0;
	pthread_join(closer, NULL);
	for (i = 0; i < FEW_CREDITS; i++) {
		pthread_join(thread[i], NULL);
		uv_close(&holder[i]);
	}
	uv_close(&other);
	close(fd);
	loop_expect_idle("after the last user of a domain");
}

void suite_turns(void)
{
	const struct vmm_options options = {.queue_size = FEW_ENTRIES};

	loop_start_with(&options);
	file = new_file();
	test_classes();
	test_last_user();
	close(file);
	tap_ok(loop_works("XRC"), "every verb works after that");
	loop_stop();
}
