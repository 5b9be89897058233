#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the output of both ends, that the guest has the HCA's GIDs, and that it
# leaves no objects.
. "$HYV_TREE/tests/lib/case.sh"

gids >"$OUT/gids"
barrier end
cd "$LAB_CASE"
[ "$(pingpong_results {guest1,host2}/{rc,ud}-*.{server,client})" = 12 ]
perftest_results guest1/*_native.client host2/*_native.client | tee "$OUT/figures"
[ "$(wc -l <"$OUT/figures")" = 8 ]
diff "$OUT/gids" guest1/gids
wait_for 60 no_objects "$(lab-guest 1 pid)"
klog_check
