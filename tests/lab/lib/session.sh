# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sessions: machines that boot once and run several cases, one after the other.
# Needs cache.sh, debian.sh, systems.sh, machine.sh, options.sh, splat.sh and the
# options of run.

OUT=
SESSION=
TURN=
SESSION_GROUP=
SESSIONS=0
SHARES=

# what sessions boot from
QEMU='' GUEST_QEMU='' HOST_ROOT='' GUEST_ROOT='' HOST_KERNEL='' GUEST_KERNEL=''
PROBE_KERNEL='' FULL_QEMU=''
# of each kernel, and of each release of Debian
declare -A MODULES=() PROGRAMS=()

# seconds that a run spent on each of these
declare -A SPENT=([builds]=0 [boots]=0 [cases]=0)

# out_prepare DIR: make an empty directory for results, OUT; removes only results
# of an earlier run
out_prepare() {
	if [ -z "$1" ]; then
		OUT=$(mktemp -d "${TMPDIR:-/tmp}/hyv-lab-XXXXXX")
	elif [ ! -e "$1" ] || [ -e "$1/.lab-results" ] ||
		[ -z "$(ls -A "$1" 2>/dev/null)" ]; then
		rm -rf "$1"
		mkdir -p "$1"
		OUT=$(readlink -f "$1")
	else
		die "'$1' has files other than results of the lab"
	fi
	: >"$OUT/.lab-results"
}

# share_of DIR: set SHARED to the path of a directory in all machines, and add a
# line "TAG PATH" to SHARES if need be
share_of() {
	local dir=$1 tag path

	case $dir/ in
	"$TOP"/*)
		SHARED=/hyv${dir#"$TOP"}
		return
		;;
	esac
	while read -r tag path; do
		if [ "$path" = "${dir%/*}" ]; then
			SHARED=/$tag/${dir##*/}
			return
		fi
	done <<<"$SHARES"
	tag=cases$(wc -l <<<"$SHARES")
	path=${dir%/*}
	SHARES+=$'\n'"$tag ${path:-/}"
	SHARED=/$tag/${dir##*/}
}

# session_qemu: build QEMU for the machines, with the repairs that nested guests
# need, and the QEMU of the host's guests
session_qemu() {
	local options=()

	[ "${HYV_QEMU_SANITIZE:-0}" = 0 ] || options=(--sanitize)
	QEMU=$("$TOP/qemu-patches/build" --qemu 7.2 --with "$LAB/qemu" | tail -n 1)
	# shellcheck disable=SC2034 # for machine.sh
	if [ "$QEMU_RELEASE" = debian12 ] && [ ${#options[@]} = 0 ]; then
		GUEST_QEMU=$QEMU
	else
		GUEST_QEMU=$("$TOP/qemu-patches/build" --release "$QEMU_RELEASE" \
			"${options[@]}" | tail -n 1)
	fi
}

# session_prepare PACKAGES HYV [QEMU]: make what a session boots from. All sessions of a
# run share everything except the root images, and QEMU as users have it, if QEMU is
# "full". An error ends the run.
session_prepare() {
	local packages=$1 hyv=$2 qemu=${3:-} kernel release host guest

	host=$(system_release "$HOST_SYSTEM")
	guest=$(system_release "$GUEST_SYSTEM")
	# shellcheck disable=SC2034,SC2086 # for machine.sh; a list of names
	HOST_ROOT=$("$LAB/images/root" "$host" $packages)
	# shellcheck disable=SC2034,SC2086
	GUEST_ROOT=$("$LAB/images/root" "$guest" $packages)
	if [ -z "$QEMU" ]; then
		session_qemu
		HOST_KERNEL=$("$LAB/images/kernel" "$(system_kernel "$HOST_SYSTEM")")
		GUEST_KERNEL=$("$LAB/images/kernel" "$(system_kernel "$GUEST_SYSTEM")")
		PROBE_KERNEL=$("$LAB/images/kernel" "$(system_kernel "$host")")
	fi
	if [ "$hyv" = 1 ] && [ ${#PROGRAMS[@]} = 0 ]; then
		for kernel in "$HOST_KERNEL" "$GUEST_KERNEL"; do
			release=$(<"$kernel/release")
			MODULES[$release]=$("$LAB/images/modules" "$kernel")
		done
		for release in "$host" "$guest"; do
			PROGRAMS[$release]=$("$LAB/images/programs" "$release")
		done
	fi
	FULL_QEMU=
	[ -z "$qemu" ] ||
		FULL_QEMU=$("$TOP/scripts/deb/qemu" --release "$host" --built)
}

# session_prepare_cases CASEDIR...: make what all sessions with these cases boot from
session_prepare_cases() {
	local i

	cases_add "$@"
	for i in "${!CASE_DIR[@]}"; do
		session_prepare "${CASE_PACKAGES[i]}" "${CASE_HYV[i]}" "${CASE_QEMU[i]}"
	done
}

# session_start HYV HOSTS: boot hosts
session_start() {
	local hosts=$2 release n name status=0 began

	SESSIONS=$((SESSIONS + 1))
	SESSION=$OUT/session-$SESSIONS
	mkdir -p "$SESSION"/share/{machine,modules,programs}
	if [ "$1" = 1 ]; then
		for release in "${!MODULES[@]}"; do
			cp -r "${MODULES[$release]}" "$SESSION/share/modules/$release"
		done
		for release in "${!PROGRAMS[@]}"; do
			tar -C "${PROGRAMS[$release]}" -cf "$SESSION/share/programs/$release.tar" .
		done
	fi
	[ -z "$FULL_QEMU" ] || cp -r "$FULL_QEMU" "$SESSION/share/qemu"
	session_turn
	began=$SECONDS
	accel_choose "$QEMU" "$PROBE_KERNEL"
	say "booting $([ "$hosts" = 1 ] && echo the host || echo "$hosts hosts")" \
		"($HOST_SYSTEM with $(<"$HOST_KERNEL/release")," \
		"guests $GUEST_SYSTEM with $(<"$GUEST_KERNEL/release"), $ACCEL)"
	for ((n = 1; n <= hosts; n++)); do
		machine_start "$n" "$hosts"
	done
	for ((n = 1; n <= hosts; n++)); do
		machine_wait "$n" ready $((300 * hosts * TIMEOUT_SCALE)) || status=$?
		[ $status = 0 ] || {
			name=$(machine_name "$n")
			tail -n 5 "$SESSION/$name.console" "$SESSION/$name.qemu.log" >&2 || true
			say "$name does not boot"
			break
		}
	done
	SPENT[boots]=$((SPENT[boots] + SECONDS - began))
	return $status
}

# session_turn: take the lock that only one session on this machine can hold.
# Several sessions would share its CPUs and exceed their time limits.
session_turn() {
	exec {TURN}>"$HYV_CACHE/.lock-lab"
	flock -n "$TURN" || {
		say "waiting for another lab on this machine"
		flock "$TURN"
	}
}

# session_shell OUTDIR: connect this terminal to the host's console
session_shell() {
	local modes='' status=0

	out_prepare "$1"
	say "logs go to $OUT"
	SHARES="hyv $TOP"
	# shellcheck disable=SC2034 # for machine.sh
	TERMINAL=1
	[ ! -t 0 ] || modes=$(stty -g)
	session_prepare "" "$HYV_ASKED"
	session_start "$HYV_ASKED" 1 || exit 1
	machine_order 1 shell "LAB_HYV=$HYV_ASKED lab-shell ${GUESTS_ASKED:-2}"
	machine_wait 1 "exit shell" 100000000 || status=$?
	[ -z "$modes" ] || stty "$modes"
	return $status
}

# session_end: stop the machines and keep only their logs
session_end() {
	machine_stop
	[ -z "$TURN" ] || exec {TURN}>&-
	TURN=
	[ -n "$SESSION" ] || return 0
	[ ! -d "$SESSION/share/machine" ] || mv "$SESSION/share/machine" "$SESSION/"
	rm -rf "$SESSION/share" "$SESSION"/*.{ctl,monitor}.{in,out} "$SESSION"/*.initrd \
		"$SESSION"/link?
	SESSION=
	SESSION_GROUP=
}

# case_wait ID SECONDS SHARE HOSTS: wait for the parts of a case on all hosts
case_wait() {
	local id=$1 end=$((SECONDS + $2)) share=$3 n status file REPLY=
	local -a waiting=()

	for ((n = 1; n <= $4; n++)); do
		waiting[n]=1
	done
	# poll each host, to notice if any of them dies
	while [ ${#waiting[@]} -gt 0 ]; do
		for n in "${!waiting[@]}"; do
			status=0
			file=$share/poison.$(machine_name "$n")
			if [ -e "$file" ]; then
				machine_poison "$n" "$(<"$file")"
				rm "$file"
			fi
			machine_wait "$n" "exit $id" 1 || status=$?
			[ $status != 2 ] || [ $SECONDS -ge $end ] || continue
			unset "waiting[$n]"
			case_ended "$n" $status "$REPLY" "$share" "$4"
		done
	done
}

# case_ended HOST STATUS REPLY SHARE HOSTS: handle the end of a host's part of a
# case; STATUS and REPLY are those of machine_wait
case_ended() {
	local n=$1 status=$2 reply=$3 share=$4 name guest

	name=$(machine_name "$n")
	[ "$status" != 2 ] || machine_interrogate "$n"
	[ "$name" != host ] || name="the host"
	case $status in
	1) echo "$name died" >>"$share/reasons" ;;
	2) echo "$name does not respond" >>"$share/reasons" ;;
	*)
		if [ "$reply" = 0 ]; then
			[ -e "$share/${name#the }.kmsg" ] ||
				echo "no kernel log of $name" >>"$share/reasons"
			return
		fi
		[ ! -s "$share/reasons" ] || return 0
		echo "lab-case ended with $reply on $name" >>"$share/reasons"
		;;
	esac
	# so that scripts on another host stop waiting for it
	echo "$name, gone" >"$share/failed"
	rm -f "$share/scripts/${name#the }"
	for ((guest = n; guest <= 9; guest += $5)); do
		rm -f "$share/scripts/guest$guest"
	done
}

# case_run I DIR: run a case in the current session, with results in DIR. The case
# failed if DIR/reasons is not empty.
case_run() {
	local i=$1 dir=$2 id="$1" share=$SESSION/share/case/$1 limit n file name
	local hosts=${CASE_HOSTS[$1]}
	local -a console=()

	mkdir -p "$share"/{kv,barrier,scripts,checks} "$dir"
	share_of "${CASE_DIR[i]}"
	# barriers wait for these scripts, on all machines
	for file in "${CASE_DIR[i]}"/{host,host2,guest[1-9]}.sh; do
		[ ! -e "$file" ] || : >"$share/scripts/$(basename "$file" .sh)"
	done
	{
		printf '%s' "${CASE_ENV[i]}"
		printf '%s=%q\n' CASE "$SHARED" TIMEOUT "${CASE_TIMEOUT[i]}" \
			GUESTS "${CASE_GUESTS[i]}"
	} >"$share/env"
	limit=$((CASE_TIMEOUT[i] + (CASE_GUESTS[i] * 300 + 300 * hosts) * TIMEOUT_SCALE))
	for ((n = 1; n <= hosts; n++)); do
		console[n]=$(stat -c %s "$SESSION/$(machine_name "$n").console")
		machine_order "$n" "$id" "lab-case $id"
	done
	case_wait "$id" "$limit" "$share" "$hosts"
	for ((n = 1; n <= hosts; n++)); do
		name=$(machine_name "$n")
		tail -c "+$((console[n] + 1))" "$SESSION/$name.console" >"$share/$name.console"
	done
	splat_scan "$share"/*.kmsg "$share"/*.console >>"$share/reasons" || true
	rm -rf "$share"/{env,scripts,kv,barrier,checks,failed} "$share"/{up,over}.*
	cp -a "$share/." "$dir/"
	rm -rf "$share"
}

# report I VERDICT SECONDS [REASON]
report() {
	printf '%s %-32s %4ss%s\n' "$2" "${CASE_NAME[$1]}" "$3" "${4:+  $4}"
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${CASE_NAME[$1]}" "$HOST_SYSTEM" \
		"$GUEST_SYSTEM" "$2" "$3" "${4:-}" >>"$OUT/results.tsv"
}

# failed_script DIR REASON: if the reason names a script, show the end of its log
failed_script() {
	local log=$1/${2%%.sh ended with*}.log

	if [ -e "$log" ]; then
		tail -n 15 "$log" | sed 's/^/    | /'
	fi
}

# case_verdict I DIR: run a case as case_run does, on new machines if need be
case_verdict() {
	local i=$1 dir=$2 began

	if [ "$SESSION_GROUP" != "${CASE_GROUP[i]}" ] || ! machines_alive; then
		session_end
		began=$SECONDS
		session_prepare "${CASE_PACKAGES[i]}" "${CASE_HYV[i]}" "${CASE_QEMU[i]}"
		SPENT[builds]=$((SPENT[builds] + SECONDS - began))
		if ! session_start "${CASE_HYV[i]}" "${CASE_HOSTS[i]}"; then
			mkdir -p "$dir"
			echo "the host does not boot" >"$dir/reasons"
			return
		fi
		SESSION_GROUP=${CASE_GROUP[i]}
	fi
	began=$SECONDS
	case_run "$i" "$dir"
	SPENT[cases]=$((SPENT[cases] + SECONDS - began))
}

# session_run_cases OUTDIR CASEDIR...: run cases; status 1 if any failed
session_run_cases() {
	local i dir began passed=0 failed=0 skipped=0 reason

	cases_add "${@:2}"
	out_prepare "$1"
	say "results go to $OUT"
	SHARES="hyv $TOP"
	for dir in "${CASE_DIR[@]}"; do
		share_of "$dir"
	done

	for i in $(case_order); do
		began=$SECONDS
		dir=$OUT
		[ ${#CASE_DIR[@]} = 1 ] || dir=$OUT/${CASE_NAME[i]}
		case_verdict "$i" "$dir"
		if [ -s "$dir/reasons" ]; then
			failed=$((failed + 1))
			reason=$(head -n 1 "$dir/reasons" | tr '\t' ' ')
			report "$i" FAIL $((SECONDS - began)) "$reason"
			failed_script "$dir" "$reason"
			session_end
		elif [ -s "$dir/skipped" ]; then
			skipped=$((skipped + 1))
			report "$i" SKIP $((SECONDS - began)) "$(head -n 1 "$dir/skipped")"
		else
			rm -f "$dir/reasons"
			passed=$((passed + 1))
			report "$i" PASS $((SECONDS - began))
		fi
	done
	session_end
	printf 'time: builds %ss, %s boots of hosts %ss, cases %ss\n' "${SPENT[builds]}" \
		"$SESSIONS" "${SPENT[boots]}" "${SPENT[cases]}"
	if [ $skipped = 0 ]; then
		printf '%s passed, %s failed\n' $passed $failed
	else
		printf '%s passed, %s failed, %s skipped\n' $passed $failed $skipped
	fi
	[ $failed = 0 ]
}
