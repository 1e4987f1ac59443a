/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what was told to the device about one queued request
 */
#ifndef HR_HINT_H
#define HR_HINT_H

#include "pool.h"
#include "tally.h"

/* A prefix may grow that often while its request waits. */
#define HR_HINT_PARTS	8

/**
 * struct hr_hint_part - one prefetch request of the device
 * @request: its handle
 * @first: first block of the prompt that it names
 * @nr: how many blocks
 */
struct hr_hint_part {
	uint64_t request;
	uint32_t first;
	uint32_t nr;
};

/**
 * struct hr_hint - all hints for one request of the trace
 * @part: disjoint ranges of its blocks
 * @part_nr: how many
 *
 * All zero: nothing was told. No lock: the engine's lock as long as the request
 * is queued, then its slot alone.
 */
struct hr_hint {
	struct hr_hint_part part[HR_HINT_PARTS];
	uint32_t part_nr;
};

/**
 * struct hr_hint_terms - what is the same for all hints of a run
 * @pool: the pool
 * @window_bytes: byte window of a request
 */
struct hr_hint_terms {
	struct hr_pool *pool;
	uint64_t window_bytes;
};

/**
 * hr_hint_give() - hint adjacent blocks of a request
 * @terms: terms of the run
 * @hint: hints of the request, added to
 * @keys: keys of the blocks
 * @first: place of the first one in the prompt
 * @nr: how many; 0 does nothing
 * @deadline_ms: when the first is likely to be read
 * @tally: where it is counted
 *
 * A refusal is counted, too; the run goes on without the hint. Does not wait.
 */
void hr_hint_give(const struct hr_hint_terms *terms, struct hr_hint *hint,
		  const struct hymc_key *keys, uint32_t first, uint32_t nr,
		  uint32_t deadline_ms, struct hr_tally *tally);

/**
 * hr_hint_find() - which hint names a block
 * @hint: hints of a request
 * @pos: place of the block in the prompt
 *
 * Return: The part, or NULL.
 */
const struct hr_hint_part *hr_hint_find(const struct hr_hint *hint,
					uint32_t pos);

/**
 * hr_hint_end() - give up what was not consumed
 * @terms: terms of the run
 * @hint: hints of a request, empty afterwards
 */
void hr_hint_end(const struct hr_hint_terms *terms, struct hr_hint *hint);

#endif
