# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the shell tests share: TAP output, pools, drives that can fail, a process
# that holds things.  Sourced by each test_<group>_<nn>.sh, which says in its
# first lines what it is about, makes results with ok, not_ok, check, is, has,
# skip or program, and ends with "finish".
#
# Environment:
#	HYMC_DAX	dax device for pools (dax0.0)
#	HYMC_SSD	drive for pools; everything on it is lost
#	HYMC_REQUIRED	a missing device is a failure, not a reason to skip
#	HYMC_BIN	directory of the test programs
#	HYMCCTL		the control tool

set -uo pipefail
export LC_ALL=C

KSFT_SKIP=4
SELF_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HYMC_BIN=${HYMC_BIN:-$SELF_DIR/../build/selftests}
HYMCCTL=${HYMCCTL:-$SELF_DIR/../build/hymcctl}
WORK=

# Geometries: few and small frames, so that DRAM and drive fill fast.
# shellcheck disable=SC2034	# for the scripts that source this file
{
TINY=(--frame-size 64K --dram-size 4M --dirty-max 3M --ssd-size 256M --segment-size 4M)
SMALL=(--frame-size 64K --dram-size 16M --ssd-size 512M --segment-size 8M)
MEDIUM=(--frame-size 64K --dram-size 64M --ssd-size 512M --segment-size 16M)
}

# --- results -----------------------------------------------------------------

results=0
failures=0
skips=0

note() { echo "# $*"; }

ok() {
	results=$((results + 1))
	echo "ok $results $*"
}

not_ok() {
	results=$((results + 1))
	failures=$((failures + 1))
	echo "not ok $results $*"
}

skip() { # NAME REASON
	results=$((results + 1))
	skips=$((skips + 1))
	echo "ok $results $1 # SKIP $2"
}

# check NAME COMMAND...: ok when the command succeeds; its output is shown when
# it does not.
check() {
	local name=$1 out status

	shift
	out=$("$@" 2>&1)
	status=$?
	if [ "$status" = 0 ]; then
		ok "$name"
	else
		note "status $status: $*"
		[ -z "$out" ] || note "  ${out//$'\n'/$'\n#   '}"
		not_ok "$name"
	fi
}

# is NAME WANT GOT: ok when the two are the same.
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		note "expected '$2', got '$3'"
		not_ok "$1"
	fi
}

# has NAME TEXT PATTERN...: ok when all patterns (grep -E) are in the text.
has() {
	local name=$1 text=$2 pattern

	shift 2
	for pattern; do
		grep -Eq -- "$pattern" <<<"$text" && continue
		note "no '$pattern' in: $text"
		not_ok "$name"
		return
	done
	ok "$name"
}

TAP_OK='^ok [0-9]+ (- )?(.*)$'
TAP_NOT_OK='^not ok [0-9]+ (- )?(.*)$'
TAP_PLAN='^1\.\.([0-9]+)'
TAP_NOISE='^TAP version|^# +(RUN|OK) '

# relay NAME LINE: pass a line of a program's TAP on as one of ours.
relay() {
	local name=$1 line=$2

	if [[ $line =~ $TAP_OK ]]; then
		[[ $line == *"# SKIP"* ]] && skips=$((skips + 1))
		ok "$name: ${BASH_REMATCH[2]}"
	elif [[ $line =~ $TAP_NOT_OK ]]; then
		not_ok "$name: ${BASH_REMATCH[2]}"
	elif [[ $line =~ $TAP_PLAN ]]; then
		expected=${BASH_REMATCH[1]}
	elif ! [[ $line =~ $TAP_NOISE ]]; then
		note "${line#\# }"
	fi
}

# program NAME COMMAND...: run a program that prints TAP; its results are ours,
# and it must have as many as it planned.
program() {
	local name=$1 line status="" expected="" before=$results bad=$failures

	shift
	while IFS= read -r line; do
		if [[ $line == "status: "* ]]; then
			status=${line#status: }
		else
			relay "$name" "$line"
		fi
	done < <("$@" 2>&1; echo "status: $?")
	if [ "$((results - before))" != "${expected:-none}" ]; then
		note "planned ${expected:-nothing}, had $((results - before))"
		not_ok "$name: has all its results"
	elif [ "$status" != 0 ] && [ "$status" != $KSFT_SKIP ] &&
	     [ "$failures" = "$bad" ]; then
		note "it ended with status $status"
		not_ok "$name: ends well"
	fi
}

# finish: the plan, and the status that says how it went.
finish() {
	echo "1..$results"
	[ "$failures" = 0 ] || exit 1
	[ "$skips" -lt "$results" ] || exit $KSFT_SKIP
	exit 0
}

# skip_all REASON: the whole script cannot run here.
skip_all() {
	if [ -n "${HYMC_REQUIRED:-}" ]; then
		echo "Bail out! $*"
		exit 1
	fi
	echo "1..0 # SKIP $*"
	exit $KSFT_SKIP
}

# skip_here REASON: the script makes no sense on this kind of machine.
skip_here() {
	echo "1..0 # SKIP $*"
	exit $KSFT_SKIP
}

# kernel_before MAJOR MINOR
kernel_before() {
	local major minor

	IFS=. read -r major minor _ < <(uname -r)
	[ $((major * 1000 + minor)) -lt $(($1 * 1000 + $2)) ]
}

# bail_out REASON: going on makes no sense.
bail_out() {
	echo "Bail out! $*"
	exit 1
}

# --- module and pools ---------------------------------------------------------

ctl() { "$HYMCCTL" "$@"; }

cleanup() {
	local status=$?

	trap - EXIT
	[ -z "${HOLD_PID:-}" ] || kill -9 "$HOLD_PID" 2>/dev/null
	pool_exists && ctl pool destroy 0 --force >/dev/null 2>&1
	nullb_remove_all
	[ -z "$WORK" ] || rm -rf "$WORK"
	exit "$status"
}

# Everything a test needs; skips (or fails) when it is not there.
need_pool_devices() {
	[ "$(id -u)" = 0 ] || skip_all "making pools needs root"
	[ -x "$HYMCCTL" ] || skip_all "there is no $HYMCCTL: make tools"
	[ -n "${HYMC_DAX:-}" ] || skip_all "HYMC_DAX names no dax device"
	[ -b "${HYMC_SSD:-}" ] || skip_all "HYMC_SSD names no block device"
	[ -e "/sys/bus/dax/devices/$HYMC_DAX" ] ||
		skip_all "there is no dax device $HYMC_DAX"
	ctl load >/dev/null || skip_all "the hymc module cannot be loaded"
	export HYMC_DEV=/dev/hymc0 HYMC_REQUIRED=1
	WORK=$(mktemp -d)
	trap cleanup EXIT
}

pool_exists() { [ -c /dev/hymc0 ]; }

# pool_create OPTION...: pool 0 on the devices of the test.
pool_create() {
	ctl pool create --dram "$HYMC_DAX" --ssd "$HYMC_SSD" --id 0 --force \
		"$@"
}

# must_create [OPTION...]: without its pool the test makes no sense.
# shellcheck disable=SC2120	# the options may be left out
must_create() {
	local out

	out=$(pool_create "$@" 2>&1) || bail_out "no pool: $out"
}

pool_destroy() { ctl pool destroy 0; }

# destroyed NAME: a result: the pool can be destroyed, in a bounded time.
destroyed() {
	local start=$SECONDS

	check "$1" timeout 30 "$HYMCCTL" pool destroy 0
	[ $((SECONDS - start)) -lt 20 ] || note "it took $((SECONDS - start)) s"
}

# counter NAME: its value now, by the control plane (no file is opened).
counter() {
	ctl stats 0 --json | sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p"
}

# settle NAME VALUE: wait until a counter has a value, 10 s at most.
settle() {
	local tries

	for ((tries = 0; tries < 100; tries++)); do
		[ "$(counter "$1")" = "$2" ] && return
		sleep 0.1
	done
	note "$1 is $(counter "$1"), not $2"
	return 1
}

# --- drives made of memory ------------------------------------------------------

CONFIGFS=/sys/kernel/config

# nullb_make NAME MIB: a drive that keeps its bytes and can be made to fail;
# sets NULLB to its path.
nullb_make() {
	local dir=$CONFIGFS/nullb/$1

	modprobe null_blk nr_devices=0 || return 1
	mountpoint -q $CONFIGFS || mount -t configfs none $CONFIGFS || return 1
	mkdir "$dir" || return 1
	echo "$2" >"$dir/size"
	echo 1 >"$dir/memory_backed"
	echo 4096 >"$dir/blocksize"
	echo 1 >"$dir/power" || return 1
	NULLB=/dev/nullb$(cat "$dir/index")
	[ -b "$NULLB" ] || NULLB=/dev/$1
	[ -b "$NULLB" ]
}

nullb_remove() { # NAME
	echo 0 >"$CONFIGFS/nullb/$1/power"
	rmdir "$CONFIGFS/nullb/$1"
}

nullb_remove_all() {
	local dir

	for dir in "$CONFIGFS"/nullb/hymc*; do
		[ -d "$dir" ] && nullb_remove "${dir##*/}"
	done 2>/dev/null
}

# --- a process that holds things -------------------------------------------------

# hold_start WORD...: start it and let it do things; each must be "ok".
hold_start() {
	local word

	coproc HOLD { exec "$HYMC_BIN/hold"; }
	for word; do
		[ "$(hold "$word")" = ok ] || return 1
	done
}

# hold WORD: let it do a thing, print what it answers ("?" after 60 s).
hold() {
	local line

	echo "$1" >&"${HOLD[1]}" || return 1
	IFS= read -r -t 60 line <&"${HOLD[0]}" || line="?"
	echo "$line"
}

# hold_end: let it exit.  hold_kill: kill it.
hold_end() {
	local pid=${HOLD_PID:-} fd=${HOLD[1]:-}

	[ -n "$pid" ] || return 0
	exec {fd}>&-
	wait "$pid"
}

hold_kill() {
	local pid=${HOLD_PID:-}

	[ -n "$pid" ] || return 0
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
}
