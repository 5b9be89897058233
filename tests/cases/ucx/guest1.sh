#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ucx_perftest between the guests and in each of them, over RC and UD: messages with tags,
# active messages, puts, gets and atomic operations. The guests use guest addressing: by the
# type of its own GID UCX decides which datagrams are for it, also to connect over RC.
. "$HYV_TREE/tests/lib/case.sh"

gid_index
export UCX_NET_DEVICES=$IBDEV:1 UCX_IB_GID_INDEX=$GID_INDEX UCX_WARN_UNUSED_ENV_VARS=n
ucx_info -v

# transfer HOW NAME TRANSPORT TEST SIZE: without MPI, which it may be built with
transfer() {
	step "$1, $3, $4, $5 bytes"
	UCX_TLS=$3 "$1" "$2" ucx_perftest -P 0 -t "$4" -s "$5" -n 50 -w 5
}

# RC with what it connects by, and UD
for transport in rc_v ud_v; do
	for test in tag_lat tag_bw ucp_am_bw ucp_put_bw ucp_get; do
		for size in 8 65536; do
			transfer across "$transport-$test-$size" $transport $test $size
		done
	done
	for test in ucp_fadd ucp_cswap; do
		transfer across "$transport-$test" $transport $test 8
	done
	transfer within "$transport-within" $transport tag_bw 4096
done
barrier end
klog_check
