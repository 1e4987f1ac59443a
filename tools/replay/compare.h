/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: modes against each other
 */
#ifndef HR_COMPARE_H
#define HR_COMPARE_H

#include "run.h"

/**
 * hr_compare_common() - load times of the same loads
 * @results: results of all modes
 * @nr: how many modes
 * @request_nr: requests of the trace
 * @load_ms: out, a bag per mode: the times of those requests that loaded the
 *	same number of blocks, not 0, in every mode
 *
 * Modes store different things (inserts are skipped), so that the same request
 * can find prefixes of different length.
 *
 * Return: How many requests that are, or -ENOMEM.
 */
long hr_compare_common(const struct hr_result *results, unsigned int nr,
		       uint32_t request_nr, struct hr_samples *load_ms);

/**
 * hr_compare_ratio() - how many times slower
 * @slow: one bag
 * @fast: another
 * @q: percentile, 0..1
 *
 * Return: @slow / @fast, 0 when there is nothing to compare.
 */
double hr_compare_ratio(struct hr_samples *slow, struct hr_samples *fast,
			double q);

#endif
