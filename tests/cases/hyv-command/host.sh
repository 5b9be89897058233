#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The output of the hyv command about vNICs in use, in every form.
. "$HYV_TREE/tests/lib/case.sh"

pid1=$(lab-guest 1 pid)
pid2=$(lab-guest 2 pid)
of_traffic='.counters | {doorbells, arms, kicks, events, interrupts}'
allow=/sys/module/hyv/parameters/allow_trusted_only_hca
denied='permission denied: requires CAP_NET_ADMIN in the initial user namespace'

# value FILTER: a value of the vNIC of guest 1 in JSON
value() {
	hyv --json show "$id" | jq -e "$1"
}

# counter NAME
counter() {
	value ".counters.$1"
}

# grown NAME COUNT: the counter is greater than COUNT
grown() {
	[ "$(counter "$1")" -gt "$2" ]
}

# is FILTER VALUE
is() {
	[ "$(value "$1")" = "$2" ]
}

barrier idle

step "hyv list: a line for each guest, with its process"
hyv list | tee "$OUT/list"
[ "$(wc -l <"$OUT/list")" = 3 ]
awk 'NR == 1 { print $1, $2, $3, $4, $5, $6, $7, $8 }' "$OUT/list" |
	grep -qx 'ID PID COMMAND HCA STATE OBJECTS PINNED NAME'
awk -v pid="$pid1" '$2 == pid { print $3, $4, $5, $6, $8 }' "$OUT/list" |
	grep -qx 'qemu-system-x86 rxe0 running 0 guest1'
awk -v pid="$pid2" '$2 == pid { print $3, $4, $5, $6, $8 }' "$OUT/list" |
	grep -qx 'qemu-system-x86 rxe0 running 0 guest2'
id=$(awk -v pid="$pid1" '$2 == pid { print $1 }' "$OUT/list")

step "JSON is valid for other parsers, with the same values"
for command in list show stats hcas "show $id" "stats pid $pid1" "show hca rxe0"; do
	# shellcheck disable=SC2086 # words
	hyv --json $command
done >"$OUT/json"
[ "$(wc -l <"$OUT/json")" = 7 ]
python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <"$OUT/json"
hyv --json list | jq -e --argjson pid "$pid1" --argjson id "$id" '
	length == 2 and ([.[].name] | sort) == ["guest1", "guest2"] and
	(.[] | select(.id == $id) | .pid == $pid and .hca == "rxe0" and
		.command == "qemu-system-x86" and .state == "running")'
[ "$(hyv --json show pid "$pid1" | jq -c '[.[].id]')" = "[$id]" ]
[ "$(hyv --json show hca rxe0 | jq length)" = 2 ]

step "hyv hcas: usable only while it is allowed"
expect_output 0 'HCA *DRIVER *VNICS *LEAKED *USE *NOTE*rxe0 *rxe *2 *0 *usable *-' '' hyv hcas
trap 'echo Y >"$allow"' EXIT
echo N >"$allow"
expect_output 0 "*trusted-only-denied*echo 1 >$allow" '' hyv hcas
expect_output 0 'vnic *' '' hyv show "$id"
echo Y >"$allow"
hyv --json hcas | jq -e 'map(select(.name == "rxe0")) == [{"name": "rxe0",
	"driver": "rxe", "driver_id": 14, "vnics": 2, "leaked": 0, "use": "usable",
	"note": ""}]'

step "objects and memory of a program in the guest are shown"
commands=$(counter commands)
# The doorbell area is pinned as long as the driver runs.
idle=$(value .pinned)
[ "$idle" -lt 65536 ]
barrier idle-seen
barrier program
wait_for 60 is .objects.qp.count 1
hyv show "$id"
[ "$(value '.objects | map_values(.count) == {"context": 1, "pd": 1, "cq": 1,
	"qp": 1, "mr": 1, "ah": 0, "srq": 0, "mw": 0, "xrcd": 0}')" = true ]
[ "$(value ".pinned >= $idle + 4096 and .pinned <= .pinned_max")" = true ]
[ "$(value '.mr_bytes >= 1024 and .mr_bytes <= .mr_bytes_max')" = true ]
[ "$(value '.queue_bytes > 0 and .queue_bytes <= .queue_bytes_max')" = true ]
[ "$(value '.window_used > 0 and .window_used <= .window_size')" = true ]
[ "$(value '[.objects[] | .count <= .max] | all')" = true ]
[ "$(counter commands)" -gt "$commands" ]
has qp "$pid1" "$(value .objects.qp.count)"
hyv show "$id" | grep -E '^    objects\.qp +1 of [0-9]+$' >/dev/null
[ "$(hyv --json show pid "$pid2" | jq '[.[0].objects[].count] | add')" = 0 ]
barrier program-seen

step "counters grow while there is traffic"
barrier traffic
for name in doorbells arms events interrupts; do
	wait_for 60 grown $name "$(counter $name)"
done
hyv stats
[ "$(counter errors)" -le "$(counter commands)" ]
hyv stats "$id" --watch 1 --count 2 | tee "$OUT/watch"
[ "$(grep -c '^ *ID .* DOORBELLS/s ' "$OUT/watch")" = 2 ]
hyv --json stats pid "$pid1" --watch 0.5 --count 3 >"$OUT/watch.json"
[ "$(wc -l <"$OUT/watch.json")" = 3 ]
jq -es --argjson id "$id" 'all(.seconds >= 0.4 and (.vnics | length) == 1 and
	.vnics[0].id == $id) and ([.[].vnics[0].rates.doorbells] | max) > 0' \
	"$OUT/watch.json"
barrier traffic-seen

step "no object is left, no counter grows"
barrier end
wait_for 60 is '[.objects[].count] | add' 0
is .pinned "$idle"
is .queue_bytes 0
is .mr_bytes 0
is .stitch_vmas 0
is .doorbell_pages 0
is .mcast 0
is .vmm_mrs 0
is '.user_vnics >= 2' true
counts=$(value "$of_traffic")
rates=$(hyv --json stats "$id" --watch 1 --count 1)
jq -e '.vnics[0].rates.doorbells == 0' <<<"$rates"
[ "$(value "$of_traffic")" = "$counts" ]

step "unprivileged users get an error with the reason"
expect_output 5 '' "hyv: $denied" \
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin hyv list
expect_output 5 '' "hyv: $denied" \
	setpriv --reuid 65534 --regid 65534 --clear-groups hyv show "$id"
expect_output 5 '' "hyv: $denied" \
	unshare --user --map-root-user --net hyv stats

step "missing vNICs are reported in one line"
expect_output 3 '' 'hyv: no vNIC has ID 4000000000' hyv show 4000000000
expect_output 3 '' 'hyv: process 1 has no vNIC' hyv stats pid 1
expect_output 3 '' "hyv: no vNIC uses HCA 'nosuch'" hyv show hca nosuch
long=$(printf 'x%.0s' {1..100})
expect_output 3 '' "hyv: no vNIC uses HCA '$long'" hyv show hca "$long"

step "hyv.ko rejects invalid requests with a text"
nlstrict "$id"
KLOG_HARMLESS+=("^netlink: .*['\`]nlstrict'")

step "from another PID namespace"
unshare --pid --fork --mount-proc hyv --json show "$id" | jq -e '.pid == 0'
klog_check
