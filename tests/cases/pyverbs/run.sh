# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# rdma-core's own tests, as Debian ships them with python3-pyverbs.

# Those for other HCAs are left out, and those of rdma_cm, which guests do not
# have.
MODULES=(test_addr test_atomic test_cq test_cq_events test_cqex test_device
	test_flow test_fork test_mr test_odp test_parent_domain test_pd test_qp
	test_qpex test_relaxed_ordering test_shared_pd test_tag_matching)

# pyverbs FILE: run all on $IBDEV; what they say goes to FILE.
pyverbs() {
	local dir=/run/pyverbs

	mkdir -p $dir
	cp -r /usr/share/doc/rdma-core/tests $dir/
	gunzip -qf $dir/tests/*.gz
	python3 "$CASE/runner.py" $dir "$IBDEV" "${MODULES[@]}" >"$1" 2>"$1.log"
}
