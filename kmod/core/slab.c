// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: slab of block entries and the stock of fed chunks
 *
 * See slab.h. Runs under the host's lock like all of the core.
 */
#include "core_priv.h"

static_assert(sizeof(struct hymc_block) == 120);
static_assert(HYMC_CHUNK_BYTES / sizeof(struct hymc_block) ==
	      HYMC_SLAB_PER_CHUNK);
static_assert(HYMC_SLAB_PER_CHUNK <= HYMC_SLAB_MASK);

/**
 * hymc_slab_next() - the index behind an index
 * @idx: index of an entry
 *
 * Return: that of the next entry, in this chunk or the next one.
 */
u32 hymc_slab_next(u32 idx)
{
	if ((idx & HYMC_SLAB_MASK) < HYMC_SLAB_PER_CHUNK - 1)
		return idx + 1;
	return (idx | HYMC_SLAB_MASK) + 1;
}

/**
 * hymc_slab_chunks_max() - chunks that so many entries need
 * @blocks_max: most entries
 *
 * Return: number of chunks.
 */
u32 hymc_slab_chunks_max(u64 blocks_max)
{
	return div_u64(blocks_max + HYMC_SLAB_PER_CHUNK - 1,
		       HYMC_SLAB_PER_CHUNK);
}

/**
 * hymc_slab_full() - is the configured number of entries in use?
 * @c: the core
 *
 * Return: true when no entry can be had whatever memory is fed.
 */
bool hymc_slab_full(const struct hymc_core *c)
{
	return c->slab.used >= c->slab.limit;
}

/* Entries that can be had without another chunk. */
static u64 slab_stock(const struct hymc_slab *s)
{
	return (u64)s->chunks * HYMC_SLAB_PER_CHUNK - s->used;
}

/**
 * hymc_slab_tight() - might allocations need a chunk that is not there?
 * @c: the core
 * @nr: number of allocations
 *
 * Return: true when @nr more entries (fewer when the limit is nearer) cannot be
 * had from the chunks already in the slab.
 */
bool hymc_slab_tight(const struct hymc_core *c, u32 nr)
{
	const struct hymc_slab *s = &c->slab;
	u32 left = s->limit - s->used;

	return slab_stock(s) < (left < nr ? left : nr);
}

/**
 * hymc_spare_pop() - take a fed chunk for use
 * @c: the core
 *
 * Return: a chunk with arbitrary contents, or NULL.
 */
void *hymc_spare_pop(struct hymc_core *c)
{
	struct hymc_spare *s = c->spare;

	if (!s)
		return NULL;
	c->spare = s->next;
	c->nr_spare--;
	return s;
}

/* Make sure that a virgin entry is there. */
static bool slab_grow(struct hymc_core *c)
{
	struct hymc_slab *s = &c->slab;
	void *chunk;

	if (s->end < s->chunks << HYMC_SLAB_SHIFT)
		return true;
	if (s->chunks >= hymc_slab_chunks_max(s->limit))
		return false;
	chunk = hymc_spare_pop(c);
	if (!chunk)
		return false;
	s->chunk[s->chunks++] = chunk;
	return true;
}

/* An entry of the free list, else a virgin one, else HYMC_NIL. */
static u32 slab_pick(struct hymc_core *c)
{
	struct hymc_slab *s = &c->slab;
	u32 idx = s->free;

	if (idx != HYMC_NIL) {
		s->free = hymc_block_at(c, idx)->hash_next;
		s->nr_free--;
		return idx;
	}
	if (!slab_grow(c))
		return HYMC_NIL;
	idx = s->end;
	s->end = hymc_slab_next(idx);
	return idx;
}

/**
 * hymc_slab_alloc() - take a zeroed entry
 * @c: the core
 *
 * Return: its index; HYMC_NIL when the limit is reached or memory is short.
 */
u32 hymc_slab_alloc(struct hymc_core *c)
{
	struct hymc_block *b;
	u32 idx;

	if (hymc_slab_full(c))
		return HYMC_NIL;
	idx = slab_pick(c);
	if (idx == HYMC_NIL)
		return HYMC_NIL;
	b = hymc_block_at(c, idx);
	memset(b, 0, sizeof(*b));
	b->frame = HYMC_NIL;
	b->parent = HYMC_NIL;
	c->slab.used++;
	return idx;
}

/**
 * hymc_slab_free() - give an entry back
 * @c: the core
 * @idx: the entry, on no list and in no frame
 */
void hymc_slab_free(struct hymc_core *c, u32 idx)
{
	struct hymc_slab *s = &c->slab;
	struct hymc_block *b = hymc_block_at(c, idx);

	b->state = HYMC_ST_FREE;
	b->hash_next = s->free;
	s->free = idx;
	s->nr_free++;
	s->used--;
}
