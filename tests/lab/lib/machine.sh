# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The host machine of the lab: one QEMU process on this machine, and the
# channel to the agent in it. Needs cache.sh and LAB, the lab's directory.
#
# SESSION   directory of the running machine: share/ is /lab in all machines
# ACCEL     tcg or kvm
# TERMINAL  if set, a console of the host is on standard input and output

# For all machines. The watchdogs must not bark at machines which other work keeps
# from running for a while.
KERNEL_ARGS="console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr"
KERNEL_ARGS+=" random.trust_cpu=on cryptomgr.notests log_buf_len=1M"
KERNEL_ARGS+=" printk.devkmsg=on"
KERNEL_ARGS+=" watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"
# What a machine that does not answer has to say: see machine_interrogate.
KERNEL_ARGS+=" unknown_nmi_panic panic_print=0x41"
HOST_PID=
TERMINAL=

# machine_initrd KERNELDIR OUT [FILE]...: the initrd of a machine: the kernel's
# own part, the lab's programs as they are now, and files for /run/lab.
machine_initrd() {
	local tree

	tree=$(mktemp -d "$2-XXXXXX")
	mkdir "$tree"/lab-{bin,run}
	install -m 755 "$LAB/boot/init" "$tree/init"
	install -m 755 "$LAB"/bin/* "$tree/lab-bin/"
	[ $# -eq 2 ] || cp -r "${@:3}" "$tree/lab-run/"
	{
		cat "$1/boot/initrd"
		(cd "$tree" && find . | cpio --quiet -o -H newc)
	} >"$2"
	rm -rf "$tree"
}

# machine_export TAG PATH [OPTION]: QEMU arguments for a 9p export, in EXPORT.
machine_export() {
	EXPORT=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap${3:+,$3}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# machine_start QEMU ROOTIMG HOSTKERNEL GUESTKERNEL SHARES: boot the host. The
# shares are lines "TAG PATH", exported read-only. Does not wait.
machine_start() {
	local qemu=$1 root=$2 host=$3 guest=$4 shares=$5 tag path tags='' cpu=max,la57=off,xsave=off,pku=off
	local -a args exports disks=() EXPORT
	local cpus=$(($(nproc) < 2 ? 2 : $(nproc) > 4 ? 4 : $(nproc)))
	local disk n=0 from to

	# TCG's extended register states have sizes that kernels stumble over
	[ "$ACCEL" = tcg ] || cpu=host
	mkdir -p "$SESSION/share/case"
	machine_initrd "$guest" "$SESSION/guest.initrd"
	machine_initrd "$host" "$SESSION/host.initrd" "$SESSION/guest.initrd" \
		"${qemu%/qemu-system-x86_64}" "${qemu%/bin/*}/share"
	mkfifo "$SESSION"/{ctl,monitor}.{in,out}

	machine_export lab "$SESSION/share"
	exports=("${EXPORT[@]}")
	while read -r tag path; do
		machine_export "$tag" "$path" readonly=on
		exports+=("${EXPORT[@]}")
		[ "$tag" = hyv ] || tags+=,$tag
	done <<<"$shares"
	for disk in "$root" "$host/modules.img" "$guest/modules.img"; do
		disks+=(-drive "if=none,id=disk$n,file=${disk//,/,,},format=raw,readonly=on"
			-device "virtio-blk-pci,drive=disk$n")
		n=$((n + 1))
	done
	# shellcheck disable=SC2054 # the commas are QEMU's
	args=(
		-L "${qemu%/bin/*}/share" -nodefaults -no-user-config -display none
		-no-reboot -name host
		-machine "q35,usb=off,vmport=off,hpet=off,smbus=off"
		-cpu "$cpu" -smp "$cpus" -m "${LAB_HOST_RAM:-8G}"
		-kernel "$host/boot/vmlinux" -initrd "$SESSION/host.initrd"
		-append "$KERNEL_ARGS LAB_MACHINE=host LAB_ACCEL=$ACCEL LAB_SHARES=${tags#,}"
		-serial "file:$SESSION/console"
		"${disks[@]}" "${exports[@]}"
		-device virtio-serial-pci
		-chardev "pipe,id=ctl,path=$SESSION/ctl"
		-device virtserialport,chardev=ctl,name=lab.ctl
		-chardev "pipe,id=monitor,path=$SESSION/monitor" -mon monitor
		-device virtio-rng-pci
	)
	case $ACCEL in
	tcg) args+=(-accel "tcg,thread=multi,tb-size=1024") ;;
	kvm) args+=(-accel kvm) ;;
	esac
	exec {from}</dev/null {to}>"$SESSION/qemu.log"
	if [ -n "$TERMINAL" ]; then
		args+=(-chardev "stdio,id=tty,signal=off" -device "virtconsole,chardev=tty")
		exec {from}<&0 {to}>&1
	fi
	setpriv --pdeathsig KILL "$qemu" "${args[@]}" <&"$from" >&"$to" 2>"$SESSION/qemu.log" {TURN}>&- &
	HOST_PID=$!
	exec {from}<&- {to}>&-
	exec {HOST_FROM}<>"$SESSION/ctl.out" {HOST_TO}<>"$SESSION/ctl.in"
	exec {MONITOR_FROM}<>"$SESSION/monitor.out" {MONITOR_TO}<>"$SESSION/monitor.in"
}

machine_alive() {
	[ -n "$HOST_PID" ] && kill -0 "$HOST_PID" 2>/dev/null
}

# machine_wait WORDS SECONDS: wait for a line that begins so from the agent;
# what follows is in REPLY. Status 1: it died, 2: time ran out.
machine_wait() {
	local end=$((SECONDS + $2)) line='' part

	while :; do
		part=
		if read -r -t 1 part <&"$HOST_FROM"; then
			line+=$part
			case $line in
			"$1"*)
				REPLY=${line#"$1"}
				REPLY=${REPLY# }
				return 0
				;;
			esac
			line=
		elif ! machine_alive; then
			return 1
		elif [ $SECONDS -ge $end ]; then
			return 2
		else
			# the time of one look may end within a line
			line+=$part
		fi
	done
}

# machine_run ID SECONDS COMMAND: run a command on the host, its status is in
# REPLY. Status 1: the host died, 2: time ran out.
machine_run() {
	printf '%s %s\n' "$1" "$3" >&"$HOST_TO"
	machine_wait "exit $1" "$2"
}

# machine_interrogate: a machine that does not answer can still tell where its
# processors and processes are: make its kernel panic, which prints that on its
# console. What its QEMU knows goes to monitor.log.
machine_interrogate() {
	printf '%s\n' 'info registers -a' 'info chardev' nmi >&"$MONITOR_TO"
	timeout 30 cat <&"$MONITOR_FROM" >"$SESSION/monitor.log" || true
}

# machine_stop: end it; it has nothing that wants saving.
machine_stop() {
	[ -n "$HOST_PID" ] || return 0
	kill -KILL "$HOST_PID" 2>/dev/null || true
	wait "$HOST_PID" 2>/dev/null || true
	HOST_PID=
	exec {HOST_FROM}>&- {HOST_TO}>&- {MONITOR_FROM}>&- {MONITOR_TO}>&-
}
