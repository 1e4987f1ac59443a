// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of the log: placement, space promises, bad segments
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "random.h"
#include "tap.h"

#define A	((u64)HYMC_ALIGN_BYTES)

static struct pool *log_pool(u64 segments, u64 segment_bytes)
{
	struct hymc_core_cfg cfg = pool_cfg();

	cfg.segment_bytes = segment_bytes;
	cfg.ssd_bytes = segments * segment_bytes + segment_bytes / 2;
	return pool_new(&cfg);
}

static u64 place(struct pool *p, u64 bytes)
{
	u64 addr = 0;

	EXPECT(hymc_log_promise(p->c, bytes));
	EXPECT(hymc_log_place(p->c, bytes, &addr));
	return addr;
}

static void records_are_appended(void)
{
	struct pool *p = log_pool(4, 8 * A);
	u64 start = p->cfg.log_start;

	EXPECT_EQ(place(p, 3 * A), start);
	EXPECT_EQ(place(p, 2 * A), start + 3 * A);
	EXPECT_EQ(hymc_log_used_bytes(p->c), 5 * A);
	/* Does not fit into the rest of the segment: never spans. */
	EXPECT_EQ(place(p, 4 * A), start + 8 * A);
	EXPECT_EQ(hymc_log_used_bytes(p->c), 12 * A);
	EXPECT_EQ(place(p, 4 * A), start + 12 * A);
	EXPECT_EQ(place(p, 8 * A), start + 16 * A);
	pool_free(p);
}

static void empty_segment_is_free_again(void)
{
	struct pool *p = log_pool(2, 8 * A);
	u64 a = place(p, 8 * A), b = place(p, 4 * A), c = place(p, 4 * A);

	EXPECT(!hymc_log_promise(p->c, A));
	hymc_log_release(p->c, b, 4 * A);
	EXPECT(!hymc_log_promise(p->c, A));
	hymc_log_release(p->c, a, 8 * A);
	EXPECT_EQ(place(p, 8 * A), a);
	/* The open one, with nothing alive in it, is closed when needed. */
	hymc_log_release(p->c, c, 4 * A);
	EXPECT_EQ(place(p, 8 * A), p->cfg.log_start + 8 * A);
	pool_free(p);
}

static void promise_can_be_withdrawn(void)
{
	struct pool *p = log_pool(1, 8 * A);

	EXPECT(hymc_log_promise(p->c, 5 * A));
	EXPECT(!hymc_log_promise(p->c, 5 * A));
	hymc_log_withdraw(p->c, 5 * A);
	EXPECT(hymc_log_promise(p->c, 8 * A));
	EXPECT_EQ(p->c->log.promised, 8 * A);
	pool_free(p);
}

static void small_records_use_nearly_everything(void)
{
	struct pool *p = log_pool(16, 256 * A);
	u64 addr, nr = 0;

	while (hymc_log_promise(p->c, 2 * A))
		nr++;
	/* All of the 16 segments but the doubt of a size class each. */
	EXPECT(nr >= 16 * 128 - 16);
	while (nr--)
		EXPECT(hymc_log_place(p->c, 2 * A, &addr));
	pool_free(p);
}

static void large_records_always_fit(void)
{
	struct pool *p = log_pool(9, 100 * A);
	u64 addr, nr = 0;

	/* One in each segment fits; the promise counts two segments for each. */
	while (hymc_log_promise(p->c, 51 * A))
		nr++;
	EXPECT(nr >= 4 && nr <= 9);
	while (nr--)
		EXPECT(hymc_log_place(p->c, 51 * A, &addr));
	pool_free(p);
}

/* Read errors quarantine a segment; write errors close it as well. */
static void failed_segments_are_not_reused(void)
{
	struct pool *p = log_pool(3, 8 * A);
	u64 a = place(p, 8 * A), b = place(p, 2 * A), c, start;

	start = p->cfg.log_start;
	hymc_log_failed(p->c, a, false);
	hymc_log_release(p->c, a, 8 * A);
	hymc_log_failed(p->c, b, false);
	EXPECT_EQ(place(p, 2 * A), start + 10 * A);
	hymc_log_failed(p->c, b, true);
	c = place(p, 2 * A);
	EXPECT_EQ(c, start + 16 * A);
	EXPECT_EQ(hymc_log_used_bytes(p->c), 18 * A);
	EXPECT(!hymc_log_promise(p->c, 8 * A));
	hymc_log_release(p->c, c, 2 * A);
	EXPECT_EQ(place(p, 8 * A), start + 16 * A);
	pool_free(p);
}

/* What was promised may still use the rest of a segment that failed a read. */
static void promise_outlives_a_read_error(void)
{
	struct pool *p = log_pool(1, 8 * A);
	u64 a = place(p, 2 * A), addr = 0;

	EXPECT(hymc_log_promise(p->c, 4 * A));
	hymc_log_failed(p->c, a, false);
	hymc_log_release(p->c, a, 2 * A);
	EXPECT(!hymc_log_promise(p->c, 4 * A));
	EXPECT(hymc_log_place(p->c, 4 * A, &addr));
	EXPECT_EQ(addr, a + 2 * A);
	pool_free(p);
}

/* What the random test remembers of each record. */
struct record {
	u64 bytes;
	u64 addr;
	enum { GONE, PROMISED, PLACED } state;
};

#define RECORDS	64U

static bool apart(const struct record *a, const struct record *b)
{
	return a->addr + a->bytes <= b->addr || b->addr + b->bytes <= a->addr;
}

static bool placed_well(const struct pool *p, const struct record *rec, u32 n)
{
	u64 off = rec[n].addr - p->cfg.log_start;
	u64 seg = p->cfg.segment_bytes;
	u32 i;

	for (i = 0; i < RECORDS; i++) {
		if (i != n && rec[i].state == PLACED && !apart(&rec[i],
							       &rec[n]))
			return false;
	}
	return off / seg == (off + rec[n].bytes - 1) / seg &&
	       off / seg < p->c->log.nr;
}

static void record_step(struct pool *p, struct random *rnd, struct record *rec,
			u32 n)
{
	struct record *r = &rec[n];
	u64 max = random_chance(rnd, 50) ? 20 : 4;

	if (r->state == GONE) {
		r->bytes = (2 + random_below(rnd, max)) * A;
		if (hymc_log_promise(p->c, r->bytes))
			r->state = PROMISED;
	} else if (r->state == PROMISED && random_chance(rnd, 20)) {
		hymc_log_withdraw(p->c, r->bytes);
		r->state = GONE;
	} else if (r->state == PROMISED) {
		/* The promise: whatever the order, it fits. */
		EXPECT(hymc_log_place(p->c, r->bytes, &r->addr));
		EXPECT(placed_well(p, rec, n));
		r->state = PLACED;
	} else {
		hymc_log_release(p->c, r->addr, r->bytes);
		r->state = GONE;
	}
}

static void promises_are_kept_in_any_order(void)
{
	struct record rec[RECORDS];
	struct random rnd = { 11 };
	struct pool *p = NULL;
	u32 step;

	for (step = 0; step < 400000; step++) {
		if (step % 4000 == 0) {
			if (p)
				pool_free(p);
			p = log_pool(1 + random_below(&rnd, 12),
				     (24 + random_below(&rnd, 30)) * A);
			memset(rec, 0, sizeof(rec));
		}
		record_step(p, &rnd, rec, random_below(&rnd, RECORDS));
		EXPECT(hymc_log_used_bytes(p->c) <= p->cfg.ssd_bytes);
	}
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "log: records are appended and never span segments",
	  records_are_appended },
	{ "log: an empty segment is free again", empty_segment_is_free_again },
	{ "log: a promise can be withdrawn", promise_can_be_withdrawn },
	{ "log: small records use nearly everything",
	  small_records_use_nearly_everything },
	{ "log: large records always fit", large_records_always_fit },
	{ "log: failed segments are not reused",
	  failed_segments_are_not_reused },
	{ "log: a promise outlives a read error",
	  promise_outlives_a_read_error },
	{ "log: promises are kept in any order",
	  promises_are_kept_in_any_order },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
