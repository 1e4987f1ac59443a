#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the selftests and runs them in one virtual machine with a CXL device and
# an NVMe drive.  Prints one TAP stream; its last line has the totals.
#
#	run_vm.sh [--kernel NAME] [--module FILE] [--out DIR] [SCRIPT...]
#
# Exit status: 0; 1 after a failure or a kernel log that is not clean; 4 when all
# was skipped.

set -uo pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
OUT=$TOP/build/selftests-vm
KERNEL=6.12
VM=(--dram 256M --ssd 2G --memory 2G --timeout 1200)
scripts=()

usage() { sed -n '4,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

while [ $# -gt 0 ]; do
	case $1 in
	--kernel) KERNEL=$2; shift 2 ;;
	--module) VM+=(--module "$2"); shift 2 ;;
	--out) OUT=$2; shift 2 ;;
	-h | --help) usage; exit 0 ;;
	-*) usage >&2; exit 2 ;;
	*) scripts+=("$1"); shift ;;
	esac
done

make -C "$TOP/selftests" >"$TOP/build/selftests-make.log" 2>&1 || {
	cat "$TOP/build/selftests-make.log" >&2
	echo "Bail out! the selftests cannot be built"
	exit 1
}
[ -x "$TOP/build/hymcctl" ] || {
	echo "Bail out! there is no build/hymcctl: make tools"
	exit 1
}

"$TOP/tools/vm/hymc-vm" run --kernel "$KERNEL" "${VM[@]}" --out "$OUT" \
	--env HYMC_REQUIRED=1 -- "$TOP/selftests/run.sh" "${scripts[@]}"
status=$?
case $status in
0 | 1 | 4) exit $status ;;
124) echo "# the machine did not end in its time" ;;
126) echo "# the kernel log is not clean: $OUT/dmesg" ;;
*) echo "# the machine ended with status $status" ;;
esac
# A stream that broke off has no totals yet.
grep -q '^# Totals' "$OUT/stdout" 2>/dev/null ||
	echo "# Totals: pass:$(grep -c '^ok' "$OUT/stdout") fail:1 skip:0"
exit 1
