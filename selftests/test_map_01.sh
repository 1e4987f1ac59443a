#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The mapping: who may map, store, inherit and pin what.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
nullb_make hymc-scratch 64 || bail_out "no scratch drive"
export HYMC_SCRATCH=$NULLB
must_create "${SMALL[@]}"
program map "$HYMC_BIN/map"
destroyed "the pool ends"
must_create
program map-large "$HYMC_BIN/map"
destroyed "the pool of default geometry ends"
finish
