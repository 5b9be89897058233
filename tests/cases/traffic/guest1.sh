#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Something of everything that cases pingpong and perftest do, for the pairs of
# kernels that these do not run on.
. "$HYV_TREE/tests/lib/case.sh"

gid_index
pingpong across pp-1 1 200
pingpong across pp-65536 65536 50 -e
pingpong across pp-8388608 8388608 4
pingpong within pp-100000 100000 20 -e
perftest across send-lat ib_send_lat -s 64 -n 200
perftest across write-bw ib_write_bw -s 4096 -n 50 -q 16
perftest across read-bw ib_read_bw -s 65536 -n 50 -e
barrier end
klog_check
