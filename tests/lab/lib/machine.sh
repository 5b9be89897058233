# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The hosts of the lab: a QEMU process for each, and the channels to the agents in
# them. Hosts are numbered from 1. Needs cache.sh, systems.sh and LAB, the lab's
# directory.
#
# SESSION   directory of the running machines; share/ is /lab in all of them
# ACCEL     tcg or kvm
# QEMU, GUEST_QEMU                 of the hosts, and of their guests
# HOST_SYSTEM, GUEST_SYSTEM        names of the systems
# HOST_ROOT, GUEST_ROOT            their root images
# HOST_KERNEL, GUEST_KERNEL        directories of their kernels
# SHARES    lines "TAG PATH" of directories for all machines, read-only
# TERMINAL  if set, standard input and output are a console of host 1

HOST_PID=() HOST_FROM=() HOST_TO=() HOST_LINE=() MONITOR_FROM=() MONITOR_TO=()
TERMINAL=

# machine_kernel_args: print the kernel command line of all machines. Watchdogs
# have long timeouts, since other work can keep a machine from running.
machine_kernel_args() {
	local args="console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr"

	args+=" random.trust_cpu=on cryptomgr.notests log_buf_len=1M"
	args+=" printk.devkmsg=on watchdog_thresh=$((30 * TIMEOUT_SCALE))"
	# TCG translates code for each virtual address that it is executed at. With
	# random library addresses, translation takes half of the time, and a later
	# write to such a page takes minutes, because it drops all translations.
	args+=" norandmaps"
	# no search for old buses and AGP bridges: each of its thousands of reads
	# makes a guest exit to its host
	args+=" pci=noearly,lastbus=0"
	# saves writing to each page once more
	args+=" init_on_alloc=0"
	args+=" rcupdate.rcu_cpu_stall_timeout=$((60 * TIMEOUT_SCALE))"
	args+=" sysctl.kernel.hung_task_timeout_secs=$((120 * TIMEOUT_SCALE))"
	# for machine_interrogate
	args+=" unknown_nmi_panic panic_print=0x41"
	printf '%s\n' "$args"
}

# machine_name HOST: print the name of a host
machine_name() {
	[ "$1" = 1 ] && echo host || echo "host$1"
}

# machine_initrd KERNELDIR OUT [FILE]...: make the initrd of a machine from the
# kernel's initrd, the lab's current programs and files for /run/lab
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

# machine_export TAG PATH [OPTION]: set EXPORT to QEMU's arguments for a 9p export
machine_export() {
	EXPORT=(-fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap${3:+,$3}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# machine_link HOST: set LINK to QEMU's arguments for the network of two hosts
machine_link() {
	LINK=(-netdev "dgram,id=link,local.type=unix,local.path=$SESSION/link$1,remote.type=unix,remote.path=$SESSION/link$((3 - $1))"
		-device "virtio-net-pci,netdev=link,romfile=,host_mtu=9000,mac=52:54:00:78:00:0$1")
}

# machine_start HOST HOSTS: start one of HOSTS hosts, without waiting
machine_start() {
	local n=$1 hosts=$2
	local tag path tags='' cpu=host name
	local -a args exports disks=() EXPORT LINK=()
	local cpus=$(($(nproc) < 2 ? 2 : $(nproc) > 4 ? 4 : $(nproc)))
	local disk disk_nr=0 from to

	name=$(machine_name "$n")
	if [ "$ACCEL" = tcg ]; then
		# the sizes of its extended register states confuse kernels
		cpu=max,la57=off,xsave=off,pku=off
		# it emulates these byte by byte, or bit by bit
		cpu+=,erms=off,fsrm=off,pclmulqdq=off
	fi
	mkdir -p "$SESSION/share/case"
	if [ ! -e "$SESSION/host.initrd" ]; then
		machine_initrd "$GUEST_KERNEL" "$SESSION/guest.initrd"
		machine_initrd "$HOST_KERNEL" "$SESSION/host.initrd" "$SESSION/guest.initrd" \
			"${GUEST_QEMU%/qemu-system-x86_64}" \
			"${GUEST_QEMU%/bin/*}/share"
	fi
	mkfifo "$SESSION/$name".{ctl,monitor}.{in,out}
	[ "$hosts" = 1 ] || machine_link "$n"

	machine_export lab "$SESSION/share"
	exports=("${EXPORT[@]}")
	while read -r tag path; do
		machine_export "$tag" "$path" readonly=on
		exports+=("${EXPORT[@]}")
		[ "$tag" = hyv ] || tags+=,$tag
	done <<<"$SHARES"
	# vda and vdb are the machine's own, vdc and vdd become those of its guests
	for disk in "$HOST_ROOT" "$HOST_KERNEL/modules.img" "$GUEST_ROOT" \
		"$GUEST_KERNEL/modules.img"; do
		disks+=(-drive "if=none,id=disk$disk_nr,file=${disk//,/,,},format=raw,readonly=on"
			-device "virtio-blk-pci,drive=disk$disk_nr")
		disk_nr=$((disk_nr + 1))
	done
	# shellcheck disable=SC2054 # the commas are QEMU's
	args=(
		-L "${QEMU%/bin/*}/share" -nodefaults -no-user-config -display none
		-no-reboot -name "$name"
		-machine "q35,usb=off,vmport=off,hpet=off,smbus=off"
		-cpu "$cpu" -smp "$cpus" -m "${LAB_HOST_RAM:-$HOST_RAM}"
		-kernel "$HOST_KERNEL/boot/vmlinux" -initrd "$SESSION/host.initrd"
		-append "$(machine_kernel_args) LAB_MACHINE=$name LAB_SYSTEM=$HOST_SYSTEM LAB_GUEST_SYSTEM=$GUEST_SYSTEM LAB_HOST=$n LAB_HOSTS=$hosts LAB_ACCEL=$ACCEL LAB_SHARES=${tags#,} LAB_TIMEOUT_SCALE=$TIMEOUT_SCALE LAB_RAM=$GUEST_RAM"
		-serial "file:$SESSION/$name.console"
		"${disks[@]}" "${exports[@]}"
		-device virtio-serial-pci,max_ports=2
		-chardev "pipe,id=ctl,path=$SESSION/$name.ctl"
		-device virtserialport,chardev=ctl,name=lab.ctl
		-chardev "pipe,id=monitor,path=$SESSION/$name.monitor" -mon monitor
		-device virtio-rng-pci "${LINK[@]}"
	)
	case $ACCEL in
	tcg)
		# a kick through an eventfd is slower than the device's work
		args+=(-accel "tcg,thread=multi,tb-size=1024" -global virtio-pci.ioeventfd=off)
		;;
	kvm) args+=(-accel kvm) ;;
	esac
	exec {from}</dev/null {to}>"$SESSION/$name.qemu.log"
	if [ -n "$TERMINAL" ] && [ "$n" = 1 ]; then
		args+=(-chardev "stdio,id=tty,signal=off" -device "virtconsole,chardev=tty")
		exec {from}<&0 {to}>&1
	fi
	setpriv --pdeathsig KILL "$QEMU" "${args[@]}" <&"$from" >&"$to" 2>"$SESSION/$name.qemu.log" {TURN}>&- &
	HOST_PID[n]=$!
	exec {from}<&- {to}>&-
	exec {from}<>"$SESSION/$name.ctl.out" {to}<>"$SESSION/$name.ctl.in"
	HOST_FROM[n]=$from HOST_TO[n]=$to
	exec {from}<>"$SESSION/$name.monitor.out" {to}<>"$SESSION/$name.monitor.in"
	MONITOR_FROM[n]=$from MONITOR_TO[n]=$to
}

# machine_alive HOST
machine_alive() {
	kill -0 "${HOST_PID[$1]}" 2>/dev/null
}

# machines_alive: succeed if there are hosts and all of them run
machines_alive() {
	local n

	[ ${#HOST_PID[@]} -gt 0 ] || return 1
	for n in "${!HOST_PID[@]}"; do
		machine_alive "$n" || return 1
	done
}

# machine_wait HOST WORDS SECONDS: wait for a line from the agent that begins with
# WORDS and set REPLY to the rest. Status 1: the machine died, 2: timeout.
machine_wait() {
	local end=$((SECONDS + $3)) line part

	while :; do
		part=
		if read -r -t 1 part <&"${HOST_FROM[$1]}"; then
			line=${HOST_LINE[$1]:-}$part
			HOST_LINE[$1]=
			case $line in
			"$2"*)
				REPLY=${line#"$2"}
				REPLY=${REPLY# }
				return 0
				;;
			esac
			continue
		fi
		# read may time out within a line
		HOST_LINE[$1]+=$part
		if ! machine_alive "$1"; then
			return 1
		elif [ $SECONDS -ge $end ]; then
			return 2
		fi
	done
}

# machine_order HOST ID COMMAND: start a command on a host, without waiting. Then
# machine_wait HOST "exit ID" SECONDS waits for it and sets REPLY to its status.
machine_order() {
	printf '%s %s\n' "$2" "$3" >&"${HOST_TO[$1]}"
}

# machine_poison HOST ADDRESS: report an error in the memory at this physical address, which
# nobody has met so far, to the machine's kernel, as the hardware of AMD does
machine_poison() {
	local bits=0 bit

	# MCI_STATUS_VAL, _ADDRV and _DEFERRED. Bank 4, that of the northbridge, with the
	# extended code 8 is about memory, which newer kernels look at.
	for bit in 63 58 44; do
		bits=$((bits | 1 << bit))
	done
	printf 'mce 0 4 0x%x 0 %s 0\n' $((bits | 8 << 16 | 0x11f)) "$2" >&"${MONITOR_TO[$1]}"
}

# machine_interrogate HOST: make a kernel that does not respond panic, so that it
# prints the stacks of its CPUs and processes on its console. QEMU's view of the
# registers goes to NAME.monitor.log.
machine_interrogate() {
	local log

	log=$SESSION/$(machine_name "$1").monitor.log
	printf '%s\n' 'info registers -a' 'info chardev' nmi >&"${MONITOR_TO[$1]}"
	timeout 30 cat <&"${MONITOR_FROM[$1]}" >"$log" || true
}

# machine_stop: kill all hosts
machine_stop() {
	local n fd

	for n in "${!HOST_PID[@]}"; do
		kill -KILL "${HOST_PID[n]}" 2>/dev/null || true
		wait "${HOST_PID[n]}" 2>/dev/null || true
		for fd in "${HOST_FROM[n]}" "${HOST_TO[n]}" "${MONITOR_FROM[n]}" \
			"${MONITOR_TO[n]}"; do
			exec {fd}>&-
		done
	done
	HOST_PID=() HOST_LINE=()
}
