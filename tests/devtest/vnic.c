// SPDX-License-Identifier: GPL-2.0-only
/*
 * One vNIC: /dev/hyv as a VMM uses it, and requests as a guest sends them.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/virtio_config.h>

#include "failnth.h"
#include "harness.h"
#include "vnic.h"

/**
 * hyv_open() - open /dev/hyv
 *
 * Return: the file.
 */
int hyv_open(void)
{
	int fd = open("/dev/hyv", O_RDWR | O_CLOEXEC);

	REQUIRE(fd >= 0, "/dev/hyv opens (%s)", strerror(errno));
	return fd;
}

/* ioctl(2), but returns the error as a negative errno. */
int hyv_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret;

	failnth_begin();
	ret = ioctl(fd, cmd, arg);
	failnth_end();
	return ret < 0 ? -errno : 0;
}

/**
 * hyv_scratch() - scratch memory of this thread
 *
 * Return: DT_SCRATCH bytes, which are mapped as long as the process lives.
 */
void *hyv_scratch(void)
{
	static __thread void *scratch;

	if (scratch)
		return scratch;
	scratch = mmap(NULL, DT_SCRATCH, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(scratch != MAP_FAILED, "mmap of scratch memory");
	return scratch;
}

/**
 * hyv_attach_fd() - HYV_ATTACH
 * @fd: the file
 * @uverbs_fd: the HCA
 * @name: name for administrators
 */
int hyv_attach_fd(int fd, int uverbs_fd, const char *name)
{
	struct hyv_attach arg = {
		.size = sizeof(arg),
		.uverbs_fd = uverbs_fd,
		.scratch_len = DT_SCRATCH,
		.scratch = (uintptr_t)hyv_scratch(),
		.nr_event_queues = DT_EVENT_QUEUES,
	};

	memcpy(arg.name, name, strlen(name));
	return hyv_ioctl(fd, HYV_ATTACH, &arg);
}

int uverbs_open(void)
{
	int fd = open(dt_uverbs(), O_RDWR | O_CLOEXEC);

	REQUIRE(fd >= 0, "%s opens", dt_uverbs());
	return fd;
}

/**
 * vnic_attach() - open /dev/hyv and attach it to the HCA, no more
 * @v: the vNIC
 * @gm: its memory, for later
 */
void vnic_attach(struct vnic *v, struct gmem *gm)
{
	int uverbs = uverbs_open();

	memset(v, 0, sizeof(*v));
	v->gm = gm;
	v->fd = hyv_open();
	REQUIRE_EQ(hyv_attach_fd(v->fd, uverbs, "devtest"), 0, "HYV_ATTACH");
	close(uverbs);
}

static void vnic_set_window(struct vnic *v)
{
	struct hyv_set_window arg = {
		.size = sizeof(arg),
		.length = DT_WINDOW,
	};

	REQUIRE_EQ(hyv_ioctl(v->fd, HYV_SET_WINDOW, &arg), 0, "HYV_SET_WINDOW");
	v->window_size = DT_WINDOW;
	v->window = mmap(NULL, DT_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED,
			 v->fd, 0);
	REQUIRE(v->window != MAP_FAILED, "mmap of the window");
}

static volatile uint64_t *window_word(struct vnic *v, size_t page)
{
	/* Not in the header of a queue, which is at its start. */
	return (void *)(v->window + (page + 1) * DT_PAGE - sizeof(uint64_t));
}

/**
 * vnic_window_used() - count the pages of the window that have memory of the
 * HCA
 * @v: a vNIC whose queues are idle: their last words are overwritten
 *
 * All other pages are one and the same.
 *
 * Return: how many.
 */
size_t vnic_window_used(struct vnic *v)
{
	size_t nr = v->window_size / DT_PAGE, empty, i, j;
	static uint64_t mark = 0x48795600;

	/* Find a page that is written to with others. */
	for (i = nr; i--;) {
		*window_word(v, i) = ++mark;
		empty = 0;
		for (j = 0; j < nr; j++)
			empty += *window_word(v, j) == mark;
		if (empty > 1)
			return nr - empty;
	}
	REQUIRE(false, "the window has two empty pages");
	return 0;
}

/**
 * vnic_get_config() - read configuration space and the features on offer
 * @v: the vNIC
 */
void vnic_get_config(struct vnic *v)
{
	struct hyv_get_config arg = {
		.size = sizeof(arg),
		.config = (uintptr_t)&v->config,
		.config_len = sizeof(v->config),
	};

	REQUIRE_EQ(hyv_ioctl(v->fd, HYV_GET_CONFIG, &arg), 0, "HYV_GET_CONFIG");
	v->offered = arg.out_features;
}

/* The part after HYV_ATTACH that is the same for all vNICs. */
static void vnic_set_up(struct vnic *v, uint64_t transport)
{
	vnic_set_window(v);
	vnic_get_config(v);
	REQUIRE_EQ(vnic_set_mem(v, v->gm->region, GMEM_REGIONS), 0,
		   "HYV_SET_MEM");
	REQUIRE_EQ(vnic_set_features(v, vnic_features(v) | transport), 0,
		   "HYV_SET_FEATURES");
}

/**
 * vnic_open() - make a vNIC with window, memory and all features
 * @v: the vNIC
 * @gm: its memory
 */
void vnic_open(struct vnic *v, struct gmem *gm)
{
	vnic_open_features(v, gm, 0);
}

/**
 * vnic_open_features() - make a vNIC as vnic_open() does
 * @v: the vNIC
 * @gm: its memory
 * @transport: features of the transport, in addition to VIRTIO_F_VERSION_1
 */
void vnic_open_features(struct vnic *v, struct gmem *gm, uint64_t transport)
{
	vnic_attach(v, gm);
	vnic_set_up(v, transport);
}

/**
 * vnic_open_guest_gids() - make a vNIC as vnic_open() does, with guest
 * addressing
 * @v: the vNIC
 * @gm: its memory
 * @prefix: prefixes of the GIDs that it may have
 * @nr: number of prefixes; 0 allows all GIDs
 */
void vnic_open_guest_gids(struct vnic *v, struct gmem *gm,
			  const struct hyv_gid_prefix *prefix, uint32_t nr)
{
	vnic_attach(v, gm);
	REQUIRE_EQ(vnic_set_addressing(v, HYV_ADDRESSING_GUEST, prefix, nr), 0,
		   "HYV_SET_ADDRESSING");
	vnic_set_up(v, 0);
}

int vnic_set_addressing(struct vnic *v, uint32_t mode,
			const struct hyv_gid_prefix *prefix, uint32_t nr)
{
	struct hyv_set_addressing arg = {
		.size = sizeof(arg),
		.mode = mode,
		.nr_prefixes = nr,
		.prefixes = (uintptr_t)prefix,
	};

	return hyv_ioctl(v->fd, HYV_SET_ADDRESSING, &arg);
}

/**
 * vnic_close() - close the file, which destroys all objects of the guest
 * @v: the vNIC
 */
void vnic_close(struct vnic *v)
{
	close(v->fd);
	if (v->window)
		munmap(v->window, v->window_size);
}

/**
 * vnic_features() - all features on offer
 * @v: the vNIC
 *
 * Return: the features that a current driver acknowledges.
 */
uint64_t vnic_features(const struct vnic *v)
{
	return v->offered | 1ULL << VIRTIO_F_VERSION_1;
}

int vnic_set_mem(struct vnic *v, const struct hyv_mem_region *region,
		 uint32_t nr)
{
	struct hyv_set_mem arg = {
		.size = sizeof(arg),
		.nr_regions = nr,
		.regions = (uintptr_t)region,
	};

	return hyv_ioctl(v->fd, HYV_SET_MEM, &arg);
}

int vnic_set_features(struct vnic *v, uint64_t features)
{
	struct hyv_set_features arg = {
		.size = sizeof(arg),
		.features = features,
	};

	return hyv_ioctl(v->fd, HYV_SET_FEATURES, &arg);
}

int vnic_set_limits(struct vnic *v, const struct hyv_set_limits *limits)
{
	struct hyv_set_limits arg = *limits;

	arg.size = sizeof(arg);
	return hyv_ioctl(v->fd, HYV_SET_LIMITS, &arg);
}

/**
 * vnic_set_notify() - HYV_SET_NOTIFY
 * @v: the vNIC
 * @config_fd: eventfd for changes of the configuration, or -1
 * @error_fd: eventfd for broken event queues, or -1
 */
int vnic_set_notify(struct vnic *v, int config_fd, int error_fd)
{
	struct hyv_set_notify arg = {
		.size = sizeof(arg),
		.config_fd = config_fd,
		.error_fd = error_fd,
	};

	return hyv_ioctl(v->fd, HYV_SET_NOTIFY, &arg);
}

int vnic_reset(struct vnic *v)
{
	struct hyv_reset arg = {.size = sizeof(arg)};

	return hyv_ioctl(v->fd, HYV_RESET, &arg);
}

/**
 * req_init() - start a request
 * @r: the request
 * @opcode: HYV_CMD_*
 * @fixed: its fixed part; the header is filled in here
 * @fixed_len: bytes of it
 */
void req_init(struct req *r, uint16_t opcode, const void *fixed,
	      uint16_t fixed_len)
{
	memcpy(r->data, fixed, fixed_len);
	memset(&r->hdr, 0, sizeof(r->hdr));
	r->hdr.opcode = htole16(opcode);
	r->hdr.fixed_len = htole16(fixed_len);
	r->len = fixed_len;
	req_seal(r);
}

/**
 * req_seal() - make the size in the header that of the request
 * @r: the request
 */
void req_seal(struct req *r)
{
	r->hdr.size = htole32(r->len);
}

/* Grow a request by zeroed bytes. */
static void *req_add(struct req *r, uint32_t len)
{
	void *at = r->data + r->len;

	REQUIRE(len <= sizeof(r->data) - r->len, "a request has room");
	memset(at, 0, len);
	r->len += len;
	req_seal(r);
	return at;
}

/**
 * req_udata() - add provider data
 * @r: the request, without lists
 * @in: the data
 * @in_len: bytes of it
 * @out_len: room for that of the reply
 */
void req_udata(struct req *r, const void *in, uint32_t in_len, uint32_t out_len)
{
	r->hdr.udata_len = htole32(in_len);
	r->hdr.udata_out_len = htole32(out_len);
	if (in_len)
		memcpy(req_add(r, in_len), in, in_len);
}

/**
 * req_list() - add a chunk list
 * @r: the request
 * @slot: which buffer
 * @addr: guest virtual address of it
 * @length: bytes of it
 * @chunk: its chunks
 * @nr: how many
 *
 * Return: the list in the request, for a caller that spoils it.
 */
struct hyv_chunk_list *req_list(struct req *r, uint16_t slot, uint64_t addr,
				uint64_t length, const struct hyv_chunk *chunk,
				uint32_t nr)
{
	struct hyv_chunk_list *list;
	uint32_t i;

	req_add(r, -r->len % 8);
	list = req_add(r, sizeof(*list) + nr * sizeof(*chunk));
	list->slot = htole16(slot);
	list->nr_chunks = htole32(nr);
	list->nr_entries = htole32(nr);
	list->addr = htole64(addr);
	list->length = htole64(length);
	for (i = 0; i < nr; i++) {
		list->entry[i].addr = htole64(chunk[i].addr);
		list->entry[i].len = htole64(chunk[i].len);
	}
	r->hdr.nr_lists = htole16(le16toh(r->hdr.nr_lists) + 1);
	return list;
}

/**
 * vnic_exec_raw() - HYV_EXEC
 * @v: the vNIC
 * @req: the request's bytes
 * @req_len: how many
 * @rsp: where to put the reply
 * @room: bytes there
 * @rsp_len: set to the bytes of the reply
 */
int vnic_exec_raw(struct vnic *v, const void *req, uint32_t req_len, void *rsp,
		  uint32_t room, uint32_t *rsp_len)
{
	struct hyv_exec arg = {
		.size = sizeof(arg),
		.request = (uintptr_t)req,
		.reply = (uintptr_t)rsp,
		.scratch = (uintptr_t)hyv_scratch(),
		.request_len = req_len,
		.reply_len = room,
		.scratch_len = DT_SCRATCH,
	};
	int ret = hyv_ioctl(v->fd, HYV_EXEC, &arg);

	*rsp_len = arg.out_reply_len;
	return ret;
}

/**
 * vnic_exec_room() - execute a request, with limited room for the reply
 * @v: the vNIC
 * @r: the request
 * @rsp: the reply
 * @room: bytes for it
 *
 * Checks what holds for every reply; reports a test point only if that is
 * wrong.
 *
 * Return: the status, or a negative errno of the ioctl.
 */
int vnic_exec_room(struct vnic *v, struct req *r, struct rsp *rsp,
		   uint32_t room)
{
	uint32_t status, fixed_len, udata_len;
	int ret;

	memset(rsp->data, 0xa5, sizeof(rsp->data));
	ret = vnic_exec_raw(v, r->data, r->len, rsp->data, room, &rsp->len);
	if (ret)
		return ret;

	status = le32toh(rsp->hdr.status);
	fixed_len = le16toh(rsp->hdr.fixed_len);
	udata_len = le32toh(rsp->hdr.udata_len);
	if (rsp->len < sizeof(rsp->hdr) || rsp->len > room ||
	    le32toh(rsp->hdr.size) != rsp->len || rsp->hdr.reserved ||
	    fixed_len + udata_len != rsp->len ||
	    udata_len > le32toh(r->hdr.udata_out_len) ||
	    (status && rsp->len != sizeof(rsp->hdr)))
		tap_ok(false,
		       "reply to opcode %#x is well formed: status %u fixed %u provider %u length %u of %u",
		       le16toh(r->hdr.opcode), status, fixed_len, udata_len,
		       rsp->len, room);
	if (room < sizeof(rsp->data) && rsp->data[room] != 0xa5)
		tap_ok(false, "reply to opcode %#x keeps to its %u bytes",
		       le16toh(r->hdr.opcode), room);
	return status;
}

/**
 * vnic_exec() - execute a request with room for every reply
 * @v: the vNIC
 * @r: the request
 * @rsp: the reply
 *
 * Return: the status, or a negative errno of the ioctl.
 */
int vnic_exec(struct vnic *v, struct req *r, struct rsp *rsp)
{
	return vnic_exec_room(v, r, rsp, sizeof(rsp->data));
}
