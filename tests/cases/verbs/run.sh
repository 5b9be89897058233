# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Run the suites, whose lines go to $OUT/verbs. Most of them take time because they wait for
# what must not happen, so some run at once, on both machines.

# Its receivers get what is sent to the group on any machine.
SHARED=mcast

# most_suites: those that other machines do not disturb.
most_suites() {
	verbs -l | grep -vx $SHARED | xargs -P 4 -n 1 verbs >>"$OUT/verbs" 2>>"$OUT/messages"
}

# shared_suite: the other one, when no other machine runs it.
shared_suite() {
	verbs $SHARED >>"$OUT/verbs" 2>>"$OUT/messages"
}
