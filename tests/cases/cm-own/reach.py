# SPDX-License-Identifier: GPL-2.0-only
#
# usage: reach.py DEVICE INDEX ADDRESS: connect a QP, by the GID of that index, to an
# IPv4 address. The exit status is the error of the transition to RTR.
import sys

from pyverbs import enums as e
from pyverbs.addr import GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

context = Context(name=sys.argv[1])
pd = PD(context)
cq = CQ(context, 4)
cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap), QPAttr(port_num=1))
address = tuple(int(byte) for byte in sys.argv[3].split("."))
gid = "0000:" * 5 + "ffff:%02x%02x:%02x%02x" % address
route = GlobalRoute(dgid=GID(gid), sgid_index=int(sys.argv[2]))
attr = QPAttr(port_num=1)
attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
attr.path_mtu = e.IBV_MTU_1024
attr.dest_qp_num = 100
try:
    qp.to_rtr(attr)
except PyverbsRDMAError as error:
    print("refused:", error)
    sys.exit(abs(error.error_code))
print("connected")
