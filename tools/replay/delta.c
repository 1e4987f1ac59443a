// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: how counters moved
 *
 * Which of them are counters is the library's knowledge, not ours. No state.
 */
#include "delta.h"

void hr_delta(const struct hymc_stats *before, const struct hymc_stats *after,
	      struct hymc_stats *moved)
{
	const struct hymc_stat_desc *d;
	size_t i, nr;

	*moved = *after;
	d = hymc_stat_descs(&nr);
	for (i = 0; i < nr; i++, d++)
		if (d->kind == 'C')
			*(uint64_t *)((char *)moved + d->offset) -=
				*(const uint64_t *)((const char *)before +
						    d->offset);
	for (i = 0; i < HYMC_LEAD_BUCKETS; i++)
		moved->lead_hist[i] -= before->lead_hist[i];
}
