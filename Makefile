# SPDX-License-Identifier: GPL-2.0-only
#
# What a person can ask for. The modules' own build is in Kbuild.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= $(CURDIR)
PREFIX ?= /usr/local
UDEVDIR ?= /usr/lib/udev/rules.d
export PREFIX DESTDIR

MODULE_SOURCES = $(filter-out %.mod.c,$(shell find Kbuild include host-kmod \
			guest-kmod -name '*.[ch]' -o -name Kbuild))
KBUILD = $(MAKE) -C $(KDIR) M=$(abspath $(BUILD))

.DEFAULT_GOAL := help

##@ Build
.PHONY: modules
modules: staged ## hyv.ko and virtio_hyv.ko for the kernel of KDIR, in BUILD
	+@$(KBUILD) modules

.PHONY: qemu
qemu: ## Debian's QEMU with -device virtio-hyv-pci; prints its path
	@qemu-patches/build

.PHONY: userlib
userlib: ## libhyv and the hyv command
	+@$(MAKE) -C userlib

##@ Try (as root on Debian 12; installs the packages it needs)
.PHONY: demo
demo: ## two virtual machines do RDMA through one host HCA
	@tests/demo

.PHONY: lab
lab: ## a shell in a virtual host with two guests
	@tests/lab/run --shell

.PHONY: bench
bench: ## latency, bandwidth, connecting: native, in guests, rxe over virtio-net
	@tests/bench/run

##@ Test (as root on Debian 12; installs the packages it needs)
.PHONY: check
check: ## lint, kunit, tests of userlib and qemu, cases in the lab
	@tests/check

.PHONY: check-debug
check-debug: ## cases on a kernel that looks for faults; first it is built
	@tests/check debug-lab debug

.PHONY: lint
lint: ## compiler and sparse warnings, style, dependency rules, ABI layout
	@tests/lint/run

.PHONY: kunit
kunit: ## unit tests of the pure parts, on User Mode Linux
	@tests/kunit/run

##@ Install
.PHONY: install
install: modules userlib ## modules for the kernel of KDIR, libhyv, hyv, udev rule
	@# The key that distributions sign with is not here.
	+@$(KBUILD) INSTALL_MOD_PATH=$(DESTDIR) CONFIG_MODULE_SIG_ALL= modules_install
	+@$(MAKE) -C userlib install
	@install -D -m 644 host-kmod/90-hyv.rules \
		"$(DESTDIR)$(UDEVDIR)/90-hyv.rules"

.PHONY: clean
clean: headers ## remove what modules and userlib have built
	+@$(KBUILD) clean
	+@$(MAKE) -C userlib clean

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile
	@printf '%s\n' '' 'Settings' \
		'  KDIR        kernel headers [$(KDIR)]' \
		'  BUILD       where modules are built [$(BUILD)]; if it is not' \
		'              here, the sources are copied there first, so that one checkout' \
		'              serves several kernels' \
		'  PREFIX      where userlib is installed [$(PREFIX)]' \
		'  DESTDIR     put in front of every installed path, for packagers'

.PHONY: headers
headers:
ifeq ($(wildcard $(KDIR)/Makefile),)
	@echo "no kernel headers in $(KDIR): install the package" \
		"linux-headers-$$(uname -r) or say KDIR=..." >&2; exit 1
endif

.PHONY: staged
staged: headers
ifneq ($(abspath $(BUILD)),$(CURDIR))
	@mkdir -p "$(BUILD)"
	@cp -pu --parents -t "$(BUILD)" $(MODULE_SOURCES)
endif
