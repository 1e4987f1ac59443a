#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The control plane, spoken by hand: each refusal has an errno and a sentence.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
program netlink "$HYMC_BIN/netlink" -f refuse
nullb_make hymc-scratch 64 || bail_out "no scratch drive"
export HYMC_SCRATCH=$NULLB
must_create "${TINY[@]}"
program netlink "$HYMC_BIN/netlink" -f pool
destroyed "the pool ends"
finish
