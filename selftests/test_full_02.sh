#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Not one byte is written behind the part of the drive that the pool was given.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
nullb_make hymc-part 48 || bail_out "no drive"
drive=$NULLB
dd if=/dev/urandom of="$drive" bs=1M seek=32 count=16 oflag=direct status=none
rest() { dd if="$drive" bs=1M skip=32 iflag=direct status=none | sha256sum; }
before=$(rest)
HYMC_SSD=$drive must_create "${SMALL[@]}" --ssd-size 32M --segment-size 2M
program full "$HYMC_BIN/full"
destroyed "the pool ends"
is "the rest of the drive is untouched" "$before" "$(rest)"
# The node beside the pool's: another drive, used by somebody else.
nullb_make hymc-other 16 || bail_out "no drive"
dd if=/dev/urandom of="$NULLB" bs=1M count=16 oflag=direct status=none
before=$(sha256sum <"$NULLB")
HYMC_SSD=$drive must_create "${SMALL[@]}" --ssd-size 32M --segment-size 2M
program stress "$HYMC_BIN/stress" --seconds 3 --threads 4
destroyed "the pool ends again"
blockdev --flushbufs "$NULLB"
is "another drive is untouched" "$before" "$(sha256sum <"$NULLB")"
finish
