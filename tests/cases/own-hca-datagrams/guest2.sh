#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 2 receives.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/cases/own-hca-datagrams/receivers.sh
. "$CASE/receivers.sh"
# shellcheck source=tests/cases/own-hca-datagrams/programs.sh
. "$CASE/programs.sh"

wait_for 60 eval "ibv_devinfo -v | grep '::ffff:$MY_IP, RoCE v2'"
put guest2-ip "$MY_IP"
receivers_start
get extra-free >/dev/null
ip addr add $EXTRA/32 dev eth0
wait_for 60 has_gid $EXTRA
put extra-taken yes
get extra-used >/dev/null
ip addr del $EXTRA/32 dev eth0
put extra-gone yes
get guest1-sent >/dev/null
receivers_end "$MY_IP"
receivers_got "one from $PEER_IP" "from an extra address from $EXTRA" \
	"to an extra address from $PEER_IP" "two from $PEER_IP" "end from $MY_IP"
receivers_group_got "group of the guests from $PEER_IP" "end from $MY_IP"
guest_datagrams
barrier end
klog_check
