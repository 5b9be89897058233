// SPDX-License-Identifier: GPL-2.0-only
/* Parsing of messages: valid, of a newer kernel, malformed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/hyv_netlink.h>
#include <netlink/genl/genl.h>

#include "../libhyv/private.h"
#include "test.h"

static const struct sample sample = {
	.id = 3,
	.name = "vm one",
	.pid = 1234,
	.comm = "qemu-system-x86",
	.hca = "rxe0",
};

/* Allocates exactly @len bytes, so that the sanitizer sees reads beyond. */
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

/* Parses and frees @msg. */
static int parse(const struct libhyv_kind *kind, struct nl_msg *msg, void *item)
{
	int ret;

	*(void **)item = NULL;
	ret = libhyv_snapshot_parse(kind, nlmsg_hdr(msg), item);
	nlmsg_free(msg);
	return ret;
}

static void expect_bad(const struct libhyv_kind *kind, struct nl_msg *msg)
{
	void *item;

	EXPECT_EQ(parse(kind, msg, &item), -EBADMSG);
	EXPECT(!item);
	libhyv_snapshot_free(kind, item);
}

static void expect_bad_vnic(struct nl_msg *msg)
{
	expect_bad(&libhyv_vnic_kind, msg);
}

static void expect_bad_entry(struct nl_msg *msg)
{
	expect_bad(&libhyv_entry_kind, msg);
}

/* Reads all attributes, for the sanitizer. */
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
	for (i = 0; hyv_quota_name(i); i++)
		sum += hyv_vnic_quota_used(vnic, i) +
		       hyv_vnic_quota_max(vnic, i);
	return sum;
}

/* report_test reads every attribute; these are the limits of the getters. */
static void out_of_range(void)
{
	const size_t none = HYV_COUNTER_INTERRUPTS + 1;
	const size_t no_quota = HYV_QUOTA_DOORBELL_PAGES + 1;
	struct hyv_vnic *vnic;

	if (!EXPECT_EQ(parse(&libhyv_vnic_kind, vnic_message(&sample), &vnic),
		       0))
		return;
	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 2);
	EXPECT_STR(hyv_vnic_object_name(vnic, 2), "");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 2), 0);
	EXPECT_EQ(hyv_vnic_object_max(vnic, 2), 0);
	EXPECT(hyv_counter_name(none - 1));
	EXPECT(!hyv_counter_name(none));
	EXPECT(!hyv_counter_name(-1));
	EXPECT_EQ(hyv_vnic_counter(vnic, none), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, -1), 0);
	EXPECT_STR(hyv_quota_name(no_quota - 1), "doorbell_pages");
	EXPECT(!hyv_quota_name(no_quota));
	EXPECT(!hyv_quota_name(-1));
	EXPECT_EQ(hyv_vnic_quota_used(vnic, no_quota), 0);
	EXPECT_EQ(hyv_vnic_quota_max(vnic, no_quota), 0);
	EXPECT_EQ(hyv_vnic_quota_used(vnic, -1), 0);
	EXPECT_EQ(hyv_vnic_quota_max(vnic, -1), 0);
	hyv_vnic_free(vnic);
}

static void vnic_with_only_an_id(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct hyv_vnic *vnic;

	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	if (!EXPECT_EQ(parse(&libhyv_vnic_kind, msg, &vnic), 0))
		return;
	EXPECT_EQ(hyv_vnic_id(vnic), 9);
	EXPECT_STR(hyv_vnic_name(vnic), "");
	EXPECT_STR(hyv_vnic_comm(vnic), "");
	EXPECT_STR(hyv_vnic_hca(vnic), "");
	EXPECT_EQ(hyv_vnic_quota_used(vnic, HYV_QUOTA_PINNED), 0);
	EXPECT_EQ(hyv_vnic_quota_max(vnic, HYV_QUOTA_MR_BYTES), 0);
	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_COMMANDS), 0);
	EXPECT_EQ(hyv_vnic_nr_leaked(vnic), 0);
	hyv_vnic_free(vnic);
}

static void missing_attributes(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_VNIC_GET);
	struct nlattr *nest, *inner;

	nla_put_string(msg, HYV_NL_A_VNIC_NAME, "no id");
	expect_bad_vnic(msg);

	expect_bad(&libhyv_hca_kind, hca_message(NULL, 1, 0, 0));

	msg = new_message(HYV_NL_CMD_VNIC_GET);
	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_OBJECTS);
	put_object(msg, 1, "context", 1, 1);
	put_object(msg, 2, NULL, 1, 1);
	nla_nest_end(msg, nest);
	expect_bad_vnic(msg);

	msg = new_message(HYV_NL_CMD_VNIC_GET);
	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_QUOTAS);
	inner = nla_nest_start(msg, HYV_NL_A_QUOTA);
	nla_put_u64(msg, HYV_NL_A_QUOTA_USED, 1);
	nla_nest_end(msg, inner);
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
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_QUOTAS);
	put_quota(msg, HYV_NL_NR_QUOTAS, 1, 2);
	put_quota(msg, UINT32_MAX, 3, 4);
	put_quota(msg, HYV_NL_QUOTA_MR_BYTES, 5, 6);
	nla_put_u32(msg, HYV_NL_A_MAX + 5, 1);
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, HYV_NL_A_VNIC_COUNTERS);
	nla_put_u64(msg, HYV_NL_A_MAX + 4, 1);
	nla_put_u64(msg, HYV_NL_A_COUNTER_KICKS, 42);
	nla_nest_end(msg, nest);

	if (!EXPECT_EQ(parse(&libhyv_vnic_kind, msg, &vnic), 0))
		return;
	EXPECT_EQ(hyv_vnic_state(vnic), 99);
	EXPECT_STR(hyv_vnic_state_str(vnic), "unknown");
	EXPECT_EQ(hyv_vnic_nr_object_types(vnic), 2);
	EXPECT_STR(hyv_vnic_object_name(vnic, 0), "srq");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 0), 5);
	EXPECT_STR(hyv_vnic_object_name(vnic, 1), "mw");
	EXPECT_EQ(hyv_vnic_object_count(vnic, 1), 0);
	EXPECT_EQ(hyv_vnic_quota_used(vnic, HYV_QUOTA_MR_BYTES), 5);
	EXPECT_EQ(hyv_vnic_quota_max(vnic, HYV_QUOTA_MR_BYTES), 6);
	EXPECT_EQ(hyv_vnic_quota_max(vnic, HYV_QUOTA_PINNED), 0);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_KICKS), 42);
	EXPECT_EQ(hyv_vnic_counter(vnic, HYV_COUNTER_COMMANDS), 0);
	hyv_vnic_free(vnic);
}

static void wrong_command(void)
{
	struct nl_msg *msg = new_message(HYV_NL_CMD_HCA_GET);

	nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
	expect_bad_vnic(msg);
	expect_bad(&libhyv_hca_kind, vnic_message(&sample));
}

/* Invalid payloads, for each kind of attribute. */
static void wrong_payloads(void)
{
	static const struct {
		int attr;
		const char *data;
		int len;
	} cases[] = {
		{HYV_NL_A_VNIC_PID, "12", 2},
		{HYV_NL_A_VNIC_PID, "", 0},
		{HYV_NL_A_VNIC_WINDOW_SIZE, "1234", 4},
		{HYV_NL_A_VNIC_LEAKED, "12", 2},
		{HYV_NL_A_VNIC_NAME, "not ended", 9},
		{HYV_NL_A_VNIC_NAME, "", 0},
		{HYV_NL_A_VNIC_OBJECTS, "x", 1},
		{HYV_NL_A_VNIC_OBJECTS, "\xff\xff\x0c\x00", 4},
		{HYV_NL_A_VNIC_OBJECTS, "\x00\x00\x0c\x00", 4},
		{HYV_NL_A_VNIC_OBJECTS, "\x08\x00\x0c\x00zzzz", 8},
		{HYV_NL_A_VNIC_QUOTAS, "x", 1},
		{HYV_NL_A_VNIC_QUOTAS, "\xff\xff\x11\x00", 4},
		{HYV_NL_A_VNIC_QUOTAS, "\x08\x00\x11\x00zzzz", 8},
		{HYV_NL_A_VNIC_COUNTERS, "xyz", 3},
		{HYV_NL_A_VNIC_COUNTERS, "\x06\x00\x15\x00\x01\x01", 6},
		{HYV_NL_A_VNIC_COUNTERS, "\x40\x00\x15\x00zzzz", 8},
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

/* Nests are parsed where they are used; the other two have no content. */
static bool has_no_size(int attr)
{
	switch (attr) {
	case HYV_NL_A_PAD:
	case HYV_NL_A_VNIC_OBJECTS:
	case HYV_NL_A_VNIC_QUOTAS:
	case HYV_NL_A_VNIC_COUNTERS:
	case HYV_NL_A_OBJECT:
	case HYV_NL_A_QUOTA:
	case HYV_NL_A_MAP_ENTRY:
	case HYV_NL_A_MAP_REPLACE:
		return true;
	}
	return false;
}

/* Every attribute is validated, at whatever level it is, and by its type. */
static void every_attribute(void)
{
	struct nl_msg *msg;
	void *item;
	int attr;

	for (attr = 1; attr <= HYV_NL_A_MAX; attr++) {
		if (has_no_size(attr))
			continue;
		msg = new_message(HYV_NL_CMD_VNIC_GET);
		if (attr != HYV_NL_A_VNIC_ID)
			nla_put_u32(msg, HYV_NL_A_VNIC_ID, 9);
		nla_put(msg, attr, 3, "abc");
		if (!EXPECT_EQ(parse(&libhyv_vnic_kind, msg, &item), -EBADMSG))
			tap_diag("attribute %d", attr);
		libhyv_snapshot_free(&libhyv_vnic_kind, item);
	}
}

static void read_item(const struct libhyv_kind *kind, void *item)
{
	if (kind == &libhyv_vnic_kind)
		read_vnic(item);
	else if (kind == &libhyv_hca_kind)
		EXPECT(strlen(hyv_hca_name(item)) < 64);
	else
		EXPECT(strlen(hyv_map_entry_hca(item)) < 64);
}

/* Parses and frees @copy; returns whether it was accepted. */
static bool try_copy(const struct libhyv_kind *kind, struct nlmsghdr *copy)
{
	void *item = NULL;
	int ret;

	ret = libhyv_snapshot_parse(kind, copy, &item);
	if (!ret)
		read_item(kind, item);
	else
		EXPECT_EQ(ret, -EBADMSG);
	libhyv_snapshot_free(kind, item);
	free(copy);
	return !ret;
}

/* Messages of every length are rejected or parsed, never read beyond. */
static void truncated(void)
{
	struct nl_msg *msg = vnic_message(&sample);
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	uint32_t len;
	int good = 0;

	for (len = 0; len <= nlh->nlmsg_len; len++)
		good += try_copy(&libhyv_vnic_kind, exact_copy(nlh, len));
	/* A message may end only between two attributes. */
	EXPECT(good >= 9 && good <= 17);
	nlmsg_free(msg);

	msg = hca_message("rxe0", 1, 0, 0);
	nlh = nlmsg_hdr(msg);
	for (len = 0; len < NLMSG_HDRLEN + GENL_HDRLEN + 8; len++)
		EXPECT(!try_copy(&libhyv_hca_kind, exact_copy(nlh, len)));
	nlmsg_free(msg);
}

static struct nlmsghdr *garbled_copy(const struct nlmsghdr *nlh, int flips)
{
	struct nlmsghdr *copy = exact_copy(nlh, nlh->nlmsg_len);
	uint32_t at;

	for (; flips; flips--) {
		at = random_u32() % (nlh->nlmsg_len - NLMSG_HDRLEN);
		((uint8_t *)copy)[NLMSG_HDRLEN + at] = random_u32();
	}
	return copy;
}

/* Random bytes are rejected or parsed, never read beyond. */
static void garble(const struct libhyv_kind *kind, struct nl_msg *msg)
{
	int i, good = 0, bad = 0;

	for (i = 0; i < 20000; i++) {
		if (try_copy(kind, garbled_copy(nlmsg_hdr(msg),
						random_u32() % 8 + 1)))
			good++;
		else
			bad++;
	}
	EXPECT(good > 0);
	EXPECT(bad > 0);
	nlmsg_free(msg);
}

static void garbled(void)
{
	garble(&libhyv_vnic_kind, vnic_message(&sample));
	garble(&libhyv_hca_kind, hca_message("rxe0", 1, 0, 0));
	garble(&libhyv_entry_kind, entry_message("10.0.0.1", NULL, 7, "rxe0"));
}

/* --- The GID map --- */

static void bad_entries(void)
{
	struct nl_msg *msg;
	struct nlattr *nest;
	int len;

	expect_bad_entry(new_message(HYV_NL_CMD_MAP_GET));
	expect_bad_entry(hca_message("rxe0", 1, 0, 0));

	msg = new_message(HYV_NL_CMD_MAP_GET);
	nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);
	put_gid(msg, HYV_NL_A_MAP_VIA, "10.0.0.1");
	nla_nest_end(msg, nest);
	expect_bad_entry(msg);

	for (len = 15; len <= 17; len += 2) {
		msg = new_message(HYV_NL_CMD_MAP_GET);
		nest = nla_nest_start(msg, HYV_NL_A_MAP_ENTRY);
		nla_put(msg, HYV_NL_A_MAP_GID, len, "1234567890123456");
		nla_nest_end(msg, nest);
		expect_bad_entry(msg);
	}
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
			tap_diag("'%s'", bad[i]);
}

/* --- Errors --- */

/* An NLMSG_ERROR message; @text follows as the kernel appends it. */
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

static void expect_details(struct nl_msg *msg, int err, const char *text,
			   uint32_t offset)
{
	struct libhyv_error error = {.text = "untouched", .offset = 77};

	EXPECT_EQ(libhyv_parse_error(nlmsg_hdr(msg), &error), err);
	if (text)
		EXPECT_STR(error.text, text);
	else
		EXPECT(!error.text);
	EXPECT_EQ(error.offset, offset);
	nlmsg_free(msg);
}

static void expect_error(struct nl_msg *msg, int err, const char *text)
{
	expect_details(msg, err, text, 0);
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
	/* Without a NUL, empty, or no NLM_F_ACK_TLVS: the error, but no text.
	 */
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

/* With a text and without. */
static void error_offsets(void)
{
	struct nl_msg *msg;

	msg = error_message(-EEXIST, NLM_F_CAPPED | NLM_F_ACK_TLVS, "why", 4);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 1234567);
	expect_details(msg, -EEXIST, "why", 1234567);
	msg = error_message(-EEXIST, NLM_F_ACK_TLVS, NULL, 0);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_details(msg, -EEXIST, NULL, 20);
	/* Wrong size, or no NLM_F_ACK_TLVS. */
	msg = error_message(-EEXIST, NLM_F_CAPPED | NLM_F_ACK_TLVS, NULL, 0);
	nla_put_u16(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_details(msg, -EEXIST, NULL, 0);
	msg = error_message(-EEXIST, NLM_F_CAPPED, NULL, 0);
	nla_put_u32(msg, NLMSGERR_ATTR_OFFS, 20);
	expect_details(msg, -EEXIST, NULL, 0);
}

/* Length of the text of @copy, which is freed. */
static size_t error_length(struct nlmsghdr *copy)
{
	struct libhyv_error error;
	size_t len;

	libhyv_parse_error(copy, &error);
	len = error.text ? strlen(error.text) : 0;
	free(copy);
	return len;
}

static void garbled_errors(void)
{
	struct nl_msg *msg = error_message(-EINVAL, NLM_F_ACK_TLVS, "why", 4);
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	size_t len = 0;
	uint32_t i;

	for (i = 0; i <= nlh->nlmsg_len; i++)
		len += error_length(exact_copy(nlh, i));
	for (i = 0; i < 20000; i++)
		len += error_length(garbled_copy(nlh, 1));
	EXPECT(len > 0);
	nlmsg_free(msg);
}

const struct test tests[] = {
	{"getters accept any index and counter", out_of_range},
	{"a vNIC needs only its ID", vnic_with_only_an_id},
	{"messages without a required attribute are rejected",
	 missing_attributes},
	{"attributes and values of a newer kernel are ignored", newer_kernel},
	{"replies to another command are rejected", wrong_command},
	{"attributes of the wrong size are rejected", wrong_payloads},
	{"every attribute of the wrong size is rejected", every_attribute},
	{"truncated messages are not read beyond their end", truncated},
	{"garbled messages are not read beyond their end", garbled},
	{"malformed entries of the GID map are rejected", bad_entries},
	{"GIDs are converted from text and to text", gids_as_text},
	{"errors and their texts are found", kernel_errors},
	{"offsets of invalid attributes are found", error_offsets},
	{"garbled errors are not read beyond their end", garbled_errors},
	{NULL, NULL},
};
