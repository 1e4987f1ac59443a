/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: index - from (namespace, key) to a block
 *
 * A linear hash table of u32 chain heads in fed chunks: it grows by splitting
 * one bucket per insert, so no call ever rehashes everything. The hash is keyed
 * with a random number, as keys come from users; equality is always decided by
 * the full 32 bytes and the namespace. When a chunk for growth is missing the
 * chains get longer and nothing fails.
 */
#ifndef HYMC_INDEX_H
#define HYMC_INDEX_H

#include "core.h"

/* Buckets in one chunk, as a power of two. */
#define HYMC_INDEX_SHIFT	14U
/* Words that key the hash: one for each half of a word of key and namespace. */
#define HYMC_INDEX_SEEDS	10U

/**
 * struct hymc_index - the hash table
 * @chunk: fed chunks of bucket heads
 * @chunks: number of them
 * @chunks_max: room in @chunk
 * @buckets: buckets in use
 * @level: power of two; @level <= @buckets < 2 * @level
 * @nr: blocks in the table
 * @seed: keys of the hash
 */
struct hymc_index {
	u32 **chunk;
	u32 chunks;
	u32 chunks_max;
	u32 buckets;
	u32 level;
	u32 nr;
	u32 seed[HYMC_INDEX_SEEDS];
};

u32 hymc_index_chunks_max(u64 blocks_max);
void hymc_index_seed(struct hymc_index *x, u64 seed);
bool hymc_index_tight(const struct hymc_core *c, u32 nr);
bool hymc_index_ready(struct hymc_core *c);
u32 hymc_index_find(const struct hymc_core *c, u32 ns,
		    const struct hymc_key *key);
void hymc_index_insert(struct hymc_core *c, u32 idx);
void hymc_index_remove(struct hymc_core *c, u32 idx);

#endif /* HYMC_INDEX_H */
