// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: what was told to the device about one queued request
 *
 * Owns the handles of prefetch requests. A hint is advisory: failing to give or
 * to end one must never fail a run.
 */
#include "hint.h"

/* Hints outlive any queue that is worth waiting in. */
#define TTL_MS	600000U

void hr_hint_give(const struct hr_hint_terms *terms, struct hr_hint *hint,
		  const struct hymc_key *keys, uint32_t first, uint32_t nr,
		  uint32_t deadline_ms, struct hr_tally *tally)
{
	struct hr_hint_part *part;
	int ret;

	if (!nr || hint->part_nr == HR_HINT_PARTS)
		return;
	part = &hint->part[hint->part_nr];
	ret = hymc_prefetch(terms->pool->dev, terms->pool->ns, keys, nr,
			    terms->window_bytes, deadline_ms, TTL_MS,
			    &part->request);
	if (ret < 0) {
		tally->hint_failed++;
		return;
	}
	tally->hint_requests++;
	tally->hint_blocks += nr;
	/* All blocks went away since the lookup: there is no request. */
	if (!part->request)
		return;
	part->first = first;
	part->nr = nr;
	tally->hint_extensions += !!hint->part_nr;
	hint->part_nr++;
}

const struct hr_hint_part *hr_hint_find(const struct hr_hint *hint,
					uint32_t pos)
{
	const struct hr_hint_part *part = hint->part;
	const struct hr_hint_part *end = part + hint->part_nr;

	for (; part < end; part++)
		if (pos >= part->first && pos - part->first < part->nr)
			return part;
	return NULL;
}

void hr_hint_end(const struct hr_hint_terms *terms, struct hr_hint *hint)
{
	uint32_t i;

	/* -ENOENT is the usual answer: a consumed one has ended by itself. */
	for (i = 0; i < hint->part_nr; i++)
		hymc_cancel(terms->pool->dev, hint->part[i].request);
	hint->part_nr = 0;
}
