// SPDX-License-Identifier: GPL-2.0-only
/* Messages of a kernel that is right, newer, or out of its mind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/hyv_netlink.h>
#include <netlink/genl/genl.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "../libhyv/private.h"
#include "test.h"

static const struct sample sample = {
	.id = 3,
	.name = "vm one",
	.pid = 4711,
	.comm = "qemu-system-x86",
	.hca = "rxe0",
	.state = HYV_NL_VNIC_RUNNING,
	.pinned = 1ULL << 33,
	.pinned_max = 1ULL << 40,
	.queue_bytes = 3ULL << 33,
	.queue_bytes_max = 1ULL << 41,
	.counter = 1ULL << 60,
};

/* As large as it says, so that a sanitizer sees what reads beyond. */
static struct nlmsghdr *exact_copy(const struct nlmsghdr *nlh, size_t len)
{
	size_t room = len < sizeof(*nlh) ? sizeof(*nlh) : len;
	struct nlmsghdr *copy = calloc(1, room);

	if (!copy)
		abort();
	memcpy(copy, nlh, len < nlh->nlmsg_len ? len : nlh->nlmsg_len);
	copy->nlmsg_len = len;
	return copy;
}

/* Parses and frees @msg; returns what hyv_parse_vnic() returns. */
static int parse_vnic(struct nl_msg *msg, struct hyv_vnic **vnic)
{
	int ret;

	*vnic = NULL;
	ret = hyv_parse_vnic(nlmsg_hdr(msg), vnic);
	nlmsg_free(msg);
	return ret;
}

static void expect_bad_vnic(struct nl_msg *msg)
{
	struct hyv_vnic *vnic;

	EXPECT_EQ(parse_vnic(msg, &vnic), -EBADMSG);
	EXPECT(!vnic);
	hyv_vnic_free(vnic);
}

/* Reads all there is, for the sanitizer. */
static size_t read_vnic(const struct hyv_vnic *vnic)
{
	size_t sum, i;

	sum = strlen(hyv_vnic_name(vnic)) + strlen(hyv_vnic_comm(vnic)) +
	      strlen(hyv_vnic_hca(vnic)) + strlen(hyv_vnic_state_str(vnic));
	for (i = 0; i < hyv_vnic_nr_object_types(vnic); i++)
		sum += strlen(hyv_vnic_object_name(vnic, i)) +
		       hyv_vnic_object_count(vnic, i);
	for (i = 0; hyv_counter_name(i); i++)
		sum += hyv_vnic_counter(vnic, i);
	return sum;
}

static void whole_vnic(void)
{
	struct hyv_vnic *vnic;
	size_t i;

	if (!EXPECT_EQ(parse_vnic(vnic_message(&sample), &vnic), 0))
		return;
	EXPECT_EQ(hyv_vnic_id(vnic), 3);
	EXPECT_STR(hyv_vnic_name(vnic), "vm one");
	EXPECT_EQ(hyv_vnic_pid(vnic), 4711);
	EXPECT_STR(hyv_vnic_comm(vnic), "qemu-system-x86");
	EXPECT_STR(hyv_vnic_hca(vnic), "rxe0");
	EXPECT_EQ(hyv_vnic_state(vnic), HYV_VNIC_RUNNING);
	EXPECT_STR(hyv_vnic_state_str(vnic), "running");
	EXPECT_EQ(hyv_vnic_pinned(vnic), 1LL << 33);
	EXPECT_EQ(hyv_vnic_pinned_max(vnic), 1LL << 40);
	EXPECT_EQ(hyv_vnic_queue_bytes(vnic), 3LL << 33);
	EXPECT_EQ(hyv_vnic_queue_bytes_max(vnic), 1LL << 41);
	EXPECT_EQ(hyv_vnic_window_used(vnic), 8192);
	EXPECT_EQ(hyv_vnic_window_size(vnic), 67108864);

	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 2);
	EXPECT_STR(hyv_vnic_object_name(vnic, 0), "context");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 0), 2);
	EXPECT_EQ(hyv_vnic_object_max(vnic, 0), 64);
	EXPECT_STR(hyv_vnic_object_name(vnic, 1), "qp");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 1), 17);
	EXPECT_EQ(hyv_vnic_object_max(vnic, 1), 1024);
	EXPECT_STR(hyv_vnic_object_name(vnic, 2), "");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 2), 0);

	for (i = 0; hyv_counter_name(i); i++)
		EXPECT_EQ(hyv_vnic_counter(vnic, i), (1LL << 60) + i);
	EXPECT_EQ(i, HYV_NR_COUNTERS);
	EXPECT_STR(hyv_counter_name(HYV_COUNTER_EVENT_STALLS), "event_stalls");
	EXPECT_EQ(hyv_vnic_counter(vnic, i), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, -1), 0);
	EXPECT(!hyv_counter_name(-1));
	hyv_vnic_free(vnic);
}

static void vnic_with_only_an_id(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct hyv_vnic *vnic;

	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	if (!EXPECT_EQ(parse_vnic(msg, &vnic), 0))
		return;
	EXPECT_EQ(hyv_vnic_id(vnic), 9);
	EXPECT_STR(hyv_vnic_name(vnic), "");
	EXPECT_STR(hyv_vnic_comm(vnic), "");
	EXPECT_STR(hyv_vnic_hca(vnic), "");
	EXPECT_EQ(hyv_vnic_pinned(vnic), 0);
	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_COMMANDS), 0);
	hyv_vnic_free(vnic);
}

static void missing_attributes(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct hyv_hca *hca = NULL;
	struct nlattr *nest;

	nla_put_string(msg, HYV_NL_A_VNIC_NAME, "no id");
	expect_bad_vnic(msg);

	msg = hca_message(NULL, 1, 0, 0);
	EXPECT_EQ(hyv_parse_hca(nlmsg_hdr(msg), &hca), -EBADMSG);
	EXPECT(!hca);
	nlmsg_free(msg);

	msg = new_message(HYV_NL_CMD_VNIC_GET);
	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_OBJECTS);
	put_object(msg, 1, "context", 1, 1);
	put_object(msg, 2, NULL, 1, 1);
	nla_nest_end(msg, nest);
	expect_bad_vnic(msg);
}

static void newer_kernel(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct nlattr *nest, *inner;
	struct hyv_vnic *vnic;

	nla_put_u32(msg, HYV_NL_A_MAX + 1, 1);
	nla_put_string(msg, 0x3fff, "far away");
	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	nla_put_u32(msg, HYV_NL_A_VNIC_STATE, 99);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_OBJECTS);
	nla_put_u32(msg, HYV_NL_A_MAX + 2, 1);
	put_object(msg, 123, "srq", 5, 6);
	inner = nla_nest_start(msg, HYV_NL_A_OBJECT);
	nla_put_u64(msg, HYV_NL_A_MAX + 3, 1);
	nla_put_string(msg, HYV_NL_A_OBJECT_TYPE_NAME, "mw");
	nla_nest_end(msg, inner);
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_COUNTERS);
	nla_put_u64(msg, HYV_NL_A_MAX + 4, 1);
	nla_put_u64(msg, HYV_NL_A_COUNTER_KICKS, 42);
	nla_nest_end(msg, nest);

	if (!EXPECT_EQ(parse_vnic(msg, &vnic), 0))
		return;
	EXPECT_EQ(hyv_vnic_state(vnic), 99);
	EXPECT_STR(hyv_vnic_state_str(vnic), "unknown");
	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 2);
	EXPECT_STR(hyv_vnic_object_name(vnic, 0), "srq");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 0), 5);
	EXPECT_STR(hyv_vnic_object_name(vnic, 1), "mw");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 1), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_KICKS), 42);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_COMMANDS), 0);
	hyv_vnic_free(vnic);
}

static void wrong_command(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_HCA_GET);
	struct hyv_hca *hca = NULL;

	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	expect_bad_vnic(msg);

	msg = vnic_message(&sample);
	EXPECT_EQ(hyv_parse_hca(nlmsg_hdr(msg), &hca), -EBADMSG);
	nlmsg_free(msg);
}

/* An attribute of each kind with a payload that it cannot have. */
static void wrong_payloads(void)
{
	static const struct {
		int attr;
		const char *data;
		int len;
	} cases[] = {
		{HYV_NL_A_VNIC_PID, "12", 2},
		{HYV_NL_A_VNIC_PID, "", 0},
		{HYV_NL_A_VNIC_PINNED, "1234", 4},
		{HYV_NL_A_VNIC_NAME, "not ended", 9},
		{HYV_NL_A_VNIC_NAME, "", 0},
		{HYV_NL_A_VNIC_OBJECTS, "x", 1},
		{HYV_NL_A_VNIC_OBJECTS, "\xff\xff\x0d\x00", 4},
		{HYV_NL_A_VNIC_OBJECTS, "\x00\x00\x0d\x00", 4},
		{HYV_NL_A_VNIC_OBJECTS, "\x08\x00\x0d\x00zzzz", 8},
		{HYV_NL_A_VNIC_COUNTERS, "xyz", 3},
		{HYV_NL_A_VNIC_COUNTERS, "\x06\x00\x12\x00\x01\x01", 6},
		{HYV_NL_A_VNIC_COUNTERS, "\x40\x00\x12\x00zzzz", 8},
	};
	struct nl_msg *msg;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(cases); i++) {
		msg = new_message(HYV_NL_CMD_VNIC_GET);
		nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
		nla_put(msg, cases[i].attr, cases[i].len, cases[i].data);
		expect_bad_vnic(msg);
	}
}

/* Cut anywhere: refused or taken, never read beyond. */
static void truncated(void)
{
	struct nl_msg *msg = vnic_message(&sample);
	struct nlmsghdr *nlh, *copy;
	struct hyv_vnic *vnic;
	struct hyv_hca *hca;
	uint32_t len;
	int ret, good = 0;

	nlh = nlmsg_hdr(msg);
	for (len = 0; len <= nlh->nlmsg_len; len++) {
		copy = exact_copy(nlh, len);
		ret = hyv_parse_vnic(copy, &vnic);
		if (!ret) {
			read_vnic(vnic);
			hyv_vnic_free(vnic);
			good++;
		} else {
			EXPECT_EQ(ret, -EBADMSG);
		}
		free(copy);
	}
	/* Between two attributes a message may end; elsewhere not. */
	EXPECT(good >= 12 && good <= 20);
	nlmsg_free(msg);

	msg = hca_message("rxe0", 1, 0, 0);
	nlh = nlmsg_hdr(msg);
	for (len = 0; len < NLMSG_HDRLEN + GENL_HDRLEN + 8; len++) {
		copy = exact_copy(nlh, len);
		EXPECT_EQ(hyv_parse_hca(copy, &hca), -EBADMSG);
		free(copy);
	}
	nlmsg_free(msg);
}

/* Bytes changed at random: refused or taken, never read beyond. */
static void garbled(void)
{
	struct nl_msg *msg = vnic_message(&sample);
	struct nlmsghdr *nlh = nlmsg_hdr(msg), *copy;
	int i, flips, ret, good = 0, bad = 0;
	struct hyv_vnic *vnic;
	uint32_t at;

	for (i = 0; i < 20000; i++) {
		copy = exact_copy(nlh, nlh->nlmsg_len);
		for (flips = random_u32() % 8 + 1; flips; flips--) {
			at = random_u32() % (nlh->nlmsg_len - NLMSG_HDRLEN);
			((uint8_t *)copy)[NLMSG_HDRLEN + at] = random_u32();
		}
		ret = hyv_parse_vnic(copy, &vnic);
		if (!ret) {
			read_vnic(vnic);
			hyv_vnic_free(vnic);
			good++;
		} else if (EXPECT_EQ(ret, -EBADMSG)) {
			bad++;
		}
		free(copy);
	}
	EXPECT(good > 0);
	EXPECT(bad > 0);
	nlmsg_free(msg);
}

static void whole_hca(void)
{
	static const struct {
		uint32_t driver_id;
		uint32_t use;
		const char *driver;
		const char *use_str;
	} cases[] = {
		{RDMA_DRIVER_MLX5, HYV_NL_HCA_USABLE, "mlx5", "usable"},
		{RDMA_DRIVER_RXE, HYV_NL_HCA_TRUSTED_ONLY_DENIED, "rxe",
		 "trusted-only-denied"},
		{RDMA_DRIVER_EFA, HYV_NL_HCA_UNSUPPORTED, "efa", "unsupported"},
		{RDMA_DRIVER_UNKNOWN, 77, "unknown", "unknown"},
		{4000000000U, 4000000000U, "unknown", "unknown"},
	};
	struct hyv_hca *hca;
	struct nl_msg *msg;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(cases); i++) {
		msg = hca_message("rxe0", cases[i].driver_id, cases[i].use, 7);
		EXPECT_EQ(hyv_parse_hca(nlmsg_hdr(msg), &hca), 0);
		nlmsg_free(msg);
		EXPECT_STR(hyv_hca_name(hca), "rxe0");
		EXPECT_EQ(hyv_hca_driver_id(hca), cases[i].driver_id);
		EXPECT_STR(hyv_hca_driver(hca), cases[i].driver);
		EXPECT_EQ(hyv_hca_use(hca), cases[i].use);
		EXPECT_STR(hyv_hca_use_str(hca), cases[i].use_str);
		EXPECT_EQ(hyv_hca_nr_vnics(hca), 7);
		free(hca);
	}
}

/* --- The map --- */

/* Parses and frees @msg; returns what hyv_parse_entry() returns. */
static int parse_entry(struct nl_msg *msg, struct hyv_map_entry **entry)
{
	int ret;

	*entry = NULL;
	ret = hyv_parse_entry(nlmsg_hdr(msg), entry);
	nlmsg_free(msg);
	return ret;
}

static void expect_bad_entry(struct nl_msg *msg)
{
	struct hyv_map_entry *entry;

	EXPECT_EQ(parse_entry(msg, &entry), -EBADMSG);
	EXPECT(!entry);
	hyv_map_entry_free(entry);
}

static void entries(void)
{
	struct hyv_map_entry *entry;
	char text[HYV_GID_TEXT];

	if (!EXPECT_EQ(
		    parse_entry(entry_message("10.0.0.1", "fd00::1", 0, NULL),
				&entry),
		    0))
		return;
	EXPECT_STR(hyv_gid_str(hyv_map_entry_gid(entry), text), "10.0.0.1");
	EXPECT_STR(hyv_gid_str(hyv_map_entry_via(entry), text), "fd00::1");
	EXPECT_EQ(hyv_map_entry_vnic(entry), 0);
	EXPECT_STR(hyv_map_entry_hca(entry), "");
	hyv_map_entry_free(entry);

	if (!EXPECT_EQ(parse_entry(entry_message("fe80::1", NULL, 7, "rxe0"),
				   &entry),
		       0))
		return;
	EXPECT_STR(hyv_gid_str(hyv_map_entry_gid(entry), text), "fe80::1");
	EXPECT(!hyv_map_entry_via(entry));
	EXPECT_EQ(hyv_map_entry_vnic(entry), 7);
	EXPECT_STR(hyv_map_entry_hca(entry), "rxe0");
	hyv_map_entry_free(entry);

	/* Its HCA has left. */
	EXPECT_EQ(parse_entry(entry_message("fe80::1", NULL, 7, NULL), &entry),
		  0);
	EXPECT_STR(hyv_map_entry_hca(entry), "");
	hyv_map_entry_free(entry);
}

static void bad_entries(void)
{
	struct nl_msg *msg;
	struct nlattr *nest;

	expect_bad_entry(new_message(HYV_NL_CMD_MAP_GET));
	expect_bad_entry(hca_message("rxe0", 1, 0, 0));

	msg = new_message(HYV_NL_CMD_MAP_GET);
	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);
	put_gid(msg, HYV_NL_A_MAP_VIA, "10.0.0.1");
	nla_nest_end(msg, nest);
	expect_bad_entry(msg);

	/* Of 15 bytes, and of 17. */
	msg = new_message(HYV_NL_CMD_MAP_GET);
	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);
	nla_put(msg, HYV_NL_A_MAP_GID, 15, "123456789012345");
	nla_nest_end(msg, nest);
	expect_bad_entry(msg);
	msg = new_message(HYV_NL_CMD_MAP_GET);
	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);
	nla_put(msg, HYV_NL_A_MAP_GID, 17, "1234567890123456");
	nla_nest_end(msg, nest);
	expect_bad_entry(msg);
}

static void garbled_entries(void)
{
	struct nl_msg *msg = entry_message("10.0.0.1", NULL, 7, "rxe0");
	struct nlmsghdr *nlh = nlmsg_hdr(msg), *copy;
	struct hyv_map_entry *entry;
	int i, good = 0, bad = 0;
	uint32_t at;

	for (i = 0; i < 20000; i++) {
		copy = exact_copy(nlh, nlh->nlmsg_len);
		at = random_u32() % (nlh->nlmsg_len - NLMSG_HDRLEN);
		((uint8_t *)copy)[NLMSG_HDRLEN + at] = random_u32();
		if (!hyv_parse_entry(copy, &entry)) {
			good += strlen(hyv_map_entry_hca(entry)) < 5;
			hyv_map_entry_free(entry);
		} else {
			bad++;
		}
		free(copy);
	}
	EXPECT(good > 0);
	EXPECT(bad > 0);
	nlmsg_free(msg);
}

static void gids_as_text(void)
{
	static const struct {
		const char *in;
		const char *out;
	} good[] = {
		{"10.0.0.1", "10.0.0.1"},
		{"::ffff:10.0.0.1", "10.0.0.1"},
		{"::ffff:a00:1", "10.0.0.1"},
		{"FD00:0:0::1", "fd00::1"},
		{"fe80::5054:ff:fe12:3456", "fe80::5054:ff:fe12:3456"},
		{"::", "::"},
		{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	};
	static const char *const bad[] = {
		"",	      "10.0.0",	   "10.0.0.256",
		"010.0.0.1x", "fd00::/8",  "fe80::1%br0",
		"1::2::3",    "localhost", " 10.0.0.1",
	};
	char text[HYV_GID_TEXT];
	struct in6_addr gid;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(good); i++) {
		EXPECT_EQ(hyv_gid_parse(good[i].in, &gid), 0);
		EXPECT_STR(hyv_gid_str(&gid, text), good[i].out);
	}
	for (i = 0; i < NR_ELEMENTS(bad); i++)
		if (!EXPECT_EQ(hyv_gid_parse(bad[i], &gid), -EINVAL))
			printf("# '%s'\n", bad[i]);
}

/* --- Errors --- */

/* An NLMSG_ERROR message; @text is put behind as the kernel does it. */
static struct nl_msg *error_message(int err, int flags, const char *text,
				    int text_len)
{
	struct nlmsgerr body = {
		.error = err,
		.msg = {.nlmsg_len = NLMSG_HDRLEN + 10},
	};
	char request[10] = "0123456789";
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !nlmsg_put(msg, 1, 1, NLMSG_ERROR, 0, flags))
		abort();
	nlmsg_append(msg, &body, sizeof(body), NLMSG_ALIGNTO);
	if (!(flags & NLM_F_CAPPED))
		nlmsg_append(msg, request, sizeof(request), NLMSG_ALIGNTO);
	if (text)
		nla_put(msg, NLMSGERR_ATTR_MSG, text_len, text);
	return msg;
}

static struct nl_msg *done_message(int err, const char *text)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg ||
	    !nlmsg_put(msg, 1, 1, NLMSG_DONE, 0,
		       text ? NLM_F_MULTI | NLM_F_ACK_TLVS : NLM_F_MULTI))
		abort();
	nlmsg_append(msg, &err, sizeof(err), NLMSG_ALIGNTO);
	if (text)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, text);
	return msg;
}

static void expect_blame(struct nl_msg *msg, int err, const char *text,
			 uint32_t offset)
{
	struct hyv_blame blame = {.text = "untouched", .offset = 77};

	EXPECT_EQ(hyv_parse_error(nlmsg_hdr(msg), &blame), err);
	if (text)
		EXPECT_STR(blame.text, text);
	else
		EXPECT(!blame.text);
	EXPECT_EQ(blame.offset, offset);
	nlmsg_free(msg);
}

static void expect_error(struct nl_msg *msg, int err, const char *text)
{
	expect_blame(msg, err, text, 0);
}

static void kernel_errors(void)
{
	struct nl_msg *msg;

	expect_error(error_message(0, NLM_F_CAPPED, NULL, 0), 0, NULL);
	expect_error(error_message(-EPERM, 0, NULL, 0), -EPERM, NULL);
	expect_error(error_message(-EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS,
				   "what", 5),
		     -EINVAL, "what");
	expect_error(error_message(-EINVAL, NLM_F_ACK_TLVS, "why", 4), -EINVAL,
		     "why");
	/* Not ended, empty, or not announced: no text, still the error. */
	expect_error(error_message(-EINVAL, NLM_F_ACK_TLVS, "why", 3), -EINVAL,
		     NULL);
	expect_error(error_message(-EINVAL, NLM_F_ACK_TLVS, "", 0), -EINVAL,
		     NULL);
	expect_error(error_message(-EINVAL, 0, "why", 4), -EINVAL, NULL);
	expect_error(error_message(1, NLM_F_CAPPED, NULL, 0), -EBADMSG, NULL);

	expect_error(done_message(0, NULL), 0, NULL);
	expect_error(done_message(-EINVAL, NULL), -EINVAL, NULL);
	expect_error(done_message(-EINVAL, "dump"), -EINVAL, "dump");
	msg = nlmsg_alloc();
	nlmsg_put(msg, 1, 1, NLMSG_DONE, 0, NLM_F_MULTI);
	expect_error(msg, 0, NULL);
}

/* Where in the request the reason is, with a text and without. */
static void blamed_attributes(void)
{
	struct nl_msg *msg;

	msg = error_message(-EEXIST, NLM_F_CAPPED | NLM_F_ACK_TLVS, "why", 4);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 1234567);
	expect_blame(msg, -EEXIST, "why", 1234567);
	msg = error_message(-EEXIST, NLM_F_ACK_TLVS, NULL, 0);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_blame(msg, -EEXIST, NULL, 20);
	/* Of another size, or not announced. */
	msg = error_message(-EEXIST, NLM_F_CAPPED | NLM_F_ACK_TLVS, NULL, 0);
	nla_put_u16(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_blame(msg, -EEXIST, NULL, 0);
	msg = error_message(-EEXIST, NLM_F_CAPPED, NULL, 0);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_blame(msg, -EEXIST, NULL, 0);
}

static void garbled_errors(void)
{
	struct nl_msg *msg = error_message(-EINVAL, NLM_F_ACK_TLVS, "why", 4);
	struct nlmsghdr *nlh = nlmsg_hdr(msg), *copy;
	struct hyv_blame blame;
	size_t len = 0;
	uint32_t i, at;

	for (i = 0; i <= nlh->nlmsg_len; i++) {
		copy = exact_copy(nlh, i);
		hyv_parse_error(copy, &blame);
		if (blame.text)
			len += strlen(blame.text);
		free(copy);
	}
	for (i = 0; i < 20000; i++) {
		copy = exact_copy(nlh, nlh->nlmsg_len);
		at = random_u32() % (nlh->nlmsg_len - NLMSG_HDRLEN);
		((uint8_t *)copy)[NLMSG_HDRLEN + at] = random_u32();
		hyv_parse_error(copy, &blame);
		if (blame.text)
			len += strlen(blame.text);
		free(copy);
	}
	EXPECT(len > 0);
	nlmsg_free(msg);
}

const struct test tests[] = {
	{"message: every attribute of a vNIC is read", whole_vnic},
	{"message: a vNIC needs nothing but its ID", vnic_with_only_an_id},
	{"message: what is needed and missing is noticed", missing_attributes},
	{"message: what a newer kernel adds is ignored", newer_kernel},
	{"message: an answer to something else is refused", wrong_command},
	{"message: wrong payloads are refused", wrong_payloads},
	{"message: truncated messages do no harm", truncated},
	{"message: garbled messages do no harm", garbled},
	{"message: every attribute of an HCA is read", whole_hca},
	{"message: entries of the map are read", entries},
	{"message: wrong entries of the map are refused", bad_entries},
	{"message: garbled entries of the map do no harm", garbled_entries},
	{"message: GIDs from text and to text", gids_as_text},
	{"message: errors and the kernel's texts are found", kernel_errors},
	{"message: what the kernel blames is found", blamed_attributes},
	{"message: garbled errors do no harm", garbled_errors},
	{NULL, NULL},
};
