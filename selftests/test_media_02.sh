#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A drive that fails reads and writes loses the blocks concerned and no others.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
nullb_make hymc-media 128 || bail_out "no drive that can fail"
HYMC_SSD=$NULLB
export HYMC_SSD HYMC_BADBLOCKS=$CONFIGFS/nullb/hymc-media/badblocks
# Kernels before 6.8 can have 128 MiB of bad sectors.
must_create "${TINY[@]}" --ssd-size 96M --segment-size 1M
program media "$HYMC_BIN/media"
destroyed "the pool ends"
finish
