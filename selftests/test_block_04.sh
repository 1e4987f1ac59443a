#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same in frames larger than a huge page.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create --frame-size 4M --dram-size 64M --dirty-max 32M
program block "$HYMC_BIN/block"
program write "$HYMC_BIN/write"
destroyed "the pool ends"
finish
