// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * DOC: the write buffer: inserts, what is dirty, when it is written
 *
 * Owns the bytes being filled and dirty. Dirty blocks wait in order of commit,
 * which is the order of their generations; those in flight are kept in the same
 * order, so that the oldest unwritten generation is always at hand (sync).
 *
 * A staging pool writes when nothing else is to be done, when too much is dirty
 * (from the high mark down to the low one), or when asked to sync. It never lets
 * an insert wait: what does not fit is skipped and counted.
 */
#include "core_priv.h"

/* Payload that inserts have put into DRAM and that is not on the SSD. */
static u64 unwritten_bytes(const struct hymc_core *c)
{
	return c->flow.dirty_bytes + c->flow.filling_bytes;
}

/* A lone block may be larger than the buffer, so that each size gets its turn. */
static bool buffer_takes(const struct hymc_core *c, u64 len)
{
	u64 have = unwritten_bytes(c);

	return hymc_core_lru(c) || !have ||
	       (have < c->cfg.dirty_max_bytes &&
		len <= c->cfg.dirty_max_bytes - have);
}

/* A key that is there already decides an insert. */
static int reserve_present(struct hymc_core *c, u32 idx, u64 len)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	if (!hymc_block_visible(b))
		return -EBUSY;
	b->tier = hymc_block_tier(b);
	if (b->len == len) {
		c->st.put_present++;
		return -EALREADY;
	}
	c->st.put_conflict++;
	return -EEXIST;
}

/* No room: skipped in a staging pool; the transparent cache waits. */
static int skip(struct hymc_core *c, u64 *counter)
{
	if (!hymc_core_lru(c))
		++*counter;
	return -EAGAIN;
}

static int reserve_room(struct hymc_core *c, u64 len)
{
	if (!buffer_takes(c, len))
		return skip(c, &c->st.skip_buffer);
	if (!hymc_stage_can(c, len, HYMC_TAKE_SPARE))
		return skip(c, &c->st.skip_frames);
	return 0;
}

/* An entry and a promise of SSD space. */
static int reserve_entry(struct hymc_core *c, u64 record, u32 *idx)
{
	if (hymc_slab_full(c) || !hymc_log_promise(c, record)) {
		c->st.skip_ssd++;
		return -ENOSPC;
	}
	*idx = hymc_index_ready(c) ? hymc_slab_alloc(c) : HYMC_NIL;
	if (*idx != HYMC_NIL)
		return 0;
	hymc_log_withdraw(c, record);
	return -ENOMEM;
}

static void block_setup(struct hymc_core *c, u32 idx, u32 ns,
			const struct hymc_key *key, u64 len)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->key = *key;
	b->ns = ns;
	b->len = len;
	b->state = HYMC_ST_FILLING;
	hymc_stage_take(c, idx, HYMC_TAKE_SPARE);
	b->flags = HYMC_BF_FILL;
	hymc_stage_place(c, idx);
	hymc_index_insert(c, idx);
	c->flow.filling_bytes += len;
}

/* The parent may be one that is being filled itself, as in a chain of puts. */
static u32 parent_find(const struct hymc_core *c, u32 ns,
		       const struct hymc_key *parent)
{
	return parent ? hymc_index_find(c, ns, parent) : HYMC_NIL;
}

/**
 * hymc_core_reserve() - begin a write
 * @c: the core
 * @ns: namespace
 * @key: key in it
 * @len: payload bytes
 * @parent: key of the parent in the chain, or NULL
 * @now: present time
 * @block: out, the block; also the one that is in the way, with -EALREADY and
 *	-EEXIST: hymc_core_tier() then says where it is
 *
 * Return: 0 or an errno, see core.h.
 */
int hymc_core_reserve(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		      u64 len, const struct hymc_key *parent, u64 now,
		      u32 *block)
{
	u32 idx;
	int err;

	if (!len)
		return -EINVAL;
	if (len > c->block_bytes_max)
		return -EFBIG;
	idx = hymc_index_find(c, ns, key);
	*block = idx;
	if (idx != HYMC_NIL)
		return reserve_present(c, idx, len);
	err = reserve_room(c, len);
	if (err)
		return err;
	err = reserve_entry(c, hymc_record_bytes(len, c->cfg.frame_bytes),
			    &idx);
	if (err)
		return err;
	hymc_block_adopt(c, idx, parent_find(c, ns, parent));
	block_setup(c, idx, ns, key, len);
	*block = idx;
	return 0;
}

/* The writer took its hands off. */
static void fill_done(struct hymc_core *c, struct hymc_block *b)
{
	b->flags &= ~HYMC_BF_FILL;
	c->flow.filling_bytes -= b->len;
}

/* Give a reservation back; its namespace may have been dropped under it. */
static void fill_void(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	hymc_log_withdraw(c, hymc_block_record_bytes(c, b));
	fill_done(c, b);
	c->flow.room = true;
	if (b->state == HYMC_ST_DEAD)
		hymc_block_settle(c, idx);
	else
		hymc_block_die(c, idx, 0);
}

/**
 * hymc_core_abort() - forget a reservation
 * @c: the core
 * @block: reserved block
 */
void hymc_core_abort(struct hymc_core *c, u32 block)
{
	c->st.put_aborted++;
	fill_void(c, block);
}

/**
 * hymc_core_commit() - make a reserved block visible
 * @c: the core
 * @block: reserved block, completely filled
 * @now: present time
 *
 * When its namespace was dropped since, the block just goes.
 */
void hymc_core_commit(struct hymc_core *c, u32 block, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, block);

	if (b->state == HYMC_ST_DEAD) {
		fill_void(c, block);
		return;
	}
	fill_done(c, b);
	b->state = HYMC_ST_DIRTY;
	b->gen = c->flow.gen_next++;
	c->flow.dirty_bytes += b->len;
	c->st.blocks++;
	c->st.block_bytes += b->len;
	c->st.put_blocks++;
	c->st.put_bytes += b->len;
	hymc_stage_place(c, block);
}

/* Generation of the oldest block of a list, else the next one to be given. */
static u64 oldest_gen(const struct hymc_core *c, enum hymc_class cls)
{
	u32 idx = c->stage.list[cls].head;

	return idx == HYMC_NIL ? c->flow.gen_next : hymc_block_at(c, idx)->gen;
}

/* Every generation below this one has been written, dropped or lost. */
static u64 written_gen(const struct hymc_core *c)
{
	u64 dirty = oldest_gen(c, HYMC_CL_DIRTY);
	u64 writing = oldest_gen(c, HYMC_CL_WRITING);

	return dirty < writing ? dirty : writing;
}

/* Must writes go although reads are active? */
static bool wbuf_urgent(struct hymc_core *c)
{
	struct hymc_flow *f = &c->flow;

	if (f->dirty_bytes > c->cfg.dirty_high_bytes)
		f->flushing = true;
	else if (f->dirty_bytes <= c->cfg.dirty_low_bytes)
		f->flushing = false;
	return f->flushing || oldest_gen(c, HYMC_CL_DIRTY) < f->sync_gen;
}

static void write_start(struct hymc_core *c, u32 idx, u64 addr,
			struct hymc_act *act)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	b->state = HYMC_ST_WRITING;
	b->daddr = addr;
	b->flags |= HYMC_BF_WRITE | HYMC_BF_EXTENT;
	c->flow.writes++;
	hymc_stage_place(c, idx);
	act->kind = HYMC_ACT_WRITE;
	hymc_flow_describe(c, idx, act);
}

/* A dirty block for which there is no space any more, see hymc_log_place(). */
static void write_unplaced(struct hymc_core *c, u32 idx)
{
	struct hymc_block *b = hymc_block_at(c, idx);

	/* Its promise is gone; what follows must not take it back again. */
	b->state = HYMC_ST_WRITING;
	c->flow.dirty_bytes -= b->len;
	c->st.write_errors++;
	hymc_block_die(c, idx, HYMC_BF_LOST);
}

/**
 * hymc_wbuf_next() - hand out a write
 * @c: the core
 * @idle: reads have nothing to do
 * @act: out, the write
 *
 * Return: false when there is none to do now.
 */
bool hymc_wbuf_next(struct hymc_core *c, bool idle, struct hymc_act *act)
{
	const struct hymc_list *dirty = &c->stage.list[HYMC_CL_DIRTY];
	bool urgent = wbuf_urgent(c);
	u64 addr, record;
	u32 idx;

	if (!idle && !urgent)
		return false;
	while (dirty->nr && c->flow.writes < c->cfg.writes_max) {
		idx = dirty->head;
		record = hymc_block_record_bytes(c, hymc_block_at(c, idx));
		if (hymc_log_place(c, record, &addr)) {
			write_start(c, idx, addr, act);
			return true;
		}
		write_unplaced(c, idx);
	}
	return false;
}

/*
 * What becomes of the copy in DRAM once it is on the SSD too. A new block of a
 * conversation is read again when its next turn comes, long after. Where engines
 * give hints that turn will be announced, and the block staged again in time: the
 * frames are better spent on what is announced already, so the copy counts as
 * never used, which goes before the cold ones. Where nobody gives hints recency
 * is all there is to know, so it becomes the youngest of the cold ones, as in LRU.
 */
static void write_clean(struct hymc_core *c, struct hymc_block *b)
{
	b->state = HYMC_ST_CLEAN;
	if (c->requests_nr)
		b->flags |= HYMC_BF_FRESH;
}

/* A dead parent was only kept for its key, which is on the SSD now. */
static void write_orphan(struct hymc_core *c, u32 idx)
{
	u32 parent = hymc_block_at(c, idx)->parent;

	if (parent != HYMC_NIL &&
	    hymc_block_at(c, parent)->state == HYMC_ST_DEAD)
		hymc_block_orphan(c, idx);
}

static void write_count(struct hymc_core *c, const struct hymc_block *b,
			int err)
{
	c->flow.writes--;
	c->flow.dirty_bytes -= b->len;
	c->flow.room = true;
	c->st.ssd_write_ios++;
	if (err)
		c->st.write_errors++;
	else
		c->st.ssd_write_bytes += hymc_block_record_bytes(c, b);
}

/**
 * hymc_core_write_done() - a write ended
 * @c: the core
 * @block: block of the action
 * @err: 0 or an errno
 * @now: present time
 */
void hymc_core_write_done(struct hymc_core *c, u32 block, int err, u64 now)
{
	struct hymc_block *b = hymc_block_at(c, block);

	b->flags &= ~HYMC_BF_WRITE;
	write_count(c, b, err);
	if (err)
		hymc_log_failed(c, b->daddr, true);
	if (b->state == HYMC_ST_DEAD) {
		hymc_block_drop_extent(c, block);
		hymc_block_settle(c, block);
	} else if (err) {
		hymc_block_die(c, block, HYMC_BF_LOST);
	} else {
		write_clean(c, b);
		hymc_block_settle(c, block);
		write_orphan(c, block);
	}
}

/**
 * hymc_core_clean() - is nothing dirty?
 * @c: the core
 *
 * Return: true when no committed block waits for write-back or is in it.
 */
bool hymc_core_clean(const struct hymc_core *c)
{
	return !c->flow.dirty_bytes && !c->flow.writes;
}

/**
 * hymc_core_sync() - ask that what is dirty now be written
 * @c: the core
 *
 * Return: ticket for hymc_core_synced().
 */
u64 hymc_core_sync(struct hymc_core *c)
{
	c->flow.sync_gen = c->flow.gen_next;
	return c->flow.gen_next;
}

/**
 * hymc_core_synced() - has a sync ended?
 * @c: the core
 * @ticket: from hymc_core_sync()
 * @lost: out, blocks that failed to be written since creation
 *
 * Return: true when what was dirty then is written, deleted or lost.
 */
bool hymc_core_synced(const struct hymc_core *c, u64 ticket, u64 *lost)
{
	*lost = c->st.write_errors;
	return written_gen(c) >= ticket;
}

/**
 * hymc_core_room() - did room for inserts come free?
 * @c: the core
 *
 * Return: true once after frames or dirty room came free.
 */
bool hymc_core_room(struct hymc_core *c)
{
	bool room = c->flow.room;

	c->flow.room = false;
	return room;
}
