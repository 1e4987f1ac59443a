/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: slab - block entries by u32 index, over chunks the host feeds
 *
 * Owns the fed chunks and the table that finds them. An index names the same
 * address until hymc_slab_free(). Chunks never move and are only given back by
 * hymc_core_mem_take().
 */
#ifndef HYMC_SLAB_H
#define HYMC_SLAB_H

#include "core.h"

/* Block entries in one chunk. */
#define HYMC_SLAB_PER_CHUNK	546U
/*
 * An index is the number of the chunk and, in this many bits below, that of the
 * entry in it: not all numbers are indexes, and finding an entry divides nothing.
 */
#define HYMC_SLAB_SHIFT		10U
#define HYMC_SLAB_MASK		((1U << HYMC_SLAB_SHIFT) - 1)

/**
 * struct hymc_slab - the table of block entries
 * @chunk: fed chunks in index order
 * @chunks: number of them
 * @end: index of the first entry that was never handed out
 * @free: first entry of the free list or HYMC_NIL
 * @nr_free: length of that list
 * @used: entries in use
 * @limit: most entries in use
 */
struct hymc_slab {
	void **chunk;
	u32 chunks;
	u32 end;
	u32 free;
	u32 nr_free;
	u32 used;
	u32 limit;
};

/**
 * struct hymc_spare - a fed chunk that nobody uses yet
 * @next: the next one
 */
struct hymc_spare {
	struct hymc_spare *next;
};

u32 hymc_slab_next(u32 idx);
u32 hymc_slab_chunks_max(u64 blocks_max);
bool hymc_slab_full(const struct hymc_core *c);
bool hymc_slab_tight(const struct hymc_core *c, u32 nr);
u32 hymc_slab_alloc(struct hymc_core *c);
void hymc_slab_free(struct hymc_core *c, u32 idx);
void *hymc_spare_pop(struct hymc_core *c);

#endif /* HYMC_SLAB_H */
