# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For cases that plug vNICs into guest 1, and another HCA, OTHER_HCA, into the host, which
# is of the same kind as the case's. The guest has the ports slot1 and slot2 for them (file
# options).
# The host's scripts source case.sh before.
OTHER_HCA=${IBDEV%0}1

# inside ARGUMENT...: let guest 1 use a vNIC, see plugged.sh
inside() {
	lab-guest 1 exec "bash $HYV_TREE/tests/lib/plugged.sh $*"
}

# plug SLOT HCA: a vNIC for guest 1.
plug() {
	lab-guest 1 qmp "{\"execute\":\"device_add\",\"arguments\":{
		\"driver\":\"virtio-hyv-pci\",\"id\":\"hyv-$1\",\"bus\":\"$1\",
		\"hca\":\"$2\",\"window-size\":67108864}}" | tr -d '\n'
}

unplug() {
	lab-guest 1 qmp "{\"execute\":\"device_del\",
		\"arguments\":{\"id\":\"hyv-$1\"}}" | tr -d '\n'
}

# unplugged SLOT: status 0 if QEMU no longer has such a device.
unplugged() {
	lab-guest 1 qmp '{"execute":"qom-list",
		"arguments":{"path":"/machine/peripheral"}}' >"$OUT/peripheral"
	grep -q '"slot1"' "$OUT/peripheral" && ! grep -q "\"hyv-$1\"" "$OUT/peripheral"
}

# another_network: the network device of another HCA.
another_network() {
	ip link add hca1 type veth peer name hca1-port
	ip link set hca1-port up
	ip link set hca1 up
	ip addr add 10.78.0.1/24 dev hca1
}

another_hca() {
	add_hca "$OTHER_HCA" hca1
	wait_for 60 test -e "/sys/class/infiniband/$OTHER_HCA/ports/1/gids/0"
}

# left HCA: how many objects user space has on it.
left() {
	local type sum=0

	for type in qp cq mr pd ctx; do
		sum=$((sum + $(rdma -j resource show $type |
			jq "[.[] | select(.ifname == \"$1\" and .pid)] | length")))
	done
	echo $sum
}

# no_objects_on HCA
no_objects_on() {
	[ "$(left "$1")" = 0 ]
}
