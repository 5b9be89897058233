#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Whoever makes a mistake in the set-up gets one line that says what to do.
. "$HYV_TREE/tests/lib/case.sh"

QEMU=(/run/lab/bin/qemu-system-x86_64 -L /run/lab/share -nodefaults
	-no-user-config -display none -S -m 64M)
# shellcheck disable=SC2054 # the commas are QEMU's
MEMFD=(-object memory-backend-memfd,id=mem,size=64M,share=on
	-machine q35,accel=kvm,memory-backend=mem)
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# refused NAME PATTERN COMMAND...: the command ends soon, without success, and
# says one line, which matches the pattern of grep -E.
refused() {
	local name=$1 pattern=$2 status=0

	shift 2
	step "$name"
	timeout 30 "$@" >"$OUT/$name" 2>&1 || status=$?
	cat "$OUT/$name"
	[ $status != 124 ] || fail "QEMU has started"
	[ $status != 0 ] || fail "success"
	[ "$(wc -l <"$OUT/$name")" = 1 ] || fail "it should say one line"
	grep -qE "$pattern" "$OUT/$name" || fail "it should say: $pattern"
}

# device PROPERTIES: in front of it a machine that is all right.
device() {
	printf '%s\n' "${QEMU[@]}" "${MEMFD[@]}" -device "virtio-hyv-pci,$1"
}

mapfile -t good < <(device hca=rxe0)
step "what is refused below is accepted when all is right"
status=0
timeout 5 "${good[@]}" || status=$?
[ $status = 124 ]
hyv list

mapfile -t command < <(device hca=nosuch)
refused no-such-hca "there is no HCA 'nosuch'; HCAs of this host: rxe0" \
	"${command[@]}"
mapfile -t command < <(device mac=52:54:00:00:00:01)
refused hca-not-named "set property 'hca' to the HCA to use; HCAs .*: rxe0" \
	"${command[@]}"
mapfile -t command < <(device hca=/dev/null)
refused not-an-hca "uverbs device" "${command[@]}"

chmod 666 /dev/kvm /dev/hyv
chmod 600 /dev/infiniband/uverbs0
refused no-permission-hca \
	"no permission to use HCA 'rxe0': give the user who runs QEMU read and write access to /dev/infiniband/uverbs0" \
	"${NOBODY[@]}" "${good[@]}"
chmod 666 /dev/infiniband/uverbs0
chmod 600 /dev/hyv
refused no-permission-hyv \
	"no permission to open /dev/hyv: give the user who runs QEMU read and write access" \
	"${NOBODY[@]}" "${good[@]}"

refused ram-anonymous \
	"guest RAM .*start QEMU with -object memory-backend-memfd,id=.*,share=on -machine memory-backend=" \
	"${QEMU[@]}" -machine q35,accel=kvm -device virtio-hyv-pci,hca=rxe0
refused ram-private \
	"guest RAM .*start QEMU with -object memory-backend-memfd,id=.*,share=on -machine memory-backend=" \
	"${QEMU[@]}" -object memory-backend-memfd,id=mem,size=64M,share=off \
	-machine q35,accel=kvm,memory-backend=mem -device virtio-hyv-pci,hca=rxe0

mapfile -t command < <(device hca=rxe0,window-size=64K)
refused window-too-small "window-size is too small: at least 1 MiB are needed" \
	"${command[@]}"
mapfile -t command < <(device hca=rxe0,max-qps=100000000)
refused limit-too-high "max-\* limits is above what module hyv can do" \
	"${command[@]}"

step "without its parameter the module does not lend rxe to guests"
modprobe -r hyv
insmod "$HYV_MODULES/hyv.ko"
[ "$(</sys/module/hyv/parameters/allow_trusted_only_hca)" = N ]
refused rxe-not-allowed \
	"refuses this HCA: .* a guest can crash the host; .* 'modprobe hyv allow_trusted_only_hca=1'" \
	"${good[@]}"
hyv list | tee "$OUT/list"

modprobe -r hyv
refused module-not-loaded "there is no /dev/hyv: load the module with 'modprobe hyv'" \
	"${good[@]}"
modprobe hyv

step "it cannot migrate, and says why"
lab-guest 1 start
must_fail lab-guest 1 qmp '{"execute":"migrate","arguments":{"uri":"exec:cat"}}' |
	tee "$OUT/migrate"
grep -q 'virtio-hyv: .* cannot be migrated; unplug the device first' "$OUT/migrate"

step "a guest whose driver knows rdma_rxe to be there, or to come"
lab-guest 1 wait-up
lab-guest 1 exec bash "$CASE/rival.sh"
klog_check

# strange_version PROPERTY MESSAGE: the driver has no device, and says why once.
strange_version() {
	lab-guest 1 kill
	LAB_HYV_PROPS=hca=rxe0,x-protocol-version=$1 lab-guest 1 start
	lab-guest 1 wait-up
	lab-guest 1 exec "ls /sys/class/infiniband; dmesg | grep virtio_hyv" |
		tee "$OUT/version-$1"
	must_fail grep hyv0 "$OUT/version-$1"
	[ "$(grep -c "$2" "$OUT/version-$1")" = 1 ]
}

step "a guest driver that is older than the host"
strange_version 9 'this driver is too old: it speaks protocol 1 to 1, the host 9 to 9; upgrade virtio_hyv in the guest'

step "a guest driver that is newer than the host"
strange_version 0 'host is too old: it speaks protocol 0 to 0, this driver 1 to 1; upgrade hyv.ko and QEMU on the host'
lab-guest 1 kill
klog_check
