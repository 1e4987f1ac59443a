#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What hymcctl shows is what the pool says, for people and as JSON.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"
hold_start open map hold || bail_out "the holder did not get its state"

# json EXPRESSION: a value of "pool show --json".
json() {
	ctl pool show 0 --json |
		python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"
}

is "files" 1 "$(counter files)"
is "views" 1 "$(counter views)"
is "requests" 1 "$(counter requests)"
is "reservations" 1 "$(counter reservations)"
is "blocks" 1 "$(counter blocks)"
is "bytes put" 65536 "$(counter put_bytes)"
is "the drive in JSON" "$HYMC_SSD" "$(json 'd["ssd"]["path"]')"
is "the memory in JSON" "$HYMC_DAX" "$(json 'd["dram"]["name"]')"
is "its size" $((4 << 20)) "$(json 'd["dram"]["bytes"]')"
is "the frame size" 65536 "$(json 'd["frame_bytes"]')"
is "the number of blocks" 1 "$(json 'd["now"]["blocks"]')"
has "who has it open, in JSON" "$(json 'd["open_by"]')" "\b$HOLD_PID\b"
has "and for people" "$(ctl pool show 0)" "opened by.*\b$HOLD_PID\b" "4 MiB" \
	"online"
has "the list" "$(ctl pool list)" "/dev/hymc0" "$HYMC_DAX" "$HYMC_SSD"

# Every counter of the ABI, once, in both outputs.
names=$(sed -n 's/^\tX(\([a-z_0-9]*\),.*/\1/p' "$SELF_DIR/../uapi/linux/hymc.h")
is "all counters in JSON" "$names" \
	"$(ctl stats 0 --json | sed -n 's/^ *"\([a-z_0-9]*\)": [0-9]*,\{0,1\}$/\1/p' |
		grep -xF "$names")"
is "all counters for people" "$names" \
	"$(ctl stats 0 | awk '{ print $1 }' | grep -xF "$names")"
hold_end
destroyed "the pool ends"
finish
