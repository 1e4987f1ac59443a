/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libhymc: the user library of HyMCache.
 *
 * Conventions:
 * - Every function that can fail returns 0 (or a count) on success and a negative
 *   errno on failure, and leaves a sentence for people, read by
 *   hymc_last_error() of the context, per thread.
 * - Objects are opaque and reference counted where they are shared.
 * - A context and a device may be used by several threads at once.
 * - Nothing prints, exits or keeps global state; log lines go to a callback.
 * - Structures named struct hymc_* without being opaque are those of the kernel's
 *   ABI, <linux/hymc.h>.
 */
#ifndef HYMC_LIBHYMC_H
#define HYMC_LIBHYMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/hymc.h>
#include <linux/hymc_netlink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key, as the kernel sees it. */
struct hymc_key {
	uint8_t b[HYMC_KEY_BYTES];
};

/* ------------------------------------------------------------- context --- */

struct hymc_ctx;

/* Syslog priority, a complete line without newline, and hymc_ctx_set_log()'s @data. */
typedef void (*hymc_log_fn)(int priority, const char *line, void *data);

/* Make a context. 0 and *@ctx (one reference), or -ENOMEM. */
int hymc_ctx_new(struct hymc_ctx **ctx);
struct hymc_ctx *hymc_ctx_ref(struct hymc_ctx *ctx);
/* Drop a reference; the last frees. Returns NULL. NULL is allowed. */
struct hymc_ctx *hymc_ctx_unref(struct hymc_ctx *ctx);
/* Where log lines go; NULL (the default) drops them. */
void hymc_ctx_set_log(struct hymc_ctx *ctx, hymc_log_fn fn, void *data);
/*
 * The sentence of this thread's last failed call on @ctx, "" when there is none.
 * Valid until the thread's next call with @ctx.
 */
const char *hymc_last_error(struct hymc_ctx *ctx);

/* -------------------------------------------------------------- module --- */

/* True when the hymc module is loaded (or built in). */
bool hymc_module_loaded(struct hymc_ctx *ctx);
/* Load it with its dependencies, like modprobe. 0 also when it is loaded. */
int hymc_module_load(struct hymc_ctx *ctx);
/* Load a module that is not installed from its file, dependencies by name. */
int hymc_module_load_file(struct hymc_ctx *ctx, const char *path);
/* Unload it. -EBUSY with who holds it, -ENOENT when it is not loaded. */
int hymc_module_unload(struct hymc_ctx *ctx);

/* --------------------------------------------------------------- pools --- */

/**
 * struct hymc_pool_params - what a new pool shall be; zero means default
 * @bytes: sizeof(struct hymc_pool_params)
 * @policy: enum hymc_policy
 * @dram: name of a dax device ("dax0.0"); it is released from a stock driver only
 *	when @take_dax is set
 * @dram_bytes: use only the first bytes of it; 0 = all
 * @ssd: path of a block device
 * @ssd_bytes: use only the first bytes of it; 0 = all
 * @segment_bytes: log segment; 0 = 256 MiB, less on a small device
 * @window_bytes: default request window; 0 = 128 MiB
 * @blocks_max: most blocks; 0 = derived from the SSD's size
 * @dirty_max_bytes: write buffer limit; 0 = a quarter of the DRAM
 * @frame_bytes: DRAM allocation unit; 0 = 1 MiB
 * @id: wanted number N of /dev/hymcN; HYMC_POOL_ANY = the first free
 * @force: use the SSD although it carries a filesystem, partition table or pool
 * @take_dax: unbind a stock driver (device_dax) from @dram first
 */
struct hymc_pool_params {
	uint32_t bytes;
	uint32_t policy;
	const char *dram;
	uint64_t dram_bytes;
	const char *ssd;
	uint64_t ssd_bytes;
	uint64_t segment_bytes;
	uint64_t window_bytes;
	uint64_t blocks_max;
	uint64_t dirty_max_bytes;
	uint32_t frame_bytes;
	uint32_t id;
	bool force;
	bool take_dax;
};

#define HYMC_POOL_ANY	(~0U)

/*
 * Make a pool; *@id is its number. Needs CAP_SYS_ADMIN. The SSD is formatted: a
 * signature on it is refused (-EEXIST) unless @force. The sentence names the
 * device and says what to do: -EPERM, -ENOPKG (module not loaded), -ENODEV (no
 * such dax device or block device), -EBUSY (range or drive in use, by whom),
 * -ENOTBLK, -EROFS, -EINVAL, -EFBIG/-ENOSPC (too small).
 */
int hymc_pool_create(struct hymc_ctx *ctx, const struct hymc_pool_params *p,
		     uint32_t *id);
/*
 * Write what is dirty and end the pool. -EBUSY with the pids that hold it unless
 * @force; -ENOENT.
 */
int hymc_pool_destroy(struct hymc_ctx *ctx, uint32_t id, bool force);

struct hymc_pool;	/* a snapshot of one pool */
struct hymc_pool_list;	/* a snapshot of all */

/* All pools. 0 and *@list, to be freed by hymc_pool_list_free(). */
int hymc_pool_list_get(struct hymc_ctx *ctx, struct hymc_pool_list **list);
void hymc_pool_list_free(struct hymc_pool_list *list);
/* Iterate; NULL at the end. The pools belong to the list. */
const struct hymc_pool *hymc_pool_first(const struct hymc_pool_list *list);
const struct hymc_pool *hymc_pool_next(const struct hymc_pool_list *list,
				       const struct hymc_pool *pool);
/* One pool of a list by number, or NULL. */
const struct hymc_pool *hymc_pool_find(const struct hymc_pool_list *list,
				       uint32_t id);

uint32_t hymc_pool_id(const struct hymc_pool *pool);
const char *hymc_pool_dram(const struct hymc_pool *pool);
uint64_t hymc_pool_dram_start(const struct hymc_pool *pool);
uint64_t hymc_pool_dram_bytes(const struct hymc_pool *pool);
const char *hymc_pool_ssd(const struct hymc_pool *pool);
uint64_t hymc_pool_ssd_bytes(const struct hymc_pool *pool);
uint32_t hymc_pool_frame_bytes(const struct hymc_pool *pool);
uint64_t hymc_pool_segment_bytes(const struct hymc_pool *pool);
uint64_t hymc_pool_window_bytes(const struct hymc_pool *pool);
uint64_t hymc_pool_blocks_max(const struct hymc_pool *pool);
uint64_t hymc_pool_dirty_max_bytes(const struct hymc_pool *pool);
uint32_t hymc_pool_policy(const struct hymc_pool *pool);
uint32_t hymc_pool_state(const struct hymc_pool *pool);
/* 16 bytes. */
const uint8_t *hymc_pool_uuid(const struct hymc_pool *pool);
const struct hymc_stats *hymc_pool_stats(const struct hymc_pool *pool);
/* Who has the node open: *@nr pids. */
const uint32_t *hymc_pool_pids(const struct hymc_pool *pool, size_t *nr);

/* "online", "dead"; NULL when unknown. */
const char *hymc_pool_state_name(uint32_t state);
/* "stage", "lru"; NULL when unknown. And back: -EINVAL when unknown. */
const char *hymc_policy_name(uint32_t policy);
int hymc_policy_parse(const char *name);

/**
 * struct hymc_stat_desc - a counter of struct hymc_stats
 * @name: field name, as in JSON
 * @kind: 'C' grows only, 'G' gauge
 * @unit: unit
 * @help: meaning
 * @offset: offset of the __u64 in struct hymc_stats
 */
struct hymc_stat_desc {
	const char *name;
	char kind;
	const char *unit;
	const char *help;
	size_t offset;
};

/* All of them, in order; *@nr is set. */
const struct hymc_stat_desc *hymc_stat_descs(size_t *nr);

/* -------------------------------------------------------------- device --- */

struct hymc_dev;

/* Open /dev/hymc<N> ("/dev/hymc0", or "0"). -ENOENT, -EACCES, -ENODEV. */
int hymc_dev_open(struct hymc_ctx *ctx, const char *node, struct hymc_dev **dev);
/* Close: all that was handed out ends; mappings are unmapped. NULL is allowed. */
void hymc_dev_close(struct hymc_dev *dev);
/* The file descriptor, owned by @dev. */
int hymc_dev_fd(const struct hymc_dev *dev);
/* Facts of the pool; @info->size need not be set. */
int hymc_dev_info(struct hymc_dev *dev, struct hymc_info *info);
int hymc_dev_stats(struct hymc_dev *dev, struct hymc_stats *stats);
/*
 * Map the whole DRAM read-only (the reader's view); the same address for every
 * call, unmapped by close. And writable, for one's own reservations only.
 */
int hymc_dev_map(struct hymc_dev *dev, const void **base, size_t *bytes);
int hymc_dev_map_write(struct hymc_dev *dev, void **base, size_t *bytes);

/* Attach (@flags: HYMC_NS_CREATE). Returns 0 and *@ns. */
int hymc_ns_attach(struct hymc_dev *dev, const char *name,
		   const uint8_t fingerprint[HYMC_FP_BYTES], uint32_t flags,
		   uint32_t *ns);

/* ---- the calls of a request's life: one system call each, whatever @nr ---- */

/*
 * How many leading keys are present: returns that count. @found: NULL, or @nr
 * answers.
 */
int hymc_lookup(struct hymc_dev *dev, uint32_t ns, const struct hymc_key *keys,
		uint32_t nr, uint32_t lease_ms, struct hymc_found *found);

/* Hint. @window: bytes or HYMC_WINDOW_DEFAULT. 0 and *@request. */
int hymc_prefetch(struct hymc_dev *dev, uint32_t ns, const struct hymc_key *keys,
		  uint32_t nr, uint64_t window, uint32_t deadline_ms,
		  uint32_t ttl_ms, uint64_t *request);
int hymc_cancel(struct hymc_dev *dev, uint64_t request);

/*
 * Acquire by key. @views: @nr answers; @runs: @runs_max pieces. Returns the number
 * of leading blocks acquired; the status of each is in its view.
 */
int hymc_acquire(struct hymc_dev *dev, uint32_t ns, const struct hymc_key *keys,
		 uint32_t nr, uint32_t timeout_ms, struct hymc_view *views,
		 struct hymc_run *runs, uint32_t runs_max);
/* The same for blocks @first.. of the key list of @request. */
int hymc_acquire_request(struct hymc_dev *dev, uint32_t ns, uint64_t request,
			 uint32_t first, uint32_t nr, uint32_t timeout_ms,
			 struct hymc_view *views, struct hymc_run *runs,
			 uint32_t runs_max);
/* Release views. Returns the number of leading valid ones. @status may be NULL. */
int hymc_release(struct hymc_dev *dev, const uint64_t *views, uint32_t nr,
		 int32_t *status);

/* Reserve DRAM for new blocks (@descs[].addr = 0); returns leading successes. */
int hymc_reserve(struct hymc_dev *dev, uint32_t ns, const struct hymc_desc *descs,
		 uint32_t nr, uint32_t flags, const struct hymc_key *parent,
		 uint32_t timeout_ms, struct hymc_view *views,
		 struct hymc_run *runs, uint32_t runs_max);
int hymc_commit(struct hymc_dev *dev, const uint64_t *views, uint32_t nr,
		int32_t *status);
int hymc_abort(struct hymc_dev *dev, const uint64_t *views, uint32_t nr,
	       int32_t *status);

/* Store by copying; returns leading successes (present ones included). */
int hymc_put(struct hymc_dev *dev, uint32_t ns, const struct hymc_desc *descs,
	     uint32_t nr, uint32_t flags, const struct hymc_key *parent,
	     uint32_t timeout_ms, struct hymc_done *done);
/* Fetch by copying. */
int hymc_get(struct hymc_dev *dev, uint32_t ns, const struct hymc_desc *descs,
	     uint32_t nr, uint32_t timeout_ms, struct hymc_done *done);
/* Delete; returns leading successes. */
int hymc_delete(struct hymc_dev *dev, uint32_t ns, const struct hymc_key *keys,
		uint32_t nr, int32_t *status);
/* Wait until what was committed before is on the SSD. */
int hymc_sync(struct hymc_dev *dev, uint32_t timeout_ms);

/* ---------------------------------------------------------------- keys --- */

/*
 * Derive a key from tagged fields, the same on every machine: SHA-256 over, for
 * each field, tag length (u32 LE), tag, value length (u64 LE), value.
 */
struct hymc_key_field {
	const char *tag;
	const void *value;
	size_t bytes;
};
void hymc_key_derive(const struct hymc_key_field *fields, size_t nr,
		     struct hymc_key *key);

#ifdef __cplusplus
}
#endif

#endif /* HYMC_LIBHYMC_H */
