#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Namespaces belong to their user and keep their keys to themselves.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
program space "$HYMC_BIN/space" -T too_many
program space-fill "$HYMC_BIN/space" -t too_many
destroyed "the pool ends"
finish
