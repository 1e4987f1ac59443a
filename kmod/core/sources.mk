# SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
#
# The one list of the pure core's files: base names of kmod/core/*.c. Included by
# the top-level Kbuild (hymc-y += $(addprefix kmod/core/,$(hymc-core-objs)))
# and by every userspace Makefile that builds the core.

hymc-core-objs := core.o slab.o index.o block.o stage.o log.o lease.o
hymc-core-objs += heap.o request.o acquire.o wbuf.o flow.o
hymc-core-objs += format.o stats.o selfcheck.o
