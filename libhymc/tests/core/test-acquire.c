// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of acquire, waiting, release, and of what they count
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

#define F	(4 * KB)
#define US	1000ULL

static struct pool *stocked(u64 blocks)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);

	pool_stock(p, 1, blocks, F);
	p->reads = 0;
	return p;
}

static int ask(struct pool *p, u64 id, u32 *idx)
{
	struct hymc_key key = pool_key(id);

	return hymc_acquire_key(p->c, 1, &key, p->now, idx);
}

static int delete(struct pool *p, u64 id)
{
	struct hymc_key key = pool_key(id);

	return hymc_core_delete(p->c, 1, &key);
}

static void unpin(struct pool *p, u32 idx)
{
	hymc_core_release(p->c, idx, NULL, 0, p->now);
}

static void miss_is_enoent(void)
{
	struct pool *p = stocked(1);
	struct hymc_key key = pool_key(1);
	u32 idx;

	EXPECT_EQ(ask(p, 2, &idx), -ENOENT);
	EXPECT_EQ(hymc_acquire_key(p->c, 2, &key, p->now, &idx), -ENOENT);
	EXPECT_EQ(pool_reserve(p, 3, F, 0, &idx), 0);
	EXPECT_EQ(ask(p, 3, &idx), -ENOENT);
	EXPECT_EQ(pool_stats(p).acquire_miss, 3);
	pool_free(p);
}

static void demand_read_and_wake(void)
{
	struct pool *p = stocked(2);
	u32 a, b;
	int n;

	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT_EQ(hymc_core_tier(p->c, a), HYMC_TIER_SSD);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_INFLIGHT);
	EXPECT_EQ(ask(p, 1, &b), HYMC_GOT_WAIT);
	EXPECT_EQ(hymc_core_tier(p->c, b), HYMC_TIER_INFLIGHT);
	EXPECT_EQ(a, b);
	n = pool_pull(p);
	EXPECT(n >= 0 && pool_pull(p) < 0);
	EXPECT_EQ(hymc_acquire_retry(p->c, a, p->now), HYMC_GOT_WAIT);
	EXPECT_EQ(hymc_core_woken(p->c), HYMC_NIL);
	pool_finish(p, n, 0);
	EXPECT_EQ(hymc_core_woken(p->c), a);
	EXPECT_EQ(hymc_core_woken(p->c), HYMC_NIL);
	/* Waited for and not yet taken: it must stay. */
	EXPECT(!hymc_stage_can(p->c, 16 * F, HYMC_TAKE_HELD));
	EXPECT_EQ(hymc_acquire_retry(p->c, a, p->now), HYMC_GOT_READY);
	EXPECT_EQ(hymc_acquire_retry(p->c, a, p->now), HYMC_GOT_READY);
	EXPECT(pool_right(p, a, 1, 0));
	EXPECT_EQ(pool_stats(p).acquire_demand, 2);
	EXPECT_EQ(pool_stats(p).demand_blocks, 1);
	EXPECT_EQ(pool_stats(p).demand_bytes, F);
	EXPECT_EQ(pool_stats(p).acquire_bytes, 2 * F);
	unpin(p, a);
	EXPECT_EQ(pool_stats(p).frames_pinned, 1);
	unpin(p, a);
	EXPECT_EQ(pool_stats(p).frames_pinned, 0);
	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_READY);
	EXPECT_EQ(hymc_core_tier(p->c, a), HYMC_TIER_DRAM);
	EXPECT_EQ(pool_stats(p).acquire_staged, 1);
	EXPECT_EQ(pool_stats(p).lead_count, 0);
	unpin(p, a);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void demand_is_fifo_and_before_hints(void)
{
	struct pool *p = stocked(6);
	struct hymc_request *r = pool_hint(p, 1, 3, 8 * F, 0);
	u32 idx;

	EXPECT_EQ(ask(p, 6, &idx), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 4, &idx), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 3, &idx), HYMC_GOT_WAIT);
	EXPECT_EQ(p->io[pool_pull(p)].key.b[24], 6);
	EXPECT_EQ(p->io[pool_pull(p)].key.b[24], 4);
	EXPECT_EQ(p->io[pool_pull(p)].key.b[24], 3);
	EXPECT_EQ(p->io[pool_pull(p)].key.b[24], 1);
	EXPECT_EQ(p->io[pool_pull(p)].key.b[24], 2);
	EXPECT(pool_pull(p) < 0);
	EXPECT_EQ(pool_stats(p).demand_blocks, 3);
	EXPECT_EQ(pool_stats(p).prefetch_blocks, 2);
	pool_run(p);
	EXPECT(pool_sound(p));
	pool_end(p, r);
	pool_free(p);
}

static void staged_late_and_lead_are_told_apart(void)
{
	struct pool *p = stocked(2);
	struct hymc_request *r = pool_hint(p, 1, 2, 8 * F, 0);
	struct hymc_stats st;
	u32 a, b;

	EXPECT(pool_pull(p) >= 0 && pool_pull(p) >= 0);
	pool_finish(p, 0, 0);
	p->now += 5 * US;
	EXPECT_EQ(hymc_acquire_item(p->c, r, 0, p->now, &a), HYMC_GOT_READY);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 1, p->now, &b), HYMC_GOT_WAIT);
	EXPECT_EQ(hymc_core_tier(p->c, b), HYMC_TIER_INFLIGHT);
	pool_run(p);
	EXPECT_EQ(hymc_acquire_retry(p->c, b, p->now), HYMC_GOT_READY);
	/* A lead counts once, on the first acquire. */
	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_READY);
	EXPECT_EQ(ask(p, 2, &b), HYMC_GOT_READY);
	st = pool_stats(p);
	EXPECT_EQ(st.acquire_staged, 3);
	EXPECT_EQ(st.acquire_late, 1);
	EXPECT_EQ(st.acquire_demand, 0);
	EXPECT_EQ(st.lead_count, 1);
	EXPECT_EQ(st.lead_ns_sum, 5 * US);
	/* 5 us is below 2^3 and not below 2^2. */
	EXPECT_EQ(st.lead_hist[3], 1);
	unpin(p, a);
	unpin(p, b);
	hymc_core_release(p->c, a, r, 0, p->now);
	hymc_core_release(p->c, b, r, 1, p->now);
	EXPECT_EQ(hymc_request_left(r), 0);
	pool_end(p, r);
	EXPECT_EQ(pool_stats(p).hint_cancelled, 0);
	EXPECT_EQ(pool_stats(p).wasted_blocks, 0);
	pool_free(p);
}

static void lead_buckets_are_powers_of_two(void)
{
	const u64 lead[] = { 0, 999, US, 2 * US - 1, 2 * US, 1024 * US,
			     ~0ULL >> 8 };
	const u32 bucket[] = { 0, 0, 1, 1, 2, 11, 31 };
	struct hymc_request *r;
	struct pool *p;
	u32 i, idx;

	for (i = 0; i < 7; i++) {
		p = stocked(1);
		r = pool_hint(p, 1, 1, 8 * F, 0);
		pool_run(p);
		p->now += lead[i];
		EXPECT_EQ(ask(p, 1, &idx), HYMC_GOT_READY);
		EXPECT_EQ(pool_stats(p).lead_hist[bucket[i]], 1);
		EXPECT_EQ(pool_stats(p).lead_ns_sum, lead[i]);
		unpin(p, idx);
		pool_end(p, r);
		pool_free(p);
	}
}

static void buffer_hits_are_staged(void)
{
	struct pool *p = stocked(0);
	u32 idx;

	EXPECT_EQ(pool_put(p, 1, F), 0);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_BUFFER);
	EXPECT_EQ(ask(p, 1, &idx), HYMC_GOT_READY);
	EXPECT_EQ(hymc_core_tier(p->c, idx), HYMC_TIER_BUFFER);
	EXPECT(pool_pull(p) >= 0);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_BUFFER);
	pool_run(p);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_DRAM);
	EXPECT(pool_right(p, idx, 1, 0));
	EXPECT_EQ(pool_stats(p).acquire_staged, 1);
	unpin(p, idx);
	pool_free(p);
}

static void abandoned_read_is_not_started(void)
{
	struct pool *p = stocked(2);
	u32 a, b;

	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 2, &b), HYMC_GOT_WAIT);
	hymc_acquire_abandon(p->c, a, true);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_INFLIGHT);
	hymc_acquire_abandon(p->c, a, false);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_SSD);
	EXPECT_EQ(pool_stats(p).acquire_timeout, 1);
	pool_run(p);
	EXPECT_EQ(p->reads, 1);
	hymc_acquire_abandon(p->c, b, true);
	EXPECT_EQ(pool_tier(p, 2), HYMC_TIER_DRAM);
	EXPECT_EQ(hymc_core_woken(p->c), HYMC_NIL);
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* What a window counts on is read although the waiter left. */
static void abandoned_but_held_is_read(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct hymc_request *r;
	struct pool *p;
	u32 big, idx;

	cfg.read_bytes_max = F;
	p = pool_new(&cfg);
	pool_stock(p, 1, 2, F);
	EXPECT_EQ(ask(p, 1, &big), HYMC_GOT_WAIT);
	EXPECT(pool_pull(p) >= 0);
	EXPECT_EQ(ask(p, 2, &idx), HYMC_GOT_WAIT);
	r = pool_hint(p, 2, 2, 8 * F, 0);
	EXPECT(pool_pull(p) < 0);
	pool_finish(p, 0, 0);
	hymc_acquire_abandon(p->c, big, false);
	hymc_acquire_abandon(p->c, idx, false);
	pool_run(p);
	EXPECT_EQ(pool_tier(p, 2), HYMC_TIER_DRAM);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void woken_waiter_that_left_is_forgotten(void)
{
	struct pool *p = stocked(2);
	u32 a, b;

	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 2, &b), HYMC_GOT_WAIT);
	EXPECT(pool_pull(p) >= 0 && pool_pull(p) >= 0);
	pool_finish(p, 0, 0);
	pool_finish(p, 0, 0);
	hymc_acquire_abandon(p->c, a, true);
	EXPECT(pool_sound(p));
	EXPECT_EQ(hymc_core_woken(p->c), b);
	EXPECT_EQ(hymc_core_woken(p->c), HYMC_NIL);
	EXPECT_EQ(hymc_acquire_retry(p->c, b, p->now), HYMC_GOT_READY);
	unpin(p, b);
	pool_free(p);
}

static void read_error_is_eio_and_the_block_is_gone(void)
{
	const int errs[] = { -EIO, -EBADMSG };
	struct pool *p;
	u32 i, idx;

	for (i = 0; i < 2; i++) {
		p = stocked(1);
		EXPECT_EQ(ask(p, 1, &idx), HYMC_GOT_WAIT);
		EXPECT(pool_pull(p) >= 0);
		pool_finish(p, 0, errs[i]);
		EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_NONE);
		EXPECT_EQ(hymc_core_woken(p->c), idx);
		EXPECT_EQ(hymc_acquire_retry(p->c, idx, p->now), -EIO);
		EXPECT_EQ(pool_stats(p).read_errors, i == 0);
		EXPECT_EQ(pool_stats(p).verify_errors, i == 1);
		EXPECT_EQ(pool_stats(p).blocks, 0);
		EXPECT_EQ(pool_stats(p).frames_free, 16);
		EXPECT_EQ(p->c->slab.used, 0);
		EXPECT_EQ(p->c->log.seg[0].failed, 1);
		/* The key can be put again, elsewhere. */
		EXPECT_EQ(pool_put(p, 1, F), 0);
		EXPECT(pool_use(p, 1));
		EXPECT(pool_sound(p));
		pool_free(p);
	}
}

static void one_bad_block_spares_the_others(void)
{
	struct pool *p = stocked(3);
	struct hymc_request *r = pool_hint(p, 1, 3, 8 * F, 0);
	u32 idx;

	EXPECT(pool_pull(p) >= 0 && pool_pull(p) >= 0 && pool_pull(p) >= 0);
	pool_finish(p, 1, -EIO);
	pool_run(p);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 0, p->now, &idx), HYMC_GOT_READY);
	hymc_core_release(p->c, idx, r, 0, p->now);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 1, p->now, &idx), -ENOENT);
	EXPECT_EQ(hymc_acquire_item(p->c, r, 2, p->now, &idx), HYMC_GOT_READY);
	EXPECT(pool_right(p, idx, 3, 0));
	hymc_core_release(p->c, idx, r, 2, p->now);
	EXPECT_EQ(hymc_request_left(r), 0);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void view_outlives_delete(void)
{
	struct pool *p = stocked(1);
	u32 idx, other;

	EXPECT_EQ(pool_get(p, 1, &idx), HYMC_GOT_READY);
	EXPECT_EQ(delete(p, 1), 0);
	EXPECT_EQ(delete(p, 1), -ENOENT);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_NONE);
	EXPECT_EQ(pool_stats(p).ssd_used_bytes, 2 * F);
	/* Another block under the same key, while the old one is in view. */
	EXPECT_EQ(pool_reserve(p, 1, F, 0, &other), 0);
	EXPECT(other != idx);
	pool_fill(p, other, 1, 1);
	hymc_core_commit(p->c, other, p->now);
	EXPECT(!hymc_stage_can(p->c, 15 * F, HYMC_TAKE_HELD));
	pool_run(p);
	EXPECT(pool_right(p, idx, 1, 0));
	EXPECT(pool_sound(p));
	unpin(p, idx);
	EXPECT_EQ(p->c->slab.used, 1);
	EXPECT_EQ(pool_stats(p).frames_free, 15);
	EXPECT_EQ(ask(p, 1, &idx), HYMC_GOT_READY);
	EXPECT(pool_right(p, idx, 1, 1));
	unpin(p, idx);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void delete_while_reading_and_waited_for(void)
{
	struct pool *p = stocked(2);
	u32 a, b;

	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT_EQ(ask(p, 2, &b), HYMC_GOT_WAIT);
	EXPECT(pool_pull(p) >= 0);
	EXPECT_EQ(delete(p, 1), 0);
	EXPECT_EQ(delete(p, 2), 0);
	EXPECT(pool_sound(p));
	EXPECT_EQ(hymc_core_woken(p->c), a);
	EXPECT_EQ(hymc_acquire_retry(p->c, a, p->now), -ENOENT);
	EXPECT_EQ(hymc_core_woken(p->c), b);
	hymc_acquire_abandon(p->c, b, true);
	EXPECT(pool_sound(p));
	/* The frame and the extent wait for the read. */
	EXPECT_EQ(pool_stats(p).frames_reading, 1);
	EXPECT_EQ(p->c->log.seg[0].live, 2 * F);
	pool_finish(p, 0, 0);
	EXPECT_EQ(pool_stats(p).frames_free, 16);
	EXPECT_EQ(p->c->log.seg[0].live, 0);
	EXPECT_EQ(p->c->slab.used, 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void drop_ns_with_everything_going_on(void)
{
	struct hymc_key key2 = pool_key(1);
	struct pool *p = stocked(4);
	struct hymc_request *r;
	struct hymc_hit hit;
	u32 view, wait, fill, fill2, other;

	EXPECT_EQ(hymc_core_reserve(p->c, 2, &key2, F, NULL, 1, &other), 0);
	hymc_core_commit(p->c, other, 1);
	r = pool_hint(p, 1, 4, 8 * F, 0);
	EXPECT(pool_pull(p) >= 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(ask(p, 1, &view), HYMC_GOT_READY);
	EXPECT_EQ(ask(p, 2, &wait), HYMC_GOT_WAIT);
	EXPECT(pool_pull(p) >= 0);
	EXPECT_EQ(pool_put(p, 10, F), 0);
	EXPECT_EQ(pool_reserve(p, 11, F, 10, &fill), 0);
	EXPECT_EQ(pool_reserve(p, 12, F, 11, &fill2), 0);
	EXPECT_EQ(hymc_core_drop_ns(p->c, 1), 5);
	EXPECT(pool_sound(p));
	EXPECT_EQ(pool_stats(p).blocks, 1);
	EXPECT(hymc_core_lookup(p->c, 2, &key2, 0, 1, &hit));
	EXPECT_EQ(pool_reserve(p, 11, F, 0, &other), 0);
	hymc_core_abort(p->c, other);
	hymc_core_commit(p->c, fill, p->now);
	hymc_core_abort(p->c, fill2);
	EXPECT_EQ(pool_tier(p, 11), HYMC_TIER_NONE);
	EXPECT_EQ(hymc_acquire_retry(p->c, wait, p->now), -ENOENT);
	EXPECT(pool_right(p, view, 1, 0));
	pool_run(p);
	EXPECT(pool_right(p, view, 1, 0));
	hymc_core_release(p->c, view, r, 0, p->now);
	pool_end(p, r);
	EXPECT(pool_sound(p));
	EXPECT_EQ(p->c->slab.used, 1);
	EXPECT_EQ(pool_stats(p).frames_free, 15);
	pool_free(p);
}

static void stop_hands_out_nothing(void)
{
	struct pool *p = stocked(3);
	struct hymc_request *r;
	struct hymc_act act;
	u32 a, b;

	EXPECT_EQ(ask(p, 1, &a), HYMC_GOT_WAIT);
	EXPECT(pool_pull(p) >= 0);
	EXPECT_EQ(ask(p, 2, &b), HYMC_GOT_WAIT);
	EXPECT_EQ(pool_put(p, 9, F), 0);
	r = pool_hint(p, 1, 3, 8 * F, 0);
	hymc_core_stop(p->c);
	EXPECT(!hymc_core_next(p->c, p->now, &act));
	EXPECT_EQ(act.kind, HYMC_ACT_NONE);
	pool_finish(p, 0, 0);
	EXPECT(!hymc_core_next(p->c, p->now, &act));
	EXPECT_EQ(hymc_acquire_retry(p->c, a, p->now), HYMC_GOT_READY);
	unpin(p, a);
	hymc_acquire_abandon(p->c, b, false);
	pool_end(p, r);
	EXPECT_EQ(hymc_core_drop_ns(p->c, 1), 4);
	EXPECT_EQ(p->c->slab.used, 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "acquire: a miss is -ENOENT, filling is a miss", miss_is_enoent },
	{ "acquire: demand read, joined, woken", demand_read_and_wake },
	{ "acquire: demand is FIFO and goes before hints",
	  demand_is_fifo_and_before_hints },
	{ "acquire: staged, late and lead time",
	  staged_late_and_lead_are_told_apart },
	{ "acquire: lead buckets are powers of two",
	  lead_buckets_are_powers_of_two },
	{ "acquire: hits in the write buffer", buffer_hits_are_staged },
	{ "abandon: the read is not started", abandoned_read_is_not_started },
	{ "abandon: but is when a window counts on it",
	  abandoned_but_held_is_read },
	{ "abandon: a woken waiter that left is forgotten",
	  woken_waiter_that_left_is_forgotten },
	{ "errors: a failed read is -EIO and the block is gone",
	  read_error_is_eio_and_the_block_is_gone },
	{ "errors: one bad block spares the others",
	  one_bad_block_spares_the_others },
	{ "delete: a view outlives it", view_outlives_delete },
	{ "delete: while reading and waited for",
	  delete_while_reading_and_waited_for },
	{ "drop_ns: with everything going on",
	  drop_ns_with_everything_going_on },
	{ "stop: hands out nothing, takes completions",
	  stop_hands_out_nothing },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
