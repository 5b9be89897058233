# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The script of a guest that has work of its own all the time and notices nothing:
# it transfers and checks data until the host's script puts "stop". A transfer that
# takes too long ends the script, and so the case. It waits without processes of
# its own, whose number would vary. Sourced after case.sh.
WITNESS_LIMIT=$((15 * LAB_TIMEOUT_SCALE))

soak -e -i 50 -s 20000 -w $WITNESS_LIMIT >"$OUT/soak" &
pid=$!
put soaking yes
# the host's script takes longer than a time limit of "get", or soak ends
until [ -e "$LAB_CASE/kv/stop" ]; do
	kill -0 $pid || {
		cat "$OUT/soak"
		fail "the transfers have ended"
	}
	[ ! -e "$LAB_CASE/failed" ] || fail "another script failed"
	read -r -t 3 <>/run/lab/never || true
done
kill -TERM $pid
wait $pid
cat "$OUT/soak"
# "N transfers of N bytes, the slowest in N ms"
read -r transfers _ _ _ _ _ _ _ slowest _ < <(tail -n 1 "$OUT/soak")
[ "$transfers" -gt 100 ]
[ "$slowest" -lt $((1000 * WITNESS_LIMIT)) ]
klog_check
put stopped yes
