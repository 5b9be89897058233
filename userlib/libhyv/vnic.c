// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of vNICs. */
#include <stdlib.h>

#include <linux/hyv_netlink.h>

#include "private.h"

static const char *const hyv_counter_names[HYV_NR_COUNTERS] = {
	[HYV_COUNTER_COMMANDS] = "commands",
	[HYV_COUNTER_ERRORS] = "errors",
	[HYV_COUNTER_DOORBELLS] = "doorbells",
	[HYV_COUNTER_ARMS] = "arms",
	[HYV_COUNTER_KICKS] = "kicks",
	[HYV_COUNTER_EVENTS] = "events",
	[HYV_COUNTER_EVENT_STALLS] = "event_stalls",
	[HYV_COUNTER_INTERRUPTS] = "interrupts",
};

static int hyv_vnic_parse(const struct nlmsghdr *nlh, void **out)
{
	return hyv_parse_vnic(nlh, (struct hyv_vnic **)out);
}

static void hyv_vnic_release(void *item)
{
	struct hyv_vnic *vnic = item;

	free(vnic->objects);
	free(vnic);
}

static const struct hyv_kind hyv_vnic_kind = {
	.parse = hyv_vnic_parse,
	.free = hyv_vnic_release,
};

int hyv_vnic_list(struct hyv_context *ctx, uint32_t pid, const char *hca,
		  struct hyv_vnic ***vnics)
{
	const struct hyv_query query = {
		.cmd = HYV_NL_CMD_VNIC_GET,
		.dump = 1,
		.pid = pid,
		.hca = hca,
	};

	return hyv_snapshot_list(ctx, &query, &hyv_vnic_kind, (void ***)vnics);
}

void hyv_vnic_list_free(struct hyv_vnic **vnics)
{
	hyv_snapshot_list_free(&hyv_vnic_kind, (void **)vnics);
}

int hyv_vnic_get(struct hyv_context *ctx, uint32_t id, struct hyv_vnic **out)
{
	const struct hyv_query query = {
		.cmd = HYV_NL_CMD_VNIC_GET,
		.id = id,
	};

	return hyv_snapshot_get(ctx, &query, &hyv_vnic_kind, (void **)out);
}

void hyv_vnic_free(struct hyv_vnic *vnic)
{
	if (vnic)
		hyv_vnic_release(vnic);
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

uint64_t hyv_vnic_pinned(const struct hyv_vnic *vnic)
{
	return vnic->pinned;
}

uint64_t hyv_vnic_pinned_max(const struct hyv_vnic *vnic)
{
	return vnic->pinned_max;
}

uint64_t hyv_vnic_queue_bytes(const struct hyv_vnic *vnic)
{
	return vnic->queue_bytes;
}

uint64_t hyv_vnic_queue_bytes_max(const struct hyv_vnic *vnic)
{
	return vnic->queue_bytes_max;
}

uint64_t hyv_vnic_window_used(const struct hyv_vnic *vnic)
{
	return vnic->window_used;
}

uint64_t hyv_vnic_window_size(const struct hyv_vnic *vnic)
{
	return vnic->window_size;
}

uint64_t hyv_vnic_counter(const struct hyv_vnic *vnic, enum hyv_counter counter)
{
	return (size_t)counter < HYV_NR_COUNTERS ? vnic->counters[counter] : 0;
}

const char *hyv_counter_name(enum hyv_counter counter)
{
	return (size_t)counter < HYV_NR_COUNTERS ? hyv_counter_names[counter]
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
