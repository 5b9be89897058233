// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of hyv.ko that exist only to be mapped. Each has an inode of its own, so
 * that unmap_mapping_range() finds all mappings of it, and no others.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "memory/pseudo_file.h"

#define HYVH_PSEUDO_MAGIC	0x68797677

static int hyvh_pseudo_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, HYVH_PSEUDO_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type hyvh_pseudo_fs = {
	.name = "hyv",
	.owner = THIS_MODULE,
	.init_fs_context = hyvh_pseudo_init_fs_context,
	.kill_sb = kill_anon_super,
};

/* Mounted while there are files: a mount keeps the module loaded. */
static struct vfsmount *hyvh_pseudo_mnt;
static int hyvh_pseudo_mnt_count;

/*
 * Make a file, whose release operation must call hyvh_pseudo_file_release().
 * Returns ERR_PTR() of -ENOMEM or another errno. May sleep.
 */
struct file *hyvh_pseudo_file_create(const char *name,
				     const struct file_operations *fops)
{
	struct inode *inode;
	struct file *file;
	int ret;

	ret = simple_pin_fs(&hyvh_pseudo_fs, &hyvh_pseudo_mnt,
			    &hyvh_pseudo_mnt_count);
	if (ret)
		return ERR_PTR(ret);
	inode = alloc_anon_inode(hyvh_pseudo_mnt->mnt_sb);
	if (IS_ERR(inode)) {
		file = ERR_CAST(inode);
		goto err_fs;
	}
	file = alloc_file_pseudo(inode, hyvh_pseudo_mnt, name, O_RDWR, fops);
	if (IS_ERR(file))
		goto err_inode;
	/* Dropped when the file is released. */
	__module_get(THIS_MODULE);
	return file;

err_inode:
	iput(inode);
err_fs:
	simple_release_fs(&hyvh_pseudo_mnt, &hyvh_pseudo_mnt_count);
	return file;
}

void hyvh_pseudo_file_release(void)
{
	simple_release_fs(&hyvh_pseudo_mnt, &hyvh_pseudo_mnt_count);
}
