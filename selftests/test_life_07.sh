#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The memory region is torn down while in use: -ENODEV and SIGBUS, nothing stale.

# shellcheck disable=SC2317	# functions are called through check
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices

CXL=/sys/bus/cxl
dax=$(readlink -f "/sys/bus/dax/devices/$HYMC_DAX")
region=$(grep -o 'region[0-9]*' <<<"${dax%/dax_region*}" | tail -n1)
[ -e "$CXL/devices/${region:-none}" ] ||
	skip_here "$HYMC_DAX is no CXL region"

# region_up, region_down: give the range to a dax device, and take it away.
region_down() {
	timeout 60 bash -c "echo $region >$CXL/drivers/cxl_region/unbind"
}

region_up() {
	local i

	echo "$region" >"$CXL/drivers/cxl_region/bind" || return
	for ((i = 0; i < 100; i++)); do
		[ -e "/sys/bus/dax/devices/$HYMC_DAX" ] && return
		sleep 0.1
	done
	return 1
}

for round in 1 2; do
	must_create "${SMALL[@]}"
	out=$WORK/stress.$round
	"$HYMC_BIN/stress" --until-gone --threads 6 --seed "$round" >"$out" 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		grep -q running "$out" && break
		sleep 0.1
	done
	sleep 0.5
	check "round $round: the region goes" region_down
	wait $pid
	is "round $round: every thread ends well" 0 $?
	grep -E '^(not ok|# thread|# [0-9]+ calls)' "$out" | sed 's/^not/# not/'
	has "round $round: the pool says that it is dead" "$(ctl pool show 0)" \
		"state +dead"
	destroyed "round $round: and can be destroyed"
	check "round $round: the region comes back" region_up
done

must_create "${MEDIUM[@]}"
hold_start open map hold load-all prepare ||
	bail_out "the holder did not get its state"
check "the region goes under a mapping" region_down
is "a load gives SIGBUS" SIGBUS "$(hold load)"
is "a store does, too" SIGBUS "$(hold store)"
is "every ioctl fails" ENODEV "$(hold every)"
hold_end
destroyed "the pool can be destroyed"
check "the region comes back" region_up
must_create "${TINY[@]}"
destroyed "it is as good as before"
check "the module unloads" "$HYMCCTL" unload
finish
