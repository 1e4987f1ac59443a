/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a host for the core, simulated
 *
 * Does what a host must (feeds memory, performs I/O, keeps requests) on a small
 * pool without a payload byte: each frame and each 4 KiB of the SSD carries a tag
 * that says whose bytes lie there. A frame that is reused too early, or a record
 * at a wrong address, shows as a wrong tag; the host counts those as @wrong.
 */
#ifndef HYMC_TEST_POOL_H
#define HYMC_TEST_POOL_H

#include "core.h"

#define KB	1024ULL
#define IO_MAX	64U

/**
 * struct pool - a core and its simulated devices
 * @c: the core
 * @cfg: its configuration
 * @now: the clock, in nanoseconds; tests move it
 * @frame: tag of each frame
 * @ssd: tag of each HYMC_ALIGN_BYTES of the log
 * @ssd_nr: number of those
 * @io: I/O started and not finished
 * @before: tags of the frames of each write when it started
 * @io_nr: number of them
 * @wrong: tags that were not what they should be
 * @reads: reads performed
 * @writes: writes performed
 */
struct pool {
	struct hymc_core *c;
	struct hymc_core_cfg cfg;
	u64 now;
	u64 *frame;
	u64 *ssd;
	u64 ssd_nr;
	struct hymc_act io[IO_MAX];
	u64 before[IO_MAX];
	u32 io_nr;
	u64 wrong;
	u64 reads;
	u64 writes;
};

/* 16 frames of 4 KiB, 16 segments of 128 KiB; windows of 4 frames. */
struct hymc_core_cfg pool_cfg(void);
struct pool *pool_new(const struct hymc_core_cfg *cfg);
void pool_free(struct pool *p);
void pool_feed(struct pool *p);

/* Keys, by number. */
struct hymc_key pool_key(u64 id);

/* Reserve for namespace 1 and the parent with number @parent (0 = none). */
int pool_reserve(struct pool *p, u64 id, u64 len, u64 parent, u32 *idx);
/* Put tags for version @version of the block's bytes into its frames. */
void pool_fill(struct pool *p, u32 idx, u64 id, u64 version);
/* Reserve, fill, commit; version is 0. Returns what reserve did. */
int pool_put(struct pool *p, u64 id, u64 len);
/* True when the block's frames carry the tags of that version. */
bool pool_right(struct pool *p, u32 idx, u64 id, u64 version);
u64 pool_tag(u64 id, u64 version, u64 nr);

/* Pull one action and start it. Its number among @io, or -1. */
int pool_pull(struct pool *p);
/* Finish action @n of @io with @err. */
void pool_finish(struct pool *p, u32 n, int err);
/* Pull and finish everything, and forget the woken. */
void pool_run(struct pool *p);
/* Write everything, then drop every copy in DRAM that can be dropped. */
void pool_evict(struct pool *p);
/* Put blocks @from..@to of @len bytes and see that they are on the SSD only. */
void pool_stock(struct pool *p, u64 from, u64 to, u64 len);

struct hymc_stats pool_stats(struct pool *p);
/* Where block @id is; HYMC_TIER_NONE for a miss. */
u32 pool_tier(struct pool *p, u64 id);
/* Acquire, doing all I/O meanwhile. What the core returned last. */
int pool_get(struct pool *p, u64 id, u32 *idx);
/* pool_get() and release; true when the bytes (of version 0) were right. */
bool pool_use(struct pool *p, u64 id);

/* A request of namespace 1 for @nr keys, to be named and started. */
struct hymc_request *request_new(u32 nr, u64 window, u64 deadline);
/* A request for the keys @from..@to, started. */
struct hymc_request *pool_hint(struct pool *p, u64 from, u64 to, u64 window,
			       u64 deadline);
void pool_end(struct pool *p, struct hymc_request *r);
/* hymc_core_selfcheck(), printing what is wrong. */
bool pool_sound(struct pool *p);

#endif /* HYMC_TEST_POOL_H */
