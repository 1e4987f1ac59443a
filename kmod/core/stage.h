/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: stage - frames of device DRAM and who has to give them up
 *
 * Owns the free frames, the chain of frames of every block, and the class of
 * every block that has frames or waits for some. The class is a pure function of
 * the block's state, counters and flags; hymc_stage_place() recomputes it after
 * any change, keeps the frame count of each class, and moves the block between
 * the lists. Lists are ordered; what is given up first is at their head, except
 * for wanted and held blocks, where it is the tail (needed last).
 */
#ifndef HYMC_STAGE_H
#define HYMC_STAGE_H

#include "core.h"
#include "block.h"

/**
 * enum hymc_class - why a block is where it is
 * @HYMC_CL_NONE: no frames, waits for none
 * @HYMC_CL_QUEUED: no frames, an acquire waits for them (FIFO)
 * @HYMC_CL_READING: being filled from the SSD
 * @HYMC_CL_FILLING: being filled by a writer
 * @HYMC_CL_DIRTY: waits for write-back (FIFO, in order of generation)
 * @HYMC_CL_WRITING: write in flight (in order of generation)
 * @HYMC_CL_PINNED: clean, and in a view or waited for
 * @HYMC_CL_HELD: clean, admitted by a request's window
 * @HYMC_CL_WANTED: clean, named by a queued request, not yet admitted
 * @HYMC_CL_CONSUMED: clean, released by the request that named it
 * @HYMC_CL_FRESH: clean, never used: just written, or its request was cancelled
 * @HYMC_CL_COLD: clean, wanted by nobody (LRU)
 * @HYMC_CL_NR: number of classes
 */
enum hymc_class {
	HYMC_CL_NONE,
	HYMC_CL_QUEUED,
	HYMC_CL_READING,
	HYMC_CL_FILLING,
	HYMC_CL_DIRTY,
	HYMC_CL_WRITING,
	HYMC_CL_PINNED,
	HYMC_CL_HELD,
	HYMC_CL_WANTED,
	HYMC_CL_CONSUMED,
	HYMC_CL_FRESH,
	HYMC_CL_COLD,
	HYMC_CL_NR,
};

/**
 * enum hymc_take - how deep a taker of frames may reach
 * @HYMC_TAKE_SPARE: only what nobody wants (inserts)
 * @HYMC_TAKE_WANTED: also what is wanted but not admitted (prefetches)
 * @HYMC_TAKE_HELD: also what a window admitted (demand reads)
 */
enum hymc_take {
	HYMC_TAKE_SPARE,
	HYMC_TAKE_WANTED,
	HYMC_TAKE_HELD,
};

/**
 * struct hymc_list - an ordered list of blocks, linked by index
 * @head: first or HYMC_NIL
 * @tail: last or HYMC_NIL
 * @nr: length
 */
struct hymc_list {
	u32 head;
	u32 tail;
	u32 nr;
};

/**
 * struct hymc_stage - the frames
 * @next: per frame, the next one of its block or of the free list
 * @owner: per frame, the block it belongs to or HYMC_NIL
 * @free: first free frame
 * @nr_free: number of free frames
 * @shift: log2 of the frame size
 * @frames: frames of the blocks in each class
 * @list: blocks of each class that is listed
 */
struct hymc_stage {
	u32 *next;
	u32 *owner;
	u32 free;
	u32 nr_free;
	u32 shift;
	u32 frames[HYMC_CL_NR];
	struct hymc_list list[HYMC_CL_NR];
};

void hymc_stage_init(struct hymc_core *c);
u32 hymc_stage_frames_of(const struct hymc_core *c, u64 len);
bool hymc_stage_can(const struct hymc_core *c, u64 len, enum hymc_take depth);
bool hymc_stage_take(struct hymc_core *c, u32 idx, enum hymc_take depth);
void hymc_stage_drop(struct hymc_core *c, u32 idx);
enum hymc_class hymc_stage_class(const struct hymc_block *b);
bool hymc_stage_listed(enum hymc_class cls);
void hymc_stage_place(struct hymc_core *c, u32 idx);

#endif /* HYMC_STAGE_H */
