// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: sizes on hymcctl's command line
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/tap.h"
#include "../../../tools/hymcctl/hymcctl.h"

static void good(const char *text, uint64_t want)
{
	const char *why = "";
	uint64_t bytes = 0;
	int err = size_parse(text, &bytes, &why);

	if (err || bytes != want)
		fprintf(stderr, "# \"%s\": %d, %s\n", text, err, why);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(bytes, want);
}

static void bad(const char *text, int want, const char *hint)
{
	const char *why = "";
	uint64_t bytes = 12345;
	int err = size_parse(text, &bytes, &why);

	if (err != want || !strstr(why, hint))
		fprintf(stderr, "# \"%s\": %d, %s\n", text, err, why);
	EXPECT_EQ(err, want);
	EXPECT(strstr(why, hint));
	EXPECT_EQ(bytes, 12345);
}

static void test_good(void)
{
	good("1", 1);
	good("4096", 4096);
	good("64K", 64ULL << 10);
	good("512M", 512ULL << 20);
	good("512m", 512ULL << 20);
	good("16GiB", 16ULL << 30);
	good("3TIB", 3ULL << 40);
	good("1p", 1ULL << 50);
	good("0010M", 10ULL << 20);
}

static void test_edges(void)
{
	good("18446744073709551615", UINT64_MAX);
	good("16383P", 16383ULL << 50);
	bad("18446744073709551616", -ERANGE, "larger than 64 bits");
	bad("99999999999999999999999999", -ERANGE, "larger than 64 bits");
	bad("16384P", -ERANGE, "larger than 64 bits");
	bad("18014398509481984K", -ERANGE, "larger than 64 bits");
}

static void test_junk(void)
{
	bad("", -EINVAL, "digit");
	bad("M", -EINVAL, "digit");
	bad("-1", -EINVAL, "digit");
	bad("+1", -EINVAL, "digit");
	bad(" 1", -EINVAL, "digit");
	bad("0x10", -EINVAL, "unit");
	bad("1 M", -EINVAL, "unit");
	bad("12Q", -EINVAL, "unit");
	bad("512MiBs", -EINVAL, "behind the unit");
	bad("512Mi", -EINVAL, "behind the unit");
	bad("512M ", -EINVAL, "behind the unit");
	bad("512MB", -EINVAL, "MiB");
	bad("512kb", -EINVAL, "MiB");
	bad("1.5G", -EINVAL, "whole");
	bad("1,5G", -EINVAL, "whole");
	bad("0", -EINVAL, "larger than 0");
	bad("000M", -EINVAL, "larger than 0");
}

static const struct tap_test tests[] = {
	{ "sizes with and without units", test_good },
	{ "the largest sizes, and beyond", test_edges },
	{ "junk is refused with what is wrong with it", test_junk },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
