#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same under the LRU policy.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}" --policy lru
program block "$HYMC_BIN/block"
program write "$HYMC_BIN/write"
destroyed "the pool ends"
finish
