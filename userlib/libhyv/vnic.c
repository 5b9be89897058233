// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of vNICs. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include <linux/hyv_netlink.h>
#include <netlink/attr.h>

#include "private.h"

static_assert((int)HYV_VNIC_ATTACHED == HYV_NL_VNIC_ATTACHED, "ABI");
static_assert((int)HYV_VNIC_RUNNING == HYV_NL_VNIC_RUNNING, "ABI");
static_assert((int)HYV_VNIC_HCA_GONE == HYV_NL_VNIC_HCA_GONE, "ABI");

#define ASSERT_QUOTA(NAME, name)                                           \
	static_assert((int)HYV_QUOTA_##NAME == (int)HYV_NL_QUOTA_##NAME && \
			      HYV_NL_QUOTA_##NAME < LIBHYV_NR_QUOTAS,      \
		      "ABI");
HYV_FOR_EACH_QUOTA(ASSERT_QUOTA)

/**
 * struct object_type - the objects of one type that a vNIC has
 * @name: points into the message of the snapshot
 * @count: current number
 * @max: limit
 */
struct object_type {
	const char *name;
	uint32_t count;
	uint32_t max;
};

/**
 * struct hyv_vnic - snapshot of a vNIC
 * @objects: @nr_objects entries, allocated
 *
 * Strings point into the message of the snapshot.
 */
struct hyv_vnic {
	uint32_t id;
	uint32_t pid;
	uint32_t state;
	const char *name;
	const char *comm;
	const char *hca;
	uint64_t quota_used[LIBHYV_NR_QUOTAS];
	uint64_t quota_max[LIBHYV_NR_QUOTAS];
	uint64_t window_used;
	uint64_t window_size;
	uint32_t nr_leaked;
	uint64_t counters[LIBHYV_NR_COUNTERS];
	size_t nr_objects;
	struct object_type *objects;
};

static const struct {
	const char *name;
	int attr;
} counters[LIBHYV_NR_COUNTERS] = {
	[HYV_COUNTER_COMMANDS] = {"commands", HYV_NL_A_COUNTER_COMMANDS},
	[HYV_COUNTER_ERRORS] = {"errors", HYV_NL_A_COUNTER_ERRORS},
	[HYV_COUNTER_DOORBELLS] = {"doorbells", HYV_NL_A_COUNTER_DOORBELLS},
	[HYV_COUNTER_ARMS] = {"arms", HYV_NL_A_COUNTER_ARMS},
	[HYV_COUNTER_KICKS] = {"kicks", HYV_NL_A_COUNTER_KICKS},
	[HYV_COUNTER_EVENTS] = {"events", HYV_NL_A_COUNTER_EVENTS},
	[HYV_COUNTER_EVENT_STALLS] = {"event_stalls",
				      HYV_NL_A_COUNTER_EVENT_STALLS},
	[HYV_COUNTER_INTERRUPTS] = {"interrupts", HYV_NL_A_COUNTER_INTERRUPTS},
};

/* --- From messages --- */

static int fill_object(struct object_type *object, const struct nlattr *nest)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	int ret;

	ret = libhyv_parse_nest(nest, tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_OBJECT_TYPE_NAME])
		return -EBADMSG;
	object->name = libhyv_get_string(tb[HYV_NL_A_OBJECT_TYPE_NAME]);
	object->count = libhyv_get_u32(tb[HYV_NL_A_OBJECT_COUNT]);
	object->max = libhyv_get_u32(tb[HYV_NL_A_OBJECT_MAX]);
	return 0;
}

static int fill_objects(struct hyv_vnic *vnic, struct nlattr *nest)
{
	struct nlattr *pos;
	size_t room = 0;
	int rem, ret;

	nla_for_each_nested(pos, nest, rem)
		room++;
	if (rem > 0)
		return -EBADMSG;
	if (!room)
		return 0;
	vnic->objects = calloc(room, sizeof(*vnic->objects));
	if (!vnic->objects)
		return -ENOMEM;
	nla_for_each_nested(pos, nest, rem) {
		if (nla_type(pos) != HYV_NL_A_OBJECT)
			continue;
		ret = fill_object(&vnic->objects[vnic->nr_objects], pos);
		if (ret)
			return ret;
		vnic->nr_objects++;
	}
	return 0;
}

static int fill_quota(struct hyv_vnic *vnic, const struct nlattr *nest)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	uint32_t type;
	int ret;

	ret = libhyv_parse_nest(nest, tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_QUOTA_TYPE])
		return -EBADMSG;
	type = libhyv_get_u32(tb[HYV_NL_A_QUOTA_TYPE]);
	/* A newer kernel may have more. */
	if (type < LIBHYV_NR_QUOTAS) {
		vnic->quota_used[type] =
			libhyv_get_u64(tb[HYV_NL_A_QUOTA_USED]);
		vnic->quota_max[type] = libhyv_get_u64(tb[HYV_NL_A_QUOTA_MAX]);
	}
	return 0;
}

static int fill_quotas(struct hyv_vnic *vnic, struct nlattr *nest)
{
	struct nlattr *pos;
	int rem, ret;

	nla_for_each_nested(pos, nest, rem) {
		if (nla_type(pos) != HYV_NL_A_QUOTA)
			continue;
		ret = fill_quota(vnic, pos);
		if (ret)
			return ret;
	}
	return rem > 0 ? -EBADMSG : 0;
}

static int fill_counters(struct hyv_vnic *vnic, const struct nlattr *nest)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	size_t i;
	int ret;

	ret = libhyv_parse_nest(nest, tb);
	if (ret)
		return ret;
	for (i = 0; i < LIBHYV_NR_COUNTERS; i++)
		vnic->counters[i] = libhyv_get_u64(tb[counters[i].attr]);
	return 0;
}

static int fill_vnic(void *item, struct nlattr **tb)
{
	struct hyv_vnic *vnic = item;
	int ret = 0;

	if (!tb[HYV_NL_A_VNIC_ID])
		return -EBADMSG;
	vnic->id = libhyv_get_u32(tb[HYV_NL_A_VNIC_ID]);
	vnic->pid = libhyv_get_u32(tb[HYV_NL_A_VNIC_PID]);
	vnic->state = libhyv_get_u32(tb[HYV_NL_A_VNIC_STATE]);
	vnic->name = libhyv_get_string(tb[HYV_NL_A_VNIC_NAME]);
	vnic->comm = libhyv_get_string(tb[HYV_NL_A_VNIC_COMM]);
	vnic->hca = libhyv_get_string(tb[HYV_NL_A_HCA_NAME]);
	vnic->window_used = libhyv_get_u64(tb[HYV_NL_A_VNIC_WINDOW_USED]);
	vnic->window_size = libhyv_get_u64(tb[HYV_NL_A_VNIC_WINDOW_SIZE]);
	vnic->nr_leaked = libhyv_get_u32(tb[HYV_NL_A_VNIC_LEAKED]);
	if (tb[HYV_NL_A_VNIC_OBJECTS])
		ret = fill_objects(vnic, tb[HYV_NL_A_VNIC_OBJECTS]);
	if (!ret && tb[HYV_NL_A_VNIC_QUOTAS])
		ret = fill_quotas(vnic, tb[HYV_NL_A_VNIC_QUOTAS]);
	if (!ret && tb[HYV_NL_A_VNIC_COUNTERS])
		ret = fill_counters(vnic, tb[HYV_NL_A_VNIC_COUNTERS]);
	return ret;
}

static void release_vnic(void *item)
{
	struct hyv_vnic *vnic = item;

	free(vnic->objects);
}

const struct libhyv_kind libhyv_vnic_kind = {
	.cmd = HYV_NL_CMD_VNIC_GET,
	.size = sizeof(struct hyv_vnic),
	.fill = fill_vnic,
	.release = release_vnic,
};

/* --- Public functions --- */

int hyv_vnic_list(struct hyv_context *ctx, uint32_t pid, const char *hca,
		  struct hyv_vnic ***vnics)
{
	const struct libhyv_query query = {
		.cmd = HYV_NL_CMD_VNIC_GET,
		.dump = 1,
		.pid = pid,
		.hca = hca,
	};

	return libhyv_snapshot_list(ctx, &query, &libhyv_vnic_kind,
				    (void ***)vnics);
}

void hyv_vnic_list_free(struct hyv_vnic **vnics)
{
	libhyv_snapshot_list_free(&libhyv_vnic_kind, (void **)vnics);
}

int hyv_vnic_get(struct hyv_context *ctx, uint32_t id, struct hyv_vnic **out)
{
	const struct libhyv_query query = {
		.cmd = HYV_NL_CMD_VNIC_GET,
		.id = id,
	};

	return libhyv_snapshot_get(ctx, &query, &libhyv_vnic_kind,
				   (void **)out);
}

void hyv_vnic_free(struct hyv_vnic *vnic)
{
	libhyv_snapshot_free(&libhyv_vnic_kind, vnic);
}

uint32_t hyv_vnic_id(const struct hyv_vnic *vnic)
{
	return vnic->id;
}

const char *hyv_vnic_name(const struct hyv_vnic *vnic)
{
	return vnic->name;
}

uint32_t hyv_vnic_pid(const struct hyv_vnic *vnic)
{
	return vnic->pid;
}

const char *hyv_vnic_comm(const struct hyv_vnic *vnic)
{
	return vnic->comm;
}

const char *hyv_vnic_hca(const struct hyv_vnic *vnic)
{
	return vnic->hca;
}

uint32_t hyv_vnic_state(const struct hyv_vnic *vnic)
{
	return vnic->state;
}

const char *hyv_vnic_state_str(const struct hyv_vnic *vnic)
{
	switch (vnic->state) {
	case HYV_VNIC_ATTACHED:
		return "attached";
	case HYV_VNIC_RUNNING:
		return "running";
	case HYV_VNIC_HCA_GONE:
		return "hca-gone";
	}
	return "unknown";
}

uint64_t hyv_vnic_quota_used(const struct hyv_vnic *vnic, enum hyv_quota quota)
{
	return (size_t)quota < LIBHYV_NR_QUOTAS ? vnic->quota_used[quota] : 0;
}

uint64_t hyv_vnic_quota_max(const struct hyv_vnic *vnic, enum hyv_quota quota)
{
	return (size_t)quota < LIBHYV_NR_QUOTAS ? vnic->quota_max[quota] : 0;
}

#define QUOTA_NAME(NAME, name) \
	case HYV_QUOTA_##NAME: \
		return #name;

const char *hyv_quota_name(enum hyv_quota quota)
{
	switch (quota) {
		HYV_FOR_EACH_QUOTA(QUOTA_NAME)
	}
	return NULL;
}

uint64_t hyv_vnic_window_used(const struct hyv_vnic *vnic)
{
	return vnic->window_used;
}

uint64_t hyv_vnic_window_size(const struct hyv_vnic *vnic)
{
	return vnic->window_size;
}

uint32_t hyv_vnic_nr_leaked(const struct hyv_vnic *vnic)
{
	return vnic->nr_leaked;
}

uint64_t hyv_vnic_counter(const struct hyv_vnic *vnic, enum hyv_counter counter)
{
	return (size_t)counter < LIBHYV_NR_COUNTERS ? vnic->counters[counter]
						    : 0;
}

const char *hyv_counter_name(enum hyv_counter counter)
{
	return (size_t)counter < LIBHYV_NR_COUNTERS ? counters[counter].name
						    : NULL;
}

size_t hyv_vnic_nr_object_types(const struct hyv_vnic *vnic)
{
	return vnic->nr_objects;
}

const char *hyv_vnic_object_name(const struct hyv_vnic *vnic, size_t index)
{
	return index < vnic->nr_objects ? vnic->objects[index].name : "";
}

uint32_t hyv_vnic_object_count(const struct hyv_vnic *vnic, size_t index)
{
	return index < vnic->nr_objects ? vnic->objects[index].count : 0;
}

uint32_t hyv_vnic_object_max(const struct hyv_vnic *vnic, size_t index)
{
	return index < vnic->nr_objects ? vnic->objects[index].max : 0;
}
