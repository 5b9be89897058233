#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Registration of scattered memory: sizes, unaligned starts and lengths, many
# regions at once, one of 1 GiB.
. "$HYV_TREE/tests/lib/case.sh"

step "sizes, starts and lengths"
scatter 4K 0 0 4K 1 5 4K 4095 0 8K 0 0 8K 4095 4095 8K 1 0 12K 100 7 \
	64K 0 0 64K 4095 1 1M 2048 3 2M 0 0 16M 777 333 64M 0 4095

step "1 GiB"
scatter 1G 123 4567

step "10,000 regions at once"
mkfifo /tmp/go
many 10000 </tmp/go >"$OUT/many" &
pid=$!
exec 3>/tmp/go
wait_for 300 grep -q 'written and read' "$OUT/many"
put regions "$(grep -c . "$OUT/many")"
get counted
echo >&3
wait $pid
cat "$OUT/many"

step "1 GiB, and the commands of another process"
delay 1G
put end yes
klog_check
