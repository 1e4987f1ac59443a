#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Other threads and the clock end handles while the call that makes them is under way.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
program race "$HYMC_BIN/race"
destroyed "the pool ends"
finish
