# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Two processes that receive datagrams, one of them in a group. Scripts source case.sh
# before.

GROUP=239.88.0.2
# An address that guest 1 has first, then guest 2.
EXTRA=10.88.7.1

# gid_of ADDRESS: the index of its GID.
gid_of() {
	local -a bytes
	local gid

	IFS=. read -ra bytes <<<"$1"
	printf -v gid '%02x%02x:%02x%02x' "${bytes[@]}"
	gids | sed -n "s/^\([0-9]*\):.*:ffff:$gid\$/\1/p"
}

# has_gid ADDRESS: status 0 if the device has it.
has_gid() {
	[ "$(gid_of "$1")" ]
}

# receivers_start: start them and publish the number of the first one's QP.
receivers_start() {
	datagrams receive >"$OUT/receiver" &
	datagrams receive $GROUP >"$OUT/group" &
	wait_for 60 grep -q ^qpn "$OUT/receiver"
	wait_for 60 grep -q ^qpn "$OUT/group"
	put "qpn-$LAB_MACHINE" "$(receiver_qpn receiver)"
}

# receiver_qpn NAME
receiver_qpn() {
	sed -n 's/^qpn //p' "$OUT/$1"
}

# receivers_end ADDRESS: end those of this machine, which has the address.
receivers_end() {
	datagrams send "$(receiver_qpn receiver)" "$1" end
	datagrams send "$(receiver_qpn group)" "$1" end
	wait
}

# receivers_got LINE...: fail unless that is all that the first one has received.
receivers_got() {
	diff <(printf '%s\n' "$@") <(grep -v ^qpn "$OUT/receiver") ||
		fail "other datagrams were received"
}

# receivers_group_got LINE...: the same of the one in the group.
receivers_group_got() {
	diff <(printf '%s\n' "$@") <(grep -v ^qpn "$OUT/group") ||
		fail "other datagrams were received in the group"
}
