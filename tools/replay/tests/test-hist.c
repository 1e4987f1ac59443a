// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: percentiles of samples and of histograms of powers of two
 */
#include <math.h>

#include "../../../libhymc/tests/core/tap.h"
#include "../hist.h"

#define EPSILON	(1 / 1e9)

static void empty(void)
{
	struct hr_samples s = { 0 };

	EXPECT(hr_samples_percentile(&s, .5) == 0);
	EXPECT(hr_samples_mean(&s) == 0);
	EXPECT(hr_samples_max(&s) == 0);
}

static void one(void)
{
	struct hr_samples s = { 0 };

	EXPECT_EQ(hr_samples_add(&s, 3), 0);
	EXPECT(hr_samples_percentile(&s, 0) == 3);
	EXPECT(hr_samples_percentile(&s, .5) == 3);
	EXPECT(hr_samples_percentile(&s, 1) == 3);
	hr_samples_free(&s);
}

/* 1..1000 in an order that is neither ascending nor descending. */
static void nearest_rank(void)
{
	struct hr_samples s = { 0 };
	int i;

	for (i = 0; i < 1000; i++)
		EXPECT_EQ(hr_samples_add(&s, 1 + i * 7 % 1000), 0);
	EXPECT(hr_samples_percentile(&s, .5) == 500);
	EXPECT(hr_samples_percentile(&s, .9) == 900);
	EXPECT(hr_samples_percentile(&s, .99) == 990);
	EXPECT(hr_samples_percentile(&s, .001) == 1);
	EXPECT(hr_samples_percentile(&s, .9991) == 1000);
	EXPECT(hr_samples_max(&s) == 1000);
	EXPECT(hr_samples_mean(&s) == 500.5);
	/* Every q that is a whole number of samples hits exactly that one. */
	for (i = 1; i <= 1000; i++)
		EXPECT(hr_samples_percentile(&s, i / 1000.) == i);
	hr_samples_free(&s);
}

/* 0.07 times 100 is a hair above 7 in floating point. */
static void no_rounding_up(void)
{
	struct hr_samples s = { 0 };
	int i;

	for (i = 1; i <= 100; i++)
		hr_samples_add(&s, i);
	for (i = 1; i <= 100; i++)
		EXPECT(hr_samples_percentile(&s, i / 100.) == i);
	hr_samples_free(&s);
}

static void add_after_sorting(void)
{
	struct hr_samples s = { 0 };

	hr_samples_add(&s, 5);
	hr_samples_add(&s, 1);
	EXPECT(hr_samples_percentile(&s, .5) == 1);
	hr_samples_add(&s, 0);
	EXPECT(hr_samples_percentile(&s, .5) == 1);
	EXPECT(hr_samples_percentile(&s, .1) == 0);
	EXPECT(hr_samples_max(&s) == 5);
	hr_samples_free(&s);
}

static void powers_of_two(void)
{
	uint64_t b[8] = { 0 };

	EXPECT(hr_log2_percentile(b, 8, .5) == 0);
	b[0] = 4;			/* four below 1 */
	EXPECT(fabs(hr_log2_percentile(b, 8, .5) - .5) < EPSILON);
	b[3] = 4;			/* four in 4..8 */
	EXPECT(fabs(hr_log2_percentile(b, 8, .5) - 1) < EPSILON);
	EXPECT(fabs(hr_log2_percentile(b, 8, .75) - 6) < EPSILON);
	EXPECT(fabs(hr_log2_percentile(b, 8, 1) - 8) < EPSILON);
}

/* The last bucket has no upper end that could be interpolated to. */
static void open_bucket(void)
{
	uint64_t b[8] = { 0 };

	b[7] = 10;
	EXPECT(hr_log2_percentile(b, 8, .99) == 64);
}

/* Against the exact answer: right within the bucket, that is a factor of 2. */
static void histogram_is_close(void)
{
	struct hr_samples s = { 0 };
	uint64_t b[32] = { 0 };
	double q, exact, close;
	unsigned int i, at;

	for (i = 1; i < 5000; i++) {
		unsigned int v = i * i % 100003;

		hr_samples_add(&s, v);
		for (at = 0; v >> at; at++)
			;
		b[at]++;
	}
	for (q = .05; q < 1; q += .05) {
		exact = hr_samples_percentile(&s, q);
		close = hr_log2_percentile(b, 32, q);
		EXPECT(close >= exact / 2 && close <= exact * 2);
	}
	hr_samples_free(&s);
}

static const struct tap_test tests[] = {
	{ "an empty bag answers 0", empty },
	{ "one sample is every percentile", one },
	{ "percentiles are the nearest measured value", nearest_rank },
	{ "floating point does not pick the next sample", no_rounding_up },
	{ "samples can come after a question", add_after_sorting },
	{ "buckets are interpolated", powers_of_two },
	{ "the open bucket answers its lower bound", open_bucket },
	{ "a histogram is close to the exact answer", histogram_is_close },
};

int main(void)
{
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
