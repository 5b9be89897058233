#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The other guest: all that it transfers arrives, and it waits for nothing.
. "$HYV_TREE/tests/lib/case.sh"

soak -e -i 50 -s 20000 >"$OUT/soak" &
pid=$!
wait_for 60 grep -qs transferring "$OUT/soak"
put soaking yes
get stop >/dev/null
kill -TERM $pid
wait $pid
cat "$OUT/soak"
# "N transfers of N bytes, the slowest in N ms"
read -r transfers _ _ _ _ _ _ _ slowest _ < <(tail -n 1 "$OUT/soak")
[ "$transfers" -gt 100 ]
[ "$slowest" -lt $((15000 * LAB_TIMEOUT_SCALE)) ]
klog_check
