# SPDX-License-Identifier: GPL-2.0-only
"""Structures and numbers of the protocol, of /dev/hyv and of rxe's provider.

Written from docs/protocol.md and the headers in include/; tests/lint/client
compares them with the headers.
"""

import struct

# Byte orders: of the protocol, and of what the provider and the HCA's driver share.
WIRE, HOST = '<', '='


class Layout:
    """A C structure, as a text of "TYPE MEMBER" where TYPE is one of struct's.

    Members that begin with "_" are padding. The name of a member may be a path.
    """

    def __init__(self, text, order=WIRE):
        fields = [field.split() for field in text.split(',')]
        self.names = [name for _, name in fields]
        self.struct = struct.Struct(order + ''.join(kind for kind, _ in fields))
        self.empty = [b'' if kind[-1] == 's' else 0 for kind, _ in fields]
        self.offsets = {name: struct.calcsize(order + ''.join(
            kind for kind, _ in fields[:i]))
            for i, (_, name) in enumerate(fields)}
        self.sizes = {name: struct.calcsize(order + kind)
                      for kind, name in fields}
        self.size = self.struct.size

    def pack(self, **members):
        values = list(self.empty)
        for name, value in members.items():
            values[self.names.index(name)] = value
        return self.struct.pack(*values)

    def unpack(self, data):
        return dict(zip(self.names, self.struct.unpack_from(data)))


LAYOUTS = {
    # include/uapi/linux/hyv.h
    'hyv_get_info': Layout(
        'I size, I flags, I out_abi_version, I out_max_mem_regions,'
        'I out_max_request, I out_max_reply, I out_min_scratch,'
        'I out_max_event_queues, Q out_min_window'),
    'hyv_attach': Layout(
        'I size, I flags, i uverbs_fd, I scratch_len, Q scratch, 64s name,'
        'I nr_event_queues, I reserved'),
    'hyv_set_window': Layout('I size, I flags, Q length'),
    'hyv_mem_region': Layout('Q gpa, Q length, Q addr'),
    'hyv_set_mem': Layout(
        'I size, I flags, I nr_regions, I reserved, Q regions'),
    'hyv_set_doorbell': Layout('I size, I flags, i kick_fd, I poll_us'),
    'hyv_set_event_queue': Layout(
        'I size, I flags, I index, I num, Q desc, Q avail, Q used, i call_fd,'
        'i kick_fd, I avail_index, I reserved'),
    'hyv_set_features': Layout('I size, I flags, Q features'),
    'hyv_get_config': Layout(
        'I size, I flags, Q config, I config_len, I reserved, Q out_features'),
    'hyv_exec': Layout(
        'I size, I flags, Q request, Q reply, Q scratch, I request_len,'
        'I reply_len, I scratch_len, I out_reply_len'),
    'hyv_reset': Layout('I size, I flags'),
    'hyv_set_addressing': Layout(
        'I size, I flags, I mode, I nr_prefixes, Q prefixes'),
    'hyv_set_notify': Layout('I size, I flags, i config_fd, i error_fd'),

    # include/hyv/wire.h
    'hyv_config': Layout(
        'H proto_min, H proto_max, I driver_id, I uverbs_abi_ver, H nr_ports,'
        'H node_type, H nr_event_queues, H nr_comp_vectors, I qp_slots,'
        'I cq_slots, I max_request, I page_size, I status, 6s mac, 18s reserved'),
    'hyv_req': Layout(
        'H opcode, H nr_lists, I size, H fixed_len, H reserved, I udata_len,'
        'I udata_out_len, I reserved2'),
    'hyv_rsp': Layout('I status, H fixed_len, H reserved, I size, I udata_len'),
    'hyv_chunk': Layout('Q addr, Q len'),
    'hyv_chunk_list': Layout(
        'H slot, H flags, I nr_chunks, I nr_entries, I reserved, Q addr,'
        'Q length'),
    'hyv_query_device_req': Layout('24s hdr'),
    'hyv_query_gids_req': Layout('24s hdr, I port, I first'),
    'hyv_gid': Layout('16s raw, H index, B type, 5s reserved'),
    'hyv_setup_doorbells_req': Layout('24s hdr'),
    'hyv_alloc_context_req': Layout('24s hdr'),
    'hyv_create_rsp': Layout('16s hdr, I handle, I reserved'),
    'hyv_mmap_req': Layout('24s hdr, I context, I prot, Q offset, Q length'),
    'hyv_mmap_rsp': Layout('16s hdr, Q window_offset, B cache, 7s reserved'),
    'hyv_munmap_req': Layout('24s hdr, I context, I reserved, Q window_offset'),
    'hyv_destroy_req': Layout('24s hdr, I type, I handle'),
    'hyv_alloc_pd_req': Layout('24s hdr, I context, I reserved'),
    'hyv_create_cq_req': Layout(
        '24s hdr, I context, I cqe, I comp_vector, I flags'),
    'hyv_create_cq_rsp': Layout('16s hdr, I handle, I cqe, I slot, I reserved'),
    'hyv_qp_cap': Layout(
        'I max_send_wr, I max_recv_wr, I max_send_sge, I max_recv_sge,'
        'I max_inline_data'),
    'hyv_create_qp_req': Layout(
        '24s hdr, I pd, I send_cq, I recv_cq, I srq, B qp_type, B sq_sig_all,'
        '2s reserved, I create_flags, 20s cap, I xrcd'),
    'hyv_create_qp_rsp': Layout('16s hdr, I handle, I qpn, I slot, 20s cap'),
    'hyv_ah_attr': Layout(
        '16s dgid, I flow_label, H dlid, B sgid_index, B hop_limit,'
        'B traffic_class, B sl, B src_path_bits, B static_rate, B is_global,'
        'B port_num, 2s reserved'),
    'hyv_qp_attr': Layout(
        'I qp_state, I cur_qp_state, I path_mtu, I path_mig_state, I qkey,'
        'I rq_psn, I sq_psn, I dest_qp_num, I qp_access_flags, I rate_limit,'
        '20s cap, H pkey_index, H alt_pkey_index, 32s ah, 32s alt_ah,'
        'B en_sqd_async_notify, B sq_draining, B max_rd_atomic,'
        'B max_dest_rd_atomic, B min_rnr_timer, B port_num, B timeout,'
        'B retry_cnt, B rnr_retry, B alt_port_num, B alt_timeout, 5s reserved'),
    'hyv_modify_qp_req': Layout('24s hdr, I qp, I attr_mask, 144s attr'),
    'hyv_query_qp_req': Layout('24s hdr, I qp, I attr_mask'),
    'hyv_reg_mr_req': Layout('24s hdr, I pd, I access, Q iova'),
    'hyv_reg_mr_rsp': Layout('16s hdr, I handle, I lkey, I rkey, I reserved'),
    'hyv_event': Layout('H type, H code, I handle, I count, 20s reserved'),

    # rdma/rdma_user_rxe.h and rdma/ib_user_verbs.h
    'mminfo': Layout('Q offset, I size, I pad', HOST),
    'rxe_create_qp_resp': Layout('16s rq_mi, 16s sq_mi', HOST),
    'rxe_send_wqe': Layout(
        'Q wr.wr_id, I wr.reserved, I wr.opcode, I wr.send_flags,'
        'I wr.ex.imm_data, Q wr.wr.rdma.remote_addr, I wr.wr.rdma.rkey,'
        'I wr.wr.rdma.reserved, 104s _union, I status, I state, Q iova, I mask,'
        'I first_psn, I last_psn, I ack_length, I ssn, I has_rd_atomic,'
        'I dma.length, I dma.resid, I dma.cur_sge, I dma.num_sge,'
        'I dma.sge_offset, I dma.reserved', HOST),
    'rxe_recv_wqe': Layout(
        'Q wr_id, I reserved, I padding, I dma.length, I dma.resid,'
        'I dma.cur_sge, I dma.num_sge, I dma.sge_offset, I dma.reserved', HOST),
    'rxe_sge': Layout('Q addr, I length, I lkey', HOST),
    'rxe_queue_buf': Layout(
        'I log2_elem_size, I index_mask, 120s _pad_1, I producer_index,'
        '124s _pad_2, I consumer_index, 124s _pad_3', HOST),
    'ib_uverbs_wc': Layout(
        'Q wr_id, I status, I opcode, I vendor_err, I byte_len, I ex.imm_data,'
        'I qp_num, I src_qp, I wc_flags, H pkey_index, H slid, B sl,'
        'B dlid_path_bits, B port_num, B reserved', HOST),
}

# Numbers of the headers in include/.
HYV_ABI_VERSION = 2
HYV_GET_INFO = 0x7900
HYV_ATTACH = 0x7901
HYV_SET_WINDOW = 0x7903
HYV_SET_MEM = 0x7904
HYV_SET_DOORBELL = 0x7905
HYV_SET_EVENT_QUEUE = 0x7906
HYV_SET_FEATURES = 0x7907
HYV_GET_CONFIG = 0x7908
HYV_EXEC = 0x7909
HYV_RESET = 0x790a
HYV_SET_ADDRESSING = 0x790b
HYV_SET_NOTIFY = 0x790c

HYV_PROTO_VERSION = 1
HYV_CONFIG_S_HCA_PRESENT = 1
HYV_F_DOORBELL_AREA = 1

HYV_CMD_QUERY_DEVICE = 0x0101
HYV_CMD_QUERY_GIDS = 0x0103
HYV_CMD_SETUP_DOORBELLS = 0x0105
HYV_CMD_ALLOC_CONTEXT = 0x0201
HYV_CMD_MMAP = 0x0202
HYV_CMD_MUNMAP = 0x0203
HYV_CMD_DESTROY = 0x0301
HYV_CMD_ALLOC_PD = 0x0302
HYV_CMD_CREATE_CQ = 0x0303
HYV_CMD_CREATE_QP = 0x0304
HYV_CMD_MODIFY_QP = 0x0305
HYV_CMD_QUERY_QP = 0x0306
HYV_CMD_REG_MR = 0x0307

HYV_OBJ_CONTEXT = 1
HYV_OBJ_PD = 2
HYV_OBJ_CQ = 3
HYV_MMAP_READ = 1
HYV_MMAP_WRITE = 2
HYV_CACHE_WB = 0
HYV_GID_TYPE_ROCE_V2 = 1
HYV_EVENT_COMP = 1

HYV_S_ENOENT = 2
HYV_S_EFAULT = 14
HYV_S_EBUSY = 16
HYV_S_EINVAL = 22
HYV_S_ENOSYS = 38
HYV_S_EMSGSIZE = 90
