# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Latency and bandwidth as perftest measures them, and the time that memory regions and
# queue pairs take, for the scripts of a case that have sourced case.sh. The host and two
# guests do the same steps with the case's HCA:
#   native  two processes on the host
#   guests  from guest 1 to guest 2 through HyV
#   inside  the same with rdma_rxe in the guests, over virtio-net and vhost-net
# For memory regions and queue pairs, guest 1 is enough.
# The figures go to $OUT/HCA-COLUMN, a line "OP METRIC SIZE MEDIAN LEAST MOST" each, of
# all runs.
#
# BENCH_OPS      send, write, read
# BENCH_LAT      message sizes in bytes for latency
# BENCH_BW       message sizes in bytes for bandwidth
# BENCH_QPS      numbers of queue pairs for bandwidth of writes of 4 KiB
# BENCH_MR       sizes in bytes of memory regions, for their time
# BENCH_QP       numbers of queue pairs, for their time
# BENCH_COLUMNS  native guests inside; the last one only with rdma_rxe as HCA
# BENCH_RUNS     number of runs, an odd one
BENCH_OPS=${BENCH_OPS:-send write read}
BENCH_LAT=${BENCH_LAT:-2 64 1024 4096 65536}
BENCH_BW=${BENCH_BW:-64 1024 4096 65536 262144 1048576}
BENCH_QPS=${BENCH_QPS:-1 16 128}
BENCH_MR=${BENCH_MR:-4096 2097152 268435456}
BENCH_QP=${BENCH_QP:-1 16 128}
if [ -z "${BENCH_COLUMNS:-}" ]; then
	BENCH_COLUMNS="native guests"
	[ "$LAB_HCA" = own ] || BENCH_COLUMNS+=" inside"
fi
for column in $BENCH_COLUMNS; do
	[[ $column == @(native|guests|inside) ]] || fail "unknown column '$column'"
done
BENCH_RUNS=${BENCH_RUNS:-3}

# iterations COLUMN SIZE QPS: as many messages of each of the QPs as take about a second.
iterations() {
	local n bytes=$((1 << 25)) most=1000

	case $LAB_HCA-$1 in
	rxe-inside) bytes=$((1 << 23)) most=300 ;;
	own-*) bytes=$((1 << 28)) most=10000 ;;
	esac
	n=$((bytes / $2))
	[ $n -le $most ] || n=$most
	n=$((n / $3))
	[ $n -ge 16 ] || n=16
	echo $n
}

# has_column COLUMN
has_column() {
	[[ " $BENCH_COLUMNS " == *" $1 "* ]]
}

# figure_of FILE PROGRAM SIZE: the figure in a client's output, or "none": perftest
# measures the CPU's clock rate after each test, and prints "inf" or 0.00 if other
# work disturbs that, as often happens under emulation. Of a bandwidth below 1 MiB/s
# perftest prints too few digits; its message rate has more.
figure_of() {
	awk -v program="$2" -v size="$3" '
	BEGIN { bandwidth = program ~ /_bw$/ }
	/^ *#bytes/ {
		getline
		figure = bandwidth ? $4 : $5
		if (bandwidth && figure < 1)
			figure = sprintf("%.4f", $5 * 1000000 * size / 1048576)
		if (figure ~ /^[0-9.]+$/ && figure + 0 > 0)
			found = figure
		exit
	}
	END { print found ? found : "none" }' "$1"
}

# measure_time COLUMN OP SIZE: one figure, in microseconds. Guest 2 waits: it must not run
# when guest 1 measures.
measure_time() {
	local figure name=$1-$2-time-$3-$RUN

	if [ "$LAB_MACHINE" = guest2 ]; then
		get "$name" >/dev/null
		return
	fi
	figure=$(cost "$2" "$3")
	echo "$2 time $3 $figure" | tee -a "$OUT/$LAB_HCA-$1.runs"
	put "$name" measured
}

# measure COLUMN HOW OP METRIC SIZE: one figure, by across or within (case.sh):
# the median in microseconds, or the average in MiB/s.
measure() {
	local column=$1 how=$2 op=$3 metric=$4 size=$5
	local program="ib_${op}_$metric" bytes=$size qps=1 name output figure try

	case $metric in
	time)
		measure_time "$column" "$op" "$size"
		return
		;;
	qps)
		program=ib_${op}_bw bytes=4096 qps=$size
		set -- "${@:1:5}" -q "$qps"
		;;
	esac
	for ((try = 1; try <= 20; try++)); do
		name=$column-$op-$metric-$size-$RUN-$try
		"$how" "$name" "$program" -d "$IBDEV" -x "$GID_INDEX" -F -u 17 -s "$bytes" \
			"${@:6}" -n "$(iterations "$column" "$bytes" "$qps")"
		# with some programs only the client prints figures
		if [ "$how" = within ]; then
			output=$OUT/$name-$LAB_MACHINE.client
			figure=$(figure_of "$output" "$program" "$bytes")
		elif [ -e "$OUT/$name.client" ]; then
			output=$OUT/$name.client
			figure=$(figure_of "$output" "$program" "$bytes")
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
		for size in $BENCH_MR; do
			"$@" register time "$size"
		done
		for size in $BENCH_QP; do
			"$@" qp time "$size"
		done
		for op in $BENCH_OPS; do
			for size in $BENCH_LAT; do
				"$@" "$op" lat "$size"
			done
			for size in $BENCH_BW; do
				"$@" "$op" bw "$size"
			done
		done
		for size in $BENCH_QPS; do
			"$@" write qps "$size"
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
