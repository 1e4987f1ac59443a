#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hymcctl refuses what cannot be a pool, in a sentence that names it, and touches nothing.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

need_pool_devices

# refused NAME STATUS PATTERN... -- OPTION...: "pool create" with these options
# must end with that status, say all the patterns, and make no pool.
refused() {
	local name=$1 want=$2 out got
	local -a patterns=()

	shift 2
	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	shift
	out=$(ctl pool create "$@" 2>&1)
	got=$?
	is "$name: status" "$want" "$got"
	has "$name: sentence" "$out" "${patterns[@]}"
	is "$name: no pool" "there is no pool" "$(ctl pool list)"
}

# untouched NAME PATH COMMAND...: the drive's bytes are the same afterwards.
untouched() {
	local name=$1 path=$2 before

	shift 2
	before=$(sha256sum <"$path")
	"$@"
	blockdev --flushbufs "$path"
	is "$name: content" "$before" "$(sha256sum <"$path")"
}

DRAM=(--dram "$HYMC_DAX")
SSD=(--ssd "$HYMC_SSD" --force)

# --- drives ---
refused "a drive that is not there" 5 /dev/no-such-drive -- \
	"${DRAM[@]}" --ssd /dev/no-such-drive
echo bytes >"$WORK/file"
refused "a regular file" 1 "$WORK/file" "not a block device" -- \
	"${DRAM[@]}" --ssd "$WORK/file"
is "a regular file: content" bytes "$(cat "$WORK/file")"
refused "a directory" 1 "$WORK" "not a block device" -- \
	"${DRAM[@]}" --ssd "$WORK"
refused "a character device" 1 /dev/null "not a block device" -- \
	"${DRAM[@]}" --ssd /dev/null

nullb_make hymc-tiny 1 || bail_out "no drive"
untouched "a drive too small" "$NULLB" \
	refused "a drive too small" 1 "$NULLB|${NULLB#/dev/}" "small|less|needed" -- \
	"${DRAM[@]}" --ssd "$NULLB"

nullb_make hymc-drive 16 || bail_out "no drive"
drive=$NULLB
blockdev --setro "$drive"
untouched "a read-only drive" "$drive" \
	refused "a read-only drive" 1 "$drive" "read-only" -- \
	"${DRAM[@]}" --ssd "$drive"
blockdev --setrw "$drive"
refused "more than the drive has" 1 "$drive|${drive#/dev/}" "asked for" -- \
	"${DRAM[@]}" --ssd "$drive" --ssd-size 1G

mkfs.ext4 -q -L precious "$drive"
untouched "a filesystem" "$drive" \
	refused "a filesystem" 7 "$drive" "ext4" "precious" "force" -- \
	"${DRAM[@]}" --ssd "$drive"
mkdir "$WORK/mnt"
mount "$drive" "$WORK/mnt"
refused "a mounted filesystem" 6 "$drive" "in use" "mounted on $WORK/mnt" -- \
	"${DRAM[@]}" --ssd "$drive"
refused "a mounted filesystem, by force" 6 "$drive" "in use" -- \
	"${DRAM[@]}" --ssd "$drive" --force
echo kept >"$WORK/mnt/file"
umount "$WORK/mnt"
check "the filesystem is whole" e2fsck -fn "$drive"
wipefs -qa "$drive"

# A partition table, as an installer leaves it: one partition of type 83.
printf '\x80\0\0\0\x83\0\0\0\0\x08\0\0\0\xf0\x01\0' |
	dd of="$drive" bs=1 seek=446 conv=notrunc status=none
printf '\x55\xaa' | dd of="$drive" bs=1 seek=510 conv=notrunc status=none
untouched "a partition table" "$drive" \
	refused "a partition table" 7 "$drive" "partition table" "force" -- \
	"${DRAM[@]}" --ssd "$drive"
check "by force, it becomes a pool" \
	ctl pool create "${DRAM[@]}" "${TINY[@]}" --ssd-size 12M --segment-size 2M --ssd "$drive" \
	--force --id 0
destroyed "the pool ends"
untouched "another pool" "$drive" \
	refused "another pool" 7 "$drive" "pool of hymc" "force" -- \
	"${DRAM[@]}" --ssd "$drive"

# --- the memory ---
refused "a dax device that is not there" 5 dax7.7 "$HYMC_DAX" -- \
	--dram dax7.7 "${SSD[@]}"
refused "more memory than there is" 1 "$HYMC_DAX" "asked for" -- \
	"${DRAM[@]}" "${SSD[@]}" --dram-size 1T
refused "memory that is no multiple of 2 MiB" 1 "multiple of (2 MiB|2097152)" -- \
	"${DRAM[@]}" "${SSD[@]}" --dram-size 5M
for size in 1000 32K 96K 128M; do
	refused "a frame size of $size" 1 "power of two" -- \
		"${DRAM[@]}" "${SSD[@]}" --frame-size $size
done

# Bound to the stock driver, the device is taken from it, and that is said.
modprobe device_dax
echo "$HYMC_DAX" >/sys/bus/dax/drivers/device_dax/new_id 2>/dev/null
[ -e "/sys/bus/dax/devices/$HYMC_DAX/driver" ] ||
	echo "$HYMC_DAX" >/sys/bus/dax/drivers/device_dax/bind
check "the device is bound to device_dax" \
	test -e "/sys/bus/dax/devices/$HYMC_DAX/driver"
out=$(pool_create "${TINY[@]}" 2>&1)
is "it is taken from the driver" 0 $?
has "and that is said" "$out" "device_dax"
destroyed "the pool ends"

# --- a second pool ---
must_create "${TINY[@]}"
out=$(ctl pool create "${DRAM[@]}" --ssd "$drive" --force 2>&1)
is "a second pool on the same memory: status" 6 $?
has "a second pool on the same memory: sentence" "$out" "$HYMC_DAX" "/dev/hymc0"
out=$(ctl pool create "${DRAM[@]}" --ssd "$HYMC_SSD" --force 2>&1)
is "a second pool on the same drive: status" 6 $?
has "a second pool on the same drive: sentence" "$out" "/dev/hymc0"
out=$(mkfs.ext4 -F -q "$HYMC_SSD" 2>&1)
is "a filesystem is not made on a pool's drive" 1 "$(($? != 0))"
out=$(mount "$HYMC_SSD" "$WORK/mnt" 2>&1)
is "nor is the drive mounted" 1 "$(($? != 0))"
check "the pool is undisturbed" ctl stats 0
destroyed "the pool ends"

# --- people ---
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
out=$(as_nobody "$HYMCCTL" pool create "${DRAM[@]}" "${SSD[@]}" 2>&1)
is "not root: status" 3 $?
has "not root: sentence" "$out" "root|CAP_SYS_ADMIN|not allowed|ermission"
out=$(ctl pool create --dram "$HYMC_DAX" 2>&1)
is "without a drive: status" 2 $?
has "without a drive: sentence" "$out" "--ssd"
out=$(ctl pool destroy 5 2>&1)
is "destroying no pool: status" 5 $?
has "destroying no pool: sentence" "$out" "no pool"
ctl unload >/dev/null
out=$(ctl pool create "${DRAM[@]}" "${SSD[@]}" 2>&1)
is "without the module: status" 4 $?
has "without the module: sentence" "$out" "not loaded" "hymcctl load"
finish
