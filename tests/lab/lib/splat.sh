# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Beginnings of words in a kernel log that are signs of a kernel bug.

SPLATS=(
	'BUG: ' 'WARNING: ' 'Oops' 'kernel BUG at ' 'Kernel panic'
	'general protection fault' '[Uu]nable to handle' 'KASAN: ' 'KFENCE: '
	'UBSAN: ' 'double fault' 'stack segment:' 'divide error:' 'invalid opcode:'
	'refcount_t: ' 'list_add corruption' 'list_del corruption'
	'possible circular locking' 'possible recursive locking'
	'inconsistent lock state' 'suspicious RCU usage' 'bad unlock balance'
	'trying to register non-static key' 'lockdep is turned off'
	'turning off the locking correctness validator' 'ODEBUG: '
	'kmemleak: .* unknown object' 'kmemleak: Found object' 'kmemleak: Cannot insert'
	'kmemleak: Cannot allocate a kmemleak_object' 'kmemleak: .* disabled'
	'sleeping function called from invalid context' 'scheduling while atomic'
	'detected stall' 'detected expedited stall' 'self-detected stall'
	'rcu_preempt kthread'
	'soft lockup' 'hard LOCKUP' 'blocked for more than' 'nobody cared'
	'BUG [^ ]* (' 'Bad page state' 'Bad rss-counter' 'nonzero pgtables_bytes'
	'Out of memory: ' 'page allocation failure' 'kmem_cache_destroy'
	'Objects remaining' 'unregister_netdevice: waiting' 'cut here'
)

# The line of kmemleak that says no more than the case's list of known leaks
SPLAT_LEAKS='kmemleak: [0-9]* new suspected'

# splat_scan FILE...: print the first such line in each file, as "NAME: LINE";
# status 0 if there is none. Ignores missing files.
splat_scan() {
	local file line status=0
	local -a signs

	for file; do
		[ -e "$file" ] || continue
		signs=("${SPLATS[@]}")
		[ -e "${file%.*}.known-leaks" ] || signs+=("$SPLAT_LEAKS")
		line=$(printf '\\<%s\n' "${signs[@]}" |
			grep -a -m 1 -f - "$file") || continue
		printf '%s: %s\n' "${file##*/}" "$line"
		status=1
	done
	return $status
}
