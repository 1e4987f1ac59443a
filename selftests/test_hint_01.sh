#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Prefetch requests stage what they name, in order, within their window; leases end.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
program hint "$HYMC_BIN/hint" -F plain
destroyed "the pool ends"
must_create "${TINY[@]}" --policy lru
program hint-lru "$HYMC_BIN/hint" -f plain
destroyed "the LRU pool ends"
finish
