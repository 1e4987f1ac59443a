#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Pools and the module come and go many times; the module stays while there is a pool.

# shellcheck disable=SC2317	# functions are called through check
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${HYMC_ROUNDS:-50}

need_pool_devices
must_create "${TINY[@]}"
out=$(ctl unload 2>&1)
is "unloading with a pool is refused" 6 $?
has "with the pool's name" "$out" "hymc0"
check "rmmod is refused, too" bash -c '! rmmod hymc'
check "the pool is still there" test -c /dev/hymc0
destroyed "the pool ends"
is "and its node with it" 1 "$(test -e /dev/hymc0; echo $?)"

# rounds WHAT: do something ROUNDS times.
rounds() {
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		"$@" || { echo "round $i"; return 1; }
	done
}

create_and_destroy() { pool_create "${TINY[@]}" && pool_destroy; }
load_and_unload() { rmmod hymc && modprobe hymc; }

memory() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

check "a first round" create_and_destroy
before=$(memory)
check "$ROUNDS pools one after the other" rounds create_and_destroy
lost=$((before - $(memory)))
note "$lost KiB less memory available"
[ "$lost" -lt 20000 ]
is "without losing memory" 0 $?
check "$ROUNDS loads of the module" rounds load_and_unload
check "a last round" create_and_destroy
is "nothing is left in the list of pools" "there is no pool" \
	"$(ctl pool list)"
is "nor of the memory range" "" "$(grep hymc /proc/iomem)"
finish
