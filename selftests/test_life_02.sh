#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An open pool is not destroyed, and says who has it open; by force all learn of it.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"

hold_start open map hold || bail_out "the holder did not get its state"
out=$(pool_destroy 2>&1)
is "destroying an open pool is refused as busy" 6 $?
has "the refusal names the process" "$out" "open" "\b$HOLD_PID\b"
is "the process is not disturbed" ok "$(hold info)"
is "nor is its mapping" ok "$(hold load-all)"
is "and others can open the node" ok "$(hold reopen)"
hold_kill
check "its death frees everything" settle files 0
is "views" 0 "$(counter views)"
is "reservations" 0 "$(counter reservations)"
is "requests" 0 "$(counter requests)"
destroyed "then the pool ends"

must_create "${MEDIUM[@]}"
hold_start open map hold prepare || bail_out "the holder did not get its state"
check "by force an open pool is destroyed" timeout 30 "$HYMCCTL" pool destroy 0 --force
is "every ioctl of the open file fails" ENODEV "$(hold every)"
is "a load from the mapping gives SIGBUS" SIGBUS "$(hold load)"
is "a store does, too" SIGBUS "$(hold store)"
is "nothing can be mapped any more" ENODEV "$(hold remap)"
is "the node is gone" ENOENT "$(hold reopen)"
is "unmapping works" ok "$(hold unmap)"
out=$(ctl unload 2>&1)
is "the module stays while the file is open" 6 $?
note "$out"
must_create "${TINY[@]}"
is "the old file does not see a new pool of the same number" ENODEV \
	"$(hold info)"
is "the new one can be opened" ok "$(hold reopen)"
is "closing the old file works" ok "$(hold close)"
hold_end
destroyed "the new pool ends"

must_create "${TINY[@]}"
hold_start open block || bail_out "nobody waits"
start=$SECONDS
check "a pool somebody waits in is destroyed by force" \
	timeout 30 "$HYMCCTL" pool destroy 0 --force
is "the waiting call ends with an error" ENODEV "$(hold blocked)"
[ $((SECONDS - start)) -lt 10 ]
is "at once" 0 $?
hold_end

must_create "${TINY[@]}"
hold_start open map hold close || bail_out "the holder did not get its state"
is "a mapping alone keeps the pool open" 1 "$(counter files)"
out=$(pool_destroy 2>&1)
is "and is a reason to refuse" 6 $?
check "but not by force" timeout 30 "$HYMCCTL" pool destroy 0 --force
is "the mapping gives SIGBUS" SIGBUS "$(hold load)"
hold_kill
check "the module unloads" "$HYMCCTL" unload
finish
