// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep a software HCA's driver unloaded while a vNIC has its driver ID.
 *
 * rdma_rxe and siw find their devices by driver ID alone: they would use a vNIC
 * as if it were a structure of their own, and unregister it when they unload.
 */
#include <linux/device.h>
#include <linux/kconfig.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include <hyv/provider.h>

#include "native_drivers.h"

static DEFINE_MUTEX(native_lock);

/*
 * native_lock protects @blocks and @loading. @loading covers the time between
 * the module's COMING notification and its entry in sysfs. A driver that is
 * built into the kernel may have no such entry.
 */
static struct vhyv_native_driver {
	const char *module;
	u32 driver_id;
	bool builtin;
	unsigned int blocks;
	bool loading;
} native_drivers[] = {
	{ .module = "rdma_rxe", .driver_id = RDMA_DRIVER_RXE,
	  .builtin = IS_BUILTIN(CONFIG_RDMA_RXE) },
	{ .module = "siw", .driver_id = RDMA_DRIVER_SIW,
	  .builtin = IS_BUILTIN(CONFIG_RDMA_SIW) },
#ifdef HYV_TEST
	{ .module = "hyv_builtin", .driver_id = HYV_DRIVER_BUILTIN,
	  .builtin = true },
#endif
};

static struct vhyv_native_driver *vhyv_native_driver_by_id(u32 driver_id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(native_drivers); i++)
		if (native_drivers[i].driver_id == driver_id)
			return &native_drivers[i];
	return NULL;
}

static struct vhyv_native_driver *vhyv_native_driver_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(native_drivers); i++)
		if (!strcmp(native_drivers[i].module, name))
			return &native_drivers[i];
	return NULL;
}

static bool vhyv_native_driver_loaded(const struct vhyv_native_driver *drv)
{
	struct kobject *kobj;

	if (drv->loading)
		return true;
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, drv->module);
	kobject_put(kobj);
	return kobj;
}

/**
 * vhyv_native_driver_block() - keep the driver of a driver ID unloaded
 * @dev: device, for log messages
 * @driver_id: enum rdma_driver_id
 *
 * Context: Process context. May sleep.
 * Return: 0, or -EBUSY if that driver is loaded or built in.
 */
int vhyv_native_driver_block(struct device *dev, u32 driver_id)
{
	struct vhyv_native_driver *drv = vhyv_native_driver_by_id(driver_id);
	int ret = 0;

	if (!drv)
		return 0;
	if (drv->builtin) {
		dev_err(dev, "conflicts with %s, which is built into the kernel; build it as a module\n",
			drv->module);
		return -EBUSY;
	}

	mutex_lock(&native_lock);
	if (vhyv_native_driver_loaded(drv)) {
		dev_err(dev,
			"conflicts with module %s; 'modprobe -r %s', then rebind the driver\n",
			drv->module, drv->module);
		ret = -EBUSY;
	} else {
		drv->blocks++;
	}
	mutex_unlock(&native_lock);
	return ret;
}

void vhyv_native_driver_unblock(u32 driver_id)
{
	struct vhyv_native_driver *drv = vhyv_native_driver_by_id(driver_id);

	if (!drv)
		return;
	mutex_lock(&native_lock);
	drv->blocks--;
	mutex_unlock(&native_lock);
}

static int vhyv_native_drivers_notify(struct notifier_block *nb,
				      unsigned long state, void *data)
{
	const struct module *module = data;
	struct vhyv_native_driver *drv = vhyv_native_driver_by_name(module->name);
	int ret = NOTIFY_DONE;

	if (!drv)
		return NOTIFY_DONE;

	mutex_lock(&native_lock);
	if (state != MODULE_STATE_COMING) {
		drv->loading = false;
	} else if (drv->blocks) {
		pr_err("module %s refused: conflicts with vNICs of its driver ID; remove virtio_hyv first\n",
		       drv->module);
		ret = notifier_from_errno(-EBUSY);
	} else {
		drv->loading = true;
	}
	mutex_unlock(&native_lock);
	return ret;
}

static struct notifier_block vhyv_native_drivers_nb = {
	.notifier_call = vhyv_native_drivers_notify,
};

/* Start to watch modules being loaded. */
int vhyv_native_drivers_init(void)
{
	return register_module_notifier(&vhyv_native_drivers_nb);
}

void vhyv_native_drivers_exit(void)
{
	unregister_module_notifier(&vhyv_native_drivers_nb);
}
