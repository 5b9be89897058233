# SPDX-License-Identifier: GPL-2.0-only
#
# Targets for users and developers. Kbuild has the modules' own build.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD ?= $(CURDIR)
PREFIX ?= /usr/local
UDEVDIR ?= /usr/lib/udev/rules.d
# Parts of the installation run in other directories.
override DESTDIR := $(abspath $(DESTDIR))
export PREFIX DESTDIR

MODULE_SOURCES = $(filter-out %.mod.c,$(shell find Kbuild include gsi \
			host-kmod guest-kmod -name '*.[ch]' -o -name Kbuild))
# All cases where host and guests have one system, fewer where they differ.
SYSTEMS = debian12 debian12-bpo debian13 debian13-bpo
PAIRS = $(foreach host,$(SYSTEMS),$(foreach guest,$(SYSTEMS), \
		$(if $(filter $(host),$(guest)),all,mixed)-$(host)+$(guest)))
# The same cases on the software HCA.
OWN_HCA = $(foreach system,$(SYSTEMS),own-$(system)+$(system))
# Those whose source a release has, but that of kunit.
KUNIT_KERNELS = debian12:6.1 debian13:6.12 debian13:7.2 debian13:7.3
# Kernels without security updates, and libraries on the drivers of another release.
ODD_PAIRS = lab-debian12-point+debian12-point lab-debian13-point+debian13-point \
	    lab-debian13+debian13-old lab-debian13-bpo+debian12-new
KBUILD = $(MAKE) -C $(KDIR) M=$(abspath $(BUILD))
# Print the release under which modules are installed. In include/config, Debian 12 has
# another one, which it overrides.
KERNEL_RELEASE = sed -n 's/.* UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h

.DEFAULT_GOAL := help

##@ Build
.PHONY: modules
modules: staged ## build hyv.ko, hyvs.ko and virtio_hyv.ko for the kernel of KDIR, in BUILD
	+@$(KBUILD) modules

.PHONY: qemu
qemu: ## build Debian's QEMU with -device virtio-hyv-pci, as a package; into out/deb
	@scripts/deb/qemu

.PHONY: userlib
userlib: ## build libhyv and the hyv command
	+@$(MAKE) -C userlib

##@ Try (as root on Debian 12 or 13; installs packages of scripts/packages)
.PHONY: demo
demo: ## run RDMA between two virtual machines through one host HCA
	@tests/demo

.PHONY: lab
lab: ## start a shell in a virtual host with two guests
	@tests/lab/run --shell

.PHONY: bench
bench: ## compare speed: software HCA and rxe, native, in guests, over virtio-net
	@tests/bench/run

##@ Test (as root on Debian 12 or 13; installs packages of scripts/packages)
.PHONY: check
check: ## run the tests: lint, kunit, userlib, engine, qemu, cases in the lab
	@tests/check

.PHONY: check-all
check-all: ## run all cases on more systems, a debug kernel, fresh machines, for hours
	@tests/check lint lint-builds kunit $(KUNIT_KERNELS:%=kunit-%) userlib fuzz \
		engine engine-bandwidth qemu-each deb bench whole-lab $(PAIRS) $(ODD_PAIRS) \
		$(OWN_HCA) debug-lab debug mutants fresh-debian12 fresh-debian13

.PHONY: check-debug
check-debug: ## run the cases on a debug kernel (built on first use)
	@tests/check debug-lab debug

.PHONY: soak
soak: ## run loops of hundreds of rounds and long fuzzing, for hours
	@tests/soak/run

.PHONY: lint
lint: ## check warnings, layers, names, comments, style, ABI layout
	@tests/lint/run

.PHONY: kunit
kunit: ## run unit tests of the pure parts, on User Mode Linux
	@tests/kunit/run

.PHONY: engine
engine: ## run the tests of the software HCA's engine, in user space
	@tests/engine/run

##@ Install
.PHONY: deb
deb: ## build all Debian packages: modules for DKMS, tools, QEMU; into out/deb
	@scripts/deb/build

.PHONY: install
install: modules userlib ## install modules for the kernel of KDIR, libhyv, hyv, udev rule
	@# The distribution's signing key is not available.
	+@$(KBUILD) INSTALL_MOD_PATH=$(DESTDIR) CONFIG_MODULE_SIG_ALL= modules_install
	@# modules_install does not, without System.map, which Debian's headers lack
	@[ -n "$(DESTDIR)" ] || depmod "$$($(KERNEL_RELEASE))"
	+@$(MAKE) -C userlib DESTDIR="$(DESTDIR)" install
	@install -D -m 644 host-kmod/90-hyv.rules \
		"$(DESTDIR)$(UDEVDIR)/90-hyv.rules"

.PHONY: uninstall
uninstall: headers ## remove what "make install" has installed, for the kernel of KDIR
	+@$(MAKE) -C userlib DESTDIR="$(DESTDIR)" uninstall
	@release=$$($(KERNEL_RELEASE)) && [ -n "$$release" ] && \
	for dir in extra updates; do \
		for part in host-kmod guest-kmod; do \
			rm -rf "$(DESTDIR)/lib/modules/$$release/$$dir/$$part"; \
		done; \
	done && \
	[ -n "$(DESTDIR)" ] || depmod "$$release"
	@rm -f "$(DESTDIR)$(UDEVDIR)/90-hyv.rules"

.PHONY: clean
clean: headers ## remove build results of modules and userlib
	+@$(KBUILD) clean
	+@$(MAKE) -C userlib clean

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile
	@printf '%s\n' '' 'Settings' \
		'  KDIR        kernel headers [$(KDIR)]' \
		'  BUILD       directory to build modules in [$(BUILD)];' \
		'              another one gets a copy of the sources, so that one checkout' \
		'              serves several kernels' \
		'  PREFIX      directory to install userlib in [$(PREFIX)]' \
		'  DESTDIR     prefix of every installed path, for packagers'

.PHONY: headers
headers:
ifeq ($(wildcard $(KDIR)/Makefile),)
	@echo "no kernel headers in $(KDIR); install the package" \
		"linux-headers-$$(uname -r) or set KDIR=..." >&2; exit 1
endif

.PHONY: sources
sources:
ifneq ($(abspath $(BUILD)),$(CURDIR))
	@mkdir -p "$(BUILD)"
	@cp -pu --parents -t "$(BUILD)" $(MODULE_SOURCES)
endif

.PHONY: staged
staged: headers sources
