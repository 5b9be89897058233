#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The GID map as administrators see and change it, without guests.
. "$HYV_TREE/tests/lib/case.sh"

VIA=192.168.77.1
DENIED='permission denied: requires CAP_NET_ADMIN in the initial user namespace'
# Readable for the unprivileged users below.
FILES=$(mktemp -d)
chmod 755 "$FILES"
trap 'rm -rf "$FILES"' EXIT

# entries [FILTER]: the map as JSON
entries() {
	hyv --json map list | jq -c "${1:-.}"
}

# many FROM TO VIA: lines for GIDs number FROM to TO - 1
many() {
	awk -v from="$1" -v to="$2" -v via="$3" 'BEGIN {
		for (i = from; i < to; i++)
			printf "fd00::%x:%x via %s\n", int(i / 65536), i % 65536, via
	}'
}

# timed COMMAND...: run it and print the time it takes, at most 10 s
timed() {
	local start=$EPOCHREALTIME took

	"$@"
	took=$((${EPOCHREALTIME/./} - ${start/./}))
	printf '%s: %d ms\n' "${*:1:3}" $((took / 1000))
	[ $took -lt 10000000 ] || fail "it took more than 10 s"
}

step "one entry: add, show, replace, delete"
[ "$(entries)" = '[]' ]
expect_output 0 'GID  VIA  VNIC  HCA' '' hyv map list
expect_output 0 '' '' hyv map add 10.0.0.1 via $VIA
expect_output 0 '' '' hyv map add fd00::1 via fd77::1
expect_output 0 $'gid 10.0.0.1\n *via *192.168.77.1' '' hyv map show 10.0.0.1
expect_output 0 $'gid 10.0.0.1\n *via *192.168.77.1' '' hyv map show ::ffff:10.0.0.1
[ "$(hyv map show fd00::1 --json)" = '{"gid":"fd00::1","via":"fd77::1"}' ]
expect_output 0 $'GID *VIA *VNIC *HCA\n10.0.0.1 *192.168.77.1 *- *-\nfd00::1 *fd77::1 *- *-' \
	'' hyv map list
expect_output 0 '' '' hyv map replace fd00::1 via $VIA
expect_output 0 '' '' hyv map replace fd00::2 via $VIA
[ "$(entries)" = '[{"gid":"10.0.0.1","via":"192.168.77.1"},{"gid":"fd00::1","via":"192.168.77.1"},{"gid":"fd00::2","via":"192.168.77.1"}]' ]
expect_output 0 '' '' hyv map del fd00::1 10.0.0.1
[ "$(entries 'map(.gid)')" = '["fd00::2"]' ]

step "invalid changes fail with one line"
expect_output 1 '' 'hyv: fd00::2: This GID is in the map already' \
	hyv map add fd00::2 via $VIA
expect_output 3 '' 'hyv: fd00::3: This GID is not in the map' hyv map show fd00::3
expect_output 3 '' 'hyv: fd00::3: No static entry has this GID' hyv map del fd00::2 fd00::3
expect_output 3 '' 'hyv: fd00::2: Duplicate GID in request' \
	hyv map del fd00::2 fd00::2
for gid in 0.0.0.0 127.0.0.1 255.255.255.255 224.0.0.1 :: ::1 ff0e::1; do
	expect_output 1 '' "hyv: $gid: GID is not a usable unicast address" \
		hyv map add $gid via $VIA
	expect_output 1 '' "hyv: 10.0.0.1: Via GID is not a usable unicast address" \
		hyv map replace 10.0.0.1 via $gid
done
expect_output 0 '' '' hyv map add fe80::1 via $VIA
expect_output 0 '' '' hyv map del fe80::1
[ "$(entries 'map(.gid)')" = '["fd00::2"]' ]

step "a file is added as a whole or not at all, and errors name the line"
printf '# hosts\n\n10.0.0.%d via 192.168.77.1 # one\n' 1 2 3 >"$FILES/good"
expect_output 0 '' '' hyv map add -f "$FILES/good"
printf '10.0.0.%d\n' 1 2 3 | expect_output 0 '' '' hyv map del --file -
before=$(entries)
{
	many 100 200 $VIA
	echo "fd00::2 via $VIA"
	many 200 300 $VIA
} >"$FILES/bad"
expect_output 1 '' "hyv: $FILES/bad:101: fd00::2: This GID is in the map already" \
	hyv map add -f "$FILES/bad"
{
	many 100 200 $VIA
	echo 'ff0e::1 via 192.168.77.1'
} >"$FILES/bad"
expect_output 1 '' "hyv: $FILES/bad:101: ff0e::1: GID is not a usable unicast address" \
	hyv map replace -f "$FILES/bad"
{
	many 100 200 $VIA
	echo '# again'
	many 150 151 $VIA
} | expect_output 1 '' 'hyv: standard input:102: fd00::96: Duplicate GID in request' \
	hyv map replace -f -
expect_output 1 '' "hyv: standard input:1: expected 'GID via GID'" \
	hyv map add -f - <<<'10.0.0.1'
printf '%s\n' fd00::2 fd00::3 |
	expect_output 3 '' 'hyv: standard input:2: fd00::3: No static entry has this GID' \
		hyv map del -f -
[ "$(entries)" = "$before" ]
expect_output 0 '' '' hyv map add -f /dev/null
hyv map del fd00::2

step "ten thousand entries"
many 0 10000 $VIA >"$FILES/many"
timed hyv map add -f "$FILES/many"
timed hyv map list >"$FILES/list"
tail -n 1 "$FILES/list"
[ "$(wc -l <"$FILES/list")" = 10002 ]
awk '/^fd00/ { print $1, "via", $2 }' "$FILES/list" | cmp - <(
	python3 -c 'import ipaddress, sys
for line in sys.stdin:
	gid, rest = line.split(" ", 1)
	print(ipaddress.ip_address(gid), rest, end="")' <"$FILES/many"
)
expect_output 1 '' "hyv: $FILES/many:1: fd00::: This GID is in the map already" \
	hyv map add -f "$FILES/many"
many 0 10000 192.168.77.2 | timed hyv map replace -f -
[ "$(entries 'map(.via) | unique')" = '["192.168.77.2"]' ]
[ "$(entries length)" = 10000 ]
cut -d ' ' -f 1 "$FILES/many" >"$FILES/gids"
timed hyv map del -f "$FILES/gids"
[ "$(entries)" = '[]' ]

step "unprivileged users get an error with the reason"
expect_output 0 '' '' hyv map add 10.0.0.1 via $VIA
for command in 'map list' 'map show 10.0.0.1' 'map del 10.0.0.1' \
	'map replace 10.0.0.1 via 192.168.77.2' "map add -f $FILES/many"; do
	for how in 'setpriv --bounding-set=-net_admin --inh-caps=-net_admin' \
		'setpriv --reuid 65534 --regid 65534 --clear-groups' \
		'unshare --user --map-root-user --net'; do
		# shellcheck disable=SC2086 # words
		expect_output 5 '' "hyv: $DENIED" \
			$how hyv $command
	done
done
[ "$(entries)" = '[{"gid":"10.0.0.1","via":"192.168.77.1"}]' ]
hyv map del 10.0.0.1

step "hyv.ko rejects invalid requests with a text"
nlstrict
KLOG_HARMLESS+=("^netlink: .*['\`]nlstrict'")
[ "$(entries)" = '[]' ]

# slab_below KILOBYTES
slab_below() {
	[ "$(memory_slab)" -lt "$1" ]
}

step "at most 1048576 entries, freed with the module"
slab=$(memory_slab)
many 0 1048577 $VIA >"$FILES/most"
expect_output 1 '' 'hyv: Too many static entries' hyv map add -f "$FILES/most"
[ "$(entries)" = '[]' ]
sed -i '$d' "$FILES/most"
hyv map add -f "$FILES/most"
expect_output 1 '' 'hyv: Too many static entries' hyv map add 10.0.0.1 via $VIA
printf 'slab: %d kB, with entries %d kB\n' "$slab" "$(memory_slab)"
[ "$(memory_slab)" -gt $((slab + 65536)) ]
rmmod hyv
wait_for 60 slab_below $((slab + 16384))
expect_output 4 '' "hyv: hyv.ko is not loaded; run 'modprobe hyv'" hyv map list
modprobe hyv
[ "$(entries)" = '[]' ]
klog_check
