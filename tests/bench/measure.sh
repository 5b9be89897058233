# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Latency and bandwidth as perftest measures them, for the scripts of a case that
# have sourced case.sh. The host and two guests do the same steps with the case's HCA:
#   native  two processes on the host
#   guests  from guest 1 to guest 2 through HyV
#   inside  the same with rdma_rxe in the guests, over virtio-net and vhost-net
# The figures go to $OUT/HCA-COLUMN, a line "OP METRIC SIZE MEDIAN LEAST MOST" each, of
# all runs.
#
# BENCH_OPS      send, write, read
# BENCH_LAT      message sizes in bytes for latency
# BENCH_BW       message sizes in bytes for bandwidth
# BENCH_COLUMNS  native guests inside; the last one only with rdma_rxe as HCA
# BENCH_RUNS     number of runs, an odd one
BENCH_OPS=${BENCH_OPS:-send write read}
BENCH_LAT=${BENCH_LAT:-2 64 1024 4096 65536}
BENCH_BW=${BENCH_BW:-64 1024 4096 65536 262144 1048576}
if [ -z "${BENCH_COLUMNS:-}" ]; then
	BENCH_COLUMNS="native guests"
	[ "$LAB_HCA" = own ] || BENCH_COLUMNS+=" inside"
fi
for column in $BENCH_COLUMNS; do
	[[ $column == @(native|guests|inside) ]] || fail "unknown column '$column'"
done
BENCH_RUNS=${BENCH_RUNS:-3}

# iterations COLUMN METRIC SIZE: as many as take about a second.
iterations() {
	local n bytes=$((1 << 25)) most=1000

	case $LAB_HCA-$1 in
	rxe-inside) bytes=$((1 << 23)) most=300 ;;
	own-*) bytes=$((1 << 28)) most=10000 ;;
	esac
	n=$((bytes / $3))
	[ $n -le $most ] || n=$most
	[ $n -ge 16 ] || n=16
	echo $n
}

# has_column COLUMN
has_column() {
	[[ " $BENCH_COLUMNS " == *" $1 "* ]]
}

# figure_of FILE METRIC SIZE: the figure in a client's output, or "none": perftest
# measures the CPU's clock rate after each test, and prints "inf" or 0.00 if other
# work disturbs that, as often happens under emulation. Of a bandwidth below 1 MiB/s
# perftest prints too few digits; its message rate has more.
figure_of() {
	awk -v metric="$2" -v size="$3" '
	/^ *#bytes/ {
		getline
		figure = metric == "bw" ? $4 : $5
		if (metric == "bw" && figure < 1)
			figure = sprintf("%.4f", $5 * 1000000 * size / 1048576)
		if (figure ~ /^[0-9.]+$/ && figure + 0 > 0)
			found = figure
		exit
	}
	END { print found ? found : "none" }' "$1"
}

# measure COLUMN HOW OP METRIC SIZE: one figure, by across or within (case.sh):
# the median in microseconds, or the average in MiB/s.
measure() {
	local column=$1 how=$2 op=$3 metric=$4 size=$5
	local name output figure try

	for ((try = 1; try <= 20; try++)); do
		name=$column-$op-$metric-$size-$RUN-$try
		"$how" "$name" "ib_${op}_$metric" -d "$IBDEV" -x "$GID_INDEX" -F -u 17 \
			-s "$size" -n "$(iterations "$column" "$metric" "$size")"
		# with some programs only the client prints figures
		if [ "$how" = within ]; then
			output=$OUT/$name-$LAB_MACHINE.client
			figure=$(figure_of "$output" "$metric" "$size")
		elif [ -e "$OUT/$name.client" ]; then
			output=$OUT/$name.client
			figure=$(figure_of "$output" "$metric" "$size")
			put "$name-figure" "$figure"
		else
			output=
			figure=$(get "$name-figure")
		fi
		[ "$figure" = none ] || break
	done
	[ "$figure" != none ] || fail "no figure in $try attempts of $name"
	[ -z "$output" ] || echo "$op $metric $size $figure" | tee -a "$OUT/$LAB_HCA-$column.runs"
}

# each_measurement COMMAND...: with OP METRIC SIZE added, in every run.
each_measurement() {
	local op size

	gid_index
	for ((RUN = 1; RUN <= BENCH_RUNS; RUN++)); do
		for op in $BENCH_OPS; do
			for size in $BENCH_LAT; do
				"$@" "$op" lat "$size"
			done
			for size in $BENCH_BW; do
				"$@" "$op" bw "$size"
			done
		done
	done
}

# summary COLUMN: of the figures of all runs, keep the median and both ends.
summary() {
	sort -s -k1,3 -k4,4g "$OUT/$LAB_HCA-$1.runs" | awk '
	function flush() {
		if (n)
			print key, figure[int((n + 1) / 2)], figure[1], figure[n]
		n = 0
	}
	{
		if (key != $1 " " $2 " " $3)
			flush()
		key = $1 " " $2 " " $3
		figure[++n] = $4 + 0
	}
	END { flush() }' | sort -k1,1 -k2,2 -k3,3n >"$OUT/$LAB_HCA-$1"
}

# Native and between guests in turn, so that changes in the machine's load affect both.
in_turn() {
	[ "$LAB_MACHINE" = host ] || measure guests across "$@"
	barrier guests
	[ "$LAB_MACHINE" != host ] || ! has_column native ||
		measure native within "$@"
	barrier host
}

# rxe_instead: rdma_rxe in place of HyV's driver.
rxe_instead() {
	modprobe -r virtio_hyv
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev eth0
	# its messages in the guest have nothing to do with HyV
	KLOG_HARMLESS+=('^rdma_rxe: ' '(^| )rxe0: ')
	wait_for 60 eval 'rdma link show rxe0/1 | grep ACTIVE >/dev/null'
	IBDEV=rxe0
}

hyv_again() {
	rdma link delete rxe0
	modprobe -r rdma_rxe
	modprobe virtio_hyv
	IBDEV=hyv0
}

# bench: all steps of this machine. On the host, the columns are in $OUT after it.
bench() {
	local column

	each_measurement in_turn
	if [ "$LAB_MACHINE" != host ] && has_column inside; then
		rxe_instead
		# in both guests before one connects to the other
		put "$LAB_MACHINE-rxe" yes
		get guest1-rxe >/dev/null
		get guest2-rxe >/dev/null
		each_measurement measure inside across
		hyv_again
	fi
	[ "$LAB_MACHINE" != host ] || ! has_column native || summary native
	for column in guests inside; do
		has_column $column || continue
		case $LAB_MACHINE in
		guest1)
			summary $column
			put "figures-$column" "$(<"$OUT/$LAB_HCA-$column")"
			;;
		host) get "figures-$column" >"$OUT/$LAB_HCA-$column" ;;
		esac
	done
}
