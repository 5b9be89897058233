/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: the contract between a guest driver and the host.
 *
 * docs/protocol.md describes the same contract in prose, with all rules and
 * errors.
 *
 * All integers are little endian, unless their type is __be. Structures have no
 * padding. Senders set reserved fields to zero. The host refuses a request with
 * a reserved field that is not zero (HYV_S_EINVAL); guests ignore the reserved
 * fields of replies and events. Sizes and lengths are in bytes.
 *
 * QP states, MTUs, access flags, attribute masks, event codes, port states and
 * the like have the numbers of the RDMA user verbs ABI (rdma/ib_user_verbs.h
 * and libibverbs), which never change. "Handle" means a number that the host
 * has chosen for an object; it is never 0.
 *
 * HYV_CMD_X has the request struct hyv_x_req and the reply struct hyv_x_rsp;
 * where there is no such reply, it is the header, struct hyv_rsp, or as said at
 * the request. Members mean what the verbs attributes of the same name mean,
 * and have a comment where there is more to know. Structures that several
 * commands share have kernel-doc.
 *
 * Provider data passes in both directions with QUERY_DEVICE, ALLOC_CONTEXT, the
 * commands that create an object, RESIZE_CQ, MODIFY_QP, MODIFY_SRQ and
 * REREG_MR. The host ignores that of other commands.
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

/* Protocol generation, see proto_min and proto_max of struct hyv_config. */
#define HYV_PROTO_VERSION	1

/* Virtqueues. Event queue i is virtqueue HYV_VQ_EVENT0 + i. */
#define HYV_VQ_CONTROL		0
#define HYV_VQ_DOORBELL		1
#define HYV_VQ_EVENT0		2
#define HYV_MAX_EVENT_QUEUES	16

/* ID of the virtio shared memory region into which HCA queues are mapped. */
#define HYV_SHM_WINDOW		1

/* Virtio feature bits, as bit numbers. */

/* Chunk lists may be kept in guest memory (HYV_CHUNKS_INDIRECT). */
#define HYV_F_INDIRECT_CHUNKS	0
/*
 * Doorbells and CQ arming are system calls, and go through the doorbell area
 * (HYV_CMD_SETUP_DOORBELLS). Without this bit the area does not exist, and the
 * guest maps the HCA's own doorbell pages.
 */
#define HYV_F_DOORBELL_AREA	1
/*
 * Guest addressing: the guest driver registers the GIDs of its ports with the
 * host (HYV_CMD_ADD_GID), sgid_index is an index into that table, and a dgid is
 * the GID of another guest or one that an administrator of the host has
 * entered. The host translates both to GIDs of HCAs. Without this bit (host
 * addressing) the ports have the GIDs of the HCA (HYV_CMD_QUERY_GIDS). A driver
 * that does not accept this bit cannot use a device that offers it.
 */
#define HYV_F_GUEST_GIDS	2

#define HYV_FEATURES_ALL	((1ULL << HYV_F_INDIRECT_CHUNKS) | \
				 (1ULL << HYV_F_DOORBELL_AREA) | \
				 (1ULL << HYV_F_GUEST_GIDS))

/*
 * Status of a reply. The numbers equal those of Linux's asm-generic errno, and
 * are part of the protocol on every architecture.
 */
enum hyv_status {
	HYV_OK			= 0,
	HYV_S_EPERM		= 1,	/* forbidden by host policy */
	HYV_S_ENOENT		= 2,	/* no object with this handle and type */
	HYV_S_EINTR		= 4,	/* interrupted by a reset; not executed */
	HYV_S_EIO		= 5,	/* HCA removed, or any other error */
	HYV_S_E2BIG		= 7,	/* unknown bytes that are not zero */
	HYV_S_EAGAIN		= 11,
	HYV_S_ENOMEM		= 12,	/* host memory, memlock or HCA limit */
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
	HYV_S_EOPNOTSUPP	= 95,	/* not offered or not negotiated */
	HYV_S_ENETUNREACH	= 101,
	HYV_S_ETIMEDOUT		= 110,
	HYV_S_EHOSTUNREACH	= 113,
	HYV_S_EDQUOT		= 122,	/* limit of this vNIC reached */
};

/* --- Device configuration space ------------------------------------------ */

/* The HCA has not been removed from the host. */
#define HYV_CONFIG_S_HCA_PRESENT	(1 << 0)

/**
 * struct hyv_config - device configuration space
 * @proto_min: oldest protocol generation that the host supports
 * @proto_max: newest protocol generation that the host supports; a driver whose
 *	own range does not overlap with these refuses the device
 * @driver_id: enum rdma_driver_id of the HCA; selects the provider
 * @uverbs_abi_ver: provider ABI version of the HCA
 * @nr_ports: ports of the HCA, numbered from 1
 * @node_type: enum rdma_node_type, 1 is a CA
 * @nr_event_queues: event queues, 1 to HYV_MAX_EVENT_QUEUES
 * @nr_comp_vectors: completion vectors; vector v uses event queue v modulo
 *	@nr_event_queues
 * @qp_slots: doorbell slots of QPs, a power of two from 64 to 65536
 * @cq_slots: arming slots of CQs, a power of two from 64 to 65536
 * @max_request: longest request
 * @page_size: unit of lengths and offsets in HYV_CMD_MMAP
 * @status: HYV_CONFIG_S_* bits
 * @mac: MAC address of the guest's network device that is paired with this
 *	device, or zero
 * @reserved: zero
 *
 * Read only.
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

/* --- Requests and replies ------------------------------------------------ */

#define HYV_MAX_REQ_SIZE	65536
#define HYV_MAX_RSP_SIZE	16384
/* Maximum length of provider data, in each direction. */
#define HYV_MAX_UDATA		2048
/* Maximum number of chunk lists in a request. */
#define HYV_MAX_LISTS		4

/* include/hyv/commands.h has the sizes and the feature bits of each. */
enum hyv_opcode {
	/* Device. */
	HYV_CMD_QUERY_DEVICE	= 0x0101,
	HYV_CMD_QUERY_PORT	= 0x0102,
	HYV_CMD_QUERY_GIDS	= 0x0103,
	HYV_CMD_QUERY_PKEYS	= 0x0104,
	HYV_CMD_SETUP_DOORBELLS	= 0x0105,
	HYV_CMD_ADD_GID		= 0x0106,
	HYV_CMD_DEL_GID		= 0x0107,
	/* Contexts and mappings. */
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
	HYV_CMD_ALLOC_XRCD	= 0x0312,
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
	HYV_OBJ_XRCD	= 9,
	HYV_OBJ_TYPES		/* one past the last */
};

/**
 * struct hyv_req - header of every request
 * @opcode: enum hyv_opcode
 * @nr_lists: chunk lists after the provider data, 0 to HYV_MAX_LISTS
 * @size: length of the whole request
 * @fixed_len: length of the opcode's fixed part including this header, a
 *	multiple of 8; provider data starts at this offset
 * @reserved: zero
 * @udata_len: length of provider data, up to HYV_MAX_UDATA; the first chunk
 *	list starts at the next multiple of 8
 * @udata_out_len: room for provider data in the reply, up to HYV_MAX_UDATA
 * @reserved2: zero
 *
 * The fixed part may be longer than the host knows if the unknown bytes are
 * zero; if not, the host refuses the request with HYV_S_E2BIG. A fixed part
 * that is shorter than in the first version of the opcode is refused with
 * HYV_S_EMSGSIZE. Fields that were not sent count as zero.
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
 * @status: enum hyv_status; if it is not 0, the reply ends after this header and
 *	the request has changed nothing, except as protocol.md, section 3, says
 * @fixed_len: length of the fixed part including this header; provider data
 *	starts at this offset
 * @reserved: zero
 * @size: length of the whole reply
 * @udata_len: length of provider data, up to udata_out_len of the request
 *
 * The host cuts the fixed part to the room in the reply buffer less
 * udata_out_len. Fields that do not arrive count as zero.
 */
struct hyv_rsp {
	__le32 status;
	__le16 fixed_len;
	__le16 reserved;
	__le32 size;
	__le32 udata_len;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_rsp) == 16);

/* --- Guest memory -------------------------------------------------------- */

/**
 * struct hyv_chunk - physically contiguous guest memory
 * @addr: guest-physical address
 * @len: length, not 0
 */
struct hyv_chunk {
	__le64 addr;
	__le64 len;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_chunk) == 16);

/* The entries describe the guest memory that holds the array of chunks. */
#define HYV_CHUNKS_INDIRECT	(1 << 0)

/**
 * struct hyv_chunk_list - memory of one guest buffer
 * @slot: number of the buffer in the command: 0 in REG_MR, REREG_MR and
 *	SETUP_DOORBELLS; in other commands the slot in the table of the provider
 *	(hyv/provider.h)
 * @flags: HYV_CHUNKS_* bits
 * @nr_chunks: chunks that make up the buffer, at most one per page
 * @nr_entries: elements of @entry; equal to @nr_chunks without
 *	HYV_CHUNKS_INDIRECT
 * @reserved: zero
 * @addr: guest virtual address of the buffer
 * @length: length of the buffer, the sum of the chunks' lengths
 * @entry: the chunks, or with HYV_CHUNKS_INDIRECT the memory that holds them
 *
 * Only the first chunk may start off a page boundary, and only the last may end
 * off one. @addr and the first chunk have the same offset in their page. No page
 * may occur more than four times. With HYV_CHUNKS_INDIRECT the length of each
 * entry is a multiple of 16, and together they are 16 * @nr_chunks.
 *
 * The guest keeps the memory pinned until the object that the list was sent for
 * is destroyed.
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

/* --- Device commands ----------------------------------------------------- */

struct hyv_query_device_req {
	struct hyv_req hdr;
};

/*
 * Optional verbs: bits of hyv_query_device_rsp.verbs. A guest driver must not
 * offer a verb whose bit is clear.
 */
#define HYV_VERB_AH		(1 << 0)	/* CREATE_AH, UD QPs */
#define HYV_VERB_SRQ		(1 << 1)	/* CREATE_SRQ, QUERY_SRQ */
#define HYV_VERB_MODIFY_SRQ	(1 << 2)
#define HYV_VERB_RESIZE_CQ	(1 << 3)
#define HYV_VERB_MODIFY_CQ	(1 << 4)
#define HYV_VERB_REREG_MR	(1 << 5)
#define HYV_VERB_MW		(1 << 6)	/* ALLOC_MW */
#define HYV_VERB_MCAST		(1 << 7)	/* ATTACH_MCAST, DETACH_MCAST */
#define HYV_VERB_XRC		(1 << 8)	/* ALLOC_XRCD, SRQs and QPs of XRC */

/*
 * Reply to HYV_CMD_QUERY_DEVICE. The fields up to raw_packet_caps are those of
 * struct ib_uverbs_ex_query_device_resp; the first version ended with them.
 */
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

/* HYV_CMD_QUERY_PORT: HYV_S_EINVAL if there is no such port. */
struct hyv_query_port_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_port_req) == 32);

/*
 * Reply to HYV_CMD_QUERY_PORT, with the fields of struct
 * ib_uverbs_query_port_resp. A guest repeats the query after a port event.
 */
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

/* An entry of a GID table. */
struct hyv_gid {
	__u8 raw[16];
	__le16 index;
	__u8 type;		/* HYV_GID_TYPE_* */
	__u8 reserved[5];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_gid) == 24);

#define HYV_QUERY_GIDS_MAX	64

/*
 * HYV_CMD_QUERY_GIDS: the valid entries of a port's GID table in ascending
 * order of their index. In host addressing these are the GIDs of the HCA. In
 * guest addressing there is at most one: the link-local GID of the HCA's port,
 * which the GRH of every UD message between guests on this HCA carries. Every
 * guest may add it to its own table. HYV_S_EINVAL if there is no such port.
 */
struct hyv_query_gids_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 first;		/* lowest index to report */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_gids_req) == 32);

struct hyv_query_gids_rsp {
	struct hyv_rsp hdr;
	__le32 count;		/* elements of gid */
	__le32 next;		/* first of the next request, 0 at the end */
	struct hyv_gid gid[HYV_QUERY_GIDS_MAX];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_gids_rsp) == 24 + 64 * 24);

/* Size of a port's GID table in guest addressing. */
#define HYV_MAX_GIDS		128
#define HYV_NO_VLAN		0xffff

/*
 * HYV_CMD_ADD_GID (HYV_F_GUEST_GIDS): set an empty entry of a port's GID table.
 * The same GID may be in several entries. A reset empties the table.
 * HYV_S_EEXIST if another vNIC of the tenant has this GID, HYV_S_EACCES if this
 * vNIC may not have it, HYV_S_EBUSY if the entry is in use, HYV_S_EINVAL for
 * another type or a GID that is not a unicast GID.
 */
struct hyv_add_gid_req {
	struct hyv_req hdr;
	__le32 port;
	__le16 index;		/* below HYV_MAX_GIDS */
	__le16 vlan_id;		/* 0 to 4094, or HYV_NO_VLAN */
	__u8 gid[16];
	__u8 type;		/* HYV_GID_TYPE_ROCE_V2 */
	__u8 reserved[7];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_add_gid_req) == 56);

/*
 * HYV_CMD_DEL_GID (HYV_F_GUEST_GIDS): clear an entry. QPs and AHs that were set
 * up with it keep working. HYV_S_ENOENT if the entry is empty.
 */
struct hyv_del_gid_req {
	struct hyv_req hdr;
	__le32 port;
	__le16 index;
	__le16 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_del_gid_req) == 32);

#define HYV_QUERY_PKEYS_MAX	128

/* HYV_CMD_QUERY_PKEYS: the P_Key table of a port, without gaps. */
struct hyv_query_pkeys_req {
	struct hyv_req hdr;
	__le32 port;
	__le32 first;		/* index of the first P_Key to report */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_pkeys_req) == 32);

struct hyv_query_pkeys_rsp {
	struct hyv_rsp hdr;
	__le32 count;		/* elements of pkey */
	__le32 next;		/* first of the next request, 0 at the end */
	__le16 pkey[HYV_QUERY_PKEYS_MAX];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_pkeys_rsp) == 24 + 256);

/*
 * HYV_CMD_SETUP_DOORBELLS (HYV_F_DOORBELL_AREA): hand over the doorbell area,
 * with one chunk list (slot 0) of whole, zeroed pages, from HYV_DB_AREA_SIZE()
 * to 1 MiB. HYV_S_EEXIST if the host has an area since the last reset.
 */
struct hyv_setup_doorbells_req {
	struct hyv_req hdr;
};

/* --- The doorbell area --------------------------------------------------- */

/**
 * struct hyv_db_hdr - start of the doorbell area
 * @kick_wanted: not 0 if the guest has to kick; written by the host only
 * @reserved: zero
 *
 * Three bitmaps follow: send doorbells with a bit per QP slot, then CQ arming
 * for the next completion and CQ arming for the next solicited completion, each
 * with a bit per CQ slot. A bitmap of n slots consists of ceil(n / 4096)
 * summary words and then n / 64 words, of 8 bytes each. Bit b of word w is slot
 * 64 * w + b; bit s of summary word t is set if word 64 * t + s may have bits
 * set.
 *
 * The guest sets the bit of the slot, then the summary bit, executes a full
 * memory barrier, reads @kick_wanted, and kicks the doorbell virtqueue if it is
 * not 0. The host clears summary bits before it reads the words. It clears a
 * send doorbell before it rings the HCA's, but an arming bit only after it has
 * armed the CQ. A guest that waits for its arming bit to clear gets an event
 * for every completion that is added from then on.
 */
struct hyv_db_hdr {
	__le32 kick_wanted;
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

/* --- Contexts and mappings ----------------------------------------------- */

/*
 * HYV_CMD_ALLOC_CONTEXT: sent when a guest process opens the device. Reply:
 * struct hyv_create_rsp.
 */
struct hyv_alloc_context_req {
	struct hyv_req hdr;
};

/* Reply to commands that create an object and report nothing but its handle. */
struct hyv_create_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_rsp) == 24);

/*
 * Cache attributes: write-back, write-combining, uncached. Write-combining is a
 * hint: the hypervisor may make something else of it.
 */
#define HYV_CACHE_WB	0
#define HYV_CACHE_WC	1
#define HYV_CACHE_UC	2

/* Bits of hyv_mmap_req.prot. */
#define HYV_MMAP_READ	(1 << 0)
#define HYV_MMAP_WRITE	(1 << 1)

/*
 * HYV_CMD_MMAP: map memory of the HCA into the window. @offset is the file
 * offset that the provider passes to mmap(2). @offset and @length are multiples
 * of hyv_config.page_size. HYV_S_EINVAL if the HCA's driver has nothing there,
 * HYV_S_ENOSPC if the window is full.
 */
struct hyv_mmap_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 prot;		/* HYV_MMAP_* */
	__le64 offset;
	__le64 length;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mmap_req) == 48);

struct hyv_mmap_rsp {
	struct hyv_rsp hdr;
	__le64 window_offset;	/* identifies the mapping in its context */
	__u8 cache;		/* HYV_CACHE_* */
	__u8 reserved[7];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mmap_rsp) == 32);

/*
 * HYV_CMD_MUNMAP: undo a mapping, which the guest no longer uses. HYV_S_ENOENT
 * if the context has no mapping at @window_offset.
 */
struct hyv_munmap_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 reserved;
	__le64 window_offset;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_munmap_req) == 40);

/* --- Objects ------------------------------------------------------------- */

/*
 * HYV_CMD_DESTROY: destroy an object of any type. A context takes its mappings
 * and all of its objects with it. Event buffers that the guest adds after the
 * reply never name the object. HYV_S_EBUSY if another object uses it,
 * HYV_S_ENOENT if it does not exist or is being destroyed; after another error
 * from the HCA's driver the object stays. A context is gone after HYV_S_EBUSY, too,
 * but the HCA may still access memory of its MRs: the guest leaves that pinned.
 */
struct hyv_destroy_req {
	struct hyv_req hdr;
	__le32 type;		/* enum hyv_obj_type */
	__le32 handle;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_destroy_req) == 32);

/* Reply: struct hyv_create_rsp. */
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
	__le32 comp_vector;	/* below hyv_config.nr_comp_vectors */
	__le32 flags;		/* as in struct ib_cq_init_attr */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_cq_req) == 40);

struct hyv_create_cq_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 cqe;		/* at least as many as requested */
	__le32 slot;		/* arming slot in the doorbell area */
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_cq_rsp) == 32);

/* HYV_CMD_RESIZE_CQ: HYV_S_EINVAL if the CQ has more completions than @cqe. */
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

/* HYV_CMD_MODIFY_CQ: moderate completion events. */
struct hyv_modify_cq_req {
	struct hyv_req hdr;
	__le32 cq;
	__le16 cq_count;	/* completions */
	__le16 cq_period;	/* microseconds */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_modify_cq_req) == 32);

/* Capacities of a QP, as in struct ib_uverbs_qp_cap. */
struct hyv_qp_cap {
	__le32 max_send_wr;
	__le32 max_recv_wr;
	__le32 max_send_sge;
	__le32 max_recv_sge;
	__le32 max_inline_data;
};

/*
 * HYV_CMD_CREATE_QP: PD, CQs and SRQ must belong to one context. An XRC_TGT has
 * nothing but its domain, an XRC_INI has no recv_cq. HYV_S_EOPNOTSUPP for another
 * type or any create flags.
 */
struct hyv_create_qp_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 send_cq;
	__le32 recv_cq;
	__le32 srq;		/* 0 = none */
	__u8 qp_type;		/* 2 RC, 3 UC, 4 UD, 9 XRC_INI, 10 XRC_TGT */
	__u8 sq_sig_all;
	__u8 reserved[2];
	__le32 create_flags;
	struct hyv_qp_cap cap;
	__le32 xrcd;		/* of an XRC_TGT; otherwise 0 */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_qp_req) == 72);

struct hyv_create_qp_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 qpn;
	__le32 slot;		/* doorbell slot in the doorbell area */
	struct hyv_qp_cap cap;	/* at least what was requested */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_qp_rsp) == 48);

/* An address: struct ib_uverbs_ah_attr with its GRH, in another order. */
struct hyv_ah_attr {
	__u8 dgid[16];
	__le32 flow_label;
	__le16 dlid;
	__u8 sgid_index;	/* in the table of QUERY_GIDS or ADD_GID */
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

/* Attributes of a QP, as in struct ib_uverbs_qp_attr. */
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

/*
 * HYV_CMD_MODIFY_QP: the host ignores attributes that are not in the mask. On
 * Ethernet it resolves the address of the peer, which can take seconds.
 * HYV_S_EINVAL if the state machine of the QP does not allow the change;
 * HYV_S_ETIMEDOUT, HYV_S_EHOSTUNREACH or HYV_S_ENETUNREACH if the address
 * cannot be resolved, or in guest addressing if the guest may not reach dgid.
 */
struct hyv_modify_qp_req {
	struct hyv_req hdr;
	__le32 qp;
	__le32 attr_mask;	/* enum ibv_qp_attr_mask */
	struct hyv_qp_attr attr;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_modify_qp_req) == 176);

/* HYV_CMD_QUERY_QP: the HCA may fill in more than the mask asks for. */
struct hyv_query_qp_req {
	struct hyv_req hdr;
	__le32 qp;
	__le32 attr_mask;	/* enum ibv_qp_attr_mask */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_qp_req) == 32);

/* Reply to HYV_CMD_QUERY_QP. Addresses are those that the guest has set. */
struct hyv_query_qp_rsp {
	struct hyv_rsp hdr;
	struct hyv_qp_attr attr;
	struct hyv_qp_cap init_cap;
	__u8 sq_sig_all;
	__u8 reserved[3];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_query_qp_rsp) == 184);

/*
 * HYV_CMD_REG_MR: register the memory of one chunk list, slot 0. HYV_S_EFAULT
 * if a chunk is not in guest RAM or the region is larger than guest RAM,
 * HYV_S_EDQUOT if a limit of the vNIC is reached, HYV_S_ENOMEM if the memlock
 * limit of the VMM is.
 */
struct hyv_reg_mr_req {
	struct hyv_req hdr;
	__le32 pd;
	__le32 access;		/* enum ib_access_flags */
	__le64 iova;		/* same offset in its page as the list's addr */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_reg_mr_req) == 40);

/* Reply to HYV_CMD_REG_MR and HYV_CMD_REREG_MR. */
struct hyv_reg_mr_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 lkey;
	__le32 rkey;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_reg_mr_rsp) == 32);

#define HYV_REREG_TRANS		(1 << 0)	/* new memory */
#define HYV_REREG_PD		(1 << 1)
#define HYV_REREG_ACCESS	(1 << 2)

/*
 * HYV_CMD_REREG_MR: change an MR. HYV_REREG_TRANS comes with @iova and one
 * chunk list, as in HYV_CMD_REG_MR; a field without its flag is 0. The handle
 * stays the same, the keys may change. Reply: struct hyv_reg_mr_rsp.
 *
 * After success the guest may unpin the old memory. After a failure the MR still
 * has its old memory, which must remain pinned. But some HCAs have made its keys
 * invalid then, so that it can only be destroyed.
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

/*
 * HYV_CMD_CREATE_AH: the host resolves the address as in HYV_CMD_MODIFY_QP,
 * with the same errors. Reply: struct hyv_create_rsp.
 */
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
	__u8 srq_type;		/* 0 = basic, 1 = XRC */
	__u8 reserved[7];
	__le32 xrcd;		/* of XRC, in any context; otherwise 0 */
	__le32 cq;		/* the same, in the context of the PD */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_srq_req) == 56);

struct hyv_create_srq_rsp {
	struct hyv_rsp hdr;
	__le32 handle;
	__le32 max_wr;		/* at least what was requested */
	__le32 max_sge;
	__le32 srqn;		/* of XRC: the number that senders name */
};
HYV_STATIC_ASSERT(sizeof(struct hyv_create_srq_rsp) == 32);

/* HYV_CMD_MODIFY_SRQ: provider data may hold an address, see hyv/provider.h. */
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

/* HYV_CMD_ALLOC_MW: a work request binds the memory window. */
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
 * HYV_CMD_ATTACH_MCAST, HYV_CMD_DETACH_MCAST: a UD QP joins or leaves a
 * multicast group. Joining a group again changes nothing; destroying the QP
 * leaves all groups. HYV_S_EINVAL if the QP is not in the group to leave.
 */
struct hyv_mcast_req {
	struct hyv_req hdr;
	__le32 qp;
	__le16 mlid;
	__le16 reserved;
	__u8 gid[16];
};
HYV_STATIC_ASSERT(sizeof(struct hyv_mcast_req) == 48);

/* An XRC domain. Reply: struct hyv_create_rsp. */
struct hyv_alloc_xrcd_req {
	struct hyv_req hdr;
	__le32 context;
	__le32 reserved;
};
HYV_STATIC_ASSERT(sizeof(struct hyv_alloc_xrcd_req) == 32);

/* --- Events -------------------------------------------------------------- */

enum hyv_event_type {
	HYV_EVENT_COMP		= 1,	/* handle = CQ */
	HYV_EVENT_CQ		= 2,	/* handle = CQ; code */
	HYV_EVENT_QP		= 3,	/* handle = QP; code */
	HYV_EVENT_PORT		= 4,	/* handle = port; code */
	HYV_EVENT_DEVICE	= 5,	/* code; HCA failed or removed */
	HYV_EVENT_SRQ		= 6,	/* handle = SRQ; code */
};

/**
 * struct hyv_event - an event, as the host writes it into an event queue buffer
 * @type: enum hyv_event_type
 * @code: enum ib_event_type; 0 for HYV_EVENT_COMP
 * @handle: handle of the object, or number of the port, that the event is about
 * @count: number of occurrences in this message, 1 to 256
 * @reserved: zero
 *
 * The guest keeps buffers of this size in each event queue. While a queue has
 * no buffer, the host keeps its events, in order and without loss.
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
