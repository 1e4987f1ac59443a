/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: the device's counters against the replay's own
 */
#ifndef HR_AUDIT_H
#define HR_AUDIT_H

#include <hymc/libhymc.h>

#include "tally.h"

/* Most complaints one audit can make. */
#define HR_AUDIT_MAX	32

/**
 * struct hr_audit - complaints
 * @nr: how many
 * @text: a sentence each
 */
struct hr_audit {
	unsigned int nr;
	char text[HR_AUDIT_MAX][160];
};

/**
 * hr_audit_run() - compare the counts of a run
 * @t: what the replay counted
 * @before: the device's counters when it began
 * @after: and when the pool was synced and idle again
 * @audit: out: a sentence per disagreement
 *
 * Return: The number of disagreements.
 */
unsigned int hr_audit_run(const struct hr_tally *t,
			  const struct hymc_stats *before,
			  const struct hymc_stats *after,
			  struct hr_audit *audit);

#endif
