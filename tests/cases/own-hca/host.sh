#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hyvs0, the software HCA of hyvs.ko, on the host: stock libmlx5 drives it in the
# pingpong programs and perftest, also with XRC and thread domains, and rdma-core's own
# tests pass. Wrong and racing use of the verbs harms only its process. Workers sleep
# while there is nothing to do. Nothing is left when a process is killed, when the
# device is deleted below a process, and when its network device goes.
. "$HYV_TREE/tests/lib/case.sh"
MODULES=(test_addr test_atomic test_cq test_cq_events test_cqex test_device test_fork
	test_mr test_parent_domain test_pd test_qp test_qpex test_relaxed_ordering
	test_shared_pd test_srq)
# shellcheck source=tests/cases/pyverbs/run.sh
. "$HYV_TREE/tests/cases/pyverbs/run.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)'
	'^(own|gone): no rdma_cm: UDP port 4791 is in use'
	'^mmap: misuse \([0-9]+\) uses deprecated remap_file_pages\(\) syscall')
export IBDEV=hyvs0
PARAMETERS=/sys/module/hyvs/parameters

# plug: add the device
plug() {
	rdma link add $IBDEV type hyv netdev own
	wait_for 60 eval 'ibv_devices | grep -w hyvs0'
	gid_index
}

# unplugged: status 0 if the device has gone
unplugged() {
	! rdma link show | grep -w $IBDEV
}

# own PID: status 0 if the process has a QP that is connected
own() {
	rdma -j resource show qp link $IBDEV/1 |
		jq -e --argjson pid "$1" 'any(.pid == $pid and .state == "RTS")'
}

# worker_of PID: the thread of the context of a process
worker_of() {
	pgrep -x "$IBDEV-$1"
}

# uar_files PID: print the inodes of the files that are the process's UAR pages
uar_files() {
	awk '$6 ~ /hyvs-uar/ { print $5 }' "/proc/$1/maps" | sort -u
}

# endless TYPE: a pair of programs that does not end by itself; sets SERVER and CLIENT
endless() {
	local program=(ibv_rc_pingpong -d "$IBDEV" -g "$GID_INDEX" -n 100000000)

	[ "$1" = RC ] || program=(ib_write_bw -c "$1" -d "$IBDEV" -x "$GID_INDEX" -F
		--run_infinitely)
	"${program[@]}" >/dev/null 2>&1 &
	SERVER=$!
	wait_for 60 listens 18515
	"${program[@]}" "$MY_IP" >/dev/null 2>&1 &
	CLIENT=$!
	wait_for 60 own $CLIENT
}

# The root has only the provider of the other cases' HCA.
cp /etc/libibverbs.d.all/mlx5.driver /etc/libibverbs.d/
ip link add own type veth peer name own-port
ip link set own-port up
ip link set own up
ip addr add 10.88.0.1/24 dev own
insmod "$HYV_MODULES/hyvs.ko"

step "the device"
plug
must_fail rdma link add $IBDEV type hyv netdev own
must_fail rdma link add hyvs1 type hyv netdev own
ibv_devinfo -v -d $IBDEV >"$OUT/devinfo"
grep -E 'state:.*PORT_ACTIVE' "$OUT/devinfo"
hyv hcas

step "rdma_rxe has the UDP port of rdma_cm"
lab-klog | grep 'own: no rdma_cm: UDP port 4791 is in use.*rdma_rxe'

for size in 1 64 4096 65536 8388608; do
	iterations=$((size < 100000 ? 100 : 4))
	pingpong within "rc-$size" $size $iterations
	pingpong within "rc-$size-events" $size $iterations -e
done
for events in '' -e; do
	# shellcheck disable=SC2086 # none is no option
	{
		pingpong_of uc within "uc$events" 4096 100 -m 1024 $events
		pingpong_of ud within "ud$events" 512 100 $events
		pingpong_of srq within "srq$events" 4096 20 -m 1024 -q 4 $events
	}
done
[ "$(pingpong_results "$OUT"/{rc,uc,ud,srq}*.{server,client})" = 32 ]

for op in send write read; do
	perftest within "$op-lat" ib_${op}_lat -s 64 -n 50
	perftest within "$op-bw-all" ib_${op}_bw -a -n 5
done
for test in lat bw; do
	for op in send read; do
		perftest within "$op-$test-events" ib_${op}_$test -s 4096 -n 50 -e
	done
	for type in CMP_AND_SWAP FETCH_AND_ADD; do
		perftest within "atomic-$test-$type" ib_atomic_$test -A $type -n 50
	done
	perftest_of UC within "send-$test-uc" ib_send_$test -s 65536 -n 50
	perftest_of UD within "send-$test-ud" ib_send_$test -s 1024 -n 50
done
for test in ib_send_lat ib_write_bw ib_read_bw ib_atomic_lat; do
	perftest_of XRC within "$test-xrc" $test -n 50
done
perftest within send-bw-16 ib_send_bw -s 4096 -n 50 -q 16
perftest within send-bw-srq ib_send_bw -s 4096 -n 50 -q 4 --use-srq
wait_for 60 no_objects

step "XRC domains, and thread domains"
ibv_xsrq_pingpong -d $IBDEV -g "$GID_INDEX" -n 100 -c 2 >"$OUT/xsrq.server" &
processes=($!)
wait_for 60 listens 18515
for ((n = 1; n <= 2; n++)); do
	ibv_xsrq_pingpong -d $IBDEV -g "$GID_INDEX" -n 100 "$MY_IP" \
		>"$OUT/xsrq.client$n" &
	processes+=($!)
done
for process in "${processes[@]}"; do
	wait "$process"
done
xrc "$OUT/xrc-domain"
domains
wait_for 60 no_objects

step "rdma-core's tests"
NETDEV=own pyverbs "$OUT/pyverbs"
cut -d ' ' -f 2 "$OUT/pyverbs" | sort | uniq -c
must_fail grep -vE ' (ok|skipped)' "$OUT/pyverbs"
[ "$(grep -c ' ok' "$OUT/pyverbs")" -ge 50 ]
wait_for 60 no_objects

step "as many pieces as the device says, and QPs that only receive"
python3 "$CASE/sizes.py" $IBDEV | tee "$OUT/sizes"
wait_for 60 no_objects

step "wrong use of the verbs"
misuse
contexts=$(<$PARAMETERS/max_contexts_per_user)
echo 8 >$PARAMETERS/max_contexts_per_user
limit context 4 EDQUOT
hold context 4 >"$OUT/hold" &
holder=$!
wait_for 60 grep -q holding "$OUT/hold"
limit context 2 EDQUOT
kill $holder
wait $holder || true
echo "$contexts" >$PARAMETERS/max_contexts_per_user
wait_for 60 no_objects

step "a worker with nothing to do sleeps, until a doorbell is rung"
idle
wait_for 60 no_objects

step "memory of a file that is no memory"
modprobe loop
truncate -s 1M /tmp/disk
disk=$(losetup --find --show /tmp/disk)
misuse file "$disk"
losetup -d "$disk"
wait_for 60 no_objects

step "workers run in the cgroups of their processes, also of unprivileged ones"
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/own
# Newer kernels check the right to move a task only if its processors change.
echo 0 >/sys/fs/cgroup/own/cpuset.cpus
(
	echo $BASHPID >/sys/fs/cgroup/own/cgroup.procs
	exec setpriv --reuid=65534 --regid=65534 --clear-groups \
		nice -n 5 hold context 1 >/dev/null
) &
holder=$!
wait_for 60 worker_of $holder
grep '^0::/own$' "/proc/$(worker_of $holder)/cgroup"
[ "$(ps -o ni= -p "$(worker_of $holder)")" -eq 5 ]
grep -P '^Cpus_allowed_list:\t0$' "/proc/$(worker_of $holder)/status"
kill $holder
wait $holder || true
wait_for 60 rmdir /sys/fs/cgroup/own

for type in RC XRC; do
	step "processes are killed, $type"
	endless $type
	# Mappings of one file have a lock in common.
	for pid in $SERVER $CLIENT; do
		uar_files "$pid"
	done | tee "$OUT/uar-files"
	[ "$(sort -u "$OUT/uar-files" | wc -l)" = 2 ]
	kill -KILL $SERVER
	wait $SERVER || true
	kill -KILL $CLIENT
	wait $CLIENT || true
	wait_for 60 no_objects

	step "the device is deleted below its processes, $type"
	endless $type
	timeout $((60 * LAB_TIMEOUT_SCALE)) rdma link del $IBDEV
	unplugged
	# They have its pages still.
	must_fail rmmod hyvs
	kill $SERVER $CLIENT 2>/dev/null || true
	wait $SERVER $CLIENT || true
	plug
done

step "its network device goes"
pingpong within again 4096 100
ip link del own
wait_for 60 unplugged

step "its port is asked while its network device goes"
for ((i = 0; i < 10; i++)); do
	ip link add gone type veth peer name gone-port
	ip link set gone up
	rdma link add hyvs1 type hyv netdev gone
	rm -f "$OUT"/reads.*
	readers=()
	for ((n = 0; n < 3; n++)); do
		(
			cd /sys/class/infiniband/hyvs1/ports/1
			cat state phys_state rate >"$OUT/reads.$n"
			while cat state phys_state rate >/dev/null 2>&1; do
				:
			done
		) &
		readers+=($!)
	done
	for ((n = 0; n < 3; n++)); do
		wait_for 60 test -s "$OUT/reads.$n"
	done
	ip link del gone
	for reader in "${readers[@]}"; do
		wait "$reader"
	done
done

step "the module goes while pages are mapped"
for ((i = 0; i < 10; i++)); do
	ip link add own type veth peer name own-port
	rdma link add $IBDEV type hyv netdev own
	# not what the last one has written
	: >"$OUT/remap"
	misuse remap >"$OUT/remap" &
	mapper=$!
	wait_for 60 grep maps "$OUT/remap"
	wait_for 60 eval 'rmmod hyvs 2>/dev/null'
	wait $mapper
	ip link del own
	insmod "$HYV_MODULES/hyvs.ko"
done

step "the module goes"
rmmod hyvs
klog_check
