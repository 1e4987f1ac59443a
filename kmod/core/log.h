/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: log - where records lie on the SSD
 *
 * Owns the segments. Records are placed one behind another in the open segment,
 * when their write is handed out; a record never spans segments. A segment whose
 * live bytes reach zero and which is not open is free again, unless the SSD
 * failed in it.
 *
 *   open segment:  |record|record|rec..|---- room ----|
 *                                      ^ used         ^ segment_bytes
 *
 * Space is promised at reserve and taken at placement. A promise is only given
 * when every promised record will fit whatever the order in which they are
 * placed, the unusable ends of segments included; see hymc_log_fits().
 */
#ifndef HYMC_LOG_H
#define HYMC_LOG_H

#include "core.h"

/* Size classes of promised records: powers of two of HYMC_ALIGN_BYTES. */
#define HYMC_LOG_CLASSES	32U

/**
 * enum hymc_seg_state - what a segment is used for
 * @HYMC_SEG_FREE: holds nothing
 * @HYMC_SEG_OPEN: records are appended to it
 * @HYMC_SEG_FULL: holds records, takes no more
 * @HYMC_SEG_BAD: the SSD failed in it; never used again
 */
enum hymc_seg_state {
	HYMC_SEG_FREE,
	HYMC_SEG_OPEN,
	HYMC_SEG_FULL,
	HYMC_SEG_BAD,
};

/**
 * struct hymc_segment - one segment
 * @live: record bytes in it that belong to a block
 * @next: next free segment
 * @state: enum hymc_seg_state
 * @failed: becomes HYMC_SEG_BAD instead of full when it is closed
 */
struct hymc_segment {
	u64 live;
	u32 next;
	u16 state;
	u16 failed;
};

/**
 * struct hymc_log - the segments
 * @seg: per segment
 * @nr: number of segments
 * @free: first free segment
 * @nr_free: number of them
 * @open: the open segment or HYMC_NIL
 * @used: bytes appended to the open segment
 * @promised: record bytes promised and not yet placed
 * @promised_nr: promised records of each size class
 */
struct hymc_log {
	struct hymc_segment *seg;
	u32 nr;
	u32 free;
	u32 nr_free;
	u32 open;
	u64 used;
	u64 promised;
	u32 promised_nr[HYMC_LOG_CLASSES];
};

u64 hymc_log_segments(const struct hymc_core_cfg *cfg);
void hymc_log_init(struct hymc_core *c);
bool hymc_log_promise(struct hymc_core *c, u64 bytes);
void hymc_log_withdraw(struct hymc_core *c, u64 bytes);
bool hymc_log_place(struct hymc_core *c, u64 bytes, u64 *addr);
void hymc_log_release(struct hymc_core *c, u64 addr, u64 bytes);
void hymc_log_failed(struct hymc_core *c, u64 addr, bool writing);
u64 hymc_log_used_bytes(const struct hymc_core *c);

#endif /* HYMC_LOG_H */
