#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A block's life in small frames: every length, every way to read and to write.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}"
program block "$HYMC_BIN/block"
program write "$HYMC_BIN/write"
destroyed "the pool ends"
finish
