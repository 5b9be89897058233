# SPDX-License-Identifier: GPL-2.0-only
#
# usage: forge.py own-address INTERFACE ADDRESS
#        forge.py request INTERFACE ADDRESS SOURCE GUID QPN
#
# Send a datagram of a connection manager to an IPv6 address: one whose source is that
# address, or a request from any other one that names a QP of an HCA.
import os
import socket
import struct
import sys
import zlib

PORT = 4791
REQ, RTU = 0x10, 0x14


def mad(attribute, body):
    header = struct.pack(">BBBBIQHHI", 1, 7, 2, 3, 0, 1, attribute, 0, 0)
    return (header + body).ljust(256, b"\0")


def request(source, guid, qpn):
    """QPs and path are those of a connection; the service does not exist."""
    body = bytearray(232)
    body[0:4] = os.urandom(4)
    body[8:16] = os.urandom(8)
    body[16:24] = guid
    body[32:35] = qpn.to_bytes(3, "big")
    body[56:72] = source
    return mad(REQ, bytes(body))


def packet(source, destination, datagram):
    def parts(first, hop_limit, checksum, high):
        bth = struct.pack(">BBHBBHI", 0x64, 0, 0xFFFF, high, 0, 1, 0)
        deth = struct.pack(">II", 0x80010000, 1)
        length = 8 + len(bth) + len(deth) + len(datagram) + 4
        ip = struct.pack(">IHBB", first, length, socket.IPPROTO_UDP, hop_limit)
        udp = struct.pack(">HHHH", PORT, PORT, length, checksum)
        return ip + source + destination + udp + bth + deth + datagram

    # docs/protocol.md: the ICRC covers ones instead of what routers may change.
    masked = b"\xff" * 8 + parts(0x6FFFFFFF, 255, 0xFFFF, 0xFF)
    return parts(6 << 28, 64, 0, 0) + struct.pack("<I", zlib.crc32(masked))


kind, interface, address = sys.argv[1:4]
to = socket.inet_pton(socket.AF_INET6, address)
if kind == "own-address":
    data = packet(to, to, mad(RTU, os.urandom(8)))
else:
    sender = socket.inet_pton(socket.AF_INET6, sys.argv[4])
    data = packet(sender, to, request(sender, bytes.fromhex(sys.argv[5]), int(sys.argv[6])))
with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
    sock.sendto(data, (address, 0, 0, socket.if_nametoindex(interface)))
