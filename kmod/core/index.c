// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: linear hashing over (namespace, key)
 *
 * See index.h. With n buckets and n = level + split, a hash whose low bits
 * select a bucket below @split has one more bit significant:
 *
 *   bucket:  0 ..... split-1 | split ..... level-1 | level ..... level+split-1
 *            split already   | not yet             | the split-off halves
 */
#include "core_priv.h"

#define BUCKETS_PER_CHUNK	(1U << HYMC_INDEX_SHIFT)

static_assert(BUCKETS_PER_CHUNK * sizeof(u32) == HYMC_CHUNK_BYTES);
static_assert(HYMC_KEY_BYTES == 32);

/*
 * The hash: NH over the ten 32-bit halves of key and namespace, which makes any two
 * inputs that were chosen without knowing @seed collide with probability 2^-32, then
 * a mix that spreads the 64-bit sum over the bits that are used.
 */
static u64 key_word(const struct hymc_key *key, u32 i)
{
	u64 word;

	memcpy(&word, key->b + 8 * i, sizeof(word));
	return word;
}

static u64 nh_word(u64 word, const u32 *seed)
{
	u32 low = (u32)word + seed[0];
	u32 high = (u32)(word >> 32) + seed[1];

	return (u64)low * high;
}

static u32 mix(u64 sum)
{
	sum ^= sum >> 32;
	sum *= 0xd6e8feb86659fd93ULL;
	sum ^= sum >> 32;
	sum *= 0xd6e8feb86659fd93ULL;
	return sum >> 32;
}

static u32 hash(const struct hymc_index *x, u32 ns, const struct hymc_key *key)
{
	u64 sum = nh_word(key_word(key, 0), x->seed) +
		  nh_word(key_word(key, 1), x->seed + 2) +
		  nh_word(key_word(key, 2), x->seed + 4) +
		  nh_word(key_word(key, 3), x->seed + 6);

	return mix(sum + nh_word(ns, x->seed + 8));
}

/* Number of the bucket a hash belongs to at the present size. */
static u32 bucket_of(const struct hymc_index *x, u32 h)
{
	u32 n = h & (2 * x->level - 1);

	return n < x->buckets ? n : n & (x->level - 1);
}

static u32 *bucket(const struct hymc_index *x, u32 n)
{
	return &x->chunk[n >> HYMC_INDEX_SHIFT][n & (BUCKETS_PER_CHUNK - 1)];
}

static u32 *bucket_find(const struct hymc_index *x, u32 ns,
			const struct hymc_key *key)
{
	return bucket(x, bucket_of(x, hash(x, ns, key)));
}

/**
 * hymc_index_chunks_max() - chunks a full table needs
 * @blocks_max: most blocks
 *
 * Return: number of chunks, at one block per bucket.
 */
u32 hymc_index_chunks_max(u64 blocks_max)
{
	return (blocks_max + BUCKETS_PER_CHUNK - 1) >> HYMC_INDEX_SHIFT;
}

/**
 * hymc_index_seed() - key the hash
 * @x: the table
 * @seed: a random number
 */
void hymc_index_seed(struct hymc_index *x, u64 seed)
{
	u32 i;

	/* Independent words from one, by a generator of random numbers. */
	for (i = 0; i < HYMC_INDEX_SEEDS; i++) {
		seed += 0x9e3779b97f4a7c15ULL;
		x->seed[i] = mix(seed);
	}
}

/**
 * hymc_index_tight() - might inserts need a chunk that is not there?
 * @c: the core
 * @nr: number of inserts
 *
 * Return: true when growing for @nr inserts would need another chunk.
 */
bool hymc_index_tight(const struct hymc_core *c, u32 nr)
{
	const struct hymc_index *x = &c->index;
	u64 room = (u64)x->chunks << HYMC_INDEX_SHIFT;

	return x->chunks < x->chunks_max && (u64)x->nr + nr > room;
}

/* Take a chunk for more buckets. */
static bool index_grow(struct hymc_core *c)
{
	struct hymc_index *x = &c->index;
	u32 *chunk;

	if (x->chunks >= x->chunks_max)
		return false;
	chunk = hymc_spare_pop(c);
	if (!chunk)
		return false;
	memset(chunk, 0xff, HYMC_CHUNK_BYTES);
	x->chunk[x->chunks++] = chunk;
	return true;
}

/**
 * hymc_index_ready() - can a block be inserted?
 * @c: the core
 *
 * Takes the first chunk when it has not been taken yet.
 *
 * Return: false when there is no memory for a first bucket.
 */
bool hymc_index_ready(struct hymc_core *c)
{
	struct hymc_index *x = &c->index;

	if (x->buckets)
		return true;
	if (!index_grow(c))
		return false;
	x->level = BUCKETS_PER_CHUNK;
	x->buckets = BUCKETS_PER_CHUNK;
	return true;
}

/* Move what belongs there from the bucket at the split to a new last one. */
static void index_split(struct hymc_core *c)
{
	struct hymc_index *x = &c->index;
	u32 *from = bucket(x, x->buckets - x->level);
	u32 idx = *from;
	struct hymc_block *b;
	u32 next, *to;

	*from = HYMC_NIL;
	if (++x->buckets == 2 * x->level)
		x->level *= 2;
	for (; idx != HYMC_NIL; idx = next) {
		b = hymc_block_at(c, idx);
		next = b->hash_next;
		to = bucket_find(x, b->ns, &b->key);
		b->hash_next = *to;
		*to = idx;
	}
}

/* Grow by at most two buckets, towards one block per bucket. */
static void index_adapt(struct hymc_core *c)
{
	struct hymc_index *x = &c->index;
	int i;

	for (i = 0; i < 2 && x->nr > x->buckets; i++) {
		if (x->buckets >> HYMC_INDEX_SHIFT == x->chunks &&
		    !index_grow(c))
			return;
		index_split(c);
	}
}

/* All 32 bytes, word by word: cheaper than a call of memcmp(). */
static bool same(const struct hymc_block *b, u32 ns, const struct hymc_key *key)
{
	u64 differ = b->ns ^ ns;
	u32 i;

	for (i = 0; i < HYMC_KEY_BYTES / 8; i++)
		differ |= key_word(&b->key, i) ^ key_word(key, i);
	return !differ;
}

/**
 * hymc_index_find() - find a block
 * @c: the core
 * @ns: namespace
 * @key: key in it
 *
 * Return: index of the block, visible or being filled; HYMC_NIL when absent.
 */
u32 hymc_index_find(const struct hymc_core *c, u32 ns,
		    const struct hymc_key *key)
{
	const struct hymc_index *x = &c->index;
	const struct hymc_block *b;
	u32 idx;

	if (!x->nr)
		return HYMC_NIL;
	idx = *bucket_find(x, ns, key);
	while (idx != HYMC_NIL) {
		b = hymc_block_at(c, idx);
		if (same(b, ns, key))
			break;
		idx = b->hash_next;
	}
	return idx;
}

/**
 * hymc_index_insert() - make a block findable
 * @c: the core, with hymc_index_ready() true
 * @idx: block with its key and namespace set; the key must be absent
 */
void hymc_index_insert(struct hymc_core *c, u32 idx)
{
	struct hymc_index *x = &c->index;
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 *head;

	x->nr++;
	index_adapt(c);
	head = bucket_find(x, b->ns, &b->key);
	b->hash_next = *head;
	*head = idx;
}

/**
 * hymc_index_remove() - make a block unfindable
 * @c: the core
 * @idx: block in the index
 */
void hymc_index_remove(struct hymc_core *c, u32 idx)
{
	struct hymc_index *x = &c->index;
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 *link = bucket_find(x, b->ns, &b->key);

	while (*link != idx)
		link = &hymc_block_at(c, *link)->hash_next;
	*link = b->hash_next;
	x->nr--;
}
