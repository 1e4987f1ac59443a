// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: modes against each other
 *
 * Owns the notion of "the same request in every mode". Keeps no state.
 */
#include <errno.h>

#include "compare.h"

/* The request loaded the same, not nothing, in all modes. */
static bool is_common(const struct hr_result *results, unsigned int nr,
		      uint32_t i)
{
	uint32_t blocks = results[0].outcomes[i].loaded_nr;
	unsigned int m;

	for (m = 1; m < nr; m++)
		if (results[m].outcomes[i].loaded_nr != blocks)
			return false;
	return blocks;
}

long hr_compare_common(const struct hr_result *results, unsigned int nr,
		       uint32_t request_nr, struct hr_samples *load_ms)
{
	unsigned int m;
	uint32_t i;
	long common = 0;

	for (i = 0; i < request_nr; i++) {
		if (!is_common(results, nr, i))
			continue;
		common++;
		for (m = 0; m < nr; m++)
			if (hr_samples_add(&load_ms[m],
					   results[m].outcomes[i].load_ms))
				return -ENOMEM;
	}
	return common;
}

double hr_compare_ratio(struct hr_samples *slow, struct hr_samples *fast,
			double q)
{
	double below = hr_samples_percentile(fast, q);

	return below > 0 ? hr_samples_percentile(slow, q) / below : 0;
}
