// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell area: pages of guest memory that the worker reads without any
 * address space, and so pins and maps into the kernel.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "chunk.h"
#include "dispatch.h"
#include "verbs.h"
#include "vnic.h"

/* Room for guests with large pages. */
#define HYV_MAX_DOORBELL_AREA	1048576

static int hyv_doorbells_pin(struct hyv_doorbell_area *area,
			     const struct hyv_chunks *chunks,
			     struct hyv_guest_mem *mem)
{
	unsigned int i;

	for (i = 0; i < chunks->nr; i++) {
		u64 gpa = chunks->chunk[i].addr;
		u64 end = gpa + chunks->chunk[i].len;

		for (; gpa < end; gpa += PAGE_SIZE) {
			u64 hva, run;
			int ret;

			ret = hyv_memmap_translate(mem->map, gpa, PAGE_SIZE,
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

static void hyv_doorbell_area_free(struct hyv_doorbell_area *area)
{
	if (area->hdr)
		vunmap(area->hdr);
	unpin_user_pages(area->pages, area->nr_pages);
	kfree(area->pages);
	kfree(area);
}

static struct hyv_doorbell_area *
hyv_doorbell_area_make(const struct hyv_chunks *chunks,
		       struct hyv_guest_mem *mem)
{
	struct hyv_doorbell_area *area;
	void *base;
	int ret = -ENOMEM;

	area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	if (!area)
		return ERR_PTR(-ENOMEM);
	area->pages = kcalloc(chunks->length >> PAGE_SHIFT,
			      sizeof(*area->pages), GFP_KERNEL_ACCOUNT);
	if (!area->pages)
		goto err_free;
	ret = hyv_doorbells_pin(area, chunks, mem);
	if (ret)
		goto err_free;

	base = vmap(area->pages, area->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!base) {
		ret = -ENOMEM;
		goto err_free;
	}
	area->hdr = base;
	ret = hyv_dbmap_init(&area->sq, base + HYV_DB_SQ_OFFSET, HYV_QP_SLOTS);
	if (!ret)
		ret = hyv_dbmap_init(&area->arm,
				     base + HYV_DB_ARM_OFFSET(HYV_QP_SLOTS),
				     HYV_CQ_SLOTS);
	if (!ret)
		ret = hyv_dbmap_init(&area->solicited, base +
				     HYV_DB_SOLICITED_OFFSET(HYV_QP_SLOTS,
							     HYV_CQ_SLOTS),
				     HYV_CQ_SLOTS);
	if (ret)
		goto err_free;
	return area;

err_free:
	hyv_doorbell_area_free(area);
	return ERR_PTR(ret);
}

/**
 * hyv_cmd_setup_doorbells() - handle HYV_CMD_SETUP_DOORBELLS
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0; -EEXIST if there is an area already; or another negative errno.
 */
int hyv_cmd_setup_doorbells(void *arg, struct hyv_call *call)
{
	const struct hyv_list_view *list = &call->lists[0];
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_doorbell_area *area;
	struct hyv_guest_mem *mem;
	struct hyv_chunks chunks;
	int ret;

	if (call->nr_lists != 1 || list->slot ||
	    !PAGE_ALIGNED(list->addr) || !PAGE_ALIGNED(list->length) ||
	    list->length < HYV_DB_AREA_SIZE(HYV_QP_SLOTS, HYV_CQ_SLOTS) ||
	    list->length > HYV_MAX_DOORBELL_AREA)
		return -EINVAL;

	mem = hyv_vnic_get_mem(vnic);
	if (!mem)
		return -EFAULT;
	ret = hyv_chunks_load(&chunks, list, list->length >> PAGE_SHIFT,
			      hyv_guest_read, mem);
	if (ret)
		goto out_mem;

	mutex_lock(&vnic->doorbells_lock);
	ret = -EEXIST;
	if (vnic->doorbells)
		goto out_unlock;
	area = hyv_doorbell_area_make(&chunks, mem);
	ret = PTR_ERR_OR_ZERO(area);
	if (ret)
		goto out_unlock;
	/* Pairs with smp_load_acquire() in the worker. */
	smp_store_release(&vnic->doorbells, area);
out_unlock:
	mutex_unlock(&vnic->doorbells_lock);
	/* The worker may sleep and has to ask for kicks first. */
	if (!ret)
		hyv_worker_wake(vnic);
	hyv_chunks_release(&chunks);
out_mem:
	hyv_guest_mem_put(mem);
	return ret;
}

/**
 * hyv_doorbells_free() - forget the doorbell area
 * @vnic: a vNIC that executes no requests
 *
 * Context: The worker, or when there is none. May sleep.
 */
void hyv_doorbells_free(struct hyv_vnic *vnic)
{
	struct hyv_doorbell_area *area;

	mutex_lock(&vnic->doorbells_lock);
	area = vnic->doorbells;
	vnic->doorbells = NULL;
	mutex_unlock(&vnic->doorbells_lock);
	if (area)
		hyv_doorbell_area_free(area);
}
