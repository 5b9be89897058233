// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loopback transport: a virtio device whose other side is a process on the
 * same kernel. hyv_loopback.h describes its interface.
 */
#include <linux/completion.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <linux/wait.h>
#include <hyv/wire.h>

#include "compat/virtio_config.h"
#include "loopback.h"

struct loop_vq {
	spinlock_t lock;	/* protects the fields below */
	struct virtqueue *vq;
	struct eventfd_ctx *kick;
	struct irq_work irq;
};

enum loop_state {
	LOOP_IDLE,
	LOOP_ASKED,		/* LOOP_NEXT has yet to return the call */
	LOOP_TAKEN,
	LOOP_ANSWERED,
};

/**
 * struct loop - an open file, and its device
 * @vdev: the device
 * @released: nothing refers to @vdev any longer
 * @start_lock: one LOOP_START at a time
 * @started: @vdev is registered
 * @window: addresses of the shared memory region, behind which is nothing
 * @features: features on offer
 * @nr_queues: elements of @vq in use
 * @queue_size: entries of each
 * @vq: virtqueues
 * @call_lock: one call of the driver at a time
 * @wait: for changes of @state and @gone
 * @lock: protects the fields below
 * @state: state of @call
 * @call: the driver's call
 * @result: the VMM's answer
 * @gone: the file is being closed
 * @status: virtio status
 * @generation: of @config
 * @config: configuration space
 */
struct loop {
	struct virtio_device vdev;
	struct completion released;
	struct mutex start_lock;	/* held during LOOP_START */
	bool started;
	struct resource window;
	u64 features;
	u32 nr_queues;
	u32 queue_size;
	struct loop_vq vq[LOOP_MAX_QUEUES];
	struct mutex call_lock;		/* held during a call */
	wait_queue_head_t wait;
	spinlock_t lock;		/* protects the fields below */
	enum loop_state state;
	struct loop_call call;
	int result;
	bool gone;
	u8 status;
	u32 generation;
	u8 config[LOOP_CONFIG_LEN];
};

static struct miscdevice loop_misc;

static struct loop *to_loop(struct virtio_device *vdev)
{
	return container_of(vdev, struct loop, vdev);
}

static bool loop_call_over(struct loop *loop)
{
	bool over;

	spin_lock_irq(&loop->lock);
	over = loop->gone || loop->state == LOOP_ANSWERED;
	spin_unlock_irq(&loop->lock);
	return over;
}

/* Ask the VMM. Without one nothing fails. */
static int loop_call(struct loop *loop, u32 type, u64 arg)
{
	int ret;

	mutex_lock(&loop->call_lock);
	spin_lock_irq(&loop->lock);
	loop->call = (struct loop_call){ .type = type, .arg = arg };
	loop->state = LOOP_ASKED;
	spin_unlock_irq(&loop->lock);
	wake_up_all(&loop->wait);
	wait_event(loop->wait, loop_call_over(loop));
	spin_lock_irq(&loop->lock);
	ret = loop->state == LOOP_ANSWERED ? loop->result : 0;
	loop->state = LOOP_IDLE;
	spin_unlock_irq(&loop->lock);
	mutex_unlock(&loop->call_lock);
	return ret;
}

static bool loop_call_take(struct loop *loop, struct loop_call *call)
{
	bool asked;

	spin_lock_irq(&loop->lock);
	asked = loop->state == LOOP_ASKED;
	if (asked) {
		*call = loop->call;
		loop->state = LOOP_TAKEN;
	}
	spin_unlock_irq(&loop->lock);
	return asked;
}

/* --- The device --- */

static void loop_get(struct virtio_device *vdev, unsigned int offset, void *buf,
		     unsigned int len)
{
	struct loop *loop = to_loop(vdev);

	if (offset + len > LOOP_CONFIG_LEN)
		return;
	spin_lock_irq(&loop->lock);
	memcpy(buf, loop->config + offset, len);
	spin_unlock_irq(&loop->lock);
}

static void loop_set(struct virtio_device *vdev, unsigned int offset,
		     const void *buf, unsigned int len)
{
}

static u32 loop_generation(struct virtio_device *vdev)
{
	return READ_ONCE(to_loop(vdev)->generation);
}

static u8 loop_get_status(struct virtio_device *vdev)
{
	return READ_ONCE(to_loop(vdev)->status);
}

static void loop_set_status(struct virtio_device *vdev, u8 status)
{
	struct loop *loop = to_loop(vdev);
	u8 new;

	spin_lock_irq(&loop->lock);
	new = status & ~loop->status;
	loop->status |= status;
	spin_unlock_irq(&loop->lock);
	if (new & VIRTIO_CONFIG_S_DRIVER_OK)
		loop_call(loop, LOOP_CALL_DRIVER_OK, 0);
	if (!(new & VIRTIO_CONFIG_S_FEATURES_OK) ||
	    !loop_call(loop, LOOP_CALL_FEATURES, vdev->features))
		return;
	spin_lock_irq(&loop->lock);
	loop->status &= ~VIRTIO_CONFIG_S_FEATURES_OK;
	spin_unlock_irq(&loop->lock);
}

static void loop_synchronize(struct virtio_device *vdev)
{
	struct loop *loop = to_loop(vdev);
	u32 i;

	for (i = 0; i < loop->nr_queues; i++)
		irq_work_sync(&loop->vq[i].irq);
}

static void loop_reset(struct virtio_device *vdev)
{
	struct loop *loop = to_loop(vdev);

	loop_call(loop, LOOP_CALL_RESET, 0);
	spin_lock_irq(&loop->lock);
	loop->status = 0;
	spin_unlock_irq(&loop->lock);
	loop_synchronize(vdev);
	/* Pages may get another owner, and another way to be mapped. */
	loop_memory_unmap();
}

static u64 loop_get_features(struct virtio_device *vdev)
{
	return to_loop(vdev)->features;
}

static int loop_finalize_features(struct virtio_device *vdev)
{
	vring_transport_features(vdev);
	return 0;
}

static bool loop_notify(struct virtqueue *vq)
{
	struct loop_vq *lvq = vq->priv;
	unsigned long flags;

	spin_lock_irqsave(&lvq->lock, flags);
	if (lvq->kick)
		eventfd_signal(lvq->kick);
	spin_unlock_irqrestore(&lvq->lock, flags);
	return true;
}

/* In hardirq context, as an interrupt of a device. */
static void loop_irq(struct irq_work *work)
{
	struct loop_vq *lvq = container_of(work, struct loop_vq, irq);
	struct virtqueue *vq = READ_ONCE(lvq->vq);

	if (vq)
		vring_interrupt(0, vq);
}

static void loop_del_vqs(struct virtio_device *vdev)
{
	struct loop *loop = to_loop(vdev);
	struct virtqueue *vq;
	struct loop_vq *lvq;
	u32 i;

	for (i = 0; i < loop->nr_queues; i++) {
		lvq = &loop->vq[i];
		spin_lock_irq(&lvq->lock);
		vq = lvq->vq;
		lvq->vq = NULL;
		spin_unlock_irq(&lvq->lock);
		irq_work_sync(&lvq->irq);
		if (vq)
			vring_del_virtqueue(vq);
	}
}

static int loop_find_vqs(struct virtio_device *vdev, unsigned int nvqs,
			 struct virtqueue *vqs[], struct virtqueue_info info[],
			 struct irq_affinity *desc)
{
	struct loop *loop = to_loop(vdev);
	struct virtqueue *vq;
	u32 i;

	if (nvqs > loop->nr_queues)
		return -ENOENT;
	for (i = 0; i < nvqs; i++) {
		vq = vring_create_virtqueue(i, loop->queue_size, PAGE_SIZE,
					    vdev, true, true, info[i].ctx,
					    loop_notify, info[i].callback,
					    info[i].name);
		if (!vq) {
			loop_del_vqs(vdev);
			return -ENOMEM;
		}
		vq->priv = &loop->vq[i];
		WRITE_ONCE(loop->vq[i].vq, vq);
		vqs[i] = vq;
	}
	return 0;
}

COMPAT_DEFINE_FIND_VQS(loop_find_vqs_op, loop_find_vqs);

static bool loop_get_shm_region(struct virtio_device *vdev,
				struct virtio_shm_region *region, u8 id)
{
	const struct loop *loop = to_loop(vdev);

	if (id != HYV_SHM_WINDOW)
		return false;
	region->addr = loop->window.start;
	region->len = resource_size(&loop->window);
	return true;
}

static const char *loop_bus_name(struct virtio_device *vdev)
{
	return "loopback";
}

static const struct virtio_config_ops loop_config_ops = {
	.get = loop_get,
	.set = loop_set,
	.generation = loop_generation,
	.get_status = loop_get_status,
	.set_status = loop_set_status,
	.reset = loop_reset,
	.find_vqs = loop_find_vqs_op,
	.del_vqs = loop_del_vqs,
	.synchronize_cbs = loop_synchronize,
	.get_features = loop_get_features,
	.finalize_features = loop_finalize_features,
	.bus_name = loop_bus_name,
	.get_shm_region = loop_get_shm_region,
};

static void loop_vdev_release(struct device *dev)
{
	complete(&to_loop(dev_to_virtio(dev))->released);
}

/* --- The file --- */

static int loop_do_start(struct loop *loop, struct loop_start *arg)
{
	int ret;

	if (loop->started)
		return -EBUSY;
	if (arg->nr_queues > LOOP_MAX_QUEUES || !arg->window ||
	    !PAGE_ALIGNED(arg->window))
		return -EINVAL;
	loop->features = arg->features;
	loop->nr_queues = arg->nr_queues;
	loop->queue_size = arg->queue_size;
	memcpy(loop->config, arg->config, sizeof(loop->config));
	loop->window.name = "hyv_loopback";
	loop->window.flags = IORESOURCE_MEM;
	/* Above all memory, where x86 maps nothing uncached by default. */
	ret = allocate_resource(&iomem_resource, &loop->window, arg->window,
				loop_memory_end(), -1, PAGE_SIZE, NULL, NULL);
	if (ret)
		return ret;

	loop->vdev.id.device = HYV_VIRTIO_ID;
	loop->vdev.id.vendor = VIRTIO_DEV_ANY_ID;
	loop->vdev.config = &loop_config_ops;
	loop->vdev.dev.parent = loop_misc.this_device;
	loop->vdev.dev.release = loop_vdev_release;
	loop->started = true;
	ret = register_virtio_device(&loop->vdev);
	if (ret) {
		loop->started = false;
		put_device(&loop->vdev.dev);
		wait_for_completion(&loop->released);
		release_resource(&loop->window);
		return ret;
	}
	arg->out_index = loop->vdev.index;
	return 0;
}

static int loop_start(struct loop *loop, void __user *user)
{
	struct loop_start arg;
	int ret;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	mutex_lock(&loop->start_lock);
	ret = loop_do_start(loop, &arg);
	mutex_unlock(&loop->start_lock);
	if (ret)
		return ret;
	return copy_to_user(user, &arg, sizeof(arg)) ? -EFAULT : 0;
}

static int loop_next(struct loop *loop, void __user *user)
{
	struct loop_call call;
	int ret;

	ret = wait_event_interruptible(loop->wait, loop_call_take(loop, &call));
	if (ret)
		return ret;
	return copy_to_user(user, &call, sizeof(call)) ? -EFAULT : 0;
}

static int loop_done(struct loop *loop, unsigned long result)
{
	int ret = -EINVAL;

	spin_lock_irq(&loop->lock);
	if (loop->state == LOOP_TAKEN) {
		loop->result = result;
		loop->state = LOOP_ANSWERED;
		ret = 0;
	}
	spin_unlock_irq(&loop->lock);
	wake_up_all(&loop->wait);
	return ret;
}

static int loop_queue(struct loop *loop, void __user *user)
{
	struct loop_queue arg;
	struct loop_vq *lvq;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (arg.index >= loop->nr_queues)
		return -EINVAL;
	lvq = &loop->vq[arg.index];
	arg.num = 0;
	spin_lock_irq(&lvq->lock);
	if (lvq->vq) {
		arg.num = virtqueue_get_vring_size(lvq->vq);
		arg.desc = virtqueue_get_desc_addr(lvq->vq);
		arg.avail = virtqueue_get_avail_addr(lvq->vq);
		arg.used = virtqueue_get_used_addr(lvq->vq);
	}
	spin_unlock_irq(&lvq->lock);
	return copy_to_user(user, &arg, sizeof(arg)) ? -EFAULT : 0;
}

static int loop_kick(struct loop *loop, void __user *user)
{
	struct eventfd_ctx *ctx;
	struct loop_kick arg;
	struct loop_vq *lvq;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (arg.index >= LOOP_MAX_QUEUES)
		return -EINVAL;
	ctx = eventfd_ctx_fdget(arg.fd);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	lvq = &loop->vq[arg.index];
	spin_lock_irq(&lvq->lock);
	swap(lvq->kick, ctx);
	spin_unlock_irq(&lvq->lock);
	if (ctx)
		eventfd_ctx_put(ctx);
	return 0;
}

static int loop_interrupt(struct loop *loop, unsigned long index)
{
	struct loop_vq *lvq;

	if (index >= loop->nr_queues)
		return -EINVAL;
	lvq = &loop->vq[index];
	spin_lock_irq(&lvq->lock);
	if (lvq->vq)
		irq_work_queue(&lvq->irq);
	spin_unlock_irq(&lvq->lock);
	return 0;
}

static int loop_config(struct loop *loop, void __user *user)
{
	struct loop_config arg;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	spin_lock_irq(&loop->lock);
	memcpy(loop->config, arg.config, sizeof(loop->config));
	loop->generation++;
	/* Not of a device that has been reset since the VMM decided. */
	if (loop->status)
		loop->status |= arg.status;
	spin_unlock_irq(&loop->lock);
	virtio_config_changed(&loop->vdev);
	return 0;
}

static long loop_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct loop *loop = file->private_data;
	void __user *user = (void __user *)arg;

	if (cmd == LOOP_START)
		return loop_start(loop, user);
	if (cmd == LOOP_NEXT)
		return loop_next(loop, user);
	if (cmd == LOOP_DONE)
		return loop_done(loop, arg);
	if (cmd == LOOP_KICK)
		return loop_kick(loop, user);
	if (cmd == LOOP_RAM)
		return put_user(loop_memory_end(), (u64 __user *)user);
	if (!READ_ONCE(loop->started))
		return -ENXIO;
	switch (cmd) {
	case LOOP_QUEUE:
		return loop_queue(loop, user);
	case LOOP_INTERRUPT:
		return loop_interrupt(loop, arg);
	case LOOP_CONFIG:
		return loop_config(loop, user);
	default:
		return -ENOTTY;
	}
}

static int loop_open(struct inode *inode, struct file *file)
{
	struct loop *loop;
	u32 i;

	loop = kzalloc(sizeof(*loop), GFP_KERNEL);
	if (!loop)
		return -ENOMEM;
	init_completion(&loop->released);
	mutex_init(&loop->start_lock);
	mutex_init(&loop->call_lock);
	spin_lock_init(&loop->lock);
	init_waitqueue_head(&loop->wait);
	for (i = 0; i < LOOP_MAX_QUEUES; i++) {
		spin_lock_init(&loop->vq[i].lock);
		init_irq_work(&loop->vq[i].irq, loop_irq);
	}
	file->private_data = loop;
	return 0;
}

static int loop_release(struct inode *inode, struct file *file)
{
	struct loop *loop = file->private_data;
	u32 i;

	spin_lock_irq(&loop->lock);
	loop->gone = true;
	spin_unlock_irq(&loop->lock);
	wake_up_all(&loop->wait);
	if (loop->started) {
		virtio_break_device(&loop->vdev);
		unregister_virtio_device(&loop->vdev);
		wait_for_completion(&loop->released);
		release_resource(&loop->window);
	}
	for (i = 0; i < LOOP_MAX_QUEUES; i++)
		if (loop->vq[i].kick)
			eventfd_ctx_put(loop->vq[i].kick);
	kfree(loop);
	return 0;
}

static const struct file_operations loop_fops = {
	.owner = THIS_MODULE,
	.open = loop_open,
	.release = loop_release,
	.mmap = loop_mmap,
	.unlocked_ioctl = loop_ioctl,
};

static struct miscdevice loop_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "hyv-loopback",
	.fops = &loop_fops,
	.mode = 0600,
};

static int __init loop_init(void)
{
	int ret;

	ret = loop_memory_init();
	if (ret)
		return ret;
	ret = misc_register(&loop_misc);
	if (ret)
		goto err_memory;
	ret = loop_netdev_init(loop_misc.this_device);
	if (ret)
		goto err_misc;
	return 0;

err_misc:
	misc_deregister(&loop_misc);
err_memory:
	loop_memory_exit();
	return ret;
}
module_init(loop_init);

static void __exit loop_exit(void)
{
	loop_netdev_exit();
	misc_deregister(&loop_misc);
	loop_memory_exit();
}
module_exit(loop_exit);

MODULE_DESCRIPTION("Loopback transport for tests of HyV");
MODULE_LICENSE("GPL");
