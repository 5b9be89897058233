#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every verb, rightly and wrongly used, does in a guest what it does with the HCA
# itself: the same program says the same on the host and in the guest.
. "$HYV_TREE/tests/lib/case.sh"

# The HCA's driver says in the log what it has refused, and that it has not said
# all of it.
KLOG_HARMLESS+=(
	'^rdma_rxe: '
	'(^| )rxe0: '
	'^[a-z_0-9]+: [0-9]+ callbacks suppressed$'
)
# About as many lines as the program has if it comes to all of its steps: where a
# region cannot be registered there is one less.
STEPS=1207

step "every verb on the host"
verbs >"$OUT/verbs" 2>"$OUT/messages"
cat "$OUT/messages"
put native "$(wc -l <"$OUT/verbs")"
barrier compared

step "what differs"
lines=$(wc -l <"$OUT/verbs")
echo "$lines lines, $(grep -c timeout "$OUT/verbs" || true) steps in vain"
# Known differences, by the start of their lines: the GIDs of a guest are the
# host's, so that their type is not there, by which an answer's way is found.
KNOWN='^ud: (ibv_init_ah_from_wc|attributes|ibv_create_ah_from_wc|reply):'
diff -U 1 <(grep -vE "$KNOWN" "$OUT/verbs") \
	<(grep -vE "$KNOWN" "$LAB_CASE/guest1/verbs") ||
	fail "a verb does something else in the guest"
[ "$lines" -ge $STEPS ] || fail "$lines lines, should be $STEPS"
pid=$(lab-guest 1 pid)
wait_for 20 no_objects "$pid"
klog_check
