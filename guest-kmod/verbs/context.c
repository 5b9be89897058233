// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts, and the HCA queues that they map.
 *
 * The host maps what a provider asks for into the window, and the driver maps
 * that range of the window into the process. When no process maps it any
 * longer, a work item sends MUNMAP, as munmap(2) and exit must not wait for it.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "command/cmd.h"
#include "trace.h"
#include "verbs/verbs.h"

/* A range of the window that a process has mapped. */
struct vhyv_mmap_entry {
	struct rdma_user_mmap_entry rdma_entry;	/* counts the mappings */
	u64 window_offset;	/* identifies the mapping to the host */
	u64 length;
	struct llist_node node;	/* in vhyv_ucontext.munmaps */
};

/* The command counts for @client. */
static int vhyv_cmd_munmap(struct vhyv_dev *hdev, struct vhyv_client *client,
			   u32 context, u64 window_offset)
{
	struct hyv_munmap_req *req;
	struct vhyv_cmd *cmd;
	int ret, status;

	cmd = vhyv_cmd_new_nofail(hdev, VHYV_CMD_MUNMAP);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return PTR_ERR(cmd);

	vhyv_cmd_count_for(cmd, client);
	req = cmd->req;
	req->context = cpu_to_le32(context);
	req->window_offset = cpu_to_le64(window_offset);
	ret = vhyv_cmd_exec_retry(cmd, &status);
	if (ret)
		return ret;
	vhyv_cmd_free(cmd);
	return status;
}

/* vhyv_cmd.undo of MMAP for the context undo_arg. */
static void vhyv_mmap_undo(struct vhyv_cmd *cmd)
{
	struct hyv_mmap_rsp rsp;

	if (vhyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	vhyv_cmd_munmap(cmd->hdev, cmd->client, cmd->undo_arg,
			le64_to_cpu(rsp.window_offset));
}

/*
 * Let the host map memory of the HCA into the window. @prot is the protection
 * of ordinary memory, and changed to the cache attribute of the mapping.
 */
static int vhyv_cmd_mmap(struct vhyv_ucontext *uctx,
			 const struct vm_area_struct *vma, u64 length,
			 u64 *window_offset, pgprot_t *prot)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct hyv_mmap_req *req;
	struct hyv_mmap_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_MMAP, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->host->handle);
	if (vma->vm_flags & VM_READ)
		req->prot |= cpu_to_le32(HYV_MMAP_READ);
	if (vma->vm_flags & VM_WRITE)
		req->prot |= cpu_to_le32(HYV_MMAP_WRITE);
	req->offset = cpu_to_le64((u64)vma->vm_pgoff << PAGE_SHIFT);
	req->length = cpu_to_le64(length);

	cmd->undo = vhyv_mmap_undo;
	cmd->undo_arg = uctx->host->handle;
	cmd->orphans = &uctx->host->orphans;
	ret = vhyv_cmd_run(cmd, true, &rsp, NULL);
	if (ret)
		return ret;

	*window_offset = le64_to_cpu(rsp.window_offset);
	if (!PAGE_ALIGNED(*window_offset) ||
	    *window_offset > hdev->window.len ||
	    length > hdev->window.len - *window_offset)
		goto err_munmap;

	switch (rsp.cache) {
	case HYV_CACHE_WB:
		break;
	case HYV_CACHE_WC:
		*prot = pgprot_writecombine(*prot);
		break;
	case HYV_CACHE_UC:
		*prot = pgprot_noncached(*prot);
		break;
	default:
		goto err_munmap;
	}
	return 0;

err_munmap:
	ibdev_dbg(&hdev->ibdev,
		  "host returned invalid window offset 0x%llx or cache attribute\n",
		  *window_offset);
	vhyv_cmd_munmap(hdev, uctx->host->client, uctx->host->handle,
			*window_offset);
	return -EIO;
}

static void vhyv_munmap_work(struct work_struct *work)
{
	struct vhyv_ucontext *uctx = container_of(work, struct vhyv_ucontext,
						  munmap_work);
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct llist_node *list = llist_del_all(&uctx->munmaps);
	struct vhyv_mmap_entry *entry, *next;
	int ret;

	llist_for_each_entry_safe(entry, next, list, node) {
		/* After an error the host unmaps it with the context. */
		ret = vhyv_cmd_munmap(hdev, uctx->host->client,
				      uctx->host->handle, entry->window_offset);
		trace_vhyv_munmap(vhyv_dev_name(hdev), uctx->host->handle,
				  entry->window_offset, entry->length, ret);
		kfree(entry);
	}
}

int vhyv_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	int ret;

	ret = vhyv_context_create(uctx, udata);
	if (ret)
		return ret;
	init_llist_head(&uctx->munmaps);
	INIT_WORK(&uctx->munmap_work, vhyv_munmap_work);
	mutex_lock(&hdev->maps_lock);
	list_add(&uctx->link, &hdev->ucontexts);
	mutex_unlock(&hdev->maps_lock);
	return 0;
}

void vhyv_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	struct vhyv_mmap_entry *entry, *next;
	struct llist_node *list;

	mutex_lock(&hdev->maps_lock);
	list_del(&uctx->link);
	mutex_unlock(&hdev->maps_lock);
	/*
	 * The host undoes the mappings that are left with the context, but that may
	 * stay for an XRC domain.
	 */
	if (refcount_read(&uctx->host->users) > 1)
		flush_work(&uctx->munmap_work);
	else
		cancel_work_sync(&uctx->munmap_work);
	list = llist_del_all(&uctx->munmaps);
	llist_for_each_entry_safe(entry, next, list, node)
		kfree(entry);

	vhyv_context_release(uctx->host);
}

/*
 * Called at the end of a device that processes have open. The RDMA core has destroyed
 * the objects of this one, and has removed all mappings that it knows of. Unknown to it
 * are those of a child whose fork() it has refused to follow meanwhile, and which may
 * have copied a mapping that vhyv_contexts_revoke() has not found.
 */
void vhyv_disassociate_ucontext(struct ib_ucontext *ibuc)
{
	struct address_space *mapping = to_vhyv_ucontext(ibuc)->mapping;

	if (mapping)
		unmap_mapping_range(mapping, 0, 0, 1);
}

/*
 * Take the window out of all processes, for good. The RDMA core does the same, but too
 * late: it waits for system calls of processes before, and destroys all objects, while
 * children of fork() copy mappings. But after a reset of the device, the window's pages
 * are one page that all share, and the driver may start again meanwhile. Accesses find a
 * page of the process, as after that.
 *
 * A process that is in mmap(2) may have a mapping that is not found yet. A second call,
 * after all commands have ended, finds those of all that were not just stopped there.
 */
void vhyv_contexts_revoke(struct vhyv_dev *hdev)
{
	struct address_space *done = NULL;
	struct vhyv_ucontext *uctx;

	mutex_lock(&hdev->maps_lock);
	hdev->revoked = true;
	/* A context ends before its file does. Most have opened the same inode. */
	list_for_each_entry(uctx, &hdev->ucontexts, link) {
		if (!uctx->mapping || uctx->mapping == done)
			continue;
		done = uctx->mapping;
		unmap_mapping_range(done, 0, 0, 1);
	}
	mutex_unlock(&hdev->maps_lock);
}

static int vhyv_map_window(struct vhyv_ucontext *uctx,
			   struct vm_area_struct *vma, pgprot_t prot,
			   struct vhyv_mmap_entry *entry)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	int ret = -EIO;

	mutex_lock(&hdev->maps_lock);
	if (!hdev->revoked) {
		uctx->mapping = vma->vm_file->f_mapping;
		ret = rdma_user_mmap_io(&uctx->ibuc, vma,
					PHYS_PFN(hdev->window.addr +
						 entry->window_offset),
					entry->length, prot,
					&entry->rdma_entry);
	}
	mutex_unlock(&hdev->maps_lock);
	return ret;
}

/* Send MUNMAP later: callers may hold the mmap_lock. Frees @entry. */
static void vhyv_munmap_later(struct vhyv_ucontext *uctx,
			      struct vhyv_mmap_entry *entry)
{
	llist_add(&entry->node, &uctx->munmaps);
	queue_work(to_vhyv_dev(uctx->ibuc.device)->munmap_wq,
		   &uctx->munmap_work);
}

/* The file offset has a meaning only to the provider and the HCA's driver. */
int vhyv_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	unsigned long length = vma->vm_end - vma->vm_start;
	pgprot_t prot = vma->vm_page_prot;
	struct vhyv_mmap_entry *entry;
	u64 window_offset = 0;
	int ret;

	if (!(vma->vm_flags & VM_SHARED)) {
		ibdev_dbg(ibuc->device, "mapping must be shared\n");
		return -EINVAL;
	}

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;

	ret = vhyv_cmd_mmap(uctx, vma, length, &window_offset, &prot);
	if (ret)
		goto err_free;
	entry->window_offset = window_offset;
	entry->length = length;

	/* Only counts the mappings; the offset that it assigns is ignored. */
	ret = rdma_user_mmap_entry_insert(ibuc, &entry->rdma_entry, length);
	if (ret)
		goto err_munmap;

	/* Without VM_WRITE the host was not asked for write access. */
	if (!(vma->vm_flags & VM_WRITE))
		vm_flags_clear(vma, VM_MAYWRITE);
	ret = vhyv_map_window(uctx, vma, prot, entry);
	/* Without a mapping, which holds a reference, this frees the entry. */
	rdma_user_mmap_entry_remove(&entry->rdma_entry);
	goto out;

err_munmap:
	vhyv_munmap_later(uctx, entry);
	goto out;
err_free:
	kfree(entry);
out:
	trace_vhyv_mmap(vhyv_dev_name(hdev), uctx->host->handle, window_offset,
			length, ret);
	return ret;
}

/* May be called with the mmap_lock held. */
void vhyv_mmap_free(struct rdma_user_mmap_entry *rdma_entry)
{
	struct vhyv_mmap_entry *entry = container_of(rdma_entry,
						     struct vhyv_mmap_entry,
						     rdma_entry);
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(rdma_entry->ucontext);

	vhyv_munmap_later(uctx, entry);
}
