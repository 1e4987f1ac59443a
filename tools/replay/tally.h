/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what the replay itself counted
 */
#ifndef HR_TALLY_H
#define HR_TALLY_H

#include <stdint.h>

/*
 * HR_TALLY(X): every count, once: X(name, meaning). The structure, its sum and
 * the report are made from this list.
 */
#define HR_TALLY(X)							       \
	X(requests, "requests finished")				       \
	X(requests_loading, "requests that had a prefix to load")	       \
	X(prompt_blocks, "blocks of all prompts")			       \
	X(hbm_blocks, "of those, in the engine's own cache")		       \
	X(hit_blocks, "of those, found in the pool when the request started") \
	X(missing_blocks, "of those, in neither")			       \
	X(loaded_blocks, "blocks acquired, copied and released")	       \
	X(loaded_bytes, "payload bytes of those")			       \
	X(tier_dram, "of those, in DRAM at the moment of the acquire")	       \
	X(tier_inflight, "of those, being read at that moment")		       \
	X(tier_ssd, "of those, on the SSD only at that moment")		       \
	X(load_missing, "acquires answered: not in the pool")		       \
	X(load_timeout, "acquires answered: took too long")		       \
	X(load_lost, "acquires answered: lost on the SSD")		       \
	X(load_failed, "acquires that failed for another reason")	       \
	X(recomputed_blocks, "blocks recomputed because a load failed")       \
	X(lookup_keys, "keys looked up")				       \
	X(lookup_hits, "keys among the leading hits")			       \
	X(hint_requests, "hints given")					       \
	X(hint_blocks, "blocks named in hints")				       \
	X(hint_extensions, "of those, given when the request waited already") \
	X(hint_failed, "hints refused")					       \
	X(unhinted_blocks, "blocks loaded that no hint had named")	       \
	X(put_offered, "blocks offered for storing")			       \
	X(put_stored, "of those, stored")				       \
	X(put_stored_bytes, "payload bytes of those")			       \
	X(put_present, "of those offered, in the pool already")		       \
	X(put_busy, "of those offered, being stored by another slot")	       \
	X(put_skipped, "of those offered, skipped: no room in DRAM")	       \
	X(put_skipped_ssd, "of those offered, skipped: no room on the SSD")    \
	X(put_failed, "of those offered, failed for another reason")	       \
	X(put_withheld, "blocks not offered: one before them was not stored") \
	X(checked_bytes, "bytes loaded and compared")			       \
	X(wrong_bytes, "of those, wrong")				       \
	X(wrong_blocks, "blocks with a wrong byte")

#define HR_TALLY_FIELD(name, meaning)	uint64_t name;

/**
 * struct hr_tally - the counts of one thread, or the sum of all
 *
 * The fields are those of HR_TALLY(), each with its meaning there. No lock:
 * each thread has its own, summed when it has ended.
 */
struct hr_tally {
	HR_TALLY(HR_TALLY_FIELD)
};

/**
 * struct hr_tally_desc - one count
 * @name: its field
 * @meaning: in words
 * @offset: of the uint64_t in struct hr_tally
 */
struct hr_tally_desc {
	const char *name;
	const char *meaning;
	unsigned int offset;
};

/**
 * hr_tally_at() - iterate over the counts
 * @i: from 0
 *
 * Return: The description, or NULL behind the last.
 */
const struct hr_tally_desc *hr_tally_at(unsigned int i);

/**
 * hr_tally_get() - read one count
 * @t: the counts
 * @d: which
 *
 * Return: Its value.
 */
uint64_t hr_tally_get(const struct hr_tally *t, const struct hr_tally_desc *d);

/**
 * hr_tally_add() - add all counts
 * @sum: added to
 * @more: what to add
 */
void hr_tally_add(struct hr_tally *sum, const struct hr_tally *more);

#endif
