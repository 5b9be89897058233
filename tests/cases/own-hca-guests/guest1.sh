#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hyvs0, the software HCA of hyvs.ko, lent to guests: stock libmlx5 drives it in
# ibv_devinfo, the pingpong programs, with data checked, and perftest; between the
# guests and in each. Thread domains work as on the host.
. "$HYV_TREE/tests/lib/case.sh"

gid_index
ibv_devinfo -v -d "$IBDEV" >"$OUT/devinfo"
grep -E 'state:.*PORT_ACTIVE' "$OUT/devinfo"
grep -E 'atomic_cap:.*ATOMIC_HCA' "$OUT/devinfo"

for size in 1 4096 65536 8388608; do
	iterations=$((size < 100000 ? 100 : 4))
	pingpong across "rc-$size" $size $iterations
	pingpong across "rc-$size-events" $size $iterations -e
done
for how in across within; do
	for events in '' -e; do
		# shellcheck disable=SC2086 # none is no option
		{
			pingpong_of uc $how "uc$events-$how" 4096 50 -m 1024 $events
			pingpong_of ud $how "ud$events-$how" 512 50 $events
			pingpong_of srq $how "srq$events-$how" 4096 20 -m 1024 -q 4 $events
		}
	done
	pingpong $how "rc-$how" 100000 20
done
for test in lat bw; do
	for op in send write read; do
		perftest across "$op-$test" ib_${op}_$test -s 65536 -n 50
		perftest within "$op-$test-within" ib_${op}_$test -s 4096 -n 50
	done
	for type in CMP_AND_SWAP FETCH_AND_ADD; do
		perftest across "atomic-$test-$type" ib_atomic_$test -A $type -n 50
	done
	perftest across "send-$test-events" ib_send_$test -s 4096 -n 50 -e
	perftest_of UD across "send-$test-ud" ib_send_$test -s 1024 -n 50
done
for test in ib_send_lat ib_write_bw; do
	perftest_of XRC across "$test-xrc" $test -s 4096 -n 50
	perftest_of XRC within "$test-xrc-within" $test -s 4096 -n 50
done
# two processes and one domain
xrc "$OUT/xrc-domain"
perftest across write-bw-16 ib_write_bw -s 4096 -n 50 -q 16
perftest across send-bw-srq ib_send_bw -s 4096 -n 50 -q 4 --use-srq
domains
moderation
python3 "$HYV_TREE/tests/cases/own-hca/sizes.py" "$IBDEV" | tee "$OUT/sizes"
barrier end
klog_check
