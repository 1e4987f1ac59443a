// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of slab, index and fed memory
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

static struct pool *big_pool(u64 blocks)
{
	struct hymc_core_cfg cfg = pool_cfg();

	cfg.blocks_max = blocks;
	return pool_new(&cfg);
}

/* Put an entry into slab and index, behind the core's back. */
static u32 plant(struct pool *p, u32 ns, u64 id)
{
	struct hymc_block *b;
	u32 idx;

	if (!hymc_index_ready(p->c))
		return HYMC_NIL;
	idx = hymc_slab_alloc(p->c);
	if (idx == HYMC_NIL)
		return idx;
	b = hymc_block_at(p->c, idx);
	b->key = pool_key(id);
	b->ns = ns;
	b->state = HYMC_ST_ONSSD;
	hymc_index_insert(p->c, idx);
	return idx;
}

static u32 find(struct pool *p, u32 ns, u64 id)
{
	struct hymc_key key = pool_key(id);

	return hymc_index_find(p->c, ns, &key);
}

static void finds_what_was_inserted(void)
{
	const u64 nr = 300000;
	struct pool *p = big_pool(nr);
	u64 id, wrong = 0;
	u32 *at = calloc(nr, sizeof(*at));

	for (id = 0; id < nr; id++) {
		pool_feed(p);
		at[id] = plant(p, 1, id);
	}
	for (id = 0; id < nr; id++)
		wrong += find(p, 1, id) != at[id] || find(p, 2, id) != HYMC_NIL;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(find(p, 1, nr), HYMC_NIL);
	for (id = 0; id < nr; id += 2)
		hymc_index_remove(p->c, at[id]);
	for (id = 0; id < nr; id++)
		wrong += find(p, 1, id) != (id % 2 ? at[id] : HYMC_NIL);
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(p->c->index.nr, nr / 2);
	free(at);
	pool_free(p);
}

static void namespaces_are_apart(void)
{
	struct pool *p = big_pool(1000);
	u32 a = plant(p, 1, 7), b = plant(p, 2, 7), c = plant(p, 65535, 7);

	EXPECT(a != b && b != c && a != HYMC_NIL && c != HYMC_NIL);
	EXPECT_EQ(find(p, 1, 7), a);
	EXPECT_EQ(find(p, 2, 7), b);
	EXPECT_EQ(find(p, 65535, 7), c);
	EXPECT_EQ(find(p, 3, 7), HYMC_NIL);
	hymc_index_remove(p->c, b);
	EXPECT_EQ(find(p, 1, 7), a);
	EXPECT_EQ(find(p, 2, 7), HYMC_NIL);
	pool_free(p);
}

/*
 * With a zero seed the hash adds up products of the two halves of each word, so keys
 * in which one half of each is zero all collide: only the compare tells them apart.
 */
static void full_key_is_compared(void)
{
	struct pool *p = big_pool(1000);
	struct hymc_key key = pool_key(0);
	u32 idx, bit;

	memset(p->c->index.seed, 0, sizeof(p->c->index.seed));
	idx = plant(p, 1, 0);
	for (bit = 0; bit < 8 * HYMC_KEY_BYTES; bit++) {
		key.b[bit / 8] ^= 1U << bit % 8;
		EXPECT_EQ(hymc_index_find(p->c, 1, &key), HYMC_NIL);
		key.b[bit / 8] ^= 1U << bit % 8;
	}
	for (bit = 0; bit < 16; bit++)
		EXPECT_EQ(hymc_index_find(p->c, 1 ^ 1U << bit, &key), HYMC_NIL);
	EXPECT_EQ(hymc_index_find(p->c, 1, &key), idx);
	pool_free(p);
}

/* 2 000 keys in one chain: each is itself, and can be taken out of the middle. */
static void all_keys_collide(void)
{
	struct pool *p = big_pool(2000);
	u64 id, wrong = 0;
	u32 at[2000];

	memset(p->c->index.seed, 0, sizeof(p->c->index.seed));
	for (id = 0; id < 2000; id++) {
		pool_feed(p);
		at[id] = plant(p, 1 + id % 2, id);
	}
	for (id = 0; id < 2000; id += 3)
		hymc_index_remove(p->c, at[id]);
	for (id = 0; id < 2000; id++) {
		wrong += find(p, 1 + id % 2, id) !=
			 (id % 3 ? at[id] : HYMC_NIL);
		wrong += find(p, 2 - id % 2, id) != HYMC_NIL;
	}
	EXPECT_EQ(wrong, 0);
	pool_free(p);
}

/* 16 384 buckets and 100 000 keys, no chunk to grow: long chains, right answers. */
static void grows_without_memory_and_collides(void)
{
	const u64 nr = 100000;
	struct pool *p = big_pool(nr);
	u64 id, wrong = 0;

	plant(p, 1, 0);
	p->c->index.chunks_max = 1;
	for (id = 1; id < nr; id++) {
		pool_feed(p);
		wrong += plant(p, 1, id) == HYMC_NIL;
	}
	for (id = 0; id < nr; id++)
		wrong += find(p, 1, id) == HYMC_NIL;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(p->c->index.buckets, 1U << HYMC_INDEX_SHIFT);
	pool_free(p);
}

static void chains_stay_short(void)
{
	const u64 nr = 200000;
	struct pool *p = big_pool(nr);
	u64 id, longest = 0;
	u32 n, idx;

	for (id = 0; id < nr; id++) {
		pool_feed(p);
		plant(p, 1, id << 32);
	}
	for (n = 0; n < p->c->index.buckets; n++) {
		u64 len = 0;

		idx = p->c->index.chunk[n >> HYMC_INDEX_SHIFT]
				       [n & ((1U << HYMC_INDEX_SHIFT) - 1)];
		for (; idx != HYMC_NIL; len++)
			idx = hymc_block_at(p->c, idx)->hash_next;
		longest = len > longest ? len : longest;
	}
	EXPECT(p->c->index.buckets >= nr - 1);
	EXPECT(longest < 16);
	pool_free(p);
}

static void indexes_are_reused(void)
{
	struct pool *p = big_pool(10000);
	u32 a, b, i;

	for (i = 0; i < 5000; i++) {
		hymc_slab_alloc(p->c);
		pool_feed(p);
	}
	a = hymc_slab_alloc(p->c);
	hymc_slab_free(p->c, a);
	b = hymc_slab_alloc(p->c);
	EXPECT_EQ(a, b);
	EXPECT_EQ(p->c->slab.used, 5001);
	EXPECT_EQ(hymc_block_at(p->c, b)->frame, HYMC_NIL);
	pool_free(p);
}

static void memory_is_asked_for_in_time(void)
{
	struct pool *p = big_pool(100000);
	u64 id, failed = 0, fed = 0;

	for (id = 0; id < 100000; id++) {
		/* Looked at every 64 inserts only, as the promise says. */
		if (id % 64 == 0)
			for (; hymc_core_mem_short(p->c); fed++)
				hymc_core_mem_feed(p->c,
						   malloc(HYMC_CHUNK_BYTES));
		failed += plant(p, 1, id + 1) == HYMC_NIL;
	}
	EXPECT_EQ(failed, 0);
	/* 184 for entries, 7 for buckets. */
	EXPECT(fed <= 192);
	EXPECT(!hymc_core_mem_short(p->c));
	EXPECT(!hymc_core_mem_feed(p->c, &fed));
	EXPECT_EQ(plant(p, 1, 200000), HYMC_NIL);
	pool_free(p);
}

static void no_memory_is_enomem_and_nothing_leaks(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);
	struct hymc_key key = pool_key(1);
	void *chunk;
	u32 idx;

	while ((chunk = hymc_spare_pop(p->c)))
		free(chunk);
	EXPECT_EQ(hymc_core_reserve(p->c, 1, &key, 1, NULL, 1, &idx), -ENOMEM);
	EXPECT(pool_sound(p));
	EXPECT_EQ(pool_put(p, 1, 1), 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void full_index_is_enospc_and_counted(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p;

	cfg.blocks_max = 3;
	p = pool_new(&cfg);
	EXPECT_EQ(pool_put(p, 1, 1), 0);
	EXPECT_EQ(pool_put(p, 2, 1), 0);
	EXPECT_EQ(pool_put(p, 3, 1), 0);
	EXPECT_EQ(pool_put(p, 4, 1), -ENOSPC);
	EXPECT_EQ(pool_stats(p).skip_ssd, 1);
	pool_run(p);
	EXPECT_EQ(hymc_core_delete(p->c, 1, &(struct hymc_key){ { 0 } }),
		  -ENOENT);
	{
		struct hymc_key key = pool_key(2);

		EXPECT_EQ(hymc_core_delete(p->c, 1, &key), 0);
	}
	EXPECT_EQ(pool_put(p, 4, 1), 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void entry_costs_what_was_promised(void)
{
	EXPECT(sizeof(struct hymc_block) + sizeof(u32) <= 128);
	EXPECT_EQ(hymc_slab_chunks_max(546), 1);
	EXPECT_EQ(hymc_slab_chunks_max(547), 2);
	EXPECT_EQ(hymc_index_chunks_max(16384), 1);
	EXPECT_EQ(hymc_index_chunks_max(16385), 2);
}

static const struct tap_test tests[] = {
	{ "index: finds what was inserted, 300 000 keys",
	  finds_what_was_inserted },
	{ "index: namespaces are apart", namespaces_are_apart },
	{ "index: every bit of the key counts", full_key_is_compared },
	{ "index: right answers when all keys collide", all_keys_collide },
	{ "index: right answers when it cannot grow",
	  grows_without_memory_and_collides },
	{ "index: chains stay short", chains_stay_short },
	{ "slab: indexes are reused", indexes_are_reused },
	{ "memory: asked for in time", memory_is_asked_for_in_time },
	{ "memory: none is -ENOMEM and nothing leaks",
	  no_memory_is_enomem_and_nothing_leaks },
	{ "slab: full is -ENOSPC and counted",
	  full_index_is_enospc_and_counted },
	{ "slab: an entry costs at most 128 bytes, index included",
	  entry_costs_what_was_promised },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
