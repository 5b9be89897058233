#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# No event is lost, duplicated or delivered to the wrong object: in a storm of them
# in both guests, during which the host still executes commands; and events of the
# port, of which guests get the same as processes of the host, in the same order.
# rdma_rxe raises no IBV_EVENT_CLIENT_REREGISTER, so it is not tested.
. "$HYV_TREE/tests/lib/case.sh"

KLOG_HARMLESS+=(
	'^rdma_rxe: '
	"(^| )$IBDEV: "
)

# timed NAME SECONDS COMMAND...: its output goes to $OUT/NAME, and it must not take
# longer.
declare -A SLOWEST
timed() {
	local name=$1 most=$2 begin=${EPOCHREALTIME/./} took

	shift 2
	"$@" >"$OUT/$name" 2>&1
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	[ "$took" -le "${SLOWEST[$name]:-0}" ] || SLOWEST[$name]=$took
	[ $took -lt $((most * 1000)) ] || fail "$name took $took ms"
}

# events FILE [PATTERN]: what ibv_asyncwatch has seen.
events() {
	grep event_type "$1" | grep -e "${2:-.}" || true
}

WATCHES=("$OUT/watch" "$LAB_CASE/guest1/watch" "$LAB_CASE/guest2/watch")

# same: status 0 when all three have seen as many.
same() {
	local file counts=()

	for file in "${WATCHES[@]}"; do
		counts+=("$(events "$file" | wc -l)")
	done
	[ "${counts[0]}" = "${counts[1]}" ] && [ "${counts[0]}" = "${counts[2]}" ]
}

# settle: let what has begun become events. Some come a second after their cause.
settle() {
	sleep 2
	wait_for 60 same
}

# seen PATTERN: how many of them a process of the host has seen.
seen() {
	events "$OUT/watch" "$1" | wc -l
}

# unlike [PATTERN]: say how the guests' events differ from the host's; status 1 if
# they do not.
unlike() {
	local file

	for file in "${WATCHES[@]:1}"; do
		diff -u <(events "$OUT/watch" "${1:-.}") \
			<(events "$file" "${1:-.}") || return 0
	done
	return 1
}

# host_gids: the GIDs, in no order: those that come again may be elsewhere.
host_gids() {
	gids | cut -d : -f 2- | sort
}

# gids_back: status 0 when the GIDs are those of the beginning.
gids_back() {
	[ "$(host_gids)" = "$before" ]
}

# ipv6 ON: 0 or 1, whether the HCA's network device has IPv6 addresses.
ipv6() {
	echo $((!$1)) >/proc/sys/net/ipv6/conf/hca0/disable_ipv6
}

vectors=$(ibv_devinfo -v -d "$IBDEV" | awk '$1 == "num_comp_vectors:" { print $2 }')
put vectors "$vectors"
step "a storm of events on the host, $vectors vectors"
storm -c 64 -n 40 -t 4 -l 200
before=$(host_gids)

step "a storm in both guests"
barrier storm
{
	get storm-guest1
	get storm-guest2
} >/dev/null &
storms=$!
gid_index
rounds=0
while kill -0 $storms 2>/dev/null; do
	timed list 20 hyv list
	timed show 20 hyv show
	timed resources 20 rdma resource
	PAIR_TIMEOUT=100 timed pingpong 100 pingpong within "pp-$rounds" 1000 10
	rounds=$((rounds + 1))
done
wait $storms
[ $rounds -gt 0 ] || fail "nothing was measured"
for name in "${!SLOWEST[@]}"; do
	echo "slowest of $rounds during the storms: $name, ${SLOWEST[$name]} ms"
done
hyv show

step "events of the port: GIDs"
ibv_asyncwatch -d "$IBDEV" >"$OUT/watch" &
pid=$!
wait_for 60 grep -q 'async event FD' "$OUT/watch"
barrier watching
ip addr add 192.0.2.77/32 dev hca0
settle
ip addr add 192.0.2.78/32 dev hca0
ip addr del 192.0.2.77/32 dev hca0
ip addr del 192.0.2.78/32 dev hca0
settle
[ "$(seen GID_CHANGE)" -ge 4 ]

step "events of the port: its link"
# Without IPv6, whose addresses go with the link: events of GIDs and of the port
# overtake each other on the host already.
ipv6 0
settle
for _ in 1 2 3; do
	ip link set hca0 down
	settle
	ip link set hca0 up
	settle
done
for _ in 1 2 3; do
	ip link set hca0 down
	ip link set hca0 up
done
settle
events "$OUT/watch"
[ "$(seen PORT_ERR)" -ge 6 ]
[ "$(seen PORT_ACTIVE)" -ge 6 ]
! unlike || fail "a guest has seen other events"

step "events of the port: its link, while guest 1 is stopped"
# More than there are buffers for: those that wait are delivered in order, too.
lab-guest 1 qmp '{"execute":"stop"}'
for _ in {1..30}; do
	ip link set hca0 down
	sleep 0.2
	ip link set hca0 up
	sleep 0.2
done
sleep 3
! same || fail "guest 1 does not seem to be stopped"
lab-guest 1 qmp '{"execute":"cont"}'
settle
[ "$(seen PORT_)" -ge 72 ]
! unlike || fail "a guest has seen other events"

step "events of the port: both"
ipv6 1
settle
ip addr add 2001:db8::77/64 dev hca0 nodad
settle
gid_changes=$(seen GID_CHANGE)
ip link set hca0 down
settle
ip link set hca0 up
settle
# the address has gone
[ "$(seen GID_CHANGE)" -gt "$gid_changes" ]
! unlike PORT_ || fail "a guest has seen other events"
! unlike GID_CHANGE || fail "a guest has seen other events"
# its address is used only if no other device has it
wait_for 60 gids_back
settle
put gids "$before"
put changed yes
barrier compared

step "the HCA is removed"
# while a process of the host uses it, it would stay
kill $pid
wait $pid || true
rdma link delete "$IBDEV"
put gone yes
barrier end
! unlike 'PORT_\|GID_' || fail "a guest has seen other events"
klog_check

# The next case gets guests with an HCA.
add_hca "$IBDEV" hca0
lab-guest 1 kill
lab-guest 2 kill
