#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A second client of /dev/hyv, which was written from the documents alone.
. "$HYV_TREE/tests/lib/case.sh"

# rxe logs requests that it refuses; the client sends one with a wrong key.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: ")

# objects: what HyV has made on the HCA
objects() {
	rdma resource show | sed -E 's/^[0-9]+: //'
}

# clean: the HCA has the objects that it had before
clean() {
	[ "$(objects)" = "$before" ]
}

before=$(objects)
step "client"
"$HYV_TREE/tests/client/hyv_client.py" "$IBDEV" >"$OUT/client" 2>&1 ||
	fail "the client: $(tail -n 20 "$OUT/client")"
tap_passed "$OUT/client"

step "nothing is left of it"
wait_for 60 clean
klog_check
