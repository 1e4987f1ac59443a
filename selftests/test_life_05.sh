#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A pool is destroyed by force in the middle of everything.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices

# Processes that open and close the node while it comes and goes.
openers() {
	while [ ! -e "$WORK/stop" ]; do
		: </dev/hymc0
	done 2>/dev/null
}

openers &
openers &
for round in 1 2 3 4; do
	policy=stage
	[ "$round" != 4 ] || policy=lru
	must_create "${SMALL[@]}" --policy $policy
	out=$WORK/stress.$round
	"$HYMC_BIN/stress" --until-gone --threads 6 --seed "$round" >"$out" 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		grep -q running "$out" && break
		sleep 0.1
	done
	sleep "0.$((round * 3))"
	check "round $round: the pool is destroyed under load" \
		timeout 60 "$HYMCCTL" pool destroy 0 --force
	wait $pid
	is "round $round: every thread ends well" 0 $?
	grep -E '^(not ok|# thread|# [0-9]+ calls)' "$out" | sed 's/^not/# not/'
done
touch "$WORK/stop"
wait
check "the module unloads" "$HYMCCTL" unload
check "and loads" "$HYMCCTL" load
finish
