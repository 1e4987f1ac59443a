#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The public header stands alone, in old C, in new C and in C++, without a warning,
# and a program links with the shared library by it.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
CC=${CC:-cc}
BUILD=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# check NAME COMMAND...
check() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >"$dir/log" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$dir/log"
		bad=1
	fi
}

cat >"$dir/t.c" <<'END'
#include <hymc/libhymc.h>

int main(void)
{
	struct hymc_ctx *ctx;

	if (hymc_ctx_new(&ctx))
		return 1;
	hymc_ctx_unref(ctx);
	return 0;
}
END
cp "$dir/t.c" "$dir/t.cc"
flags=(-Wall -Wextra -pedantic -Werror -Iuapi -Ilibhymc/include -fsyntax-only)

echo "TAP version 13"
check "C99" "$CC" -std=c99 "${flags[@]}" "$dir/t.c"
check "C11" "$CC" -std=c11 "${flags[@]}" "$dir/t.c"
if command -v c++ >/dev/null; then
	check "C++" c++ -std=c++11 "${flags[@]}" "$dir/t.cc"
else
	n=$((n + 1))
	echo "ok $n - C++ # SKIP there is no C++ compiler"
fi
check "the shared library links" "$CC" -Iuapi -Ilibhymc/include -o "$dir/t" \
	"$dir/t.c" -L"$BUILD" -lhymc -Wl,-rpath-link,"$BUILD"
check "and runs" env LD_LIBRARY_PATH="$BUILD" "$dir/t"
echo "1..$n"
exit $bad
