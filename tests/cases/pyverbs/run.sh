# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# rdma-core's own tests, as Debian ships them with python3-pyverbs.

# Those for other HCAs are left out; those of rdma_cm are in pyverbs-cm. Not every release
# has all.
if [ -z "${MODULES:-}" ]; then
	MODULES=(test_addr test_atomic test_cq test_cq_events test_cqex test_device
		test_flow test_fork test_mr test_odp test_parent_domain test_pd
		test_qp test_qpex test_relaxed_ordering test_shared_pd test_srq
		test_tag_matching)
	# stock libmlx5 drives the software HCA
	[ "$LAB_HCA" != own ] ||
		MODULES+=(test_mlx5_{cq,dc,dm_ops,huge_page,mkey,pp,query_port}
			test_mlx5_{raw_wqe,sched,uar,var})
fi

# pyverbs FILE: run all on $IBDEV, with the addresses of $NETDEV if it is set; what
# they say goes to FILE.
pyverbs() {
	local dir=/run/pyverbs module modules=()

	mkdir -p $dir
	cp -r /usr/share/doc/rdma-core/tests $dir/
	gunzip -qf $dir/tests/*.gz
	for module in "${MODULES[@]}"; do
		[ ! -e "$dir/tests/$module.py" ] || modules+=("$module")
	done
	python3 "${BASH_SOURCE[0]%/*}/runner.py" $dir "$IBDEV" "${NETDEV:-}" \
		"${modules[@]}" >"$1" 2>"$1.log"
}
