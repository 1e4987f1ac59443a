// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: requests: naming, windows, consumption, end
 *
 * See request.h. The memory of a request is the host's; the core links it into
 * the list of started requests and into the deadline heap until its end.
 */
#include "core_priv.h"

/* So many items may name one block; then its counters could overflow. */
#define ITEMS_MAX	(U32_MAX / 2)

/**
 * hymc_request_bytes() - memory of a request
 * @nr: number of keys
 *
 * Return: bytes.
 */
u64 hymc_request_bytes(u32 nr)
{
	return sizeof(struct hymc_request) + (u64)nr * sizeof(u32);
}

/**
 * hymc_request_init() - set a request up
 * @mem: hymc_request_bytes() of zeroed memory
 * @ns: namespace of its keys
 * @nr: most keys
 * @window_bytes: byte window, 0 or HYMC_WINDOW_DEFAULT
 * @deadline: when the first block is to be used
 * @expires: when the host will end it; 0 = HYMC_TTL_DEFAULT_NS after its start
 *
 * Return: the request.
 */
struct hymc_request *hymc_request_init(void *mem, u32 ns, u32 nr,
				       u64 window_bytes, u64 deadline,
				       u64 expires)
{
	struct hymc_request *r = mem;

	r->ns = ns;
	r->room = nr;
	r->window = window_bytes;
	r->node.deadline = deadline;
	r->expires = expires;
	return r;
}

static void item_set(struct hymc_request *r, u32 i, u32 idx,
		     enum hymc_item state)
{
	r->item[i] = idx | (u32)state << HYMC_ITEM_SHIFT;
}

static bool item_live(const struct hymc_request *r, u32 i)
{
	enum hymc_item state = hymc_item_state(r, i);

	return state == HYMC_ITEM_WAITING || state == HYMC_ITEM_HELD;
}

/**
 * hymc_request_add() - name the next key
 * @c: the core
 * @r: request, not started
 * @key: the key
 *
 * Return: true when the block is in the pool. False also when @r is full.
 */
bool hymc_request_add(struct hymc_core *c, struct hymc_request *r,
		      const struct hymc_key *key)
{
	u32 idx;

	if (r->started || r->nr == r->room)
		return false;
	c->st.hint_blocks++;
	idx = hymc_block_find(c, r->ns, key);
	if (idx == HYMC_NIL || hymc_block_at(c, idx)->items == ITEMS_MAX) {
		c->st.hint_unknown++;
		item_set(r, r->nr++, 0, HYMC_ITEM_UNKNOWN);
		return false;
	}
	hymc_block_at(c, idx)->items++;
	item_set(r, r->nr++, idx, HYMC_ITEM_WAITING);
	r->left++;
	return true;
}

static void requests_link(struct hymc_core *c, struct hymc_request *r)
{
	r->next = c->requests;
	if (r->next)
		r->next->prev = r;
	c->requests = r;
	c->requests_nr += r->protects;
}

static void requests_unlink(struct hymc_core *c, struct hymc_request *r)
{
	if (r->prev)
		r->prev->next = r->next;
	else
		c->requests = r->next;
	if (r->next)
		r->next->prev = r->prev;
	c->requests_nr -= r->protects;
}

/* Let the request compete for admission. */
static void request_queue(struct hymc_core *c, struct hymc_request *r)
{
	if (!r->protects || r->queued || r->cursor == r->nr)
		return;
	r->queued = true;
	hymc_heap_insert(&c->heap, &r->node);
}

/**
 * hymc_request_unqueue() - stop competing for admission
 * @c: the core
 * @r: the request
 */
void hymc_request_unqueue(struct hymc_core *c, struct hymc_request *r)
{
	if (!r->queued)
		return;
	r->queued = false;
	hymc_heap_remove(&c->heap, &r->node);
}

/**
 * hymc_request_first() - the request that may admit next
 * @c: the core
 *
 * Return: the one with the earliest deadline, or NULL.
 */
struct hymc_request *hymc_request_first(struct hymc_core *c)
{
	/* @node is the first member. */
	return (struct hymc_request *)c->heap;
}

static_assert(offsetof(struct hymc_request, node) == 0);

/* The request's items now make their blocks wanted. */
static void want_items(struct hymc_core *c, struct hymc_request *r)
{
	u32 i, idx;

	for (i = 0; i < r->nr; i++) {
		if (!item_live(r, i))
			continue;
		idx = hymc_item_block(r, i);
		hymc_block_at(c, idx)->wanted++;
		hymc_block_settle(c, idx);
	}
}

static u32 leading_known(const struct hymc_request *r)
{
	u32 i = 0;

	while (i < r->nr && hymc_item_state(r, i) != HYMC_ITEM_UNKNOWN)
		i++;
	return i;
}

/**
 * hymc_request_start() - begin to stage
 * @c: the core
 * @r: request whose keys were named
 * @now: present time
 *
 * Return: number of leading known keys.
 */
u32 hymc_request_start(struct hymc_core *c, struct hymc_request *r, u64 now)
{
	if (r->started)
		return leading_known(r);
	if (r->window == HYMC_WINDOW_DEFAULT)
		r->window = c->cfg.window_bytes;
	if (!r->expires)
		r->expires = now + HYMC_TTL_DEFAULT_NS;
	r->started = true;
	r->protects = r->window && !hymc_core_lru(c);
	r->node.seq = c->request_seq++;
	c->st.hint_requests++;
	requests_link(c, r);
	if (r->protects)
		want_items(c, r);
	request_queue(c, r);
	return leading_known(r);
}

/**
 * hymc_request_nr() - keys named
 * @r: the request
 *
 * Return: number of keys named so far, unknown ones included.
 */
u32 hymc_request_nr(const struct hymc_request *r)
{
	return r->nr;
}

/**
 * hymc_request_left() - what its owner has not used yet
 * @r: the request
 *
 * Return: number of known blocks not yet released for it; 0 = fully consumed.
 */
u32 hymc_request_left(const struct hymc_request *r)
{
	return r->left;
}

/**
 * hymc_request_expires() - when the host should end it
 * @r: the request
 *
 * Return: time in nanoseconds.
 */
u64 hymc_request_expires(const struct hymc_request *r)
{
	return r->expires;
}

/* Take a live item out of all counts. The block is to be settled afterwards. */
static void item_done(struct hymc_core *c, struct hymc_request *r, u32 i)
{
	struct hymc_block *b = hymc_block_at(c, hymc_item_block(r, i));

	if (hymc_item_state(r, i) == HYMC_ITEM_HELD) {
		r->held_bytes -= b->len;
		b->held--;
	}
	if (r->protects)
		b->wanted--;
	r->left--;
	item_set(r, i, hymc_item_block(r, i), HYMC_ITEM_DONE);
}

/**
 * hymc_request_consume() - the owner is done with an item
 * @c: the core
 * @r: the request
 * @i: known item; nothing happens when it was consumed before
 *
 * The window may then admit the next. The caller settles the block.
 */
void hymc_request_consume(struct hymc_core *c, struct hymc_request *r, u32 i)
{
	if (!item_live(r, i))
		return;
	item_done(c, r, i);
	request_queue(c, r);
}

/**
 * hymc_request_ends_item() - does releasing a block consume an item?
 * @r: the request
 * @i: index of the item
 * @block: the block released
 *
 * Return: true when item @i is live and names @block.
 */
bool hymc_request_ends_item(const struct hymc_request *r, u32 i, u32 block)
{
	return i < r->nr && item_live(r, i) && hymc_item_block(r, i) == block;
}

/* One item gives its block up for good. */
static void item_forget(struct hymc_core *c, struct hymc_request *r, u32 i)
{
	u32 idx = hymc_item_block(r, i);
	struct hymc_block *b = hymc_block_at(c, idx);

	if (hymc_item_state(r, i) == HYMC_ITEM_UNKNOWN)
		return;
	if (item_live(r, i) && r->started)
		item_done(c, r, i);
	/* It was read for nothing, as far as anybody knows now. */
	if (!b->wanted && b->flags & HYMC_BF_PREFETCHED)
		b->flags |= HYMC_BF_FRESH;
	b->items--;
	hymc_block_settle(c, idx);
}

/**
 * hymc_request_end() - end a request
 * @c: the core
 * @r: the request, started or not; the host may free it afterwards
 * @now: present time
 *
 * What only it wanted is given up. O(keys).
 */
void hymc_request_end(struct hymc_core *c, struct hymc_request *r, u64 now)
{
	u32 i;

	if (r->started) {
		c->st.hint_cancelled += r->left > 0;
		hymc_request_unqueue(c, r);
		requests_unlink(c, r);
	}
	for (i = 0; i < r->nr; i++)
		item_forget(c, r, i);
	r->nr = 0;
	r->left = 0;
}

/* Does a block fit into the request's window now? */
static bool window_takes(const struct hymc_request *r, u64 len)
{
	if (!r->held_bytes)
		return true;
	return r->held_bytes < r->window && len <= r->window - r->held_bytes;
}

/* Move the cursor to the next item to admit; false when there is none. */
static bool cursor_seek(struct hymc_core *c, struct hymc_request *r)
{
	u32 idx;

	for (; r->cursor < r->nr; r->cursor++) {
		if (hymc_item_state(r, r->cursor) != HYMC_ITEM_WAITING)
			continue;
		idx = hymc_item_block(r, r->cursor);
		if (hymc_block_at(c, idx)->state != HYMC_ST_DEAD)
			return true;
		/* It died since it was named: there is nothing to stage. */
		item_done(c, r, r->cursor);
		hymc_block_settle(c, idx);
	}
	return false;
}

static void item_hold(struct hymc_core *c, struct hymc_request *r)
{
	u32 idx = hymc_item_block(r, r->cursor);
	struct hymc_block *b = hymc_block_at(c, idx);

	r->held_bytes += b->len;
	b->held++;
	item_set(r, r->cursor++, idx, HYMC_ITEM_HELD);
	hymc_block_settle(c, idx);
}

/**
 * hymc_request_admit() - let a request's window move on, in order
 * @c: the core
 * @r: a started request that protects its blocks
 * @idx: out, with HYMC_ADMIT_READ the block to read; its item is admitted
 *
 * Blocks that are in DRAM or on their way are admitted without I/O on the way to
 * the first one that is not.
 *
 * Return: enum hymc_admit.
 */
enum hymc_admit hymc_request_admit(struct hymc_core *c, struct hymc_request *r,
				   u32 *idx)
{
	const struct hymc_block *b;

	while (cursor_seek(c, r)) {
		*idx = hymc_item_block(r, r->cursor);
		b = hymc_block_at(c, *idx);
		if (!window_takes(r, b->len))
			return HYMC_ADMIT_NOTHING;
		if (b->state != HYMC_ST_ONSSD) {
			item_hold(c, r);
			continue;
		}
		if (!hymc_flow_budget(c, b->len) ||
		    !hymc_stage_can(c, b->len, HYMC_TAKE_WANTED))
			return HYMC_ADMIT_BLOCKED;
		item_hold(c, r);
		return HYMC_ADMIT_READ;
	}
	return HYMC_ADMIT_NOTHING;
}
