// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that share an XRC domain: the commands of one do not delay another
 * one, and one that is killed leaves nothing.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "suites.h"
#include "vmm.h"

/* The file that names the domain. */
static int file;

static void open_domain(struct uv *uv)
{
	uv_open(uv);
	REQUIRE(!uv_get_context(uv) && !uv_alloc_pd(uv), "a PD");
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

void suite_xrc(void)
{
	loop_start();
	file = memfd_create("xrcd", MFD_CLOEXEC);
	REQUIRE(file >= 0, "memfd_create");
	test_user_killed();
	test_maker_killed();
	close(file);
	tap_ok(loop_works("XRC"), "every verb works after that");
	loop_stop();
}
