/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: request - ordered hints and their windows
 *
 * Owns request items and their states. An item is bound to a block when it is
 * named and stays bound to that block, so the block's entry outlives it. In order
 * of the key list:
 *
 *   consumed | held (staged, in flight or in use; at most a window) | waiting
 *                                                     next ^
 *
 * Items may also be consumed out of order. A request that protects nothing (its
 * window is 0, or the pool's policy ignores hints) counts what is left of it and
 * makes no block wanted.
 */
#ifndef HYMC_REQUEST_H
#define HYMC_REQUEST_H

#include "core.h"
#include "heap.h"

/**
 * enum hymc_item - state of a request's item
 * @HYMC_ITEM_UNKNOWN: the key was not in the pool when it was named
 * @HYMC_ITEM_WAITING: known, not admitted
 * @HYMC_ITEM_HELD: admitted by the window
 * @HYMC_ITEM_DONE: released by the owner, or its block is gone
 */
enum hymc_item {
	HYMC_ITEM_UNKNOWN,
	HYMC_ITEM_WAITING,
	HYMC_ITEM_HELD,
	HYMC_ITEM_DONE,
};

/* An item: block index below, state above. */
#define HYMC_ITEM_SHIFT		30U
#define HYMC_ITEM_MASK		((1U << HYMC_ITEM_SHIFT) - 1)

/**
 * struct hymc_request - an ordered list of blocks that will be used
 * @node: place in the heap of requests that may have something to admit
 * @prev: previous started request
 * @next: next started request
 * @window: byte window
 * @held_bytes: payload bytes of the held items
 * @expires: time at which the host ends it
 * @ns: namespace of the keys
 * @room: most items
 * @nr: items named
 * @cursor: first item that the window has not passed
 * @left: items waiting or held
 * @started: hymc_request_start() was called
 * @protects: its items make blocks wanted
 * @queued: it is in the heap
 * @item: the items
 */
struct hymc_request {
	struct hymc_heap_node node;
	struct hymc_request *prev;
	struct hymc_request *next;
	u64 window;
	u64 held_bytes;
	u64 expires;
	u32 ns;
	u32 room;
	u32 nr;
	u32 cursor;
	u32 left;
	bool started;
	bool protects;
	bool queued;
	u32 item[];
};

/**
 * enum hymc_admit - what a request's next step is
 * @HYMC_ADMIT_READ: its next block has to be read; frames and budget are there
 * @HYMC_ADMIT_BLOCKED: its next block waits for frames or read budget
 * @HYMC_ADMIT_NOTHING: its window is full, or it has nothing left to admit
 */
enum hymc_admit {
	HYMC_ADMIT_READ,
	HYMC_ADMIT_BLOCKED,
	HYMC_ADMIT_NOTHING,
};

/* State of item @i. */
static inline enum hymc_item hymc_item_state(const struct hymc_request *r,
					     u32 i)
{
	return (enum hymc_item)(r->item[i] >> HYMC_ITEM_SHIFT);
}

/* Block of item @i, meaningless when it is unknown. */
static inline u32 hymc_item_block(const struct hymc_request *r, u32 i)
{
	return r->item[i] & HYMC_ITEM_MASK;
}

bool hymc_request_ends_item(const struct hymc_request *r, u32 i, u32 block);
void hymc_request_consume(struct hymc_core *c, struct hymc_request *r, u32 i);
enum hymc_admit hymc_request_admit(struct hymc_core *c, struct hymc_request *r,
				   u32 *idx);
struct hymc_request *hymc_request_first(struct hymc_core *c);
void hymc_request_unqueue(struct hymc_core *c, struct hymc_request *r);

#endif /* HYMC_REQUEST_H */
