// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of provider data from guests, by the tables of hyv/provider.h.
 *
 * A driver trusts a process of the host to harm only itself, and lets it do what HyV
 * cannot do for a guest.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "hca/provider_rules.h"

static const struct hyv_udata_request hyvh_provider_requests[] = {
	HYV_FOR_EACH_UDATA_REQUEST(HYV_UDATA_REQUEST)
};

static const struct hyv_udata_field hyvh_provider_fields[] = {
	HYV_FOR_EACH_UDATA_FIELD(HYV_UDATA_FIELD)
};

static const struct hyv_mmap_command hyvh_provider_mmaps[] = {
	HYV_FOR_EACH_MMAP_COMMAND(HYV_MMAP_COMMAND)
};

/* Bytes that the driver knows; U32_MAX if everything passes. */
static u32 hyvh_provider_known(u32 driver_id, u16 opcode)
{
	const struct hyv_udata_request *request;
	u32 known = U32_MAX;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hyvh_provider_requests); i++) {
		request = &hyvh_provider_requests[i];
		if (request->driver_id != driver_id)
			continue;
		if (request->opcode == opcode)
			return request->length;
		known = 0;
	}
	return known;
}

static bool hyvh_provider_field_ok(const struct hyv_udata_field *field,
				   u64 value)
{
	switch (field->check) {
	case HYV_CHECK_BITS:
		return !(value & ~field->value);
	case HYV_CHECK_MAX:
		return value <= field->value;
	case HYV_CHECK_POW2:
		return value <= field->value && !(value & (value - 1));
	default:
		return true;
	}
}

static u64 hyvh_provider_edit(const struct hyv_udata_field *field, u64 value)
{
	switch (field->check) {
	case HYV_CHECK_KEEP:
		return value & field->value;
	case HYV_CHECK_CAP:
		return min(value, field->value);
	default:
		return value;
	}
}

static void hyvh_provider_set(void *at, u8 size, u64 value)
{
	u32 value32 = value;
	u16 value16 = value;
	u8 value8 = value;

	switch (size) {
	case 1:
		memcpy(at, &value8, size);
		break;
	case 2:
		memcpy(at, &value16, size);
		break;
	case 4:
		memcpy(at, &value32, size);
		break;
	default:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

static int hyvh_provider_field(const struct hyv_udata_field *field, void *udata,
			       u32 len)
{
	u64 value, edited;

	/* A part of a field would be one that was not checked. */
	if (len > field->offset && len < field->offset + field->size)
		return -EINVAL;
	if (len <= field->offset)
		return 0;
	value = hyv_udata_get(udata, len, field->offset, field->size);
	if (!hyvh_provider_field_ok(field, value))
		return -EINVAL;
	edited = hyvh_provider_edit(field, value);
	if (edited != value)
		hyvh_provider_set(udata + field->offset, field->size, edited);
	return 0;
}

/**
 * hyvh_provider_filter() - check and edit provider data of a request
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode
 * @udata: the data; the guest cannot write there
 * @len: bytes of @udata
 *
 * Return: 0; -EINVAL if a field has a value that is not allowed, as a card says that
 * has no such feature; or -EOPNOTSUPP if there is something behind what is known.
 */
int hyvh_provider_filter(u32 driver_id, u16 opcode, void *udata, u32 len)
{
	u32 known = hyvh_provider_known(driver_id, opcode);
	const struct hyv_udata_field *field;
	unsigned int i;
	int ret;

	if (len > known && memchr_inv(udata + known, 0, len - known))
		return -EOPNOTSUPP;
	for (i = 0; i < ARRAY_SIZE(hyvh_provider_fields); i++) {
		field = &hyvh_provider_fields[i];
		if (field->driver_id != driver_id || field->opcode != opcode)
			continue;
		ret = hyvh_provider_field(field, udata, len);
		if (ret)
			return ret;
	}
	return 0;
}

static u32 hyvh_provider_pages(const void *udata, u32 len, u32 offset)
{
	return min_t(u32, hyv_udata_get(udata, len, offset, 4) / 2,
		     HYV_MLX5_MAX_UARS);
}

/* Doorbell pages of a context, from the reply to ALLOC_CONTEXT. */
void hyvh_provider_doorbells(u32 driver_id, const void *udata, u32 len,
			     struct hyvh_doorbell_pages *pages)
{
	memset(pages, 0, sizeof(*pages));
	/* tot_bfregs, num_dyn_bfregs of struct mlx5_ib_alloc_ucontext_resp. */
	if (driver_id == RDMA_DRIVER_MLX5) {
		pages->nr = hyvh_provider_pages(udata, len, 8);
		pages->nr_own = hyvh_provider_pages(udata, len, 64);
	}
}

static bool hyvh_provider_page_ok(const struct hyv_mmap_command *mmap,
				  u64 index, bool writable,
				  const struct hyvh_doorbell_pages *pages)
{
	switch (mmap->kind) {
	case HYV_MMAP_DOORBELLS:
		return index < pages->nr;
	case HYV_MMAP_OWN_DOORBELLS:
		return index < pages->nr_own;
	default:
		return !index && !writable;
	}
}

/**
 * hyvh_provider_mmap() - check if memory belongs to every context
 * @driver_id: enum rdma_driver_id
 * @range: what to map
 * @writable: for writing, too
 * @pages: doorbell pages of the context
 * @own: set to the number of a page that the driver makes for this mapping, which it
 *	does once; or to -1
 *
 * Return: 1 if the context may map it; 0 if it does not belong to every context; or
 * -EINVAL.
 */
int hyvh_provider_mmap(u32 driver_id, const struct hyvh_mmap_range *range,
		       bool writable, const struct hyvh_doorbell_pages *pages,
		       int *own)
{
	u64 pgoff = range->offset >> PAGE_SHIFT;
	/* The offset of mlx5: a command, and the two parts of an index. */
	u64 index = (pgoff & 0xff) | (pgoff >> 16 << 8);
	u8 command = pgoff >> 8;
	const struct hyv_mmap_command *mmap;
	unsigned int i;
	int ret = 0;

	*own = -1;
	for (i = 0; i < ARRAY_SIZE(hyvh_provider_mmaps); i++) {
		mmap = &hyvh_provider_mmaps[i];
		if (mmap->driver_id != driver_id)
			continue;
		ret = -EINVAL;
		if (mmap->command != command)
			continue;
		if (!PAGE_ALIGNED(range->offset) ||
		    range->length != PAGE_SIZE ||
		    !hyvh_provider_page_ok(mmap, index, writable, pages))
			break;
		if (mmap->kind == HYV_MMAP_OWN_DOORBELLS)
			*own = index;
		return 1;
	}
	return ret;
}
