#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# With every frame pinned, waits are bounded and end early for a reason.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
program wait "$HYMC_BIN/wait" -T put_waits -T signal_ends_put
destroyed "the pool ends"
must_create "${TINY[@]}" --policy lru
program wait-lru "$HYMC_BIN/wait" -T put_is_skipped
destroyed "the LRU pool ends"
finish
