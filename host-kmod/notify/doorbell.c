// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell area: pages of guest memory that the worker reads without any
 * address space, and so pins and maps into the kernel.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "memory/chunk.h"
#include "command/dispatch.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Room for guests with large pages. */
#define HYVH_MAX_DOORBELL_AREA	1048576

static int hyvh_doorbells_pin(struct hyvh_doorbell_area *area,
			      const struct hyvh_chunks *chunks,
			      struct hyvh_guest_mem *mem)
{
	unsigned int i;

	for (i = 0; i < chunks->nr; i++) {
		u64 gpa = chunks->chunk[i].addr;
		u64 end = gpa + chunks->chunk[i].len;

		for (; gpa < end; gpa += PAGE_SIZE) {
			u64 hva, run;
			int ret;

			ret = hyvh_memmap_translate(mem->map, gpa, PAGE_SIZE,
						    &hva, &run);
			if (ret)
				return ret;
			if (run < PAGE_SIZE)
				return -EFAULT;
			ret = pin_user_pages_fast(hva, 1,
						  FOLL_WRITE | FOLL_LONGTERM,
						  &area->pages[area->nr_pages]);
			if (ret != 1)
				return ret < 0 ? ret : -EFAULT;
			area->nr_pages++;
		}
	}
	return 0;
}

static void hyvh_doorbell_area_free(struct hyvh_doorbell_area *area)
{
	if (area->hdr)
		vunmap(area->hdr);
	unpin_user_pages(area->pages, area->nr_pages);
	kfree(area->pages);
	kfree(area);
}

static struct hyvh_doorbell_area *
hyvh_doorbell_area_make(const struct hyvh_chunks *chunks,
			struct hyvh_guest_mem *mem)
{
	struct hyvh_doorbell_area *area;
	void *base;
	int ret = -ENOMEM;

	area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	if (!area)
		return ERR_PTR(-ENOMEM);
	area->pages = kcalloc(chunks->length >> PAGE_SHIFT,
			      sizeof(*area->pages), GFP_KERNEL_ACCOUNT);
	if (!area->pages)
		goto err_free;
	ret = hyvh_doorbells_pin(area, chunks, mem);
	if (ret)
		goto err_free;

	base = vmap(area->pages, area->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!base) {
		ret = -ENOMEM;
		goto err_free;
	}
	area->hdr = base;
	ret = hyvh_doorbell_map_init(&area->sq, base + HYV_DB_SQ_OFFSET, HYVH_QP_SLOTS);
	if (!ret)
		ret = hyvh_doorbell_map_init(&area->arm,
				      base + HYV_DB_ARM_OFFSET(HYVH_QP_SLOTS),
				      HYVH_CQ_SLOTS);
	if (!ret)
		ret = hyvh_doorbell_map_init(&area->solicited, base +
				      HYV_DB_SOLICITED_OFFSET(HYVH_QP_SLOTS,
							      HYVH_CQ_SLOTS),
				      HYVH_CQ_SLOTS);
	if (ret)
		goto err_free;
	return area;

err_free:
	hyvh_doorbell_area_free(area);
	return ERR_PTR(ret);
}

/**
 * hyvh_cmd_setup_doorbells() - handle HYV_CMD_SETUP_DOORBELLS
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0; -EEXIST if there is an area already; or another negative errno.
 */
int hyvh_cmd_setup_doorbells(void *arg, struct hyvh_call *call)
{
	const struct hyvh_list_view *list = &call->lists[0];
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_doorbell_area *area;
	struct hyvh_guest_mem *mem;
	struct hyvh_chunks chunks;
	int ret;

	if (call->nr_lists != 1 || list->slot ||
	    !PAGE_ALIGNED(list->addr) || !PAGE_ALIGNED(list->length) ||
	    list->length < HYV_DB_AREA_SIZE(HYVH_QP_SLOTS, HYVH_CQ_SLOTS) ||
	    list->length > HYVH_MAX_DOORBELL_AREA)
		return -EINVAL;

	mem = hyvh_vnic_get_mem(vnic);
	if (!mem)
		return -EFAULT;
	ret = hyvh_chunks_load(&chunks, list, list->length >> PAGE_SHIFT,
			       hyvh_guest_read, mem);
	if (ret)
		goto out_mem;

	mutex_lock(&vnic->doorbells_lock);
	ret = -EEXIST;
	if (vnic->doorbells)
		goto out_unlock;
	area = hyvh_doorbell_area_make(&chunks, mem);
	ret = PTR_ERR_OR_ZERO(area);
	if (ret)
		goto out_unlock;
	/* Pairs with smp_load_acquire() in the worker. */
	smp_store_release(&vnic->doorbells, area);
out_unlock:
	mutex_unlock(&vnic->doorbells_lock);
	/* The worker may sleep and has to ask for kicks first. */
	if (!ret)
		hyvh_worker_wake(vnic);
	hyvh_chunks_release(&chunks);
out_mem:
	hyvh_guest_mem_put(mem);
	return ret;
}

/**
 * hyvh_doorbells_free() - forget the doorbell area
 * @vnic: a vNIC that executes no requests
 *
 * Context: The worker, or when there is none. May sleep.
 */
void hyvh_doorbells_free(struct hyvh_vnic *vnic)
{
	struct hyvh_doorbell_area *area;

	mutex_lock(&vnic->doorbells_lock);
	area = vnic->doorbells;
	vnic->doorbells = NULL;
	mutex_unlock(&vnic->doorbells_lock);
	if (area)
		hyvh_doorbell_area_free(area);
}
