// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A writer of valid JSON. */
#include <inttypes.h>
#include <string.h>

#include "output.h"

/*
 * Length of the UTF-8 sequence at @s, or 0 if it is invalid: overlong, a
 * surrogate, or above U+10FFFF.
 */
static size_t utf8_len(const unsigned char *s)
{
	uint32_t code, min;
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if ((s[0] & 0xe0) == 0xc0) {
		len = 2;
		min = 0x80;
		code = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		len = 3;
		min = 0x800;
		code = s[0] & 0x0f;
	} else if ((s[0] & 0xf8) == 0xf0) {
		len = 4;
		min = 0x10000;
		code = s[0] & 0x07;
	} else {
		return 0;
	}
	for (i = 1; i < len; i++) {
		/* Also ends at the NUL. */
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < min || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len;
}

/* U+0080 to U+009F: terminals obey some, as they do those below U+0020. */
static bool is_c1(const unsigned char *s, size_t len)
{
	return len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

static void write_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	fputc('"', out);
	for (; *s; s += len) {
		len = utf8_len(s);
		if (!len) {
			len = 1;
			fputs("\\ufffd", out);
		} else if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if (*s < ' ' || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s);
		} else if (is_c1(s, len)) {
			fprintf(out, "\\u%04x", s[1]);
		} else {
			fwrite(s, 1, len, out);
		}
	}
	fputc('"', out);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->more)
		fputc(',', json->out);
	json->more = true;
	if (key) {
		write_string(json->out, key);
		fputc(':', json->out);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin_value(json, key);
	fputc(bracket, json->out);
	json->more = false;
}

void json_close(struct json *json, char bracket)
{
	fputc(bracket, json->out);
	json->more = true;
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_fixed(struct json *json, const char *key, double value)
{
	begin_value(json, key);
	fprintf(json->out, "%.3f", value);
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin_value(json, key);
	write_string(json->out, value);
}
