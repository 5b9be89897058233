// SPDX-License-Identifier: GPL-2.0-only
/* Output of the hyv command for given messages of the kernel. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hyv_netlink.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "../libhyv/private.h"
#include "output.h"
#include "test.h"

/* --- Snapshots --- */

#define MAX_LIST 3

static void fill_vnics(struct hyv_vnic **vnics, const struct sample *samples,
		       size_t count)
{
	struct nl_msg *msg;
	size_t i;

	for (i = 0; i < count; i++) {
		msg = vnic_message(&samples[i]);
		if (libhyv_snapshot_parse(&libhyv_vnic_kind, nlmsg_hdr(msg),
					  (void **)&vnics[i]))
			abort();
		nlmsg_free(msg);
	}
	vnics[count] = NULL;
}

static void free_vnics(struct hyv_vnic **vnics)
{
	for (; *vnics; vnics++)
		hyv_vnic_free(*vnics);
}

static const struct sample two[] = {
	{
		.id = 3,
		.name = "web 1",
		.pid = 1234,
		.comm = "qemu-system-x86",
		.hca = "rxe0",
		.state = HYV_NL_VNIC_RUNNING,
		.quota_used = {1ULL << 33, 3ULL << 33, 2048, 7, 1, 2, 3, 4, 24},
		.quota_max = {1ULL << 40, 1ULL << 41, 1ULL << 28, 8192, 1024,
			      512, 262144, 100, 4096},
		.counter = 1000,
	},
	{
		.id = 12,
		.name = "",
		.pid = 98,
		.comm = "a\nb\\\x1b[2J",
		.hca = "mlx5_0",
		.state = HYV_NL_VNIC_HCA_GONE,
		.quota_used = {0, 65536, 0, 0},
		.quota_max = {1ULL << 40, 1ULL << 30, 1ULL << 28, 8192, 1024,
			      512, 262144, 100, 4096},
		.counter = UINT64_MAX - 7,
	},
};

/* --- JSON of the samples --- */

#define VNIC_3_IDENTITY                                             \
	"\"id\":3,\"name\":\"web 1\",\"pid\":1234,"                 \
	"\"command\":\"qemu-system-x86\",\"hca\":\"rxe0\","         \
	"\"state\":\"running\",\"pinned\":8589934592,"              \
	"\"pinned_max\":1099511627776,\"queue_bytes\":25769803776," \
	"\"queue_bytes_max\":2199023255552,\"mr_bytes\":2048,"      \
	"\"mr_bytes_max\":268435456,\"stitch_vmas\":7,"             \
	"\"stitch_vmas_max\":8192,\"mcast\":1,\"mcast_max\":1024,"  \
	"\"mcast_addrs\":2,\"mcast_addrs_max\":512,\"vmm_mrs\":3,"  \
	"\"vmm_mrs_max\":262144,\"user_vnics\":4,"                  \
	"\"user_vnics_max\":100,\"doorbell_pages\":24,"             \
	"\"doorbell_pages_max\":4096,\"window_used\":8192,"         \
	"\"window_size\":67108864,\"leaked\":5,\"objects\":{"       \
	"\"context\":{\"count\":2,\"max\":64},"                     \
	"\"qp\":{\"count\":17,\"max\":1024}}"

#define VNIC_3                                                             \
	"{" VNIC_3_IDENTITY ",\"counters\":{\"commands\":1000,"            \
	"\"errors\":1001,\"doorbells\":1002,\"arms\":1003,\"kicks\":1004," \
	"\"events\":1005,\"event_stalls\":1006,\"interrupts\":1007}}"

/* 2345 counts of each in 10 s */
#define RATES_3                                                        \
	VNIC_3_IDENTITY ",\"rates\":{\"commands\":234.500,"            \
			"\"errors\":234.500,\"doorbells\":234.500,"    \
			"\"arms\":234.500,\"kicks\":234.500,"          \
			"\"events\":234.500,\"event_stalls\":234.500," \
			"\"interrupts\":234.500}"

#define VNIC_12                                                         \
	"{\"id\":12,\"name\":\"\",\"pid\":98,"                          \
	"\"command\":\"a\\u000ab\\\\\\u001b[2J\",\"hca\":\"mlx5_0\","   \
	"\"state\":\"hca-gone\",\"pinned\":0,"                          \
	"\"pinned_max\":1099511627776,\"queue_bytes\":65536,"           \
	"\"queue_bytes_max\":1073741824,\"mr_bytes\":0,"                \
	"\"mr_bytes_max\":268435456,\"stitch_vmas\":0,"                 \
	"\"stitch_vmas_max\":8192,\"mcast\":0,\"mcast_max\":1024,"      \
	"\"mcast_addrs\":0,\"mcast_addrs_max\":512,\"vmm_mrs\":0,"      \
	"\"vmm_mrs_max\":262144,\"user_vnics\":0,"                      \
	"\"user_vnics_max\":100,\"doorbell_pages\":0,"                  \
	"\"doorbell_pages_max\":4096,\"window_used\":8192,"             \
	"\"window_size\":67108864,\"leaked\":5,\"objects\":{"           \
	"\"context\":{\"count\":2,\"max\":64},"                         \
	"\"qp\":{\"count\":17,\"max\":1024}}"                           \
	",\"counters\":{\"commands\":18446744073709551608,"             \
	"\"errors\":18446744073709551609,"                              \
	"\"doorbells\":18446744073709551610,"                           \
	"\"arms\":18446744073709551611,\"kicks\":18446744073709551612," \
	"\"events\":18446744073709551613,"                              \
	"\"event_stalls\":18446744073709551614,"                        \
	"\"interrupts\":18446744073709551615}}"

/* --- A checker of JSON --- */

static const char *skip_string(const char *s)
{
	int i;

	for (s++; *s != '"'; s++) {
		if ((unsigned char)*s < ' ')
			return NULL;
		if (*s != '\\')
			continue;
		s++;
		if (*s == 'u') {
			for (i = 0; i < 4; i++)
				if (!isxdigit((unsigned char)*++s))
					return NULL;
		} else if (!*s || !strchr("\"\\/bfnrt", *s)) {
			return NULL;
		}
	}
	return s + 1;
}

/* Returns what comes after the value that @s starts with, or NULL. */
static const char *skip_value(const char *s)
{
	bool object = *s == '{';
	char end = object ? '}' : ']';
	char *rest;

	if (*s == '"')
		return skip_string(s);
	if (*s != '{' && *s != '[') {
		strtod(s, &rest);
		return isdigit((unsigned char)*s) ? rest : NULL;
	}
	if (s[1] == end)
		return s + 2;
	do {
		s++;
		if (object) {
			s = *s == '"' ? skip_string(s) : NULL;
			if (!s || *s++ != ':')
				return NULL;
		}
		s = skip_value(s);
	} while (s && *s == ',');
	return s && *s == end ? s + 1 : NULL;
}

static bool is_json_line(const char *text)
{
	const char *rest = skip_value(text);

	return rest && !strcmp(rest, "\n");
}

/* --- Tests --- */

static char *output;
static size_t output_len;
static FILE *output_stream;

/* A stream for the output, which EXPECT_OUTPUT() reads. */
static FILE *out(void)
{
	output_stream = open_memstream(&output, &output_len);
	if (!output_stream)
		abort();
	return output_stream;
}

/* The caller frees it. */
static char *take_output(void)
{
	fclose(output_stream);
	return output;
}

#define EXPECT_OUTPUT(text) expect_output(text, __FILE__, __LINE__)

static void expect_output(const char *text, const char *file, int line)
{
	char *got = take_output();

	expect(tap_same_str(got, text), file, line, "output");
	if (*got == '[' || *got == '{')
		expect(is_json_line(got), file, line, "JSON");
	free(got);
}

#define EXPECT_LINES(lines) expect_lines(lines, __FILE__, __LINE__)

static void expect_lines(const char *const *lines, const char *file, int line)
{
	char text[4096] = "";

	for (; *lines; lines++)
		strncat(text, *lines, sizeof(text) - strlen(text) - 1);
	expect_output(text, file, line);
}

static void list(void)
{
	static const char *const text[] = {
		"ID   PID  COMMAND            HCA     STATE     OBJECTS      PINNED  NAME\n",
		" 3  1234  qemu-system-x86    rxe0    running        19  8589934592  web\\0401\n",
		"12    98  a\\012b\\134\\033[2J  mlx5_0  hca-gone       19           0  -\n",
		NULL,
	};
	struct hyv_vnic *vnics[MAX_LIST];

	fill_vnics(vnics, two, 2);
	report_list(out(), false, vnics);
	EXPECT_LINES(text);
	free_vnics(vnics);

	fill_vnics(vnics, NULL, 0);
	report_list(out(), false, vnics);
	EXPECT_OUTPUT("ID  PID  COMMAND  HCA  STATE  OBJECTS  PINNED  NAME\n");
	report_list(out(), true, vnics);
	EXPECT_OUTPUT("[]\n");
}

static void show(void)
{
	static const char *const text[] = {
		"vnic 3\n",
		"    name                     web\\0401\n",
		"    pid                      1234\n",
		"    command                  qemu-system-x86\n",
		"    hca                      rxe0\n",
		"    state                    running\n",
		"    pinned_bytes             8589934592 of 1099511627776\n",
		"    queue_bytes              25769803776 of 2199023255552\n",
		"    mr_bytes                 2048 of 268435456\n",
		"    stitch_vmas              7 of 8192\n",
		"    mcast                    1 of 1024\n",
		"    mcast_addrs              2 of 512\n",
		"    vmm_mrs                  3 of 262144\n",
		"    user_vnics               4 of 100\n",
		"    doorbell_pages           24 of 4096\n",
		"    window_bytes             8192 of 67108864\n",
		"    leaked                   5\n",
		"    objects.context          2 of 64\n",
		"    objects.qp               17 of 1024\n",
		"    counters.commands        1000\n",
		"    counters.errors          1001\n",
		"    counters.doorbells       1002\n",
		"    counters.arms            1003\n",
		"    counters.kicks           1004\n",
		"    counters.events          1005\n",
		"    counters.event_stalls    1006\n",
		"    counters.interrupts      1007\n",
		NULL,
	};
	struct hyv_vnic *vnics[MAX_LIST];

	fill_vnics(vnics, two, 1);
	report_show(out(), false, true, vnics);
	EXPECT_LINES(text);
	report_show(out(), true, true, vnics);
	EXPECT_OUTPUT(VNIC_3 "\n");
	report_show(out(), true, false, vnics);
	EXPECT_OUTPUT("[" VNIC_3 "]\n");
	free_vnics(vnics);

	fill_vnics(vnics, two, 2);
	report_show(out(), true, false, vnics);
	EXPECT_OUTPUT("[" VNIC_3 "," VNIC_12 "]\n");
	free_vnics(vnics);
}

static void show_no_limit(void)
{
	struct sample sample = two[0];
	struct hyv_vnic *vnics[MAX_LIST];
	char *got;

	sample.quota_max[HYV_NL_QUOTA_PINNED] = UINT64_MAX;
	fill_vnics(vnics, &sample, 1);
	report_show(out(), false, true, vnics);
	got = take_output();
	EXPECT(strstr(got,
		      "pinned_bytes             8589934592 of unlimited\n"));
	free(got);
	free_vnics(vnics);
}

static void stats(void)
{
	static const char *const text[] = {
		"ID   PID  HCA     OBJECTS      PINNED              COMMANDS                ERRORS             DOORBELLS                  ARMS                 KICKS                EVENTS          EVENT_STALLS            INTERRUPTS\n",
		" 3  1234  rxe0         19  8589934592                  1000                  1001                  1002                  1003                  1004                  1005                  1006                  1007\n",
		"12    98  mlx5_0       19           0  18446744073709551608  18446744073709551609  18446744073709551610  18446744073709551611  18446744073709551612  18446744073709551613  18446744073709551614  18446744073709551615\n",
		NULL,
	};
	struct hyv_vnic *vnics[MAX_LIST];

	fill_vnics(vnics, two, 2);
	report_stats(out(), false, vnics);
	EXPECT_LINES(text);
	report_stats(out(), true, vnics);
	EXPECT_OUTPUT("[" VNIC_3 "," VNIC_12 "]\n");
	free_vnics(vnics);
}

/* One vNIC was detached, one attached, and one has counted. */
static void rates(void)
{
	static const char *const text[] = {
		"ID   PID  HCA   OBJECTS      PINNED  COMMANDS/s  ERRORS/s  DOORBELLS/s  ARMS/s  KICKS/s  EVENTS/s  EVENT_STALLS/s  INTERRUPTS/s\n",
		" 3  1234  rxe0       19  8589934592       234.5     234.5        234.5   234.5    234.5     234.5           234.5         234.5\n",
		NULL,
	};
	static const char *const zero[] = {
		"ID   PID  HCA   OBJECTS      PINNED  COMMANDS/s  ERRORS/s  DOORBELLS/s  ARMS/s  KICKS/s  EVENTS/s  EVENT_STALLS/s  INTERRUPTS/s\n",
		" 3  1234  rxe0       19  8589934592         0.0       0.0          0.0     0.0      0.0       0.0             0.0           0.0\n",
		NULL,
	};
	struct hyv_vnic *before[MAX_LIST], *now[MAX_LIST];
	struct sample later[] = {two[0], two[0]};

	later[0].counter += 2345;
	later[1].id = 99;
	fill_vnics(before, two, 2);
	fill_vnics(now, later, 2);
	report_rates(out(), false, before, now, 10);
	EXPECT_LINES(text);
	/* hyv.ko was loaded again: no negative rates. */
	report_rates(out(), false, now, before, 10);
	EXPECT_LINES(zero);
	free_vnics(before);
	free_vnics(now);
}

static void json_rates(void)
{
	static const char text[] =
		",\"seconds\":10.000,\"vnics\":[{" RATES_3 "}]}\n";
	struct hyv_vnic *before[MAX_LIST], *now[MAX_LIST];
	struct sample later[] = {two[0], two[0]};
	char *got;

	later[0].counter += 2345;
	later[1].id = 99;
	fill_vnics(before, two, 2);
	fill_vnics(now, later, 2);
	report_rates(out(), true, before, now, 10);
	got = take_output();

	EXPECT(is_json_line(got));
	EXPECT(!strncmp(got, "{\"time\":", 8));
	EXPECT_STR(strchr(got, ','), text);
	free(got);
	free_vnics(before);
	free_vnics(now);
}

#define DENIED                                                              \
	"guests may be able to crash the host; to allow it anyway: echo 1 " \
	">/sys/module/hyv/parameters/allow_trusted_only_hca"
#define NEWER "unknown to this version of hyv; see the documentation of hyv.ko"

static void hcas(void)
{
	static const char *const text[] = {
		"HCA         DRIVER   VNICS  LEAKED  USE                  NOTE\n",
		"mlx5_0      mlx5         0       0  usable               -\n",
		"rxe0        rxe          1      10  trusted-only-denied  " DENIED
		"\n",
		"efa         efa          2      20  unsupported          hyv.ko does not support HCAs of this driver\n",
		"new\\040one  unknown      3      30  unknown              " NEWER
		"\n",
		"new2        unknown      4      40  unknown              " NEWER
		"\n",
		NULL,
	};
	static const char *const json[] = {
		"[{\"name\":\"mlx5_0\",\"driver\":\"mlx5\",\"driver_id\":1,\"vnics\":0,\"leaked\":0,\"use\":\"usable\",\"note\":\"\"},",
		"{\"name\":\"rxe0\",\"driver\":\"rxe\",\"driver_id\":14,\"vnics\":1,\"leaked\":10,",
		"\"use\":\"trusted-only-denied\",\"note\":\"",
		DENIED "\"},",
		"{\"name\":\"efa\",\"driver\":\"efa\",\"driver_id\":17,\"vnics\":2,\"leaked\":20,\"use\":\"unsupported\",\"note\":\"hyv.ko does not support HCAs of this driver\"},",
		"{\"name\":\"new one\",\"driver\":\"unknown\",\"driver_id\":0,\"vnics\":3,\"leaked\":30,",
		"\"use\":\"unknown\",\"note\":\"",
		NEWER "\"},",
		"{\"name\":\"new2\",\"driver\":\"unknown\",\"driver_id\":4000000000,\"vnics\":4,\"leaked\":40,",
		"\"use\":\"unknown\",\"note\":\"",
		NEWER "\"}]\n",
		NULL,
	};
	static const struct {
		const char *name;
		uint32_t driver_id;
		uint32_t use;
	} samples[] = {
		{"mlx5_0", RDMA_DRIVER_MLX5, HYV_NL_HCA_USABLE},
		{"rxe0", RDMA_DRIVER_RXE, HYV_NL_HCA_TRUSTED_ONLY_DENIED},
		{"efa", RDMA_DRIVER_EFA, HYV_NL_HCA_UNSUPPORTED},
		{"new one", RDMA_DRIVER_UNKNOWN, 77},
		{"new2", 4000000000U, 4000000000U},
	};
	struct hyv_hca *list_of[NR_ELEMENTS(samples) + 1] = {NULL};
	struct nl_msg *msg;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(samples); i++) {
		msg = hca_message(samples[i].name, samples[i].driver_id,
				  samples[i].use, i);
		if (libhyv_snapshot_parse(&libhyv_hca_kind, nlmsg_hdr(msg),
					  (void **)&list_of[i]))
			abort();
		nlmsg_free(msg);
		EXPECT_EQ(hyv_hca_use(list_of[i]), samples[i].use);
	}
	report_hcas(out(), false, list_of);
	EXPECT_LINES(text);
	report_hcas(out(), true, list_of);
	EXPECT_LINES(json);
	report_hcas(out(), true, list_of + NR_ELEMENTS(samples));
	EXPECT_OUTPUT("[]\n");
	for (i = 0; i < NR_ELEMENTS(samples); i++)
		libhyv_snapshot_free(&libhyv_hca_kind, list_of[i]);
}

static void map(void)
{
	static const char *const text[] = {
		"GID       VIA          VNIC  HCA\n",
		"10.0.0.1  192.168.0.9  -     -\n",
		"10.0.0.2  -            12    new\\040one\n",
		"fd00::1   fd01::1      -     -\n",
		"fe80::1   -            7     -\n",
		NULL,
	};
	static const char *const json[] = {
		"[{\"gid\":\"10.0.0.1\",\"via\":\"192.168.0.9\"},",
		"{\"gid\":\"10.0.0.2\",\"vnic\":12,\"hca\":\"new one\"},",
		"{\"gid\":\"fd00::1\",\"via\":\"fd01::1\"},",
		"{\"gid\":\"fe80::1\",\"vnic\":7,\"hca\":\"\"}]\n",
		NULL,
	};
	struct nl_msg *msgs[] = {
		entry_message("10.0.0.1", "192.168.0.9", 0, NULL),
		entry_message("10.0.0.2", NULL, 12, "new one"),
		entry_message("fd00::1", "fd01::1", 0, NULL),
		/* Its HCA was removed. */
		entry_message("fe80::1", NULL, 7, NULL),
	};
	struct hyv_map_entry *entries[NR_ELEMENTS(msgs) + 1] = {NULL};
	size_t i;

	for (i = 0; i < NR_ELEMENTS(msgs); i++) {
		if (libhyv_snapshot_parse(&libhyv_entry_kind,
					  nlmsg_hdr(msgs[i]),
					  (void **)&entries[i]))
			abort();
		nlmsg_free(msgs[i]);
	}
	EXPECT_EQ(hyv_map_entry_vnic(entries[0]), 0);
	EXPECT_STR(hyv_map_entry_hca(entries[0]), "");
	report_map(out(), false, entries);
	EXPECT_LINES(text);
	report_map(out(), true, entries);
	EXPECT_LINES(json);
	report_map(out(), false, entries + NR_ELEMENTS(msgs));
	EXPECT_OUTPUT("GID  VIA  VNIC  HCA\n");
	report_map(out(), true, entries + NR_ELEMENTS(msgs));
	EXPECT_OUTPUT("[]\n");

	report_map_entry(out(), false, entries[0]);
	EXPECT_OUTPUT("gid 10.0.0.1\n"
		      "    via                      192.168.0.9\n");
	report_map_entry(out(), false, entries[1]);
	EXPECT_OUTPUT("gid 10.0.0.2\n"
		      "    vnic                     12\n"
		      "    hca                      new\\040one\n");
	report_map_entry(out(), true, entries[0]);
	EXPECT_OUTPUT("{\"gid\":\"10.0.0.1\",\"via\":\"192.168.0.9\"}\n");
	for (i = 0; i < NR_ELEMENTS(msgs); i++)
		hyv_map_entry_free(entries[i]);
}

static void words(void)
{
	static const struct {
		const char *text;
		const char *word;
	} cases[] = {
		{"", "-"},
		{"-", "-"},
		{"rxe0", "rxe0"},
		{"~!\"'$", "~!\"'$"},
		{"a b", "a\\040b"},
		{"\\040", "\\134040"},
		{"\x1b]0;x\a", "\\033]0;x\\007"},
		{"\x7f\xc3\xa4\xff", "\\177\\303\\244\\377"},
		{"\t\r\n", "\\011\\015\\012"},
	};
	char *word;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(cases); i++) {
		word = word_of(cases[i].text);
		EXPECT_STR(word, cases[i].word);
		free(word);
	}
}

static void columns(void)
{
	static const char *const text[] = {
		"  N  WORD    SIZE\n",
		"100  12a      2.5\n",
		"  7  -     123456\n",
		NULL,
	};
	struct table table = {.nr_columns = 3};

	table_add(&table, "N");
	table_add(&table, "WORD");
	table_add(&table, "SIZE");
	table_add_u64(&table, 100);
	table_add_word(&table, "12a");
	table_add_fixed(&table, 2.5);
	table_add_u64(&table, 7);
	table_add_word(&table, "");
	table_add(&table, "123456");
	table_print(&table, out());
	EXPECT_LINES(text);
	table_free(&table);
}

static void json_strings(void)
{
	static const struct {
		const char *text;
		const char *json;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c/", "\"a\\\"b\\\\c/\""},
		{"\n\x01\x7f", "\"\\u000a\\u0001\\u007f\""},
		/* UTF-8 of 2, 3 and 4 bytes */
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
		/* control characters of 2 bytes, and the first that is none */
		{"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0",
		 "\"\\u0080\\u009b\\u009f\xc2\xa0\""},
		/* cut off, a lone continuation, overlong */
		{"a\xc3", "\"a\\ufffd\""},
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},
		{"\x80z", "\"\\ufffdz\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""},
		/* a surrogate, above U+10FFFF, never a start */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{"\xff\xfe", "\"\\ufffd\\ufffd\""},
	};
	struct json json;
	size_t i;

	for (i = 0; i < NR_ELEMENTS(cases); i++) {
		json.out = out();
		json.more = false;
		json_string(&json, NULL, cases[i].text);
		EXPECT_OUTPUT(cases[i].json);
	}
}

/* Names and commands of random bytes. */
static void json_of_random_strings(void)
{
	struct hyv_vnic *vnics[MAX_LIST];
	char name[65] = "", *got;
	struct sample odd;
	int round;
	size_t i;

	for (round = 0; round < 2000; round++) {
		for (i = 0; i < sizeof(name) - 1; i++)
			name[i] = random_u32();
		odd = two[0];
		odd.name = name;
		odd.comm = name + 32;
		fill_vnics(vnics, &odd, 1);
		report_list(out(), true, vnics);
		got = take_output();
		if (!EXPECT(is_json_line(got)))
			tap_diag("%s", got);
		free(got);
		free_vnics(vnics);
	}
}

const struct test tests[] = {
	{"hyv list", list},
	{"hyv show", show},
	{"hyv show without a limit", show_no_limit},
	{"hyv stats", stats},
	{"hyv stats --watch", rates},
	{"hyv stats --watch --json", json_rates},
	{"hyv hcas", hcas},
	{"hyv map list and hyv map show", map},
	{"untrusted strings become one harmless word", words},
	{"columns are aligned", columns},
	{"strings in JSON", json_strings},
	{"random strings result in valid JSON", json_of_random_strings},
	{NULL, NULL},
};
