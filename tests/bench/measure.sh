# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Latency and bandwidth as perftest measures them, for the scripts of a case that
# have read case.sh. The host and two guests do the same steps:
#   native  two processes on the host
#   hyv     from guest 1 to guest 2 through HyV
#   rxe     the same with rdma_rxe in the guests, over virtio-net and vhost-net
# What is measured goes to $OUT/COLUMN, a line "OP METRIC SIZE FIGURE" each.
#
# BENCH_OPS      send, write, read
# BENCH_LAT      bytes of a message whose latency is measured
# BENCH_BW       the same for bandwidth
# BENCH_COLUMNS  native hyv rxe
# BENCH_RUNS     how often all is measured; the best of these runs counts, in
#                every column alike
BENCH_SIZES="2 16 64 256 1024 4096 16384 65536 262144 1048576"
BENCH_OPS=${BENCH_OPS:-send write read}
BENCH_LAT=${BENCH_LAT:-$BENCH_SIZES}
BENCH_BW=${BENCH_BW:-$BENCH_SIZES}
BENCH_COLUMNS=${BENCH_COLUMNS:-native hyv rxe}
BENCH_RUNS=${BENCH_RUNS:-1}

# iterations COLUMN METRIC SIZE: a second or so for each measurement.
iterations() {
	local n bytes=$((1 << 25)) most=1000

	if [ "$1" = rxe ]; then
		bytes=$((1 << 23))
		most=300
	fi
	n=$((bytes / $3))
	[ $n -le $most ] || n=$most
	[ $n -ge 16 ] || n=16
	echo $n
}

# has_column COLUMN
has_column() {
	[[ " $BENCH_COLUMNS " == *" $1 "* ]]
}

# figure_of FILE METRIC: what a client's output says, or "none": perftest measures
# the rate of the processor's clock after each test, and has no figure ("inf",
# 0.00) when other work kept it from that, as often happens under emulation.
figure_of() {
	local field=4 figure

	[ "$2" = bw ] || field=5
	figure=$(awk -v field=$field \
		'/^ *#bytes/ { getline; print $field; exit }' "$1")
	[[ $figure =~ ^[0-9.]+$ && $figure =~ [1-9] ]] || figure=none
	echo "$figure"
}

# measure COLUMN HOW OP METRIC SIZE: one figure, by across or within (case.sh):
# the median in microseconds, or the average in MiB/s.
measure() {
	local column=$1 how=$2 op=$3 metric=$4 size=$5
	local name said figure try

	for ((try = 1; try <= 20; try++)); do
		name=$column-$op-$metric-$size-$RUN-$try
		"$how" "$name" "ib_${op}_$metric" -d "$IBDEV" -x "$GID_INDEX" -F -u 17 \
			-s "$size" -n "$(iterations "$column" "$metric" "$size")"
		# only the client knows the figures of all programs
		if [ "$how" = within ]; then
			said=$OUT/$name-$LAB_MACHINE.client
			figure=$(figure_of "$said" "$metric")
		elif [ -e "$OUT/$name.client" ]; then
			said=$OUT/$name.client
			figure=$(figure_of "$said" "$metric")
			put "$name-figure" "$figure"
		else
			said=
			figure=$(get "$name-figure")
		fi
		[ "$figure" = none ] || break
	done
	[ "$figure" != none ] || fail "no figure in $try attempts of $name"
	[ -z "$said" ] || echo "$op $metric $size $figure" | tee -a "$OUT/$column.runs"
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

# best COLUMN: of the figures of all runs, keep the lowest latency and the
# highest bandwidth.
best() {
	awk '{
		k = $1 " " $2 " " $3
		first = !(k in figure)
		if (first)
			order[++n] = k
		better = $2 == "lat" ? $4 < figure[k] : $4 > figure[k]
		if (first || better)
			figure[k] = $4 + 0
	}
	END {
		for (i = 1; i <= n; i++)
			print order[i], figure[order[i]]
	}' "$OUT/$1.runs" >"$OUT/$1"
}

# HyV and native in turn, so that both see the same moods of the machine.
in_turn() {
	[ "$LAB_MACHINE" = host ] || measure hyv across "$@"
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
	wait_for 10 eval 'rdma link show rxe0/1 | grep -q ACTIVE'
	IBDEV=rxe0
}

hyv_again() {
	rdma link delete rxe0
	modprobe -r rdma_rxe
	modprobe virtio_hyv
	IBDEV=hyv0
}

# bench: all steps of this machine. On the host, the columns are in $OUT then.
bench() {
	local column

	each_measurement in_turn
	if [ "$LAB_MACHINE" != host ] && has_column rxe; then
		rxe_instead
		# in both, before one of them looks for the other
		put "$LAB_MACHINE-rxe" yes
		get guest1-rxe >/dev/null
		get guest2-rxe >/dev/null
		each_measurement measure rxe across
		hyv_again
	fi
	[ "$LAB_MACHINE" != host ] || ! has_column native || best native
	for column in hyv rxe; do
		has_column $column || continue
		case $LAB_MACHINE in
		guest1)
			best $column
			put "figures-$column" "$(<"$OUT/$column")"
			;;
		host) get "figures-$column" >"$OUT/$column" ;;
		esac
	done
}
