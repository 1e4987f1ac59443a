// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: samples, percentiles, distributions
 *
 * Keeps every value: a run has thousands of requests, not billions, and exact
 * percentiles leave no doubt about bucket borders. No lock; the owner
 * serialises.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "hist.h"

/* For what floating point makes of a share times a count. */
#define EPSILON	(1 / 1e9)

int hr_samples_add(struct hr_samples *s, double value)
{
	if (s->nr == s->max) {
		size_t max = s->max ? 2 * s->max : 256;
		double *v = realloc(s->v, max * sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->max = max;
	}
	s->v[s->nr++] = value;
	s->sorted = false;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(struct hr_samples *s)
{
	if (s->sorted || !s->nr)
		return;
	qsort(s->v, s->nr, sizeof(*s->v), compare);
	s->sorted = true;
}

double hr_samples_percentile(struct hr_samples *s, double q)
{
	double rank;

	if (!s->nr)
		return 0;
	sort(s);
	/* 0.07 * 100 is a hair above 7: do not let that pick the 8th. */
	rank = ceil(q * s->nr - EPSILON);
	if (rank < 1)
		rank = 1;
	if (rank > s->nr)
		rank = s->nr;
	return s->v[(size_t)rank - 1];
}

double hr_samples_mean(const struct hr_samples *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->nr; i++)
		sum += s->v[i];
	return s->nr ? sum / s->nr : 0;
}

double hr_samples_max(struct hr_samples *s)
{
	return hr_samples_percentile(s, 1);
}

void hr_samples_free(struct hr_samples *s)
{
	free(s->v);
	*s = (struct hr_samples){ 0 };
}

static double bucket_low(size_t i)
{
	return i ? ldexp(1, (int)i - 1) : 0;
}

static double bucket_width(size_t i)
{
	return ldexp(1, (int)i) - bucket_low(i);
}

double hr_log2_percentile(const uint64_t *buckets, size_t nr, double q)
{
	double total = 0, seen = 0, rank, low;
	size_t i, last = 0;

	for (i = 0; i < nr; i++)
		total += buckets[i];
	if (!total)
		return 0;
	rank = q * total;
	for (i = 0; i < nr; i++) {
		if (!buckets[i])
			continue;
		last = i;
		if (seen + buckets[i] >= rank)
			break;
		seen += buckets[i];
	}
	low = bucket_low(last);
	if (last == nr - 1)
		return low;
	return low + bucket_width(last) * (rank - seen) / buckets[last];
}
