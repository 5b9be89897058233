#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every verb, used correctly and wrongly, does in a guest what it does with the HCA:
# the same program prints the same on the host and in the guest.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/tap.sh"
# shellcheck source=tests/cases/verbs/run.sh
. "${BASH_SOURCE[0]%/*}/run.sh"

# The HCA's driver logs what it has refused, and that it has not logged all of it.
KLOG_HARMLESS+=(
	'^rdma_rxe: '
	"(^| )$IBDEV: "
	'^[a-z_0-9]+: [0-9]+ callbacks suppressed$'
)
# Known differences, by the start of their lines: a guest in host addressing does
# not see the type of a GID, which determines the way of a reply; and on-demand paging,
# which rdma_rxe of newer kernels has, is not offered.
KNOWN='^(ud: (ibv_init_ah_from_wc|attributes|ibv_create_ah_from_wc|reply)'
KNOWN+='|device: on demand paging|arguments: MR on demand):'

# lines_of SUITE FILE
# shellcheck disable=SC2317 # same calls it
lines_of() {
	grep "^$1: " "$2" | grep -vE "$KNOWN"
}

# same SUITE: status 0 if the suite ended on both, with the same lines.
# shellcheck disable=SC2317 # tap_check calls it
same() {
	grep -qx "$1: end" "$OUT/verbs" || {
		echo "no end on the host"
		return 1
	}
	diff -U 1 <(lines_of "$1" "$OUT/verbs") \
		<(lines_of "$1" "$LAB_CASE/guest1/verbs")
}

# no_odp FILE
# shellcheck disable=SC2317 # tap_check calls it
no_odp() {
	grep -x 'device: on demand paging: 0x0, RC 0x0, UC 0x0, UD 0x0, XRC 0x0' "$1" &&
		grep -xE 'arguments: MR on demand: (EINVAL|EOPNOTSUPP)' "$1"
}

step "every verb on the host"
most_suites
shared_suite
put native "$(wc -l <"$OUT/verbs")"
cat "$OUT/messages"
barrier compared

step "differences"
echo "$(wc -l <"$OUT/verbs") lines, $(grep -c timeout "$OUT/verbs" || true) timeouts"
for suite in $(verbs -l); do
	tap_check "$suite: the same in the guest" same "$suite"
done
tap_check "the guest is offered no on-demand paging" no_odp "$LAB_CASE/guest1/verbs"
[ "$tap_points" -ge 23 ] || fail "only $tap_points suites"
pid=$(lab-guest 1 pid)
wait_for 60 no_objects "$pid"
klog_check
tap_done
