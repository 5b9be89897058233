// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of a kernel or of one of its modules.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <uapi/linux/btf.h>

#include "hca/btf.h"

/* Bytes of the first header; those of newer kernels declare more, but need not have it. */
#define HYVH_BTF_HEADER_LEN	24

/* Bytes after a struct btf_type, or -EINVAL if its kind is not known. */
static s64 hyvh_btf_tail(const struct btf_type *type)
{
	u64 vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return sizeof(u32);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	default:
		return -EINVAL;
	}
}

/* The type at @at, which moves to the next one; NULL at the end. */
static const struct btf_type *hyvh_btf_next(const struct hyvh_btf *btf, u32 *at)
{
	const struct btf_type *type = btf->types + *at;
	s64 tail;

	if (btf->types_len - *at < sizeof(*type))
		return NULL;
	tail = hyvh_btf_tail(type);
	if (tail < 0 || tail > btf->types_len - *at - sizeof(*type))
		return NULL;
	*at += sizeof(*type) + tail;
	return type;
}

/**
 * hyvh_btf_open() - use the types in a file of /sys/kernel/btf
 * @btf: filled in
 * @base: types of the kernel, or NULL if these are them
 * @data: content of the file; must exist as long as @btf, aligned to 4 bytes
 * @len: its bytes
 *
 * Return: 0, or -EINVAL if the format is not known.
 */
int hyvh_btf_open(struct hyvh_btf *btf, const struct hyvh_btf *base,
		  const void *data, size_t len)
{
	const struct btf_header *hdr = data;
	u64 types, strings;
	u32 at = 0;

	if (len < HYVH_BTF_HEADER_LEN || hdr->magic != BTF_MAGIC ||
	    hdr->version != BTF_VERSION || hdr->hdr_len < HYVH_BTF_HEADER_LEN)
		return -EINVAL;
	types = (u64)hdr->hdr_len + hdr->type_off;
	strings = (u64)hdr->hdr_len + hdr->str_off;
	if (types + hdr->type_len > len || types % sizeof(u32) ||
	    strings + hdr->str_len > len)
		return -EINVAL;

	btf->base = base;
	btf->types = data + types;
	btf->types_len = hdr->type_len;
	btf->first_type = base ? base->end_type : 1;
	btf->strings = data + strings;
	btf->first_string = base ? base->end_string : 0;
	btf->end_string = btf->first_string + hdr->str_len;
	if (btf->end_string < btf->first_string ||
	    (hdr->str_len && btf->strings[hdr->str_len - 1]))
		return -EINVAL;
	btf->end_type = btf->first_type;
	while (hyvh_btf_next(btf, &at))
		btf->end_type++;
	return at == btf->types_len ? 0 : -EINVAL;
}

/* The string at an offset, or an empty one. */
static const char *hyvh_btf_string(const struct hyvh_btf *btf, u32 offset)
{
	while (btf && offset < btf->first_string)
		btf = btf->base;
	if (!btf || offset >= btf->end_string)
		return "";
	return btf->strings + (offset - btf->first_string);
}

/* The type with a number, or NULL. */
static const struct btf_type *hyvh_btf_type(const struct hyvh_btf *btf, u32 id)
{
	const struct btf_type *type;
	u32 at = 0, n;

	while (btf && id < btf->first_type)
		btf = btf->base;
	if (!btf || id >= btf->end_type)
		return NULL;
	n = btf->first_type;
	do
		type = hyvh_btf_next(btf, &at);
	while (type && n++ < id);
	return type;
}

/* The type of a kind that has a name, or NULL. Looks into the base, too. */
static const struct btf_type *hyvh_btf_find(const struct hyvh_btf *btf, u32 kind,
					    const char *name)
{
	const struct btf_type *type;
	const struct hyvh_btf *part;
	u32 at;

	for (part = btf; part; part = part->base) {
		at = 0;
		while ((type = hyvh_btf_next(part, &at)))
			if (BTF_INFO_KIND(type->info) == kind &&
			    !strcmp(hyvh_btf_string(btf, type->name_off), name))
				return type;
	}
	return NULL;
}

/* The size of a structure, or -ENOENT. */
int hyvh_btf_size(const struct hyvh_btf *btf, const char *name)
{
	const struct btf_type *type = hyvh_btf_find(btf, BTF_KIND_STRUCT, name);

	return type ? type->size : -ENOENT;
}

/* The offset of a member in a structure, or -ENOENT. */
int hyvh_btf_member(const struct hyvh_btf *btf, const char *name,
		    const char *member)
{
	const struct btf_type *type = hyvh_btf_find(btf, BTF_KIND_STRUCT, name);
	const struct btf_member *members = (const void *)(type + 1);
	u32 i, bits;

	if (!type)
		return -ENOENT;
	for (i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		if (strcmp(hyvh_btf_string(btf, members[i].name_off), member))
			continue;
		bits = members[i].offset;
		if (BTF_INFO_KFLAG(type->info))
			bits = BTF_MEMBER_BIT_OFFSET(bits);
		return bits / BITS_PER_BYTE;
	}
	return -ENOENT;
}

/* The name of the structure that a type points to, or an empty one. */
static const char *hyvh_btf_pointee(const struct hyvh_btf *btf, u32 id)
{
	const struct btf_type *type = hyvh_btf_type(btf, id);

	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_PTR)
		return "";
	type = hyvh_btf_type(btf, type->type);
	if (type && BTF_INFO_KIND(type->info) == BTF_KIND_CONST)
		type = hyvh_btf_type(btf, type->type);
	if (!type || (BTF_INFO_KIND(type->info) != BTF_KIND_STRUCT &&
		      BTF_INFO_KIND(type->info) != BTF_KIND_FWD))
		return "";
	return hyvh_btf_string(btf, type->name_off);
}

/**
 * hyvh_btf_params() - list what a function takes
 * @btf: types
 * @function: name of the function
 * @names: set to the name of the structure that each parameter points to, or to
 *	an empty string if it is something else
 * @max: entries in @names
 *
 * Return: the number of parameters, or -ENOENT if the function is not known.
 */
int hyvh_btf_params(const struct hyvh_btf *btf, const char *function,
		    const char **names, unsigned int max)
{
	const struct btf_type *type = hyvh_btf_find(btf, BTF_KIND_FUNC, function);
	const struct btf_param *params;
	u32 i, nr;

	type = type ? hyvh_btf_type(btf, type->type) : NULL;
	if (!type || BTF_INFO_KIND(type->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	params = (const void *)(type + 1);
	nr = BTF_INFO_VLEN(type->info);
	for (i = 0; i < nr && i < max; i++)
		names[i] = hyvh_btf_pointee(btf, params[i].type);
	return nr;
}
