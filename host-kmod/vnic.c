// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a vNIC: attach, setup, reset, HCA removal, close.
 */
#include <linux/bits.h>
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
#include <uapi/linux/hyv_netlink.h>

#include "debug.h"
#include "hca/hca.h"
#include "hca/uctx.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Defaults for a VMM that sets no limits. */
#define HYVH_DEFAULT_CONTEXTS	4096
#define HYVH_DEFAULT_PDS	65536
#define HYVH_DEFAULT_MRS	1048576
#define HYVH_DEFAULT_AHS	8192
#define HYVH_DEFAULT_SRQS	16384
#define HYVH_DEFAULT_MWS	65536
#define HYVH_DEFAULT_QUEUE_BYTES	SZ_1G

/* Highest limits that a VMM can set. */
#define HYVH_MAX_CONTEXTS	1048576
#define HYVH_MAX_PDS		1048576
#define HYVH_MAX_MRS		16777216
#define HYVH_MAX_AHS		1048576
#define HYVH_MAX_SRQS		1048576
#define HYVH_MAX_MWS		16777216

/* The virtio feature bits that are specific to a device type. */
#define HYVH_DEVICE_FEATURES	GENMASK_ULL(23, 0)

/* Attached vNICs by ID; a vNIC that is being attached reserves its ID. */
static DEFINE_XARRAY_ALLOC1(hyvh_vnics);
static u32 hyvh_next_id;

/* --- References --- */

/* Drop what hyvh_vnic_set_owner() and hyvh_vnic_set_path() took, except mm. */
static void hyvh_vnic_put_owner(struct hyvh_vnic *vnic)
{
	put_task_struct(vnic->owner);
	vnic->owner = NULL;
	put_cred(vnic->hca_cred);
	vnic->hca_cred = NULL;
	path_put(&vnic->hca_path);
}

static void hyvh_vnic_free(struct kref *ref)
{
	struct hyvh_vnic *vnic = container_of(ref, struct hyvh_vnic, ref);

	hyvh_doorbells_destroy(&vnic->doorbells);
	hyvh_events_free(&vnic->events);
	xa_destroy(&vnic->cq_slots);
	xa_destroy(&vnic->qp_slots);
	hyvh_vgids_free(&vnic->vgids);
	hyvh_window_free(&vnic->window);
	hyvh_objs_fini(&vnic->objs);
	hyvh_guest_mem_free(&vnic->mem);
	if (vnic->attached)
		hyvh_vnic_put_owner(vnic);
	mutex_destroy(&vnic->setup_lock);
	kvfree(vnic);
}

static void hyvh_vnic_put(struct hyvh_vnic *vnic)
{
	kref_put(&vnic->ref, hyvh_vnic_free);
}

/* --- Work of the worker --- */

static struct hyvh_vnic *hyvh_worker_vnic(struct hyvh_worker *worker)
{
	return container_of(worker, struct hyvh_vnic, worker);
}

static bool hyvh_vnic_run(struct hyvh_worker *worker)
{
	struct hyvh_vnic *vnic = hyvh_worker_vnic(worker);
	bool any;

	any = hyvh_doorbells_drain(&vnic->doorbells);
	any |= hyvh_events_deliver(&vnic->events);
	return any;
}

static bool hyvh_vnic_can_poll(struct hyvh_worker *worker)
{
	return hyvh_doorbells_ready(&hyvh_worker_vnic(worker)->doorbells);
}

static bool hyvh_vnic_pending(struct hyvh_worker *worker)
{
	return hyvh_doorbells_pending(&hyvh_worker_vnic(worker)->doorbells);
}

static void hyvh_vnic_want_kicks(struct hyvh_worker *worker, bool want)
{
	hyvh_doorbells_want_kicks(&hyvh_worker_vnic(worker)->doorbells, want);
}

static const struct hyvh_worker_ops hyvh_vnic_worker_ops = {
	.run = hyvh_vnic_run,
	.can_poll = hyvh_vnic_can_poll,
	.pending = hyvh_vnic_pending,
	.want_kicks = hyvh_vnic_want_kicks,
};

static void hyvh_vnic_ring(void *arg, u32 slot)
{
	hyvh_qp_ring(arg, slot);
}

static void hyvh_vnic_arm(void *arg, u32 slot, enum ib_cq_notify_flags how)
{
	hyvh_cq_arm(arg, slot, how);
}

static const struct hyvh_doorbell_ops hyvh_vnic_doorbell_ops = {
	.ring = hyvh_vnic_ring,
	.arm = hyvh_vnic_arm,
};

static void hyvh_vnic_destroy_all(struct hyvh_worker *worker)
{
	struct hyvh_vnic *vnic = hyvh_worker_vnic(worker);

	hyvh_vgids_clear(&vnic->vgids);
	hyvh_destroy_all(vnic);
	/* Close the files of the HCA now: its removal waits for them. */
	flush_delayed_fput();
}

static void hyvh_vnic_reset_state(struct hyvh_worker *worker)
{
	struct hyvh_vnic *vnic = hyvh_worker_vnic(worker);

	hyvh_vnic_destroy_all(worker);
	hyvh_doorbells_free(&vnic->doorbells);
	hyvh_events_reset(&vnic->events);
}

/* --- Events and removal of the HCA --- */

static struct hyvh_vnic *hyvh_link_vnic(struct hyvh_hca_link *link)
{
	return container_of(link, struct hyvh_vnic, hca_link);
}

static void hyvh_vnic_link_get(struct hyvh_hca_link *link)
{
	kref_get(&hyvh_link_vnic(link)->ref);
}

static void hyvh_vnic_link_put(struct hyvh_hca_link *link)
{
	hyvh_vnic_put(hyvh_link_vnic(link));
}

static void hyvh_vnic_hca_event(struct hyvh_hca_link *link,
				const struct ib_event *event)
{
	struct hyvh_events *events = &hyvh_link_vnic(link)->events;

	if (event->event == IB_EVENT_DEVICE_FATAL)
		hyvh_events_raise(events, 0, &events->device_fatal);
	else
		hyvh_events_raise_port(events, event->element.port_num,
				       event->event);
}

static void hyvh_vnic_hca_removed(struct hyvh_hca_link *link)
{
	struct hyvh_vnic *vnic = hyvh_link_vnic(link);

	down_write(&vnic->teardown_rwsem);
	/* NULL if the file was closed at the same time. */
	if (vnic->hca) {
		hyvh_worker_call(&vnic->worker, hyvh_vnic_destroy_all);
		vnic->hca = NULL;
		trace_hyvh_vnic_hca_removed(vnic->id, vnic->hca_name);
		hyvh_events_raise(&vnic->events, 0,
				  &vnic->events.device_fatal);
	}
	up_write(&vnic->teardown_rwsem);
}

static const struct hyvh_hca_link_ops hyvh_vnic_link_ops = {
	.event = hyvh_vnic_hca_event,
	.removed = hyvh_vnic_hca_removed,
	.get = hyvh_vnic_link_get,
	.put = hyvh_vnic_link_put,
};

/* --- Open and close --- */

/* Returns NULL if out of memory. */
struct hyvh_vnic *hyvh_vnic_create(void)
{
	struct hyvh_vnic *vnic;

	vnic = kvzalloc(sizeof(*vnic), GFP_KERNEL_ACCOUNT);
	if (!vnic)
		return NULL;
	kref_init(&vnic->ref);
	hyvh_worker_init(&vnic->worker, &hyvh_vnic_worker_ops,
			 &vnic->counters.kicks);
	mutex_init(&vnic->setup_lock);
	init_rwsem(&vnic->teardown_rwsem);
	hyvh_hca_link_init(&vnic->hca_link, &hyvh_vnic_link_ops);
	hyvh_guest_mem_init(&vnic->mem);
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
	hyvh_vgids_init(&vnic->vgids);
	xa_init_flags(&vnic->qp_slots, XA_FLAGS_ALLOC);
	xa_init_flags(&vnic->cq_slots, XA_FLAGS_ALLOC);
	hyvh_events_init(&vnic->events, &vnic->worker, &vnic->mem,
			 &vnic->counters);
	hyvh_doorbells_init(&vnic->doorbells, &hyvh_vnic_doorbell_ops, vnic);
	return vnic;
}

/* Drops the reference of the file. Runs in process context of any process. */
void hyvh_vnic_close(struct hyvh_vnic *vnic)
{
	if (vnic->attached) {
		xa_erase(&hyvh_vnics, vnic->id);
		hyvh_kick_clear(&vnic->worker.kick);
		down_write(&vnic->teardown_rwsem);
		hyvh_worker_call(&vnic->worker, hyvh_vnic_reset_state);
		if (vnic->hca)
			hyvh_hca_detach(vnic->hca, &vnic->hca_link);
		vnic->hca = NULL;
		up_write(&vnic->teardown_rwsem);
		hyvh_worker_stop(&vnic->worker);
		mmput(vnic->mm);
	}
	hyvh_vnic_put(vnic);
}

/* --- Attach --- */

static bool hyvh_name_valid(const u8 *name)
{
	size_t len = strnlen(name, HYV_NAME_LEN);

	if (len == HYV_NAME_LEN)
		return false;
	while (len--)
		if (name[len] < ' ' || name[len] > '~')
			return false;
	return true;
}

static int hyvh_vnic_set_path(struct hyvh_vnic *vnic, int fd)
{
	struct file *file;
	int ret = 0;

	file = fget(fd);
	if (!file)
		return hyvh_refuse(vnic->id, -EBADF, "uverbs_fd is not open");
	if (!(file->f_mode & FMODE_WRITE)) {
		ret = hyvh_refuse(vnic->id, -EBADF,
				  "uverbs_fd is not open for writing");
	} else if (!hyvh_uctx_is_uverbs(file)) {
		ret = hyvh_refuse(vnic->id, -EINVAL,
				  "uverbs_fd is not a uverbs device");
	} else {
		vnic->hca_path = file->f_path;
		path_get(&vnic->hca_path);
		vnic->hca_cred = get_cred(file->f_cred);
	}
	fput(file);
	return ret;
}

static void hyvh_vnic_set_owner(struct hyvh_vnic *vnic, const char *name)
{
	vnic->owner = get_task_struct(current->group_leader);
	vnic->mm = current->mm;
	mmget(vnic->mm);
	strscpy(vnic->name, name, sizeof(vnic->name));
	get_task_comm(vnic->comm, vnic->owner);
}

static int hyvh_vnic_reserve_id(struct hyvh_vnic *vnic)
{
	int ret;

	ret = xa_alloc_cyclic(&hyvh_vnics, &vnic->id, NULL, xa_limit_32b,
			      &hyvh_next_id, GFP_KERNEL);
	if (ret < 0)
		return ret;
	vnic->window.vnic_id = vnic->id;
	vnic->vgids.vnic_id = vnic->id;
	vnic->events.vnic_id = vnic->id;
	vnic->doorbells.vnic_id = vnic->id;
	return 0;
}

/*
 * Open a context of the HCA. A uverbs file does not say which driver it belongs
 * to, and a context can only be opened with the ID of its driver.
 */
static int hyvh_vnic_open_hca(struct hyvh_vnic *vnic, struct hyvh_uctx *uctx,
			      void __user *scratch)
{
	const struct hyvh_hca_driver *driver;
	unsigned int i;
	int ret;

	for (i = 0; (driver = hyvh_hca_driver_get(i)); i++) {
		ret = hyvh_uctx_open(uctx, &vnic->hca_path, vnic->hca_cred,
				     driver->driver_id, vnic->owner, scratch,
				     NULL);
		if (ret != -EINVAL)
			return ret;
	}
	return -EOPNOTSUPP;
}

static int hyvh_vnic_attach_hca(struct hyvh_vnic *vnic, struct ib_device *ibdev)
{
	struct hyvh_hca *hca;

	down_write(&vnic->teardown_rwsem);
	hca = hyvh_hca_attach(&vnic->hca_link, ibdev, vnic->id);
	if (!IS_ERR(hca))
		vnic->hca = hca;
	up_write(&vnic->teardown_rwsem);
	return PTR_ERR_OR_ZERO(hca);
}

int hyvh_ioctl_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg)
{
	struct ib_device *ibdev;
	struct hyvh_uctx uctx;
	int ret;

	lockdep_assert_held(&vnic->setup_lock);
	if (vnic->attached)
		return hyvh_refuse(vnic->id, -EISCONN, "already attached");
	if (arg->scratch_len < HYVH_SCRATCH_SIZE ||
	    !PAGE_ALIGNED(arg->scratch) || !hyvh_name_valid(arg->name))
		return hyvh_refuse(vnic->id, -EINVAL,
				   "invalid scratch memory or name");

	ret = hyvh_vnic_set_path(vnic, arg->uverbs_fd);
	if (ret)
		return ret;
	hyvh_vnic_set_owner(vnic, arg->name);
	ret = hyvh_vnic_reserve_id(vnic);
	if (ret)
		goto err_owner;
	ret = hyvh_vnic_open_hca(vnic, &uctx, u64_to_user_ptr(arg->scratch));
	if (ret) {
		hyvh_dbg(vnic->id, "cannot open the HCA: %pe", ERR_PTR(ret));
		goto err_id;
	}
	/* The HCA's device stays registered while the context is open. */
	ibdev = uctx.ib->device;
	strscpy(vnic->hca_name, dev_name(&ibdev->dev), sizeof(vnic->hca_name));
	vnic->vgids.nr_ports = rdma_end_port(ibdev);
	ret = hyvh_events_set_ports(&vnic->events, rdma_end_port(ibdev));
	if (ret)
		goto err_uctx;
	ret = hyvh_worker_start(&vnic->worker, vnic->mm);
	if (ret)
		goto err_ports;
	ret = hyvh_vnic_attach_hca(vnic, ibdev);
	if (ret)
		goto err_worker;
	hyvh_uctx_close(&uctx);

	/* Cannot fail: the entry is reserved. */
	xa_store(&hyvh_vnics, vnic->id, vnic, GFP_KERNEL);
	/* Pairs with smp_load_acquire() in hyvh_ioctl_check(). */
	smp_store_release(&vnic->attached, true);
	return 0;

err_worker:
	hyvh_worker_stop(&vnic->worker);
err_ports:
	hyvh_events_clear_ports(&vnic->events);
err_uctx:
	hyvh_uctx_close(&uctx);
err_id:
	xa_release(&hyvh_vnics, vnic->id);
err_owner:
	mmput(vnic->mm);
	vnic->mm = NULL;
	hyvh_vnic_put_owner(vnic);
	return ret;
}

/* --- Setup --- */

int hyvh_ioctl_set_limits(struct hyvh_vnic *vnic,
			  const struct hyv_set_limits *arg)
{
	const struct {
		enum hyv_obj_type type;
		u32 limit;
		u32 max;
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
		if (limits[i].limit > limits[i].max)
			return hyvh_refuse(vnic->id, -EINVAL,
					   "limit %u of object type %u is above %u",
					   limits[i].limit, limits[i].type,
					   limits[i].max);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].limit)
			hyvh_objs_set_max(&vnic->objs, limits[i].type,
					  limits[i].limit);
	if (arg->max_pinned)
		hyvh_quota_set_max(&vnic->pinned, arg->max_pinned);
	if (arg->max_queue_bytes)
		hyvh_quota_set_max(&vnic->queues, arg->max_queue_bytes);
	return 0;
}

int hyvh_ioctl_set_addressing(struct hyvh_vnic *vnic,
			      const struct hyv_set_addressing *arg)
{
	struct hyvh_addressing mode;
	int ret;

	ret = hyvh_addressing_load(&mode, &vnic->vgids, arg);
	if (ret)
		return ret;
	down_write(&vnic->teardown_rwsem);
	if (!vnic->hca)
		ret = -ENODEV;
	else if (vnic->features)
		ret = hyvh_refuse(vnic->id, -EBUSY,
				  "the guest has negotiated features already");
	else
		ret = hyvh_vgids_set_mode(&vnic->vgids, vnic->hca, &mode);
	up_write(&vnic->teardown_rwsem);
	hyvh_addressing_free(&mode);
	return ret;
}

int hyvh_ioctl_set_doorbell(struct hyvh_vnic *vnic,
			    const struct hyv_set_doorbell *arg)
{
	if (arg->poll_us > HYVH_MAX_POLL_US)
		return hyvh_refuse(vnic->id, -EINVAL,
				   "polling time of %u us is above %u us",
				   arg->poll_us, HYVH_MAX_POLL_US);
	WRITE_ONCE(vnic->worker.poll_us, arg->poll_us);
	return hyvh_kick_set(&vnic->worker.kick, &vnic->worker, arg->kick_fd);
}

int hyvh_ioctl_set_event_queue(struct hyvh_vnic *vnic,
			       struct hyv_set_event_queue *arg)
{
	int ret;

	down_read(&vnic->teardown_rwsem);
	ret = hyvh_events_set_queue(&vnic->events, arg, vnic->features &
				    BIT_ULL(VIRTIO_RING_F_EVENT_IDX));
	up_read(&vnic->teardown_rwsem);
	return ret;
}

/* The HCA is present. */
static u64 hyvh_vnic_features(const struct hyvh_vnic *vnic)
{
	u64 features = hyvh_hca_features(vnic->hca);

	if (hyvh_vgids_enabled(&vnic->vgids))
		features |= BIT_ULL(HYV_F_GUEST_GIDS);
	return features;
}

static int hyvh_vnic_check_features(const struct hyvh_vnic *vnic, u64 features)
{
	u64 own = features & HYVH_DEVICE_FEATURES;
	u64 offered;

	if (!vnic->hca)
		return -ENODEV;
	offered = hyvh_vnic_features(vnic);
	if (own & ~offered)
		return hyvh_refuse(vnic->id, -EOPNOTSUPP,
				   "features 0x%llx are not offered",
				   own & ~offered);
	if (~own & offered & BIT_ULL(HYV_F_GUEST_GIDS))
		return hyvh_refuse(vnic->id, -EOPNOTSUPP,
				   "guest driver does not support guest addressing");
	return 0;
}

int hyvh_ioctl_set_features(struct hyvh_vnic *vnic,
			    const struct hyv_set_features *arg)
{
	int ret;

	if (arg->features & BIT_ULL(VIRTIO_F_RING_PACKED) ||
	    !(arg->features & BIT_ULL(VIRTIO_F_VERSION_1)))
		return hyvh_refuse(vnic->id, -EOPNOTSUPP,
				   "needs split virtqueues of virtio 1");

	down_write(&vnic->teardown_rwsem);
	ret = hyvh_vnic_check_features(vnic, arg->features);
	if (!ret)
		vnic->features = arg->features;
	up_write(&vnic->teardown_rwsem);
	return ret;
}

int hyvh_ioctl_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg)
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
		return hyvh_refuse(vnic->id, -EINVAL, "%u event queues",
				   arg->nr_event_queues);

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

int hyvh_ioctl_reset(struct hyvh_vnic *vnic, const struct hyv_reset *arg)
{
	lockdep_assert_held(&vnic->setup_lock);
	hyvh_kick_clear(&vnic->worker.kick);
	down_write(&vnic->teardown_rwsem);
	hyvh_worker_call(&vnic->worker, hyvh_vnic_reset_state);
	vnic->features = 0;
	up_write(&vnic->teardown_rwsem);
	return 0;
}

/* --- Snapshots --- */

static u32 hyvh_vnic_state(struct hyvh_vnic *vnic)
{
	if (!READ_ONCE(vnic->hca))
		return HYV_NL_VNIC_HCA_GONE;
	return hyvh_events_running(&vnic->events) ? HYV_NL_VNIC_RUNNING :
						    HYV_NL_VNIC_ATTACHED;
}

static void hyvh_vnic_info_fill(struct hyvh_vnic *vnic,
				struct hyvh_vnic_info *info)
{
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
	hyvh_window_usage(&vnic->window, &info->window_used,
			  &info->window_size);
	info->commands = atomic64_read(&vnic->counters.commands);
	info->errors = atomic64_read(&vnic->counters.errors);
	info->doorbells = atomic64_read(&vnic->counters.doorbells);
	info->arms = atomic64_read(&vnic->counters.arms);
	info->kicks = atomic64_read(&vnic->counters.kicks);
	info->events = atomic64_read(&vnic->counters.events);
	info->event_stalls = atomic64_read(&vnic->counters.event_stalls);
	info->interrupts = atomic64_read(&vnic->counters.interrupts);
}

/**
 * hyvh_vnic_info_next() - take a snapshot of the next vNIC
 * @id: in: smallest ID; out: ID of the vNIC found
 * @info: snapshot to fill in
 *
 * IDs only grow, so a walk shows each vNIC that exists all the time once.
 *
 * Context: Process context. May sleep.
 * Return: 0, or %-ENOENT, with nothing changed, if there is none.
 */
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
