/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: samples, percentiles, distributions
 */
#ifndef HR_HIST_H
#define HR_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct hr_samples - a bag of measured values
 * @v: the values
 * @nr: how many
 * @max: room in @v
 * @sorted: @v is in ascending order
 *
 * All zero is an empty bag. No lock: the owner serialises.
 */
struct hr_samples {
	double *v;
	size_t nr;
	size_t max;
	bool sorted;
};

/**
 * hr_samples_add() - add a value
 * @s: the bag
 * @value: the value
 *
 * Return: 0 or -ENOMEM.
 */
int hr_samples_add(struct hr_samples *s, double value);

/**
 * hr_samples_percentile() - nearest-rank percentile
 * @s: the bag; is sorted by this
 * @q: share, 0..1
 *
 * Return: The smallest value such that at least the share @q of all values is
 * not larger: always a measured one. 0 for an empty bag.
 */
double hr_samples_percentile(struct hr_samples *s, double q);

/**
 * hr_samples_mean() - arithmetic mean
 * @s: the bag
 *
 * Return: The mean, 0 for an empty bag.
 */
double hr_samples_mean(const struct hr_samples *s);

/**
 * hr_samples_max() - largest value
 * @s: the bag; is sorted by this
 *
 * Return: The value, 0 for an empty bag.
 */
double hr_samples_max(struct hr_samples *s);

/**
 * hr_samples_free() - empty the bag
 * @s: the bag, usable afterwards
 */
void hr_samples_free(struct hr_samples *s);

/**
 * hr_log2_percentile() - percentile of a histogram of powers of two
 * @buckets: bucket i counts values below 2^i and not below 2^(i-1), bucket 0
 *	those below 1; the last one is open
 * @nr: number of buckets
 * @q: share, 0..1
 *
 * Return: The value, interpolated inside its bucket; for the open one its
 * lower bound; 0 when all are empty.
 */
double hr_log2_percentile(const uint64_t *buckets, size_t nr, double q);

#endif
