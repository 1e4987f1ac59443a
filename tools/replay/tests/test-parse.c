// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: numbers on the command line, models, block sizes
 */
#include <errno.h>

#include "../../../libhymc/tests/core/tap.h"
#include "../model.h"
#include "../parse.h"

static uint64_t size_of(const char *s)
{
	uint64_t v = 0xdead;

	return hr_parse_size(s, &v) ? 0xbad : v;
}

static int size_err(const char *s)
{
	uint64_t v = 0xdead;
	int ret = hr_parse_size(s, &v);

	/* A failure leaves the result alone. */
	EXPECT_EQ(v, 0xdead);
	return ret;
}

static void sizes(void)
{
	EXPECT_EQ(size_of("0"), 0);
	EXPECT_EQ(size_of("4096"), 4096);
	EXPECT_EQ(size_of("64K"), 65536);
	EXPECT_EQ(size_of("64k"), 65536);
	EXPECT_EQ(size_of("240M"), 240ULL << 20);
	EXPECT_EQ(size_of("1.5G"), 3ULL << 29);
	EXPECT_EQ(size_of("2TiB"), 2ULL << 40);
	EXPECT_EQ(size_of("3MB"), 3ULL << 20);
}

static void broken_sizes(void)
{
	EXPECT_EQ(size_err(""), -EINVAL);
	EXPECT_EQ(size_err("K"), -EINVAL);
	EXPECT_EQ(size_err("-1"), -EINVAL);
	EXPECT_EQ(size_err(" 1"), -EINVAL);
	EXPECT_EQ(size_err("1 "), -EINVAL);
	EXPECT_EQ(size_err("1X"), -EINVAL);
	EXPECT_EQ(size_err("1Kb"), -EINVAL);
	EXPECT_EQ(size_err("1KBs"), -EINVAL);
	EXPECT_EQ(size_err("0x10"), -EINVAL);
	EXPECT_EQ(size_err("inf"), -EINVAL);
	EXPECT_EQ(size_err("nan"), -EINVAL);
	EXPECT_EQ(size_err("1.5"), -EINVAL);
	EXPECT_EQ(size_err("99999999T"), -ERANGE);
	EXPECT_EQ(size_err("1e30"), -ERANGE);
}

static void whole_numbers(void)
{
	uint64_t v = 7;

	EXPECT_EQ(hr_parse_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	EXPECT_EQ(v, UINT64_MAX);
	EXPECT_EQ(hr_parse_u64("18446744073709551616", 0, UINT64_MAX, &v),
		  -ERANGE);
	EXPECT_EQ(hr_parse_u64("5", 1, 4, &v), -ERANGE);
	EXPECT_EQ(hr_parse_u64("0", 1, 4, &v), -ERANGE);
	EXPECT_EQ(hr_parse_u64("4x", 1, 4, &v), -EINVAL);
	EXPECT_EQ(hr_parse_u64("-1", 0, 4, &v), -EINVAL);
	EXPECT_EQ(hr_parse_u64("", 0, 4, &v), -EINVAL);
	EXPECT_EQ(v, UINT64_MAX);
}

static void fractions(void)
{
	struct hr_ratio r = { 9, 9 };

	EXPECT_EQ(hr_parse_ratio("1/1024", &r), 0);
	EXPECT(r.num == 1 && r.den == 1024);
	EXPECT_EQ(hr_parse_ratio("2", &r), 0);
	EXPECT(r.num == 2 && r.den == 1);
	EXPECT_EQ(hr_parse_ratio("0/4", &r), -ERANGE);
	EXPECT_EQ(hr_parse_ratio("1/0", &r), -ERANGE);
	EXPECT_EQ(hr_parse_ratio("1/4294967296", &r), -ERANGE);
	EXPECT_EQ(hr_parse_ratio("1/", &r), -EINVAL);
	EXPECT_EQ(hr_parse_ratio("/2", &r), -EINVAL);
	EXPECT_EQ(hr_parse_ratio("1/2/3", &r), -EINVAL);
	EXPECT_EQ(hr_parse_ratio("0.5", &r), -EINVAL);
	EXPECT(r.num == 2 && r.den == 1);
}

static void positive_numbers(void)
{
	double v = 0;

	EXPECT(!hr_parse_positive("6.5", &v) && v == 6.5);
	EXPECT(!hr_parse_positive("1e3", &v) && v == 1000);
	EXPECT(!hr_parse_positive(".5", &v) && v == .5);
	EXPECT_EQ(hr_parse_positive("0", &v), -ERANGE);
	EXPECT_EQ(hr_parse_positive("-1", &v), -EINVAL);
	EXPECT_EQ(hr_parse_positive("nan", &v), -EINVAL);
	EXPECT_EQ(hr_parse_positive("1e999", &v), -ERANGE);
	EXPECT_EQ(hr_parse_positive("1x", &v), -EINVAL);
	EXPECT_EQ(hr_parse_positive(".", &v), -EINVAL);
	EXPECT(v == .5);
}

static uint64_t token_bytes(const char *name)
{
	const struct hr_model *model = hr_model_find(name);

	return model ? hr_model_token_bytes(model) : 0;
}

/* The published sizes per token. */
static void models(void)
{
	EXPECT_EQ(token_bytes("llama-3.1-8b"), 128 << 10);
	EXPECT_EQ(token_bytes("qwen2.5-32b"), 256 << 10);
	EXPECT_EQ(token_bytes("llama-3.1-70b"), 320 << 10);
	EXPECT_EQ(token_bytes("opt-30b"), 1344 << 10);
	EXPECT_EQ(token_bytes("deepseek-v3-mla"), 70272);
	EXPECT_EQ(token_bytes("qwen"), 0);
}

static void block_sizes(void)
{
	struct hr_ratio r1 = { 1, 1 }, r1024 = { 1, 1024 }, odd = { 1, 1000 };

	EXPECT_EQ(hr_block_bytes(512, 256 << 10, &r1), 128ULL << 20);
	EXPECT_EQ(hr_block_bytes(512, 256 << 10, &r1024), 128 << 10);
	/* Rounded up to a whole byte, also when hardly anything is left. */
	EXPECT_EQ(hr_block_bytes(1, 70272, &r1024), 69);
	EXPECT_EQ(hr_block_bytes(1, 1, &odd), 1);
	EXPECT_EQ(hr_block_bytes(2, 1500, &odd), 3);
	/* What does not fit is refused, not wrapped. */
	EXPECT_EQ(hr_block_bytes(512, UINT64_MAX / 2, &r1), 0);
}

static const struct tap_test tests[] = {
	{ "sizes have binary suffixes", sizes },
	{ "what is no size is refused", broken_sizes },
	{ "whole numbers have bounds", whole_numbers },
	{ "fractions are exact and positive", fractions },
	{ "positive numbers are finite", positive_numbers },
	{ "models have their published sizes", models },
	{ "block sizes are scaled and rounded up", block_sizes },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
