# SPDX-License-Identifier: GPL-2.0-only
"""A small VMM and guest driver in one, without a VM.

It speaks to /dev/hyv as docs/protocol.md and docs/vmm.md say, and uses the queues
of rxe in the window. It shares no code with the project and was written from
these documents and headers alone: a fact that it lacked was a fault of them.
"""

import ctypes
import fcntl
import mmap
import os
import select
import struct
import time

import layouts
from layouts import *

PAGE = mmap.PAGESIZE
WINDOW = 4 << 20
# To find hangs, so long: an emulated machine can be slow.
SECONDS = 60 * int(os.environ.get('LAB_TIMEOUT_SCALE', 1))

VIRTIO_F_VERSION_1 = 32
VRING_DESC_F_NEXT, VRING_DESC_F_WRITE = 1, 2

# Numbers of the user verbs ABI.
RC = 2
WR_RDMA_WRITE, WR_SEND, WR_RDMA_READ = 0, 2, 4
SEND_SIGNALED = 2
WC_SUCCESS, WC_WR_FLUSH_ERR, WC_REM_ACCESS_ERR = 0, 5, 10
WC_OPCODE_RECV = 128
QPS_ERR = 6
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ = 1, 2, 4
MTU_1024 = 3
DRIVER_RXE = 14


def is_signalled(fd):
    """Wait for an eventfd."""
    return bool(select.select([fd], [], [], SECONDS)[0])


def wait_for(condition, what):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.0005)
    raise AssertionError(f'timed out: {what}')


class Refused(Exception):
    """A reply with a status other than 0."""

    def __init__(self, status):
        super().__init__(f'status {status}')
        self.status = status


def number(name):
    return getattr(layouts, 'HYV_' + name.upper())


def address(buffer):
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def word(buffer, offset, kind=ctypes.c_uint32):
    """Memory that others change: a read or assignment is one access."""
    return kind.from_buffer(buffer, offset)


class Ram:
    """Guest RAM: a memfd at a guest-physical address that is not 0."""

    def __init__(self, gpa, pages):
        self.gpa, self.length = gpa, pages * PAGE
        fd = os.memfd_create('guest')
        os.truncate(fd, self.length)
        self.map = mmap.mmap(fd, self.length, mmap.MAP_SHARED)
        os.close(fd)
        self.addr = address(self.map)
        self.free = 0

    def alloc(self, pages=1):
        """Contiguous zeroed pages; returns their guest-physical address."""
        start = self.free
        self.free += pages * PAGE
        assert self.free <= self.length
        return self.gpa + start

    def offset(self, gpa):
        return gpa - self.gpa

    def hva(self, gpa):
        return self.addr + self.offset(gpa)


class Buffer:
    """Memory of an imagined process, in pages that are scattered in RAM."""

    def __init__(self, ram, va, length):
        self.ram, self.va, self.length = ram, va, length
        count = (va % PAGE + length + PAGE - 1) // PAGE
        # In reverse order, so that no two pages can be merged.
        self.pages = [ram.alloc() for _ in range(count)][::-1]

    def chunks(self):
        at, left = self.va, self.length
        for page in self.pages:
            n = min(left, PAGE - at % PAGE)
            yield page + at % PAGE, n
            at, left = at + n, left - n

    def write(self, data):
        for gpa, n in self.chunks():
            at = self.ram.offset(gpa)
            self.ram.map[at:at + n], data = data[:n].ljust(n, b'\0'), data[n:]

    def read(self):
        parts = [(self.ram.offset(gpa), n) for gpa, n in self.chunks()]
        return b''.join(self.ram.map[at:at + n] for at, n in parts)


def chunk_list(va, length, chunks):
    chunks = list(chunks)
    return LAYOUTS['hyv_chunk_list'].pack(
        nr_chunks=len(chunks), nr_entries=len(chunks), addr=va,
        length=length) + b''.join(
            LAYOUTS['hyv_chunk'].pack(addr=gpa, len=n) for gpa, n in chunks)


class Vnic:
    """One open file of /dev/hyv: the calls of the VMM and of the guest."""

    def __init__(self):
        self.fd = os.open('/dev/hyv', os.O_RDWR | os.O_CLOEXEC)
        self.window = None

    def ioctl(self, name, /, **members):
        layout = LAYOUTS['hyv_' + name]
        arg = bytearray(layout.pack(size=layout.size, **members))
        fcntl.ioctl(self.fd, number(name), arg, True)
        return layout.unpack(arg)

    def attach(self, hca, ram, name):
        self.info = self.ioctl('get_info')
        length = -(-self.info['out_min_scratch'] // PAGE) * PAGE
        self.scratch = mmap.mmap(-1, length, mmap.MAP_PRIVATE)
        self.reply = mmap.mmap(-1, self.info['out_max_reply'],
                               mmap.MAP_PRIVATE)
        self.ram = ram
        uverbs = os.open(hca, os.O_RDWR | os.O_CLOEXEC)
        self.ioctl('attach', uverbs_fd=uverbs, scratch=address(self.scratch),
                   scratch_len=length, name=name, nr_event_queues=1)
        os.close(uverbs)

    def set_window(self):
        length = max(WINDOW, self.info['out_min_window'])
        self.ioctl('set_window', length=length)
        self.window = mmap.mmap(self.fd, length, mmap.MAP_SHARED)

    def set_mem(self):
        region = bytearray(LAYOUTS['hyv_mem_region'].pack(
            gpa=self.ram.gpa, length=self.ram.length, addr=self.ram.addr))
        self.ioctl('set_mem', nr_regions=1, regions=address(region))

    def get_config(self):
        config = bytearray(LAYOUTS['hyv_config'].size)
        arg = self.ioctl('get_config', config=address(config),
                         config_len=len(config))
        self.config = LAYOUTS['hyv_config'].unpack(config)
        self.features = arg['out_features'] | 1 << VIRTIO_F_VERSION_1

    def execute(self, request, room=None):
        """HYV_EXEC; returns the fixed part of the reply and provider data."""
        request = bytearray(request)
        room = len(self.reply) if room is None else room
        arg = self.ioctl('exec', request=address(request),
                         request_len=len(request), reply=address(self.reply),
                         reply_len=room, scratch=address(self.scratch),
                         scratch_len=len(self.scratch))
        used = arg['out_reply_len']
        reply = self.reply[:used]
        rsp = LAYOUTS['hyv_rsp'].unpack(reply)
        fixed, udata = rsp['fixed_len'], rsp['udata_len']
        assert rsp['size'] == used <= room and fixed + udata == used, rsp
        if rsp['status']:
            assert used == LAYOUTS['hyv_rsp'].size, rsp
            raise Refused(rsp['status'])
        return reply[:fixed], reply[fixed:]

    @staticmethod
    def request(name, udata_out=0, lists=(), **members):
        """The bytes of a request without provider data."""
        layout = LAYOUTS[f'hyv_{name}_req']
        fixed = layout.pack(**members)
        hdr = LAYOUTS['hyv_req'].pack(
            opcode=number('cmd_' + name), nr_lists=len(lists),
            size=len(fixed) + sum(map(len, lists)), fixed_len=len(fixed),
            udata_out_len=udata_out)
        return hdr + fixed[len(hdr):] + b''.join(lists)

    def command(self, name, rsp=None, udata_out=0, lists=(), **members):
        """Execute a command; returns the members of its reply."""
        fixed, udata = self.execute(
            self.request(name, udata_out, lists, **members))
        out = LAYOUTS[rsp].unpack(fixed) if rsp else {}
        return {**out, 'fixed': fixed, 'udata': udata}

    def create(self, name, **members):
        return self.command(name, 'hyv_create_rsp', **members)['handle']

    def destroy(self, kind, handle):
        self.command('destroy', type=kind, handle=handle)

    def status(self, request, room=None):
        """Status of a request."""
        try:
            self.execute(request, room)
        except Refused as refused:
            return refused.status
        return 0

    def gid(self):
        """A GID of the HCA that QPs can use, and its index."""
        reply = self.command('query_gids', port=1)['fixed']
        count, _ = struct.unpack_from('<II', reply, 16)
        size = LAYOUTS['hyv_gid'].size
        for at in range(24, 24 + count * size, size):
            gid = LAYOUTS['hyv_gid'].unpack(reply[at:])
            if (gid['type'] == HYV_GID_TYPE_ROCE_V2 and
                    gid['raw'][:2] != b'\xfe\x80'):
                return gid['raw'], gid['index']
        raise AssertionError('the HCA has no RoCE v2 GID')

    def close(self):
        # Python's mapping has a duplicate of the file.
        if self.window:
            self.window.close()
        os.close(self.fd)


class Doorbells:
    """The guest's side of the doorbell area (docs/protocol.md, section 7)."""

    def __init__(self, vnic):
        config, ram = vnic.config, vnic.ram
        self.ram = ram
        self.kick_fd = os.eventfd(0, os.EFD_CLOEXEC)
        self.starts, end = [], 64
        for slots in config['qp_slots'], config['cq_slots'], config['cq_slots']:
            summary = -(-slots // 4096)
            self.starts.append((end, end + 8 * summary))
            end += 8 * (summary + slots // 64)
        pages = -(-end // PAGE)
        self.gpa = ram.alloc(pages)
        vnic.command('setup_doorbells', lists=[
            chunk_list(0, pages * PAGE, [(self.gpa, pages * PAGE)])])
        vnic.ioctl('set_doorbell', kick_fd=self.kick_fd, poll_us=50)

    def _word(self, offset):
        return word(self.ram.map, self.ram.offset(self.gpa) + offset,
                    ctypes.c_uint64)

    def _set(self, bitmap, slot):
        # This program has one thread, so no bit that it sets can get lost. It
        # always kicks: that is allowed, and it has no memory barrier.
        summary, words = self.starts[bitmap]
        n = slot // 64
        bit = self._word(words + 8 * n)
        bit.value |= 1 << slot % 64
        more = self._word(summary + 8 * (n // 64))
        more.value |= 1 << n % 64
        os.eventfd_write(self.kick_fd, 1)
        return bit

    def ring(self, slot):
        self._set(0, slot)

    def arm(self, slot):
        bit = self._set(1, slot)
        wait_for(lambda: not bit.value >> slot % 64 & 1, 'CQ is armed')


class EventQueue:
    """Event queue 0 with one buffer, split into two descriptors."""

    def __init__(self, vnic, length=32):
        self.ram, num = vnic.ram, 4
        self.call_fd = os.eventfd(0, os.EFD_CLOEXEC)
        desc, used, self.buffer = (self.ram.alloc() for _ in range(3))
        avail = desc + 16 * num
        self.used = self.ram.offset(used)
        at = self.ram.offset(desc)
        self.ram.map[at:at + 32] = struct.pack(
            '<QIHHQIHH',
            self.buffer, 16, VRING_DESC_F_WRITE | VRING_DESC_F_NEXT, 1,
            self.buffer + 2048, length - 16, VRING_DESC_F_WRITE, 0)
        # Flags, index and the first element of the available ring.
        at = self.ram.offset(avail)
        self.ram.map[at:at + 6] = struct.pack('<HHH', 0, 1, 0)
        vnic.ioctl('set_event_queue', index=0, num=num,
                   desc=self.ram.hva(desc), avail=self.ram.hva(avail),
                   used=self.ram.hva(used), call_fd=self.call_fd, kick_fd=-1)

    def wait(self):
        """The event, once its interrupt has come."""
        assert is_signalled(self.call_fd), 'no interrupt'
        index, head, length = struct.unpack(
            '<HII', self.ram.map[self.used + 2:self.used + 12])
        assert (index, head, length) == (1, 0, 32), (index, head, length)
        at = self.ram.offset(self.buffer)
        return LAYOUTS['hyv_event'].unpack(
            self.ram.map[at:at + 16] + self.ram.map[at + 2048:at + 2064])


class Queue:
    """A queue of rxe that is mapped into the window (docs/vmm.md, section 9)."""

    def __init__(self, vnic, context, info):
        self.map = vnic.window
        info = LAYOUTS['mminfo'].unpack(info)
        self.length = -(-info['size'] // PAGE) * PAGE
        self.members = dict(context=context, offset=info['offset'],
                            length=self.length,
                            prot=HYV_MMAP_READ | HYV_MMAP_WRITE)
        reply = vnic.command('mmap', 'hyv_mmap_rsp', **self.members)
        self.at = reply['window_offset']
        assert reply['cache'] == HYV_CACHE_WB and self.at % PAGE == 0
        assert self.at + self.length <= len(self.map)
        self.size = 1 << self._field('log2_elem_size').value
        self.mask = self._field('index_mask').value
        self.producer = self._field('producer_index')
        self.consumer = self._field('consumer_index')

    def _field(self, name):
        return word(self.map,
                    self.at + LAYOUTS['rxe_queue_buf'].offsets[name])

    def _element(self, index):
        return (self.at + LAYOUTS['rxe_queue_buf'].size +
                (index & self.mask) * self.size)

    def push(self, element):
        index = self.producer.value
        assert (index + 1 - self.consumer.value) & self.mask, 'queue is full'
        at = self._element(index)
        self.map[at:at + self.size] = element.ljust(self.size, b'\0')
        self.producer.value = index + 1 & self.mask

    def pop(self):
        """The oldest element, or None."""
        index = self.consumer.value
        if index == self.producer.value:
            return None
        at = self._element(index)
        element = self.map[at:at + self.size]
        self.consumer.value = index + 1 & self.mask
        return element

    def release(self):
        """Drop the pointers into the window, which could not be closed."""
        del self.producer, self.consumer


class Endpoint:
    """A QP of a vNIC with all that it needs."""

    def __init__(self, vnic):
        self.vnic, self.ssn = vnic, 0
        self.context = vnic.create('alloc_context')
        self.pd = vnic.create('alloc_pd', context=self.context)
        cq = vnic.command('create_cq', 'hyv_create_cq_rsp', udata_out=16,
                          context=self.context, cqe=15)
        self.cq, self.cq_slot = cq['handle'], cq['slot']
        self.cq_info = cq['udata']
        qp = vnic.command(
            'create_qp', 'hyv_create_qp_rsp', udata_out=32, pd=self.pd,
            send_cq=self.cq, recv_cq=self.cq, qp_type=RC,
            cap=LAYOUTS['hyv_qp_cap'].pack(max_send_wr=7, max_recv_wr=7,
                                           max_send_sge=1, max_recv_sge=1))
        self.qp, self.qpn, self.slot = qp['handle'], qp['qpn'], qp['slot']
        info = LAYOUTS['rxe_create_qp_resp'].unpack(qp['udata'])
        self.queues = [Queue(vnic, self.context, i)
                       for i in (self.cq_info, info['sq_mi'], info['rq_mi'])]
        self.completions, self.sends, self.receives = self.queues

    def register(self, buffer, access):
        """The MR's keys, which rxe makes equal but the verbs do not."""
        mr = self.vnic.command(
            'reg_mr', 'hyv_reg_mr_rsp', pd=self.pd, access=access,
            iova=buffer.va,
            lists=[chunk_list(buffer.va, buffer.length, buffer.chunks())])
        return mr['lkey'], mr['rkey']

    def modify(self, mask, **attributes):
        self.vnic.command('modify_qp', qp=self.qp, attr_mask=mask,
                          attr=LAYOUTS['hyv_qp_attr'].pack(**attributes))

    def connect(self, peer):
        gid, index = self.vnic.gid()
        self.modify(0x39, qp_state=1, port_num=1,
                    qp_access_flags=REMOTE_WRITE | REMOTE_READ)
        self.modify(0x129181, qp_state=2, path_mtu=MTU_1024,
                    dest_qp_num=peer.qpn, rq_psn=1, max_dest_rd_atomic=4,
                    min_rnr_timer=12, ah=LAYOUTS['hyv_ah_attr'].pack(
                        dgid=gid, sgid_index=index, hop_limit=64, is_global=1,
                        port_num=1))
        self.modify(0x12e01, qp_state=3, sq_psn=1, timeout=18, retry_cnt=7,
                    rnr_retry=7, max_rd_atomic=4)

    def state(self):
        reply = self.vnic.command('query_qp', qp=self.qp, attr_mask=1)
        return LAYOUTS['hyv_qp_attr'].unpack(reply['fixed'][16:])['qp_state']

    @staticmethod
    def _dma(buffer, lkey):
        sge = LAYOUTS['rxe_sge'].pack(addr=buffer.va, length=buffer.length,
                                      lkey=lkey)
        return {'dma.length': buffer.length, 'dma.resid': buffer.length,
                'dma.num_sge': 1}, sge

    def receive(self, wr_id, buffer, lkey):
        dma, sge = self._dma(buffer, lkey)
        self.receives.push(
            LAYOUTS['rxe_recv_wqe'].pack(wr_id=wr_id, **dma) + sge)

    def send(self, doorbells, opcode, wr_id, buffer, lkey, remote=0, rkey=0):
        dma, sge = self._dma(buffer, lkey)
        self.sends.push(LAYOUTS['rxe_send_wqe'].pack(**{
            'wr.wr_id': wr_id, 'wr.opcode': opcode,
            'wr.send_flags': SEND_SIGNALED, 'wr.wr.rdma.remote_addr': remote,
            'wr.wr.rdma.rkey': rkey, 'iova': remote, 'ssn': self.ssn,
            **dma}) + sge)
        self.ssn += 1
        doorbells.ring(self.slot)

    def poll(self):
        """The next completion."""
        element = wait_for(self.completions.pop, 'a completion comes')
        return LAYOUTS['ib_uverbs_wc'].unpack(element)

    def release(self):
        for queue in self.queues:
            queue.release()
