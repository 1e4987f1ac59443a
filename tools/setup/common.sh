# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by setup.sh and kit.sh: messages, where the kits live, which Debian
# this is, and the tables "packages" and "kernels".  Sourcing this file changes
# nothing and touches no network.

SETUP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034	# for the scripts that source this
readonly DEFAULT_KERNEL=6.12 QEMU_MIN_MAJOR=11
export LC_ALL=C

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
	printf 'setup: error: %s\n' "$*" >&2
	exit 1
}

# The directory that holds all kits.  make and -L options cannot carry blanks
# or colons, so such a place is refused here instead of failing later.
cache_dir() {
	local dir=${HYMC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/hymc}

	case $dir in
	*[[:space:]:,]*)
		die "the cache path '$dir' has a blank, comma or colon, which make and QEMU cannot handle; set HYMC_CACHE to another directory" ;;
	/*) printf '%s\n' "$dir" ;;
	*) die "HYMC_CACHE must be an absolute path, not '$dir'" ;;
	esac
}

CACHE_DIR=$(cache_dir) || exit 1

# Codename of the running Debian (bookworm, trixie), empty when it is none.
host_codename() {
	(
		# shellcheck source=/dev/null
		. /etc/os-release 2>/dev/null || exit 0
		[ "${ID:-}" = debian ] && printf '%s\n' "${VERSION_CODENAME:-}"
	) || true
}

require_debian() {
	case $(host_codename) in
	bookworm | trixie) ;;
	*) die "only Debian 12 (bookworm) and Debian 13 (trixie) are supported; on another system install the packages named in $SETUP_DIR/packages by hand" ;;
	esac
	[ "$(dpkg --print-architecture)" = amd64 ] ||
		die "only the amd64 architecture is supported"
}

# table_rows FILE: the rows of a table without comments and blank lines.
table_rows() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# kernel_row NAME: "NAME HOST SUITES IMAGE" of the line for this host.
kernel_row() {
	local row

	row=$(table_rows "$SETUP_DIR/kernels" |
		awk -v name="$1" -v host="$(host_codename)" \
			'$1 == name && ($2 == host || $2 == "any") { print; exit }')
	[ -n "$row" ] || die "no kernel called '$1'; known here: $(kernel_names)"
	printf '%s\n' "$row"
}

kernel_names() {
	table_rows "$SETUP_DIR/kernels" |
		awk -v host="$(host_codename)" \
			'($2 == host || $2 == "any") && !seen[$1]++ { printf "%s%s", sep, $1; sep = " " }'
}

# Version of the system's own QEMU (major number), 0 when there is none.
system_qemu_major() {
	local version

	version=$(qemu-system-x86_64 --version 2>/dev/null) || { echo 0; return; }
	version=${version#*version }
	case ${version%%.*} in
	'' | *[!0-9]*) echo 0 ;;
	*) echo "${version%%.*}" ;;
	esac
}

# A kit is a directory of the cache; its stamp, written last, lists what it was
# made from.  kit_path KIT [NAME] prints where the kit is or would be.
kit_path() { printf '%s/%s%s\n' "$CACHE_DIR" "$1" "${2:+-$2}"; }

# kit_id KIT [NAME]: first line of a valid stamp.  When a table row or the kit
# format changes, the id changes and the kit is made anew.
kit_id() {
	local format=1

	case $1 in
	kernel) printf 'format %s: %s\n' "$format" "$(kernel_row "$2" | tr -s '[:space:]' ' ')" ;;
	*) printf 'format %s: %s for %s\n' "$format" "$1${2:+ $2}" "$(host_codename)" ;;
	esac
}

kit_present() {
	local path stamp

	path=$(kit_path "$@")
	[ -f "$path/stamp" ] && IFS= read -r stamp <"$path/stamp" &&
		[ "$stamp" = "$(kit_id "$@")" ]
}
