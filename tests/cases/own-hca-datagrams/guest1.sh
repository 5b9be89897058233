#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 sends, to guest 2 and where it must not arrive.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/cases/own-hca-datagrams/receivers.sh
. "$CASE/receivers.sh"
# shellcheck source=tests/cases/own-hca-datagrams/programs.sh
. "$CASE/programs.sh"

wait_for 60 eval "ibv_devinfo -v | grep '::ffff:$MY_IP, RoCE v2'"
host=$(get host-ip)
qpn=$(get qpn-guest2)
host_qpn=$(get qpn-host)
get host-sent >/dev/null

step "what arrives"
datagrams send "$qpn" "$PEER_IP" one
datagrams send group "$GROUP" "group of the guests"

step "what does not arrive"
must_fail datagrams send "$host_qpn" "$host" "to the host"
datagrams send "$qpn" "$MY_IP" "to a QP of another guest"
datagrams send "$qpn" "$PEER_IP" "to this guest" to="$MY_IP"
datagrams send "$qpn" "$PEER_IP" "to an address of the host" to="$host"
datagrams send "$qpn" "$PEER_IP" "to nobody" to=192.0.2.1
datagrams send "$qpn" "$PEER_IP" "from nobody" sgid=100
datagrams send "$qpn" "$PEER_IP" "from outside of the table" sgid=255
datagrams send "$host_qpn" "$PEER_IP" "to a QP of the host"
datagrams send "$host_qpn" "$PEER_IP" "to the host" to="$host"
datagrams send "$host_qpn" "$GROUP" "to a QP of the host, by a group"
datagrams send "$qpn" "$GROUP" "to a QP, by a group"
datagrams send group "$PEER_IP" "to a group, by an address"

step "addresses that come and go"
ip addr add $EXTRA/32 dev eth0
wait_for 60 has_gid $EXTRA
index=$(gid_of $EXTRA)
datagrams send "$qpn" "$PEER_IP" "from an extra address" sgid="$index"
ip addr del $EXTRA/32 dev eth0
put extra-free yes
get extra-taken >/dev/null
datagrams send "$qpn" "$PEER_IP" "from an address of another guest" sgid="$index"
datagrams send "$qpn" $EXTRA "to an extra address"
put extra-used yes
get extra-gone >/dev/null
ip addr add $EXTRA/32 dev eth0
wait_for 60 has_gid $EXTRA
datagrams send "$qpn" "$PEER_IP" "to an address that has moved" to=$EXTRA
ip addr del $EXTRA/32 dev eth0
wait_for 60 eval "! has_gid $EXTRA"

datagrams send "$qpn" "$PEER_IP" two
put guest1-sent yes
guest_datagrams
barrier end
klog_check
