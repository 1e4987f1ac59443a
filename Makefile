# SPDX-License-Identifier: GPL-2.0-only
#
# make demo      boot a machine with a CXL device, replay a real trace, print a table
# make check     all tests
# make           module, library and tools
#
# Everything is built under build/. What a target needs from Debian is installed by
# tools/setup/setup.sh, which does nothing when it is there already.
#
# KERNEL=6.12    the kernel kit to build for and to boot (tools/setup/kernels)
# KDIR=DIR       build the module against these headers instead of a kit's

MAKEFLAGS += --no-builtin-rules
KERNEL ?= 6.12
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= cc
SETUP := tools/setup/setup.sh
KIT := tools/setup/kit.sh

CFLAGS ?= -O2 -g
HYMC_CFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror \
	-Iuapi -Ilibhymc/include

# Filled by the fragments: programs (binaries or scripts) that print TAP.
UNIT_TESTS :=

.PHONY: all modules lib tools setup-build setup-vm setup-check demo sweep check
.PHONY: check-unit check-static check-vm install install-lib install-tools clean

all: modules lib tools

setup-build setup-vm setup-check:
	@$(SETUP) $(patsubst setup-%,%,$@)
	@[ $(KERNEL) = 6.12 ] || $(SETUP) kernel $(KERNEL)

include libhymc/lib.mk
include libhymc/tests/lib-tests.mk
include libhymc/tests/core/core-tests.mk
include tools/hymcctl/hymcctl.mk
include tools/replay/replay.mk

# The module is built in a copy of its sources, so that the tree stays clean and two
# kernels do not share objects.
modules: | setup-vm
	@tools/scripts/build-module $(if $(KDIR),--kdir $(KDIR),--kernel $(KERNEL)) \
		--out $(BUILD)

demo: setup-vm modules tools
	@tools/demo/run --kernel $(KERNEL)

sweep: setup-vm modules tools
	@tools/demo/sweep --kernel $(KERNEL)

check: setup-check modules lib tools $(UNIT_TESTS)
	@tools/scripts/run-tests --kernel $(KERNEL) --unit $(UNIT_TESTS)

check-unit: setup-check lib tools $(UNIT_TESTS)
	@tools/scripts/run-tests --kernel $(KERNEL) --only unit --unit $(UNIT_TESTS)

check-static: setup-check
	@tools/scripts/run-tests --kernel $(KERNEL) --only static

check-vm: setup-check modules tools
	@tools/scripts/run-tests --kernel $(KERNEL) --only vm

install: install-lib install-tools

clean:
	rm -rf $(BUILD)
