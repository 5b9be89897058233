// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of guest RAM, which must not lose pages.
 *
 * A file that is truncated, or gets a hole, drops pages even if they are pinned,
 * after it has removed them from all of its mappings. A page that is mapped in
 * another way, by vm_insert_pages(), would stay mapped: the kernel reports a bug
 * then, and may drop references that it does not own. tmpfs drops pages only
 * with the inode locked, or at the inode's end. Whatever else takes a page out
 * of a file leaves it alone as long as it is pinned. A driver whose objects are
 * files of tmpfs, such as i915, drops pages without that lock.
 */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/ram_files.h"

struct hyvh_ram_file {
	struct hlist_node node;
	struct file *file;
	bool locked;			/* its inode, by this request */
};

static struct inode *hyvh_ram_file_inode(const struct hyvh_ram_file *ram)
{
	return ram->file->f_mapping->host;
}

static bool hyvh_ram_files_find(const struct hyvh_ram_files *files,
				const struct address_space *mapping)
{
	struct hyvh_ram_file *ram;

	hlist_for_each_entry(ram, &files->list, node)
		if (ram->file->f_mapping == mapping)
			return true;
	return false;
}

/*
 * Does a file in tmpfs belong to user space, and not to a driver? Files that the
 * kernel makes are not in a file system that user space can mount, and their names
 * say what made them.
 */
static bool hyvh_file_is_users(const struct file *file)
{
	const char *name = file->f_path.dentry->d_name.name;

	return !(file_inode(file)->i_sb->s_flags & SB_NOUSER) ||
	       str_has_prefix(name, "memfd:") || str_has_prefix(name, "SYSV") ||
	       !strcmp(name, "dev/zero");
}

/*
 * Add a file unless it is there. Returns -EOPNOTSUPP if it is not one of user
 * space in tmpfs, or if there are too many; or -ENOMEM. May sleep.
 */
int hyvh_ram_files_add(struct hyvh_ram_files *files, struct file *file)
{
	struct hyvh_ram_file *ram;

	if (hyvh_ram_files_find(files, file->f_mapping))
		return 0;
	if (!shmem_mapping(file->f_mapping) || !hyvh_file_is_users(file))
		return -EOPNOTSUPP;
	if (files->nr == HYVH_MAX_RAM_FILES)
		return -EOPNOTSUPP;
	ram = kzalloc(sizeof(*ram), GFP_KERNEL_ACCOUNT);
	if (!ram)
		return -ENOMEM;
	ram->file = get_file(file);
	hlist_add_head(&ram->node, &files->list);
	files->nr++;
	return 0;
}

static void hyvh_ram_files_unlock(struct hyvh_ram_files *files)
{
	struct hyvh_ram_file *ram;

	hlist_for_each_entry(ram, &files->list, node) {
		if (ram->locked)
			inode_unlock_shared(hyvh_ram_file_inode(ram));
		ram->locked = false;
	}
}

/*
 * Lock the inodes of all files, or none. There is no order in which it would be
 * safe to wait for several of them.
 */
bool hyvh_ram_files_trylock(struct hyvh_ram_files *files)
{
	struct hyvh_ram_file *ram;

	hlist_for_each_entry(ram, &files->list, node) {
		ram->locked = inode_trylock_shared(hyvh_ram_file_inode(ram));
		if (!ram->locked) {
			hyvh_ram_files_unlock(files);
			return false;
		}
	}
	return true;
}

/*
 * Check that a pinned page is in one of the files, which are locked. Then it
 * stays there until hyvh_ram_files_release().
 */
bool hyvh_ram_files_have(const struct hyvh_ram_files *files, struct page *page)
{
	return hyvh_ram_files_find(files, READ_ONCE(page_folio(page)->mapping));
}

/* Unlock all files, and empty the list. In the task that has locked them. */
void hyvh_ram_files_release(struct hyvh_ram_files *files)
{
	struct hyvh_ram_file *ram;
	struct hlist_node *next;

	hyvh_ram_files_unlock(files);
	hlist_for_each_entry_safe(ram, next, &files->list, node) {
		hlist_del(&ram->node);
		fput(ram->file);
		kfree(ram);
	}
	files->nr = 0;
}
