// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitching by mapping each piece again.
 *
 * Guest memory is a shared mapping of a memfd, so its pieces can be mapped again, next
 * to each other, over a mapping of a file of hyv.ko that reserves the range.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/string.h>

#include "memory/guest_mem.h"
#include "memory/quota.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"
#include "memory/stitch_ways.h"

/* Find the file of guest memory; the caller releases it with fput(). */
static struct file *hyvh_guest_file(u64 hva, u64 len, u64 *run, u64 *pgoff)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct file *file;

	if (mmap_read_lock_killable(mm))
		return ERR_PTR(-EINTR);
	vma = hyvh_stitch_guest_vma(mm, hva, len, run);
	if (IS_ERR(vma)) {
		file = ERR_CAST(vma);
	} else {
		file = get_file(vma->vm_file);
		*pgoff = ((u64)vma->vm_pgoff << PAGE_SHIFT) +
			 (hva - vma->vm_start);
	}
	mmap_read_unlock(mm);
	return file;
}

static int hyvh_stitch_vma_charge(struct hyvh_stitch *stitch)
{
	int ret = hyvh_quota_charge(stitch->mem->vmas, 1);

	if (!ret)
		stitch->vmas.nr++;
	return ret;
}

/*
 * Mapping a piece has failed. This may have unmapped what has reserved its
 * addresses, and another thread may already have mapped memory there. So leave
 * these addresses to the VMM, unless they are still reserved.
 */
static void hyvh_stitch_vmas_check_hole(struct hyvh_stitch *stitch,
					unsigned long addr, unsigned long size)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool reserved = false;

	/* The addresses of a VMM that is being killed do not matter. */
	if (!mmap_read_lock_killable(mm)) {
		vma = vma_lookup(mm, addr);
		reserved = vma && vma->vm_file == stitch->file;
		mmap_read_unlock(mm);
	}
	if (!reserved) {
		stitch->vmas.hole = addr;
		stitch->vmas.hole_size = size;
	}
}

static int hyvh_stitch_vmas_map_piece(struct hyvh_stitch *stitch,
				      unsigned long addr,
				      const struct hyvh_piece *piece)
{
	u64 done, run, pgoff;
	struct file *file;
	unsigned long ret;
	int err;

	/* Here: no userfaultfd of the VMM sees missing pages of the new mapping. */
	err = hyvh_stitch_prefault(stitch, piece->hva,
				   piece->len >> PAGE_SHIFT);
	if (err)
		return err;
	for (done = 0; done < piece->len; done += run) {
		err = hyvh_stitch_vma_charge(stitch);
		if (err)
			return err;
		file = hyvh_guest_file(piece->hva + done, piece->len - done,
				       &run, &pgoff);
		if (IS_ERR(file))
			return PTR_ERR(file);
		ret = vm_mmap(file, addr + done, run, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_FIXED, pgoff);
		fput(file);
		if (IS_ERR_VALUE(ret)) {
			hyvh_stitch_vmas_check_hole(stitch, addr + done, run);
			return (int)ret;
		}
	}
	return 0;
}

/* Undone with hyvh_stitch_vmas_release() after the range is unmapped, also if it fails. */
int hyvh_stitch_vmas_map(struct hyvh_stitch *stitch,
			 const struct hyvh_stitch_plan *plan)
{
	unsigned long addr;
	int ret;
	u32 i;

	ret = hyvh_stitch_vma_charge(stitch);
	if (ret)
		return ret;
	/* Reserve the range, so that no other mapping is placed into it. */
	ret = hyvh_stitch_map_file(stitch, PROT_NONE);
	if (ret)
		return ret;
	addr = stitch->start;
	for (i = 0; i < plan->nr_pieces; i++) {
		ret = hyvh_stitch_vmas_map_piece(stitch, addr,
						 &plan->piece[i]) ?:
		      hyvh_stitch_pause(stitch);
		if (ret)
			return ret;
		addr += plan->piece[i].len;
	}
	return 0;
}

/* May be repeated. */
void hyvh_stitch_vmas_release(struct hyvh_stitch *stitch)
{
	struct hyvh_stitch_vmas *vmas = &stitch->vmas;

	hyvh_quota_uncharge(stitch->mem->vmas, vmas->nr);
	memset(vmas, 0, sizeof(*vmas));
}
