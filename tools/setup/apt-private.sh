# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A private apt: own lists, state and archives below a directory of ours, so
# that packages of another suite can be downloaded, with the signatures and
# checksums verified by apt as always, without root and without changing the
# system's sources.  Needs common.sh, and APT_PRIVATE naming the directory.

DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_sources: the system's own package sources, one "URI SUITE KEYRING" per
# line, from .sources (deb822) and .list files.  KEYRING is "-" when unsaid.
apt_sources() {
	local etc=/etc/apt

	find "$etc/sources.list.d" -maxdepth 1 -name '*.sources' \
		-exec awk -f "$SETUP_DIR/sources-deb822.awk" {} \; 2>/dev/null
	find "$etc/sources.list" "$etc/sources.list.d" -maxdepth 1 \
		-name '*.list' -exec awk -f "$SETUP_DIR/sources-list.awk" {} \; \
		2>/dev/null
}

# suite_source SUITE: a sources.list line for a Debian suite.  The suite itself
# may be configured; otherwise it is fetched from where this release's own
# suite of the same archive (main or security) is fetched.  Other vendors use
# Debian's suite names too, so sources that name Debian's keyring or end in
# "/debian" go first; a wrong guess cannot pass apt's signature check.
suite_source() {
	local suite=$1 base kind=

	base=$(host_codename)
	case $suite in
	*-security) kind=-security ;;
	esac
	apt_sources | awk -v suite="$suite" -v base="$base" -v kind="$kind" \
		-v keyring="$DEBIAN_KEYRING" '
		function rank(	score) {
			if ($2 != suite && $2 != base kind &&
			    $2 != "stable" kind && $2 != "oldstable" kind)
				return 0
			score = 1 + ($2 == suite)
			if ($1 ~ /\/debian(-security)?\/?$/)
				score += 2
			if ($3 ~ /\/debian-archive-/)
				score += 4
			return score
		}
		rank() > best {
			best = rank()
			if ($3 == "-" || $3 ~ /\/debian-archive-/)
				$3 = keyring
			line = "deb [signed-by=" $3 "] " $1 " " suite " main"
		}
		END { print line }'
}

# apt_private_init SUITE...: set up $APT_PRIVATE, emptied, for these suites and
# fetch their lists.  Packages of the first suite are preferred.
apt_private_init() {
	local suite source

	rm -rf "$APT_PRIVATE"
	mkdir -p "$APT_PRIVATE"/{lists/partial,archives/partial,parts}
	: >"$APT_PRIVATE/status"
	for suite in "$@"; do
		source=$(suite_source "$suite")
		[ -n "$source" ] || {
			say "no source of Debian's own was found in /etc/apt, so the address of $suite cannot be derived"
			return 1
		}
		printf '%s\n' "$source" >>"$APT_PRIVATE/sources.list"
	done
	apt_private_conf "$1" >"$APT_PRIVATE/apt.conf"
	retry "the package lists of $*" apt_private apt-get -qq update
}

# The system's configuration (proxies and the like) is read before this one;
# what could weaken the checks or act on the system is undone here.
apt_private_conf() {
	cat <<EOF
Dir::State "$APT_PRIVATE";
Dir::State::lists "$APT_PRIVATE/lists";
Dir::State::status "$APT_PRIVATE/status";
Dir::Cache "$APT_PRIVATE";
Dir::Cache::archives "$APT_PRIVATE/archives";
Dir::Etc::sourcelist "$APT_PRIVATE/sources.list";
Dir::Etc::sourceparts "$APT_PRIVATE/parts";
Dir::Etc::preferences "$APT_PRIVATE/preferences";
Dir::Etc::preferencesparts "$APT_PRIVATE/parts";
#clear APT::Architectures;
APT::Architectures { "amd64"; };
APT::Default-Release "$1";
APT::Get::AllowUnauthenticated "false";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
EOF
}

# apt_private COMMAND...: run an apt program with the private configuration.
apt_private() { APT_CONFIG=$APT_PRIVATE/apt.conf "$@"; }

# apt_private_download PACKAGE...: into the private archives, without what the
# packages depend on.  ("download" always writes to the current directory.)
apt_private_download() {
	(
		cd "$APT_PRIVATE/archives" &&
			apt_private apt-get -qq download "$@"
	)
}

# retry WHAT COMMAND...: three attempts, then a sentence that says why not.
retry() {
	local what=$1 log attempt

	shift
	log=$(mktemp)
	for attempt in 1 2 3; do
		if "$@" >"$log" 2>&1 && ! grep -q '^[EW]: Failed to fetch' "$log"; then
			rm -f "$log"
			return 0
		fi
		[ "$attempt" = 3 ] || {
			say "attempt $attempt to get $what failed, trying again"
			sleep $((attempt * 2))
		}
	done
	say "getting $what failed: $(grep -m1 '^[EW]:' "$log" || tail -n1 "$log")"
	say "if the network or an address in /etc/apt is the cause, mend it and run this command again: finished steps are kept"
	rm -f "$log"
	return 1
}

# apt_private_unpack ROOT: unpack all downloaded archives there and print one
# "package version" line for each.
apt_private_unpack() {
	local root=$1 deb

	mkdir -p "$root"
	for deb in "$APT_PRIVATE"/archives/*.deb; do
		dpkg-deb -x "$deb" "$root" || return 1
		# shellcheck disable=SC2016	# dpkg's own ${...} fields
		dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb"
	done
}
