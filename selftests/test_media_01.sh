#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bytes changed on the drive are an error once, then a miss, never wrong bytes.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
# What needs a drive that can be made to fail is in test_media_02.sh.
program media "$HYMC_BIN/media" -T failing_read -T failing_header_read \
	-T failing_writes -T failing_write_with_a_view_out
destroyed "the pool ends"
finish
