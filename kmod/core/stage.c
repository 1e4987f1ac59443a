// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: frames, classes and victims
 *
 * See stage.h. To replace the order in which cold blocks go, change where
 * stage_link() puts them and what stage_victim() picks: nothing else knows.
 */
#include "core_priv.h"

/* What is given up first. The first three classes are nobody's. */
static const u8 victim_order[] = {
	HYMC_CL_CONSUMED, HYMC_CL_FRESH, HYMC_CL_COLD,
	HYMC_CL_WANTED, HYMC_CL_HELD,
};

#define VICTIMS_SPARE	3U

/* Classes of @victim_order that a taker may reach. */
static u32 victim_depth(enum hymc_take depth)
{
	return VICTIMS_SPARE + depth;
}

/**
 * hymc_stage_init() - make all frames free
 * @c: the core, with the frame arrays set
 */
void hymc_stage_init(struct hymc_core *c)
{
	struct hymc_stage *s = &c->stage;
	u32 i, frames = c->cfg.frames;

	for (i = 0; i < HYMC_CL_NR; i++)
		hymc_list_init(&s->list[i]);
	for (i = 0; i < frames; i++) {
		s->next[i] = i + 1 < frames ? i + 1 : HYMC_NIL;
		s->owner[i] = HYMC_NIL;
	}
	while (1U << s->shift < c->cfg.frame_bytes)
		s->shift++;
	s->free = 0;
	s->nr_free = frames;
}

/**
 * hymc_stage_frames_of() - frames that a payload takes
 * @c: the core
 * @len: payload bytes
 *
 * Return: number of frames.
 */
u32 hymc_stage_frames_of(const struct hymc_core *c, u64 len)
{
	return (len + c->cfg.frame_bytes - 1) >> c->stage.shift;
}

/* Frames that a block has now. */
static u32 frames_now(const struct hymc_core *c, const struct hymc_block *b)
{
	return b->frame == HYMC_NIL ? 0 : hymc_stage_frames_of(c, b->len);
}

/**
 * hymc_stage_can() - could a payload get its frames now?
 * @c: the core
 * @len: payload bytes
 * @depth: how deep to reach
 *
 * Return: true when hymc_stage_take() would succeed.
 */
bool hymc_stage_can(const struct hymc_core *c, u64 len, enum hymc_take depth)
{
	const struct hymc_stage *s = &c->stage;
	u32 i, have = s->nr_free, want = hymc_stage_frames_of(c, len);

	for (i = 0; have < want && i < victim_depth(depth); i++)
		have += s->frames[victim_order[i]];
	return have >= want;
}

/* The next block to give up its frames. Only after hymc_stage_can(). */
static u32 stage_victim(const struct hymc_core *c)
{
	const struct hymc_list *l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(victim_order); i++) {
		l = &c->stage.list[victim_order[i]];
		if (l->nr)
			return i < VICTIMS_SPARE ? l->head : l->tail;
	}
	return HYMC_NIL;
}

static void count_eviction(struct hymc_stats *st, const struct hymc_block *b)
{
	if (b->cls == HYMC_CL_CONSUMED)
		st->evict_consumed++;
	else if (b->cls == HYMC_CL_WANTED || b->cls == HYMC_CL_HELD)
		st->evict_wanted++;
	else
		st->evict_cold++;
	if (b->flags & HYMC_BF_PREFETCHED)
		st->wasted_blocks++;
}

/* Drop the copy in DRAM of a clean block. */
static void stage_evict(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	count_eviction(&c->st, b);
	hymc_stage_drop(c, idx);
	b->state = HYMC_ST_ONSSD;
	b->flags &= ~HYMC_BF_COPY;
	hymc_stage_place(c, idx);
}

/* Give @b the first @nr free frames, which are there. */
static void stage_chain(struct hymc_stage *s, struct hymc_block *b, u32 idx,
			u32 nr)
{
	u32 f = s->free, last = f;

	b->frame = f;
	s->nr_free -= nr;
	for (; nr; nr--) {
		s->owner[f] = idx;
		last = f;
		f = s->next[f];
	}
	s->free = f;
	s->next[last] = HYMC_NIL;
}

/**
 * hymc_stage_take() - give a block its frames
 * @c: the core
 * @idx: block without frames, on no list that victims come from
 * @depth: how deep to reach for them
 *
 * The caller places the block afterwards.
 *
 * Return: false when they are not to be had; nothing was evicted then.
 */
bool hymc_stage_take(struct hymc_core *c, u32 idx, enum hymc_take depth)
{
	struct hymc_stage *s = &c->stage;
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 nr = hymc_stage_frames_of(c, b->len);

	if (!hymc_stage_can(c, b->len, depth))
		return false;
	while (s->nr_free < nr)
		stage_evict(c, stage_victim(c));
	stage_chain(s, b, idx, nr);
	s->frames[b->cls] += nr;
	return true;
}

/**
 * hymc_stage_drop() - make a block's frames free
 * @c: the core
 * @idx: block with frames
 *
 * The caller places the block afterwards. O(frames of the block).
 */
void hymc_stage_drop(struct hymc_core *c, u32 idx)
{
	struct hymc_stage *s = &c->stage;
	struct hymc_block *b = hymc_block_at(c, idx);
	u32 f = b->frame, last = f, nr = 0;

	for (; f != HYMC_NIL; f = s->next[f]) {
		s->owner[f] = HYMC_NIL;
		last = f;
		nr++;
	}
	s->next[last] = s->free;
	s->free = b->frame;
	s->nr_free += nr;
	s->frames[b->cls] -= nr;
	b->frame = HYMC_NIL;
	c->flow.room = true;
}

/* Class of a block on whose frames something works. */
static enum hymc_class busy_class(const struct hymc_block *b)
{
	if (b->flags & HYMC_BF_READ)
		return HYMC_CL_READING;
	if (b->flags & HYMC_BF_WRITE)
		return HYMC_CL_WRITING;
	return HYMC_CL_FILLING;
}

/* Class of a clean block that nobody holds in his hands. */
static enum hymc_class clean_class(const struct hymc_block *b)
{
	if (b->held)
		return HYMC_CL_HELD;
	if (b->wanted)
		return HYMC_CL_WANTED;
	if (b->flags & HYMC_BF_CONSUMED)
		return HYMC_CL_CONSUMED;
	return b->flags & HYMC_BF_FRESH ? HYMC_CL_FRESH : HYMC_CL_COLD;
}

/**
 * hymc_stage_class() - where a block belongs
 * @b: the block
 *
 * Return: its class, from state, flags and counters alone.
 */
enum hymc_class hymc_stage_class(const struct hymc_block *b)
{
	if (b->flags & HYMC_BF_BUSY)
		return busy_class(b);
	if (b->state == HYMC_ST_QUEUED)
		return HYMC_CL_QUEUED;
	if (b->frame == HYMC_NIL)
		return HYMC_CL_NONE;
	if (b->state == HYMC_ST_DIRTY)
		return HYMC_CL_DIRTY;
	if (b->state == HYMC_ST_DEAD || b->pins || b->waiters)
		return HYMC_CL_PINNED;
	return clean_class(b);
}

/**
 * hymc_stage_listed() - is there a list for a class?
 * @cls: the class
 *
 * Return: true when its blocks are linked in order.
 */
bool hymc_stage_listed(enum hymc_class cls)
{
	switch (cls) {
	case HYMC_CL_NONE:
	case HYMC_CL_READING:
	case HYMC_CL_FILLING:
	case HYMC_CL_PINNED:
		return false;
	default:
		return true;
	}
}

/*
 * Wanted and held lists give up their tail. A block that comes back to them
 * from a view is shared or will be used again: it goes to the safe end. One that
 * becomes wanted is wanted later than those that already were.
 */
static bool keeps_longest(enum hymc_class cls, enum hymc_class old)
{
	if (cls != HYMC_CL_WANTED && cls != HYMC_CL_HELD)
		return false;
	return old == HYMC_CL_PINNED || old == HYMC_CL_HELD;
}

/* Put a block on the list of its class, which it came to from class @old. */
static void stage_link(struct hymc_core *c, u32 idx, enum hymc_class old)
{
	enum hymc_class cls = hymc_block_at(c, idx)->cls;
	struct hymc_list *l = &c->stage.list[cls];

	if (keeps_longest(cls, old))
		hymc_list_add_head(c, l, idx);
	else
		hymc_list_add_tail(c, l, idx);
}

/**
 * hymc_stage_place() - put a block where it belongs now
 * @c: the core
 * @idx: the block
 *
 * To be called after every change of state, flags or counters. A block whose
 * class did not change keeps its place in the list.
 */
void hymc_stage_place(struct hymc_core *c, u32 idx)
{
	struct hymc_stage *s = &c->stage;
	struct hymc_block *b = hymc_block_at(c, idx);
	enum hymc_class old = b->cls, cls = hymc_stage_class(b);
	u32 nr = frames_now(c, b);

	if (cls == old)
		return;
	if (hymc_stage_listed(old))
		hymc_list_del(c, &s->list[old], idx);
	s->frames[old] -= nr;
	s->frames[cls] += nr;
	b->cls = cls;
	if (hymc_stage_listed(cls))
		stage_link(c, idx, old);
	if (cls >= HYMC_CL_CONSUMED)
		c->flow.room = true;
}

/**
 * hymc_core_frame_next() - next frame of a block
 * @c: the core
 * @frame: a frame of it
 *
 * Return: the next frame in payload order, or HYMC_NIL.
 */
u32 hymc_core_frame_next(const struct hymc_core *c, u32 frame)
{
	return c->stage.next[frame];
}

/**
 * hymc_core_frame_first() - first frame of a block
 * @c: the core
 * @block: block that is pinned, filling or in I/O
 *
 * Return: its first frame.
 */
u32 hymc_core_frame_first(const struct hymc_core *c, u32 block)
{
	return hymc_block_at(c, block)->frame;
}
