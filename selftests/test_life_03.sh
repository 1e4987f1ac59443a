#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Pages that somebody pinned delay the end of a pool, for a bounded time.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${TINY[@]}"

# A pipe holds pages of the mapping; file and mapping are closed.
hold_start open map hold load-all pin unmap close ||
	bail_out "the holder did not pin"
check "nothing is open" settle files 0
start=$SECONDS
out=$(timeout 60 "$HYMCCTL" pool destroy 0 2>&1)
is "the pool is not destroyed under a pin" 6 $?
[ $((SECONDS - start)) -lt 40 ]
is "the attempt was bounded" 0 $?
has "and says why" "$out" "pinned"
out=$(ctl unload 2>&1)
is "the module is not unloaded under a pin" 6 $?
has "and says why" "$out" "hymc0"
is "the pinned pages are memory still" ok "$(hold drain)"
is "the pins end" ok "$(hold unpin)"
destroyed "then the pool can be destroyed"
hold_end

# The same, but the pin ends while the destroy waits for it.
must_create "${TINY[@]}"
hold_start open map load-all pin unmap close ||
	bail_out "the holder did not pin"
check "nothing is open again" settle files 0
{ sleep 2; kill -9 "$HOLD_PID"; } &
check "a destroy waits for a pin that ends soon" \
	timeout 30 "$HYMCCTL" pool destroy 0
wait
check "the module unloads" "$HYMCCTL" unload
finish
