#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All of the stock perftest programs, polling and with events: between the guests
# and in each of them; with one queue pair and with 16, over UC and UD, and with an
# SRQ. The case perftest-sizes has all sizes.
. "$HYV_TREE/tests/lib/case.sh"

# of the programs whose names end in "-all"
SIZES=(-s 65536 -n 20)
UD_SIZES=(-s 1024 -n 20)
[ -z "${ALL_SIZES:-}" ] || SIZES=(-a -n 5) UD_SIZES=(-a -n 20)

gid_index

# overruns OP-TEST: status 0 if this program, with events and many sizes, overruns its CQ
# here: that of Debian 12 does so on rdma_rxe of newer kernels, natively, too.
overruns() {
	[ "$1" = send-lat ] && [ "${ALL_SIZES:-}" ] && grep -q '^VERSION_ID="12"' /etc/os-release &&
		[[ $(get host-kernel) != 6.1.* ]]
}

for test in lat bw; do
	for op in send write read; do
		perftest across "$op-$test-all" ib_${op}_$test "${SIZES[@]}"
		perftest within "$op-$test-within" ib_${op}_$test -s 4096 -n 50
	done
	# The programs that write have no events to wait for.
	for op in send read; do
		if overruns "$op-$test"; then
			perftest across "$op-$test-events" ib_${op}_$test -s 65536 -n 20 -e
		else
			perftest across "$op-$test-events-all" ib_${op}_$test "${SIZES[@]}" -e
		fi
		perftest within "$op-$test-events-within" ib_${op}_$test -s 4096 -n 50 -e
	done
	for type in CMP_AND_SWAP FETCH_AND_ADD; do
		perftest across "atomic-$test-$type" ib_atomic_$test -A $type -n 50
		perftest within "atomic-$test-$type-within" ib_atomic_$test -A $type -n 50
	done
done

for op in send write read; do
	perftest across "$op-bw-16" ib_${op}_bw -s 4096 -n 50 -q 16
done
for op in send read; do
	perftest across "$op-bw-16-events" ib_${op}_bw -s 4096 -n 50 -q 16 -e
	perftest within "$op-bw-16-events-within" ib_${op}_bw -s 4096 -n 20 -q 16 -e
done
perftest across send-bw-srq ib_send_bw -s 4096 -n 50 -q 4 --use-srq

for test in lat bw; do
	perftest_of UC across "send-$test-uc" ib_send_$test -s 65536 -n 50
	perftest_of UC across "write-$test-uc" ib_write_$test -s 65536 -n 50
	perftest_of UD across "send-$test-ud-all" ib_send_$test "${UD_SIZES[@]}"
	perftest_of UC across "send-$test-uc-events" ib_send_$test -s 64 -n 50 -e
	perftest_of UD across "send-$test-ud-events" ib_send_$test -s 64 -n 50 -e
done
barrier end
klog_check
