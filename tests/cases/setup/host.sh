#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A mistake in the setup results in one error message that says what to do.
. "$HYV_TREE/tests/lib/case.sh"

QEMU=(/run/lab/bin/qemu-system-x86_64 -L /run/lab/share -nodefaults
	-no-user-config -display none -S -m 64M)
# shellcheck disable=SC2054 # the commas are QEMU's
MEMFD=(-object memory-backend-memfd,id=mem,size=64M,share=on
	-machine q35,accel=kvm,memory-backend=mem)
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# refused NAME ERROR HINT COMMAND...: the command soon fails with one line, and a
# second one if HINT is not empty; both are patterns of grep -E
refused() {
	local name=$1 error=$2 hint=$3 status=0 lines=1

	[ -z "$hint" ] || lines=2
	shift 3
	step "$name"
	timeout $((60 * LAB_TIMEOUT_SCALE)) "$@" >"$OUT/$name" 2>&1 || status=$?
	cat "$OUT/$name"
	[ $status != 124 ] || fail "QEMU has started"
	[ $status != 0 ] || fail "success"
	[ "$(wc -l <"$OUT/$name")" = $lines ] || fail "expected lines: $lines"
	head -n 1 "$OUT/$name" | grep -E "$error" >/dev/null || fail "expected error: $error"
	tail -n 1 "$OUT/$name" | grep -E "^$hint" >/dev/null || fail "expected hint: $hint"
}

# device PROPERTIES: print the arguments of a correct machine with this device
device() {
	printf '%s\n' "${QEMU[@]}" "${MEMFD[@]}" -device "virtio-hyv-pci,$1"
}

mapfile -t good < <(device hca=rxe0)
step "QEMU accepts a correct setup"
status=0
timeout $((10 * LAB_TIMEOUT_SCALE)) "${good[@]}" || status=$?
[ $status = 124 ]
hyv list

# kilobytes FIELD: memory of QEMU
kilobytes() {
	awk -v field="$1:" '$1 == field { print $2 }' "/proc/$pid/status"
}

step "with locked memory, the window is not locked"
mapfile -t command < <(device hca=rxe0,window-size=4G)
"${command[@]}" -overcommit mem-lock=on -qmp stdio >"$OUT/locked" < <(
	printf '%s\n' '{"execute":"qmp_capabilities"}' \
		'{"execute":"query-status"}'
	sleep 60
) &
pid=$!
wait_for 60 grep -q prelaunch "$OUT/locked"
grep -q hyv-window "/proc/$pid/maps"
for field in VmLck VmRSS; do
	echo "$field $(kilobytes $field)"
	# the RAM is, and QEMU itself
	[ "$(kilobytes $field)" -gt $((64 * 1024)) ]
	[ "$(kilobytes $field)" -lt $((1024 * 1024)) ]
done
kill $pid
wait $pid || true

mapfile -t command < <(device hca=nosuch)
refused no-such-hca "HCA 'nosuch' not found" "HCAs of this host: rxe0" \
	"${command[@]}"
mapfile -t command < <(device mac=52:54:00:00:00:01)
refused hca-not-named "property 'hca' is required" "HCAs of this host: rxe0" \
	"${command[@]}"
mapfile -t command < <(device hca=/dev/null)
refused not-an-hca "cannot attach the HCA: not a uverbs device" '' "${command[@]}"

chmod 666 /dev/kvm /dev/hyv
chmod 600 /dev/infiniband/uverbs0
refused no-permission-hca "cannot open HCA 'rxe0': Permission denied" \
	"The user that runs QEMU needs read and write access to /dev/infiniband/uverbs0" \
	"${NOBODY[@]}" "${good[@]}"
chmod 666 /dev/infiniband/uverbs0
chmod 600 /dev/hyv
refused no-permission-hyv "cannot open /dev/hyv: Permission denied" \
	"The user that runs QEMU needs read and write access to /dev/hyv" \
	"${NOBODY[@]}" "${good[@]}"

hint="Start QEMU with -object memory-backend-memfd,id=.*,share=on -machine memory-backend="
refused ram-anonymous "guest RAM .* is not shared memory" "$hint" \
	"${QEMU[@]}" -machine q35,accel=kvm -device virtio-hyv-pci,hca=rxe0
refused ram-private "guest RAM .* is not shared memory" "$hint" \
	"${QEMU[@]}" -object memory-backend-memfd,id=mem,size=64M,share=off \
	-machine q35,accel=kvm,memory-backend=mem -device virtio-hyv-pci,hca=rxe0

mapfile -t command < <(device hca=rxe0,window-size=64K)
refused window-too-small "window-size must be at least 1 MiB" '' \
	"${command[@]}"
mapfile -t command < <(device hca=rxe0,max-qps=100000000)
refused limit-too-high "a max-\* property is larger than hyv.ko supports" '' \
	"${command[@]}"

step "without allow_trusted_only_hca, hyv.ko refuses rxe"
modprobe -r hyv
insmod "$HYV_MODULES/hyv.ko"
[ "$(</sys/module/hyv/parameters/allow_trusted_only_hca)" = N ]
refused rxe-not-allowed \
	"cannot attach the HCA: a guest may be able to crash the host with it" \
	"To allow it for trusted guests, run 'echo 1 >/sys/module/hyv/parameters/allow_trusted_only_hca'" \
	"${good[@]}"
hyv list | tee "$OUT/list"

modprobe -r hyv
refused module-not-loaded "cannot open /dev/hyv: No such file or directory" \
	"Run 'modprobe hyv'" "${good[@]}"
modprobe hyv

step "migration fails with the reason"
lab-guest 1 start
must_fail lab-guest 1 qmp '{"execute":"migrate","arguments":{"uri":"exec:cat"}}' |
	tee "$OUT/migrate"
grep -q 'virtio-hyv: the state of an HCA cannot be migrated' "$OUT/migrate"

step "the guest driver refuses rdma_rxe, loaded before or after it"
lab-guest 1 wait-up
lab-guest 1 exec bash "$CASE/rival.sh"
klog_check

# wrong_version VERSION MESSAGE: the driver refuses the device with one message
wrong_version() {
	lab-guest 1 kill
	LAB_HYV_PROPS=hca=rxe0,x-protocol-version=$1 lab-guest 1 start
	lab-guest 1 wait-up
	lab-guest 1 exec "ls /sys/class/infiniband; dmesg | grep virtio_hyv" |
		tee "$OUT/version-$1"
	must_fail grep hyv0 "$OUT/version-$1"
	[ "$(grep -c "$2" "$OUT/version-$1")" = 1 ]
}

step "a guest driver that is older than the host"
wrong_version 9 'driver too old: supports protocol 1-1, host needs 9-9; upgrade virtio_hyv in the guest'

step "a guest driver that is newer than the host"
wrong_version 0 'host too old: supports protocol 0-0, driver needs 1-1; upgrade hyv.ko and QEMU on the host'
lab-guest 1 kill
klog_check
