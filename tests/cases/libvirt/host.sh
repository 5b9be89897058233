#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libvirt starts a guest with a vNIC, as README's section about real hosts says: QEMU is
# the one that users have, unprivileged, in its sandbox, and confined by AppArmor, the
# device cgroup, a /dev of its own and a limit on locked memory. The vNIC works. Without
# any of the steps there, it does not start, or cannot pin, and there is a message.
. "$HYV_TREE/tests/lib/case.sh"
EMULATOR=/usr/bin/hyv-qemu-system-x86_64
DOMAIN=$OUT/domain.xml

# part FROM TO: print lines of README's section about real hosts, without indentation
part() {
	sed -n '/^Use it on a real host/,/^In the guest/p' "$HYV_TREE/README" |
		sed -n "\\,^ *$1,,\\,^ *$2,p" | sed 's/^ *//'
}

# daemon_start BYTES: libvirtd with the limit of its service
daemon_start() {
	prlimit --memlock="$1" libvirtd --daemon
	wait_for 60 virsh version
}

# daemon_stop: guests stay
daemon_stop() {
	local pid

	pid=$(</run/libvirtd.pid)
	kill "$pid"
	wait_for 60 eval "! kill -0 $pid 2>/dev/null"
}

# start_fails TEXT: the guest cannot be started, and libvirt says why
start_fails() {
	must_fail virsh create "$DOMAIN" >"$OUT/failure" 2>&1
	cat "$OUT/failure"
	grep -E "$1" "$OUT/failure"
}

# guest_start: start the guest, and wait for it
guest_start() {
	lab-guest 1 prepare >/dev/null
	virsh create "$DOMAIN"
	qemu=$(</run/libvirt/qemu/guest.pid)
	lab-guest 1 attach "$qemu"
	lab-guest 1 wait-up
	lab-guest 1 exec cp /etc/libibverbs.d.all/mlx5.driver /etc/libibverbs.d/
}

# guest_stop: power it off; libvirt forgets it then
guest_stop() {
	lab-guest 1 stop
	wait_for 60 eval "! virsh domstate guest"
}

# status_of FIELD: print a field of /proc/PID/status of QEMU
status_of() {
	sed -n "s/^$1:\t//p" "/proc/$qemu/status"
}

step "the host as Debian sets it up"
install -D -m 755 /lab/qemu/qemu-system-x86_64 $EMULATOR
install -D -m 644 -t /usr/lib/hyv-qemu/qemu /lab/qemu/modules/*.so
install -D -m 644 "$HYV_TREE/scripts/deb/debian-qemu/apparmor" \
	/etc/apparmor.d/abstractions/hyv-qemu
# as udev does
chgrp kvm /dev/kvm /dev/hyv
chmod 660 /dev/kvm /dev/hyv
mount -t securityfs securityfs /sys/kernel/security
mount -t cgroup2 cgroup2 /sys/fs/cgroup
[ "$(</sys/module/apparmor/parameters/enabled)" = Y ]
# for all messages of AppArmor
echo 0 >/proc/sys/kernel/printk_ratelimit
apparmor_parser --replace /etc/apparmor.d/usr.sbin.libvirtd \
	/etc/apparmor.d/usr.lib.libvirt.virt-aa-helper
# there is no D-Bus
printf '%s\n' 'auth_unix_rw = "none"' 'auth_unix_ro = "none"' >>/etc/libvirt/libvirtd.conf
virtlogd --daemon

step "the guest: README's, with the devices of the lab"
# for the guest's agent, which is not root on the host
chmod a+rwX /lab /lab/machine
install -d -m 777 /lab/machine/guest1 /run/empty
arguments=$(LAB_SHARES='' lab-guest 1 prepare)
cat >"$OUT/devices" <<END
<disk type="block" device="disk">
  <driver name="qemu" type="raw"/>
  <source dev="/dev/vdc"/><target dev="vda" bus="virtio"/><readonly/>
</disk>
<disk type="block" device="disk">
  <driver name="qemu" type="raw"/>
  <source dev="/dev/vdd"/><target dev="vdb" bus="virtio"/><readonly/>
</disk>
<filesystem type="mount" accessmode="squash">
  <source dir="/lab"/><target dir="lab"/>
</filesystem>
<filesystem type="mount" accessmode="squash">
  <source dir="/run/empty"/><target dir="hyv"/><readonly/>
</filesystem>
<interface type="ethernet">
  <mac address="52:54:00:77:00:01"/><target dev="tap1" managed="no"/>
  <model type="virtio"/><rom enabled="no"/>
</interface>
<serial type="file"><source path="/lab/machine/guest1/console" append="on"/></serial>
<channel type="pipe">
  <source path="/run/lab/guest1/ctl"/><target type="virtio" name="lab.ctl"/>
</channel>
<controller type="usb" model="none"/>
<memballoon model="none"/>
<rng model="virtio"><backend model="random">/dev/urandom</backend></rng>
END
part '<domain ' '</domain>' | sed -e "/<memory /s/.*/<memory unit=\"MiB\">${LAB_RAM%M}<\\/memory>/" \
	-e '/<type /a <kernel>/run/lab/guest-kernel/boot/vmlinux</kernel>' \
	-e '/<type /a <initrd>/run/lab/guest.initrd</initrd>' \
	-e "/<type /a <cmdline>$arguments</cmdline>" \
	-e '/<devices>/i <features><acpi/></features><cpu mode="host-passthrough"/>' \
	-e "/<emulator>/r $OUT/devices" \
	-e 's/hca=hyvs0/&,mac=52:54:00:77:00:01/' >"$DOMAIN"
cat "$DOMAIN"
part 'cat >>/etc/libvirt/qemu.conf' 'systemctl daemon-reload' | grep -v ^systemctl \
	>"$OUT/steps"
cat "$OUT/steps"
[ "$(grep -c . "$OUT/steps")" -ge 9 ]

step "without README's steps, AppArmor does not let libvirt run QEMU"
limit=$(sed -n 's/^LimitMEMLOCK=\([0-9]*\)M$/\1/p' /{usr/,}lib/systemd/system/libvirtd.service |
	head -n 1)
# a message that is longer
size=$((limit << 21))
daemon_start $((limit << 20))
start_fails "cannot execute binary $EMULATOR: Permission denied"
lab-klog | grep 'apparmor="DENIED" operation="exec"' | grep $EMULATOR

step "with AppArmor's only, QEMU does not find the device"
cp /etc/libvirt/qemu.conf "$OUT/"
# shellcheck source=/dev/null
. "$OUT/steps"
cp /etc/libvirt/qemu.conf "$OUT/qemu.conf.new"
cp "$OUT/qemu.conf" /etc/libvirt/
start_fails "cannot open HCA 'hyvs0': No such file or directory"

step "with the limit of libvirt's service, the vNIC cannot pin more"
cp "$OUT/qemu.conf.new" /etc/libvirt/qemu.conf
daemon_stop
daemon_start $((limit << 20))
gid_index
guest_start
[ "$(status_of Uid | cut -f 1)" = "$(id -u libvirt-qemu)" ]
[ "$(status_of Seccomp)" = 2 ]
[ "$(status_of CapEff)" = 0000000000000000 ]
grep -E '^libvirt-.* \(enforce\)$' "/proc/$qemu/attr/current"
grep "^Max locked memory  *$((limit << 20)) " "/proc/$qemu/limits"
[ -c "/proc/$qemu/root/dev/hyv" ]
[ ! -e "/proc/$qemu/root/dev/mem" ]
grep machine "/proc/$qemu/cgroup"
lab-guest 1 exec ibv_devinfo -d hyv0
must_fail lab-guest 1 exec "ibv_rc_pingpong -d hyv0 -g $GID_INDEX -s $size" \
	>"$OUT/pinning" 2>&1
cat "$OUT/pinning"
grep "Couldn't register MR" "$OUT/pinning"
guest_stop

step "as README says"
daemon_stop
grep -x LimitMEMLOCK=infinity /etc/systemd/system/libvirtd.service.d/hyv.conf
daemon_start unlimited
guest_start
grep '^Max locked memory  *unlimited ' "/proc/$qemu/limits"
ibv_rc_pingpong -d "$IBDEV" -g "$GID_INDEX" -c -s $size -n 2 -r 2 \
	>"$OUT/server" 2>&1 &
server=$!
wait_for 60 listens 18515
lab-guest 1 exec ibv_rc_pingpong -d hyv0 -g "$GID_INDEX" -c -s $size -n 2 \
	-r 2 "$MY_IP" >"$OUT/client" 2>&1
wait $server
[ "$(pingpong_results "$OUT/client" "$OUT/server")" = 2 ]
hyv list
guest_stop
daemon_stop
klog_check
