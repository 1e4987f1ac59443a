// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: a block's life outside of I/O: found, named, deleted, dead, freed
 *
 * See block.h. Whoever changes a counter or a state calls hymc_block_settle()
 * last; that is the only place where an entry is freed.
 */
#include "core_priv.h"

/**
 * hymc_block_visible() - can lookups hit a block?
 * @b: the block
 *
 * Return: true from commit to death.
 */
bool hymc_block_visible(const struct hymc_block *b)
{
	return b->state >= HYMC_ST_DIRTY && b->state <= HYMC_ST_READING;
}

/**
 * hymc_block_resident() - are a visible block's bytes in DRAM?
 * @b: the block
 *
 * Return: true when it can be acquired without I/O.
 */
bool hymc_block_resident(const struct hymc_block *b)
{
	return b->state >= HYMC_ST_DIRTY && b->state <= HYMC_ST_CLEAN;
}

/**
 * hymc_block_tier() - where a block is
 * @b: the block
 *
 * Return: enum hymc_tier.
 */
u32 hymc_block_tier(const struct hymc_block *b)
{
	switch (b->state) {
	case HYMC_ST_DIRTY:
	case HYMC_ST_WRITING:
		return HYMC_TIER_BUFFER;
	case HYMC_ST_CLEAN:
		return HYMC_TIER_DRAM;
	case HYMC_ST_ONSSD:
		return HYMC_TIER_SSD;
	case HYMC_ST_QUEUED:
	case HYMC_ST_READING:
		return HYMC_TIER_INFLIGHT;
	default:
		return HYMC_TIER_NONE;
	}
}

/**
 * hymc_block_record_bytes() - what a block takes on the SSD
 * @c: the core
 * @b: the block
 *
 * Return: bytes of header and padded payload.
 */
u64 hymc_block_record_bytes(const struct hymc_core *c,
			    const struct hymc_block *b)
{
	return hymc_record_bytes(b->len, c->cfg.frame_bytes);
}

/**
 * hymc_block_find() - find a visible block
 * @c: the core
 * @ns: namespace
 * @key: key in it
 *
 * Return: its index, or HYMC_NIL.
 */
u32 hymc_block_find(const struct hymc_core *c, u32 ns,
		    const struct hymc_key *key)
{
	u32 idx = hymc_index_find(c, ns, key);

	if (idx == HYMC_NIL || !hymc_block_visible(hymc_block_at(c, idx)))
		return HYMC_NIL;
	return idx;
}

/**
 * hymc_block_adopt() - give a block its parent
 * @c: the core
 * @idx: a new block
 * @parent: its parent, or HYMC_NIL
 *
 * The parent's entry stays, dead or alive, until hymc_block_orphan().
 */
void hymc_block_adopt(struct hymc_core *c, u32 idx, u32 parent)
{
	hymc_block_at(c, idx)->parent = parent;
	if (parent != HYMC_NIL)
		hymc_block_at(c, parent)->children++;
}

/* Forget a block's parent without freeing it; returns the parent. */
static u32 block_disown(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 parent = b->parent;

	b->parent = HYMC_NIL;
	if (parent != HYMC_NIL)
		hymc_block_at(c, parent)->children--;
	return parent;
}

/**
 * hymc_block_orphan() - forget a block's parent
 * @c: the core
 * @idx: the block
 *
 * A dead block has no parent, so this frees one entry at most.
 */
void hymc_block_orphan(struct hymc_core *c, u32 idx)
{
	u32 parent = block_disown(c, idx);

	if (parent != HYMC_NIL)
		hymc_block_settle(c, parent);
}

/**
 * hymc_block_wake() - tell a block's waiters to look again
 * @c: the core
 * @idx: block of a class without a list
 */
void hymc_block_wake(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (!b->waiters || b->flags & HYMC_BF_WOKEN)
		return;
	b->flags |= HYMC_BF_WOKEN;
	hymc_list_add_tail(c, &c->woken, idx);
}

static void block_unwake(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (!(b->flags & HYMC_BF_WOKEN))
		return;
	b->flags &= ~HYMC_BF_WOKEN;
	hymc_list_del(c, &c->woken, idx);
}

/**
 * hymc_block_unwait() - one waiter less
 * @c: the core
 * @idx: block with a waiter; to be settled afterwards
 */
void hymc_block_unwait(struct hymc_core *c, u32 idx)
{
	if (!--hymc_block_at(c, idx)->waiters)
		block_unwake(c, idx);
}

/**
 * hymc_core_woken() - the next block whose waiters should look again
 * @c: the core
 *
 * Return: the block, or HYMC_NIL.
 */
u32 hymc_core_woken(struct hymc_core *c)
{
	u32 idx = c->woken.head;

	if (idx != HYMC_NIL)
		block_unwake(c, idx);
	return idx;
}

/**
 * hymc_block_drop_extent() - a block's record is no longer needed
 * @c: the core
 * @idx: block without I/O in flight
 */
void hymc_block_drop_extent(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (!(b->flags & HYMC_BF_EXTENT))
		return;
	b->flags &= ~HYMC_BF_EXTENT;
	hymc_log_release(c, b->daddr, hymc_block_record_bytes(c, b));
}

/* A dead block's frames go when nobody looks at them any more. */
static bool frames_idle(const struct hymc_block *b)
{
	return b->frame != HYMC_NIL && !b->pins && !(b->flags & HYMC_BF_BUSY);
}

static bool unnamed(const struct hymc_block *b)
{
	return !(b->items | b->leases | b->pins | b->waiters | b->children) &&
	       !(b->flags & HYMC_BF_BUSY);
}

static void settle_dead(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (frames_idle(b))
		hymc_stage_drop(c, idx);
	hymc_stage_place(c, idx);
	if (unnamed(b))
		hymc_slab_free(c, idx);
}

/**
 * hymc_block_settle() - draw the conclusions of a change
 * @c: the core
 * @idx: the block; a dead one may be gone afterwards
 */
void hymc_block_settle(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (b->state == HYMC_ST_DEAD) {
		settle_dead(c, idx);
		return;
	}
	/* Nobody waits for this read any more, and no window counts on it. */
	if (b->state == HYMC_ST_QUEUED && !b->waiters && !b->held)
		b->state = HYMC_ST_ONSSD;
	hymc_stage_place(c, idx);
}

/* What a living block owns in the log goes, unless I/O still uses it. */
static void die_on_ssd(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (b->state == HYMC_ST_DIRTY) {
		hymc_log_withdraw(c, hymc_block_record_bytes(c, b));
		c->flow.dirty_bytes -= b->len;
	}
	if (!(b->flags & (HYMC_BF_READ | HYMC_BF_WRITE)))
		hymc_block_drop_extent(c, idx);
}

/**
 * hymc_block_die() - make a block invisible for ever
 * @c: the core
 * @idx: a block that is visible or being filled; may be gone afterwards
 * @lost: HYMC_BF_LOST when the SSD failed it, 0 when somebody deleted it
 *
 * Its entry, frames and extent go as soon as nothing uses them.
 */
void hymc_block_die(struct hymc_core *c, u32 idx, u32 lost)
{
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 parent;

	hymc_index_remove(c, idx);
	if (hymc_block_visible(b)) {
		c->st.blocks--;
		c->st.block_bytes -= b->len;
		c->st.leases -= hymc_lease_held(b);
	}
	die_on_ssd(c, idx);
	parent = block_disown(c, idx);
	b->state = HYMC_ST_DEAD;
	b->flags &= ~HYMC_BF_COPY;
	b->flags |= lost;
	hymc_stage_place(c, idx);
	hymc_block_wake(c, idx);
	hymc_block_settle(c, idx);
	if (parent != HYMC_NIL)
		hymc_block_settle(c, parent);
}

static void hit_fill(struct hymc_hit *hit, const struct hymc_block *b)
{
	hit->tier = b ? hymc_block_tier(b) : HYMC_TIER_NONE;
	hit->len = b ? b->len : 0;
}

/**
 * hymc_core_lookup() - look one key up
 * @c: the core
 * @ns: namespace
 * @key: key in it
 * @lease: a hit is added to it; or NULL
 * @now: present time
 * @hit: out, where it is and its length
 *
 * Return: true for a hit.
 */
bool hymc_core_lookup(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		      struct hymc_lease *lease, u64 now, struct hymc_hit *hit)
{
	u32 idx = hymc_block_find(c, ns, key);

	c->st.lookup_keys++;
	if (idx == HYMC_NIL) {
		hit_fill(hit, NULL);
		return false;
	}
	c->st.lookup_hits++;
	hit_fill(hit, hymc_block_at(c, idx));
	if (lease)
		hymc_lease_add(c, lease, idx);
	return true;
}

/**
 * hymc_core_delete() - forget a visible block
 * @c: the core
 * @ns: namespace
 * @key: key in it
 *
 * Return: 0, or -ENOENT.
 */
int hymc_core_delete(struct hymc_core *c, u32 ns, const struct hymc_key *key)
{
	u32 idx = hymc_block_find(c, ns, key);

	if (idx == HYMC_NIL)
		return -ENOENT;
	c->st.delete_blocks++;
	hymc_block_die(c, idx, 0);
	return 0;
}

/**
 * hymc_core_drop_ns() - forget all blocks of a namespace
 * @c: the core
 * @ns: namespace
 *
 * Blocks that are being filled are forgotten too: their commit will do nothing.
 * O(blocks of the pool).
 *
 * Return: how many blocks were visible.
 */
u64 hymc_core_drop_ns(struct hymc_core *c, u32 ns)
{
	const struct hymc_block *b;
	u64 nr = 0;
	u32 idx;

	for (idx = 0; idx < c->slab.end; idx = hymc_slab_next(idx)) {
		b = hymc_block_at(c, idx);
		if (b->state == HYMC_ST_FREE || b->state == HYMC_ST_DEAD ||
		    b->ns != ns)
			continue;
		nr += hymc_block_visible(b);
		hymc_block_die(c, idx, 0);
	}
	c->st.delete_blocks += nr;
	return nr;
}

/**
 * hymc_core_len() - payload bytes of a block
 * @c: the core
 * @block: a block the caller holds
 *
 * Return: its length.
 */
u64 hymc_core_len(const struct hymc_core *c, u32 block)
{
	return hymc_block_at(c, block)->len;
}

/**
 * hymc_core_tier() - where a block was
 * @c: the core
 * @block: a block the caller holds or waits for
 *
 * Return: enum hymc_tier as the latest acquire of the block found it.
 */
u32 hymc_core_tier(const struct hymc_core *c, u32 block)
{
	return hymc_block_at(c, block)->tier;
}
