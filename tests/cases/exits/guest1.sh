#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest's half: the writes, for as long as the host's script lets them.
. "$HYV_TREE/tests/lib/case.sh"
PAIR_TIMEOUT=$((600 * LAB_TIMEOUT_SCALE))

for size in 64 65536; do
	step "messages of $size bytes"
	across "writes-$size" exchange -w $size
	cat "$OUT"/writes-$size.*
done
barrier end
klog_check
