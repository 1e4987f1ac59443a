#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same for callers that come through the 32-bit system call entry.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${MEDIUM[@]}"
export HYMC_COMPAT=1
program ioctl_abi "$HYMC_BIN/ioctl_abi"
program ioctl_ptr "$HYMC_BIN/ioctl_ptr"
destroyed "the pool ends"
finish
