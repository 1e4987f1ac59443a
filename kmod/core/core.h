/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * DOC: the pure core's interface to its hosts
 *
 * The core decides; a host acts. It is a state machine over three things: the
 * index (which blocks there are), the stage (which of them are in which frames
 * of device DRAM, and why) and the log (where they lie on the SSD). A host (the
 * kernel module, a test, a simulator) feeds it events by the calls below and
 * pulls I/O to be done with hymc_core_next(). It answers each I/O with
 * hymc_core_read_done() or hymc_core_write_done().
 *
 * The core never locks, sleeps, allocates, reads a clock, prints or touches
 * payload bytes. The host serialises all calls on one core (one mutex), passes
 * the time, and feeds memory: hymc_core_mem_short() says that a chunk is wanted,
 * hymc_core_mem_feed() hands it over. Every call is O(1) amortised per element
 * unless its comment says otherwise.
 *
 * Block life:
 *
 *              reserve                 commit                write done
 *   (absent) ----------> FILLING ----------------> DIRTY ----------------> CLEAN
 *                          | abort                   | (visible)             |  ^
 *                          v                         |                 evict |  | read done
 *                       (absent)                     |                       v  |
 *                                                    |              ONSSD -> QUEUED -> READING
 *                                                    |                         | read failed
 *   any visible state -- delete, read/write failure -+-> DEAD (no lookup hits it; the
 *                        entry and its frames live until the last view and I/O ended)
 *
 * "Visible" means that lookup, acquire, prefetch and put agree that it is there.
 */
#ifndef HYMC_CORE_H
#define HYMC_CORE_H

#include "hymc_platform.h"

/* "No such object" for every u32 index the core hands out. */
#define HYMC_NIL		(~0U)
/* Bytes of a memory chunk the host feeds. */
#define HYMC_CHUNK_BYTES	(64U << 10)
/* Alignment, on the SSD, of every record of the log, in bytes. */
#define HYMC_ALIGN_BYTES	4096U
/* A request that names no time to live ends after this many nanoseconds. */
#define HYMC_TTL_DEFAULT_NS	(60ULL * 1000000000ULL)

struct hymc_core;
struct hymc_lease;

/**
 * struct hymc_key - the name of a block inside its namespace
 * @b: opaque bytes, always compared in full
 */
struct hymc_key {
	u8 b[HYMC_KEY_BYTES];
};

/**
 * struct hymc_core_cfg - geometry and limits of a pool, fixed at creation
 * @policy: enum hymc_policy
 * @frame_bytes: unit of DRAM, power of two, 4 KiB..64 MiB
 * @frames: number of frames, 1..2^31
 * @ssd_bytes: bytes of the SSD the log may use, from @log_start on
 * @log_start: first byte of the log on the SSD (behind the superblocks)
 * @segment_bytes: append-only unit of the log, multiple of HYMC_ALIGN_BYTES
 * @blocks_max: most blocks the index may hold
 * @window_bytes: default byte window of a request
 * @read_bytes_max: most payload bytes of reads in flight; one larger goes alone
 * @writes_max: most block writes in flight
 * @dirty_max_bytes: dirty and filling payload above which inserts are skipped
 * @dirty_high_bytes: dirty payload above which write-back no longer waits for
 *	reads to leave the drive idle...
 * @dirty_low_bytes: ...until it is down to this
 * @hash_seed: random number that keys the index's hash
 */
struct hymc_core_cfg {
	u32 policy;
	u32 frame_bytes;
	u32 frames;
	u32 writes_max;
	u64 ssd_bytes;
	u64 log_start;
	u64 segment_bytes;
	u64 blocks_max;
	u64 window_bytes;
	u64 read_bytes_max;
	u64 dirty_max_bytes;
	u64 dirty_high_bytes;
	u64 dirty_low_bytes;
	u64 hash_seed;
};

/* --- life ---------------------------------------------------------------- */

/* Check a configuration. 0, or -EINVAL with *@why set to a constant sentence. */
int hymc_core_check(const struct hymc_core_cfg *cfg, const char **why);
/* Bytes of zeroed memory hymc_core_init() needs for @cfg (valid one). */
u64 hymc_core_bytes(const struct hymc_core_cfg *cfg);
/* Longest payload, in bytes, that a pool of @cfg (valid one) takes. */
u64 hymc_core_block_bytes_max(const struct hymc_core_cfg *cfg);
/* Make an empty core in @mem; the memory stays the host's. */
struct hymc_core *hymc_core_init(void *mem, const struct hymc_core_cfg *cfg);
/*
 * Take the fed chunks back one by one, to be freed; NULL when there are none
 * left. Only when nothing is outstanding; the core is unusable afterwards.
 */
void *hymc_core_mem_take(struct hymc_core *c);
/*
 * True when the next 64 inserts might need another chunk: the host allocates
 * one of HYMC_CHUNK_BYTES (outside its lock) and feeds it, until this is false.
 * A host that cannot allocate goes on: inserts then fail with -ENOMEM.
 */
bool hymc_core_mem_short(const struct hymc_core *c);
/* Hand over one chunk (need not be zeroed). False: not wanted, still the host's. */
bool hymc_core_mem_feed(struct hymc_core *c, void *chunk);

/* --- blocks -------------------------------------------------------------- */

/*
 * In the calls below @ns is a namespace number that the host gave out (1..65535)
 * and @now is a monotonic time in nanoseconds.
 */

/**
 * struct hymc_hit - what lookup says of one key
 * @tier: enum hymc_tier, HYMC_TIER_NONE for a miss
 * @len: payload bytes, 0 for a miss
 */
struct hymc_hit {
	u32 tier;
	u64 len;
};

/*
 * Look one key up, counting it. @lease: when not NULL, a hit is added to it (unless
 * it is full). Returns true for a hit. The host walks a batch and stops leasing at
 * the first miss.
 */
bool hymc_core_lookup(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		      struct hymc_lease *lease, u64 now, struct hymc_hit *hit);

/* Bytes of zeroed memory for a lease of up to @nr blocks. */
u64 hymc_lease_bytes(u32 nr);
/*
 * Set up a lease in @mem (owned by the host, which keeps it until
 * hymc_lease_end()). While it lasts, its blocks stay on the SSD unless deleted.
 */
struct hymc_lease *hymc_lease_init(void *mem, u32 nr, u64 until);
/* Time at which the host should end it by itself. */
u64 hymc_lease_until(const struct hymc_lease *l);
/* Blocks in it. */
u32 hymc_lease_nr(const struct hymc_lease *l);
/* End it. O(blocks in it). */
void hymc_lease_end(struct hymc_core *c, struct hymc_lease *l);

/*
 * Begin a write of @len bytes: take frames and SSD space. @parent may be NULL.
 * 0 and *@block; or -EINVAL (length 0), -EFBIG, -EALREADY (present, same length),
 * -EEXIST (present, other length), -EBUSY (being filled by another writer),
 * -EAGAIN (no frames to spare: counted as skip_buffer or skip_frames), -ENOSPC
 * (SSD or index full: counted), -ENOMEM (feed memory). *@block is also set to a
 * block that is present, so that hymc_core_tier() can tell where. With
 * HYMC_POLICY_LRU, -EAGAIN means "wait and retry" and is not counted.
 */
int hymc_core_reserve(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		      u64 len, const struct hymc_key *parent, u64 now,
		      u32 *block);
/* The bytes are complete: @block becomes visible, immutable and dirty. */
void hymc_core_commit(struct hymc_core *c, u32 block, u64 now);
/* Forget a reservation; its frames and SSD space return at once. */
void hymc_core_abort(struct hymc_core *c, u32 block);
/* Forget a visible block. 0 or -ENOENT. Existing views stay valid. */
int hymc_core_delete(struct hymc_core *c, u32 ns, const struct hymc_key *key);
/*
 * Forget all blocks of a namespace, those being filled included (their commit then
 * does nothing). O(blocks). Returns how many were visible.
 */
u64 hymc_core_drop_ns(struct hymc_core *c, u32 ns);

/* --- requests ------------------------------------------------------------ */

struct hymc_request;

/* Bytes of zeroed memory for a request of @nr keys. */
u64 hymc_request_bytes(u32 nr);
/*
 * Set up a request of @nr keys in @mem (owned by the host, which keeps it until
 * hymc_request_end() returned). @window_bytes as in struct hymc_prefetch.
 */
struct hymc_request *hymc_request_init(void *mem, u32 ns, u32 nr,
				       u64 window_bytes, u64 deadline,
				       u64 expires);
/* Name the next key, before start. True when it is in the pool. */
bool hymc_request_add(struct hymc_core *c, struct hymc_request *r,
		      const struct hymc_key *key);
/* All keys are named: begin to stage. Returns the number of leading known keys. */
u32 hymc_request_start(struct hymc_core *c, struct hymc_request *r, u64 now);
/* Keys named so far. */
u32 hymc_request_nr(const struct hymc_request *r);
/* Known blocks not yet released by the request's owner; 0 = fully consumed. */
u32 hymc_request_left(const struct hymc_request *r);
/* Time at which the host should end it by itself. */
u64 hymc_request_expires(const struct hymc_request *r);
/*
 * End a request at any moment, started or not. What only it wanted is given up.
 * Outstanding views that named it stay valid. O(keys).
 */
void hymc_request_end(struct hymc_core *c, struct hymc_request *r, u64 now);

/* --- acquire and release -------------------------------------------------- */

/**
 * enum hymc_got - outcome of an attempt to acquire
 * @HYMC_GOT_READY: pinned; the frames may be read until release
 * @HYMC_GOT_WAIT: the block is being brought up (or waits for frames); the host
 *	waits for hymc_core_woken() and calls hymc_acquire_retry() or _abandon()
 */
enum hymc_got { HYMC_GOT_READY = 0, HYMC_GOT_WAIT = 1 };

/*
 * Acquire by key. Returns enum hymc_got with *@block set, or -ENOENT (counted as
 * a miss). A block not in DRAM joins the front of the read queue.
 */
int hymc_acquire_key(struct hymc_core *c, u32 ns, const struct hymc_key *key,
		     u64 now, u32 *block);
/*
 * The same for key @i of request @r. -EINVAL when @i is out of range. An item
 * means the block that was there when it was named: when that was unknown or is
 * gone, the item misses, whatever was put under the key since.
 */
int hymc_acquire_item(struct hymc_core *c, struct hymc_request *r, u32 i,
		      u64 now, u32 *block);
/*
 * After HYMC_GOT_WAIT: READY, WAIT, -EIO when the SSD failed the block, or -ENOENT
 * when it was deleted meanwhile (counted as a miss). On anything but WAIT the wait
 * is over and must not be retried or abandoned.
 */
int hymc_acquire_retry(struct hymc_core *c, u32 block, u64 now);
/* Give up waiting; counted as a timeout when @timed_out, not for a signal. */
void hymc_acquire_abandon(struct hymc_core *c, u32 block, bool timed_out);
/*
 * Unpin. @r and @i: the request item it was acquired for, or NULL: that item is
 * then consumed, and the request's window admits the next. @r must not have ended.
 */
void hymc_core_release(struct hymc_core *c, u32 block, struct hymc_request *r,
		       u32 i, u64 now);

/* --- I/O ------------------------------------------------------------------ */

/**
 * enum hymc_act_kind - what the host shall do
 * @HYMC_ACT_NONE: nothing now; ask again after the next event
 * @HYMC_ACT_READ: read a record from the SSD into frames
 * @HYMC_ACT_WRITE: write frames as a record to the SSD
 */
enum hymc_act_kind { HYMC_ACT_NONE, HYMC_ACT_READ, HYMC_ACT_WRITE };

/**
 * struct hymc_act - one I/O to do
 * @kind: enum hymc_act_kind
 * @block: the block, to be named in the completion
 * @ns: its namespace
 * @frame: first frame; the next ones by hymc_core_frame_next()
 * @gen: generation of the block; goes into the header and must come out of it
 * @len: payload bytes; the last frame may be used in part
 * @addr: byte address of the record on the SSD: @hdr_bytes of header, then the
 *	payload padded with zeros to HYMC_ALIGN_BYTES
 * @hdr_bytes: bytes of the header
 * @key: the block's key
 * @parent: key of the parent, all zero when there is none
 */
struct hymc_act {
	enum hymc_act_kind kind;
	u32 block;
	u32 ns;
	u32 frame;
	u64 gen;
	u64 len;
	u64 addr;
	u32 hdr_bytes;
	struct hymc_key key;
	struct hymc_key parent;
};

/*
 * Pull the next I/O. The host calls this after every event until it says NONE,
 * performs what it gets without its lock, and reports each completion.
 */
bool hymc_core_next(struct hymc_core *c, u64 now, struct hymc_act *act);
/*
 * A read ended. @err: 0 when header and checksums verified; -EIO when the drive
 * failed; -EBADMSG when the bytes did not verify. On an error the block is lost
 * and its extent never used again.
 */
void hymc_core_read_done(struct hymc_core *c, u32 block, int err, u64 now);
/* A write ended; on an error the block is lost. */
void hymc_core_write_done(struct hymc_core *c, u32 block, int err, u64 now);
/*
 * Blocks whose waiters should look again, one per call; HYMC_NIL when there are
 * no more. The host calls it after hymc_core_next() said NONE, and wakes.
 */
u32 hymc_core_woken(struct hymc_core *c);
/* True once after frames or dirty room came free (LRU reservers wait for that). */
bool hymc_core_room(struct hymc_core *c);
/* True when no committed block waits for write-back and no write is in flight. */
bool hymc_core_clean(const struct hymc_core *c);
/*
 * Ask that all that is dirty now be written even while reads are active. Returns
 * a ticket; hymc_core_synced() is true when all of it ended. *@lost counts blocks
 * that failed to be written since creation.
 */
u64 hymc_core_sync(struct hymc_core *c);
bool hymc_core_synced(const struct hymc_core *c, u64 ticket, u64 *lost);
/* The device is gone: hand out no more I/O (host fails its waiters itself). */
void hymc_core_stop(struct hymc_core *c);

/* --- looking at things ----------------------------------------------------- */

/* Next frame of a block, HYMC_NIL after the last. */
u32 hymc_core_frame_next(const struct hymc_core *c, u32 frame);
/* First frame of a block that is pinned, filling or in I/O. */
u32 hymc_core_frame_first(const struct hymc_core *c, u32 block);
/* Payload bytes of a block the caller holds. */
u64 hymc_core_len(const struct hymc_core *c, u32 block);
/*
 * enum hymc_tier of a block the caller holds or waits for, as the latest acquire
 * found it: ask right after the acquire, under the same lock.
 */
u32 hymc_core_tier(const struct hymc_core *c, u32 block);
/*
 * Fill the counters and gauges the core knows (all of struct hymc_stats but
 * size, flags, namespaces, files, requests, views, reservations, waiters).
 */
void hymc_core_stats(const struct hymc_core *c, u64 now, struct hymc_stats *st);
/*
 * Check every invariant, for tests: 0, or -EUCLEAN with *@why set to a constant
 * sentence. O(everything).
 */
int hymc_core_selfcheck(const struct hymc_core *c, const char **why);

#endif /* HYMC_CORE_H */
