// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: every invariant of the core, checked from scratch
 *
 * For tests. Nothing here is trusted that it can count again itself; each check
 * returns the sentence that is false, or NULL. It allocates nothing, so some
 * checks are quadratic: for small pools.
 */
#include "core_priv.h"

/**
 * struct tally - sums over all blocks
 * @used: slab entries in use
 * @indexed: blocks that the index must find
 * @visible: visible blocks
 * @visible_bytes: payload bytes of those
 * @items: request items
 * @wanted: items that make a block wanted
 * @held: admitted items
 * @children: children of all blocks
 * @parents: blocks that have a parent
 * @leased: blocks under a lease
 * @woken: blocks on the woken list
 * @reads: reads in flight
 * @writes: writes in flight
 * @read_bytes: payload bytes of the reads
 * @dirty_bytes: payload bytes dirty or being written
 * @filling_bytes: payload bytes being filled
 * @promised: record bytes promised
 * @class_nr: blocks by class
 * @class_frames: frames by class
 */
struct tally {
	u64 used;
	u64 indexed;
	u64 visible;
	u64 visible_bytes;
	u64 items;
	u64 wanted;
	u64 held;
	u64 children;
	u64 parents;
	u64 leased;
	u64 woken;
	u64 reads;
	u64 writes;
	u64 read_bytes;
	u64 dirty_bytes;
	u64 filling_bytes;
	u64 promised;
	u64 class_nr[HYMC_CL_NR];
	u64 class_frames[HYMC_CL_NR];
};

static bool has(const struct hymc_block *b, u32 flag)
{
	return b->flags & flag;
}

/* Frames of a block, counted along its chain; U32_MAX when it is broken. */
static u32 chain_count(const struct hymc_core *c, u32 idx)
{
	u32 nr = 0, f = hymc_block_at(c, idx)->frame;

	for (; f != HYMC_NIL; f = c->stage.next[f]) {
		if (f >= c->cfg.frames || c->stage.owner[f] != idx ||
		    ++nr > c->cfg.frames)
			return U32_MAX;
	}
	return nr;
}

static const char *check_chain(const struct hymc_core *c, u32 idx)
{
	const struct hymc_block *b = hymc_block_at(c, idx);
	u32 nr = chain_count(c, idx);
	bool must = hymc_block_resident(b) || has(b, HYMC_BF_BUSY) ||
		    (b->state == HYMC_ST_DEAD && b->pins);

	if (nr == U32_MAX)
		return "a frame is in a chain that does not own it";
	if (nr && nr != hymc_stage_frames_of(c, b->len))
		return "a block has too few or too many frames";
	if (must != !!nr)
		return "a block has frames it should not have, or lacks them";
	return NULL;
}

/* What a living block's state says of its extent and of work on its frames. */
static u32 state_flags(const struct hymc_block *b)
{
	switch (b->state) {
	case HYMC_ST_FILLING:
		return HYMC_BF_FILL;
	case HYMC_ST_DIRTY:
		return 0;
	case HYMC_ST_WRITING:
		return HYMC_BF_WRITE | HYMC_BF_EXTENT;
	case HYMC_ST_READING:
		return HYMC_BF_READ | HYMC_BF_EXTENT;
	default:
		return HYMC_BF_EXTENT;
	}
}

static const char *check_state(const struct hymc_block *b)
{
	u32 mask = HYMC_BF_BUSY | HYMC_BF_EXTENT;

	if (b->state == HYMC_ST_DEAD)
		return NULL;
	if ((b->flags & mask) != state_flags(b))
		return "a living block's extent or I/O does not match its state";
	if (b->state == HYMC_ST_QUEUED && !b->waiters && !b->held)
		return "a block is queued for nobody";
	return NULL;
}

static const char *check_dead(const struct hymc_block *b)
{
	if (b->state != HYMC_ST_DEAD)
		return NULL;
	if (b->parent != HYMC_NIL)
		return "a dead block has a parent";
	if (has(b, HYMC_BF_EXTENT) &&
	    !has(b, HYMC_BF_READ | HYMC_BF_WRITE))
		return "a dead block keeps an extent that no I/O uses";
	if (!has(b, HYMC_BF_BUSY) &&
	    !(b->items | b->leases | b->pins | b->waiters | b->children))
		return "a dead block that nothing names was not freed";
	return NULL;
}

static const char *check_counters(const struct hymc_block *b)
{
	if (b->held > b->wanted || b->wanted > b->items)
		return "a block is held or wanted by more items than name it";
	if (b->pins && !hymc_block_resident(b) && b->state != HYMC_ST_DEAD)
		return "a view lost its block";
	if (b->waiters && b->state != HYMC_ST_QUEUED &&
	    b->state != HYMC_ST_READING && b->state != HYMC_ST_CLEAN &&
	    b->state != HYMC_ST_DEAD)
		return "a waiter waits for nothing";
	if (b->waiters && b->cls != HYMC_CL_QUEUED &&
	    b->cls != HYMC_CL_READING && b->cls != HYMC_CL_PINNED &&
	    b->cls != HYMC_CL_NONE)
		return "a waiter's block may be evicted";
	return NULL;
}

static const char *check_findable(const struct hymc_core *c, u32 idx)
{
	const struct hymc_block *b = hymc_block_at(c, idx);
	u32 found = hymc_index_find(c, b->ns, &b->key);

	if (b->state == HYMC_ST_DEAD)
		return found == idx ? "the index finds a dead block" : NULL;
	return found == idx ? NULL : "the index does not find a block";
}

static const char *check_block(const struct hymc_core *c, u32 idx)
{
	const struct hymc_block *b = hymc_block_at(c, idx);
	const char *why;

	if (b->cls != hymc_stage_class(b))
		return "a block is not in the class it belongs to";
	why = check_state(b);
	if (!why)
		why = check_dead(b);
	if (!why)
		why = check_counters(b);
	if (!why)
		why = check_findable(c, idx);
	return why ? why : check_chain(c, idx);
}

static void tally_counters(struct tally *t, const struct hymc_core *c,
			   const struct hymc_block *b)
{
	bool dead = b->state == HYMC_ST_DEAD;

	t->used++;
	t->indexed += !dead;
	t->visible += hymc_block_visible(b);
	t->visible_bytes += hymc_block_visible(b) ? b->len : 0;
	t->items += b->items;
	t->wanted += b->wanted;
	t->held += b->held;
	t->children += b->children;
	t->parents += b->parent != HYMC_NIL;
	t->leased += !dead && b->leases;
	t->woken += has(b, HYMC_BF_WOKEN);
}

static void tally_flow(struct tally *t, const struct hymc_core *c,
		       const struct hymc_block *b)
{
	bool fill = has(b, HYMC_BF_FILL), write = has(b, HYMC_BF_WRITE);
	bool dirty = b->state == HYMC_ST_DIRTY;

	t->reads += has(b, HYMC_BF_READ);
	t->writes += write;
	t->read_bytes += has(b, HYMC_BF_READ) ? b->len : 0;
	t->dirty_bytes += dirty || write ? b->len : 0;
	t->filling_bytes += fill ? b->len : 0;
	t->promised += dirty || fill ? hymc_block_record_bytes(c, b) : 0;
	t->class_nr[b->cls]++;
	t->class_frames[b->cls] +=
		b->frame == HYMC_NIL ? 0 : hymc_stage_frames_of(c, b->len);
}

static const char *check_blocks(const struct hymc_core *c, struct tally *t)
{
	const struct hymc_block *b;
	const char *why;
	u32 idx;

	for (idx = 0; idx < c->slab.end; idx = hymc_slab_next(idx)) {
		b = hymc_block_at(c, idx);
		if (b->state == HYMC_ST_FREE)
			continue;
		why = check_block(c, idx);
		if (why)
			return why;
		tally_counters(t, c, b);
		tally_flow(t, c, b);
	}
	return NULL;
}

/* Entries that were handed out at least once. */
static u64 slab_handed_out(const struct hymc_core *c)
{
	u64 chunks = c->slab.end >> HYMC_SLAB_SHIFT;

	return chunks * HYMC_SLAB_PER_CHUNK + (c->slab.end & HYMC_SLAB_MASK);
}

static const char *check_tables(const struct hymc_core *c,
				const struct tally *t)
{
	if (t->used != c->slab.used ||
	    t->used + c->slab.nr_free != slab_handed_out(c))
		return "slab entries were lost";
	if (t->indexed != c->index.nr)
		return "the index holds another number of blocks";
	if (t->visible != c->st.blocks || t->visible_bytes != c->st.block_bytes)
		return "the gauges of visible blocks are wrong";
	if (t->children != t->parents)
		return "children and parents do not match";
	if (t->leased != c->st.leases)
		return "the number of leases is wrong";
	return NULL;
}

static const char *check_flow(const struct hymc_core *c, const struct tally *t)
{
	const struct hymc_flow *f = &c->flow;

	if (t->reads != f->reads || t->read_bytes != f->read_bytes)
		return "reads in flight are miscounted";
	if (t->writes != f->writes || f->writes > c->cfg.writes_max)
		return "writes in flight are miscounted or too many";
	if (t->dirty_bytes != f->dirty_bytes ||
	    t->filling_bytes != f->filling_bytes)
		return "dirty or filling bytes are miscounted";
	if (f->reads > 1 && f->read_bytes > c->cfg.read_bytes_max)
		return "more read bytes are in flight than allowed";
	return NULL;
}

/* One list: links both ways, right class, length. */
static const char *check_list(const struct hymc_core *c,
			      const struct hymc_list *l, enum hymc_class cls)
{
	const struct hymc_block *b;
	u32 idx, prev = HYMC_NIL, nr = 0;

	for (idx = l->head; idx != HYMC_NIL; idx = b->next) {
		b = hymc_block_at(c, idx);
		if (b->prev != prev || ++nr > l->nr)
			return "a list is broken";
		if (cls != HYMC_CL_NR && b->cls != cls)
			return "a block is on the list of another class";
		prev = idx;
	}
	return nr == l->nr && prev == l->tail ? NULL : "a list lost a block";
}

static const char *check_order(const struct hymc_core *c, enum hymc_class cls)
{
	u32 idx = c->stage.list[cls].head;
	u64 gen = 0;

	for (; idx != HYMC_NIL; idx = hymc_block_at(c, idx)->next) {
		if (hymc_block_at(c, idx)->gen <= gen)
			return "dirty blocks are out of order";
		gen = hymc_block_at(c, idx)->gen;
	}
	return NULL;
}

static const char *check_lists(const struct hymc_core *c, const struct tally *t)
{
	const struct hymc_list *l;
	const char *why;
	u32 cls;

	for (cls = 0; cls < HYMC_CL_NR; cls++) {
		l = &c->stage.list[cls];
		if (l->nr != (hymc_stage_listed(cls) ? t->class_nr[cls] : 0))
			return "a class list has another length than the class";
		why = check_list(c, l, cls);
		if (why)
			return why;
	}
	if (c->woken.nr != t->woken)
		return "the woken list has another length";
	why = check_list(c, &c->woken, HYMC_CL_NR);
	if (!why)
		why = check_order(c, HYMC_CL_DIRTY);
	return why ? why : check_order(c, HYMC_CL_WRITING);
}

static u64 free_frames(const struct hymc_core *c)
{
	u32 f = c->stage.free;
	u64 nr = 0;

	for (; f != HYMC_NIL && nr <= c->cfg.frames; f = c->stage.next[f])
		nr += c->stage.owner[f] == HYMC_NIL;
	return nr;
}

static const char *check_frames(const struct hymc_core *c,
				const struct tally *t)
{
	u64 sum = c->stage.nr_free;
	u32 cls;

	for (cls = 0; cls < HYMC_CL_NR; cls++) {
		if (t->class_frames[cls] != c->stage.frames[cls])
			return "the frames of a class are miscounted";
		sum += t->class_frames[cls];
	}
	if (sum != c->cfg.frames)
		return "the frames do not add up";
	if (free_frames(c) != c->stage.nr_free)
		return "the free frames do not add up";
	return NULL;
}

/* Live record bytes of a segment, from the blocks. */
static u64 seg_live(const struct hymc_core *c, u32 seg)
{
	u64 from = c->cfg.log_start + seg * c->cfg.segment_bytes;
	const struct hymc_block *b;
	u64 sum = 0;
	u32 idx;

	for (idx = 0; idx < c->slab.end; idx = hymc_slab_next(idx)) {
		b = hymc_block_at(c, idx);
		if (b->state != HYMC_ST_FREE && has(b, HYMC_BF_EXTENT) &&
		    b->daddr >= from &&
		    b->daddr - from < c->cfg.segment_bytes)
			sum += hymc_block_record_bytes(c, b);
	}
	return sum;
}

static const char *check_segment(const struct hymc_core *c, u32 seg)
{
	const struct hymc_segment *s = &c->log.seg[seg];

	if (s->live != seg_live(c, seg))
		return "the live bytes of a segment are wrong";
	if (s->live > c->cfg.segment_bytes)
		return "a segment holds more than it can";
	if (s->state == HYMC_SEG_FREE && (s->live || s->failed))
		return "a segment is free that must not be";
	if (s->state == HYMC_SEG_FULL && !s->live)
		return "an empty segment is not free";
	if (s->state == HYMC_SEG_OPEN ? seg != c->log.open : seg == c->log.open)
		return "there is not exactly the one open segment";
	return NULL;
}

static const char *check_log(const struct hymc_core *c, const struct tally *t)
{
	const char *why = NULL;
	u32 seg, nr_free = 0;

	for (seg = 0; seg < c->log.nr && !why; seg++) {
		why = check_segment(c, seg);
		nr_free += c->log.seg[seg].state == HYMC_SEG_FREE;
	}
	if (why)
		return why;
	if (nr_free != c->log.nr_free)
		return "the free segments are miscounted";
	if (t->promised != c->log.promised)
		return "the promised bytes are miscounted";
	if (hymc_log_used_bytes(c) > c->cfg.ssd_bytes)
		return "more of the SSD is used than allowed";
	return NULL;
}

/* Sums over one request's items. */
static const char *check_items(const struct hymc_core *c,
			       const struct hymc_request *r, struct tally *sum)
{
	u64 bytes = 0;
	u32 i, held = 0, live = 0;

	for (i = 0; i < r->nr; i++) {
		enum hymc_item state = hymc_item_state(r, i);

		sum->items += state != HYMC_ITEM_UNKNOWN;
		live += state == HYMC_ITEM_WAITING || state == HYMC_ITEM_HELD;
		if (state == HYMC_ITEM_WAITING && i < r->cursor)
			return "a window passed an item without admitting it";
		if (state != HYMC_ITEM_HELD)
			continue;
		if (i >= r->cursor)
			return "an item was admitted out of order";
		held++;
		bytes += hymc_block_at(c, hymc_item_block(r, i))->len;
	}
	sum->held += held;
	sum->wanted += r->protects ? live : 0;
	if (live != r->left || bytes != r->held_bytes)
		return "a request is miscounted";
	return held > 1 && bytes > r->window ? "a window is overfull" : NULL;
}

static const char *check_requests(const struct hymc_core *c,
				  const struct tally *t)
{
	const struct hymc_request *r;
	struct tally sum = { 0 };
	const char *why;
	u32 protecting = 0;

	for (r = c->requests; r; r = r->next) {
		why = check_items(c, r, &sum);
		if (why)
			return why;
		protecting += r->protects;
		if (!r->protects && (r->queued || r->held_bytes))
			return "a request that protects nothing holds blocks";
	}
	if (protecting != c->requests_nr)
		return "requests are miscounted";
	if (sum.wanted != t->wanted || sum.held != t->held ||
	    sum.items > t->items)
		return "blocks and requests disagree on what is wanted";
	return NULL;
}

/**
 * hymc_core_selfcheck() - check every invariant
 * @c: the core
 * @why: out, the first one that does not hold; NULL when all do
 *
 * O(everything); quadratic in places.
 *
 * Return: 0, or -EUCLEAN.
 */
int hymc_core_selfcheck(const struct hymc_core *c, const char **why)
{
	struct tally t = { 0 };

	*why = check_blocks(c, &t);
	if (!*why)
		*why = check_tables(c, &t);
	if (!*why)
		*why = check_flow(c, &t);
	if (!*why)
		*why = check_lists(c, &t);
	if (!*why)
		*why = check_frames(c, &t);
	if (!*why)
		*why = check_log(c, &t);
	if (!*why)
		*why = check_requests(c, &t);
	return *why ? -EUCLEAN : 0;
}
