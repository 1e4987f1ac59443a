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

/* State of a SipHash-1-3, the keyed hash for short inputs. */
struct sip {
	u64 v[4];
};

static inline u64 rotate(u64 x, u32 bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void sip_round(struct sip *s)
{
	s->v[0] += s->v[1];
	s->v[2] += s->v[3];
	s->v[1] = rotate(s->v[1], 13) ^ s->v[0];
	s->v[3] = rotate(s->v[3], 16) ^ s->v[2];
	s->v[0] = rotate(s->v[0], 32);
	s->v[2] += s->v[1];
	s->v[0] += s->v[3];
	s->v[1] = rotate(s->v[1], 17) ^ s->v[2];
	s->v[3] = rotate(s->v[3], 21) ^ s->v[0];
	s->v[2] = rotate(s->v[2], 32);
}

static inline void sip_word(struct sip *s, u64 word)
{
	s->v[3] ^= word;
	sip_round(s);
	s->v[0] ^= word;
}

static inline u64 key_word(const struct hymc_key *key, u32 i)
{
	u64 word;

	memcpy(&word, key->b + 8 * i, sizeof(word));
	return word;
}

static u32 hash(const struct hymc_index *x, u32 ns, const struct hymc_key *key)
{
	struct sip s = { {
		x->seed[0] ^ 0x736f6d6570736575ULL,
		x->seed[1] ^ 0x646f72616e646f6dULL,
		x->seed[0] ^ 0x6c7967656e657261ULL,
		x->seed[1] ^ 0x7465646279746573ULL,
	} };
	u32 i;

	for (i = 0; i < HYMC_KEY_BYTES / 8; i++)
		sip_word(&s, key_word(key, i));
	/* Length of the input in the top byte, as SipHash wants it. */
	sip_word(&s, ns | (u64)(HYMC_KEY_BYTES + 4) << 56);
	s.v[2] ^= 0xff;
	for (i = 0; i < 3; i++)
		sip_round(&s);
	return (u32)(s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3]);
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
	x->seed[0] = seed;
	x->seed[1] = rotate(seed * 0x9e3779b97f4a7c15ULL, 29);
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

static bool same(const struct hymc_block *b, u32 ns, const struct hymc_key *key)
{
	return b->ns == ns && !memcmp(&b->key, key, sizeof(*key));
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
