// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: reads and the order of all I/O
 *
 * See flow.h. In a staging pool a read that somebody waits for goes before one
 * that a hint asks for, and both before writes. When the first in line cannot get
 * its frames nobody behind it may take them, so that nothing starves. The
 * transparent cache lets reads and writes take turns.
 */
#include "core_priv.h"

/**
 * hymc_flow_budget() - may another read start?
 * @c: the core
 * @len: its payload bytes
 *
 * Return: true when it fits the bytes in flight, or goes alone.
 */
bool hymc_flow_budget(const struct hymc_core *c, u64 len)
{
	u64 have = c->flow.read_bytes, max = c->cfg.read_bytes_max;

	return !c->flow.reads || (have < max && len <= max - have);
}

/**
 * hymc_flow_describe() - fill an action
 * @c: the core
 * @idx: block with frames and an extent
 * @act: out, all but its kind
 */
void hymc_flow_describe(const struct hymc_core *c, u32 idx,
			struct hymc_act *act)
{
	const struct hymc_block *b = hymc_block_at(c, idx);

	act->block = idx;
	act->ns = b->ns;
	act->frame = b->frame;
	act->gen = b->gen;
	act->len = b->len;
	act->addr = b->daddr;
	act->hdr_bytes = hymc_hdr_bytes(b->len, c->cfg.frame_bytes);
	act->key = b->key;
	memset(&act->parent, 0, sizeof(act->parent));
	if (b->parent != HYMC_NIL)
		act->parent = hymc_block_at(c, b->parent)->key;
}

static void count_read(struct hymc_core *c, const struct hymc_block *b)
{
	if (b->flags & HYMC_BF_DEMAND) {
		c->st.demand_blocks++;
		c->st.demand_bytes += b->len;
	} else {
		c->st.prefetch_blocks++;
		c->st.prefetch_bytes += b->len;
	}
	c->flow.reads++;
	c->flow.read_bytes += b->len;
}

/* Start the read of a block that has its frames. */
static void read_start(struct hymc_core *c, u32 idx, u32 why,
		       struct hymc_act *act)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->state = HYMC_ST_READING;
	b->flags |= HYMC_BF_READ | why;
	count_read(c, b);
	hymc_stage_place(c, idx);
	act->kind = HYMC_ACT_READ;
	hymc_flow_describe(c, idx, act);
}

/* The read that an acquire has waited for longest. */
static bool next_demand(struct hymc_core *c, struct hymc_act *act)
{
	u32 idx = c->stage.list[HYMC_CL_QUEUED].head;

	if (idx == HYMC_NIL ||
	    !hymc_flow_budget(c, hymc_block_at(c, idx)->len) ||
	    !hymc_stage_take(c, idx, HYMC_TAKE_HELD))
		return false;
	read_start(c, idx, HYMC_BF_DEMAND, act);
	return true;
}

/* The read that is next by deadline and within its request by order. */
static bool next_hinted(struct hymc_core *c, struct hymc_act *act)
{
	struct hymc_request *r;
	u32 idx;

	while ((r = hymc_request_first(c))) {
		switch (hymc_request_admit(c, r, &idx)) {
		case HYMC_ADMIT_READ:
			hymc_stage_take(c, idx, HYMC_TAKE_WANTED);
			read_start(c, idx, HYMC_BF_PREFETCHED, act);
			return true;
		case HYMC_ADMIT_BLOCKED:
			return false;
		case HYMC_ADMIT_NOTHING:
			hymc_request_unqueue(c, r);
		}
	}
	return false;
}

static bool next_staging(struct hymc_core *c, struct hymc_act *act)
{
	bool demand = c->stage.list[HYMC_CL_QUEUED].nr;

	if (next_demand(c, act))
		return true;
	if (!demand && next_hinted(c, act))
		return true;
	return hymc_wbuf_next(c, !c->flow.reads, act);
}

static bool next_lru(struct hymc_core *c, struct hymc_act *act)
{
	bool write_turn = c->flow.write_turn;

	c->flow.write_turn = !write_turn;
	if (write_turn)
		return hymc_wbuf_next(c, true, act) || next_demand(c, act);
	return next_demand(c, act) || hymc_wbuf_next(c, true, act);
}

/**
 * hymc_core_next() - pull the next I/O
 * @c: the core
 * @now: present time
 * @act: out, what to do
 *
 * Return: false, with HYMC_ACT_NONE, when there is nothing to do now.
 */
bool hymc_core_next(struct hymc_core *c, u64 now, struct hymc_act *act)
{
	bool some = false;

	if (!c->flow.stopped)
		some = hymc_core_lru(c) ? next_lru(c, act) :
					  next_staging(c, act);
	if (!some)
		act->kind = HYMC_ACT_NONE;
	return some;
}

/**
 * hymc_core_stop() - hand out no more I/O
 * @c: the core
 *
 * What is in flight is still to be reported.
 */
void hymc_core_stop(struct hymc_core *c)
{
	c->flow.stopped = true;
}

static void read_count(struct hymc_core *c, const struct hymc_block *b, int err)
{
	c->flow.reads--;
	c->flow.read_bytes -= b->len;
	c->st.ssd_read_ios++;
	if (!err || err == -EBADMSG)
		c->st.ssd_read_bytes += hymc_block_record_bytes(c, b);
	if (err == -EBADMSG)
		c->st.verify_errors++;
	else if (err)
		c->st.read_errors++;
}

/* The bytes are there and right. */
static void read_good(struct hymc_core *c, u32 idx, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->state = HYMC_ST_CLEAN;
	b->ready_ns = now;
	/* The request that asked for it has ended meanwhile. */
	if (!b->wanted && b->flags & HYMC_BF_PREFETCHED)
		b->flags |= HYMC_BF_FRESH;
	hymc_block_settle(c, idx);
	hymc_block_wake(c, idx);
}

/**
 * hymc_core_read_done() - a read ended
 * @c: the core
 * @block: block of the action
 * @err: 0, or an errno; -EBADMSG when the bytes did not verify
 * @now: present time
 */
void hymc_core_read_done(struct hymc_core *c, u32 block, int err, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, block);

	b->flags &= ~HYMC_BF_READ;
	read_count(c, b, err);
	if (err)
		hymc_log_failed(c, b->daddr, false);
	if (b->state == HYMC_ST_DEAD) {
		hymc_block_drop_extent(c, block);
		hymc_block_settle(c, block);
	} else if (err) {
		hymc_block_die(c, block, HYMC_BF_LOST);
	} else {
		read_good(c, block, now);
	}
}
