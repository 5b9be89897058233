# SPDX-License-Identifier: GPL-2.0-only
#
# QPs of each type with as many pieces as the device says, and QPs that only receive.
import sys

from pyverbs import enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr, QPInitAttrEx
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

context = Context(name=sys.argv[1])
pieces = context.query_device().max_sge
pd = PD(context)
cq = CQ(context, 10)
srq = SRQ(pd, SrqInitAttr(SrqAttr(max_wr=8, max_sge=1)))
cap = QPCap(max_send_wr=4, max_recv_wr=4, max_send_sge=pieces, max_recv_sge=pieces)
nothing = QPCap(max_send_wr=0, max_recv_wr=0, max_send_sge=0, max_recv_sge=0)
qps = [
    QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=cap))
    for kind in (e.IBV_QPT_RC, e.IBV_QPT_UC, e.IBV_QPT_UD)
]
qps.append(
    QP(
        context,
        QPInitAttrEx(
            qp_type=e.IBV_QPT_XRC_SEND,
            scq=cq,
            pd=pd,
            cap=cap,
            comp_mask=e.IBV_QP_INIT_ATTR_PD,
        ),
    )
)
qps += [
    QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, srq=srq, cap=nothing))
    for kind in (e.IBV_QPT_RC, e.IBV_QPT_UD)
]
print(f"{len(qps)} QPs, {pieces} pieces")
