#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every ioctl keeps the rules that all ioctls share.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${MEDIUM[@]}"
program ioctl_abi "$HYMC_BIN/ioctl_abi"
program ioctl_ptr "$HYMC_BIN/ioctl_ptr"
destroyed "the pool ends"
finish
