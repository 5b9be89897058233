// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a vNIC: attach, set-up, reset, the HCA's departure, close.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <rdma/ib_verbs.h>

#include "hca/hca.h"
#include "hca/uctx.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* What a VMM gets that sets no limits. */
#define HYVH_DEFAULT_CONTEXTS	4096
#define HYVH_DEFAULT_PDS		65536
#define HYVH_DEFAULT_MRS		1048576
#define HYVH_DEFAULT_AHS		8192
#define HYVH_DEFAULT_SRQS	16384
#define HYVH_DEFAULT_MWS		65536
#define HYVH_DEFAULT_QUEUE_BYTES	SZ_1G

/* What a VMM may set at most. */
#define HYVH_MAX_CONTEXTS	1048576
#define HYVH_MAX_PDS		1048576
#define HYVH_MAX_MRS		16777216
#define HYVH_MAX_AHS		1048576
#define HYVH_MAX_SRQS		1048576
#define HYVH_MAX_MWS		16777216

/* All attached vNICs by their ID. */
static DEFINE_XARRAY(hyvh_vnics);
static atomic_t hyvh_last_id;

/**
 * hyvh_vnic_create() - make a vNIC that is not attached
 *
 * Context: Process context. May sleep.
 * Return: the vNIC with one reference, or NULL without memory.
 */
struct hyvh_vnic *hyvh_vnic_create(void)
{
	struct hyvh_vnic *vnic;

	vnic = kvzalloc(sizeof(*vnic), GFP_KERNEL_ACCOUNT);
	if (!vnic)
		return NULL;
	kref_init(&vnic->ref);
	mutex_init(&vnic->setup_lock);
	init_rwsem(&vnic->teardown_rwsem);
	INIT_LIST_HEAD(&vnic->hca_link);
	spin_lock_init(&vnic->mem_lock);
	mutex_init(&vnic->doorbells_lock);
	hyvh_objs_init(&vnic->objs);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_CONTEXT, HYVH_DEFAULT_CONTEXTS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_PD, HYVH_DEFAULT_PDS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_CQ, HYVH_CQ_SLOTS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_QP, HYVH_QP_SLOTS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_MR, HYVH_DEFAULT_MRS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_AH, HYVH_DEFAULT_AHS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_SRQ, HYVH_DEFAULT_SRQS);
	hyvh_objs_set_max(&vnic->objs, HYV_OBJ_MW, HYVH_DEFAULT_MWS);
	hyvh_quota_init(&vnic->pinned, U64_MAX);
	hyvh_quota_init(&vnic->queues, HYVH_DEFAULT_QUEUE_BYTES);
	hyvh_window_init(&vnic->window);
	hyvh_vgids_init(&vnic->gids);
	xa_init_flags(&vnic->qp_slots, XA_FLAGS_ALLOC);
	xa_init_flags(&vnic->cq_slots, XA_FLAGS_ALLOC);
	hyvh_events_init(&vnic->events);
	return vnic;
}

static void hyvh_vnic_free(struct kref *ref)
{
	struct hyvh_vnic *vnic = container_of(ref, struct hyvh_vnic, ref);

	hyvh_events_free(&vnic->events);
	xa_destroy(&vnic->cq_slots);
	xa_destroy(&vnic->qp_slots);
	hyvh_vgids_free(&vnic->gids);
	hyvh_window_free(&vnic->window);
	hyvh_objs_fini(&vnic->objs);
	if (vnic->mem)
		hyvh_guest_mem_put(vnic->mem);
	if (vnic->owner)
		put_task_struct(vnic->owner);
	if (vnic->hca_cred) {
		put_cred(vnic->hca_cred);
		path_put(&vnic->hca_path);
	}
	mutex_destroy(&vnic->doorbells_lock);
	mutex_destroy(&vnic->setup_lock);
	kvfree(vnic);
}

/**
 * hyvh_vnic_put() - give up a reference
 * @vnic: the vNIC
 *
 * Context: Process context. May sleep.
 */
void hyvh_vnic_put(struct hyvh_vnic *vnic)
{
	kref_put(&vnic->ref, hyvh_vnic_free);
}

/* In the worker: the HCA's files have to be closed when it is told to go. */
static void hyvh_vnic_destroy_all(struct hyvh_vnic *vnic)
{
	hyvh_vgids_clear(vnic);
	hyvh_destroy_all(vnic);
	flush_delayed_fput();
}

/* In the worker: forget the guest's driver. */
static void hyvh_vnic_forget(struct hyvh_vnic *vnic)
{
	hyvh_vnic_destroy_all(vnic);
	hyvh_doorbells_free(vnic);
	hyvh_events_reset(vnic);
}

/**
 * hyvh_vnic_close() - the VMM has closed the file
 * @vnic: the vNIC; the file's reference is given up
 *
 * Context: Process context of any process. May sleep.
 */
void hyvh_vnic_close(struct hyvh_vnic *vnic)
{
	if (vnic->attached) {
		xa_erase(&hyvh_vnics, vnic->id);
		hyvh_kick_clear(&vnic->worker.kick);
		down_write(&vnic->teardown_rwsem);
		hyvh_worker_call(vnic, hyvh_vnic_forget);
		if (vnic->hca)
			hyvh_hca_unlink(vnic);
		up_write(&vnic->teardown_rwsem);
		hyvh_worker_stop(vnic);
		mmput(vnic->mm);
	}
	hyvh_vnic_put(vnic);
}

/**
 * hyvh_vnic_hca_gone() - take the HCA from a guest
 * @vnic: a vNIC that was taken off its HCA's list
 *
 * Context: Process context. May sleep, for as long as requests take.
 */
void hyvh_vnic_hca_gone(struct hyvh_vnic *vnic)
{
	down_write(&vnic->teardown_rwsem);
	/* NULL if the file was closed at the same time. */
	if (vnic->hca) {
		hyvh_worker_call(vnic, hyvh_vnic_destroy_all);
		vnic->hca = NULL;
		hyvh_events_raise(vnic, 0, &vnic->events.device_fatal);
	}
	up_write(&vnic->teardown_rwsem);
}

/**
 * hyvh_vnic_reset() - the guest has reset its device
 * @vnic: an attached vNIC
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0.
 */
int hyvh_vnic_reset(struct hyvh_vnic *vnic)
{
	lockdep_assert_held(&vnic->setup_lock);
	hyvh_kick_clear(&vnic->worker.kick);
	down_write(&vnic->teardown_rwsem);
	hyvh_worker_call(vnic, hyvh_vnic_forget);
	vnic->features = 0;
	up_write(&vnic->teardown_rwsem);
	return 0;
}

static bool hyvh_name_ok(const char *name)
{
	size_t len = strnlen(name, HYV_NAME_LEN);

	if (len == HYV_NAME_LEN)
		return false;
	while (len--)
		if (name[len] < ' ' || name[len] > '~')
			return false;
	return true;
}

/*
 * Find out what HCA a uverbs file is of. There is no way to ask it, but a
 * context can only be had with the ID of its driver.
 */
static int hyvh_vnic_probe(struct hyvh_vnic *vnic, struct hyvh_uctx *uctx,
			   void __user *scratch)
{
	const struct hyvh_provider *provider;
	unsigned int i;
	int ret;

	for (i = 0; (provider = hyvh_provider_get(i)); i++) {
		ret = hyvh_uctx_open(uctx, &vnic->hca_path, vnic->hca_cred,
				     provider->driver_id, vnic->owner, scratch,
				     NULL);
		if (ret != -EINVAL)
			return ret;
	}
	return -EOPNOTSUPP;
}

static int hyvh_vnic_set_hca(struct hyvh_vnic *vnic, void __user *scratch)
{
	struct ib_device *ibdev;
	struct hyvh_uctx uctx;
	int ret;

	ret = hyvh_vnic_probe(vnic, &uctx, scratch);
	if (ret)
		return ret;
	/* While the context is open the device cannot leave. */
	ibdev = uctx.ib->device;
	strscpy(vnic->hca_name, dev_name(&ibdev->dev), sizeof(vnic->hca_name));
	ret = hyvh_events_set_ports(&vnic->events, rdma_end_port(ibdev));
	if (ret)
		goto out;
	ret = hyvh_worker_start(vnic);
	if (ret)
		goto err_ports;
	ret = hyvh_hca_link(vnic, ibdev);
	if (ret)
		goto err_worker;
out:
	hyvh_uctx_close(&uctx);
	return ret;

err_worker:
	hyvh_worker_stop(vnic);
err_ports:
	hyvh_events_clear_ports(&vnic->events);
	goto out;
}

static int hyvh_vnic_set_path(struct hyvh_vnic *vnic, int fd)
{
	struct file *file;
	int ret = 0;

	file = fget(fd);
	if (!file)
		return -EBADF;
	if (!(file->f_mode & FMODE_WRITE)) {
		ret = -EBADF;
	} else if (!hyvh_uctx_is_uverbs(file)) {
		ret = -EINVAL;
	} else {
		vnic->hca_path = file->f_path;
		path_get(&vnic->hca_path);
		vnic->hca_cred = get_cred(file->f_cred);
	}
	fput(file);
	return ret;
}

/**
 * hyvh_vnic_attach() - choose owner and HCA
 * @vnic: the vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0 or a negative errno of HYV_ATTACH.
 */
int hyvh_vnic_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg)
{
	void __user *scratch = u64_to_user_ptr(arg->scratch);
	int ret;

	lockdep_assert_held(&vnic->setup_lock);
	if (vnic->attached)
		return -EISCONN;
	if (arg->scratch_len < HYVH_SCRATCH_SIZE ||
	    !PAGE_ALIGNED(arg->scratch) || !hyvh_name_ok(arg->name))
		return -EINVAL;

	ret = hyvh_vnic_set_path(vnic, arg->uverbs_fd);
	if (ret)
		return ret;
	vnic->owner = get_task_struct(current->group_leader);
	vnic->mm = current->mm;
	mmget(vnic->mm);
	strscpy(vnic->name, arg->name, sizeof(vnic->name));
	get_task_comm(vnic->comm, vnic->owner);
	do {
		vnic->id = atomic_inc_return(&hyvh_last_id);
	} while (vnic->id == HYVH_GID_STATIC);

	ret = hyvh_vnic_set_hca(vnic, scratch);
	if (ret)
		goto err_owner;
	ret = xa_insert(&hyvh_vnics, vnic->id, vnic, GFP_KERNEL);
	if (ret)
		goto err_hca;
	/* Pairs with smp_load_acquire() in hyvh_ioctl(). */
	smp_store_release(&vnic->attached, true);
	return 0;

err_hca:
	down_write(&vnic->teardown_rwsem);
	if (vnic->hca)
		hyvh_hca_unlink(vnic);
	up_write(&vnic->teardown_rwsem);
	hyvh_worker_stop(vnic);
	hyvh_events_reset(vnic);
	hyvh_events_clear_ports(&vnic->events);
err_owner:
	mmput(vnic->mm);
	vnic->mm = NULL;
	put_task_struct(vnic->owner);
	vnic->owner = NULL;
	put_cred(vnic->hca_cred);
	vnic->hca_cred = NULL;
	path_put(&vnic->hca_path);
	return ret;
}

/**
 * hyvh_vnic_set_limits() - set what the guest may use
 * @vnic: an attached vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held.
 * Return: 0 or -EINVAL.
 */
int hyvh_vnic_set_limits(struct hyvh_vnic *vnic,
			 const struct hyv_set_limits *arg)
{
	const struct {
		enum hyv_obj_type type;
		u32 max;
		u32 most;
	} limits[] = {
		{ HYV_OBJ_CONTEXT, arg->max_contexts, HYVH_MAX_CONTEXTS },
		{ HYV_OBJ_PD, arg->max_pds, HYVH_MAX_PDS },
		{ HYV_OBJ_CQ, arg->max_cqs, HYVH_CQ_SLOTS },
		{ HYV_OBJ_QP, arg->max_qps, HYVH_QP_SLOTS },
		{ HYV_OBJ_MR, arg->max_mrs, HYVH_MAX_MRS },
		{ HYV_OBJ_AH, arg->max_ahs, HYVH_MAX_AHS },
		{ HYV_OBJ_SRQ, arg->max_srqs, HYVH_MAX_SRQS },
		{ HYV_OBJ_MW, arg->max_mws, HYVH_MAX_MWS },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].max > limits[i].most)
			return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].max)
			hyvh_objs_set_max(&vnic->objs, limits[i].type,
					  limits[i].max);
	if (arg->max_pinned)
		hyvh_quota_set_max(&vnic->pinned, arg->max_pinned);
	if (arg->max_queue_bytes)
		hyvh_quota_set_max(&vnic->queues, arg->max_queue_bytes);
	return 0;
}

static void hyvh_guest_mem_free(struct kref *ref)
{
	struct hyvh_guest_mem *mem = container_of(ref, struct hyvh_guest_mem,
						  ref);

	hyvh_memmap_free(mem->map);
	kfree(mem);
}

/**
 * hyvh_vnic_get_mem() - hold on to the guest's memory table
 * @vnic: the vNIC
 *
 * Context: Any but interrupts.
 * Return: the table, for hyvh_guest_mem_put(); NULL if none is set.
 */
struct hyvh_guest_mem *hyvh_vnic_get_mem(struct hyvh_vnic *vnic)
{
	struct hyvh_guest_mem *mem;

	spin_lock(&vnic->mem_lock);
	mem = vnic->mem;
	if (mem)
		kref_get(&mem->ref);
	spin_unlock(&vnic->mem_lock);
	return mem;
}

/**
 * hyvh_guest_mem_put() - let go of a memory table
 * @mem: from hyvh_vnic_get_mem()
 *
 * Context: Process context.
 */
void hyvh_guest_mem_put(struct hyvh_guest_mem *mem)
{
	kref_put(&mem->ref, hyvh_guest_mem_free);
}

/**
 * hyvh_guest_read() - copy guest memory
 * @mem: struct hyvh_guest_mem
 * @gpa: guest-physical address
 * @dst: kernel memory to copy to
 * @len: bytes
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0 or -EFAULT.
 */
int hyvh_guest_read(void *mem, u64 gpa, void *dst, u64 len)
{
	const struct hyvh_guest_mem *table = mem;
	u64 hva, run;
	int ret;

	while (len) {
		ret = hyvh_memmap_translate(table->map, gpa, len, &hva, &run);
		if (ret)
			return ret;
		if (copy_from_user(dst, u64_to_user_ptr(hva), run))
			return -EFAULT;
		gpa += run;
		dst += run;
		len -= run;
	}
	return 0;
}

/**
 * hyvh_vnic_set_mem() - replace the guest's memory table
 * @vnic: an attached vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0 or a negative errno of HYV_SET_MEM.
 */
int hyvh_vnic_set_mem(struct hyvh_vnic *vnic, const struct hyv_set_mem *arg)
{
	struct hyv_mem_region *regions;
	struct hyvh_guest_mem *mem, *old;
	int ret;

	if (arg->nr_regions > HYVH_MAX_MEM_REGIONS)
		return -EINVAL;
	mem = kzalloc(sizeof(*mem), GFP_KERNEL_ACCOUNT);
	if (!mem)
		return -ENOMEM;
	kref_init(&mem->ref);

	regions = memdup_user(u64_to_user_ptr(arg->regions),
			      arg->nr_regions * sizeof(*regions));
	if (IS_ERR(regions)) {
		ret = PTR_ERR(regions);
		goto err_free;
	}
	mem->map = hyvh_memmap_create(regions, arg->nr_regions);
	kfree(regions);
	if (IS_ERR(mem->map)) {
		ret = PTR_ERR(mem->map);
		goto err_free;
	}

	spin_lock(&vnic->mem_lock);
	old = vnic->mem;
	vnic->mem = mem;
	spin_unlock(&vnic->mem_lock);
	if (old)
		hyvh_guest_mem_put(old);
	return 0;

err_free:
	kfree(mem);
	return ret;
}

/* The device's own features; under gate, and the HCA is there. */
static u64 hyvh_vnic_features(const struct hyvh_vnic *vnic)
{
	u64 features = hyvh_hca_features(vnic->hca);

	if (vnic->gids.tenant)
		features |= BIT_ULL(HYV_F_GUEST_GIDS);
	return features;
}

/**
 * hyvh_vnic_set_features() - set what the guest's driver acknowledged
 * @vnic: an attached vNIC
 * @arg: from the VMM
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0, -ENODEV, or -EOPNOTSUPP for bits that are not offered, or if one is
 * missing without which the device does not work.
 */
int hyvh_vnic_set_features(struct hyvh_vnic *vnic,
			   const struct hyv_set_features *arg)
{
	u64 own = arg->features & (BIT_ULL(24) - 1);
	int ret = 0;

	if (arg->features & BIT_ULL(VIRTIO_F_RING_PACKED) ||
	    !(arg->features & BIT_ULL(VIRTIO_F_VERSION_1)))
		return -EOPNOTSUPP;

	down_write(&vnic->teardown_rwsem);
	if (!vnic->hca)
		ret = -ENODEV;
	else if (own & ~hyvh_vnic_features(vnic))
		ret = -EOPNOTSUPP;
	else if (vnic->gids.tenant && !(own & BIT_ULL(HYV_F_GUEST_GIDS)))
		ret = -EOPNOTSUPP;
	else
		vnic->features = arg->features;
	up_write(&vnic->teardown_rwsem);
	return ret;
}

/**
 * hyvh_vnic_get_config() - tell the device configuration space
 * @vnic: an attached vNIC
 * @arg: from the VMM; out_features is set
 *
 * Context: Process context of the VMM; setup_lock held. May sleep.
 * Return: 0 or a negative errno of HYV_GET_CONFIG.
 */
int hyvh_vnic_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg)
{
	struct hyv_config config = {
		.proto_min = cpu_to_le16(HYV_PROTO_VERSION),
		.proto_max = cpu_to_le16(HYV_PROTO_VERSION),
		.nr_event_queues = cpu_to_le16(arg->nr_event_queues),
		.qp_slots = cpu_to_le32(HYVH_QP_SLOTS),
		.cq_slots = cpu_to_le32(HYVH_CQ_SLOTS),
		.max_request = cpu_to_le32(HYV_MAX_REQ_SIZE),
		.page_size = cpu_to_le32(PAGE_SIZE),
		.status = cpu_to_le32(HYV_CONFIG_S_HCA_PRESENT),
	};
	struct ib_device *ibdev;

	if (!arg->nr_event_queues ||
	    arg->nr_event_queues > HYV_MAX_EVENT_QUEUES)
		return -EINVAL;

	down_read(&vnic->teardown_rwsem);
	if (!vnic->hca) {
		up_read(&vnic->teardown_rwsem);
		return -ENODEV;
	}
	ibdev = hyvh_hca_ibdev(vnic->hca);
	config.driver_id = cpu_to_le32(ibdev->ops.driver_id);
	config.uverbs_abi_ver = cpu_to_le32(ibdev->ops.uverbs_abi_ver);
	config.nr_ports = cpu_to_le16(rdma_end_port(ibdev));
	config.node_type = cpu_to_le16(ibdev->node_type);
	config.nr_comp_vectors = cpu_to_le16(min_t(int, U16_MAX,
						   ibdev->num_comp_vectors));
	arg->out_features = hyvh_vnic_features(vnic);
	WRITE_ONCE(vnic->events.nr_queues, arg->nr_event_queues);
	up_read(&vnic->teardown_rwsem);

	if (copy_to_user(u64_to_user_ptr(arg->config), &config,
			 min_t(size_t, arg->config_len, sizeof(config))))
		return -EFAULT;
	return 0;
}

static u32 hyvh_vnic_state(struct hyvh_vnic *vnic)
{
	if (!READ_ONCE(vnic->hca))
		return HYV_NL_VNIC_HCA_GONE;
	return hyvh_events_running(vnic) ? HYV_NL_VNIC_RUNNING :
					  HYV_NL_VNIC_ATTACHED;
}

static void hyvh_vnic_info_fill(struct hyvh_vnic *vnic,
				struct hyvh_vnic_info *info)
{
	struct hyvh_vnic_counters *c = &info->counters;
	int type;

	memset(info, 0, sizeof(*info));
	info->id = vnic->id;
	info->pid = task_tgid_vnr(vnic->owner);
	info->state = hyvh_vnic_state(vnic);
	strscpy(info->name, vnic->name, sizeof(info->name));
	strscpy(info->comm, vnic->comm, sizeof(info->comm));
	strscpy(info->hca, vnic->hca_name, sizeof(info->hca));
	for (type = 1; type < HYV_OBJ_TYPES; type++) {
		info->obj_count[type] = hyvh_objs_count(&vnic->objs, type);
		info->obj_max[type] = hyvh_objs_max(&vnic->objs, type);
	}
	info->pinned = hyvh_quota_used(&vnic->pinned);
	info->pinned_max = hyvh_quota_max(&vnic->pinned);
	info->queue_bytes = hyvh_quota_used(&vnic->queues);
	info->queue_bytes_max = hyvh_quota_max(&vnic->queues);
	mutex_lock(&vnic->window.lock);
	info->window_used = vnic->window.used;
	info->window_size = vnic->window.size;
	mutex_unlock(&vnic->window.lock);

	c->commands = atomic64_read(&vnic->counters.commands);
	c->errors = atomic64_read(&vnic->counters.errors);
	c->doorbells = atomic64_read(&vnic->counters.doorbells);
	c->arms = atomic64_read(&vnic->counters.arms);
	c->kicks = atomic64_read(&vnic->counters.kicks);
	c->events = atomic64_read(&vnic->counters.events);
	c->event_stalls = atomic64_read(&vnic->counters.event_stalls);
	c->interrupts = atomic64_read(&vnic->counters.interrupts);
}

int hyvh_vnic_info_next(u32 *id, struct hyvh_vnic_info *info)
{
	unsigned long index = *id;
	struct hyvh_vnic *vnic;

	xa_lock(&hyvh_vnics);
	vnic = xa_find(&hyvh_vnics, &index, U32_MAX, XA_PRESENT);
	if (vnic)
		kref_get(&vnic->ref);
	xa_unlock(&hyvh_vnics);
	if (!vnic)
		return -ENOENT;

	hyvh_vnic_info_fill(vnic, info);
	hyvh_vnic_put(vnic);
	*id = index;
	return 0;
}
