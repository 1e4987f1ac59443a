#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Many threads, random calls, every byte checked.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}"
program stress "$HYMC_BIN/stress" --seconds "${HYMC_STRESS_SECONDS:-20}" \
	--threads 8 --seed "${HYMC_STRESS_SEED:-1}"
program stress-wide "$HYMC_BIN/stress" --seconds 8 --threads 64 --seed 3
destroyed "the pool ends"
finish
