// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests: any command of the table, with values that make sense, most of the
 * time.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <hyv/commands.h>

#include "malguest.h"

#define MAL_UDATA		64
#define MAL_CHUNKS		300

static const struct command {
	u16 opcode, fixed, min_fixed, reply, lists;
} commands[] = {
#define X(NAME, name, request, min_request, rsp, min_reply, nr, features) \
	{ HYV_CMD_##NAME, sizeof(struct request), min_request, \
	  sizeof(struct rsp), nr },
	HYV_FOR_EACH_COMMAND(X)
#undef X
};

/* The object that the first field names, or 0 */
static u8 parent_of(u16 opcode)
{
	switch (opcode) {
	case HYV_CMD_MMAP:
	case HYV_CMD_MUNMAP:
	case HYV_CMD_ALLOC_PD:
	case HYV_CMD_CREATE_CQ:
	case HYV_CMD_ALLOC_XRCD:
		return HYV_OBJ_CONTEXT;
	case HYV_CMD_CREATE_QP:
	case HYV_CMD_REG_MR:
	case HYV_CMD_CREATE_AH:
	case HYV_CMD_CREATE_SRQ:
	case HYV_CMD_ALLOC_MW:
		return HYV_OBJ_PD;
	case HYV_CMD_MODIFY_QP:
	case HYV_CMD_QUERY_QP:
	case HYV_CMD_ATTACH_MCAST:
	case HYV_CMD_DETACH_MCAST:
		return HYV_OBJ_QP;
	case HYV_CMD_RESIZE_CQ:
	case HYV_CMD_MODIFY_CQ:
		return HYV_OBJ_CQ;
	case HYV_CMD_REREG_MR:
		return HYV_OBJ_MR;
	case HYV_CMD_MODIFY_SRQ:
	case HYV_CMD_QUERY_SRQ:
		return HYV_OBJ_SRQ;
	default:
		return 0;
	}
}

/* The type of object that a command creates, or 0 */
static u8 creates(u16 opcode)
{
	switch (opcode) {
	case HYV_CMD_ALLOC_CONTEXT:
		return HYV_OBJ_CONTEXT;
	case HYV_CMD_ALLOC_PD:
		return HYV_OBJ_PD;
	case HYV_CMD_CREATE_CQ:
		return HYV_OBJ_CQ;
	case HYV_CMD_CREATE_QP:
		return HYV_OBJ_QP;
	case HYV_CMD_REG_MR:
		return HYV_OBJ_MR;
	case HYV_CMD_CREATE_AH:
		return HYV_OBJ_AH;
	case HYV_CMD_CREATE_SRQ:
		return HYV_OBJ_SRQ;
	case HYV_CMD_ALLOC_MW:
		return HYV_OBJ_MW;
	case HYV_CMD_ALLOC_XRCD:
		return HYV_OBJ_XRCD;
	default:
		return 0;
	}
}

static u32 any_handle(struct mal_thread *t, u8 type)
{
	if (mal_once_in(t, 40))
		return mal_rnd(t) >> mal_below(t, 32);
	if (mal_once_in(t, 40))
		type = mal_below(t, HYV_OBJ_TYPES);
	return READ_ONCE(t->dev->handles[type][mal_below(t, MAL_HANDLES)]);
}

static u32 small(struct mal_thread *t)
{
	return mal_once_in(t, 10) ? mal_rnd(t) >> mal_below(t, 32) :
	       1 + mal_below(t, 16);
}

/*
 * An address of a machine of the lab, mostly: the host takes a second to find out
 * that there is nobody.
 */
static void make_gid(struct mal_thread *t, u8 *gid)
{
	static const u8 ipv4[16] = { [10] = 0xff, 0xff, 10, 77, 0 };
	static const u8 link_local[16] = { 0xfe, 0x80 };
	static const u8 machines[] = { 1, 11, 12 };

	if (mal_once_in(t, 32)) {
		prandom_bytes_state(&t->rnd, gid, 16);
		return;
	}
	memcpy(gid, mal_once_in(t, 32) ? link_local : ipv4, 16);
	gid[15] = mal_once_in(t, 32) ? mal_rnd(t) :
		  machines[mal_below(t, ARRAY_SIZE(machines))];
}

static void fill_add_gid(struct mal_thread *t, struct hyv_add_gid_req *req)
{
	req->port = cpu_to_le32(mal_once_in(t, 10) ? small(t) : 1);
	req->index = cpu_to_le16(mal_below(t, mal_once_in(t, 8) ?
					   2 * HYV_MAX_GIDS : 8));
	req->vlan_id = cpu_to_le16(mal_once_in(t, 8) ? mal_rnd(t) :
				   HYV_NO_VLAN);
	make_gid(t, req->gid);
	req->type = mal_once_in(t, 8) ? mal_rnd(t) : HYV_GID_TYPE_ROCE_V2;
}

static void fill_create_qp(struct mal_thread *t, struct hyv_create_qp_req *req)
{
	u32 cq = any_handle(t, HYV_OBJ_CQ);

	req->send_cq = cpu_to_le32(cq);
	req->recv_cq = cpu_to_le32(mal_once_in(t, 4) ?
				   any_handle(t, HYV_OBJ_CQ) : cq);
	if (mal_once_in(t, 4))
		req->srq = cpu_to_le32(any_handle(t, HYV_OBJ_SRQ));
	req->qp_type = mal_once_in(t, 10) ? mal_rnd(t) :
		       2 + mal_below(t, 3);
	req->cap.max_send_wr = cpu_to_le32(small(t));
	req->cap.max_recv_wr = cpu_to_le32(small(t));
	req->cap.max_send_sge = cpu_to_le32(1 + mal_below(t, 4));
	req->cap.max_recv_sge = cpu_to_le32(1 + mal_below(t, 4));
}

static void fill_modify_qp(struct mal_thread *t, struct hyv_modify_qp_req *req)
{
	/* state, P_Key index, port, access: to INIT */
	req->attr_mask = cpu_to_le32(mal_once_in(t, 3) ? mal_rnd(t) :
				     1 << 0 | 1 << 3 | 1 << 4 | 1 << 5);
	req->attr.qp_state = cpu_to_le32(mal_once_in(t, 3) ?
					 mal_below(t, 8) : 1);
	req->attr.port_num = 1;
	req->attr.path_mtu = cpu_to_le32(mal_below(t, 6));
	req->attr.dest_qp_num = cpu_to_le32(mal_rnd(t) & 0xff);
	req->attr.ah.is_global = 1;
	req->attr.ah.port_num = 1;
	req->attr.ah.sgid_index = mal_below(t, 8);
	make_gid(t, req->attr.ah.dgid);
}

static void fill_fields(struct mal_thread *t, u16 opcode, u8 *buf)
{
	struct hyv_reg_mr_req *reg_mr = (void *)buf;
	struct hyv_rereg_mr_req *rereg = (void *)buf;
	struct hyv_destroy_req *destroy = (void *)buf;
	struct hyv_create_cq_req *cq = (void *)buf;
	struct hyv_create_srq_req *srq = (void *)buf;
	struct hyv_alloc_mw_req *mw = (void *)buf;
	struct hyv_resize_cq_req *resize = (void *)buf;
	struct hyv_query_port_req *port = (void *)buf;
	struct hyv_mmap_req *map = (void *)buf;
	struct hyv_del_gid_req *del_gid = (void *)buf;
	struct hyv_create_ah_req *ah = (void *)buf;
	unsigned int i = mal_below(t, MAL_HANDLES);
	u64 length;
	u32 type;

	switch (opcode) {
	case HYV_CMD_QUERY_PORT:
	case HYV_CMD_QUERY_GIDS:
	case HYV_CMD_QUERY_PKEYS:
		port->port = cpu_to_le32(mal_once_in(t, 10) ? small(t) : 1);
		break;
	case HYV_CMD_ADD_GID:
		fill_add_gid(t, (void *)buf);
		break;
	case HYV_CMD_DEL_GID:
		del_gid->port = cpu_to_le32(1);
		del_gid->index = cpu_to_le16(mal_below(t, 8));
		break;
	case HYV_CMD_CREATE_AH:
		ah->attr.is_global = 1;
		ah->attr.port_num = 1;
		ah->attr.sgid_index = mal_below(t, 8);
		make_gid(t, ah->attr.dgid);
		break;
	case HYV_CMD_CREATE_CQ:
		cq->cqe = cpu_to_le32(small(t));
		cq->comp_vector = cpu_to_le32(mal_once_in(t, 8) ? small(t) : 0);
		break;
	case HYV_CMD_CREATE_QP:
		fill_create_qp(t, (void *)buf);
		break;
	case HYV_CMD_MODIFY_QP:
		fill_modify_qp(t, (void *)buf);
		break;
	case HYV_CMD_REG_MR:
		reg_mr->access = cpu_to_le32(mal_below(t, 8));
		break;
	case HYV_CMD_REREG_MR:
		rereg->flags = cpu_to_le32(mal_below(t, 8));
		rereg->pd = cpu_to_le32(any_handle(t, HYV_OBJ_PD));
		rereg->access = cpu_to_le32(mal_below(t, 8));
		break;
	case HYV_CMD_RESIZE_CQ:
		resize->cqe = cpu_to_le32(small(t));
		break;
	case HYV_CMD_CREATE_SRQ:
		srq->max_wr = cpu_to_le32(small(t));
		srq->max_sge = cpu_to_le32(1 + mal_below(t, 4));
		break;
	case HYV_CMD_ALLOC_MW:
		mw->mw_type = 1 + mal_below(t, 2);
		break;
	case HYV_CMD_DESTROY:
		type = 1 + mal_below(t, HYV_OBJ_TYPES - 1);
		/* A context takes all with it. */
		if (type == HYV_OBJ_CONTEXT && !mal_once_in(t, 4))
			type = HYV_OBJ_MR;
		destroy->type = cpu_to_le32(type);
		destroy->handle = cpu_to_le32(any_handle(t, type));
		break;
	case HYV_CMD_MMAP:
		map->prot = cpu_to_le32(HYV_MMAP_READ | HYV_MMAP_WRITE);
		map->offset = cpu_to_le64(READ_ONCE(t->dev->queues[i].offset));
		length = READ_ONCE(t->dev->queues[i].length);
		map->length = cpu_to_le64(PAGE_ALIGN(length));
		break;
	}
}

/* Guest memory for a list: one piece of the arena, all of RAM, or bad */
static void choose_chunk(struct mal_thread *t, struct hyv_chunk *chunk,
			 u64 length)
{
	u32 pages = (MAL_ARENA_SIZE - MAL_MEMORY_AT) / PAGE_SIZE;
	u64 addr;

	if (mal_once_in(t, 30))
		addr = mal_bad_address(t);
	else
		addr = mal_arena(t->dev, MAL_MEMORY_AT +
				 mal_below(t, pages) * PAGE_SIZE);
	chunk->addr = cpu_to_le64(addr);
	chunk->len = cpu_to_le64(length);
}

/* Returns the length of the list; there is room for it */
static u32 make_list(struct mal_thread *t, u8 *buf, u32 room)
{
	struct hyv_chunk_list *list = (void *)buf;
	struct hyv_chunk *array = list->entry;
	u64 base = mal_below(t, 4) ? 0 : mal_rnd(t);
	u32 nr, i, at;

	memset(list, 0, sizeof(*list));
	list->addr = cpu_to_le64(0x7f0000000000 + (base & PAGE_MASK));
	if (mal_once_in(t, 12)) {
		/* Most of RAM; slow, and the limit may not allow it */
		u64 start = SZ_16M;
		u64 end = min_t(u64, t->dev->ram_size, SZ_2G) & PAGE_MASK;

		nr = 1;
		array->addr = cpu_to_le64(start);
		array->len = cpu_to_le64(end - start);
		list->length = array->len;
	} else {
		nr = 1 + mal_below(t, mal_once_in(t, 8) ? MAL_CHUNKS : 8);
		nr = min_t(u32, nr, (room - sizeof(*list)) / sizeof(*array));
		for (i = 0; i < nr; i++)
			choose_chunk(t, &array[i], PAGE_SIZE);
		list->length = cpu_to_le64(nr * PAGE_SIZE);
	}
	list->nr_chunks = cpu_to_le32(nr);
	list->nr_entries = list->nr_chunks;
	if (!mal_once_in(t, 4))
		return sizeof(*list) + nr * sizeof(*array);
	/* The same in memory; others write there, too */
	at = MAL_MEMORY_AT + mal_below(t, SZ_256K);
	memcpy(t->dev->arena + at, array, nr * sizeof(*array));
	list->flags = cpu_to_le16(HYV_CHUNKS_INDIRECT);
	list->nr_entries = cpu_to_le32(1);
	array->addr = cpu_to_le64(mal_once_in(t, 20) ? mal_bad_address(t) :
				  mal_arena(t->dev, at));
	array->len = cpu_to_le64(nr * sizeof(*array));
	return sizeof(*list) + sizeof(*array);
}

/* Returns the command; sets up its header and fixed part */
static void make_header(struct mal_thread *t, u8 *buf,
			const struct command *cmd, u32 *len, u32 *reply_len)
{
	struct hyv_req *hdr = (void *)buf;
	u32 fixed = mal_once_in(t, 30) ? cmd->min_fixed : cmd->fixed;
	u32 udata = mal_once_in(t, 4) ? ALIGN(mal_below(t, MAL_UDATA), 8) : 0;

	memset(buf, 0, fixed);
	hdr->opcode = cpu_to_le16(cmd->opcode);
	hdr->fixed_len = cpu_to_le16(fixed);
	hdr->udata_len = cpu_to_le32(udata);
	hdr->udata_out_len = cpu_to_le32(MAL_UDATA);
	if (parent_of(cmd->opcode))
		*(__le32 *)(hdr + 1) =
			cpu_to_le32(any_handle(t, parent_of(cmd->opcode)));
	prandom_bytes_state(&t->rnd, buf + fixed, udata);
	*len = fixed + udata;
	*reply_len = cmd->reply + MAL_UDATA;
}

static void finish(struct mal_thread *t, u8 *buf, const struct command *cmd,
		   u32 *len, u32 *reply_len)
{
	struct hyv_req *hdr = (void *)buf;
	/* The host writes to the memory of other lists: keep their addresses. */
	bool any = !cmd->lists || cmd->opcode == HYV_CMD_REG_MR;

	hdr->size = cpu_to_le32(*len);
	if (any && mal_once_in(t, 10))
		buf[mal_below(t, *len)] ^= 1 << mal_below(t, 8);
	if (mal_once_in(t, 20))
		prandom_bytes_state(&t->rnd, buf, *len);
	if (mal_once_in(t, 40))
		*len = mal_below(t, 2 * SZ_64K);
	if (mal_once_in(t, 40))
		*reply_len = mal_below(t, 2 * SZ_64K);
}

u32 mal_request_doorbells(struct mal_thread *t, u8 *buf, u32 *reply_len)
{
	struct hyv_req *hdr = (void *)buf;
	struct hyv_chunk_list *list = (void *)(hdr + 1);

	memset(buf, 0, sizeof(*hdr) + sizeof(*list));
	hdr->opcode = cpu_to_le16(HYV_CMD_SETUP_DOORBELLS);
	hdr->fixed_len = cpu_to_le16(sizeof(*hdr));
	hdr->nr_lists = cpu_to_le16(1);
	list->nr_chunks = cpu_to_le32(1);
	list->nr_entries = cpu_to_le32(1);
	list->length = cpu_to_le64(MAL_DOORBELLS_SIZE);
	list->entry[0].addr = cpu_to_le64(mal_arena(t->dev,
						    MAL_DOORBELLS_AT));
	list->entry[0].len = list->length;
	hdr->size = cpu_to_le32(sizeof(*hdr) + sizeof(*list) +
				sizeof(struct hyv_chunk));
	*reply_len = sizeof(struct hyv_rsp);
	return le32_to_cpu(hdr->size);
}

/* Prefer what builds on what there is. */
static const struct command *choose_command(struct mal_thread *t)
{
	const struct command *cmd;
	int tries;

	for (tries = 0; tries < 4; tries++) {
		cmd = &commands[mal_below(t, ARRAY_SIZE(commands))];
		if (!parent_of(cmd->opcode) ||
		    READ_ONCE(t->dev->handles[parent_of(cmd->opcode)][0]))
			break;
	}
	return cmd;
}

u32 mal_request(struct mal_thread *t, u8 *buf, u32 *reply_len)
{
	const struct command *cmd = choose_command(t);
	struct hyv_req *hdr = (void *)buf;
	u32 len, i;

	BUILD_BUG_ON(SZ_1K + MAL_UDATA + HYV_MAX_LISTS *
		     (sizeof(struct hyv_chunk_list) +
		      MAL_CHUNKS * sizeof(struct hyv_chunk)) > MAL_SLOT_STRIDE);
	make_header(t, buf, cmd, &len, reply_len);
	fill_fields(t, cmd->opcode, buf);
	if (cmd->lists) {
		/* only MODIFY_SRQ takes several; most providers none */
		u32 lists = cmd->lists == 1 ? 1 : mal_below(t, cmd->lists + 1);

		hdr->nr_lists = cpu_to_le16(lists);
		for (i = 0; i < lists; i++)
			len += make_list(t, buf + len, SZ_4K);
	}
	finish(t, buf, cmd, &len, reply_len);
	return len;
}

void mal_reply(struct mal_thread *t, const u8 *request, const u8 *reply)
{
	const struct hyv_req *req = (const void *)request;
	const struct hyv_rsp *rsp = (const void *)reply;
	struct mal_dev *dev = t->dev;
	u16 opcode = le16_to_cpu(req->opcode);
	u16 fixed = le16_to_cpu(rsp->fixed_len);
	u32 udata = le32_to_cpu(rsp->udata_len);
	unsigned int i = mal_below(t, MAL_HANDLES);
	u8 type = creates(opcode);

	atomic64_inc(&dev->replies);
	if (rsp->status)
		return;
	atomic64_inc(&dev->successes);
	if (!type)
		return;
	if (!READ_ONCE(dev->handles[type][0]))
		i = 0;
	WRITE_ONCE(dev->handles[type][i],
		   le32_to_cpup((const __le32 *)(rsp + 1)));
	/* rdma_rxe says where its queues are: offset and size */
	if (udata >= 12 && udata <= MAL_UDATA && fixed <= SZ_1K) {
		WRITE_ONCE(dev->queues[i].offset,
			   *(const u64 *)(reply + fixed));
		WRITE_ONCE(dev->queues[i].length,
			   *(const u32 *)(reply + fixed + 8));
	}
}
