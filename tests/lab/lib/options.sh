# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Cases and their options. Needs systems.sh. For case number i:
#   CASE_DIR[i], CASE_NAME[i]   its directory and its unique name
#   CASE_GROUP[i]               cases of one group can share machines
#   CASE_PACKAGES[i]            extra Debian packages
#   CASE_ENV[i]                 its lines in the file env, for bin/lab-case
#   CASE_QEMU[i]                "full" if it needs QEMU as users have it
#   CASE_HOSTS[i], CASE_GUESTS[i], CASE_TIMEOUT[i], CASE_HYV[i]

CASE_DIR=() CASE_NAME=() CASE_GROUP=() CASE_PACKAGES=() CASE_ENV=()
CASE_HOSTS=() CASE_GUESTS=() CASE_TIMEOUT=() CASE_HYV=() CASE_QEMU=()

# highest_guest DIR: print the highest N of its guestN.sh, 0 if there is none
highest_guest() {
	local file n highest=0

	for file in "$1"/guest[1-9].sh; do
		[ -e "$file" ] || continue
		n=${file##*/guest}
		highest=${n%.sh}
	done
	printf '%s\n' "$highest"
}

# case_add DIR: read a case; exits on an error in it
case_add() {
	local dir i=${#CASE_DIR[@]} name key value n env='' highest
	local fresh=0 hosts='' guests='' timeout='' hyv=1 packages=''
	local hca='' props='' qemu=''

	[ -d "$1" ] || die "no case directory '$1'"
	dir=$(readlink -f "$1")
	highest=$(highest_guest "$dir")
	[ -e "$dir/host.sh" ] || [ "$highest" -gt 0 ] ||
		die "$dir: has neither host.sh nor guestN.sh"

	if [ -e "$dir/options" ]; then
		while IFS='=' read -r key value; do
			case $key in
			'' | '#'*) ;;
			fresh) fresh=$value ;;
			hosts) hosts=$value ;;
			guests) guests=$value ;;
			host_only) [ "$value" = 0 ] || guests=0 ;;
			timeout) timeout=$value ;;
			hyv) hyv=$value ;;
			guest_ram | guest_cpus | guest_args | guest_memory | \
				fuzz_seed | fuzz_seconds | soak_rounds)
				env+=LAB_${key^^}=$(printf %q "$value")$'\n'
				;;
			hyv_props) props=$value ;;
			hca) hca=$value ;;
			qemu) qemu=$value ;;
			*) die "$dir/options: unknown option '$key'" ;;
			esac
		done <"$dir/options"
	fi
	for key in FUZZ_SEED FUZZ_SECONDS SOAK_ROUNDS; do
		[ -z "${!key:-}" ] || env+=LAB_$key=$(printf %q "${!key}")$'\n'
	done
	if [ -e "$dir/packages" ]; then
		packages=$(sed 's/#.*//' "$dir/packages" | tr -s ' \t' '\n' |
			sed '/^$/d' | sort -u | tr '\n' ' ')
	fi

	name=${dir##*/}
	n=2
	while [[ " ${CASE_NAME[*]} " == *" $name "* ]]; do
		name=${dir##*/}-$n
		n=$((n + 1))
	done
	[[ $name =~ ^[A-Za-z0-9._+-]+$ ]] || die "$dir: invalid character in the name"

	hca=${hca:-${HCA_ASKED:-rxe}}
	[[ $hca =~ ^(rxe|own)$ ]] || die "$dir/options: hca must be rxe or own"
	[[ $qemu =~ ^(full)?$ ]] || die "$dir/options: qemu must be full"
	env+=LAB_HCA=$hca$'\n'
	if [ "$hca" = own ]; then
		props=${props:-hca=rxe0}
		props=${props/hca=rxe0/hca=hyvs0}
	fi
	[ -z "$props" ] || env+=LAB_HYV_PROPS=$(printf %q "$props")$'\n'
	[ "$HYV_ASKED" = 1 ] || hyv=0
	hosts=${hosts:-${HOSTS_ASKED:-1}}
	[[ $hosts =~ ^[12]$ ]] || die "$dir/options: hosts must be 1 or 2"
	[ ! -e "$dir/host2.sh" ] || [ "$hosts" = 2 ] ||
		die "$dir: host2.sh needs hosts=2"
	guests=${guests:-${GUESTS_ASKED:-$highest}}
	timeout=${TIMEOUT_ASKED:-$((${timeout:-300} * TIMEOUT_SCALE))}
	[ "$highest" -le "$guests" ] ||
		die "$dir: guest$highest.sh needs more than $guests guests"

	CASE_DIR[i]=$dir
	CASE_NAME[i]=$name
	CASE_GROUP[i]="packages=$packages hyv=$hyv hosts=$hosts hca=$hca qemu=$qemu"
	[ "$fresh" = 0 ] || CASE_GROUP[i]+=" fresh=$i"
	CASE_PACKAGES[i]=$packages
	CASE_ENV[i]=${env}LAB_HYV=$hyv$'\n'
	CASE_HOSTS[i]=$hosts
	CASE_GUESTS[i]=$guests
	CASE_TIMEOUT[i]=$timeout
	CASE_HYV[i]=$hyv
	CASE_QEMU[i]=$qemu
}

# cases_add DIR...
cases_add() {
	local dir

	for dir; do
		case_add "$dir"
	done
}

# case_order: print the numbers of all cases in an order in which few guests boot: sorted by
# group, then by what lab-case compares, then by guests, most first
case_order() {
	local i config

	for i in "${!CASE_DIR[@]}"; do
		config=$(grep -E '^LAB_(GUEST|HYV)' <<<"${CASE_ENV[i]}" | tr '\n\t' '  ')
		printf '%s\t%s\t%s\t%s\n' "${CASE_GROUP[i]}" "$config" "${CASE_GUESTS[i]}" "$i"
	done | sort -s -t $'\t' -k1,1 -k2,2 -k3,3nr | cut -f4
}
