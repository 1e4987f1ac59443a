#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints where the parts of a kit are; fetches nothing.  See --help.

set -uo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
	cat <<EOF
Usage: tools/setup/kit.sh WHAT [NAME]

WHAT  kdir     directory for "make -C" to build a module with
      vmlinuz  kernel image
      modules  lib/modules/RELEASE of the kernel
      release  the kernel's release, as uname -r prints it
      source   kernel scripts (checkpatch.pl) and kselftest headers
      qemu     the QEMU program: the system's, or the kit's
      names    the names of the kernels this system can have
NAME  a kernel of tools/setup/kernels, default $DEFAULT_KERNEL

Exit status: 0; 1 when the kit is not there (setup.sh fetches it); 2 usage.
EOF
}

# need KIT TARGET [NAME]: stop with advice unless the kit is there.
need() {
	local kit=$1 target=$2

	shift 2
	kit_present "$kit" "$@" ||
		die "the $kit kit${1:+ $1} is not there yet; run: tools/setup/setup.sh $target"
}

# The image is in boot, or among the modules since Debian split the package.
kernel_image() {
	local place

	for place in "$1/boot/vmlinuz-$2" "$1/lib/modules/$2/vmlinuz"; do
		[ -f "$place" ] && echo "$place" && return
	done
	die "the kernel kit in $1 has no image; remove it and run setup.sh again"
}

kernel_part() {
	local what=$1 name=$2 path release target=vm

	[ "$name" = "$DEFAULT_KERNEL" ] || target="kernel $name"
	kernel_row "$name" >/dev/null || exit 1
	need kernel "$target" "$name"
	path=$(kit_path kernel "$name")
	read -r release <"$path/release"
	case $what in
	kdir) echo "$path/usr/src/linux-headers-$release" ;;
	vmlinuz) kernel_image "$path" "$release" ;;
	modules) echo "$path/lib/modules/$release" ;;
	release) echo "$release" ;;
	esac
}

qemu_part() {
	if [ "$(system_qemu_major)" -ge "$QEMU_MIN_MAJOR" ]; then
		command -v qemu-system-x86_64
		return
	fi
	need qemu vm
	echo "$(kit_path qemu)/qemu-system-x86_64"
}

main() {
	local what=${1:-} name=${2:-$DEFAULT_KERNEL}

	[ $# -le 2 ] || { usage >&2; exit 2; }
	case $what in
	kdir | vmlinuz | modules | release) kernel_part "$what" "$name" ;;
	source)
		need source check "$name"
		kit_path source "$name"
		;;
	qemu) qemu_part ;;
	names) printf '%s\n' "$(kernel_names)" ;;
	-h | --help) usage ;;
	*) usage >&2; exit 2 ;;
	esac
}

main "$@"
