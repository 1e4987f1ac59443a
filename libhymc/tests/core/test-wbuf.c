// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of inserts, write-back, sync and parents
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

#define F	(4 * KB)

static struct pool *new_pool(u32 policy)
{
	struct hymc_core_cfg cfg = pool_cfg();

	cfg.policy = policy;
	return pool_new(&cfg);
}

static int delete(struct pool *p, u64 id)
{
	struct hymc_key key = pool_key(id);

	return hymc_core_delete(p->c, 1, &key);
}

/* The number of the key that the next action is for; 0 when there is none. */
static u64 next_of(struct pool *p, enum hymc_act_kind kind)
{
	int n = pool_pull(p);
	u64 id;

	if (n < 0)
		return 0;
	EXPECT_EQ(p->io[n].kind, kind);
	memcpy(&id, p->io[n].key.b + HYMC_KEY_BYTES - sizeof(id), sizeof(id));
	return id;
}

static u64 next_write(struct pool *p)
{
	return next_of(p, HYMC_ACT_WRITE);
}

static void every_refusal_has_its_errno(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u32 idx, other;

	EXPECT_EQ(pool_reserve(p, 1, 0, 0, &idx), -EINVAL);
	EXPECT_EQ(pool_reserve(p, 1, 16 * F + 1, 0, &idx), -EFBIG);
	EXPECT_EQ(pool_reserve(p, 1, ~0ULL, 0, &idx), -EFBIG);
	EXPECT_EQ(pool_reserve(p, 1, F, 0, &idx), 0);
	EXPECT_EQ(pool_reserve(p, 1, F, 0, &other), -EBUSY);
	pool_fill(p, idx, 1, 0);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_NONE);
	hymc_core_commit(p->c, idx, p->now);
	EXPECT_EQ(pool_reserve(p, 1, F, 0, &other), -EALREADY);
	EXPECT_EQ(pool_reserve(p, 1, F - 1, 0, &other), -EEXIST);
	EXPECT_EQ(pool_stats(p).put_present, 1);
	EXPECT_EQ(pool_stats(p).put_conflict, 1);
	EXPECT_EQ(pool_stats(p).put_blocks, 1);
	EXPECT_EQ(pool_stats(p).put_bytes, F);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void abort_leaves_nothing(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u32 idx;

	EXPECT_EQ(pool_reserve(p, 1, 3 * F, 0, &idx), 0);
	hymc_core_abort(p->c, idx);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_NONE);
	EXPECT_EQ(pool_stats(p).put_aborted, 1);
	EXPECT_EQ(pool_stats(p).frames_free, 16);
	EXPECT_EQ(p->c->log.promised, 0);
	EXPECT_EQ(p->c->slab.used, 0);
	EXPECT_EQ(pool_put(p, 1, F), 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void full_buffer_is_skipped(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u32 idx;

	EXPECT_EQ(pool_put(p, 1, 4 * F), 0);
	EXPECT_EQ(pool_reserve(p, 2, 3 * F, 0, &idx), 0);
	EXPECT_EQ(pool_put(p, 3, F + 1), -EAGAIN);
	EXPECT_EQ(pool_stats(p).skip_buffer, 1);
	EXPECT_EQ(pool_put(p, 4, F), 0);
	EXPECT_EQ(pool_put(p, 5, 1), -EAGAIN);
	hymc_core_abort(p->c, idx);
	EXPECT_EQ(pool_put(p, 5, 1), 0);
	pool_run(p);
	/* Larger than the buffer, and alone: goes. */
	EXPECT_EQ(pool_put(p, 6, 12 * F), 0);
	EXPECT_EQ(pool_put(p, 7, 1), -EAGAIN);
	pool_run(p);
	EXPECT_EQ(pool_put(p, 7, 1), 0);
	EXPECT_EQ(pool_stats(p).skip_buffer, 3);
	EXPECT_EQ(pool_stats(p).skip_frames, 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void writes_wait_until_reads_are_idle(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	struct hymc_request *r;

	pool_stock(p, 1, 3, F);
	r = pool_hint(p, 1, 3, 2 * F, 0);
	EXPECT_EQ(pool_put(p, 10, F), 0);
	EXPECT_EQ(pool_put(p, 11, F), 0);
	EXPECT_EQ(pool_put(p, 12, F), 0);
	EXPECT_EQ(next_of(p, HYMC_ACT_READ), 1);
	EXPECT_EQ(next_of(p, HYMC_ACT_READ), 2);
	EXPECT_EQ(next_write(p), 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_write(p), 0);
	pool_finish(p, 0, 0);
	/* The window is full and nothing is in flight. */
	EXPECT_EQ(next_write(p), 10);
	EXPECT_EQ(next_write(p), 11);
	EXPECT_EQ(next_write(p), 0);
	EXPECT_EQ(pool_stats(p).writes_inflight, 2);
	pool_finish(p, 1, 0);
	EXPECT_EQ(next_write(p), 12);
	EXPECT(!hymc_core_clean(p->c));
	pool_run(p);
	EXPECT(hymc_core_clean(p->c));
	pool_end(p, r);
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* Reads keep the drive busy; dirty passes the high mark and is brought to low. */
static void watermarks_have_hysteresis(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u64 id;
	u32 idx;
	struct hymc_key key = pool_key(1);

	pool_stock(p, 1, 1, F);
	EXPECT_EQ(hymc_acquire_key(p->c, 1, &key, p->now, &idx),
		  HYMC_GOT_WAIT);
	EXPECT_EQ(next_of(p, HYMC_ACT_READ), 1);
	for (id = 10; id < 16; id++)
		EXPECT_EQ(pool_put(p, id, F), 0);
	EXPECT_EQ(next_write(p), 0);
	EXPECT_EQ(pool_put(p, 16, F), 0);
	/* 7 frames dirty, high is 6, low is 2. */
	for (id = 10; id < 15; id++) {
		EXPECT_EQ(next_write(p), id);
		pool_finish(p, 1, 0);
	}
	EXPECT_EQ(next_write(p), 0);
	EXPECT_EQ(pool_stats(p).dirty_bytes, 2 * F);
	EXPECT_EQ(pool_put(p, 17, F), 0);
	EXPECT_EQ(next_write(p), 0);
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_write(p), 15);
	EXPECT_EQ(hymc_acquire_retry(p->c, idx, p->now), HYMC_GOT_READY);
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	pool_run(p);
	EXPECT_EQ(pool_stats(p).ssd_write_ios, 1 + 8);
	EXPECT_EQ(pool_stats(p).ssd_write_bytes, 9 * 2 * F);
	pool_free(p);
}

static void sync_goes_before_idleness(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	struct hymc_key key = pool_key(1);
	u64 t0, t1, t2, lost;
	u32 idx;

	t0 = hymc_core_sync(p->c);
	EXPECT(hymc_core_synced(p->c, t0, &lost));
	pool_stock(p, 1, 1, F);
	EXPECT_EQ(hymc_acquire_key(p->c, 1, &key, p->now, &idx),
		  HYMC_GOT_WAIT);
	EXPECT_EQ(next_of(p, HYMC_ACT_READ), 1);
	EXPECT_EQ(pool_put(p, 10, F), 0);
	EXPECT_EQ(pool_put(p, 11, F), 0);
	EXPECT_EQ(next_write(p), 0);
	t1 = hymc_core_sync(p->c);
	EXPECT_EQ(pool_put(p, 12, F), 0);
	EXPECT_EQ(next_write(p), 10);
	EXPECT_EQ(next_write(p), 11);
	/* The later one ends first; the sync needs both. */
	pool_finish(p, 2, 0);
	EXPECT(!hymc_core_synced(p->c, t1, &lost));
	EXPECT_EQ(next_write(p), 0);
	pool_finish(p, 1, 0);
	EXPECT(hymc_core_synced(p->c, t1, &lost));
	EXPECT_EQ(lost, 0);
	EXPECT(!hymc_core_clean(p->c));
	t2 = hymc_core_sync(p->c);
	EXPECT_EQ(delete(p, 12), 0);
	EXPECT(hymc_core_synced(p->c, t2, &lost));
	EXPECT(hymc_core_clean(p->c));
	pool_run(p);
	hymc_acquire_abandon(p->c, idx, false);
	pool_free(p);
}

static void failed_write_loses_the_block_only(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u64 ticket, lost, addr;
	u32 idx;

	EXPECT_EQ(pool_put(p, 1, F), 0);
	EXPECT_EQ(pool_put(p, 2, F), 0);
	ticket = hymc_core_sync(p->c);
	EXPECT_EQ(pool_get(p, 2, &idx), HYMC_GOT_READY);
	EXPECT_EQ(next_write(p), 1);
	addr = p->io[0].addr;
	pool_finish(p, 0, 0);
	EXPECT_EQ(next_write(p), 2);
	pool_finish(p, 0, -EIO);
	EXPECT(hymc_core_synced(p->c, ticket, &lost));
	EXPECT_EQ(lost, 1);
	EXPECT_EQ(pool_tier(p, 2), HYMC_TIER_NONE);
	EXPECT_EQ(pool_tier(p, 1), HYMC_TIER_DRAM);
	EXPECT_EQ(pool_stats(p).write_errors, 1);
	/* Its view stays readable. */
	EXPECT(pool_right(p, idx, 2, 0));
	EXPECT(pool_sound(p));
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	/* The next record goes to another segment. */
	EXPECT_EQ(pool_put(p, 3, F), 0);
	EXPECT_EQ(next_write(p), 3);
	EXPECT_EQ(p->io[0].addr, addr + p->cfg.segment_bytes);
	pool_run(p);
	pool_evict(p);
	EXPECT(pool_use(p, 1));
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* All segments but one fail; what was promised space there is lost, not stuck. */
static void drive_that_takes_nothing(void)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p;
	u64 id, lost, ticket;

	cfg.ssd_bytes = 2 * cfg.segment_bytes;
	p = pool_new(&cfg);
	for (id = 1; id <= 6; id++)
		EXPECT_EQ(pool_put(p, id, F), 0);
	ticket = hymc_core_sync(p->c);
	while (pool_pull(p) >= 0)
		pool_finish(p, 0, -EIO);
	EXPECT(hymc_core_synced(p->c, ticket, &lost));
	EXPECT_EQ(lost, 6);
	EXPECT_EQ(pool_stats(p).blocks, 0);
	EXPECT_EQ(pool_stats(p).frames_free, 16);
	EXPECT_EQ(pool_put(p, 9, F), -ENOSPC);
	EXPECT_EQ(pool_stats(p).skip_ssd, 1);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void delete_before_the_write_saves_it(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);

	EXPECT_EQ(pool_put(p, 1, F), 0);
	EXPECT_EQ(pool_put(p, 2, F), 0);
	EXPECT_EQ(delete(p, 1), 0);
	EXPECT_EQ(p->c->log.promised, 2 * F);
	EXPECT_EQ(next_write(p), 2);
	EXPECT_EQ(delete(p, 2), 0);
	EXPECT(pool_sound(p));
	EXPECT_EQ(pool_stats(p).frames_dirty, 1);
	EXPECT(!hymc_core_clean(p->c));
	pool_run(p);
	EXPECT(hymc_core_clean(p->c));
	EXPECT_EQ(p->writes, 1);
	EXPECT_EQ(pool_stats(p).frames_free, 16);
	EXPECT_EQ(p->c->log.seg[0].live, 0);
	EXPECT_EQ(p->c->slab.used, 0);
	EXPECT_EQ(pool_stats(p).delete_blocks, 2);
	pool_free(p);
}

static void full_ssd_is_enospc(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u64 id, full;
	int err;

	for (full = 1; ; full++) {
		err = pool_put(p, full, 3 * F);
		if (err)
			break;
		pool_run(p);
		EXPECT(pool_stats(p).ssd_used_bytes <= p->cfg.ssd_bytes);
	}
	EXPECT_EQ(err, -ENOSPC);
	/* 8 records of 16 KiB in each of 16 segments; some doubt at the end. */
	EXPECT(full > 120 && full <= 129);
	EXPECT_EQ(pool_stats(p).skip_ssd, 1);
	pool_evict(p);
	for (id = 1; id < full; id++)
		EXPECT(pool_use(p, id));
	/* A whole segment's worth of deletes makes room again. */
	for (id = 9; id <= 16; id++)
		EXPECT_EQ(delete(p, id), 0);
	EXPECT_EQ(pool_put(p, 1000, 3 * F), 0);
	pool_run(p);
	EXPECT_EQ(p->wrong, 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static struct hymc_act write_of(struct pool *p)
{
	int n = pool_pull(p);
	struct hymc_act act = p->io[n];

	EXPECT(n >= 0 && act.kind == HYMC_ACT_WRITE);
	pool_finish(p, n, 0);
	return act;
}

static bool parent_is(const struct hymc_act *act, u64 id)
{
	struct hymc_key key = pool_key(id), none = { { 0 } };

	return !memcmp(&act->parent, id ? &key : &none, sizeof(key));
}

static void parents_are_written(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	struct hymc_act act;
	u32 a, b, c, d, e;

	/* A chain reserved at once: each parent is still being filled. */
	EXPECT_EQ(pool_reserve(p, 1, F, 0, &a), 0);
	EXPECT_EQ(pool_reserve(p, 2, F, 1, &b), 0);
	EXPECT_EQ(pool_reserve(p, 3, F, 2, &c), 0);
	EXPECT_EQ(pool_reserve(p, 4, F, 77, &d), 0);
	EXPECT_EQ(pool_reserve(p, 5, F, 5, &e), 0);
	hymc_core_commit(p->c, a, p->now);
	hymc_core_commit(p->c, b, p->now);
	hymc_core_commit(p->c, c, p->now);
	hymc_core_commit(p->c, d, p->now);
	hymc_core_commit(p->c, e, p->now);
	/* The middle one goes before anything is written. */
	EXPECT_EQ(delete(p, 2), 0);
	EXPECT(pool_sound(p));
	act = write_of(p);
	EXPECT(parent_is(&act, 0));
	act = write_of(p);
	EXPECT_EQ(act.block, c);
	EXPECT(parent_is(&act, 2));
	/* Once written, the dead parent is not kept. */
	EXPECT_EQ(p->c->slab.used, 4);
	act = write_of(p);
	EXPECT(parent_is(&act, 0));
	act = write_of(p);
	EXPECT(parent_is(&act, 0));
	EXPECT(pool_sound(p));
	EXPECT_EQ(hymc_core_drop_ns(p->c, 1), 4);
	EXPECT_EQ(p->c->slab.used, 0);
	pool_free(p);
}

static void dead_chain_keeps_one_entry_only(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u32 idx;
	u64 id;

	for (id = 1; id <= 100; id++) {
		EXPECT_EQ(pool_reserve(p, id, F, id - 1, &idx), 0);
		hymc_core_commit(p->c, idx, p->now);
		pool_run(p);
	}
	for (id = 1; id < 100; id++)
		EXPECT_EQ(delete(p, id), 0);
	EXPECT_EQ(p->c->slab.used, 2);
	EXPECT(pool_sound(p));
	EXPECT_EQ(delete(p, 100), 0);
	EXPECT_EQ(p->c->slab.used, 0);
	pool_free(p);
}

static void lru_inserts_wait_uncounted(void)
{
	struct pool *p = new_pool(HYMC_POLICY_LRU);
	u64 id;

	/* No limit for dirty: all frames may be. */
	for (id = 1; id <= 16; id++)
		EXPECT_EQ(pool_put(p, id, F), 0);
	hymc_core_room(p->c);
	EXPECT_EQ(pool_put(p, 17, F), -EAGAIN);
	EXPECT(!hymc_core_room(p->c));
	EXPECT_EQ(next_write(p), 1);
	pool_finish(p, 0, 0);
	EXPECT(hymc_core_room(p->c));
	EXPECT(!hymc_core_room(p->c));
	EXPECT_EQ(pool_put(p, 17, F), 0);
	EXPECT_EQ(pool_stats(p).skip_frames + pool_stats(p).skip_buffer, 0);
	EXPECT_EQ(pool_stats(p).evict_cold, 1);
	pool_run(p);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void lru_interleaves_reads_and_writes(void)
{
	struct pool *p = new_pool(HYMC_POLICY_LRU);
	struct hymc_key key;
	u64 id, reads = 0, writes = 0;
	u32 idx, i;

	pool_stock(p, 1, 4, F);
	for (id = 1; id <= 4; id++) {
		key = pool_key(id);
		EXPECT_EQ(hymc_acquire_key(p->c, 1, &key, p->now, &idx),
			  HYMC_GOT_WAIT);
		EXPECT_EQ(pool_put(p, 10 + id, F), 0);
	}
	for (i = 0; i < 4; i++) {
		int n = pool_pull(p);

		EXPECT(n >= 0);
		reads += p->io[n].kind == HYMC_ACT_READ;
		writes += p->io[n].kind == HYMC_ACT_WRITE;
	}
	EXPECT_EQ(reads, 2);
	EXPECT_EQ(writes, 2);
	pool_run(p);
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* In view while it is written: may not move, stays right. */
static void write_of_a_viewed_block(void)
{
	struct pool *p = new_pool(HYMC_POLICY_STAGE);
	u32 idx;

	EXPECT_EQ(pool_put(p, 1, 2 * F), 0);
	EXPECT_EQ(pool_get(p, 1, &idx), HYMC_GOT_READY);
	pool_run(p);
	EXPECT_EQ(pool_stats(p).frames_pinned, 2);
	EXPECT(pool_right(p, idx, 1, 0));
	hymc_core_release(p->c, idx, NULL, 0, p->now);
	EXPECT_EQ(pool_stats(p).frames_cold, 2);
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "reserve: every refusal has its errno", every_refusal_has_its_errno },
	{ "reserve: abort leaves nothing", abort_leaves_nothing },
	{ "reserve: a full buffer is skipped", full_buffer_is_skipped },
	{ "reserve: a full SSD is -ENOSPC, deletes make room",
	  full_ssd_is_enospc },
	{ "reserve: LRU inserts wait, uncounted", lru_inserts_wait_uncounted },
	{ "write: waits until reads are idle",
	  writes_wait_until_reads_are_idle },
	{ "write: watermarks have hysteresis", watermarks_have_hysteresis },
	{ "write: LRU interleaves reads and writes",
	  lru_interleaves_reads_and_writes },
	{ "write: of a block in view", write_of_a_viewed_block },
	{ "write: delete before it saves it", delete_before_the_write_saves_it },
	{ "write: a failed one loses the block only",
	  failed_write_loses_the_block_only },
	{ "write: a drive that takes nothing", drive_that_takes_nothing },
	{ "sync: goes before idleness, needs all", sync_goes_before_idleness },
	{ "parents: are written, dead or alive", parents_are_written },
	{ "parents: a dead chain keeps one entry only",
	  dead_chain_keeps_one_entry_only },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
