/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the types of a kernel or of one of its modules (BTF; see
 * Documentation/bpf/btf.rst).
 */
#ifndef HYVH_BTF_H
#define HYVH_BTF_H

#include <linux/types.h>

/* The types of a module continue the numbers and the strings of the kernel's. */
struct hyvh_btf {
	const struct hyvh_btf *base;	/* the kernel's, or NULL if it is that */
	const void *types;
	u32 types_len;
	u32 first_type;			/* number of the first one */
	u32 end_type;			/* number after the last one */
	const char *strings;		/* ends with a zero */
	u32 first_string;		/* offset of the first one */
	u32 end_string;
};

int hyvh_btf_open(struct hyvh_btf *btf, const struct hyvh_btf *base,
		  const void *data, size_t len);
int hyvh_btf_size(const struct hyvh_btf *btf, const char *name);
int hyvh_btf_member(const struct hyvh_btf *btf, const char *name,
		    const char *member);
int hyvh_btf_params(const struct hyvh_btf *btf, const char *function,
		    const char **names, unsigned int max);

#endif /* HYVH_BTF_H */
