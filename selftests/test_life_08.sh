#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A page of the memory is lost: whoever touches it gets SIGBUS, nobody else notices.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices
must_create "${SMALL[@]}"
hold_start open map load-all || bail_out "the holder did not get its state"
poisoned=$(hold poison)
if [ "$poisoned" != ok ]; then
	note "madvise(MADV_HWPOISON): $poisoned"
	skip "a poisoned page" "this kernel cannot poison a page"
	destroyed "the pool ends"
	finish
fi
is "a load from the poisoned page gives SIGBUS" SIGBUS "$(hold load-poisoned)"
is "again" SIGBUS "$(hold load-poisoned)"
is "its neighbours are there" ok "$(hold load-beside)"
is "so is the rest" ok "$(hold load)"
is "the pool serves" ok "$(hold serve)"
has "the kernel log says where" "$(dmesg | tail -n 50)" "memory error"
is "a new mapping does not bring it back" ok "$(hold unmap)"
is "mapped again" ok "$(hold map)"
is "it gives SIGBUS still" SIGBUS "$(hold load-poisoned)"
hold_end
destroyed "the pool ends"
check "the module unloads" "$HYMCCTL" unload
finish
