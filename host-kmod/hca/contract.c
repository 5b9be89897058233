// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks that the kernel has the private prototypes and structures of ib_core and
 * ib_uverbs that hyv.ko relies on without a contract. Nothing else does: symbol
 * versions do not cover them, and distributions change them in updates.
 */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/stringify.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <compat/ib_private.h>

#include "hca/btf.h"
#include "hca/contract.h"
#include "hca/uctx.h"

/* Modules with these types. In newer kernels ib_uverbs is in two parts. */
static const char * const hyvh_contract_files[] = {
	"vmlinux", "ib_core", "ib_uverbs", "ib_uverbs_support",
};

/* A size, or an offset of a member, that must be what this module has. */
struct hyvh_contract_layout {
	const char *name;
	const char *member;
	size_t value;
};

#define SIZE(type)	{ #type, NULL, sizeof(struct type) }
#define MEMBER(type, m)	{ #type, #m, offsetof(struct type, m) }

static const struct hyvh_contract_layout hyvh_contract_layouts[] = {
	SIZE(ib_device_ops),
	SIZE(ib_udata),
	SIZE(ib_uobject),
	SIZE(rdma_restrack_entry),
	SIZE(uverbs_attr_bundle),
	SIZE(rdma_umap_priv),
	MEMBER(rdma_umap_priv, entry),
	/* Whoever has a pointer to one of these uses the placeholder. */
	{ "ib_uevent_object", "uobject", 0 },
	{ "ib_ucq_object", "uevent", 0 },
	{ "ib_uqp_object", "uevent", 0 },
};

/* Structures that the placeholder stands in for. */
static const char * const hyvh_contract_uobjects[] = {
	"ib_ucq_object", "ib_uqp_object",
};

#define HYVH_CONTRACT_PARAMS	6

/* A function and what its parameters point to. Not all kernels have optional ones. */
struct hyvh_contract_function {
	const char *name;
	const char *params[HYVH_CONTRACT_PARAMS];
	bool optional;
};

static const struct hyvh_contract_function hyvh_contract_functions[] = {
	{ "ib_create_qp_user", { "ib_device", "ib_pd", "ib_qp_init_attr",
				 __stringify(COMPAT_QP_ATTRS),
				 "ib_uqp_object", "" } },
	{ "ib_qp_usecnt_inc", { "ib_qp" } },
	{ "ib_rdmacg_try_charge", { "ib_rdmacg_object", "ib_device", "" } },
	{ "ib_rdmacg_uncharge", { "ib_rdmacg_object", "ib_device", "" } },
	{ "ib_uverbs_get_ucontext_file", { "ib_uverbs_file" } },
	{ "rdma_restrack_add", { "rdma_restrack_entry" } },
	{ "rdma_restrack_new", { "rdma_restrack_entry", "" } },
	{ "rdma_restrack_parent_name", { "rdma_restrack_entry",
					 "rdma_restrack_entry" } },
	{ "rdma_restrack_sync", { "rdma_restrack_entry" }, true },
};

/* Entries of the tables that the files read so far have. */
struct hyvh_contract_found {
	bool layout[ARRAY_SIZE(hyvh_contract_layouts)];
	bool uobject[ARRAY_SIZE(hyvh_contract_uobjects)];
	bool function[ARRAY_SIZE(hyvh_contract_functions)];
};

#ifdef HYV_TEST
/* The name of a structure or function that is taken for another than it is. */
static char *contract_fault;
module_param(contract_fault, charp, 0444);

/* The name of a structure that is not found. */
static char *contract_missing;
module_param(contract_missing, charp, 0444);

static bool hyvh_contract_faulty(const char *name)
{
	return contract_fault && !strcmp(contract_fault, name);
}

static bool hyvh_contract_hidden(const char *name)
{
	return contract_missing && !strcmp(contract_missing, name);
}
#else
static bool hyvh_contract_hidden(const char *name)
{
	return false;
}

static bool hyvh_contract_faulty(const char *name)
{
	return false;
}
#endif

static int hyvh_contract_layout(const struct hyvh_btf *btf,
				const struct hyvh_contract_layout *layout,
				bool *found)
{
	size_t value = layout->value + hyvh_contract_faulty(layout->name);
	int is;

	if (layout->member)
		is = hyvh_btf_member(btf, layout->name, layout->member);
	else
		is = hyvh_btf_size(btf, layout->name);
	if (is < 0 || hyvh_contract_hidden(layout->name))
		return 0;
	*found = true;
	if (is == value)
		return 0;
	if (layout->member)
		pr_err("this kernel is not supported: '%s' is at offset %d of struct %s, not at %zu\n",
		       layout->member, is, layout->name, value);
	else
		pr_err("this kernel is not supported: struct %s has %d bytes, not %zu\n",
		       layout->name, is, value);
	return -ENOEXEC;
}

static int hyvh_contract_uobject(const struct hyvh_btf *btf, const char *name,
				 bool *found)
{
	int room = hyvh_contract_faulty(name) ? 0 : HYVH_PLACEHOLDER_SIZE;
	int size = hyvh_btf_size(btf, name);

	if (size < 0)
		return 0;
	*found = true;
	if (size <= room)
		return 0;
	pr_err("this kernel is not supported: struct %s has %d bytes, more than %d\n",
	       name, size, room);
	return -ENOEXEC;
}

static int hyvh_contract_function(const struct hyvh_btf *btf,
				  const struct hyvh_contract_function *function,
				  bool *found)
{
	const char *names[HYVH_CONTRACT_PARAMS];
	const char * const *params = function->params;
	int nr, i;

	nr = hyvh_btf_params(btf, function->name, names, ARRAY_SIZE(names));
	if (nr < 0)
		return 0;
	*found = true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (i < nr ? !params[i] || strcmp(params[i], names[i]) :
			     !!params[i])
			break;
	if (i == ARRAY_SIZE(names) && nr <= i &&
	    !hyvh_contract_faulty(function->name))
		return 0;
	pr_err("this kernel is not supported: %s() takes other arguments\n",
	       function->name);
	return -ENOEXEC;
}

/* Reports all differences in the types of one file. */
static int hyvh_contract_compare(const struct hyvh_btf *btf,
				 struct hyvh_contract_found *found)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hyvh_contract_layouts); i++)
		ret = hyvh_contract_layout(btf, &hyvh_contract_layouts[i],
					   &found->layout[i]) ?: ret;
	for (i = 0; i < ARRAY_SIZE(hyvh_contract_uobjects); i++)
		ret = hyvh_contract_uobject(btf, hyvh_contract_uobjects[i],
					    &found->uobject[i]) ?: ret;
	for (i = 0; i < ARRAY_SIZE(hyvh_contract_functions); i++)
		ret = hyvh_contract_function(btf, &hyvh_contract_functions[i],
					     &found->function[i]) ?: ret;
	return ret;
}

static int hyvh_contract_missing(const char *name)
{
	pr_err("this kernel is not supported: it has no struct %s\n", name);
	return -ENOEXEC;
}

/*
 * Reports what no file has: a structure that has another name now. Functions may lack
 * type information, but that only their symbols were checked is worth a line.
 */
static int hyvh_contract_complete(const struct hyvh_contract_found *found)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hyvh_contract_layouts); i++)
		if (!found->layout[i])
			ret = hyvh_contract_missing(hyvh_contract_layouts[i].name);
	for (i = 0; i < ARRAY_SIZE(hyvh_contract_uobjects); i++)
		if (!found->uobject[i])
			ret = hyvh_contract_missing(hyvh_contract_uobjects[i]);
	for (i = 0; i < ARRAY_SIZE(hyvh_contract_functions); i++)
		if (!found->function[i] && !hyvh_contract_functions[i].optional)
			pr_notice("no type information to check %s() with\n",
				  hyvh_contract_functions[i].name);
	return ret;
}

/*
 * The content of a file in memory for vfree(), or NULL. kernel_read_file() would be
 * for files that the kernel uses, and asks the security modules for their kind.
 */
static void *hyvh_contract_content(struct file *file, loff_t size)
{
	loff_t pos = 0;
	void *data;
	ssize_t ret;

	if (size <= 0 || size > SZ_64M)
		return NULL;
	data = vmalloc(size);
	while (data && pos < size) {
		ret = kernel_read(file, data + pos, size - pos, &pos);
		if (ret <= 0) {
			vfree(data);
			data = NULL;
		}
	}
	return data;
}

/* Read and open a file of types. Its content is for vfree(), or NULL. */
static void *hyvh_contract_read(struct hyvh_btf *btf, const struct hyvh_btf *base,
				const char *name)
{
	struct file *file;
	char path[64];
	loff_t size;
	void *data;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	file = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(file))
		return NULL;
	size = i_size_read(file_inode(file));
	data = hyvh_contract_content(file, size);
	fput(file);
	if (data && hyvh_btf_open(btf, base, data, size)) {
		vfree(data);
		data = NULL;
	}
	return data;
}

/**
 * hyvh_contract_check() - compare this module with the running kernel
 *
 * A kernel without type information cannot be checked, which the log says.
 *
 * Context: Process context. May sleep.
 * Return: 0, or -ENOEXEC if the kernel differs from what this module needs.
 */
int hyvh_contract_check(void)
{
	struct hyvh_contract_found found = {};
	struct hyvh_btf vmlinux, btf;
	void *base, *data;
	int ret = 0, files = 0;
	size_t i;

	base = hyvh_contract_read(&vmlinux, NULL, hyvh_contract_files[0]);
	for (i = 1; base && !ret && i < ARRAY_SIZE(hyvh_contract_files); i++) {
		data = hyvh_contract_read(&btf, &vmlinux,
					  hyvh_contract_files[i]);
		if (!data)
			continue;
		ret = hyvh_contract_compare(&btf, &found);
		vfree(data);
		files++;
	}
	if (!files)
		pr_notice("no type information to check this kernel with\n");
	else if (!ret)
		ret = hyvh_contract_complete(&found);
	vfree(base);
	return ret;
}
