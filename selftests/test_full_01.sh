#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Full write buffer, full drive: said, counted, survived.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}" --ssd-size 64M --segment-size 4M
program full "$HYMC_BIN/full"
destroyed "the pool ends"
finish
