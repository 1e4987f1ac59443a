// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of requests: windows, order, deadlines, end
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

#define F	(4 * KB)

static struct pool *stocked(u64 blocks)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);

	pool_stock(p, 1, blocks, F);
	p->reads = 0;
	return p;
}

/* The number of the key that the next read is for; 0 when there is none. */
static u64 next_read(struct pool *p)
{
	int n = pool_pull(p);
	u64 id;

	if (n < 0)
		return 0;
	EXPECT_EQ(p->io[n].kind, HYMC_ACT_READ);
	memcpy(&id, p->io[n].key.b + HYMC_KEY_BYTES - sizeof(id), sizeof(id));
	return id;
}

static u32 take(struct pool *p, struct hymc_request *r, u32 i)
{
	u32 idx = HYMC_NIL;

	EXPECT_EQ(hymc_acquire_item(p->c, r, i, p->now, &idx), HYMC_GOT_READY);
	return idx;
}

static void consume(struct pool *p, struct hymc_request *r, u32 i)
{
	hymc_core_release(p->c, take(p, r, i), r, i, p->now);
}

static void window_is_filled_in_order_and_moves_on(void)
{
	struct pool *p = stocked(8);
	struct hymc_request *r = pool_hint(p, 1, 8, 3 * F, 0);

	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(next_read(p), 3);
	EXPECT_EQ(next_read(p), 0);
	EXPECT_EQ(pool_stats(p).reads_inflight, 3);
	pool_run(p);
	EXPECT_EQ(p->reads, 3);
	consume(p, r, 0);
	EXPECT_EQ(next_read(p), 4);
	EXPECT_EQ(next_read(p), 0);
	consume(p, r, 1);
	EXPECT_EQ(next_read(p), 5);
	EXPECT_EQ(hymc_request_left(r), 6);
	EXPECT(pool_sound(p));
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

/* A view does not move the window; only its release for the request does. */
static void acquire_alone_does_not_move_the_window(void)
{
	struct pool *p = stocked(4);
	struct hymc_request *r = pool_hint(p, 1, 4, F, 0);
	u32 idx;

	pool_run(p);
	idx = take(p, r, 0);
	EXPECT_EQ(next_read(p), 0);
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	EXPECT_EQ(next_read(p), 0);
	EXPECT_EQ(hymc_request_left(r), 4);
	consume(p, r, 0);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(hymc_request_left(r), 3);
	/* Once more changes nothing. */
	consume(p, r, 0);
	EXPECT_EQ(hymc_request_left(r), 3);
	EXPECT_EQ(next_read(p), 0);
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

static void larger_block_goes_alone(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);
	struct hymc_request *r;

	pool_stock(p, 1, 1, F);
	pool_stock(p, 2, 2, 6 * F);
	pool_stock(p, 3, 4, F);
	r = pool_hint(p, 1, 4, 4 * F, 0);
	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 0);
	pool_run(p);
	consume(p, r, 0);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(next_read(p), 0);
	pool_run(p);
	consume(p, r, 1);
	EXPECT_EQ(next_read(p), 3);
	EXPECT_EQ(next_read(p), 4);
	EXPECT(pool_sound(p));
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

static void window_of_zero_does_nothing(void)
{
	struct pool *p = stocked(3);
	struct hymc_request *r;
	u32 idx = HYMC_NIL;

	r = pool_hint(p, 1, 3, 0, 0);
	EXPECT_EQ(hymc_request_left(r), 3);
	EXPECT_EQ(next_read(p), 0);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 0, p->now, &idx), HYMC_GOT_WAIT);
	pool_run(p);
	EXPECT_EQ(hymc_acquire_retry(p->c, idx, p->now), HYMC_GOT_READY);
	EXPECT_EQ(pool_stats(p).frames_wanted, 0);
	hymc_core_release(p->c, idx, r, 0, p->now);
	EXPECT_EQ(hymc_request_left(r), 2);
	/* The control arm behaves as if nobody had hinted. */
	EXPECT_EQ(p->c->stage.frames[HYMC_CL_COLD], 1);
	EXPECT_EQ(pool_stats(p).acquire_demand, 1);
	EXPECT_EQ(pool_stats(p).prefetch_blocks, 0);
	EXPECT_EQ(pool_stats(p).hint_requests, 1);
	EXPECT(pool_sound(p));
	pool_end(p, r);
	pool_free(p);
}

static void default_window_is_the_pools(void)
{
	struct pool *p = stocked(8);
	struct hymc_request *r = pool_hint(p, 1, 8, HYMC_WINDOW_DEFAULT, 0);

	pool_run(p);
	EXPECT_EQ(p->reads, 4);
	EXPECT_EQ(hymc_request_expires(r), p->now + HYMC_TTL_DEFAULT_NS);
	pool_end(p, r);
	pool_free(p);
}

static void earliest_deadline_is_first(void)
{
	struct pool *p = stocked(8);
	struct hymc_request *late = pool_hint(p, 1, 2, 4 * F, 300);
	struct hymc_request *soon = pool_hint(p, 3, 4, 4 * F, 100);
	struct hymc_request *mid = pool_hint(p, 5, 6, 4 * F, 200);
	struct hymc_request *tie = pool_hint(p, 7, 8, 4 * F, 200);
	const u64 want[] = { 3, 4, 5, 6, 7, 8, 1, 2, 0 };
	u32 i;

	for (i = 0; i < 9; i++)
		EXPECT_EQ(next_read(p), want[i]);
	pool_run(p);
	pool_end(p, late);
	pool_end(p, soon);
	pool_end(p, mid);
	pool_end(p, tie);
	EXPECT_EQ(p->c->requests_nr, 0);
	pool_free(p);
}

static void read_budget_is_kept(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct hymc_request *r;
	struct pool *p;

	cfg.read_bytes_max = 2 * F;
	p = pool_new(&cfg);
	pool_stock(p, 1, 3, F);
	pool_stock(p, 4, 4, 3 * F);
	pool_stock(p, 5, 5, F);
	r = pool_hint(p, 1, 5, 16 * F, 0);
	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(next_read(p), 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_read(p), 3);
	EXPECT_EQ(next_read(p), 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_read(p), 0);
	pool_finish(p, 0, 0);
	/* One larger than the budget goes alone. */
	EXPECT_EQ(next_read(p), 4);
	EXPECT_EQ(next_read(p), 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_read(p), 5);
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

static void shared_blocks_are_read_once(void)
{
	struct pool *p = stocked(6);
	struct hymc_request *a = pool_hint(p, 1, 4, 8 * F, 1);
	struct hymc_request *b = pool_hint(p, 1, 6, 8 * F, 2);

	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(next_read(p), 3);
	EXPECT_EQ(next_read(p), 4);
	EXPECT_EQ(next_read(p), 5);
	EXPECT_EQ(next_read(p), 6);
	pool_run(p);
	EXPECT_EQ(p->reads, 6);
	EXPECT_EQ(a->held_bytes, 4 * F);
	EXPECT_EQ(b->held_bytes, 6 * F);
	EXPECT(pool_sound(p));
	pool_end(p, a);
	pool_end(p, b);
	pool_free(p);
}

static void resident_blocks_are_admitted_without_io(void)
{
	struct pool *p = stocked(6);
	struct hymc_request *r;

	EXPECT(pool_use(p, 2) && pool_use(p, 3));
	EXPECT_EQ(pool_put(p, 7, F), 0);
	r = pool_hint(p, 1, 7, 7 * F, 0);
	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 4);
	EXPECT_EQ(next_read(p), 5);
	EXPECT_EQ(next_read(p), 6);
	EXPECT_EQ(next_read(p), 0);
	EXPECT_EQ(r->held_bytes, 7 * F);
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

static void duplicates_count_each(void)
{
	struct pool *p = stocked(2);
	struct hymc_key key = pool_key(1), other = pool_key(2);
	struct hymc_request *r = request_new(4, 3 * F, 0);

	EXPECT(hymc_request_add(p->c, r, &key));
	EXPECT(hymc_request_add(p->c, r, &key));
	EXPECT(hymc_request_add(p->c, r, &key));
	EXPECT(hymc_request_add(p->c, r, &other));
	EXPECT(!hymc_request_add(p->c, r, &other));
	EXPECT_EQ(hymc_request_start(p->c, r, p->now), 4);
	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 0);
	pool_run(p);
	consume(p, r, 1);
	EXPECT_EQ(hymc_request_left(r), 3);
	EXPECT_EQ(next_read(p), 2);
	EXPECT_EQ(pool_stats(p).frames_wanted, 1);
	EXPECT(pool_sound(p));
	consume(p, r, 0);
	consume(p, r, 2);
	EXPECT_EQ(hymc_request_left(r), 1);
	EXPECT_EQ(pool_stats(p).frames_wanted, 0);
	pool_run(p);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void unknown_keys_cost_nothing(void)
{
	struct pool *p = stocked(3);
	struct hymc_key known = pool_key(2), no = pool_key(77);
	struct hymc_request *r = request_new(5, 8 * F, 0);
	u32 idx;

	EXPECT(hymc_request_add(p->c, r, &known));
	EXPECT(!hymc_request_add(p->c, r, &no));
	EXPECT(hymc_request_add(p->c, r, &known));
	EXPECT(!hymc_request_add(p->c, r, &no));
	EXPECT_EQ(hymc_request_start(p->c, r, p->now), 1);
	EXPECT_EQ(hymc_request_nr(r), 4);
	EXPECT_EQ(hymc_request_left(r), 2);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 1, p->now, &idx), -ENOENT);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 4, p->now, &idx), -EINVAL);
	EXPECT_EQ(hymc_acquire_item(p->c, r, ~0U, p->now, &idx), -EINVAL);
	EXPECT_EQ(pool_stats(p).hint_blocks, 4);
	EXPECT_EQ(pool_stats(p).hint_unknown, 2);
	EXPECT_EQ(pool_stats(p).acquire_miss, 1);
	pool_run(p);
	EXPECT_EQ(p->reads, 1);
	pool_end(p, r);
	pool_free(p);
}

static void window_does_not_wait_for_what_died(void)
{
	struct pool *p = stocked(4);
	struct hymc_request *r = pool_hint(p, 1, 4, 2 * F, 0);
	struct hymc_key key = pool_key(2), later = pool_key(3);
	u32 idx;

	pool_run(p);
	EXPECT_EQ(hymc_core_delete(p->c, 1, &key), 0);
	EXPECT_EQ(hymc_core_delete(p->c, 1, &later), 0);
	/* Its key is put again: another block, which the item does not mean. */
	EXPECT_EQ(pool_put(p, 2, F), 0);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 1, p->now, &idx), -ENOENT);
	EXPECT_EQ(hymc_request_left(r), 3);
	EXPECT_EQ(next_read(p), 4);
	EXPECT_EQ(hymc_request_left(r), 2);
	EXPECT(pool_sound(p));
	pool_run(p);
	EXPECT(pool_use(p, 2));
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void cancelled_frames_are_given_up(void)
{
	struct pool *p = stocked(8);
	struct hymc_request *a = pool_hint(p, 1, 4, 8 * F, 0);
	struct hymc_request *b = pool_hint(p, 4, 6, 8 * F, 0);
	u32 idx;

	pool_run(p);
	idx = take(p, a, 0);
	pool_end(p, a);
	EXPECT_EQ(pool_stats(p).hint_cancelled, 1);
	/* 4 is still wanted, 1 in a view. */
	EXPECT_EQ(pool_stats(p).frames_wanted, 3);
	EXPECT_EQ(pool_stats(p).frames_pinned, 1);
	EXPECT_EQ(pool_stats(p).frames_cold, 2);
	EXPECT(pool_right(p, idx, 1, 0));
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	EXPECT(pool_sound(p));
	pool_end(p, b);
	EXPECT_EQ(pool_stats(p).frames_wanted, 0);
	pool_free(p);
}

static void cancel_while_reading(void)
{
	struct pool *p = stocked(4);
	struct hymc_request *r = pool_hint(p, 1, 4, 2 * F, 0);

	EXPECT_EQ(next_read(p), 1);
	EXPECT_EQ(next_read(p), 2);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	EXPECT_EQ(next_read(p), 0);
	pool_run(p);
	EXPECT_EQ(p->reads, 2);
	EXPECT_EQ(pool_stats(p).frames_cold, 2);
	EXPECT_EQ(p->c->stage.frames[HYMC_CL_FRESH], 2);
	pool_free(p);
}

static void end_before_start(void)
{
	struct pool *p = stocked(2);
	struct hymc_key key = pool_key(1);
	struct hymc_request *r = request_new(2, 3 * F, 0);

	EXPECT(hymc_request_add(p->c, r, &key));
	EXPECT_EQ(hymc_core_delete(p->c, 1, &key), 0);
	EXPECT(pool_sound(p));
	EXPECT_EQ(p->c->slab.used, 2);
	pool_end(p, r);
	EXPECT_EQ(p->c->slab.used, 1);
	EXPECT_EQ(pool_stats(p).hint_requests, 0);
	EXPECT_EQ(pool_stats(p).hint_cancelled, 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* The first in line cannot get frames: nobody behind it takes them. */
static void nobody_overtakes_on_frames(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);
	struct hymc_request *big, *small;
	u32 i, pin[14];

	pool_stock(p, 1, 14, F);
	pool_stock(p, 20, 20, 3 * F);
	for (i = 0; i < 14; i++)
		EXPECT_EQ(pool_get(p, i + 1, &pin[i]), HYMC_GOT_READY);
	pool_stock(p, 21, 21, F);
	big = pool_hint(p, 20, 20, 8 * F, 1);
	small = pool_hint(p, 21, 21, 8 * F, 2);
	EXPECT_EQ(next_read(p), 0);
	hymc_core_release(p->c, pin[0], NULL, 0, p->now);
	EXPECT_EQ(next_read(p), 20);
	hymc_core_release(p->c, pin[1], NULL, 0, p->now);
	EXPECT_EQ(next_read(p), 21);
	pool_run(p);
	for (i = 2; i < 14; i++)
		hymc_core_release(p->c, pin[i], NULL, 0, p->now);
	pool_end(p, big);
	pool_end(p, small);
	pool_free(p);
}

static void out_of_order_use_is_fine(void)
{
	struct pool *p = stocked(6);
	struct hymc_request *r = pool_hint(p, 1, 6, 2 * F, 0);
	u32 idx;

	pool_run(p);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 4, p->now, &idx), HYMC_GOT_WAIT);
	EXPECT_EQ(next_read(p), 5);
	pool_run(p);
	EXPECT_EQ(hymc_acquire_retry(p->c, idx, p->now), HYMC_GOT_READY);
	hymc_core_release(p->c, idx, r, 4, p->now);
	EXPECT_EQ(hymc_request_left(r), 5);
	consume(p, r, 1);
	EXPECT_EQ(next_read(p), 3);
	consume(p, r, 0);
	EXPECT_EQ(next_read(p), 4);
	pool_run(p);
	consume(p, r, 2);
	/* 5 was used already. */
	EXPECT_EQ(next_read(p), 6);
	EXPECT(pool_sound(p));
	pool_run(p);
	pool_end(p, r);
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "window: filled in order, moves on with releases",
	  window_is_filled_in_order_and_moves_on },
	{ "window: acquire alone does not move it",
	  acquire_alone_does_not_move_the_window },
	{ "window: a larger block goes alone", larger_block_goes_alone },
	{ "window: of 0 does nothing", window_of_zero_does_nothing },
	{ "window: the default is the pool's", default_window_is_the_pools },
	{ "order: earliest deadline first, ties by arrival",
	  earliest_deadline_is_first },
	{ "order: the read budget is kept", read_budget_is_kept },
	{ "order: shared blocks are read once", shared_blocks_are_read_once },
	{ "order: resident blocks are admitted without I/O",
	  resident_blocks_are_admitted_without_io },
	{ "order: nobody overtakes on frames", nobody_overtakes_on_frames },
	{ "items: duplicates count each", duplicates_count_each },
	{ "items: unknown keys cost nothing", unknown_keys_cost_nothing },
	{ "items: the window does not wait for what died",
	  window_does_not_wait_for_what_died },
	{ "items: out of order use is fine", out_of_order_use_is_fine },
	{ "end: cancelled frames are given up", cancelled_frames_are_given_up },
	{ "end: cancel while reading", cancel_while_reading },
	{ "end: before start", end_before_start },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
