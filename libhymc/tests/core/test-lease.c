// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * DOC: tests of leases
 */
#include <stdlib.h>

#include "core_priv.h"
#include "pool.h"
#include "tap.h"

static struct hymc_lease *lease_new(u32 nr)
{
	return hymc_lease_init(calloc(1, hymc_lease_bytes(nr)), nr, 1000);
}

static void lease_drop(struct pool *p, struct hymc_lease *l)
{
	hymc_lease_end(p->c, l);
	free(l);
}

static bool look(struct pool *p, u64 id, struct hymc_lease *l)
{
	struct hymc_key key = pool_key(id);
	struct hymc_hit hit;

	return hymc_core_lookup(p->c, 1, &key, l, p->now, &hit);
}

static u64 leases(struct pool *p)
{
	return pool_stats(p).leases;
}

static struct pool *pool_of(u64 blocks)
{
	struct hymc_core_cfg cfg = pool_cfg();
	struct pool *p = pool_new(&cfg);
	u64 id;

	for (id = 1; id <= blocks; id++) {
		EXPECT_EQ(pool_put(p, id, 1), 0);
		pool_run(p);
	}
	return p;
}

static void delete(struct pool *p, u64 id)
{
	struct hymc_key key = pool_key(id);

	EXPECT_EQ(hymc_core_delete(p->c, 1, &key), 0);
}

static void lease_lasts_until_its_end(void)
{
	struct pool *p = pool_of(2);
	struct hymc_lease *l = lease_new(4);

	EXPECT(look(p, 1, NULL));
	EXPECT_EQ(leases(p), 0);
	EXPECT(look(p, 1, l));
	EXPECT(look(p, 2, l));
	EXPECT_EQ(leases(p), 2);
	EXPECT_EQ(hymc_lease_nr(l), 2);
	EXPECT_EQ(hymc_lease_until(l), 1000);
	EXPECT(pool_sound(p));
	lease_drop(p, l);
	EXPECT_EQ(leases(p), 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void misses_are_not_leased(void)
{
	struct pool *p = pool_of(1);
	struct hymc_lease *l = lease_new(4);

	EXPECT(!look(p, 7, l));
	EXPECT_EQ(hymc_lease_nr(l), 0);
	lease_drop(p, l);
	pool_free(p);
}

static void full_lease_takes_no_more(void)
{
	struct pool *p = pool_of(2);
	struct hymc_lease *l = lease_new(1);

	EXPECT(look(p, 1, l));
	EXPECT(look(p, 2, l));
	EXPECT_EQ(hymc_lease_nr(l), 1);
	EXPECT_EQ(leases(p), 1);
	lease_drop(p, l);
	pool_free(p);
}

static void block_is_counted_once(void)
{
	struct pool *p = pool_of(1);
	struct hymc_lease *a = lease_new(4), *b = lease_new(4);

	EXPECT(look(p, 1, a));
	EXPECT(look(p, 1, a));
	EXPECT(look(p, 1, b));
	EXPECT_EQ(leases(p), 1);
	EXPECT(pool_sound(p));
	lease_drop(p, a);
	EXPECT_EQ(leases(p), 1);
	lease_drop(p, b);
	EXPECT_EQ(leases(p), 0);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static void delete_wins(void)
{
	struct pool *p = pool_of(2);
	struct hymc_lease *l = lease_new(4);

	EXPECT(look(p, 1, l));
	EXPECT(look(p, 2, l));
	delete(p, 1);
	EXPECT(!look(p, 1, NULL));
	EXPECT_EQ(leases(p), 1);
	EXPECT(pool_sound(p));
	/* The same key again is another block, not under that lease. */
	EXPECT_EQ(pool_put(p, 1, 1), 0);
	pool_run(p);
	EXPECT_EQ(leases(p), 1);
	lease_drop(p, l);
	EXPECT_EQ(leases(p), 0);
	EXPECT(look(p, 1, NULL));
	EXPECT(pool_sound(p));
	pool_free(p);
}

/* A dead block's number is not given away while a lease names it. */
static void dead_block_keeps_its_entry(void)
{
	struct pool *p = pool_of(1);
	struct hymc_lease *l = lease_new(1);
	u32 used = p->c->slab.used;

	EXPECT(look(p, 1, l));
	delete(p, 1);
	EXPECT_EQ(p->c->slab.used, used);
	lease_drop(p, l);
	EXPECT_EQ(p->c->slab.used, used - 1);
	EXPECT(pool_sound(p));
	pool_free(p);
}

static const struct tap_test tests[] = {
	{ "lease: lasts until it is ended", lease_lasts_until_its_end },
	{ "lease: misses are not leased", misses_are_not_leased },
	{ "lease: a full one takes no more", full_lease_takes_no_more },
	{ "lease: a block counts once", block_is_counted_once },
	{ "lease: deleting wins", delete_wins },
	{ "lease: a dead block keeps its entry", dead_block_keeps_its_entry },
};

int main(void)
{
	return tap_run(tests, ARRAY_SIZE(tests));
}
