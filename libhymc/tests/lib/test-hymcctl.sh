#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hymcctl's command line, without a module: what it refuses, how, and with what exit
# code; and that --json is JSON whatever happens.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
ctl=${BUILD:-build}/hymcctl
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# report OK NAME
report() {
	n=$((n + 1))
	if [ "$1" = 1 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out" "$dir/err"
		bad=1
	fi
}

# run NAME CODE STDERR-REGEX ARGUMENT...
run() {
	local name=$1 code=$2 regex=$3 got ok=1
	shift 3
	"$ctl" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$code" ] || ok=0
	if [ -n "$regex" ]; then
		grep -Eq -- "$regex" "$dir/err" || ok=0
		[ "$(wc -l <"$dir/err")" = 1 ] || ok=0
	else
		[ ! -s "$dir/err" ] || ok=0
	fi
	[ $ok = 1 ] || echo "# exit code $got, wanted $code and /$regex/"
	report $ok "$name"
}

# json NAME PYTHON-EXPRESSION-OF-v ARGUMENT...
json() {
	local name=$1 expr=$2 ok=1
	shift 2
	"$ctl" "$@" >"$dir/out" 2>"$dir/err"
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$dir/out" "$expr" || ok=0
	report $ok "$name"
}

echo "TAP version 13"
create=(pool create --dram dax0.0 --ssd /dev/null)

run "no command" 2 "no command was given"
run "unknown command" 2 'no command "lod"; did you mean "load"' lod
run "unknown second word" 2 'did you mean "pool create"' pool crate
run "nothing near" 2 "hymcctl help" frobnicate
run "half a command" 2 "pool needs a second word: create, destroy, list, show" pool
run "option before the command" 2 "the command comes first" --dram x pool create
run "unknown option, hint" 2 "no option --foce; did you mean --force" \
	"${create[@]}" --foce
run "unknown option, no hint" 2 "no option --zzz; .hymcctl help pool create" \
	"${create[@]}" --zzz
run "unknown option with value" 2 "did you mean --frame-size" \
	"${create[@]}" --framesize=1M
run "unknown short option" 2 "no option -x" "${create[@]}" -x
run "value for a flag" 2 "no option --force=1" "${create[@]}" --force=1
run "missing value" 2 "^hymcctl: --dram needs a value" pool create --dram
run "missing options" 2 "needs --dram DAX and --ssd PATH" pool create
run "missing option" 2 "needs --ssd PATH" pool create --dram dax0.0
run "superfluous operand" 2 'no operand like "x"' "${create[@]}" x
run "size: junk" 2 '--frame-size: "3X".*unit' "${create[@]}" --frame-size 3X
run "size: too large for it" 2 '--frame-size: 8G is too large' \
	"${create[@]}" --frame-size 8G
run "size: overflow" 2 "64 bits" "${create[@]}" --ssd-size 99999999999999T
run "size: zero" 2 "larger than 0" --verbose "${create[@]}" --dram-size 0
run "number: junk" 2 '--id: "one"' "${create[@]}" --id one
run "number: too large" 2 '--id: "4294967295"' "${create[@]}" --id 4294967295
run "policy" 2 'no policy "fifo", only stage and lru' "${create[@]}" --policy fifo
run "seconds" 2 '--delta: "soon"' stats --delta soon
run "seconds: not finite" 2 '--delta: "inf"' stats --delta inf
run "seconds: negative" 2 '--delta: "-1"' stats --delta -1
run "pool: missing" 2 "needs a pool" pool destroy
run "pool: junk" 2 '"/dev/sda" is no pool' pool destroy /dev/sda
run "pool: two" 2 "takes one pool, not 2" pool show 0 1
run "load: two files" 2 "takes one file" load a b
run "help of nothing" 2 'no command "foo"' help foo

run "help" 0 "" help
run "--help" 0 "" --help
run "help of a command" 0 "" help pool create
run "--help of a command" 0 "" pool create --help
[ "$("$ctl" help pool create)" = "$("$ctl" pool create --help)" ]
report $(($? == 0)) "both show the same"
for word in dram ssd dram-size ssd-size policy frame-size window dirty-max \
	segment-size blocks-max id force; do
	"$ctl" help pool create | grep -q -- "^  --$word " || echo "# $word"
done >"$dir/out"
report $((! $(wc -l <"$dir/out"))) "the help of pool create has all options"
run "version" 0 "" version
run "--version" 0 "" --version

json "version as JSON" 'v["version"] and v["module_loaded"] in (True, False)' \
	--json version
json "usage error as JSON" \
	'v["error"]["name"] == "usage" and "--ssd" in v["error"]["message"]' \
	pool create --dram x --json
json "--json may stand anywhere" 'v["error"]["name"] == "usage"' pool --json crate

if [ -e /sys/module/hymc ]; then
	n=$((n + 1))
	echo "ok $n - without the module # SKIP it is loaded"
else
	for cmd in "pool list" "pool show" "pool show 0" "stats" "stats 0"; do
		# shellcheck disable=SC2086
		run "$cmd: module not loaded" 4 "run .hymcctl load" $cmd
		# shellcheck disable=SC2086
		json "$cmd: the same as JSON" 'v["error"]["name"] == "ENOPKG"' \
			--json $cmd
	done
	run "unload: module not loaded" 5 "not loaded" unload
	run "load: no such file" 5 "/no/such.ko" load /no/such.ko
	if [ "$(id -u)" = 0 ]; then
		run "create: module not loaded" 4 "hymcctl load" "${create[@]}"
		run "options behind operands" 4 "hymcctl load" pool destroy 0 --force
		run "options before operands" 4 "hymcctl load" pool destroy --force 0
	fi
fi
"$ctl" help >/dev/full 2>"$dir/err"
report $(($? == 1)) "a full disk is a failure"
echo "1..$n"
exit $bad
