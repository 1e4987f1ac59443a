// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: the pool a mode runs on
 *
 * Owns making, opening and destroying it. Every mode gets a fresh one on the
 * same DRAM and drive, so that none profits from what another left. All errors
 * of the library pass through here or slot.c with its own sentence.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pool.h"

#define NS_NAME		"hymc-replay"
#define SYNC_TIMEOUT_MS	120000
#define FRAME_BYTES_MIN	(64ULL << 10)
#define FRAME_BYTES_MAX	(64ULL << 20)

/* The library's sentence after "what failed". */
static int lib_error(struct hr_pool *pool, int code, const char *what,
		     struct hr_err *err)
{
	const char *why = pool->ctx ? hymc_last_error(pool->ctx) : "";

	return hr_err_set(err, code, "%s: %s", what,
			  *why ? why : strerror(-code));
}

/* Largest power of two that is not above a block, within what pools take. */
static uint64_t default_frame(uint64_t block_bytes)
{
	uint64_t frame = FRAME_BYTES_MIN;

	while (frame < FRAME_BYTES_MAX && 2 * frame <= block_bytes)
		frame *= 2;
	return frame;
}

static int create(struct hr_pool *pool, const struct hr_config *cfg,
		  const struct hr_mode *mode, uint64_t block_bytes,
		  uint32_t *id, struct hr_err *err)
{
	struct hymc_pool_params params = {
		.bytes = sizeof(params),
		.policy = mode->policy,
		.dram = cfg->dram,
		.dram_bytes = cfg->dram_bytes,
		.ssd = cfg->ssd,
		.dirty_max_bytes = cfg->dirty_max_bytes,
		.frame_bytes = cfg->frame_bytes ? cfg->frame_bytes :
						  default_frame(block_bytes),
		.id = HYMC_POOL_ANY,
		.force = cfg->force,
		.take_dax = cfg->take_dax,
	};
	int ret;

	if (!hymc_module_loaded(pool->ctx)) {
		ret = hymc_module_load(pool->ctx);
		if (ret < 0)
			return lib_error(pool, ret, "cannot load the module",
					 err);
	}
	ret = hymc_pool_create(pool->ctx, &params, id);
	if (ret < 0)
		return lib_error(pool, ret, "cannot make a pool", err);
	pool->ours = true;
	return 0;
}

/* Path of the drive of pool @id, for the block layer's counters. */
static void find_drive(struct hr_pool *pool, uint32_t id)
{
	const struct hymc_pool *found;
	struct hymc_pool_list *list;

	if (hymc_pool_list_get(pool->ctx, &list) < 0)
		return;
	found = hymc_pool_find(list, id);
	if (found && hymc_pool_ssd(found))
		snprintf(pool->ssd, sizeof(pool->ssd), "%s",
			 hymc_pool_ssd(found));
	hymc_pool_list_free(list);
}

/* A digest of what makes blocks exchangeable. */
static void fingerprint(const struct hr_config *cfg, struct hymc_key *digest)
{
	const struct hymc_key_field fields[] = {
		{ "model", cfg->model, strlen(cfg->model) },
		{ "token-bytes", &cfg->token_bytes, sizeof(cfg->token_bytes) },
		{ "scale", &cfg->scale, sizeof(cfg->scale) },
	};

	hymc_key_derive(fields, 3, digest);
}

/*
 * Fault the whole mapping in before the run, as an engine does when it
 * registers it with its accelerator.
 */
static void populate(const struct hr_pool *pool)
{
	size_t page = sysconf(_SC_PAGESIZE), at;
	volatile const uint8_t *p = pool->base;

	for (at = 0; at < pool->map_bytes; at += page)
		(void)p[at];
}

static int attach(struct hr_pool *pool, const struct hr_config *cfg,
		  const char *node, struct hr_err *err)
{
	struct hymc_key digest;
	const void *base;
	int ret;

	ret = hymc_dev_open(pool->ctx, node, &pool->dev);
	if (ret < 0)
		return lib_error(pool, ret, "cannot open the pool", err);
	ret = hymc_dev_info(pool->dev, &pool->info);
	if (ret < 0)
		return lib_error(pool, ret, "cannot ask the pool", err);
	ret = hymc_dev_map(pool->dev, &base, &pool->map_bytes);
	if (ret < 0)
		return lib_error(pool, ret, "cannot map the DRAM", err);
	pool->base = base;
	fingerprint(cfg, &digest);
	ret = hymc_ns_attach(pool->dev, NS_NAME, digest.b, HYMC_NS_CREATE,
			     &pool->ns);
	if (ret < 0)
		return lib_error(pool, ret, "cannot use the namespace "
				 NS_NAME, err);
	find_drive(pool, pool->info.pool);
	populate(pool);
	return 0;
}

static int check_fits(const struct hr_pool *pool, const struct hr_mode *mode,
		      uint64_t block_bytes, struct hr_err *err)
{
	const char *name = hymc_policy_name(pool->info.policy);

	if (pool->info.policy != mode->policy)
		return hr_err_set(err, -EINVAL,
				  "mode %s needs a pool with policy '%s', this one has '%s'",
				  mode->name, hymc_policy_name(mode->policy),
				  name ? name : "?");
	if (block_bytes <= pool->info.block_bytes_max)
		return 0;
	return hr_err_set(err, -EFBIG,
			  "the pool takes blocks up to %llu bytes, the trace needs %llu",
			  (unsigned long long)pool->info.block_bytes_max,
			  (unsigned long long)block_bytes);
}

static int open_pool(const struct hr_config *cfg, const struct hr_mode *mode,
		     uint64_t block_bytes, struct hr_pool *pool,
		     struct hr_err *err)
{
	uint32_t id = 0;
	char node[32];
	int ret;

	if (!cfg->dev) {
		ret = create(pool, cfg, mode, block_bytes, &id, err);
		if (ret)
			return ret;
		pool->info.pool = id;
	}
	snprintf(node, sizeof(node), "/dev/hymc%u", id);
	ret = attach(pool, cfg, cfg->dev ? cfg->dev : node, err);
	return ret ? ret : check_fits(pool, mode, block_bytes, err);
}

int hr_pool_open(const struct hr_config *cfg, const struct hr_mode *mode,
		 uint64_t block_bytes, struct hr_pool *pool,
		 struct hr_err *err)
{
	struct hr_err ignored = { "" };
	int ret;

	*pool = (struct hr_pool){ 0 };
	ret = hymc_ctx_new(&pool->ctx);
	if (ret < 0)
		return lib_error(pool, ret, "cannot use libhymc", err);
	ret = open_pool(cfg, mode, block_bytes, pool, err);
	if (ret)
		hr_pool_close(pool, &ignored);
	return ret;
}

int hr_pool_sync(struct hr_pool *pool, struct hr_err *err)
{
	int ret = hymc_sync(pool->dev, SYNC_TIMEOUT_MS);

	return ret < 0 ? lib_error(pool, ret, "cannot write everything back",
				   err) : 0;
}

int hr_pool_stats(struct hr_pool *pool, struct hymc_stats *stats,
		  struct hr_err *err)
{
	int ret = hymc_dev_stats(pool->dev, stats);

	return ret < 0 ? lib_error(pool, ret, "cannot read the counters",
				   err) : 0;
}

int hr_pool_close(struct hr_pool *pool, struct hr_err *err)
{
	int ret = 0;

	hymc_dev_close(pool->dev);
	pool->dev = NULL;
	if (pool->ours)
		ret = hymc_pool_destroy(pool->ctx, pool->info.pool, false);
	pool->ours = false;
	if (ret < 0)
		lib_error(pool, ret, "cannot destroy the pool", err);
	pool->ctx = hymc_ctx_unref(pool->ctx);
	return ret < 0 ? ret : 0;
}

int hr_drive_bytes(const char *path, uint64_t *read_bytes,
		   uint64_t *write_bytes)
{
	char real[PATH_MAX], stat[PATH_MAX + 64];
	uint64_t rd, wr;
	FILE *f;
	int n;

	*read_bytes = 0;
	*write_bytes = 0;
	if (!realpath(path, real))
		return -errno;
	snprintf(stat, sizeof(stat), "/sys/class/block/%s/stat",
		 strrchr(real, '/') + 1);
	f = fopen(stat, "re");
	if (!f)
		return -errno;
	/* Documentation/block/stat.rst: fields 3 and 7 are 512-byte sectors. */
	n = fscanf(f, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, &rd, &wr);
	fclose(f);
	if (n != 2)
		return -EPROTO;
	*read_bytes = rd << 9;
	*write_bytes = wr << 9;
	return 0;
}
