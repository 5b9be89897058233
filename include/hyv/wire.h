/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: the contract between a guest driver and the host.
 *
 * docs/protocol.md is the same contract in prose. All integers are little
 * endian. Every reserved field must be zero when sent and is refused otherwise;
 * receivers of replies and events ignore reserved fields.
 *
 * Numbers for QP states, MTUs, access flags, attribute masks, event codes,
 * port states and the like are those of the RDMA user verbs ABI
 * (rdma/ib_user_verbs.h and libibverbs), which never change.
 */
#ifndef HYV_WIRE_H
#define HYV_WIRE_H

#include <linux/types.h>

#ifdef __cplusplus
#define HYV_STATIC_ASSERT(cond) static_assert(cond, #cond)
#else
#define HYV_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#endif

/*
 * Virtio device ID. 63 is the last ID that fits the PCI device ID range of
 * modern virtio devices (0x1040 + ID); it is not assigned to another device.
 */
#define HYV_VIRTIO_ID		63

/* Protocol generation; see struct hyv_config.proto_min and proto_max. */
#define HYV_PROTO_VERSION	1

/* Virtqueues. Event queue i is virtqueue HYV_VQ_EVENT0 + i. */
#define HYV_VQ_CONTROL		0
#define HYV_VQ_DOORBELL		1
#define HYV_VQ_EVENT0		2
#define HYV_MAX_EVENT_QUEUES	16

/* Virtio shared memory region that HCA queues are mapped into. */
#define HYV_SHM_WINDOW		1

/* Virtio feature bits of this device. */

/* Chunk lists may be kept in guest memory (HYV_CHUNKS_INDIRECT). */
#define HYV_F_INDIRECT_CHUNKS	0
/*
 * The HCA is a software one: its doorbells and CQ arming go through the
 * doorbell area (HYV_CMD_SETUP_DOORBELLS). Without this bit the HCA's own
 * doorbell pages are mapped and the area does not exist.
 */
#define HYV_F_DOORBELL_AREA	1
/*
 * Addresses are the guest's: its driver tells the host which GIDs its ports
 * have (HYV_CMD_ADD_GID), sgid_index counts in that table, and destinations are
 * GIDs of other guests, or of hosts that the administrator has entered. The host
 * translates both to what the HCA sends. Without this bit the ports have the
 * GIDs of the HCA (HYV_CMD_QUERY_GIDS). A device that offers it works with
 * drivers that accept it only.
 */
#define HYV_F_GUEST_GIDS	2

#define HYV_FEATURES_ALL	((1ULL << HYV_F_INDIRECT_CHUNKS) | \
				 (1ULL << HYV_F_DOORBELL_AREA) | \
				 (1ULL << HYV_F_GUEST_GIDS))

/*
 * Status of a reply: 0 or one of these. The numbers are those of Linux's
 * asm-generic errno and are part of the protocol on every architecture.
 */
enum hyv_status {
	HYV_OK			= 0,
	HYV_S_EPERM		= 1,	/* policy forbids it */
	HYV_S_ENOENT		= 2,	/* no object with this handle and type */
	HYV_S_EINTR		= 4,	/* interrupted by a reset; not executed */
	HYV_S_EIO		= 5,	/* HCA gone, or an error with no code here */
	HYV_S_E2BIG		= 7,	/* non-zero bytes past the known part */
	HYV_S_EAGAIN		= 11,
	HYV_S_ENOMEM		= 12,	/* host memory, MEMLOCK or HCA resources */
	HYV_S_EACCES		= 13,
	HYV_S_EFAULT		= 14,	/* address outside guest RAM */
	HYV_S_EBUSY		= 16,	/* object still in use */
	HYV_S_EEXIST		= 17,
	HYV_S_ENODEV		= 19,
	HYV_S_EINVAL		= 22,	/* a field is out of range */
	HYV_S_ENOSPC		= 28,	/* window or HCA table full */
	HYV_S_ERANGE		= 34,
	HYV_S_ENOSYS		= 38,	/* opcode unknown */
	HYV_S_EMSGSIZE		= 90,	/* request or reply buffer too short */
	HYV_S_EPROTONOSUPPORT	= 93,
	HYV_S_EOPNOTSUPP	= 95,	/* not offered, or feature not negotiated */
	HYV_S_ENETUNREACH	= 101,
	HYV_S_ETIMEDOUT		= 110,
	HYV_S_EHOSTUNREACH	= 113,
	HYV_S_EDQUOT		= 122,	/* limit of this vNIC reached */
};

/* --- Device configuration space ------------------------------------------ */

#define HYV_CONFIG_S_HCA_PRESENT	(1 << 0)

/**
 * struct hyv_config - device configuration space
 * @proto_min: oldest protocol generation that the host speaks
 * @proto_max: newest one; a driver whose own range does not overlap refuses
 *	the device
 * @driver_id: enum rdma_driver_id of the HCA, for user-space provider choice
 * @uverbs_abi_ver: provider ABI version of the HCA
 * @nr_ports: ports of the HCA, numbered from 1
 * @node_type: enum rdma_node_type (1 = CA)
 * @nr_event_queues: event virtqueues, 1..HYV_MAX_EVENT_QUEUES
 * @nr_comp_vectors: completion vectors; vector v uses event queue
 *	v % nr_event_queues
 * @qp_slots: doorbell slots for QPs, a power of two, 64..65536
 * @cq_slots: arming slots for CQs, a power of two, 64..65536
 * @max_request: longest request in bytes
 * @page_size: unit of HYV_CMD_MMAP lengths and offsets, in bytes
 * @status: HYV_CONFIG_S_* bits
 * @mac: MAC address of the guest's network device that is paired with this
 *	device, or zero
 * @reserved: zero
 */
struct hyv_config {
	__le16 proto_min;
	__le16 proto_max;
	__le32 driver_id;
	__le32 uverbs_abi_ver;
	__le16 nr_ports;
	__le16 node_type;
	__le16 nr_event_queues;
	__le16 nr_comp_vectors;
	__le32 qp_slots;
	__le32 cq_slots;
	__le32 max_request;
	__le32 page_size;
	__le32 status;
	__u8 mac[6];
	__u8 reserved[18];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_config) == 64);

/* --- Requests and replies ------------------------------------------------- */

#define HYV_MAX_REQ_SIZE	65536
#define HYV_MAX_RSP_SIZE	16384
/* Longest private data of a provider, each way. */
#define HYV_MAX_UDATA		2048
/* Most chunk lists beside one request. */
#define HYV_MAX_LISTS		4

enum hyv_opcode {
	/* Device. */
	HYV_CMD_QUERY_DEVICE	= 0x0101,
	HYV_CMD_QUERY_PORT	= 0x0102,
	HYV_CMD_QUERY_GIDS	= 0x0103,
	HYV_CMD_QUERY_PKEYS	= 0x0104,
	HYV_CMD_SETUP_DOORBELLS	= 0x0105,
	HYV_CMD_ADD_GID		= 0x0106,
	HYV_CMD_DEL_GID		= 0x0107,
	/* Process contexts and their mappings. */
	HYV_CMD_ALLOC_CONTEXT	= 0x0201,
	HYV_CMD_MMAP		= 0x0202,
	HYV_CMD_MUNMAP		= 0x0203,
	/* Objects. */
	HYV_CMD_DESTROY		= 0x0301,
	HYV_CMD_ALLOC_PD	= 0x0302,
	HYV_CMD_CREATE_CQ	= 0x0303,
	HYV_CMD_CREATE_QP	= 0x0304,
	HYV_CMD_MODIFY_QP	= 0x0305,
	HYV_CMD_QUERY_QP	= 0x0306,
	HYV_CMD_REG_MR		= 0x0307,
	HYV_CMD_RESIZE_CQ	= 0x0308,
	HYV_CMD_MODIFY_CQ	= 0x0309,
	HYV_CMD_REREG_MR	= 0x030a,
	HYV_CMD_CREATE_AH	= 0x030b,
	HYV_CMD_CREATE_SRQ	= 0x030c,
	HYV_CMD_MODIFY_SRQ	= 0x030d,
	HYV_CMD_QUERY_SRQ	= 0x030e,
	HYV_CMD_ALLOC_MW	= 0x030f,
	HYV_CMD_ATTACH_MCAST	= 0x0310,
	HYV_CMD_DETACH_MCAST	= 0x0311,
};

enum hyv_obj_type {
	HYV_OBJ_CONTEXT	= 1,
	HYV_OBJ_PD	= 2,
	HYV_OBJ_CQ	= 3,
	HYV_OBJ_QP	= 4,
	HYV_OBJ_MR	= 5,
	HYV_OBJ_AH	= 6,
	HYV_OBJ_SRQ	= 7,
	HYV_OBJ_MW	= 8,
	HYV_OBJ_TYPES		/* one past the last */
};

/**
 * struct hyv_req - header of every request
 * @opcode: enum hyv_opcode
 * @nr_lists: chunk lists that follow the provider data, 0..HYV_MAX_LISTS
 * @size: bytes of the whole request
 * @fixed_len: bytes of the opcode's fixed part, this header included; a
 *	multiple of 8. Provider data starts here.
 * @reserved: zero
 * @udata_len: bytes of provider data; the first chunk list starts at the next
 *	multiple of 8
 * @udata_out_len: room for provider data in the reply
 *
 * A request that is longer in its fixed part than the host knows is accepted
 * if the unknown bytes are zero, else refused with HYV_S_E2BIG; one that is
 * shorter than the first version of the opcode is refused with
 * HYV_S_EMSGSIZE; fields that are not sent count as zero.
 */
struct hyv_req {
	__le16 opcode;
	__le16 nr_lists;
	__le32 size;
	__le16 fixed_len;
	__le16 reserved;
	__le32 udata_len;
	__le32 udata_out_len;
	__le32 reserved2;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_req) == 24);

/**
 * struct hyv_rsp - header of every reply
 * @status: enum hyv_status; if not 0 the reply ends with this header
 * @fixed_len: bytes of the fixed part, this header included; provider data
 *	starts here
 * @reserved: zero
 * @size: bytes of the whole reply
 * @udata_len: bytes of provider data, at most what the request had room for
 *
 * The host cuts the fixed part to the room that the guest gave (reply buffer
 * less udata_out_len); fields that do not arrive count as zero.
 */
struct hyv_rsp {
	__le32 status;
	__le16 fixed_len;
	__le16 reserved;
	__le32 size;
	__le32 udata_len;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_rsp) == 16);

/* --- Guest memory --------------------------------------------------------- */

/**
 * struct hyv_chunk - physically contiguous piece of guest memory
 * @addr: guest-physical address
 * @len: bytes, not 0
 */
struct hyv_chunk {
	__le64 addr;
	__le64 len;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_chunk) == 16);

/* The entries describe guest memory that holds the array of chunks. */
#define HYV_CHUNKS_INDIRECT	(1 << 0)

/**
 * struct hyv_chunk_list - the memory of one buffer of the guest
 * @slot: which buffer of the command: 0 for the memory of REG_MR and
 *	SETUP_DOORBELLS; for other commands the number of the buffer in the
 *	provider's table (docs/protocol.md)
 * @flags: HYV_CHUNKS_*
 * @nr_chunks: chunks that describe the buffer
 * @nr_entries: entries after this header; equal to @nr_chunks unless
 *	HYV_CHUNKS_INDIRECT
 * @reserved: zero
 * @addr: guest virtual address of the buffer's first byte
 * @length: bytes of the buffer; the sum of the chunks
 *
 * Only the first chunk may start, and only the last may end, off a page
 * boundary; @addr and the first chunk have the same offset in their page.
 * With HYV_CHUNKS_INDIRECT the entries' lengths are multiples of 16 and add
 * up to 16 * @nr_chunks.
 */
struct hyv_chunk_list {
	__le16 slot;
	__le16 flags;
	__le32 nr_chunks;
	__le32 nr_entries;
	__le32 reserved;
	__le64 addr;
	__le64 length;
	struct hyv_chunk entry[];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_chunk_list) == 32);

/* --- Device commands ------------------------------------------------------ */

/* HYV_CMD_QUERY_DEVICE; provider data is passed both ways. */
struct hyv_query_device_req {
	struct hyv_req hdr;
};

/*
 * Verbs that not every HCA has, and without which a guest driver must not offer
 * them: bits of struct hyv_query_device_rsp.verbs.
 */
#define HYV_VERB_AH		(1 << 0)	/* CREATE_AH, UD QPs */
#define HYV_VERB_SRQ		(1 << 1)	/* CREATE_SRQ, QUERY_SRQ */
#define HYV_VERB_MODIFY_SRQ	(1 << 2)
#define HYV_VERB_RESIZE_CQ	(1 << 3)
#define HYV_VERB_MODIFY_CQ	(1 << 4)
#define HYV_VERB_REREG_MR	(1 << 5)
#define HYV_VERB_MW		(1 << 6)	/* ALLOC_MW */
#define HYV_VERB_MCAST		(1 << 7)	/* ATTACH_MCAST, DETACH_MCAST */

/* Fields as in struct ib_uverbs_query_device_resp and its extension. */
struct hyv_query_device_rsp {
	struct hyv_rsp hdr;
	__le64 fw_ver;
	__be64 node_guid;
	__be64 sys_image_guid;
	__le64 max_mr_size;
	__le64 page_size_cap;
	__le32 vendor_id;
	__le32 vendor_part_id;
	__le32 hw_ver;
	__le32 max_qp;
	__le32 max_qp_wr;
	__le32 reserved;
	__le64 device_cap_flags;
	__le32 max_send_sge;
	__le32 max_recv_sge;
	__le32 max_sge_rd;
	__le32 max_cq;
	__le32 max_cqe;
	__le32 max_mr;
	__le32 max_pd;
	__le32 max_qp_rd_atom;
	__le32 max_ee_rd_atom;
	__le32 max_res_rd_atom;
	__le32 max_qp_init_rd_atom;
	__le32 max_ee_init_rd_atom;
	__le32 atomic_cap;
	__le32 masked_atomic_cap;
	__le32 max_ee;
	__le32 max_rdd;
	__le32 max_mw;
	__le32 max_raw_ipv6_qp;
	__le32 max_raw_ethy_qp;
	__le32 max_mcast_grp;
	__le32 max_mcast_qp_attach;
	__le32 max_total_mcast_qp_attach;
	__le32 max_ah;
	__le32 max_srq;
	__le32 max_srq_wr;
	__le32 max_srq_sge;
	__le32 max_fast_reg_page_list_len;
	__le16 max_pkeys;
	__u8 local_ca_ack_delay;
	__u8 reserved2;
	__le64 timestamp_mask;
	__le64 hca_core_clock;
	__le32 max_wq_type_rq;
	__le32 raw_packet_caps;
	__le32 verbs;			/* HYV_VERB_* */
	__le16 max_cq_moderation_count;
	__le16 max_cq_moderation_period;	/* microseconds */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_device_rsp) == 232);

struct hyv_query_port_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_port_req) == 32);

/* Fields as in struct ib_uverbs_query_port_resp. */
struct hyv_query_port_rsp {
	struct hyv_rsp hdr;
	__le32 port_cap_flags;
	__le32 port_cap_flags2;
	__le32 max_msg_sz;
	__le32 bad_pkey_cntr;
	__le32 qkey_viol_cntr;
	__le32 gid_tbl_len;
	__le32 pkey_tbl_len;
	__le32 lid;
	__le32 sm_lid;
	__le32 active_speed;
	__u8 state;
	__u8 max_mtu;
	__u8 active_mtu;
	__u8 lmc;
	__u8 max_vl_num;
	__u8 sm_sl;
	__u8 subnet_timeout;
	__u8 init_type_reply;
	__u8 active_width;
	__u8 phys_state;
	__u8 link_layer;	/* 1 = InfiniBand, 2 = Ethernet */
	__u8 grh_required;
	__u8 reserved[4];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_port_rsp) == 72);

#define HYV_GID_TYPE_IB		0
#define HYV_GID_TYPE_ROCE_V1	0
#define HYV_GID_TYPE_ROCE_V2	1

struct hyv_gid {
	__u8 raw[16];
	__le16 index;
	__u8 type;		/* HYV_GID_TYPE_* */
	__u8 reserved[5];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_gid) == 24);

#define HYV_QUERY_GIDS_MAX	64

/*
 * The valid entries of a port's GID table in order of their index, from index
 * @first on. @next is where to go on, or 0 at the end. With HYV_F_GUEST_GIDS at
 * most one: the link-local GID of the HCA's port, which GRHs of UD messages
 * between guests on it have. Every guest may add it to its own table.
 */
struct hyv_query_gids_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 first;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_gids_req) == 32);

struct hyv_query_gids_rsp {
	struct hyv_rsp hdr;
	__le32 count;
	__le32 next;
	struct hyv_gid gid[HYV_QUERY_GIDS_MAX];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_gids_rsp) == 24 + 64 * 24);

/* Entries of a port's GID table with HYV_F_GUEST_GIDS. */
#define HYV_MAX_GIDS		128
#define HYV_NO_VLAN		0xffff

/*
 * HYV_CMD_ADD_GID (HYV_F_GUEST_GIDS): an entry of a port's GID table, which was
 * empty. HYV_S_EEXIST if another vNIC of the tenant has this GID, HYV_S_EACCES if
 * this one may not have it, HYV_S_EBUSY if the entry is not empty. The same GID
 * may be in several entries. Reply: struct hyv_rsp.
 */
struct hyv_add_gid_req {
	struct hyv_req hdr;
	__le32 port;
	__le16 index;		/* below HYV_MAX_GIDS */
	__le16 vlan_id;		/* 0..4094, or HYV_NO_VLAN */
	__u8 gid[16];
	__u8 type;		/* HYV_GID_TYPE_ROCE_V2 */
	__u8 reserved[7];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_add_gid_req) == 56);

/*
 * HYV_CMD_DEL_GID (HYV_F_GUEST_GIDS): empty an entry. What was made with its
 * index goes on working. HYV_S_ENOENT if it is empty. Reply: struct hyv_rsp.
 */
struct hyv_del_gid_req {
	struct hyv_req hdr;
	__le32 port;
	__le16 index;
	__le16 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_del_gid_req) == 32);

#define HYV_QUERY_PKEYS_MAX	128

/* The port's P_Key table from index @first on; @next as above. */
struct hyv_query_pkeys_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 first;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_pkeys_req) == 32);

struct hyv_query_pkeys_rsp {
	struct hyv_rsp hdr;
	__le32 count;
	__le32 next;
	__le16 pkey[HYV_QUERY_PKEYS_MAX];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_pkeys_rsp) == 24 + 256);

/*
 * HYV_CMD_SETUP_DOORBELLS (HYV_F_DOORBELL_AREA): hand over the doorbell area,
 * one chunk list (slot 0) of whole pages of guest memory, zeroed, at least
 * HYV_DB_AREA_SIZE() bytes. Once between resets.
 */
struct hyv_setup_doorbells_req {
	struct hyv_req hdr;
};

/* --- The doorbell area ----------------------------------------------------- */

/*
 * struct hyv_db_hdr, then three bitmaps: send doorbells (one bit per QP slot),
 * CQ arming for the next completion, CQ arming for the next solicited one (one
 * bit per CQ slot each). A bitmap of n slots is ceil(n / 4096) summary words
 * followed by n / 64 words; bit b of word w (little endian) is slot 64 * w + b,
 * and bit s of summary word t says that word 64 * t + s may have bits set.
 *
 * The guest sets the bit, then the summary bit, then, after a full barrier,
 * reads kick_wanted and notifies the doorbell virtqueue if it is not zero.
 * The host clears summary bits, then takes the bits of the words. It clears a
 * send doorbell before it acts on it, and an arming bit only after the CQ is
 * armed: a guest that has waited for its arming bit to clear will get an event
 * for every completion from then on.
 */
struct hyv_db_hdr {
	__le32 kick_wanted;	/* written by the host only */
	__le32 reserved[15];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_db_hdr) == 64);

#define HYV_DB_BITMAP_WORDS(slots) \
	(((slots) + 4095) / 4096 + (slots) / 64)
#define HYV_DB_SQ_OFFSET	sizeof(struct hyv_db_hdr)
#define HYV_DB_ARM_OFFSET(qp_slots) \
	(HYV_DB_SQ_OFFSET + 8 * HYV_DB_BITMAP_WORDS(qp_slots))
#define HYV_DB_SOLICITED_OFFSET(qp_slots, cq_slots) \
	(HYV_DB_ARM_OFFSET(qp_slots) + 8 * HYV_DB_BITMAP_WORDS(cq_slots))
#define HYV_DB_AREA_SIZE(qp_slots, cq_slots) \
	(HYV_DB_SOLICITED_OFFSET(qp_slots, cq_slots) + \
	 8 * HYV_DB_BITMAP_WORDS(cq_slots))

/* --- Contexts and mappings -------------------------------------------------- */

/* One per guest process that opens the device; provider data both ways. */
struct hyv_alloc_context_req {
	struct hyv_req hdr;
};

struct hyv_create_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_rsp) == 24);

/* Cache attributes of mapped HCA memory. */
#define HYV_CACHE_WB	0
#define HYV_CACHE_WC	1
#define HYV_CACHE_UC	2

#define HYV_MMAP_READ	(1 << 0)
#define HYV_MMAP_WRITE	(1 << 1)

/*
 * Map what the provider's mmap(2) with file offset @offset gives, @length bytes
 * (whole pages), into the window. @window_offset names the mapping until it is
 * undone with HYV_CMD_MUNMAP, or its context is destroyed.
 */
struct hyv_mmap_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 prot;
	__le64 offset;
	__le64 length;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mmap_req) == 48);

struct hyv_mmap_rsp {
	struct hyv_rsp hdr;
	__le64 window_offset;
	__u8 cache;		/* HYV_CACHE_* */
	__u8 reserved[7];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mmap_rsp) == 32);

struct hyv_munmap_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 reserved;
	__le64 window_offset;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_munmap_req) == 40);

/* --- Objects ---------------------------------------------------------------- */

/*
 * Destroy any object. Destroying a context destroys all that it owns, leaves
 * first; any other object that is still in use by another gives HYV_S_EBUSY.
 * After the reply no new event names the object.
 */
struct hyv_destroy_req {
	struct hyv_req hdr;
	__le32 type;		/* enum hyv_obj_type */
	__le32 handle;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_destroy_req) == 32);

/* HYV_CMD_ALLOC_PD; reply: struct hyv_create_rsp. */
struct hyv_alloc_pd_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_alloc_pd_req) == 32);

struct hyv_create_cq_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 cqe;
	__le32 comp_vector;
	__le32 flags;		/* as in struct ib_cq_init_attr */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_cq_req) == 40);

struct hyv_create_cq_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 cqe;
	__le32 slot;		/* arming slot in the doorbell area */
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_cq_rsp) == 32);

/*
 * HYV_CMD_RESIZE_CQ: provider data both ways. Completions that are in the CQ
 * stay; fewer entries than those give HYV_S_EINVAL.
 */
struct hyv_resize_cq_req {
	struct hyv_req hdr;
	__le32 cq;
	__le32 cqe;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_resize_cq_req) == 32);

struct hyv_resize_cq_rsp {
	struct hyv_rsp hdr;
	__le32 cqe;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_resize_cq_rsp) == 24);

/* HYV_CMD_MODIFY_CQ: moderation of completion events; reply: struct hyv_rsp. */
struct hyv_modify_cq_req {
	struct hyv_req hdr;
	__le32 cq;
	__le16 cq_count;
	__le16 cq_period;	/* microseconds */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_modify_cq_req) == 32);

struct hyv_qp_cap {
	__le32 max_send_wr;
	__le32 max_recv_wr;
	__le32 max_send_sge;
	__le32 max_recv_sge;
	__le32 max_inline_data;
};

struct hyv_create_qp_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 send_cq;
	__le32 recv_cq;
	__le32 srq;		/* 0 = none */
	__u8 qp_type;		/* 2 = RC, 3 = UC, 4 = UD */
	__u8 sq_sig_all;
	__u8 reserved[2];
	__le32 create_flags;
	struct hyv_qp_cap cap;
	__le32 reserved2;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_qp_req) == 72);

struct hyv_create_qp_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 qpn;
	__le32 slot;		/* doorbell slot in the doorbell area */
	struct hyv_qp_cap cap;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_qp_rsp) == 48);

struct hyv_ah_attr {
	__u8 dgid[16];
	__le32 flow_label;
	__le16 dlid;
	__u8 sgid_index;
	__u8 hop_limit;
	__u8 traffic_class;
	__u8 sl;
	__u8 src_path_bits;
	__u8 static_rate;
	__u8 is_global;
	__u8 port_num;
	__u8 reserved[2];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_ah_attr) == 32);

struct hyv_qp_attr {
	__le32 qp_state;
	__le32 cur_qp_state;
	__le32 path_mtu;
	__le32 path_mig_state;
	__le32 qkey;
	__le32 rq_psn;
	__le32 sq_psn;
	__le32 dest_qp_num;
	__le32 qp_access_flags;
	__le32 rate_limit;
	struct hyv_qp_cap cap;
	__le16 pkey_index;
	__le16 alt_pkey_index;
	struct hyv_ah_attr ah;
	struct hyv_ah_attr alt_ah;
	__u8 en_sqd_async_notify;
	__u8 sq_draining;
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic;
	__u8 min_rnr_timer;
	__u8 port_num;
	__u8 timeout;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 alt_port_num;
	__u8 alt_timeout;
	__u8 reserved[5];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_qp_attr) == 144);

struct hyv_modify_qp_req {
	struct hyv_req hdr;
	__le32 qp;
	__le32 attr_mask;	/* enum ibv_qp_attr_mask */
	struct hyv_qp_attr attr;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_modify_qp_req) == 176);

struct hyv_query_qp_req {
	struct hyv_req hdr;
	__le32 qp;
	__le32 attr_mask;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_qp_req) == 32);

struct hyv_query_qp_rsp {
	struct hyv_rsp hdr;
	struct hyv_qp_attr attr;
	struct hyv_qp_cap init_cap;
	__u8 sq_sig_all;
	__u8 reserved[3];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_qp_rsp) == 184);

/*
 * HYV_CMD_REG_MR: one chunk list, slot 0, whose addr and length are the
 * region's. The guest keeps the memory pinned until the MR is destroyed.
 */
struct hyv_reg_mr_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 access;		/* enum ib_access_flags */
	__le64 iova;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_reg_mr_req) == 40);

struct hyv_reg_mr_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 lkey;
	__le32 rkey;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_reg_mr_rsp) == 32);

#define HYV_REREG_TRANS		(1 << 0)
#define HYV_REREG_PD		(1 << 1)
#define HYV_REREG_ACCESS	(1 << 2)

/*
 * HYV_CMD_REREG_MR: change an MR. With HYV_REREG_TRANS @iova and one chunk list
 * as of HYV_CMD_REG_MR give its new memory, else there is no list and @iova is
 * 0. @pd and @access count if their flags are set and are 0 otherwise. The
 * handle stays, the keys may change. On failure the MR is as it was. Reply:
 * struct hyv_reg_mr_rsp.
 */
struct hyv_rereg_mr_req {
	struct hyv_req hdr;
	__le32 mr;
	__le32 flags;		/* HYV_REREG_* */
	__le32 pd;
	__le32 access;
	__le64 iova;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_rereg_mr_req) == 48);

/* HYV_CMD_CREATE_AH; reply: struct hyv_create_rsp. */
struct hyv_create_ah_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 reserved;
	struct hyv_ah_attr attr;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_ah_req) == 64);

struct hyv_create_srq_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 max_wr;
	__le32 max_sge;
	__le32 srq_limit;
	__u8 srq_type;		/* 0 = basic */
	__u8 reserved[7];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_srq_req) == 48);

struct hyv_create_srq_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 max_wr;
	__le32 max_sge;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_srq_rsp) == 32);

/* HYV_CMD_MODIFY_SRQ; reply: struct hyv_rsp. */
struct hyv_modify_srq_req {
	struct hyv_req hdr;
	__le32 srq;
	__le32 attr_mask;	/* enum ibv_srq_attr_mask */
	__le32 max_wr;
	__le32 srq_limit;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_modify_srq_req) == 40);

struct hyv_query_srq_req {
	struct hyv_req hdr;
	__le32 srq;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_srq_req) == 32);

struct hyv_query_srq_rsp {
	struct hyv_rsp hdr;
	__le32 max_wr;
	__le32 max_sge;
	__le32 srq_limit;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_srq_rsp) == 32);

/* HYV_CMD_ALLOC_MW: a memory window. Binding it is the data path's. */
struct hyv_alloc_mw_req {
	struct hyv_req hdr;
	__le32 pd;
	__u8 mw_type;		/* 1 or 2 */
	__u8 reserved[3];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_alloc_mw_req) == 32);

struct hyv_alloc_mw_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 rkey;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_alloc_mw_rsp) == 24);

/*
 * HYV_CMD_ATTACH_MCAST and HYV_CMD_DETACH_MCAST: a UD QP joins or leaves a
 * multicast group; reply: struct hyv_rsp. The QP's end leaves all groups.
 */
struct hyv_mcast_req {
	struct hyv_req hdr;
	__le32 qp;
	__le16 mlid;
	__le16 reserved;
	__u8 gid[16];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mcast_req) == 48);

/* --- Events ------------------------------------------------------------------ */

enum hyv_event_type {
	HYV_EVENT_COMP		= 1,	/* handle = CQ */
	HYV_EVENT_CQ		= 2,	/* handle = CQ; code */
	HYV_EVENT_QP		= 3,	/* handle = QP; code */
	HYV_EVENT_PORT		= 4,	/* handle = port; code */
	HYV_EVENT_DEVICE	= 5,	/* code; device fatal: HCA is gone */
	HYV_EVENT_SRQ		= 6,	/* handle = SRQ; code */
};

/**
 * struct hyv_event - what the host writes into a buffer of an event queue
 * @type: enum hyv_event_type
 * @code: enum ib_event_type for all but HYV_EVENT_COMP
 * @handle: object or port that it is about
 * @count: how many times it happened since it was last told, at least 1
 * @reserved: zero
 *
 * The guest keeps buffers of this size in each event queue. When it has none
 * there the host keeps the events, in order and without loss, until it has.
 */
struct hyv_event {
	__le16 type;
	__le16 code;
	__le32 handle;
	__le32 count;
	__le32 reserved[5];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_event) == 32);

#endif /* HYV_WIRE_H */
