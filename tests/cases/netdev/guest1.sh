#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The managers of Debian's networks leave the network device with the HCA's address
# alone, with configurations that apply to every Ethernet device.
. "$HYV_TREE/tests/lib/case.sh"

DEV=hyvhca0
ADDRESS=$(ip -br -6 addr show dev $DEV scope link | awk '{ print $3 }')

# untouched: the address is there, and nothing else
untouched() {
	[ "$(ip -br addr show dev $DEV | awk '{ print NF, $3 }')" = "3 $ADDRESS" ] ||
		fail "$(ip addr show dev $DEV)"
	[ "$(sysctl -n net.ipv6.conf.$DEV.addr_gen_mode)" = 0 ]
	[ "$(cat /sys/class/net/$DEV/address)" = "$mac" ]
	[ "$(hca_gid)" = "$gid" ]
}

# hca_gid: the GID that the port has from the device
hca_gid() {
	local port=/sys/class/infiniband/$IBDEV/ports/1 i name

	for ((i = 0; i < 128; i++)); do
		read -r name <"$port/gid_attrs/ndevs/$i" || continue
		[ "$name" != $DEV ] || cat "$port/gids/$i"
	done 2>/dev/null
}

nm_knows() {
	nmcli -t -f DEVICE device | grep -x "$1" >/dev/null
}

networkd_knows() {
	[ -e "/run/systemd/netif/links/$(cat "/sys/class/net/$1/ifindex")" ]
}

mac=$(cat /sys/class/net/$DEV/address)
gid=$(hca_gid)
[ "$ADDRESS" ]
[ "$gid" ]

step "kind and type tell the device from a network card, and it cannot be moved"
ip -d -j link show dev $DEV | jq -e '.[0].linkinfo.info_kind == "hyv"'
grep -x DEVTYPE=hyv /sys/class/net/$DEV/uevent
ip netns add other
must_fail ip link set $DEV netns other
must_fail ip link del $DEV
must_fail ip link add type hyv
ip netns del other
untouched

# a second network card, which the managers may have
ip link add card0 type veth peer name card1
ip link set card1 up

step "udev"
mkdir -p /run/udev /run/dbus
mount | grep ' on /run ' >/dev/null || mount -t tmpfs none /run
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add --subsystem-match=net
udevadm settle
udevadm info /sys/class/net/$DEV
untouched

step "ifupdown"
mkdir -p /run/network
printf 'auto lo\niface lo inet loopback\n' >/etc/network/interfaces
ifup -a
ifdown -a --exclude=lo
untouched

step "systemd-networkd"
mkdir -p /run/systemd/network /run/systemd/netif/{links,leases,lldp}
chown -R systemd-network: /run/systemd/netif
# Debian's example, 80 or 89 by release: all Ethernet devices
cp /lib/systemd/network/8?-ethernet.network.example \
	/run/systemd/network/80-ethernet.network
dbus-daemon --system --fork
/lib/systemd/systemd-networkd &
networkd=$!
wait_for 60 networkd_knows eth0
sleep 10
grep -h ADMIN_STATE "/run/systemd/netif/links/$(cat /sys/class/net/$DEV/ifindex)" |
	tee "$OUT/networkd"
grep -q unmanaged "$OUT/networkd"
untouched
kill $networkd
wait $networkd || true

step "NetworkManager"
# It loads the kernel's layer for wireless devices, which has no data here.
KLOG_HARMLESS+=(regulatory 'firmware_class: See https')
# Debian's configuration manages what /etc/network/interfaces does not name
NetworkManager --no-daemon --log-level=INFO >"$OUT/nm.log" 2>&1 &
nm=$!
wait_for 60 nm_knows $DEV
sleep 15
nmcli device | tee "$OUT/nm"
nmcli -f GENERAL device show $DEV
[ "$(nmcli -t -f GENERAL.NM-TYPE device show $DEV)" = GENERAL.NM-TYPE:NMDeviceGeneric ]
must_fail eval "nmcli -t -f DEVICE,CONNECTION device | grep '^$DEV:Wired'"
untouched
kill $nm
wait $nm || true
untouched
klog_check
