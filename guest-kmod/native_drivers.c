// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep a software HCA driver away while a HyV device goes by its ID.
 *
 * rdma_rxe and siw look up "their" devices by driver ID alone: they would take
 * a HyV device for a struct of their own, and unregister it when they unload.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "native_drivers.h"

static DEFINE_MUTEX(coexist_lock);

/*
 * Both counts and @loading are protected by coexist_lock. @loading covers the
 * time between a module's COMING notification and its appearance in sysfs.
 */
static struct vhyv_rival {
	const char *module;
	u32 driver_id;
	unsigned int claims;
	bool loading;
} rivals[] = {
	{ .module = "rdma_rxe", .driver_id = RDMA_DRIVER_RXE },
	{ .module = "siw", .driver_id = RDMA_DRIVER_SIW },
};

static struct vhyv_rival *vhyv_rival_by_id(u32 driver_id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rivals); i++)
		if (rivals[i].driver_id == driver_id)
			return &rivals[i];
	return NULL;
}

static struct vhyv_rival *vhyv_rival_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rivals); i++)
		if (!strcmp(rivals[i].module, name))
			return &rivals[i];
	return NULL;
}

static bool vhyv_rival_present(const struct vhyv_rival *rival)
{
	struct kobject *kobj;

	if (rival->loading)
		return true;
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, rival->module);
	kobject_put(kobj);
	return kobj;
}

/**
 * vhyv_coexist_claim() - reserve a driver ID for a HyV device
 * @dev: for the message if it cannot be had
 * @driver_id: enum rdma_driver_id
 *
 * Until vhyv_coexist_release() the driver which owns the ID cannot be loaded.
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY if that driver is loaded.
 */
int vhyv_coexist_claim(struct device *dev, u32 driver_id)
{
	struct vhyv_rival *rival = vhyv_rival_by_id(driver_id);
	int ret = 0;

	if (!rival)
		return 0;

	mutex_lock(&coexist_lock);
	if (vhyv_rival_present(rival)) {
		dev_err(dev,
			"module %s is loaded and would take this device for its own: remove it (modprobe -r %s), then bind the device again\n",
			rival->module, rival->module);
		ret = -EBUSY;
	} else {
		rival->claims++;
	}
	mutex_unlock(&coexist_lock);
	return ret;
}

/**
 * vhyv_coexist_release() - undo a successful vhyv_coexist_claim()
 * @driver_id: as claimed
 *
 * Context: may sleep.
 */
void vhyv_coexist_release(u32 driver_id)
{
	struct vhyv_rival *rival = vhyv_rival_by_id(driver_id);

	if (!rival)
		return;
	mutex_lock(&coexist_lock);
	rival->claims--;
	mutex_unlock(&coexist_lock);
}

static int vhyv_coexist_notify(struct notifier_block *nb, unsigned long state,
			       void *data)
{
	const struct module *module = data;
	struct vhyv_rival *rival = vhyv_rival_by_name(module->name);
	int ret = NOTIFY_DONE;

	if (!rival)
		return NOTIFY_DONE;

	mutex_lock(&coexist_lock);
	if (state != MODULE_STATE_COMING) {
		rival->loading = false;
	} else if (rival->claims) {
		pr_err("module %s refused: it would take HyV devices for its own; remove virtio_hyv first\n",
		       rival->module);
		ret = notifier_from_errno(-EBUSY);
	} else {
		rival->loading = true;
	}
	mutex_unlock(&coexist_lock);
	return ret;
}

static struct notifier_block vhyv_coexist_nb = {
	.notifier_call = vhyv_coexist_notify,
};

/**
 * vhyv_coexist_init() - start to watch modules being loaded
 *
 * Return: 0 or a negative errno.
 */
int vhyv_coexist_init(void)
{
	return register_module_notifier(&vhyv_coexist_nb);
}

/**
 * vhyv_coexist_exit() - undo vhyv_coexist_init()
 */
void vhyv_coexist_exit(void)
{
	unregister_module_notifier(&vhyv_coexist_nb);
}
