// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of a vNIC: attach, setup, reset, HCA removal, close.
 */
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <rdma/ib_verbs.h>
#include <uapi/linux/hyv_netlink.h>

#include "debug.h"
#include "hca/hca.h"
#include "hca/uctx.h"
#include "memory/fault_in.h"
#include "trace.h"
#include "verbs/verbs.h"
#include "vnic.h"
#include "vnic_limit.h"

/* Features of the transport that the module supports. */
#define HYVH_TRANSPORT_FEATURES			\
	(BIT_ULL(VIRTIO_F_VERSION_1) |		\
	 BIT_ULL(VIRTIO_RING_F_EVENT_IDX) |	\
	 BIT_ULL(VIRTIO_RING_F_INDIRECT_DESC))

/* Teardowns, for hyvh_vnic.gate. */
#define HYVH_TEARDOWN_RESET	BIT(0)	/* for HYV_RESET */
#define HYVH_TEARDOWN_HCA	BIT(1)	/* the HCA is removed */
#define HYVH_TEARDOWN_END	BIT(2)	/* the file is closed, or the VMM gone */
#define HYVH_TEARDOWNS		GENMASK(2, 0)

/* Runs teardowns of different vNICs in parallel. */
static struct workqueue_struct *hyvh_teardown_wq;

/* Attached vNICs by ID; a vNIC that is being attached reserves its ID. */
static DEFINE_XARRAY_ALLOC1(hyvh_vnics);
static u32 hyvh_next_id;

/* --- References --- */

/* Drop what hyvh_vnic_set_owner() took, if anything. */
static void hyvh_vnic_put_owner(struct hyvh_vnic *vnic)
{
	if (!vnic->owner)
		return;
	hyvh_vmm_put(vnic->vmm);
	mmdrop(vnic->mm);
	put_task_struct(vnic->owner);
	vnic->owner = NULL;
	put_cred(vnic->hca_cred);
	path_put(&vnic->hca_path);
}

static void hyvh_vnic_free(struct kref *ref)
{
	struct hyvh_vnic *vnic = container_of(ref, struct hyvh_vnic, ref);

	hyvh_signal_set(&vnic->config_changed, NULL);
	hyvh_doorbells_destroy(&vnic->doorbells);
	hyvh_events_free(&vnic->events);
	xa_destroy(&vnic->mcast_addrs);
	xa_destroy(&vnic->cq_slots);
	xa_destroy(&vnic->qp_slots);
	hyvh_vgids_free(&vnic->vgids);
	hyvh_window_free(&vnic->window);
	hyvh_records_free(&vnic->records);
	hyvh_objs_fini(&vnic->objs);
	hyvh_guest_mem_free(&vnic->mem);
	hyvh_vnic_put_owner(vnic);
	mutex_destroy(&vnic->setup_lock);
	hyvh_worker_uninit(&vnic->worker);
	/* A late callback for an object takes a lock of a backlog. */
	kvfree_rcu(vnic, rcu);
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

/* --- Teardown --- */

/* Stop what the VMM has started since the last reset. The worker is paused. */
static void hyvh_vnic_stop(struct hyvh_vnic *vnic)
{
	lockdep_assert_held_write(&vnic->teardown_rwsem);
	hyvh_kick_clear(&vnic->worker.kick);
	hyvh_doorbells_free(&vnic->doorbells);
	hyvh_events_reset(&vnic->events);
	vnic->features = 0;
}

static void hyvh_vnic_detach_hca(struct hyvh_vnic *vnic)
{
	lockdep_assert_held_write(&vnic->teardown_rwsem);
	hyvh_vgids_leave_hca(&vnic->vgids);
	hyvh_hca_detach(vnic->hca, &vnic->hca_link);
	WRITE_ONCE(vnic->hca, NULL);
}

static void hyvh_vnic_lose_hca(struct hyvh_vnic *vnic)
{
	hyvh_vnic_detach_hca(vnic);
	trace_hyvh_vnic_hca_removed(vnic->id, vnic->hca_name);
	hyvh_events_raise(&vnic->events, 0, &vnic->events.device_fatal);
	hyvh_signal_raise(&vnic->config_changed);
}

static void hyvh_vnic_end(struct hyvh_vnic *vnic)
{
	/* Unlike HYV_RESET without setup_lock, but no ioctl can run. */
	hyvh_vnic_stop(vnic);
	hyvh_worker_stop(&vnic->worker);
	if (vnic->hca)
		hyvh_vnic_detach_hca(vnic);
	if (!vnic->charge)
		return;
	xa_erase(&hyvh_vnics, vnic->id);
	hyvh_user_uncharge(vnic->charge);
	vnic->charge = NULL;
}

/*
 * Do what hyvh_vnic_request_teardown() has asked for. Needs no memory of the
 * VMM, which may be gone or may not answer, and waits for no request. Runs in a
 * kernel thread, which can close files of the HCA at once.
 */
static void hyvh_vnic_teardown(struct work_struct *work)
{
	struct hyvh_vnic *vnic = container_of(work, struct hyvh_vnic,
					      teardown_work);
	unsigned long what = hyvh_gate_begin(&vnic->gate);

	if (!what)
		goto out;
	down_write(&vnic->teardown_rwsem);
	/* A VMM can make it slow, and each object would wait for it. */
	hyvh_worker_pause(&vnic->worker);
	hyvh_vgids_clear(&vnic->vgids);
	hyvh_destroy_all(vnic);
	if (what & HYVH_TEARDOWN_RESET)
		hyvh_vnic_stop(vnic);
	if (what & HYVH_TEARDOWN_HCA && vnic->hca)
		hyvh_vnic_lose_hca(vnic);
	if (what & HYVH_TEARDOWN_END)
		hyvh_vnic_end(vnic);
	hyvh_worker_resume(&vnic->worker);
	up_write(&vnic->teardown_rwsem);
	hyvh_gate_end(&vnic->gate);
out:
	hyvh_vnic_put(vnic);
}

/* The caller has a reference to the vNIC. */
static void hyvh_vnic_queue_teardown(struct hyvh_vnic *vnic)
{
	kref_get(&vnic->ref);
	if (!queue_work(hyvh_teardown_wq, &vnic->teardown_work))
		hyvh_vnic_put(vnic);
}

/*
 * Let running requests give up, and then tear the vNIC down, in the background.
 * The caller has a reference to the vNIC. Process context.
 */
static void hyvh_vnic_request_teardown(struct hyvh_vnic *vnic,
				       unsigned long what)
{
	if (hyvh_gate_close(&vnic->gate, what))
		hyvh_vnic_queue_teardown(vnic);
}

/*
 * Begin a request, after the teardowns that were asked for. Until
 * hyvh_vnic_request_end() there is no teardown, so an HCA stays. Returns 0, or
 * -EINTR if a fatal signal is pending.
 */
int hyvh_vnic_request_begin(struct hyvh_vnic *vnic)
{
	int ret;

	ret = hyvh_gate_enter(&vnic->gate);
	if (ret)
		return ret;
	ret = down_read_killable(&vnic->teardown_rwsem);
	if (ret && hyvh_gate_leave(&vnic->gate))
		hyvh_vnic_queue_teardown(vnic);
	return ret;
}

void hyvh_vnic_request_end(struct hyvh_vnic *vnic)
{
	up_read(&vnic->teardown_rwsem);
	if (hyvh_gate_leave(&vnic->gate))
		hyvh_vnic_queue_teardown(vnic);
}

/*
 * The VMM's address space goes away. If another process has the file open, it
 * does so before the file is closed.
 */
static void hyvh_vnic_mm_release(struct mmu_notifier *notifier,
				 struct mm_struct *mm)
{
	hyvh_vnic_request_teardown(container_of(notifier, struct hyvh_vnic,
						mm_notifier),
				   HYVH_TEARDOWN_END);
}

static const struct mmu_notifier_ops hyvh_vnic_mm_ops = {
	.release = hyvh_vnic_mm_release,
};

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

static void hyvh_vnic_hca_remove(struct hyvh_hca_link *link)
{
	hyvh_vnic_request_teardown(hyvh_link_vnic(link), HYVH_TEARDOWN_HCA);
}

static bool hyvh_vnic_hca_removed(struct hyvh_hca_link *link,
				  unsigned long timeout)
{
	struct hyvh_vnic *vnic = hyvh_link_vnic(link);

	return wait_event_timeout(vnic->gate.wait,
				  hyvh_gate_ended(&vnic->gate,
						  HYVH_TEARDOWN_HCA), timeout);
}

static bool hyvh_vnic_hca_late(struct hyvh_hca_link *link, bool kill)
{
	struct hyvh_vnic *vnic = hyvh_link_vnic(link);
	struct pid *pid;

	if (!hyvh_gate_in_use(&vnic->gate))
		return false;
	pid = get_task_pid(vnic->owner, PIDTYPE_TGID);
	pr_warn("vNIC %u '%s' of process %d (%s) delays the removal of HCA %s%s\n",
		vnic->id, vnic->name, pid_nr(pid), vnic->comm, vnic->hca_name,
		kill ? "; killing the process" : "");
	if (kill) {
		kill_pid(pid, SIGKILL, 1);
		hyvh_worker_abandon(&vnic->worker);
	}
	put_pid(pid);
	return true;
}

static const struct hyvh_hca_link_ops hyvh_vnic_link_ops = {
	.event = hyvh_vnic_hca_event,
	.remove = hyvh_vnic_hca_remove,
	.removed = hyvh_vnic_hca_removed,
	.late = hyvh_vnic_hca_late,
	.get = hyvh_vnic_link_get,
	.put = hyvh_vnic_link_put,
};

/* --- Open and close --- */

int hyvh_vnic_register(void)
{
	/* As many as possible: the driver of an HCA may take long. */
	hyvh_teardown_wq = alloc_workqueue("hyv-teardown", WQ_UNBOUND,
					   WQ_UNBOUND_MAX_ACTIVE);
	return hyvh_teardown_wq ? 0 : -ENOMEM;
}

/* No vNIC exists. */
void hyvh_vnic_unregister(void)
{
	destroy_workqueue(hyvh_teardown_wq);
}

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
	hyvh_gate_init(&vnic->gate);
	INIT_WORK(&vnic->teardown_work, hyvh_vnic_teardown);
	vnic->mm_notifier.ops = &hyvh_vnic_mm_ops;
	hyvh_hca_link_init(&vnic->hca_link, &hyvh_vnic_link_ops);
	hyvh_guest_mem_init(&vnic->mem, &vnic->gate.cancel);
	hyvh_objs_init(&vnic->objs);
	hyvh_limits_init(vnic);
	hyvh_window_init(&vnic->window);
	hyvh_records_init(&vnic->records, &vnic->quota[HYV_NL_QUOTA_PINNED]);
	hyvh_vgids_init(&vnic->vgids, &vnic->events);
	xa_init_flags(&vnic->mcast_addrs, XA_FLAGS_ACCOUNT);
	xa_init_flags(&vnic->qp_slots, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&vnic->cq_slots, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	hyvh_events_init(&vnic->events, &vnic->worker, &vnic->mem,
			 &vnic->counters);
	hyvh_doorbells_init(&vnic->doorbells, &hyvh_vnic_doorbell_ops, vnic,
			    &vnic->quota[HYV_NL_QUOTA_PINNED]);
	hyvh_signal_init(&vnic->config_changed);
	return vnic;
}

/* Drops the reference of the file. Runs in process context of any process. */
void hyvh_vnic_close(struct hyvh_vnic *vnic)
{
	/* Calls hyvh_vnic_mm_release(), unless that has been called. */
	if (vnic->attached)
		mmu_notifier_unregister(&vnic->mm_notifier, vnic->mm);
	/*
	 * The removal of an HCA may have asked for a teardown in any case. There
	 * is no request, so this waits for no other process. Idle, as the end of
	 * many objects is no hung task.
	 */
	wait_event_idle(vnic->gate.wait,
			hyvh_gate_ended(&vnic->gate, HYVH_TEARDOWNS));
	flush_work(&vnic->teardown_work);
	/* Otherwise the VMM keeps some unused addresses. */
	if (vnic->attached && current->mm == vnic->mm)
		hyvh_records_unmap(&vnic->records);
	hyvh_vnic_put(vnic);
}

/*
 * Check that the caller is the process that has attached. A process with the
 * same memory is not: a signal to the owner would not end its requests.
 */
bool hyvh_vnic_is_owner(const struct hyvh_vnic *vnic)
{
	return current->mm == vnic->mm &&
	       same_thread_group(current, vnic->owner);
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

static int hyvh_vnic_check_uverbs(struct hyvh_vnic *vnic, struct file *file)
{
	int ret;

	if (!(file->f_mode & FMODE_WRITE))
		return hyvh_refuse(vnic->id, -EBADF,
				   "uverbs_fd is not open for writing");
	if (!hyvh_uctx_is_uverbs(file))
		return hyvh_refuse(vnic->id, -EINVAL,
				   "uverbs_fd is not a uverbs device");
	ret = hyvh_uctx_hca_name(file, vnic->hca_name);
	if (ret)
		return hyvh_refuse(vnic->id, ret, "uverbs_fd has no HCA");
	return 0;
}

/* Save who the owner is, and how it can open the HCA. */
static int hyvh_vnic_set_owner(struct hyvh_vnic *vnic,
			       const struct hyv_attach *arg)
{
	struct hyvh_vmm *vmm;
	struct file *file;
	int ret;

	file = fget(arg->uverbs_fd);
	if (!file)
		return hyvh_refuse(vnic->id, -EBADF, "uverbs_fd is not open");
	ret = hyvh_vnic_check_uverbs(vnic, file);
	if (ret)
		goto out;
	vmm = hyvh_vmm_get(current->mm);
	if (!vmm) {
		ret = -ENOMEM;
		goto out;
	}

	/* Those of a failed attempt, which the removal of an HCA may use. */
	hyvh_vnic_put_owner(vnic);
	vnic->hca_path = file->f_path;
	path_get(&vnic->hca_path);
	vnic->hca_cred = get_cred(file->f_cred);
	vnic->owner = get_task_struct(current->group_leader);
	vnic->uid = current_uid();
	vnic->mm = current->mm;
	mmgrab(vnic->mm);
	vnic->vmm = vmm;
	vnic->vmm_mrs = hyvh_vmm_mrs(vmm);
	vnic->records.pins = vnic->vmm_mrs;
	vnic->mem.vmas = hyvh_vmm_stitch_vmas(vmm);
	vnic->mem.stitched = hyvh_vmm_stitched_pages(vmm);
	vnic->events.mm = vnic->mm;
	vnic->events.nr_queues = arg->nr_event_queues;
	strscpy(vnic->name, arg->name, sizeof(vnic->name));
	get_task_comm(vnic->comm, vnic->owner);
out:
	fput(file);
	return ret;
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

static int hyvh_vnic_attach_hca(struct hyvh_vnic *vnic)
{
	struct hyvh_hca *hca;

	down_write(&vnic->teardown_rwsem);
	hca = hyvh_hca_attach(&vnic->hca_link, vnic->hca_name, vnic->id);
	if (!IS_ERR(hca)) {
		WRITE_ONCE(vnic->hca, hca);
		vnic->offered = hyvh_hca_features(hca);
	}
	up_write(&vnic->teardown_rwsem);
	return PTR_ERR_OR_ZERO(hca);
}

/* Undo hyvh_vnic_attach_hca() and hyvh_vnic_read_hca(). */
static void hyvh_vnic_abort_hca(struct hyvh_vnic *vnic)
{
	down_write(&vnic->teardown_rwsem);
	if (vnic->hca)
		hyvh_vnic_detach_hca(vnic);
	/* Forget what the HCA has raised. */
	hyvh_events_reset(&vnic->events);
	hyvh_signal_lower(&vnic->config_changed);
	up_write(&vnic->teardown_rwsem);
	hyvh_events_clear_ports(&vnic->events);
}

static void hyvh_vnic_fill_config(struct hyvh_vnic *vnic,
				  const struct ib_device *ibdev)
{
	vnic->config = (struct hyv_config) {
		.proto_min = cpu_to_le16(HYV_PROTO_VERSION),
		.proto_max = cpu_to_le16(HYV_PROTO_VERSION),
		.driver_id = cpu_to_le32(ibdev->ops.driver_id),
		.uverbs_abi_ver = cpu_to_le32(ibdev->ops.uverbs_abi_ver),
		.nr_ports = cpu_to_le16(rdma_end_port(ibdev)),
		.node_type = cpu_to_le16(ibdev->node_type),
		.nr_comp_vectors =
			cpu_to_le16(min_t(int, U16_MAX,
					  ibdev->num_comp_vectors)),
		.nr_event_queues = cpu_to_le16(vnic->events.nr_queues),
		.qp_slots = cpu_to_le32(HYVH_QP_SLOTS),
		.cq_slots = cpu_to_le32(HYVH_CQ_SLOTS),
		.max_request = cpu_to_le32(HYV_MAX_REQ_SIZE),
		.page_size = cpu_to_le32(PAGE_SIZE),
	};
}

/*
 * Open a context of the HCA for a moment: the VMM must be able to, and the name
 * or the device number may belong to another HCA by now.
 */
static int hyvh_vnic_probe(struct hyvh_vnic *vnic, struct ib_device *ibdev,
			   void __user *scratch)
{
	struct hyvh_uctx uctx;
	int ret;

	/* -EPERM is for hyvh_hca_check() alone, -EDQUOT for limits of hyv.ko. */
	ret = hyvh_uctx_open(&uctx, &vnic->hca_path, vnic->hca_cred,
			     hyvh_hca_driver(vnic->hca), vnic->owner, scratch,
			     NULL);
	if (ret == -EPERM)
		ret = -EACCES;
	else if (ret == -EDQUOT)
		ret = -ENOSPC;
	if (ret)
		return hyvh_refuse(vnic->id, ret, "cannot open the HCA");
	if (uctx.ib->device != ibdev)
		ret = hyvh_refuse(vnic->id, -ENODEV, "HCA was replaced");
	hyvh_uctx_close(&uctx);
	return ret;
}

/* Check the HCA, and copy what is needed of it after its removal. */
static int hyvh_vnic_read_hca(struct hyvh_vnic *vnic, void __user *scratch)
{
	struct ib_device *ibdev;
	int ret;

	ret = hyvh_vnic_request_begin(vnic);
	if (ret)
		return ret;
	if (!vnic->hca) {
		ret = hyvh_refuse(vnic->id, -ENODEV, "HCA was removed");
		goto out;
	}
	ibdev = hyvh_hca_ibdev(vnic->hca);
	ret = hyvh_vnic_probe(vnic, ibdev, scratch);
	if (ret)
		goto out;
	hyvh_vnic_fill_config(vnic, ibdev);
	vnic->vgids.nr_ports = rdma_end_port(ibdev);
	ret = hyvh_events_set_ports(&vnic->events, rdma_end_port(ibdev));
out:
	hyvh_vnic_request_end(vnic);
	return ret;
}

static int hyvh_vnic_check_attach(struct hyvh_vnic *vnic,
				  const struct hyv_attach *arg)
{
	int ret;

	if (vnic->attached)
		return hyvh_refuse(vnic->id, -EISCONN, "already attached");
	if (hyvh_hca_link_busy(&vnic->hca_link))
		return hyvh_refuse(vnic->id, -ENODEV, "HCA is being removed");
	if (arg->scratch_len < HYVH_SCRATCH_SIZE || !PAGE_ALIGNED(arg->scratch))
		return hyvh_refuse(vnic->id, -EINVAL, "invalid scratch memory");
	ret = hyvh_fault_in_check(arg->scratch, HYVH_SCRATCH_SIZE);
	if (ret)
		return hyvh_refuse(vnic->id, ret, "scratch memory of another kind");
	if (!hyvh_name_valid(arg->name))
		return hyvh_refuse(vnic->id, -EINVAL, "invalid name");
	if (!arg->nr_event_queues ||
	    arg->nr_event_queues > HYV_MAX_EVENT_QUEUES)
		return hyvh_refuse(vnic->id, -EINVAL, "%u event queues",
				   arg->nr_event_queues);
	return 0;
}

int hyvh_ioctl_attach(struct hyvh_vnic *vnic, const struct hyv_attach *arg)
{
	struct hyvh_user_charge *charge;
	int ret;

	lockdep_assert_held(&vnic->setup_lock);
	ret = hyvh_vnic_check_attach(vnic, arg);
	if (ret)
		return ret;
	ret = hyvh_vnic_set_owner(vnic, arg);
	if (ret)
		return ret;
	charge = hyvh_user_charge();
	if (IS_ERR(charge))
		return hyvh_refuse(vnic->id, PTR_ERR(charge),
				   "cannot attach another vNIC");
	ret = hyvh_vnic_reserve_id(vnic);
	if (ret)
		goto err_charge;
	ret = hyvh_vnic_attach_hca(vnic);
	if (ret)
		goto err_id;
	ret = hyvh_vnic_read_hca(vnic, u64_to_user_ptr(arg->scratch));
	if (ret)
		goto err_hca;
	/* The last step that can fail: undoing it would end the vNIC. */
	ret = mmu_notifier_register(&vnic->mm_notifier, vnic->mm);
	if (ret)
		goto err_hca;

	/* Cannot fail: the entry is reserved. */
	xa_store(&hyvh_vnics, vnic->id, vnic, GFP_KERNEL);
	vnic->charge = charge;
	/* Pairs with smp_load_acquire() in hyvh_ioctl_check(). */
	smp_store_release(&vnic->attached, true);
	return 0;

err_hca:
	hyvh_vnic_abort_hca(vnic);
err_id:
	xa_release(&hyvh_vnics, vnic->id);
err_charge:
	hyvh_user_uncharge(charge);
	return ret;
}

/* --- Setup --- */

/*
 * Check that the guest driver may use the device. Without an HCA, it cannot set
 * the features that are missing.
 */
int hyvh_vnic_check_ready(const struct hyvh_vnic *vnic)
{
	lockdep_assert(lockdep_is_held(&vnic->teardown_rwsem) ||
		       lockdep_is_held(&vnic->setup_lock));
	if (vnic->features)
		return 0;
	if (!READ_ONCE(vnic->hca))
		return hyvh_refuse(vnic->id, -ENODEV, "HCA was removed");
	return hyvh_refuse(vnic->id, -EPROTO, "no features are set");
}

static int hyvh_vnic_set_mode(struct hyvh_vnic *vnic,
			      struct hyvh_addressing *mode)
{
	u64 offered;
	int ret;

	lockdep_assert_held_write(&vnic->teardown_rwsem);
	if (!vnic->hca)
		return -ENODEV;
	if (vnic->features)
		return hyvh_refuse(vnic->id, -EBUSY, "features are set");
	ret = hyvh_vgids_set_mode(&vnic->vgids, vnic->hca, mode);
	if (ret)
		return ret;
	offered = hyvh_hca_features(vnic->hca);
	if (hyvh_vgids_enabled(&vnic->vgids))
		offered |= BIT_ULL(HYV_F_GUEST_GIDS);
	/* hyvh_ioctl_get_config() takes no lock. */
	WRITE_ONCE(vnic->offered, offered);
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
	ret = down_write_killable(&vnic->teardown_rwsem);
	if (ret)
		goto out_free;
	ret = hyvh_vnic_set_mode(vnic, &mode);
	up_write(&vnic->teardown_rwsem);
out_free:
	hyvh_addressing_free(&mode);
	return ret;
}

int hyvh_ioctl_set_doorbell(struct hyvh_vnic *vnic,
			    const struct hyv_set_doorbell *arg)
{
	int ret;

	if (arg->poll_us > HYVH_MAX_POLL_US)
		return hyvh_refuse(vnic->id, -EINVAL,
				   "polling time of %u us is above %u us",
				   arg->poll_us, HYVH_MAX_POLL_US);
	ret = hyvh_worker_restart(&vnic->worker);
	if (ret)
		return ret;
	WRITE_ONCE(vnic->worker.poll_us, arg->poll_us);
	return hyvh_kick_set(&vnic->worker.kick, &vnic->worker, arg->kick_fd);
}

int hyvh_ioctl_set_event_queue(struct hyvh_vnic *vnic,
			       struct hyv_set_event_queue *arg)
{
	int ret;

	/*
	 * Without teardown_rwsem, which the removal of an HCA may hold for long:
	 * that changes no queue, and setup ioctls meet no reset.
	 */
	lockdep_assert_held(&vnic->setup_lock);
	/* A queue can be stopped at any time. */
	if (arg->num) {
		ret = hyvh_vnic_check_ready(vnic);
		if (ret)
			return ret;
	}
	return hyvh_events_set_queue(&vnic->events, arg, vnic->features &
				     BIT_ULL(VIRTIO_RING_F_EVENT_IDX));
}

static int hyvh_vnic_check_features(const struct hyvh_vnic *vnic, u64 features)
{
	u64 unknown = features & ~(vnic->offered | HYVH_TRANSPORT_FEATURES);

	if (!vnic->hca)
		return -ENODEV;
	if (vnic->features)
		return hyvh_refuse(vnic->id, -EBUSY, "features are set");
	if (unknown)
		return hyvh_refuse(vnic->id, -EOPNOTSUPP,
				   "features 0x%llx are not offered", unknown);
	if (!(features & BIT_ULL(VIRTIO_F_VERSION_1)))
		return hyvh_refuse(vnic->id, -EOPNOTSUPP, "needs virtio 1");
	if (~features & vnic->offered & BIT_ULL(HYV_F_GUEST_GIDS))
		return hyvh_refuse(vnic->id, -EOPNOTSUPP,
				   "guest driver does not support guest addressing");
	return 0;
}

int hyvh_ioctl_set_features(struct hyvh_vnic *vnic,
			    const struct hyv_set_features *arg)
{
	int ret;

	ret = down_write_killable(&vnic->teardown_rwsem);
	if (ret)
		return ret;
	ret = hyvh_vnic_check_features(vnic, arg->features);
	if (!ret)
		vnic->features = arg->features;
	up_write(&vnic->teardown_rwsem);
	return ret;
}

/* Takes no lock: the VMM may call it from a thread that must not wait. */
int hyvh_ioctl_get_config(struct hyvh_vnic *vnic, struct hyv_get_config *arg)
{
	struct hyv_config config = vnic->config;

	if (READ_ONCE(vnic->hca))
		config.status = cpu_to_le32(HYV_CONFIG_S_HCA_PRESENT);
	arg->out_features = READ_ONCE(vnic->offered);
	if (copy_to_user(u64_to_user_ptr(arg->config), &config,
			 min_t(size_t, arg->config_len, sizeof(config))))
		return -EFAULT;
	return 0;
}

int hyvh_ioctl_set_notify(struct hyvh_vnic *vnic,
			  const struct hyv_set_notify *arg)
{
	struct eventfd_ctx *config, *error;

	config = hyvh_signal_get(arg->config_fd);
	if (IS_ERR(config))
		return hyvh_refuse(vnic->id, PTR_ERR(config),
				   "config_fd is not an eventfd");
	error = hyvh_signal_get(arg->error_fd);
	if (IS_ERR(error)) {
		if (config)
			eventfd_ctx_put(config);
		return hyvh_refuse(vnic->id, PTR_ERR(error),
				   "error_fd is not an eventfd");
	}
	hyvh_signal_set(&vnic->config_changed, config);
	hyvh_signal_set(&vnic->events.broken, error);
	return 0;
}

/*
 * Wait until no reset is left to do. Returns 0, or -EINTR if a fatal signal is
 * pending. The caller holds setup_lock, so that no other one begins.
 */
int hyvh_vnic_wait_reset(struct hyvh_vnic *vnic)
{
	lockdep_assert_held(&vnic->setup_lock);
	return wait_event_killable(vnic->gate.wait,
				   hyvh_gate_ended(&vnic->gate,
						   HYVH_TEARDOWN_RESET)) ?
	       -EINTR : 0;
}

int hyvh_ioctl_reset(struct hyvh_vnic *vnic, const struct hyv_reset *arg)
{
	lockdep_assert_held(&vnic->setup_lock);
	hyvh_vnic_request_teardown(vnic, HYVH_TEARDOWN_RESET);
	return hyvh_vnic_wait_reset(vnic);
}

/* --- Snapshots --- */

static u32 hyvh_vnic_state(struct hyvh_vnic *vnic)
{
	if (!READ_ONCE(vnic->hca))
		return HYV_NL_VNIC_HCA_GONE;
	return hyvh_events_running(&vnic->events) ? HYV_NL_VNIC_RUNNING :
						    HYV_NL_VNIC_ATTACHED;
}

static void hyvh_vnic_fill_quota(struct hyvh_vnic *vnic, enum hyv_nl_quota type,
				 struct hyvh_vnic_info *info)
{
	const struct hyvh_quota *quota = &vnic->quota[type];

	switch (type) {
	case HYV_NL_QUOTA_USER_VNICS:
		hyvh_user_usage(vnic->uid, &info->quota_used[type],
				&info->quota_max[type]);
		return;
	case HYV_NL_QUOTA_STITCH_VMAS:
		quota = vnic->mem.vmas;
		break;
	case HYV_NL_QUOTA_VMM_MRS:
		quota = vnic->vmm_mrs;
		break;
	default:
		break;
	}
	info->quota_used[type] = hyvh_quota_used(quota);
	info->quota_max[type] = hyvh_quota_max(quota);
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
	for (type = 0; type < HYV_NL_NR_QUOTAS; type++)
		hyvh_vnic_fill_quota(vnic, type, info);
	hyvh_window_usage(&vnic->window, &info->window_used,
			  &info->window_size);
	info->nr_leaked = atomic_read(&vnic->nr_leaked);
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
