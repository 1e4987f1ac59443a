# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Making kits: things unpacked beside the system under the cache directory.
# A kit is built in a temporary directory next to its place and renamed when
# complete, so that an interrupted run leaves nothing half made; the next run
# removes the remains.  Needs common.sh and apt-private.sh.

# Largest space a kit takes while it is made, in MiB.
KIT_SPACE_MIB=1500

# kit_make KIT [NAME]: make a kit unless it is there already.
kit_make() {
	local path id

	kit_present "$@" && return 0
	require_debian
	path=$(kit_path "$@")
	id=$(kit_id "$@") || exit 1
	mkdir -p "$CACHE_DIR" ||
		die "the cache directory $CACHE_DIR cannot be created; set HYMC_CACHE to a directory you can write to"
	(
		flock -n 9 || say "waiting for another setup to finish"
		flock -w 900 9 ||
			die "another setup has held $CACHE_DIR/lock for 15 minutes; if it hangs, end it and run this again"
		kit_present "$@" && exit 0
		kit_build "$path" "$id" "$@"
	) 9>"$CACHE_DIR/lock" || exit 1
}

# Runs in a subshell of its own with the cache lock held.
kit_build() {
	local path=$1 id=$2 kit=$3 name=${4:-} work

	check_space
	rm -rf "$CACHE_DIR"/.making.*
	work=$(mktemp -d "$CACHE_DIR/.making.XXXXXX")
	# shellcheck disable=SC2064	# the value of now is wanted
	trap "rm -rf '$work'" EXIT
	trap 'exit 1' INT TERM HUP
	mkdir "$work/kit"
	APT_PRIVATE=$work/apt
	"kit_build_$kit" "$work" "$path" "$name" || exit 1
	{ printf '%s\n' "$id"; cat "$work/versions"; } >"$work/kit/stamp"
	rm -rf "$path"
	mv "$work/kit" "$path"
}

check_space() {
	local free

	free=$(df --output=avail -m "$CACHE_DIR" | tail -n1)
	[ "$free" -ge "$KIT_SPACE_MIB" ] ||
		die "$CACHE_DIR has $free MiB free, but up to $KIT_SPACE_MIB MiB are needed; free some space or set HYMC_CACHE to another place"
}

# QEMU from trixie-backports with all its libraries, started through its own
# dynamic loader, so that the system's C library does not matter.
kit_build_qemu() {
	local work=$1 path=$2

	say "fetching QEMU $QEMU_MIN_MAJOR from trixie-backports (38 MB, unpacked beside the system in $path)"
	apt_private_init trixie-backports trixie || return 1
	retry "QEMU" apt_private apt-get -qq -y --download-only \
		-t trixie-backports install qemu-system-x86 || return 1
	say "unpacking QEMU"
	apt_private_unpack "$work/kit/root" >"$work/versions" || return 1
	rm -rf "$work/kit/root/usr/share/doc" "$work/kit/root/usr/share/locale"
	qemu_wrapper "$path" >"$work/kit/qemu-system-x86_64"
	chmod 755 "$work/kit/qemu-system-x86_64"
}

qemu_wrapper() {
	cat <<EOF
#!/bin/sh
# Runs the unpacked QEMU through its own loader, libraries and data files.
kit=$1
lib=\$kit/root/usr/lib/x86_64-linux-gnu
share=\$kit/root/usr/share
QEMU_MODULE_DIR=\$lib/qemu
export QEMU_MODULE_DIR
exec "\$kit/root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$lib" \\
	"\$kit/root/usr/bin/qemu-system-x86_64" \\
	-L "\$share/qemu" -L "\$share/seabios" "\$@"
EOF
}

# in_suites SUITES WHAT COMMAND...: go through the suites (separated by commas)
# until the command, run with the private apt set up for one of them, prints
# something; print the suite and that.
in_suites() {
	local suites=$1 what=$2 suite found

	shift 2
	for suite in ${suites//,/ }; do
		[ -n "$(suite_source "$suite")" ] || continue
		apt_private_init "$suite" || continue
		found=$("$@")
		[ -n "$found" ] && printf '%s %s\n' "$suite" "$found" && return 0
	done
	say "$what was found in none of these Debian suites: ${suites//,/ } (their addresses are derived from /etc/apt)"
	return 1
}

# newest_package PREFIX PATTERN: name of the newest package that matches.
newest_package() {
	apt_private apt-cache pkgnames "$1" | grep -Ex "$2" | sort -V | tail -n1
}

# linux_packages PACKAGE...: these and what they need of the kernel's own
# packages (kbuild, common headers, and the parts of a split image).
linux_packages() {
	apt_private apt-cache depends --recurse --no-recommends --no-suggests \
		--no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
		grep -Ex 'linux-[a-z0-9.+-]+' |
		grep -Ev -e '^linux-base$' -e '-unsigned$' -e '^linux-libc-dev' |
		sort -u
}

kit_build_kernel() {
	local work=$1 path=$2 name=$3 row suites pattern found suite release

	row=$(kernel_row "$name") || return 1
	read -r _ _ suites pattern <<<"$row"
	found=$(in_suites "$suites" "a kernel for '$name'" \
		newest_package linux-image- "$pattern") || return 1
	read -r suite release <<<"$found"
	release=${release#linux-image-}
	say "fetching the kernel $release and its headers from $suite (about 125 MB, unpacked beside the system in $path)"
	kernel_fetch "$release" || return 1
	say "unpacking the kernel"
	apt_private_unpack "$work/kit" >"$work/versions" || return 1
	printf '%s\n' "$release" >"$work/kit/release"
	kernel_fix_headers "$work/kit" "$path" "$release" || return 1
	kernel_fix_modules "$work/kit" "$release"
}

kernel_fetch() {
	local release=$1
	local -a packages

	mapfile -t packages < <(linux_packages "linux-image-$release" \
		"linux-headers-$release")
	[ "${#packages[@]}" -ge 2 ] || {
		say "the packages of kernel $release were not found"
		return 1
	}
	retry "the kernel $release" apt_private_download "${packages[@]}"
}

# The packages point to each other by absolute paths, which lead to the system
# and not to the kit: make the paths relative or name the kit's final place.
kernel_fix_headers() {
	local kit=$1 path=$2 release=$3 headers link target

	headers=usr/src/linux-headers-$release
	[ -f "$kit/$headers/Makefile" ] || {
		say "the headers package of $release has no Makefile"
		return 1
	}
	grep -rIlE '(^|[[:space:]"=:])/usr/(src|lib)/linux-' \
		"$kit/$headers/Makefile" "$kit"/usr/src/linux-*/Makefile |
		sort -u | xargs -r sed -i -E "s#(^|[[:space:]\"=:])/usr/(src|lib)/linux-#\\1$path/usr/\\2/linux-#g"
	find "$kit" -type l -lname '/*' | while IFS= read -r link; do
		target=$(readlink "$link")
		[ -e "$kit$target" ] &&
			ln -sfnr "$kit$target" "$link"
	done
	return 0
}

# Modules are kept uncompressed: depmod then takes half a second for the whole
# tree instead of six, which every boot with a new hymc.ko has to wait for.
kernel_fix_modules() {
	local kit=$1 release=$2

	# A merged-/usr package has the modules below /usr/lib.
	[ -d "$kit/lib/modules" ] || ln -s usr/lib "$kit/lib"
	say "indexing the modules of $release"
	find "$kit/lib/modules/" -name '*.ko.xz' -print0 |
		xargs -0 -r -n64 -P2 xz -d || return 1
	find "$kit/lib/modules/" -name '*.ko.zst' -print0 |
		xargs -0 -r -n64 -P2 zstd -q -d --rm || return 1
	rm -rf "${kit:?}/usr/share" "$kit/boot"/System.map-* "$kit/lib/modules/$release/System.map"
	depmod -b "$kit" "$release"
}

# What the kernel's source package offers to a project outside the kernel tree.
SOURCE_FILES=(
	scripts/checkpatch.pl
	scripts/const_structs.checkpatch
	scripts/spelling.txt
	scripts/checkincludes.pl
	scripts/kernel-doc
	scripts/kernel-doc.py
	scripts/lib/kdoc/*
	tools/testing/selftests/kselftest.h
	tools/testing/selftests/kselftest_harness.h
	tools/testing/selftests/kselftest/*
	tools/testing/selftests/lib.mk
)

kit_build_source() {
	local work=$1 path=$2 name=$3 row suites found suite package

	row=$(kernel_row "$name") || return 1
	read -r _ _ suites _ <<<"$row"
	found=$(in_suites "$suites" "linux-source-$name" \
		newest_package linux-source- "linux-source-${name//./\\.}") || return 1
	read -r suite package <<<"$found"
	say "fetching the kernel's check scripts and test headers from $package in $suite (about 145 MB, of which 1 MB is kept in $path)"
	retry "$package" apt_private_download "$package" || return 1
	say "extracting (20 s)"
	source_extract "$work" "$name"
}

source_extract() {
	local work=$1 name=$2 deb

	deb=$(echo "$APT_PRIVATE"/archives/linux-source-*.deb)
	# shellcheck disable=SC2016	# dpkg's own ${...} fields
	dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb" >"$work/versions"
	# Patterns that match nothing in this version make tar complain and fail;
	# what matters is checked by name below.
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO "./usr/src/linux-source-$name.tar.xz" |
		xz -dc | tar -x -C "$work/kit" --strip-components=1 --wildcards \
			"${SOURCE_FILES[@]/#/linux-source-$name/}" 2>/dev/null
	if [ ! -f "$work/kit/scripts/checkpatch.pl" ] ||
		[ ! -f "$work/kit/tools/testing/selftests/kselftest_harness.h" ]; then
		say "linux-source-$name does not have the expected files"
		return 1
	fi
}
