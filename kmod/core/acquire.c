// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: acquire and release: views, waiters, and what they tell about hints
 *
 * Owns the pins. An acquire is counted once: as staged when its block was in
 * DRAM, else when the block came up, as late (a hint's read was under way) or
 * demand (it started the read, or joined one that an acquire had started), as a
 * timeout when it gave up, as a miss when there was no such block.
 */
#include "core_priv.h"

/* Bucket i counts lead times below 2^i microseconds. */
static u32 lead_bucket(u64 ns)
{
	u64 us = div_u64(ns, 1000);
	u32 i = 0;

	while (us && i < HYMC_LEAD_BUCKETS - 1) {
		us >>= 1;
		i++;
	}
	return i;
}

static void count_lead(struct hymc_stats *st, const struct hymc_block *b,
		       u64 now)
{
	u64 lead = now > b->ready_ns ? now - b->ready_ns : 0;

	st->lead_ns_sum += lead;
	st->lead_count++;
	st->lead_hist[lead_bucket(lead)]++;
}

/* Hand out a view of a block in DRAM. */
static int block_pin(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->pins++;
	b->flags &= ~HYMC_BF_PREFETCHED;
	c->st.acquire_bytes += b->len;
	hymc_stage_place(c, idx);
	return HYMC_GOT_READY;
}

static int acquire_staged(struct hymc_core *c, u32 idx, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	c->st.acquire_staged++;
	if (b->flags & HYMC_BF_PREFETCHED)
		count_lead(&c->st, b, now);
	return block_pin(c, idx);
}

static int acquire_wait(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->waiters++;
	if (b->state == HYMC_ST_ONSSD)
		b->state = HYMC_ST_QUEUED;
	hymc_stage_place(c, idx);
	return HYMC_GOT_WAIT;
}

static int acquire_block(struct hymc_core *c, u32 idx, u64 now, u32 *block)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	*block = idx;
	b->tier = hymc_block_tier(b);
	if (hymc_block_resident(b))
		return acquire_staged(c, idx, now);
	return acquire_wait(c, idx);
}

static int acquire_miss(struct hymc_core *c)
{
	c->st.acquire_miss++;
	return -ENOENT;
}

/**
 * hymc_acquire_key() - acquire a block by its key
 * @c: the core
 * @ns: namespace
 * @key: key in it
 * @now: present time
 * @block: out, the block
 *
 * Return: enum hymc_got, or -ENOENT.
 */
int hymc_acquire_key(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		     u64 now, u32 *block)
{
	u32 idx = hymc_block_find(c, ns, key);

	if (idx == HYMC_NIL)
		return acquire_miss(c);
	return acquire_block(c, idx, now, block);
}

/**
 * hymc_acquire_item() - acquire what a request named
 * @c: the core
 * @r: the request
 * @i: index in its key list
 * @now: present time
 * @block: out, the block
 *
 * An item means the block that was there when it was named. When that block was
 * unknown, deleted or lost, this is a miss, whatever was put under the key since;
 * the item is then consumed.
 *
 * Return: enum hymc_got; -ENOENT; -EINVAL when @i is out of range.
 */
int hymc_acquire_item(struct hymc_core *c, struct hymc_request *r, u32 i,
		      u64 now, u32 *block)
{
	u32 idx;

	if (i >= r->nr)
		return -EINVAL;
	if (hymc_item_state(r, i) == HYMC_ITEM_UNKNOWN)
		return acquire_miss(c);
	idx = hymc_item_block(r, i);
	if (hymc_block_at(c, idx)->state != HYMC_ST_DEAD)
		return acquire_block(c, idx, now, block);
	hymc_request_consume(c, r, i);
	return acquire_miss(c);
}

/* The wait for a block that died is over. */
static int retry_dead(struct hymc_core *c, u32 idx)
{
	bool lost = hymc_block_at(c, idx)->flags & HYMC_BF_LOST;

	hymc_block_unwait(c, idx);
	hymc_block_settle(c, idx);
	return lost ? -EIO : acquire_miss(c);
}

/**
 * hymc_acquire_retry() - look again after HYMC_GOT_WAIT
 * @c: the core
 * @block: the block waited for
 * @now: present time
 *
 * Return: enum hymc_got; -EIO when the SSD failed the block; -ENOENT when it was
 * deleted meanwhile. On anything but HYMC_GOT_WAIT the wait is over.
 */
int hymc_acquire_retry(struct hymc_core *c, u32 block, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, block);

	if (b->state == HYMC_ST_DEAD)
		return retry_dead(c, block);
	if (!hymc_block_resident(b))
		return HYMC_GOT_WAIT;
	hymc_block_unwait(c, block);
	if (b->flags & HYMC_BF_DEMAND)
		c->st.acquire_demand++;
	else
		c->st.acquire_late++;
	return block_pin(c, block);
}

/**
 * hymc_acquire_abandon() - give up waiting after HYMC_GOT_WAIT
 * @c: the core
 * @block: the block waited for
 * @timed_out: count it as a timeout (not when a signal ended the wait)
 */
void hymc_acquire_abandon(struct hymc_core *c, u32 block, bool timed_out)
{
	c->st.acquire_timeout += timed_out;
	hymc_block_unwait(c, block);
	hymc_block_settle(c, block);
}

/**
 * hymc_core_release() - end a view
 * @c: the core
 * @block: a block that was acquired
 * @r: request it was acquired for, not ended; or NULL
 * @i: item of @r
 * @now: present time
 *
 * A block released for the request that protects it is done with: when nobody
 * else wants it its frames go first. One that was asked for without a hint has
 * shown that it is reused: it becomes the youngest of the cold ones.
 */
void hymc_core_release(struct hymc_core *c, u32 block, struct hymc_request *r,
		       u32 i, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, block);

	b->pins--;
	b->flags &= ~(HYMC_BF_CONSUMED | HYMC_BF_FRESH);
	if (r && hymc_request_ends_item(r, i, block)) {
		if (r->protects && b->state != HYMC_ST_DEAD)
			b->flags |= HYMC_BF_CONSUMED;
		hymc_request_consume(c, r, i);
	}
	hymc_block_settle(c, block);
}
