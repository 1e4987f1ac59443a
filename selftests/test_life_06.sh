#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The drive is pulled while in use: everything ends with -ENODEV, and can be cleaned up.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices

# pull ROUND: run the load on a drive of its own, and pull it.
pull() {
	local out=$WORK/stress.$1 pid i

	nullb_make "hymc-pull$1" 256 || bail_out "no drive to pull"
	HYMC_SSD=$NULLB must_create "${SMALL[@]}" --ssd-size 128M
	"$HYMC_BIN/stress" --until-gone --threads 6 --seed "$1" >"$out" 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		grep -q running "$out" && break
		sleep 0.1
	done
	sleep 0.5
	check "round $1: the drive goes" \
		timeout 30 bash -c "echo 0 >$CONFIGFS/nullb/hymc-pull$1/power"
	wait $pid
	is "round $1: every thread ends well" 0 $?
	grep -E '^(not ok|# thread|# [0-9]+ calls)' "$out" | sed 's/^not/# not/'
	has "round $1: the pool says that it is dead" "$(ctl pool show 0)" \
		"state +dead"
	destroyed "round $1: and can be destroyed"
	rmdir "$CONFIGFS/nullb/hymc-pull$1"
}

pull 1
pull 2

# Nobody uses it: the next one who does learns of it.
nullb_make hymc-pull3 256 || bail_out "no drive to pull"
HYMC_SSD=$NULLB must_create "${MEDIUM[@]}" --ssd-size 128M
hold_start open map hold prepare || bail_out "the holder did not get its state"
check "the drive goes" \
	timeout 30 bash -c "echo 0 >$CONFIGFS/nullb/hymc-pull3/power"
# Before 6.5, nobody tells the pool: it learns from the first I/O that fails.
kernel_before 6 5 && note "a write: $(hold serve), $(hold sync)"
is "every ioctl fails" ENODEV "$(hold every)"
is "a new open does, too" ENODEV "$(hold reopen)"
hold_end
destroyed "the pool can be destroyed"
rmdir "$CONFIGFS/nullb/hymc-pull3"
check "the module unloads" "$HYMCCTL" unload
finish
