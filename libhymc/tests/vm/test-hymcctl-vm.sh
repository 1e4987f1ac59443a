#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hymcctl with the real module, a dax device bound to device_dax and three drives:
# every refusal of "pool create" names its reason and touches nothing, and what is
# shown agrees with itself. To be run in the guest, by libhymc/tests/vm/run.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
PATH=$PATH:/sbin:/usr/sbin
ctl=${BUILD:-build}/hymcctl
calls=${BUILD:-build}/tests/lib/test-calls
ssd=/dev/nvme0n1 spare=/dev/nvme1n1 small=/dev/nvme2n1
dir=$(mktemp -d)
n=0 bad=0

# report OK NAME
report() {
	n=$((n + 1))
	if [ "$1" = 1 ]; then
		echo "ok $n - $2"
		return
	fi
	echo "not ok $n - $2"
	sed 's/^/# /' "$dir/out" "$dir/err"
	bad=1
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

driver() {
	basename "$(readlink /sys/bus/dax/devices/dax0.0/driver || echo none)"
}

# run NAME CODE STDERR-REGEX ARGUMENT...: each regex of "a|&|b" must match
run() {
	local name=$1 code=$2 regex=$3 got ok=1
	shift 3
	"$ctl" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$code" ] || ok=0
	while [ -n "$regex" ]; do
		grep -Eq -- "${regex%%|&|*}" "$dir/err" || ok=0
		case $regex in
		*'|&|'*) regex=${regex#*|&|} ;;
		*) regex= ;;
		esac
	done
	[ $ok = 1 ] || echo "# exit code $got, wanted $code"
	report $ok "$name"
}

# refused NAME CODE REGEX SSD ARGUMENT...: and nothing changed
refused() {
	local name=$1 code=$2 regex=$3 dev=$4 before after=''
	shift 4
	before=$(head -c 2097152 "$dev" 2>/dev/null | sha256sum; driver; "$ctl" pool list)
	run "$name" "$code" "$regex" pool create --dram dax0.0 --ssd "$dev" "$@"
	after=$(head -c 2097152 "$dev" 2>/dev/null | sha256sum; driver; "$ctl" pool list)
	[ "$before" = "$after" ]
	report $(($? == 0)) "$name: nothing was touched"
}

# python NAME CODE: code sees run(ARGS) -> object
python() {
	python3 - "$ctl" >"$dir/out" 2>"$dir/err" <<END
import json, subprocess, sys
def run(*args):
    return json.loads(subprocess.run([sys.argv[1], *args, "--json"], check=False,
                                     capture_output=True).stdout)
def text(*args):
    return subprocess.run([sys.argv[1], *args], check=True, capture_output=True,
                          text=True).stdout
$2
END
	report $(($? == 0)) "$1"
}

echo "TAP version 13"
[ "$(driver)" = device_dax ]
report $(($? == 0)) "dax0.0 is bound to device_dax to begin with"

# From another network namespace.
if unshare -n true 2>/dev/null; then
	unshare -n "$ctl" pool list >"$dir/out" 2>"$dir/err"
	rc=$?
	grep -q "initial network namespace" "$dir/err" || [ $rc = 0 ]
	report $(($? == 0)) "another network namespace is no riddle (exit code $rc)"
fi

# What is not an SSD.
refused "no such device" 5 "no block device /dev/nope" /dev/nope
refused "a regular file" 1 "regular file|&|losetup" "$0"
refused "the NVMe controller" 1 "NVMe controller" "${ssd%n1}"
blockdev --setro $spare
refused "read-only" 1 "$spare is read-only" $spare
blockdev --setrw $spare
refused "larger than the drive" 1 "$small has 64 MiB, less than the 1 GiB" \
	$small --ssd-size 1G
refused "larger than the DRAM" 1 "dax0.0 has .*, less than the 1 TiB" \
	$ssd --dram-size 1T
refused "a log that does not fit" 1 "small|&|bytes" $ssd --ssd-size 1M
refused "bad geometry, seen by the kernel" 1 "segment|geometry" \
	$ssd --segment-size 12345
refused "a number too large for a pool" 1 "id: .*range" $ssd --id 4000000000
[ "$(driver)" = device_dax ]
report $(($? == 0)) "dax0.0 has its driver again after that"
run "no such dax device" 5 "no dax device dax7.7; there are: dax0.0 .*device_dax" \
	pool create --dram dax7.7 --ssd $ssd

# Who uses it.
mkfs.ext4 -q -L precious $spare
refused "a filesystem" 7 "$spare has a filesystem .ext4, label \"precious\"" $spare
mkdir "$dir/mnt"
mount -o ro,noload $spare "$dir/mnt"
refused "mounted" 6 "$spare is in use: nvme1n1 is mounted on $dir/mnt .ext4" \
	$spare --force
umount "$dir/mnt"
wipefs -qa $spare >/dev/null
mkswap -q $small && swapon $small
refused "swap space in use" 6 "is swap space" $small --force
swapoff $small
refused "swap space" 7 "swap" $small
if command -v dmsetup >/dev/null; then
	dmsetup create --noudevsync hymctest --table "0 2048 linear $small 0"
	refused "under a dm device" 6 "is part of dm-0 ./dev/mapper/hymctest" \
		$small --force
	dmsetup remove --noudevsync hymctest
else
	skip "under a dm device" "there is no dmsetup"
fi
# Two partitions of 64 MiB in a table made by hand: type 83, 2048 + 131072 sectors.
{
	head -c 446 /dev/zero
	printf '\0\0\2\0\203\0\2\0\0\10\0\0\0\0\2\0'
	printf '\0\0\2\0\203\0\2\0\0\10\2\0\0\0\2\0'
	head -c 32 /dev/zero
	printf '\125\252'
} | dd of=$spare conv=notrunc status=none
blockdev --rereadpt $spare 2>/dev/null
refused "a partition table" 7 "$spare has a partition table .dos" $spare
mkfs.ext4 -q ${spare}p2 && mount -o ro,noload ${spare}p2 "$dir/mnt"
refused "a mounted partition" 6 "nvme1n1p2 is mounted on" $spare --force
umount "$dir/mnt"
wipefs -qa ${spare}p2 $spare >/dev/null 2>&1

# The good way.
run "create says what it takes" 0 "taking dax0.0 from its driver device_dax" \
	pool create --dram /dev/dax0.0 --ssd $ssd --frame-size 256K --id 4
[ "$(cat "$dir/out")" = /dev/hymc4 ] && [ -c /dev/hymc4 ]
report $(($? == 0)) "it prints the node, which exists"
run "the DRAM again" 6 "dax0.0 is the DRAM of the pool /dev/hymc4" \
	pool create --dram dax0.0 --ssd $small --force
python "parameters arrive" '
p = run("pool", "show", "4")
assert p["frame_bytes"] == 256 << 10 and p["policy"] == "stage", p
assert p["dram"]["name"] == "dax0.0" and p["ssd"]["path"] == "/dev/nvme0n1", p
assert p["state"] == "online" and p["open_by"] == [], p
assert [q["pool"] for q in run("pool", "list")] == [4]
'
run "no such pool" 5 "there is no pool 0" pool show 0
run "no such pool to destroy" 5 "there is no pool 0" pool destroy 0
run "unload with a pool" 6 "in use: /dev/hymc4" unload

# Use it. test-calls ends the pool.
"$calls" 4 >"$dir/out" 2>"$dir/err"
calls_rc=$?
sed 's/^/# /' "$dir/out"
: >"$dir/out"
report $((calls_rc == 0)) "the library's calls"
run "its pool ended" 5 "no pool 4" pool show 4

run "what is left of it is a signature" 7 "a pool of hymc" \
	pool create --dram dax0.0 --ssd $ssd
run "force says what is given up" 0 "giving up what is on $ssd: a pool of hymc" \
	pool create --dram dax0.0 --ssd $ssd --force --policy lru \
	--dram-size 128M --ssd-size 512M --window 16M --dirty-max 32M \
	--segment-size 64M --blocks-max 5000
python "all parameters arrive" '
p = run("pool", "show")
assert p["policy"] == "lru" and p["dram"]["bytes"] == 128 << 20, p
assert p["ssd"]["bytes"] <= 512 << 20 and p["window_bytes"] == 16 << 20, p
assert p["dirty_max_bytes"] == 32 << 20 and p["segment_bytes"] == 64 << 20, p
assert p["blocks_max"] == 5000 and p["frame_bytes"] == 1 << 20, p
'
"${calls%/*}/example" >"$dir/out" 2>"$dir/err" &&
	[ "$(grep -c '100000 bytes in .* first byte [abc]$' "$dir/out")" = 3 ]
report $(($? == 0)) "the example of the manual runs"
exec 5<>/dev/hymc0
python "tables and JSON show the same" '
s = run("stats", "0")
table = text("stats", "0").splitlines()[1:]
rows = {l.split()[0]: int(l.split()[1]) for l in table if not l.startswith("lead ")}
assert rows == s["stats"], (rows, s["stats"])
p = run("pool", "show", "0")
now = {k: v for k, v in s["stats"].items() if k in p["now"]}
assert now == p["now"], (now, p["now"])
assert s["stats"]["files"] == 1
assert len(p["open_by"]) == 1 and p["open_by"][0]["name"] == "test-hymcctl-vm", p["open_by"]
d = run("stats", "0", "--delta", "0.3")
assert d["seconds"] >= 0.3 and d["stats"]["put_blocks"] == 0, d
assert d["per_second"].keys() <= d["stats"].keys(), d
assert "frames_total" not in d["per_second"], d
assert [x["pool"] for x in run("stats")] == [0]
'
run "destroy names the holder" 6 "opened by test-hymcctl-vm .$$." pool destroy 0
run "unload names the holder" 6 "/dev/hymc0, opened by test-hymcctl-vm" unload
if command -v setpriv >/dev/null; then
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" "$ctl" pool list >"$dir/out" 2>"$dir/err"
	report $(($? == 0)) "anybody may list pools"
	"${user[@]}" "$ctl" pool destroy 0 >"$dir/out" 2>"$dir/err"
	report $(($? == 3)) "only root may end one"
	"${user[@]}" "$ctl" unload >"$dir/out" 2>"$dir/err"
	report $(($? == 3)) "only root may unload"
else
	skip "not root" "there is no setpriv"
fi
run "destroy by force" 0 "" pool destroy /dev/hymc0 --force
exec 5>&-
run "no pool to show" 5 "there is no pool" pool show

# The module.
run "unload" 0 "" unload
run "unload again" 5 "not loaded" unload
run "create without the module" 4 "hymcctl load" pool create --dram dax0.0 --ssd $ssd
run "load" 0 "" load
run "load again" 0 "" load
grep -q already "$dir/out"
report $(($? == 0)) "it says that it was loaded"
run "unload once more" 0 "" unload
ko=$(modinfo -n hymc)
run "load from a file" 0 "" load "$ko"
run "unload that" 0 "" unload
other=$(modinfo -n loop)
run "a file that is another module" 1 "is not the module hymc" load "$other"
run "load from a file that is no module" 1 "" load "$0"
run "load the good one" 0 "" load

# System RAM: last, for it does not come back.
echo dax0.0 >/sys/bus/dax/drivers/device_dax/unbind 2>/dev/null
modprobe kmem && echo dax0.0 >/sys/bus/dax/drivers/kmem/new_id 2>/dev/null
[ "$(driver)" = kmem ]
report $(($? == 0)) "dax0.0 is bound to kmem"
refused "System RAM" 6 "System RAM .driver kmem|&|daxctl reconfigure-device" \
	$ssd --force
echo "1..$n"
rm -rf "$dir"
exit $bad
