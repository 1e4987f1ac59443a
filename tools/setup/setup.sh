#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what building, running and checking HyMCache needs on Debian 12 or
# 13.  Packages of the running release are installed with apt; kernels, QEMU 11
# and the kernel's check scripts are unpacked beside the system into a cache
# directory (kits, see Documentation/vm.rst).  Nothing else changes: no package
# source and no service is added, no kernel is installed.
#
# When everything is there, it prints nothing and touches no network.

set -uo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source-path=SCRIPTDIR source=apt-private.sh disable=SC1091
. "$SETUP_DIR/apt-private.sh"
# shellcheck source-path=SCRIPTDIR source=kits.sh disable=SC1091
. "$SETUP_DIR/kits.sh"

usage() {
	cat <<EOF
Usage: tools/setup/setup.sh TARGET
       tools/setup/setup.sh kernel NAME

TARGET  build   compiler and libraries to build the programs and the module
        vm      build, and what the virtual machine needs: QEMU, a kernel
        check   vm, and the static checkers
        all     the same as check
NAME    a kernel of tools/setup/kernels: $(kernel_names)

Kits are kept in \$HYMC_CACHE (now: $CACHE_DIR).
EOF
}

# packages_of TARGET: the packages of a target and of those it includes.
packages_of() {
	local targets

	case $1 in
	build) targets='build' ;;
	vm | kernel) targets='build vm' ;;
	check | all) targets='build vm check' ;;
	esac
	table_rows "$SETUP_DIR/packages" | awk -v targets=" $targets " \
		'index(targets, " " $1 " ") { print $2 }'
}

# missing_packages PACKAGE...: those that dpkg does not have installed.
missing_packages() {
	# shellcheck disable=SC2016	# dpkg's own ${...} fields
	{
		dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null
		printf '%s wanted\n' "$@"
	} | awk '$2 == "installed" { have[$1] = 1 }
		 $2 == "wanted" && !have[$1] { print $1 }'
}

explain_not_root() {
	cat >&2 <<EOF
setup: these packages are missing and installing them needs root:
setup:   $*
setup: nothing was changed.  Run as root (for example with sudo):

apt-get update
apt-get install --no-install-recommends $*

setup: then run this command again.
EOF
	exit 1
}

install_packages() {
	local -a missing

	mapfile -t missing < <(missing_packages "$@")
	[ "${#missing[@]}" -gt 0 ] || return 0
	require_debian
	[ "$(id -u)" = 0 ] || explain_not_root "${missing[@]}"
	say "installing with apt: ${missing[*]}"
	# A broken source of another vendor must not stop what Debian has.
	retry "the package lists" apt-get -qq update ||
		say "going on with the package lists that are there"
	retry "a package" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
		apt-get -qq -y -o DPkg::Lock::Timeout=300 \
		--no-install-recommends install "${missing[@]}" || exit 1
}

# The kits a target needs, one "KIT [NAME]" per line.
kits_of() {
	case $1 in
	vm | check | all)
		[ "$(system_qemu_major)" -ge "$QEMU_MIN_MAJOR" ] || echo qemu
		echo "kernel $DEFAULT_KERNEL"
		;;
	esac
	case $1 in
	check | all) echo "source $DEFAULT_KERNEL" ;;
	kernel) echo "kernel $2" ;;
	esac
}

# The compiler that a kernel's headers ask for, e.g. gcc-12.
kernel_compiler() {
	local path release

	path=$(kit_path kernel "$1")
	read -r release <"$path/release"
	sed -n 's/^CC = .*\(gcc-[0-9]\+\)$/\1/p' \
		"$path/usr/src/linux-headers-$release/.kernelvariables"
}

# Whether apt's package lists have a package.
in_lists() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

# A kernel of another Debian release may want another compiler for modules.
install_compiler() {
	local compiler

	compiler=$(kernel_compiler "$1")
	case $compiler in
	'' | "$(readlink "$(command -v gcc)")") return 0 ;;
	esac
	command -v "$compiler" >/dev/null && return 0
	if ! in_lists libc6 && [ "$(id -u)" = 0 ]; then
		retry "the package lists" apt-get -qq update || exit 1
	fi
	if in_lists "$compiler"; then
		install_packages "$compiler"
	else
		say "kernel $1 boots, but modules for it cannot be built here: this Debian has no $compiler"
	fi
}

main() {
	local target=${1:-} kit name
	local -a packages

	case $target:$# in
	build:1 | vm:1 | check:1 | all:1) ;;
	kernel:2) kernel_row "$2" >/dev/null || exit 1 ;;
	-h:* | --help:*) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	mapfile -t packages < <(packages_of "$target")
	install_packages "${packages[@]}"
	kits_of "$@" | while read -r kit name; do
		# shellcheck disable=SC2086	# an empty name is no argument
		kit_make "$kit" $name </dev/null || exit 1
	done || exit 1
	[ "$target" != kernel ] || install_compiler "$2"
}

main "$@"
