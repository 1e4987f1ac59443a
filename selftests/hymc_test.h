/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DOC: what the C programs of the selftests share
 *
 * Thin helpers around the raw ioctls of <linux/hymc.h>: they do not use libhymc,
 * so that the library cannot hide a fault of the module. A helper never asserts
 * and never prints; it returns 0 (or a count) or a negative errno, so that each
 * test says itself what it expects. Not thread-safe per struct ht; several
 * threads use several of them, or the *_fd functions.
 *
 * Environment:
 *	HYMC_DEV	device node of the pool under test, default /dev/hymc0
 *	HYMC_SSD	path of the pool's drive, for tests that damage bytes on it
 *	HYMC_SCRATCH	a block device that may be overwritten
 *	HYMC_REQUIRED	when set, an absent pool is a failure, not a skip
 *	HYMC_COMPAT	when set, ioctls take the 32-bit system call entry
 */
#ifndef HYMC_TEST_H
#define HYMC_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/hymc.h>

/* Runs of the mapping that a test keeps for one block. */
#define HT_RUNS_MAX	512U
/* How long a gauge may take to reach its value, in milliseconds. */
#define HT_SETTLE_MS	10000U
/* A wait that never ends by itself in a working system, in milliseconds. */
#define HT_LONG_MS	20000U

/**
 * struct ht_key - a block key as the kernel takes it
 * @b: bytes
 */
struct ht_key {
	__u8 b[HYMC_KEY_BYTES];
};

/**
 * struct ht - an open pool with one namespace attached
 * @fd: open file of the node
 * @ns: handle of the attached namespace
 * @info: facts of the pool
 * @map: whole DRAM, read-only, or NULL
 * @wmap: whole DRAM, writable, or NULL
 */
struct ht {
	int fd;
	__u32 ns;
	struct hymc_info info;
	const __u8 *map;
	__u8 *wmap;
};

/**
 * struct ht_block - an acquired or reserved block
 * @view: the kernel's answer
 * @runs: where its bytes lie in the mapping
 */
struct ht_block {
	struct hymc_view view;
	struct hymc_run runs[HT_RUNS_MAX];
};

/**
 * struct ht_program - what hymc_main.c needs to know of a test program
 * @run: its tests
 * @needs_pool: none of them makes sense without a pool
 */
struct ht_program {
	int (*run)(int argc, char **argv);
	bool needs_pool;
};

extern const struct ht_program ht_program;

/* --- environment ----------------------------------------------------------- */

const char *ht_node(void);
/* Path of the pool's drive, or NULL when nobody said it. */
const char *ht_ssd(void);
/* Path of a block device that may be overwritten, or NULL. */
const char *ht_scratch(void);
/* True when a missing pool is a failure. */
bool ht_required(void);
/* Milliseconds of the monotonic clock. */
__u64 ht_now_ms(void);
void ht_sleep_ms(unsigned int ms);
/* Load or store one byte: 0, or the number of the signal that it gave. */
int ht_load(const volatile void *p);
int ht_store(volatile void *p);
static inline __u64 ht_ptr(const void *p)
{
	return (uintptr_t)p;
}

/* --- calls on a file descriptor ---------------------------------------------- */

/* Like ioctl(2), by the entry HYMC_COMPAT asks for. 0 or -errno. */
int ht_ioctl(int fd, unsigned long cmd, void *arg);
/* Run a program's main where HYMC_COMPAT works. */
int ht_run(int (*fn)(int argc, char **argv), int argc, char **argv);
int ht_info_fd(int fd, struct hymc_info *info);
int ht_stats_fd(int fd, struct hymc_stats *st);
int ht_attach_fd(int fd, const char *name, __u8 fp, __u32 flags, __u32 *ns);
/* Wait until the u64 at @offset of the stats is @want: 0 or -ETIMEDOUT. */
int ht_wait_stat(int fd, size_t offset, __u64 want, unsigned int ms);
/* Wait until nothing is outstanding but @files open files: 0 or -ETIMEDOUT. */
int ht_wait_idle(int fd, __u64 files);
#define HT_STAT(field)	offsetof(struct hymc_stats, field)

/* --- keys and payloads -------------------------------------------------------- */

/* A number that no earlier test, process or run has used. */
__u64 ht_new_id(void);
void ht_key(__u64 id, struct ht_key *key);
/* Bytes [@off, @off + @len) of the payload of block @id. */
void ht_fill(__u64 id, __u64 off, void *buf, size_t len);
/* -1 when all bytes are right, or the payload offset of the first wrong one. */
ssize_t ht_check(__u64 id, __u64 off, const void *buf, size_t len);

/* --- a pool with a namespace --------------------------------------------------- */

/* Open, read the facts, attach @ns_name (created). 0 or -errno. */
int ht_begin(struct ht *h, const char *ns_name);
/* Unmap and close. */
void ht_end(struct ht *h);
/* Map all of the DRAM; idempotent. 0 or -errno. */
int ht_map(struct ht *h);
int ht_map_write(struct ht *h);

/* --- one block at a time: the block's status, or the call's error --------------- */

int ht_put(struct ht *h, __u64 id, __u64 len);
/* 0 when the block is there with @len right bytes; -EILSEQ for wrong bytes. */
int ht_get(struct ht *h, __u64 id, __u64 len, unsigned int timeout_ms);
/* Present (0) or -ENOENT; @found may be NULL. */
int ht_lookup(struct ht *h, __u64 id, struct hymc_found *found);
/* enum hymc_tier of the block. */
int ht_tier(struct ht *h, __u64 id);
int ht_acquire(struct ht *h, __u64 id, unsigned int timeout_ms,
	       struct ht_block *b);
/* Block @i of request @request. */
int ht_acquire_item(struct ht *h, __u64 request, __u32 i,
		    unsigned int timeout_ms, struct ht_block *b);
int ht_release(struct ht *h, const struct ht_block *b);
int ht_reserve(struct ht *h, __u64 id, __u64 len, struct ht_block *b);
int ht_commit(struct ht *h, const struct ht_block *b);
int ht_abort(struct ht *h, const struct ht_block *b);
int ht_delete(struct ht *h, __u64 id);
int ht_sync(struct ht *h);
/* Fill or check the bytes of a block through the mapping. */
void ht_block_fill(struct ht *h, const struct ht_block *b, __u64 id);
ssize_t ht_block_check(struct ht *h, const struct ht_block *b, __u64 id);
/* Acquire, check every byte, release: 0, -EILSEQ, or the status. */
int ht_read(struct ht *h, __u64 id, __u64 len, unsigned int timeout_ms);
/* True when the runs cover exactly the block's bytes inside the DRAM. */
bool ht_runs_ok(const struct ht *h, const struct ht_block *b);

/* --- several blocks ------------------------------------------------------------- */

/* Hint blocks ids[0..nr). 0 or -errno. */
int ht_prefetch(struct ht *h, const __u64 *ids, __u32 nr, __u64 window,
		unsigned int ttl_ms, __u64 *request);
int ht_cancel(struct ht *h, __u64 request);
/* Put blocks @first.. of @len bytes each, waiting for the write buffer. */
int ht_put_many(struct ht *h, __u64 first, unsigned int nr, __u64 len);
/*
 * Push block @id out of the DRAM by putting, and then forgetting, others.
 * 0 or -ETIMEDOUT. Takes about the size of the DRAM from the drive.
 */
int ht_evict(struct ht *h, __u64 id);
/**
 * struct ht_pins - what ht_pin_all() pinned
 * @views: handles
 * @nr: their number
 * @first: number of the first block put for it
 * @blocks: how many blocks were put
 */
struct ht_pins {
	__u64 *views;
	__u32 nr;
	__u32 blocks;
	__u64 first;
};

/* Pin blocks until no frame is left for anybody else. 0 or -errno. */
int ht_pin_all(struct ht *h, struct ht_pins *pins);
/* Undo it: release, delete, free. 0 or -errno. */
int ht_unpin(struct ht *h, struct ht_pins *pins);

/* Commit or abort or release (@cmd) a list of handles; leading successes. */
int ht_views(int fd, unsigned long cmd, const __u64 *views, __u32 nr,
	     __s32 *status);

#endif /* HYMC_TEST_H */
