#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Killed in the middle of each step, a process leaves nothing; the module unloads.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
program life "$HYMC_BIN/life"
destroyed "the pool ends"
check "the module unloads" "$HYMCCTL" unload
check "and loads again" "$HYMCCTL" load
finish
