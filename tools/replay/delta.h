/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: how counters moved
 */
#ifndef HR_DELTA_H
#define HR_DELTA_H

#include <hymc/libhymc.h>

/**
 * hr_delta() - what happened between two snapshots
 * @before: earlier snapshot
 * @after: later one
 * @moved: out: counters and lead times subtracted, gauges as in @after
 */
void hr_delta(const struct hymc_stats *before, const struct hymc_stats *after,
	      struct hymc_stats *moved);

#endif
