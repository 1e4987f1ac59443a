// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of frames: who gets them, who gives them up, in what order
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

#define F	(4 * KB)

static struct pool *stocked(u32 policy, u64 blocks)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p;

	cfg.policy = policy;
	p = pool_new(&cfg);
	pool_stock(p, 1, blocks, F);
	return p;
}

/* Put one block of @frames frames and abort it: makes that many frames free. */
static int squeeze(struct pool *p, u32 frames)
{
	u32 idx;
	int err = pool_reserve(p, 999, frames * F, 0, &idx);

	if (!err)
		hymc_core_abort(p->c, idx);
	return err;
}

static bool staged(struct pool *p, u64 id)
{
	return pool_tier(p, id) == HYMC_TIER_DRAM;
}

static u32 pin(struct pool *p, u64 id)
{
	u32 idx = HYMC_NIL;

	EXPECT_EQ(pool_get(p, id, &idx), HYMC_GOT_READY);
	EXPECT(pool_right(p, idx, id, 0));
	return idx;
}

static void unpin(struct pool *p, u32 idx)
{
	hymc_core_release(p->c, idx, NULL, 0, p->now);
}

/* Acquire item @i of a request and release it for the request. */
static void consume(struct pool *p, struct hymc_request *r, u32 i)
{
	u32 idx = HYMC_NIL;

	EXPECT_EQ(hymc_acquire_item(p->c, r, i, p->now, &idx), HYMC_GOT_READY);
	hymc_core_release(p->c, idx, r, i, p->now);
}

static void blocks_take_whole_frames(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 0);
	const u64 len[] = { 1, F - 1, F, F + 1, 3 * F };
	const u32 frames[] = { 1, 1, 1, 2, 3 };
	u32 i, idx;

	for (i = 0; i < 5; i++) {
		EXPECT_EQ(pool_reserve(p, i + 1, len[i], 0, &idx), 0);
		EXPECT_EQ(pool_stats(p).frames_filling, frames[i]);
		EXPECT_EQ(hymc_core_len(p->c, idx), len[i]);
		hymc_core_abort(p->c, idx);
		EXPECT_EQ(pool_stats(p).frames_free, 16);
	}
	pool_free(p);
}

static void consumed_go_before_cold(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 8);
	struct hymc_request *r;
	u64 id;

	for (id = 5; id <= 8; id++)
		EXPECT(pool_use(p, id));
	r = pool_hint(p, 1, 4, HYMC_WINDOW_DEFAULT, 0);
	pool_run(p);
	for (id = 1; id <= 4; id++)
		consume(p, r, id - 1);
	EXPECT_EQ(pool_stats(p).frames_free, 8);
	/* Two more than are free: the first two consumed, oldest first. */
	EXPECT_EQ(squeeze(p, 10), 0);
	EXPECT(!staged(p, 1) && !staged(p, 2) && staged(p, 3) && staged(p, 4));
	EXPECT(staged(p, 5) && staged(p, 8));
	EXPECT_EQ(pool_stats(p).evict_consumed, 2);
	/* Then the cold ones, least recently used first. */
	EXPECT_EQ(squeeze(p, 13), 0);
	EXPECT(!staged(p, 3) && !staged(p, 4) && !staged(p, 5));
	EXPECT(staged(p, 6));
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void cold_is_lru(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 4);

	EXPECT(pool_use(p, 1) && pool_use(p, 2) && pool_use(p, 3));
	EXPECT(pool_use(p, 1));
	EXPECT_EQ(squeeze(p, 14), 0);
	EXPECT(!staged(p, 2) && staged(p, 3) && staged(p, 1));
	EXPECT_EQ(squeeze(p, 15), 0);
	EXPECT(!staged(p, 3) && staged(p, 1));
	pool_free(p);
}

static void consumed_is_still_a_hit_until_reused(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 2);
	struct hymc_request *r = pool_hint(p, 1, 1, HYMC_WINDOW_DEFAULT, 0);
	u64 reads;

	pool_run(p);
	consume(p, r, 0);
	pool_end(p, r);
	reads = p->reads;
	EXPECT(pool_use(p, 1));
	EXPECT_EQ(p->reads, reads);
	/* Used without a hint: it is reused, so it is cold now, not consumed. */
	EXPECT_EQ(p->c->stage.frames[HYMC_CL_COLD], 1);
	pool_free(p);
}

static void inserts_never_take_what_is_wanted(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 8);
	struct hymc_request *r;
	u64 id;

	for (id = 1; id <= 8; id++)
		EXPECT(pool_use(p, id));
	r = pool_hint(p, 1, 8, 2 * F, 0);
	pool_run(p);
	EXPECT_EQ(pool_stats(p).frames_wanted, 8);
	EXPECT_EQ(squeeze(p, 8), 0);
	EXPECT_EQ(squeeze(p, 9), -EAGAIN);
	EXPECT_EQ(pool_stats(p).skip_frames, 1);
	for (id = 1; id <= 8; id++)
		EXPECT(staged(p, id));
	pool_end(p, r);
	EXPECT_EQ(squeeze(p, 16), 0);
	pool_free(p);
}

static void pins_are_never_victims(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 4);
	u32 a = pin(p, 1), b = pin(p, 2);

	EXPECT_EQ(squeeze(p, 15), -EAGAIN);
	EXPECT_EQ(squeeze(p, 14), 0);
	EXPECT_EQ(pool_stats(p).frames_pinned, 2);
	EXPECT(pool_right(p, a, 1, 0) && pool_right(p, b, 2, 0));
	unpin(p, a);
	EXPECT_EQ(squeeze(p, 15), 0);
	EXPECT(!staged(p, 1) && staged(p, 2));
	unpin(p, b);
	pool_free(p);
}

static void dirty_and_filling_are_never_victims(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 0);
	u32 idx;

	EXPECT_EQ(pool_put(p, 1, F), 0);
	EXPECT_EQ(pool_reserve(p, 2, F, 0, &idx), 0);
	EXPECT(!hymc_stage_can(p->c, 15 * F, HYMC_TAKE_HELD));
	EXPECT(hymc_stage_can(p->c, 14 * F, HYMC_TAKE_HELD));
	EXPECT(pool_pull(p) >= 0);
	EXPECT(!hymc_stage_can(p->c, 15 * F, HYMC_TAKE_HELD));
	pool_run(p);
	EXPECT(hymc_stage_can(p->c, 15 * F, HYMC_TAKE_SPARE));
	hymc_core_abort(p->c, idx);
	pool_free(p);
}

/* A pool whose 16 frames are held (1..h) or wanted (the rest). */
static struct pool *crowded(struct hymc_request **r, u64 held)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 20);
	u64 id;

	for (id = 1; id <= 16; id++)
		EXPECT(pool_use(p, id));
	*r = pool_hint(p, 1, 16, held * F, 100);
	pool_run(p);
	EXPECT_EQ(p->c->stage.frames[HYMC_CL_HELD], held);
	EXPECT_EQ(p->c->stage.frames[HYMC_CL_WANTED], 16 - held);
	return p;
}

static void prefetch_takes_the_wanted_but_not_the_held(void)
{
	struct hymc_request *r, *r2;
	struct pool *p = crowded(&r, 4);
	u64 id;

	r2 = pool_hint(p, 17, 20, 3 * F, 50);
	pool_run(p);
	/* Its window is 3: the three wanted latest made way. */
	EXPECT(staged(p, 17) && staged(p, 18) && staged(p, 19));
	for (id = 1; id <= 16; id++)
		EXPECT(staged(p, id) == (id <= 13));
	EXPECT_EQ(pool_stats(p).evict_wanted, 3);
	pool_end(p, r2);
	pool_end(p, r);
	pool_free(p);

	p = crowded(&r, 16);
	r2 = pool_hint(p, 17, 20, 3 * F, 50);
	pool_run(p);
	EXPECT(!staged(p, 17));
	for (id = 1; id <= 16; id++)
		EXPECT(staged(p, id));
	pool_end(p, r2);
	pool_end(p, r);
	pool_free(p);
}

static void demand_takes_the_held_as_last_resort(void)
{
	struct hymc_request *r;
	struct pool *p = crowded(&r, 16);
	u64 id;

	EXPECT(pool_use(p, 17));
	for (id = 1; id <= 16; id++)
		EXPECT(staged(p, id) == (id <= 15));
	/* The next one takes the cold frame, not a held one. */
	EXPECT(pool_use(p, 18));
	EXPECT(staged(p, 15) && !staged(p, 17));
	/* The robbed item is read on demand, and the window still adds up. */
	EXPECT(pool_use(p, 16));
	EXPECT(pool_sound(p));
	pool_end(p, r);
	pool_free(p);
}

static void shared_block_is_kept_when_one_released_it(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 20);
	struct hymc_request *r1, *r2;

	r1 = pool_hint(p, 1, 2, 8 * F, 1);
	r2 = pool_hint(p, 1, 8, 8 * F, 2);
	pool_run(p);
	consume(p, r1, 0);
	consume(p, r1, 1);
	EXPECT_EQ(hymc_request_left(r1), 0);
	EXPECT_EQ(pool_stats(p).frames_wanted, 8);
	EXPECT_EQ(squeeze(p, 9), -EAGAIN);
	pool_end(p, r1);
	EXPECT_EQ(pool_stats(p).frames_wanted, 8);
	pool_end(p, r2);
	pool_free(p);
}

static void fresh_go_first_where_hints_are_given(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 3);
	struct hymc_request *r;

	/* Nobody hints: a written block is as good as the one used before. */
	EXPECT(pool_use(p, 1));
	EXPECT_EQ(pool_put(p, 50, F), 0);
	pool_run(p);
	EXPECT_EQ(squeeze(p, 15), 0);
	EXPECT(!staged(p, 1) && staged(p, 50));
	/* Somebody hints: its next use will be announced. */
	r = pool_hint(p, 2, 2, HYMC_WINDOW_DEFAULT, 0);
	EXPECT(pool_use(p, 1));
	EXPECT_EQ(pool_put(p, 51, F), 0);
	pool_run(p);
	EXPECT_EQ(pool_stats(p).frames_cold, 3);
	EXPECT_EQ(squeeze(p, 13), 0);
	EXPECT(!staged(p, 51) && staged(p, 50) && staged(p, 1));
	pool_end(p, r);
	pool_free(p);
}

static void wasted_prefetches_are_counted(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 4);
	struct hymc_request *r = pool_hint(p, 1, 3, 8 * F, 0);

	pool_run(p);
	consume(p, r, 0);
	pool_end(p, r);
	EXPECT(pool_use(p, 2));
	EXPECT_EQ(squeeze(p, 16), 0);
	EXPECT_EQ(pool_stats(p).prefetch_blocks, 3);
	EXPECT_EQ(pool_stats(p).wasted_blocks, 1);
	EXPECT_EQ(pool_stats(p).evict_cold, 4 + 2);
	EXPECT_EQ(pool_stats(p).evict_consumed, 1);
	pool_free(p);
}

/* One list for all traffic, hints without effect. */
static void lru_is_lru(void)
{
	struct pool *p = stocked(HYMC_POLICY_LRU, 6);
	struct hymc_request *r;

	EXPECT(pool_use(p, 1) && pool_use(p, 2));
	EXPECT_EQ(pool_put(p, 50, F), 0);
	pool_run(p);
	EXPECT(pool_use(p, 3) && pool_use(p, 1));
	r = pool_hint(p, 2, 6, HYMC_WINDOW_DEFAULT, 0);
	pool_run(p);
	EXPECT_EQ(hymc_request_left(r), 5);
	EXPECT_EQ(pool_stats(p).prefetch_blocks, 0);
	EXPECT_EQ(pool_stats(p).frames_wanted, 0);
	/* Order of last use: 2, 50, 3, 1. */
	EXPECT_EQ(squeeze(p, 13), 0);
	EXPECT(!staged(p, 2) && staged(p, 50));
	EXPECT_EQ(squeeze(p, 14), 0);
	EXPECT(!staged(p, 50) && staged(p, 3));
	EXPECT_EQ(squeeze(p, 15), 0);
	EXPECT(!staged(p, 3) && staged(p, 1));
	EXPECT_EQ(pool_stats(p).evict_consumed, 0);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void gauges_add_up(void)
{
	struct pool *p = stocked(HYMC_POLICY_STAGE, 8);
	struct hymc_request *r = pool_hint(p, 1, 3, 2 * F, 0);
	struct hymc_stats st;
	u32 a, idx;

	EXPECT(pool_pull(p) >= 0);
	pool_finish(p, 0, 0);
	EXPECT(pool_pull(p) >= 0);
	a = pin(p, 1);
	EXPECT(pool_use(p, 8));
	EXPECT_EQ(pool_put(p, 50, F + 1), 0);
	EXPECT_EQ(pool_reserve(p, 51, 3 * F, 0, &idx), 0);
	EXPECT(pool_use(p, 2));
	st = pool_stats(p);
	EXPECT_EQ(st.frames_total, 16);
	EXPECT_EQ(st.frames_free + st.frames_reading + st.frames_wanted +
		  st.frames_pinned + st.frames_cold + st.frames_dirty +
		  st.frames_filling, 16);
	EXPECT_EQ(st.frames_pinned, 1);
	EXPECT_EQ(st.frames_wanted, 1);
	EXPECT_EQ(st.frames_filling, 3);
	EXPECT_EQ(st.frames_cold, 1);
	EXPECT_EQ(st.frames_dirty, 2);
	EXPECT_EQ(st.dirty_bytes, F + 1);
	EXPECT_EQ(st.blocks, 9);
	EXPECT_EQ(st.block_bytes, 8 * F + F + 1);
	hymc_core_abort(p->c, idx);
	unpin(p, a);
	pool_end(p, r);
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "frames: blocks take whole frames", blocks_take_whole_frames },
	{ "victims: consumed before cold, oldest first",
	  consumed_go_before_cold },
	{ "victims: cold ones by recency", cold_is_lru },
	{ "victims: consumed is still a hit until reused",
	  consumed_is_still_a_hit_until_reused },
	{ "victims: inserts never take what is wanted",
	  inserts_never_take_what_is_wanted },
	{ "victims: never a view", pins_are_never_victims },
	{ "victims: never dirty or filling",
	  dirty_and_filling_are_never_victims },
	{ "victims: a prefetch takes the wanted latest, not the held",
	  prefetch_takes_the_wanted_but_not_the_held },
	{ "victims: demand takes the held as last resort",
	  demand_takes_the_held_as_last_resort },
	{ "victims: a shared block is kept when one released it",
	  shared_block_is_kept_when_one_released_it },
	{ "victims: fresh ones first where hints are given",
	  fresh_go_first_where_hints_are_given },
	{ "victims: wasted prefetches are counted",
	  wasted_prefetches_are_counted },
	{ "lru: one list for all, hints without effect", lru_is_lru },
	{ "gauges: frames add up", gauges_add_up },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
