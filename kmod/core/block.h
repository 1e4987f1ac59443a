/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: blocks - the one object of the core, and what its numbers mean
 *
 * A block is named by a u32 index into the slab. The entry stays in place, and
 * its index is not given to another block, as long as anything names it: a
 * request's item, a lease, a view, a waiter, an I/O, a writer, or a child block that may
 * yet have to write its parent's key. That is why the counters below exist; the
 * block is freed by hymc_block_settle() when the last of them is zero and the
 * block is dead.
 *
 *   items >= wanted >= held       (all three count request items)
 *   pins, waiters                 (views handed out, threads waiting)
 *
 * An entry costs 120 bytes, its index slot 4 bytes at one entry per slot.
 */
#ifndef HYMC_BLOCK_H
#define HYMC_BLOCK_H

#include "core.h"

/**
 * enum hymc_state - where a block is in its life, see core.h
 * @HYMC_ST_FREE: the slab entry is not in use
 * @HYMC_ST_FILLING: reserved by a writer, not visible
 * @HYMC_ST_DIRTY: committed, in frames only
 * @HYMC_ST_WRITING: like dirty, its write is in flight
 * @HYMC_ST_CLEAN: in frames and on the SSD
 * @HYMC_ST_ONSSD: on the SSD only
 * @HYMC_ST_QUEUED: on the SSD, somebody waits for it, no frames yet
 * @HYMC_ST_READING: on the SSD, its read is in flight
 * @HYMC_ST_DEAD: not visible any more; entry and frames wait for their last user
 */
enum hymc_state {
	HYMC_ST_FREE,
	HYMC_ST_FILLING,
	HYMC_ST_DIRTY,
	HYMC_ST_WRITING,
	HYMC_ST_CLEAN,
	HYMC_ST_ONSSD,
	HYMC_ST_QUEUED,
	HYMC_ST_READING,
	HYMC_ST_DEAD,
};

/* A read into the block's frames is in flight. */
#define HYMC_BF_READ		(1U << 0)
/* A write out of the block's frames is in flight. */
#define HYMC_BF_WRITE		(1U << 1)
/* A writer fills the block's frames. */
#define HYMC_BF_FILL		(1U << 2)
/* @daddr names an extent that this block owns. */
#define HYMC_BF_EXTENT		(1U << 3)
/* Dead because the SSD failed it, not because it was deleted. */
#define HYMC_BF_LOST		(1U << 4)
/* On the woken list: its waiters have to look again. */
#define HYMC_BF_WOKEN		(1U << 5)
/* The copy in DRAM was read for a hint and not acquired since. */
#define HYMC_BF_PREFETCHED	(1U << 6)
/* The latest read was started by an acquire, not by a hint. */
#define HYMC_BF_DEMAND		(1U << 7)
/* Released for the request item that named it: first to go. */
#define HYMC_BF_CONSUMED	(1U << 8)
/* Nobody used this copy and nobody asked to keep it. */
#define HYMC_BF_FRESH		(1U << 9)

/* Something other than a counter still works on the block's frames. */
#define HYMC_BF_BUSY		(HYMC_BF_READ | HYMC_BF_WRITE | HYMC_BF_FILL)
/* What is forgotten when the copy in DRAM is dropped. */
#define HYMC_BF_COPY		(HYMC_BF_PREFETCHED | HYMC_BF_DEMAND | \
				 HYMC_BF_CONSUMED | HYMC_BF_FRESH)

/**
 * struct hymc_block - one block
 * @key: its name inside @ns
 * @hash_next: next entry of the hash bucket, or of the slab's free list
 * @ns: namespace
 * @state: enum hymc_state
 * @cls: enum hymc_class, see stage.h: which list it is on, what its frames
 *	count as
 * @flags: HYMC_BF_*
 * @tier: enum hymc_tier at the latest acquire
 * @spare: zero
 * @len: payload bytes
 * @frame: first frame or HYMC_NIL
 * @prev: neighbour on the list of @cls, or on the woken list
 * @next: the other neighbour
 * @gen: generation, given at commit
 * @daddr: byte address of the record on the SSD, with HYMC_BF_EXTENT
 * @ready_ns: when a prefetch finished, with HYMC_BF_PREFETCHED
 * @items: request items that name the block
 * @wanted: those of them that are started and not consumed
 * @held: those of them that their request's window admitted
 * @pins: views
 * @waiters: acquires that wait
 * @parent: index of the parent block or HYMC_NIL
 * @children: blocks whose @parent this is
 * @leases: leases it is in
 */
struct hymc_block {
	struct hymc_key key;
	u32 hash_next;
	u16 ns;
	u8 state;
	u8 cls;
	u16 flags;
	u8 tier;
	u8 spare;
	u32 len;
	u32 frame;
	u32 prev;
	u32 next;
	u32 items;
	u64 gen;
	u64 daddr;
	u64 ready_ns;
	u32 wanted;
	u32 held;
	u32 pins;
	u32 waiters;
	u32 parent;
	u32 children;
	u32 leases;
};

u32 hymc_block_find(const struct hymc_core *c, u32 ns,
		    const struct hymc_key *key);
bool hymc_block_visible(const struct hymc_block *b);
bool hymc_block_resident(const struct hymc_block *b);
u32 hymc_block_tier(const struct hymc_block *b);
u64 hymc_block_record_bytes(const struct hymc_core *c,
			    const struct hymc_block *b);
void hymc_block_adopt(struct hymc_core *c, u32 idx, u32 parent);
void hymc_block_orphan(struct hymc_core *c, u32 idx);
void hymc_block_wake(struct hymc_core *c, u32 idx);
void hymc_block_unwait(struct hymc_core *c, u32 idx);
void hymc_block_drop_extent(struct hymc_core *c, u32 idx);
void hymc_block_die(struct hymc_core *c, u32 idx, u32 lost);
void hymc_block_settle(struct hymc_core *c, u32 idx);

#endif /* HYMC_BLOCK_H */
