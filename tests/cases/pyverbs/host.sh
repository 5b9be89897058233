#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma-core's own tests: those that pass on the host's HCA pass in a guest.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/pyverbs/run.sh
. "${BASH_SOURCE[0]%/*}/run.sh"

# rxe logs each request that it refuses; some of the tests expect that.
if [ "$LAB_HCA" = own ]; then
	KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')
else
	KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
		'^[a-z_0-9]+: [0-9]+ callbacks suppressed$')
fi

uname -r >"$OUT/kernel"
step "on the host"
pyverbs "$OUT/native"
cut -d ' ' -f 2 "$OUT/native" | sort | uniq -c
[ "$(grep -c ' ok' "$OUT/native")" -ge "${LEAST:-80}" ]

step "in the guest"
get results | base64 -d | gunzip >"$OUT/guest"
cut -d ' ' -f 2 "$OUT/guest" | sort | uniq -c

step "differences: test, native, guest"
join -a 1 -j 1 -o 0,1.2,2.2 <(sort "$OUT/native") <(sort "$OUT/guest") |
	awk '$2 != $3' | tee "$OUT/different"

step "all tests that pass natively pass in the guest, but for on-demand paging"
must_fail grep -vE '^test_odp\.[^ ]+ ok skipped$' <(grep ' ok ' "$OUT/different" || true)
barrier end
klog_check
