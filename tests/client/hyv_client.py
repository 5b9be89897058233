#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two vNICs in one process that exchange data, and refuse what they must.

usage: hyv_client.py HCA

Prints TAP. Needs root, and an rxe device with a GID that is not link-local.
LAB_TIMEOUT_SCALE is a factor on time limits.
"""

import errno
import glob
import mmap
import os
import select
import sys

from driver import *

points = 0
failed = 0


def check(good, what):
    global points, failed
    points += 1
    failed += not good
    print('ok' if good else 'not ok', points, '-', what, flush=True)


def check_is(got, wanted, what):
    check(got == wanted, what if got == wanted else
          f'{what}: got {got}, wanted {wanted}')


def error(call, /, *args, **members):
    """Number of the error that a call fails with, or 0."""
    try:
        call(*args, **members)
    except OSError as e:
        return e.errno
    return 0


def check_order_of_attach(vnic):
    info = vnic.ioctl('get_info')
    check_is(info['out_abi_version'], HYV_ABI_VERSION, 'version of the ABI')
    for name in 'get_config', 'set_window', 'set_features', 'reset':
        check_is(error(vnic.ioctl, name), errno.ENOTCONN,
                 f'{name} needs HYV_ATTACH')


def check_order_of_features(vnic):
    query = vnic.request('query_device')
    check_is(error(vnic.execute, query), errno.EPROTO,
             'HYV_EXEC needs HYV_SET_FEATURES')
    check_is(error(EventQueue, vnic), errno.EPROTO,
             'an event queue needs HYV_SET_FEATURES')
    vnic.get_config()
    check_is(error(vnic.ioctl, 'set_features', features=vnic.features & 0xffff),
             errno.EOPNOTSUPP, 'VIRTIO_F_VERSION_1 is required')
    vnic.ioctl('set_features', features=vnic.features)
    check_is(error(vnic.ioctl, 'set_features', features=vnic.features),
             errno.EBUSY, 'HYV_SET_FEATURES works once')
    check_is(error(vnic.ioctl, 'set_addressing', mode=0), errno.EBUSY,
             'HYV_SET_ADDRESSING comes before HYV_SET_FEATURES')


def check_window(vnic):
    check(error(mmap.mmap, vnic.fd, WINDOW) != 0,
          'mmap needs HYV_SET_WINDOW')
    vnic.set_window()
    length = len(vnic.window)
    for what, size, flags in (
            ('of a part', length - PAGE, mmap.MAP_SHARED),
            ('that is private', length, mmap.MAP_PRIVATE)):
        check_is(error(mmap.mmap, vnic.fd, size, flags), errno.EINVAL,
                 f'no mapping of the window {what}')
    check_is((vnic.window[0:8], vnic.window[length - 8:length]),
             (bytes(8), bytes(8)), 'an empty window is zeroed, and its own')
    vnic.window[length - 8:length] = b'anything'
    check(True, 'an empty window can be written')


def check_setup(vnic, hca, ram, name):
    check_order_of_attach(vnic)
    vnic.attach(hca, ram, name)
    check_is(error(vnic.attach, hca, ram, name), errno.EISCONN,
             'HYV_ATTACH works once')
    check_window(vnic)
    vnic.set_mem()
    check_order_of_features(vnic)
    config = vnic.config
    check(config['proto_min'] <= HYV_PROTO_VERSION <= config['proto_max'],
          'version of the protocol')
    check(config['status'] & HYV_CONFIG_S_HCA_PRESENT, 'the HCA is present')
    check_is((config['driver_id'], config['page_size'],
              config['nr_event_queues']), (DRIVER_RXE, PAGE, 1),
             'configuration space')
    check(vnic.features >> HYV_F_DOORBELL_AREA & 1, 'it is a software HCA')


def check_refusals(vnic, end):
    """Requests that break a rule."""
    alloc = vnic.request('alloc_pd', context=end.context)
    check_is(vnic.status(b'\xff\x7f' + alloc[2:]), HYV_S_ENOSYS,
             'unknown opcode')
    check_is(vnic.status(alloc + bytes(8)), HYV_S_EINVAL,
             'request longer than its size')
    check_is(vnic.status(alloc[:-8]), HYV_S_EMSGSIZE,
             'request shorter than its size')
    check_is(vnic.status(alloc, 16), HYV_S_EMSGSIZE, 'no room for the reply')
    check_is(vnic.status(vnic.request('alloc_pd', context=0)), HYV_S_ENOENT,
             'unknown handle')
    check_is(vnic.status(vnic.request('destroy', type=HYV_OBJ_PD,
                                      handle=end.pd)), HYV_S_EBUSY,
             'a PD in use is not destroyed')
    ram = vnic.ram
    for what, iova, length, chunks, status in (
            ('outside of RAM', 0, PAGE, [(ram.gpa - PAGE, PAGE)], HYV_S_EFAULT),
            ('shorter than its list', 0, 2 * PAGE, [(ram.gpa, PAGE)],
             HYV_S_EINVAL),
            ('with a hole', 0, 2 * PAGE,
             [(ram.gpa, PAGE - 8), (ram.gpa + PAGE, PAGE + 8)], HYV_S_EINVAL),
            ('of another offset in its page', 8, PAGE, [(ram.gpa, PAGE)],
             HYV_S_EINVAL)):
        check_is(vnic.status(vnic.request(
            'reg_mr', pd=end.pd, access=LOCAL_WRITE, iova=PAGE + iova,
            lists=[chunk_list(PAGE + iova, length, chunks)])), status,
                 f'memory {what}')


def check_refused_mappings(vnic, end):
    """Mappings that no reply has offered, and one that exists."""
    cq = vnic.command('create_cq', 'hyv_create_cq_rsp', udata_out=16,
                      context=end.context, cqe=15)
    info = LAYOUTS['mminfo'].unpack(cq['udata'])
    good = dict(context=end.context, offset=info['offset'],
                length=-(-info['size'] // PAGE) * PAGE,
                prot=HYV_MMAP_READ | HYV_MMAP_WRITE)
    for what, change in (
            ('of another offset', {'offset': good['offset'] + (1 << 40)}),
            ('that is too long', {'length': good['length'] + PAGE}),
            ('that is empty', {'length': 0}),
            ('that is no whole page', {'length': good['length'] - 1}),
            ('with unknown protection', {'prot': 4})):
        check_is(vnic.status(vnic.request('mmap', **{**good, **change})),
                 HYV_S_EINVAL, f'no mapping {what}')
    queue = Queue(vnic, end.context, cq['udata'])
    check_is((queue.producer.value, queue.consumer.value), (0, 0),
             'refusals leave the queue as it was')
    check(vnic.status(vnic.request('mmap', **good)) != 0,
          'no second mapping of a queue')
    munmap = vnic.request('munmap', context=end.context,
                          window_offset=queue.at)
    check_is(vnic.status(munmap), 0, 'MUNMAP')
    vnic.window[queue.at:queue.at + 8] = b'anything'
    check_is(vnic.status(munmap), HYV_S_ENOENT, 'MUNMAP works once')
    queue.release()
    vnic.destroy(HYV_OBJ_CQ, cq['handle'])


def check_data(a, b, doorbells):
    """SEND, RDMA write and read from @a to @b, over scattered memory."""
    length = 3 * PAGE - 100
    src = Buffer(a.vnic.ram, 0x7f0000001234, length)
    dst = Buffer(b.vnic.ram, 0x10000f00, length)
    lkey, _ = a.register(src, LOCAL_WRITE)
    dst_lkey, rkey = b.register(dst, LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ)

    data = os.urandom(length)
    src.write(data)
    b.receive(7, dst, dst_lkey)
    a.send(doorbells, WR_SEND, 1, src, lkey)
    wc = a.poll()
    check_is((wc['wr_id'], wc['status']), (1, WC_SUCCESS), 'SEND')
    wc = b.poll()
    check_is((wc['wr_id'], wc['status'], wc['opcode'], wc['byte_len'],
              wc['qp_num']), (7, WC_SUCCESS, WC_OPCODE_RECV, length, b.qpn),
             'its completion at the receiver')
    check(dst.read() == data, 'the data that was sent')

    data = os.urandom(length)
    src.write(data)
    a.send(doorbells, WR_RDMA_WRITE, 2, src, lkey, dst.va, rkey)
    wc = a.poll()
    check_is((wc['wr_id'], wc['status']), (2, WC_SUCCESS), 'RDMA write')
    check(dst.read() == data, 'the data that was written')

    data = os.urandom(length)
    dst.write(data)
    a.send(doorbells, WR_RDMA_READ, 3, src, lkey, dst.va, rkey)
    wc = a.poll()
    check_is((wc['wr_id'], wc['status']), (3, WC_SUCCESS), 'RDMA read')
    check(src.read() == data, 'the data that was read')
    return src, lkey, dst, rkey


def check_events(a, b, doorbells, events, src, lkey, dst, rkey):
    """A request that fails, and the events that it causes at both ends."""
    # Where the buffer is too short for the event.
    error_fd = os.eventfd(0, os.EFD_CLOEXEC)
    b.vnic.ioctl('set_notify', config_fd=-1, error_fd=error_fd)
    EventQueue(b.vnic, 24)
    b.receive(8, dst, lkey)
    doorbells[1].arm(b.cq_slot)

    doorbells[0].arm(a.cq_slot)
    a.send(doorbells[0], WR_RDMA_WRITE, 4, src, lkey, dst.va, rkey ^ 0x5a00)
    event = events.wait()
    check_is((event['type'], event['code'], event['handle'], event['count']),
             (HYV_EVENT_COMP, 0, a.cq, 1), 'completion event')
    wc = a.poll()
    check_is((wc['wr_id'], wc['status']), (4, WC_REM_ACCESS_ERR),
             'a wrong key is refused')
    wait_for(lambda: a.state() == QPS_ERR, 'the QP fails')
    check(True, 'the QP is in the error state')
    wc = b.poll()
    check_is((wc['wr_id'], wc['status']), (8, WC_WR_FLUSH_ERR),
             'a receive is flushed')
    check(is_signalled(error_fd), 'a broken event queue is reported')


def check_reset(vnic):
    vnic.ioctl('reset')
    query = vnic.request('query_device')
    check_is(error(vnic.execute, query), errno.EPROTO,
             'a reset drops the features')
    vnic.window[0:len(vnic.window)] = bytes(len(vnic.window))
    check(True, 'all pages of the window can be written after a reset')
    vnic.ioctl('set_features', features=vnic.features)
    check_is(vnic.status(query), 0, 'the vNIC works after a reset')


def uverbs_of(hca):
    for path in glob.glob('/sys/class/infiniband_verbs/uverbs*/ibdev'):
        with open(path, encoding='ascii') as ibdev:
            if ibdev.read().strip() == hca:
                return '/dev/infiniband/' + path.split('/')[-2]
    sys.exit(f'no uverbs device of {hca}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    hca = uverbs_of(sys.argv[1])
    vnics = [Vnic(), Vnic()]
    for i, vnic in enumerate(vnics):
        # Different addresses, so that no vNIC can use those of the other.
        check_setup(vnic, hca, Ram((i + 1) << 32, 64), b'client%d' % i)
    doorbells = [Doorbells(vnic) for vnic in vnics]
    events = EventQueue(vnics[0])
    a, b = ends = [Endpoint(vnic) for vnic in vnics]
    check_refusals(vnics[0], a)
    check_refused_mappings(vnics[1], b)
    a.connect(b)
    b.connect(a)
    memory = check_data(a, b, doorbells[0])
    check_events(a, b, doorbells, events, *memory)

    for end in ends:
        end.release()
    vnics[1].destroy(HYV_OBJ_CONTEXT, b.context)
    check_is(vnics[1].status(vnics[1].request('alloc_pd', context=b.context)),
             HYV_S_ENOENT, 'a context is destroyed')
    for vnic in vnics:
        check_reset(vnic)
        vnic.close()
    print(f'1..{points}')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
