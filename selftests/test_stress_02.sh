#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same under the LRU policy, where inserts wait.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}" --policy lru
program stress "$HYMC_BIN/stress" --seconds "${HYMC_STRESS_SECONDS:-8}" \
	--threads 6 --seed "${HYMC_STRESS_SEED:-2}"
destroyed "the pool ends"
finish
