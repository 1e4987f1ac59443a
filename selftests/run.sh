#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs test scripts one after the other and prints one TAP stream: every single
# result of theirs, numbered through, then the plan and the totals.  A script
# that does not end in its time (settings), or breaks off, or leaves a bad line in
# the kernel log, is a failure of its own.
#
#	run.sh [SCRIPT...]	default: all test_*.sh beside this file
#
# Exit status: 0; 1 after a failure; 4 when all was skipped.

set -uo pipefail
export LC_ALL=C

DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BAD_LINES='\bBUG: |\bWARNING: |\bOops\b|-\[ cut here \]-|\bKASAN: |general protection fault|blocked for more than|soft lockup|detected stalls|Bad page|refcount_t: |suspicious RCU|possible .* dependency detected|page allocation failure'

TAP_OK='^ok [0-9]+ (.*)$'
TAP_NOT_OK='^not ok [0-9]+ (.*)$'
TAP_PLAN='^1\.\.[0-9]+$'
TAP_SKIPPED='^1\.\.0 # SKIP (.*)$'

passed=0
failed=0
skipped=0

# shellcheck source=/dev/null
timeout=$(. "$DIR/settings" && echo "${timeout:-45}")

result() { # "ok" or "not ok", NAME
	echo "$1 $((passed + failed + skipped)) $2"
}

# relay SCRIPT LINE: a line of a script.
relay() {
	local script=$1 line=$2

	if [[ $line =~ $TAP_OK ]]; then
		if [[ $line == *"# SKIP"* ]]; then
			skipped=$((skipped + 1))
		else
			passed=$((passed + 1))
		fi
		result "ok" "$script: ${BASH_REMATCH[1]}"
	elif [[ $line =~ $TAP_NOT_OK ]]; then
		failed=$((failed + 1))
		result "not ok" "$script: ${BASH_REMATCH[1]}"
	elif [[ $line =~ $TAP_SKIPPED ]]; then
		complete=yes
		skipped=$((skipped + 1))
		result "ok" "$script # SKIP ${BASH_REMATCH[1]}"
	elif [[ $line =~ $TAP_PLAN ]]; then
		complete=yes
	else
		echo "# ${line#\# }"
	fi
}

fail() {
	failed=$((failed + 1))
	result "not ok" "$1"
}

kernel_log() { dmesg 2>/dev/null | grep -E "$BAD_LINES"; }

# Run one script.
run() {
	local path=$1 script status="" complete="" line bad start=$SECONDS
	local before=$failed

	script=$(basename "$path" .sh)
	bad=$(kernel_log | wc -l)
	echo "# $script: $(sed -n '4s/^# //p' "$path")"
	while IFS= read -r line; do
		if [[ $line == "status: "* ]]; then
			status=${line#status: }
		else
			relay "$script" "$line"
		fi
	done < <(timeout -k 10 "$timeout" "$path" 2>&1 </dev/null
		 echo "status: $?")
	if [ -z "$complete" ]; then
		[ "$status" != 124 ] || echo "# no end after $timeout s"
		fail "$script: runs to its end (status $status)"
	elif [ "$status" = 1 ] && [ "$failed" = "$before" ]; then
		fail "$script: ends well"
	fi
	if [ "$(kernel_log | wc -l)" -gt "$bad" ]; then
		kernel_log | tail -n "+$((bad + 1))" | sed 's/^/# /'
		fail "$script: leaves the kernel log clean"
	fi
	echo "# $script took $((SECONDS - start)) s"
}

[ $# -gt 0 ] || set -- "$DIR"/test_*.sh
echo "TAP version 13"
for path; do
	[ -e "$path" ] || path=$DIR/$path
	run "$path"
done
echo "1..$((passed + failed + skipped))"
echo "# Totals: pass:$passed fail:$failed skip:$skipped"
[ "$failed" = 0 ] || exit 1
[ "$passed" != 0 ] || exit 4
exit 0
