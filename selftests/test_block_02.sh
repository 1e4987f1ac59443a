#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same in frames of the default size, of 1 MiB.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create --dram-size 64M
program block "$HYMC_BIN/block"
program write "$HYMC_BIN/write"
destroyed "the pool ends"
finish
